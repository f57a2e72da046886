/* interval.c: [lower, upper], the set of a friction force in one direction (S table 2.1), of a
 * pre-stressed spring, of a stop. */
#include "set/builtin.h"

#include <math.h>
#include <stddef.h>

typedef struct interval {
    double lower, upper;
} interval;

static const ss_key keys[] = {
    {.name = "lower",
     .kind = SS_KEY_REAL,
     .offset = offsetof(interval, lower),
     .default_value = "-1",
     .min = -INFINITY,
     .max = INFINITY,
     .unit = "",
     .doc = "Lower end, multiplied by the scale; may be -inf."},
    {.name = "upper",
     .kind = SS_KEY_REAL,
     .offset = offsetof(interval, upper),
     .default_value = "1",
     .min = -INFINITY,
     .max = INFINITY,
     .unit = "",
     .doc = "Upper end, multiplied by the scale; may be inf."},
    {.name = NULL},
};

static ss_status init(void *self, ss_context *context)
{
    const interval *c = self;
    if (c->lower <= c->upper && c->lower < INFINITY && c->upper > -INFINITY)
        return SS_OK;
    return ss_fail(context, SS_INPUT,
                   "set 'interval': lower = %g and upper = %g hold no number between them; lower "
                   "must not exceed upper",
                   c->lower, c->upper);
}

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = *most = 1;
}

/* s · bound, where 0 · inf is the limit s → 0 or s → inf of a fixed bound: the bound itself. */
static inline double scaled(double scale, double bound)
{
    double product = scale * bound;
    return product == product ? product : bound;
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)dim;
    const interval *c = self;
    double lower = scaled(scale, c->lower), upper = scaled(scale, c->upper);
    double z = x[0];
    z = z < lower ? lower : z;
    y[0] = z > upper ? upper : z;
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    (void)R;
    prox(self, dim, scale, x, y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    (void)dim;
    const interval *c = self;
    return scaled(scale, c->lower) - x[0] <= tolerance &&
           x[0] - scaled(scale, c->upper) <= tolerance;
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)dim;
    const interval *c = self;
    if (v[0] == 0)
        return 0;
    return v[0] * scaled(scale, v[0] > 0 ? c->upper : c->lower);
}

/* [-1, 1] is the interval that solvers know. */
static ss_set_kind kind_of(const void *self, int dim)
{
    (void)dim;
    const interval *c = self;
    return c->lower == -1 && c->upper == 1 ? SS_SET_INTERVAL : SS_SET_UNEVEN_INTERVAL;
}

const ss_set_ops ss_set_type_interval = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "interval",
             .doc = "All numbers from lower to upper: dry friction in one direction.",
             .self_size = sizeof(interval),
             .keys = keys},
    .kind = SS_SET_UNEVEN_INTERVAL,
    .init = init,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set *ss_set_interval(void)
{
    static const interval unit = {-1, 1};
    static const ss_set set = {&ss_set_type_interval, &unit, 1, SS_SET_INTERVAL};
    return &set;
}
