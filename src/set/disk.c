/* disk.c: the round ball of radius 1 in a plane or in space, the set of a spatial friction
 * force. */
#include "set/ball.h"
#include "set/builtin.h"

#include <math.h>

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = 2;
    *most = 3;
}

/* S table 2.1: y = a x / |x| when |x| > a. In the innermost loop of the solvers, so the squares
 * are formed without scaling where they neither overflow nor underflow. */
static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self;
    double square = scale * scale, factor = 1;
    double sum = x[0] * x[0] + x[1] * x[1];
    if (dim == 3)
        sum += x[2] * x[2];
    if (!(sum > SS_BALL_MIN_SQUARE && sum < SS_BALL_MAX_SQUARE) ||
        (square < SS_BALL_MIN_SQUARE && scale > 0)) {
        ss_ball_prox(dim, scale, x, y);
        return;
    }
    if (sum > square * (1 + SS_BALL_SLACK))
        factor = scale / sqrt(sum);
    y[0] = x[0] * factor;
    y[1] = x[1] * factor;
    if (dim == 3)
        y[2] = x[2] * factor;
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    (void)self;
    ss_ball_prox_metric(dim, scale, R, x, y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    (void)self;
    return ss_ball_norm(dim, x) <= scale * (1 + 0.5 * SS_BALL_SLACK) + tolerance;
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)self;
    double length = ss_ball_norm(dim, v);
    return length > 0 ? scale * length : 0;
}

static ss_set_kind kind_of(const void *self, int dim)
{
    (void)self;
    return dim == 2 ? SS_SET_DISK : SS_SET_BALL;
}

const ss_set_ops ss_set_type_disk = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "disk",
             .doc = "The round disk or ball of radius 1: dry friction, alike in all directions."},
    .kind = SS_SET_BALL,
    .dimensions = dimensions,
    .kind_of = kind_of,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set *ss_set_disk(int dim)
{
    static const ss_set plane = {&ss_set_type_disk, NULL, 2, SS_SET_DISK};
    static const ss_set space = {&ss_set_type_disk, NULL, 3, SS_SET_BALL};
    return dim == 2 ? &plane : dim == 3 ? &space : NULL;
}
