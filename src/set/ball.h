/* ball.h: the ball |y| <= s in a plane or in space, the kernel of disk, ellipse and ellipsoid. */
#ifndef SS_SET_BALL_H
#define SS_SET_BALL_H

#include <stdbool.h>

/* Slack of a squared length: what is outside by rounding only counts as inside. */
#define SS_BALL_SLACK 0x1p-49

/* Between these a sum of squares is exact to rounding; beyond them a square may overflow or
 * underflow. */
#define SS_BALL_MIN_SQUARE 1e-280
#define SS_BALL_MAX_SQUARE 1e280

/* |x|, without overflow or underflow. */
double ss_ball_norm(int dim, const double *x);

/* y = x / |x| · s when |x| > s, else x. Any length of x and s. */
void ss_ball_prox(int dim, double scale, const double *x, double *y);

/* y = argmin (x-y)ᵀ R (x-y) over |y| <= s; dim 1 … 3 (S4.65 – S4.67). R is symmetric and
 * positive definite; when it is only semidefinite, y is one of the minimizers. */
void ss_ball_prox_metric(int dim, double scale, const double *R, const double *x, double *y);

#endif
