/* axes.h: an ellipse or ellipsoid in its own frame, given by its semi-axes. */
#ifndef SS_SET_AXES_H
#define SS_SET_AXES_H

#include <stickslip/options.h>

typedef struct ss_axes {
    int dim;     /* 2 or 3 */
    double e[3]; /* semi-axes */
    double d[3]; /* their squares divided by the smallest square */
} ss_axes;

/* From the numbers given with the key `axes`, each between SS_SECULAR_MIN_AXIS and
 * SS_SECULAR_MAX_AXIS. */
ss_status ss_axes_init(ss_axes *axes, ss_context *context, const char *set, int dim,
                       const ss_matrix *given);

/* The functions of ss_set_ops. */
void ss_axes_prox(const ss_axes *axes, double scale, const double *x, double *y);
void ss_axes_prox_metric(const ss_axes *axes, double scale, const double *R, const double *x,
                         double *y);
bool ss_axes_contains(const ss_axes *axes, double scale, const double *x, double tolerance);
double ss_axes_support(const ss_axes *axes, double scale, const double *v);

#endif
