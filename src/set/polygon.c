/* polygon.c: a convex polygon in the plane, e.g. a friction cone linearized for a
 * complementarity solver. */
#include "set/polygon.h"

#include "set/ball.h"
#include "set/builtin.h"
#include "set/stay.h"

#include <stddef.h>
#include <string.h>

typedef struct polygon {
    ss_matrix vertices;
    int count;
    ss_polygon_side *sides;
    double size;      /* largest coordinate */
    double max_scale; /* stands for infinity: beyond it products could overflow */
} polygon;

static const ss_key keys[] = {
    {.name = "vertices",
     .kind = SS_KEY_MATRIX,
     .offset = offsetof(polygon, vertices),
     .min = -1e30,
     .max = 1e30,
     .unit = "",
     .doc = "Rows of two coordinates, counter-clockwise, multiplied by the scale."},
    {.name = NULL},
};

static ss_status init(void *self, ss_context *context)
{
    polygon *p = self;
    SS_TRY(ss_polygon_sides(context, &p->vertices, &p->count, &p->sides));
    for (int i = 0; i < p->count; i++)
        p->size = fmax(p->size, fmax(fabs(p->sides[i].from[0]), fabs(p->sides[i].from[1])));
    p->max_scale = fmin(1e150 / p->size, 1e300);
    return SS_OK;
}

static void destroy(void *self, ss_context *context)
{
    polygon *p = self;
    ss_release(context, p->sides);
}

static void dimensions(const void *self, int *least, int *most)
{
    (void)self;
    *least = *most = 2;
}

static bool inside(const polygon *p, double scale, const double *x)
{
    for (const ss_polygon_side *side = p->sides; side < p->sides + p->count; side++) {
        double a = x[0] - scale * side->from[0], b = x[1] - scale * side->from[1];
        if (!(side->tangent[0] * b - side->tangent[1] * a >= 0))
            return false;
    }
    return true;
}

/* aᵀ R b; R = NULL: the unit matrix */
static double product(const double *R, const double a[2], const double b[2])
{
    if (!R)
        return a[0] * b[0] + a[1] * b[1];
    return a[0] * (R[0] * b[0] + R[1] * b[1]) + a[1] * (R[2] * b[0] + R[3] * b[1]);
}

/* A point of the boundary and the size of the numbers it was computed from. */
typedef struct candidate {
    double y[2];
    double size;
} candidate;

/* The point of a side nearest to x, measured from the end it is nearer to. */
static candidate nearest_of_side(const ss_polygon_side *side, double scale, const double *R,
                                 const double *x)
{
    const double *t = side->tangent;
    double from[2] = {scale * side->from[0], scale * side->from[1]};
    double to[2] = {scale * side->to[0], scale * side->to[1]};
    double ahead = product(R, t, (double[2]){x[0] - from[0], x[1] - from[1]}) / product(R, t, t);
    double behind = product(R, t, (double[2]){to[0] - x[0], to[1] - x[1]}) / product(R, t, t);
    const double *end = ahead < behind ? from : to;
    double way = ahead < behind ? ahead : -behind;
    if (ahead <= 0 || behind <= 0)
        way = 0;
    return (candidate){{end[0] + way * t[0], end[1] + way * t[1]},
                       fmax(fabs(end[0]), fabs(end[1]))};
}

/* |x-a|² - |x-b|² without the cancellation of two large squares when x is far away. */
static double excess(const double *R, const double *x, const double a[2], const double b[2])
{
    double across[2] = {b[0] - a[0], b[1] - a[1]};
    double towards[2] = {x[0] - a[0] + (x[0] - b[0]), x[1] - a[1] + (x[1] - b[1])};
    return product(R, across, towards);
}

static candidate nearest(const polygon *p, double scale, const double *R, const double *x)
{
    candidate best = nearest_of_side(&p->sides[0], scale, R, x);
    for (int i = 1; i < p->count; i++) {
        candidate other = nearest_of_side(&p->sides[i], scale, R, x);
        if (excess(R, x, other.y, best.y) < 0)
            best = other;
    }
    return best;
}

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)dim;
    const polygon *p = self;
    double s = fmin(scale, p->max_scale);
    candidate best = {{x[0], x[1]}, 0};
    if (!inside(p, s, x))
        best = nearest(p, s, NULL, x);
    bool stays = ss_stays(fmax(best.size, fmax(fabs(x[0]), fabs(x[1]))), x, best.y);
    memmove(y, stays ? x : best.y, sizeof best.y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    double y[2];
    prox(self, dim, scale, x, y);
    y[0] -= x[0];
    y[1] -= x[1];
    return ss_ball_norm(2, y) <= tolerance;
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    const polygon *p = self;
    candidate best = {{x[0], x[1]}, 0};
    if (!contains(self, dim, scale, x, 0))
        best = nearest(p, fmin(scale, p->max_scale), R, x);
    memcpy(y, best.y, sizeof best.y);
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)dim;
    const polygon *p = self;
    double largest = -INFINITY;
    for (int i = 0; i < p->count; i++)
        largest = fmax(largest, product(NULL, p->sides[i].from, v));
    return largest != 0 ? scale * largest : 0;
}

const ss_set_ops ss_set_type_polygon = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "polygon",
             .doc = "A convex polygon given by its vertices.",
             .self_size = sizeof(polygon),
             .keys = keys},
    .kind = SS_SET_POLYGON,
    .init = init,
    .destroy = destroy,
    .dimensions = dimensions,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};
