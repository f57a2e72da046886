/* interval.c: [lower, upper], the set of a friction force in one direction (S table 2.1), of a
 * pre-stressed spring, of a stop; and the half-lines x >= 0 of a unilateral contact and x <= 0 of a
 * rope, cones on which the scale has no effect. */
#include "set/set.h"

#include <stddef.h>

typedef ss_interval_self interval;

static const ss_key keys[] = {
    {"lower", SS_KEY_REAL, offsetof(interval, lower), "-1", -INFINITY, INFINITY, NULL, "",
     "Lower end, multiplied by the scale; may be -inf."},
    {"upper", SS_KEY_REAL, offsetof(interval, upper), "1", -INFINITY, INFINITY, NULL, "",
     "Upper end, multiplied by the scale; may be inf."},
    {.name = NULL},
};

static const interval unit = {-1, 1}, positive = {0, INFINITY}, negative = {-INFINITY, 0};

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

static ss_status init_positive(void *self, ss_context *context)
{
    (void)context;
    *(interval *)self = positive;
    return SS_OK;
}

static ss_status init_negative(void *self, ss_context *context)
{
    (void)context;
    *(interval *)self = negative;
    return SS_OK;
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

/* What solvers ask for most often, without bounds to look at. */
static void prox_positive(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self, (void)dim, (void)scale;
    y[0] = x[0] < 0 ? 0 : x[0];
}

/* On a line every metric is the same. */
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
    double bound = scaled(scale, v[0] > 0 ? c->upper : c->lower);
    return v[0] == 0 || bound == 0 ? 0 : v[0] * bound;
}

/* [-1, 1] is the interval that solvers know. */
static ss_set_kind kind_of(const void *self, int dim)
{
    (void)dim;
    const interval *c = self;
    return c->lower == -1 && c->upper == 1 ? SS_SET_INTERVAL : SS_SET_UNEVEN_INTERVAL;
}

const ss_set_ops ss_set_type_interval = {
    .type = {SS_ABI, sizeof(ss_set_ops), "interval",
             "All numbers from lower to upper: dry friction in one direction.", sizeof(interval),
             keys},
    .kind = SS_SET_UNEVEN_INTERVAL,
    .init = init,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set_ops ss_set_type_half_line = {
    .type = {SS_ABI, sizeof(ss_set_ops), "half_line",
             "All x >= 0: the normal force of a unilateral contact.", sizeof(interval)},
    .kind = SS_SET_HALF_LINE,
    .init = init_positive,
    .dimensions = dimensions,
    .prox = prox_positive,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set_ops ss_set_type_negative_half_line = {
    .type = {SS_ABI, sizeof(ss_set_ops), "negative_half_line",
             "All x <= 0: a force that can only pull, as in a rope.", sizeof(interval)},
    .kind = SS_SET_NEGATIVE_HALF_LINE,
    .init = init_negative,
    .dimensions = dimensions,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set *ss_set_interval(void)
{
    static const ss_set set = {&ss_set_type_interval, &unit, 1, SS_SET_INTERVAL};
    return &set;
}

const ss_set *ss_set_half_line(void)
{
    static const ss_set set = {&ss_set_type_half_line, &positive, 1, SS_SET_HALF_LINE};
    return &set;
}

const ss_set *ss_set_negative_half_line(void)
{
    static const ss_set set = {&ss_set_type_negative_half_line, &negative, 1,
                               SS_SET_NEGATIVE_HALF_LINE};
    return &set;
}
