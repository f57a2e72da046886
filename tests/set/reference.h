/* reference.h: nearest points found in other ways than the library's, in long double. */
#ifndef SS_TESTS_SET_REFERENCE_H
#define SS_TESTS_SET_REFERENCE_H

#include <math.h>
#include <stdbool.h>

typedef long double real;

/* Where (a cos θ, b sin θ) is nearest to an outer point x > 0, the derivative of the distance
 * over θ vanishes:
 *
 *     a x_1 / cos θ - b x_2 / sin θ = a² - b²,
 *
 * and its left side grows with τ = tan θ. Bisection over the exponent of τ. */
static inline void nearest_of_quarter_ellipse(real a, real b, real x1, real x2, real *y1, real *y2)
{
    real low = 1e-80L, high = 1e80L;
    for (int i = 0; i < 400; i++) {
        real tau = sqrtl(low * high);
        real left = a * x1 * hypotl(1, tau) - b * x2 * hypotl(1, 1 / tau);
        *(left > (a - b) * (a + b) ? &high : &low) = tau;
    }
    *y1 = a / hypotl(1, low);
    *y2 = b / hypotl(1, 1 / low);
}

/* The nearest point of the full ellipse to x. */
static inline void nearest_of_ellipse(const double e[2], double scale, const double x[2],
                                      double y[2])
{
    real a = (real)scale * (real)e[0], b = (real)scale * (real)e[1], y1, y2;
    real x1 = fabsl((real)x[0]), x2 = fabsl((real)x[1]);
    if ((x1 / a) * (x1 / a) + (x2 / b) * (x2 / b) <= 1) {
        y[0] = x[0];
        y[1] = x[1];
        return;
    }
    nearest_of_quarter_ellipse(a, b, x1, x2, &y1, &y2);
    y[0] = copysign((double)y1, x[0]);
    y[1] = copysign((double)y2, x[1]);
}

/* The same in space, by bisection over the exponent of t in y_i = a_i² x_i / (t + a_i²), Σ (y_i
 * / a_i)² = 1. */
static inline void nearest_of_ellipsoid(const double e[3], double scale, const double x[3],
                                        double y[3])
{
    real a[3], low = 0, high = 1, sum = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = (real)scale * (real)e[i];
        sum += ((real)x[i] / a[i]) * ((real)x[i] / a[i]);
        high += a[i] * fabsl((real)x[i]);
    }
    low = high * 1e-200L;
    for (int k = 0; k < 600 && sum > 1; k++) {
        real t = sqrtl(low * high), F = 0;
        for (int i = 0; i < 3; i++)
            F += powl(a[i] * (real)x[i] / (t + a[i] * a[i]), 2);
        *(F > 1 ? &low : &high) = t;
    }
    for (int i = 0; i < 3; i++)
        y[i] = sum > 1 ? (double)((real)x[i] * (a[i] * a[i] / (low + a[i] * a[i]))) : x[i];
}

/* Gaussian elimination with row exchange; A is n × n by rows and is destroyed. */
static inline void solve_linear(int n, real *A, real *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[pivot * n + k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            real swap = A[k * n + j];
            A[k * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swap;
        }
        real swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            real f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

/* (x - E w)ᵀ R (x - E w) */
static inline real metric_distance(int dim, const double *e, const double *R, const double *x,
                                   const real *w)
{
    real v[3], sum = 0;
    for (int i = 0; i < dim; i++)
        v[i] = (real)x[i] - (real)e[i] * w[i];
    for (int i = 0; i < dim * dim; i++)
        sum += v[i / dim] * (real)R[i] * v[i % dim];
    return sum;
}

/* The best of a grid of directions w. */
static inline void scan_directions(int dim, const double *e, const double *R, const double *x,
                                   real *w)
{
    enum { STEPS = 120 };
    const real pi = 3.14159265358979323846L;
    real best = INFINITY;
    for (int i = 0; i < STEPS; i++) {
        for (int j = 0; j < (dim == 3 ? STEPS / 2 : 1); j++) {
            real phi = 2 * pi * i / STEPS, theta = dim == 3 ? 2 * pi * (j + 0.5L) / STEPS : pi / 2;
            real trial[3] = {sinl(theta) * cosl(phi), sinl(theta) * sinl(phi), cosl(theta)};
            real value = metric_distance(dim, e, R, x, trial);
            if (!(value < best))
                continue;
            best = value;
            for (int k = 0; k < dim; k++)
                w[k] = trial[k];
        }
    }
}

/* One Newton step for E R (E w - x) + μ w = 0, |w|² = 1 in w and μ; returns the length of the
 * step. */
static inline real newton_step(int dim, const double *e, const double *R, const double *x, real *w,
                               real *mu)
{
    int n = dim + 1;
    real A[16] = {0}, b[4] = {0}, length = 0;
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            real ERE = (real)e[i] * (real)R[i * dim + j] * (real)e[j];
            A[i * n + j] = ERE + (i == j ? *mu : 0);
            b[i] -= ERE * w[j] - (real)e[i] * (real)R[i * dim + j] * (real)x[j];
        }
        b[i] -= *mu * w[i];
        A[i * n + dim] = A[dim * n + i] = w[i];
        b[dim] -= 0.5L * w[i] * w[i];
    }
    b[dim] += 0.5L;
    solve_linear(n, A, b);
    for (int i = 0; i < dim; i++) {
        w[i] += b[i];
        length += b[i] * b[i];
    }
    *mu += b[dim];
    return sqrtl(length);
}

/* The point y = E w, |w| = 1, nearest to an outer x in the metric R, from the best grid point by
 * Newton's method. False when it did not converge to a nearest point (then μ < 0 or some grid
 * point is nearer). */
static inline bool nearest_in_metric(int dim, const double *e, const double *R, const double *x,
                                     double *y)
{
    real w[3], start[3], mu = 0, step = 1;
    scan_directions(dim, e, R, x, w);
    for (int i = 0; i < dim; i++)
        start[i] = w[i];
    for (int i = 0; i < dim * dim; i++)
        mu += w[i / dim] * (real)e[i / dim] * (real)R[i] *
              ((real)x[i % dim] - (real)e[i % dim] * w[i % dim]);
    for (int k = 0; k < 100 && step > 1e-17L; k++)
        step = newton_step(dim, e, R, x, w, &mu);
    for (int i = 0; i < dim; i++)
        y[i] = (double)((real)e[i] * w[i]);
    return step < 1e-15L && mu > 0 &&
           metric_distance(dim, e, R, x, w) <= metric_distance(dim, e, R, x, start);
}

#endif
