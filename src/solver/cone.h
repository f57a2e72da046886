/* cone.h: arithmetic of the second-order cone L = { x | x_0 >= ‖x_1…‖ } in n = 1, 2 or 3
 * dimensions, and its scaling by Nesterov and Todd. */
#ifndef SS_SOLVER_CONE_H
#define SS_SOLVER_CONE_H

#include <math.h>

/* xᵀ J y, J = diag(1, -1, …) */
static inline double ss_cone_J(int n, const double *x, const double *y)
{
    double sum = x[0] * y[0];
    for (int k = 1; k < n; k++)
        sum -= x[k] * y[k];
    return sum;
}

static inline double ss_cone_dot(int n, const double *x, const double *y)
{
    double sum = x[0] * y[0];
    for (int k = 1; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

/* Jordan's product x ∘ y = (xᵀy, x_0 y_1… + y_0 x_1…) */
static inline void ss_cone_product(int n, const double *x, const double *y, double *z)
{
    double first = ss_cone_dot(n, x, y);
    for (int k = 1; k < n; k++)
        z[k] = x[0] * y[k] + y[0] * x[k];
    z[0] = first;
}

/* z with x ∘ z = y, x inside L. */
static inline void ss_cone_divide(int n, const double *x, const double *y, double *z)
{
    double first = ss_cone_J(n, x, y) / ss_cone_J(n, x, x);
    for (int k = 1; k < n; k++)
        z[k] = (y[k] - first * x[k]) / x[0];
    z[0] = first;
}

/* Largest a with x + a d in L, x inside; INFINITY when there is none. */
static inline double ss_cone_step(int n, const double *x, const double *d)
{
    double most = d[0] < 0.0 ? -x[0] / d[0] : INFINITY;
    if (n == 1)
        return most;
    double a = ss_cone_J(n, d, d), b = ss_cone_J(n, x, d), c = ss_cone_J(n, x, x);
    double root2 = b * b - a * c;
    if (root2 < 0.0)
        return most;
    double root = sqrt(root2), q = -(b + (b >= 0.0 ? root : -root));
    double first = q / a, second = c / q;
    if (first > 0.0 && first < most)
        most = first;
    if (second > 0.0 && second < most)
        most = second;
    return most;
}

/* The smaller eigenvalue of the product of x and y in their common scaling; of a centred pair
 * both are xᵀy. */
static inline double ss_cone_centrality(int n, const double *x, const double *y)
{
    double trace = ss_cone_dot(n, x, y);
    if (n == 1)
        return trace;
    double xx = ss_cone_J(n, x, x), yy = ss_cone_J(n, y, y);
    if (xx <= 0.0 || yy <= 0.0)
        return 0.0;
    double root2 = trace * trace - xx * yy;
    return root2 > 0.0 ? xx * yy / (trace + sqrt(root2)) : trace;
}

/* Θ = η (2 w wᵀ - J) with Θ x = y, and its root √η V; wᵀJw = 1. */
typedef struct ss_cone_scaling {
    double eta, w[3];
} ss_cone_scaling;

static inline ss_cone_scaling ss_cone_scale(int n, const double *x, const double *y)
{
    ss_cone_scaling s = {0};
    double x_size = sqrt(ss_cone_J(n, x, x)), y_size = sqrt(ss_cone_J(n, y, y));
    double g = sqrt(0.5 * (1.0 + ss_cone_dot(n, x, y) / (x_size * y_size)));
    s.w[0] = (y[0] / y_size + x[0] / x_size) / (2.0 * g);
    for (int k = 1; k < n; k++)
        s.w[k] = (y[k] / y_size - x[k] / x_size) / (2.0 * g);
    s.eta = y_size / x_size;
    return s;
}

/* z = Θ x */
static inline void ss_cone_theta(int n, const ss_cone_scaling *s, const double *x, double *z)
{
    double wx = 2.0 * ss_cone_dot(n, s->w, x);
    double z0 = s->eta * (wx * s->w[0] - x[0]);
    for (int k = 1; k < n; k++)
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): w has n numbers */
        z[k] = s->eta * (wx * s->w[k] + x[k]);
    z[0] = z0;
}

/* z = Θ^½ x, or Θ^-½ x when sign is -1. */
static inline void ss_cone_root(int n, const ss_cone_scaling *s, int sign, const double *x,
                                double *z)
{
    double root = sign < 0 ? 1.0 / sqrt(s->eta) : sqrt(s->eta), tail = 0.0, x0 = x[0];
    for (int k = 1; k < n; k++)
        tail += s->w[k] * x[k];
    double share = x0 * sign + tail / (1.0 + s->w[0]);
    for (int k = 1; k < n; k++)
        z[k] = root * (x[k] + share * s->w[k]);
    z[0] = root * (s->w[0] * x0 + sign * tail);
}

#endif
