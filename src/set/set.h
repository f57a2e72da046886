/* set.h: inside of the sets: the built-in kinds, and the ball that several of them rest on. */
#ifndef SS_SET_SET_H
#define SS_SET_SET_H

#include "base/arena.h"

#include <stickslip/set.h>

#include <float.h>
#include <math.h>

extern const ss_set_ops ss_set_type_free, ss_set_type_half_line, ss_set_type_negative_half_line,
    ss_set_type_interval, ss_set_type_disk, ss_set_type_ellipse, ss_set_type_ellipsoid,
    ss_set_type_polygon, ss_set_type_product, ss_set_type_cone, ss_set_type_disk_patch;

/* The parameters of the set 'cone', for those who make it without a name. */
typedef struct ss_friction_cone {
    double mu; /* >= 0 */
} ss_friction_cone;

/* A set that ss_set_destroy can release: the set and its parameters. */
typedef struct ss_owned_set {
    ss_set set; /* first: what the user holds */
    void *self;
    ss_arena arena; /* self, and the lists and texts in it */
} ss_owned_set;

/* The parameters of the sets 'interval', 'ellipse' and 'ellipsoid', for those who change them. */
typedef struct ss_interval_self {
    double lower, upper;
} ss_interval_self;

typedef struct ss_ellipsoid_self {
    ss_matrix given;
    double angle; /* of ellipses */
    double c, s;  /* its cosine and sine */
    int dim;      /* 2 or 3 */
    double e[3];  /* semi-axes */
    double d[3];  /* their squares divided by the smallest square */
} ss_ellipsoid_self;

/* A set whose numbers change: [axes[0], axes[1]] in dim 1, else an ellipse or an ellipsoid with these
 * semi-axes >= 0, of which those that are too small become SS_SECULAR_MIN_AXIS. Its kind stays. */
typedef struct ss_changing_set {
    ss_set set; /* valid until the numbers change */
    union {
        ss_interval_self interval;
        ss_ellipsoid_self ellipsoid;
    } self;
} ss_changing_set;
void ss_changing_set_put(ss_changing_set *changing, int dim, const double *axes);

/* Reserves memory for a set of a kind, its parameters zeroed. */
ss_status ss_set_allocate(ss_context *context, const ss_set_ops *ops, ss_owned_set **owned);

/* Whether a set has a projection in a metric; a product has one when all its factors have. */
bool ss_set_has_metric(const ss_set *set);

/* For ss_set_ops.contains: whether the projection is not farther from x than the tolerance. */
bool ss_set_near(const ss_set_ops *ops, const void *self, int dim, double scale, const double *x,
                 double tolerance);

/* Whether two points of the plane agree to the rounding of numbers of a size: a point that is
 * outside of a set by rounding only stays where it is. */
static inline bool ss_stays(double size, const double x[2], const double y[2])
{
    return fmax(fabs(x[0] - y[0]), fabs(x[1] - y[1])) <= 8 * DBL_EPSILON * size;
}

/* ---- The ball |y| <= s in a plane or in space (ball.c, secular.c) ---- */

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

/* A = Q diag(lambda) Qᵀ for symmetric A, dim 1 … 3, Q by rows with the eigenvectors in its
 * columns. Jacobi rotations, unlike tridiagonalization, find also the small eigenvalues of a
 * graded positive definite matrix to nearly full relative accuracy, and graded is what axes of
 * different lengths make it. */
void ss_jacobi(int dim, const double *A, double *lambda, double *Q);

#endif
