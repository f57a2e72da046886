/* axes.c: projections to an ellipse or ellipsoid in its own frame. */
#include "set/axes.h"

#include "set/ball.h"
#include "set/secular.h"

#include <math.h>
#include <string.h>

enum { MAX_DIM = 3 };

ss_status ss_axes_init(ss_axes *axes, ss_context *context, const char *set, int dim,
                       const ss_matrix *given)
{
    if (given->rows != dim || given->columns != 1)
        return ss_fail(context, SS_INPUT, "set '%s': axes must be %d positive numbers, not %d", set,
                       dim, given->rows * given->columns);
    double shortest = given->values[0];
    for (int i = 1; i < dim; i++)
        shortest = fmin(shortest, given->values[i]);
    axes->dim = dim;
    for (int i = 0; i < dim; i++) {
        double ratio = given->values[i] / shortest;
        axes->e[i] = given->values[i];
        axes->d[i] = fmin(ratio * ratio, SS_SECULAR_MAX_RATIO);
    }
    return SS_OK;
}

/* S2.22, S B.1, S B.6 */
void ss_axes_prox(const ss_axes *axes, double scale, const double *x, double *y)
{
    ss_secular_prox(axes->dim, axes->e, axes->d, scale, x, y);
}

/* With A = diag(e), the ellipsoid is A times a ball, and S2.19 makes this a projection to the
 * ball in the metric A R A. */
void ss_axes_prox_metric(const ss_axes *axes, double scale, const double *R, const double *x,
                         double *y)
{
    int dim = axes->dim;
    const double *e = axes->e;
    double ARA[MAX_DIM * MAX_DIM], w[MAX_DIM];
    if (ss_secular_inside(dim, e, scale, x)) {
        memmove(y, x, (size_t)dim * sizeof *y);
        return;
    }
    for (int i = 0; i < dim * dim; i++)
        ARA[i] = e[i / dim] * R[i] * e[i % dim];
    for (int i = 0; i < dim; i++)
        w[i] = x[i] / e[i];
    ss_ball_prox_metric(dim, scale, ARA, w, w);
    for (int i = 0; i < dim; i++)
        y[i] = e[i] * w[i];
}

bool ss_axes_contains(const ss_axes *axes, double scale, const double *x, double tolerance)
{
    double v[MAX_DIM];
    if (ss_secular_inside(axes->dim, axes->e, scale, x))
        return true;
    ss_axes_prox(axes, scale, x, v);
    for (int i = 0; i < axes->dim; i++)
        v[i] = x[i] - v[i];
    return ss_ball_norm(axes->dim, v) <= tolerance;
}

double ss_axes_support(const ss_axes *axes, double scale, const double *v)
{
    double Ev[MAX_DIM];
    for (int i = 0; i < axes->dim; i++)
        Ev[i] = axes->e[i] * v[i];
    double length = ss_ball_norm(axes->dim, Ev);
    return length > 0 ? scale * length : 0;
}
