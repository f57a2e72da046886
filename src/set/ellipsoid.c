/* ellipsoid.c: Σ (x_i / e_i)² <= 1 in space. Axes (c, c, d) make the set of Coulomb-Contensou
 * friction, of two tangential forces and a drilling torque (S table 2.1). */
#include "set/axes.h"
#include "set/builtin.h"
#include "set/secular.h"

#include <stddef.h>

typedef struct ellipsoid {
    ss_matrix given;
    ss_axes axes;
} ellipsoid;

static const ss_key keys[] = {
    {.name = "axes",
     .kind = SS_KEY_REALS,
     .offset = offsetof(ellipsoid, given),
     .min = SS_SECULAR_MIN_AXIS,
     .max = SS_SECULAR_MAX_AXIS,
     .unit = "",
     .doc = "Three semi-axes, multiplied by the scale."},
    {.name = NULL},
};

static ss_status init(void *self, ss_context *context)
{
    ellipsoid *c = self;
    return ss_axes_init(&c->axes, context, "ellipsoid", 3, &c->given);
}

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = *most = 3;
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)dim;
    const ellipsoid *c = self;
    ss_axes_prox(&c->axes, scale, x, y);
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    (void)dim;
    const ellipsoid *c = self;
    ss_axes_prox_metric(&c->axes, scale, R, x, y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    (void)dim;
    const ellipsoid *c = self;
    return ss_axes_contains(&c->axes, scale, x, tolerance);
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)dim;
    const ellipsoid *c = self;
    return ss_axes_support(&c->axes, scale, v);
}

static ss_set_kind kind_of(const void *self, int dim)
{
    (void)dim;
    const double *axes = ((const ellipsoid *)self)->given.values;
    bool round = axes[0] == 1 && axes[1] == 1 && axes[2] == 1;
    return round ? SS_SET_BALL : SS_SET_ELLIPSOID;
}

const ss_set_ops ss_set_type_ellipsoid = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "ellipsoid",
             .doc = "An ellipsoid given by its semi-axes: friction with a drilling torque.",
             .self_size = sizeof(ellipsoid),
             .keys = keys},
    .kind = SS_SET_ELLIPSOID,
    .init = init,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};
