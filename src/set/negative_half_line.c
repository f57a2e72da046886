/* negative_half_line.c: x <= 0, the mirror image of half_line. */
#include "set/builtin.h"

#include <math.h>

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = *most = 1;
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self, (void)dim, (void)scale;
    y[0] = x[0] > 0 ? 0 : x[0];
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    (void)R;
    prox(self, dim, scale, x, y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    (void)self, (void)dim, (void)scale;
    return x[0] <= tolerance;
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)self, (void)dim, (void)scale;
    return v[0] < 0 ? INFINITY : 0;
}

const ss_set_ops ss_set_type_negative_half_line = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "negative_half_line",
             .doc = "All x <= 0: a force that can only pull, as in a rope."},
    .kind = SS_SET_NEGATIVE_HALF_LINE,
    .dimensions = dimensions,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set *ss_set_negative_half_line(void)
{
    static const ss_set set = {&ss_set_type_negative_half_line, NULL, 1, SS_SET_NEGATIVE_HALF_LINE};
    return &set;
}
