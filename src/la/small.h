/* small.h: kernels on a handful of numbers, inlined. The sums run in the order of the indices. */
#ifndef SS_LA_SMALL_H
#define SS_LA_SMALL_H

#include <math.h>

/* aᵀb. The lengths of points, planar and spatial bodies are unrolled: they are all that a sweep
 * meets. */
static inline double ss_dot(int n, const double *a, const double *b)
{
    switch (n) {
    case 1:
        return a[0] * b[0];
    case 2:
        return a[0] * b[0] + a[1] * b[1];
    case 3:
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    case 6:
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
    default:
        break;
    }
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Σ |a_k| |b_k| */
static inline double ss_dot_absolute(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += fabs(a[k] * b[k]);
    return sum;
}

/* y += s x */
static inline void ss_axpy(int n, double s, const double *x, double *y)
{
    switch (n) {
    case 1:
        y[0] += s * x[0];
        return;
    case 2:
        y[0] += s * x[0];
        y[1] += s * x[1];
        return;
    case 3:
        y[0] += s * x[0];
        y[1] += s * x[1];
        y[2] += s * x[2];
        return;
    default:
        break;
    }
    for (int k = 0; k < n; k++)
        y[k] += s * x[k];
}

static inline double ss_norm(int n, const double *a)
{
    return n == 1 ? fabs(a[0]) : sqrt(ss_dot(n, a, a));
}

/* a where it is larger, else b: as fmax where b is a number, but without a call. */
static inline double ss_larger(double a, double b)
{
    return a > b ? a : b;
}

/* The larger of two numbers; not a number as soon as one of them is. */
static inline double ss_max_nan(double a, double b)
{
    return a > b || a != a ? a : b;
}

static inline int ss_all_finite(long n, const double *a)
{
    for (long k = 0; k < n; k++)
        if (!isfinite(a[k]))
            return 0;
    return 1;
}

#endif
