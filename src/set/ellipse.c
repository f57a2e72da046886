/* ellipse.c: (x_1 / c)² + (x_2 / d)² <= 1, turned by an angle: friction that depends on the
 * direction (S table 2.1). */
#include "set/axes.h"
#include "set/ball.h"
#include "set/builtin.h"
#include "set/secular.h"
#include "set/stay.h"

#include <stddef.h>
#include <string.h>

typedef struct ellipse {
    ss_matrix given;
    double angle;
    double c, s; /* cosine and sine of the angle */
    ss_axes axes;
} ellipse;

static const ss_key keys[] = {
    {.name = "axes",
     .kind = SS_KEY_REALS,
     .offset = offsetof(ellipse, given),
     .min = SS_SECULAR_MIN_AXIS,
     .max = SS_SECULAR_MAX_AXIS,
     .unit = "",
     .doc = "Two semi-axes, multiplied by the scale."},
    {.name = "angle",
     .kind = SS_KEY_REAL,
     .offset = offsetof(ellipse, angle),
     .default_value = "0",
     .unit = "rad",
     .doc = "From the first direction to the first semi-axis, counter-clockwise."},
    {.name = NULL},
};

static ss_status init(void *self, ss_context *context)
{
    ellipse *e = self;
    e->c = cos(e->angle);
    e->s = sin(e->angle);
    return ss_axes_init(&e->axes, context, "ellipse", 2, &e->given);
}

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = *most = 2;
}

/* Into the frame of the axes. */
static void turn(const ellipse *e, const double *x, double *xi)
{
    xi[0] = e->c * x[0] + e->s * x[1];
    xi[1] = e->c * x[1] - e->s * x[0];
}

/* Back from the frame of the axes. */
static void turn_back(const ellipse *e, const double *eta, double *y)
{
    y[0] = e->c * eta[0] - e->s * eta[1];
    y[1] = e->s * eta[0] + e->c * eta[1];
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)dim;
    const ellipse *e = self;
    double xi[2], eta[2], z[2];
    turn(e, x, xi);
    ss_axes_prox(&e->axes, scale, xi, eta);
    turn_back(e, eta, z);
    double rounded = e->s != 0 ? fmax(fabs(x[0]), fabs(x[1])) : 0;
    bool stays = ss_stays(rounded, x, z);
    memmove(y, stays ? x : z, sizeof z);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    double y[2];
    prox(self, dim, scale, x, y);
    y[0] -= x[0];
    y[1] -= x[1];
    return ss_ball_norm(2, y) <= tolerance;
}

/* Qᵀ R Q with Q = [c -s; s c] */
static void turn_metric(const ellipse *e, const double *R, double *T)
{
    double c = e->c, s = e->s, off = 0.5 * (R[1] + R[2]);
    T[0] = c * c * R[0] + 2 * c * s * off + s * s * R[3];
    T[1] = T[2] = c * s * (R[3] - R[0]) + (c * c - s * s) * off;
    T[3] = s * s * R[0] - 2 * c * s * off + c * c * R[3];
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    const ellipse *e = self;
    double xi[2], eta[2], T[4];
    if (contains(self, dim, scale, x, 0)) {
        memmove(y, x, sizeof eta);
        return;
    }
    turn(e, x, xi);
    turn_metric(e, R, T);
    ss_axes_prox_metric(&e->axes, scale, T, xi, eta);
    turn_back(e, eta, y);
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)dim;
    const ellipse *e = self;
    double nu[2];
    turn(e, v, nu);
    return ss_axes_support(&e->axes, scale, nu);
}

static ss_set_kind kind_of(const void *self, int dim)
{
    (void)dim;
    const double *axes = ((const ellipse *)self)->given.values;
    return axes[0] == 1 && axes[1] == 1 ? SS_SET_DISK : SS_SET_ELLIPSE;
}

const ss_set_ops ss_set_type_ellipse = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "ellipse",
             .doc = "An ellipse given by its semi-axes: friction that depends on the direction.",
             .self_size = sizeof(ellipse),
             .keys = keys},
    .kind = SS_SET_ELLIPSE,
    .init = init,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};
