/* secular.h: the projection to an ellipsoid by the root of its secular equation. */
#ifndef SS_SET_SECULAR_H
#define SS_SET_SECULAR_H

#include <stdbool.h>

/* Bounds for the arguments below, so that nothing overflows on the way. */
#define SS_SECULAR_MIN_AXIS  1e-30
#define SS_SECULAR_MAX_AXIS  1e30
#define SS_SECULAR_MAX_RATIO 1e120

/* y = the point of Σ (y_i / (s e_i))² <= 1 with the smallest Σ r_i (x_i - y_i)²; dim 1 … 3. The
 * weights come as d_i = r_i e_i² divided by the smallest of them: 1 <= d_i <=
 * SS_SECULAR_MAX_RATIO. Axes e_i between the bounds above; any scale from 0 to INFINITY. */
void ss_secular_prox(int dim, const double *e, const double *d, double scale, const double *x,
                     double *y);

/* Whether Σ (x_i / (s e_i))² <= 1, to rounding. */
bool ss_secular_inside(int dim, const double *e, double scale, const double *x);

#endif
