/* order.c: the order of a method from its errors. */
#include "commands/order.h"

#include <math.h>

static const double least = -4, most = 16; /* orders that are looked for */

/* log |h^p - h_ref^p| up to a constant, smooth through p = 0. */
static double log_model(double h, double h_ref, double p)
{
    if (h_ref <= 0)
        return p * log(h);
    double x = log(h / h_ref);
    return fabs(p * x) < 1e-8 ? log(x) : log(expm1(p * x) / p);
}

static double mismatch(ss_cli_error_at a, ss_cli_error_at b, double h_ref, double p)
{
    return log_model(a.h, h_ref, p) - log_model(b.h, h_ref, p) - log(a.error / b.error);
}

/* The model's ratio grows with p when a.h > b.h: bisection. */
double ss_cli_order_between(ss_cli_error_at a, ss_cli_error_at b, double h_ref)
{
    double low = least, high = most;
    if (a.h < b.h)
        return ss_cli_order_between(b, a, h_ref);
    if (!(a.h > b.h) || !(a.error > 0) || !(b.error > 0) || mismatch(a, b, h_ref, low) > 0 ||
        mismatch(a, b, h_ref, high) < 0)
        return (double)NAN;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (mismatch(a, b, h_ref, middle) > 0)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

/* Sum of squares around the mean: the constant C is the best one. */
static double misfit(size_t count, const ss_cli_error_at *errors, double h_ref, double p)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        mean += (log(errors[i].error) - log_model(errors[i].h, h_ref, p)) / (double)count;
    for (size_t i = 0; i < count; i++) {
        double d = log(errors[i].error) - log_model(errors[i].h, h_ref, p) - mean;
        sum += d * d;
    }
    return sum;
}

/* The neighbourhood of the best of a grid, then golden sections. */
double ss_cli_order_fit(size_t count, const ss_cli_error_at *errors, double h_ref)
{
    const double grid = 0.125, golden = 0.6180339887498949;
    double best = least, smallest = INFINITY;
    if (count < 2)
        return (double)NAN;
    for (double p = least; p <= most; p += grid) {
        double value = misfit(count, errors, h_ref, p);
        if (value < smallest) {
            smallest = value;
            best = p;
        }
    }
    double low = best - grid, high = best + grid;
    for (int i = 0; i < 60; i++) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        if (misfit(count, errors, h_ref, a) < misfit(count, errors, h_ref, b))
            high = b;
        else
            low = a;
    }
    return (low + high) / 2;
}
