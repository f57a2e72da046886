/* polygon.c: a convex polygon in the plane, e.g. a friction cone linearized for a
 * complementarity solver. */
#include "la/elementary.h"
#include "set/set.h"

#include <stddef.h>
#include <string.h>

/* A side from one corner to the next, counter-clockwise. */
typedef struct polygon_side {
    double from[2], to[2];
    double tangent[2]; /* of length 1 */
    double length;
} polygon_side;

typedef struct polygon {
    ss_matrix vertices;
    int count;
    polygon_side *sides;
    double size;      /* largest coordinate */
    double max_scale; /* stands for infinity: beyond it products could overflow */
} polygon;

static const ss_key keys[] = {
    {"vertices", SS_KEY_MATRIX, offsetof(polygon, vertices), NULL, -1e30, 1e30, NULL, "",
     "Rows of two coordinates, counter-clockwise, multiplied by the scale."},
    {.name = NULL},
};

/* ---- From a list of vertices to the sides ---- */

/* Turns below this angle (rad) count as straight: what rounding leaves of collinear vertices. */
static const double STRAIGHT = 1e-12;
static const double PI = 3.14159265358979324;

static polygon_side side_between(const double *from, const double *to)
{
    double x = to[0] - from[0], y = to[1] - from[1];
    double length = ss_hypot(x, y);
    polygon_side side = {{from[0], from[1]}, {to[0], to[1]}, {x / length, y / length}, length};
    return side;
}

static const double *vertex(const ss_matrix *vertices, int i)
{
    return vertices->values + 2 * (i % vertices->rows);
}

/* The turn at vertex i, rad, positive to the left. */
static double turn_at(const ss_matrix *vertices, int i)
{
    int n = vertices->rows;
    polygon_side in = side_between(vertex(vertices, i + n - 1), vertex(vertices, i));
    polygon_side out = side_between(vertex(vertices, i), vertex(vertices, i + 1));
    const double *a = in.tangent, *b = out.tangent;
    return ss_atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
}

static ss_status check_vertex(ss_context *context, const ss_matrix *vertices, int i)
{
    int n = vertices->rows;
    const double *v = vertex(vertices, i), *w = vertex(vertices, i + 1);
    if (v[0] == w[0] && v[1] == w[1])
        return ss_fail(
            context, SS_INPUT,
            "set 'polygon': vertices %d and %d are the same point; list every vertex once", i + 1,
            (i + 1) % n + 1);
    if (fabs(turn_at(vertices, i)) > PI - STRAIGHT)
        return ss_fail(
            context, SS_INPUT,
            "set 'polygon': the boundary runs back on itself at vertex %d (%g, %g); it must "
            "enclose an area",
            i + 1, v[0], v[1]);
    return SS_OK;
}

/* The turns of a closed curve add up to 2π times the number of times it goes around. */
static ss_status check_turns(ss_context *context, const ss_matrix *vertices, int *corners)
{
    double total = 0;
    int right = -1;
    *corners = 0;
    for (int i = vertices->rows - 1; i >= 0; i--) {
        double turn = turn_at(vertices, i);
        if (turn < -STRAIGHT)
            right = i;
        *corners += turn > STRAIGHT;
        total += turn;
    }
    if (total < -PI)
        return ss_fail(context, SS_INPUT,
                       "set 'polygon': the vertices go clockwise; list them counter-clockwise");
    if (right >= 0)
        return ss_fail(
            context, SS_INPUT,
            "set 'polygon': not convex: the boundary turns right at vertex %d (%g, %g); it "
            "must turn left at every vertex",
            right + 1, vertex(vertices, right)[0], vertex(vertices, right)[1]);
    if (total > 3 * PI)
        return ss_fail(
            context, SS_INPUT,
            "set 'polygon': the vertices go around more than once; they must go around once");
    return SS_OK;
}

/* The sides between the corners. */
static void fill(const ss_matrix *vertices, int count, polygon_side *sides)
{
    int first = -1, last = -1, k = 0;
    for (int i = 0; i < vertices->rows; i++) {
        if (turn_at(vertices, i) <= STRAIGHT)
            continue;
        if (last >= 0)
            sides[k++] = side_between(vertex(vertices, last), vertex(vertices, i));
        else
            first = i;
        last = i;
    }
    sides[count - 1] = side_between(vertex(vertices, last), vertex(vertices, first));
}

/* The sides of the polygon with the given n × 2 vertices; corners without a turn are left out.
 * Fails unless the polygon is convex, counter-clockwise and has an area. */
static ss_status make_sides(ss_context *context, const ss_matrix *vertices, int *count,
                            polygon_side **sides)
{
    if (vertices->rows < 3 || vertices->columns != 2)
        return ss_fail(
            context, SS_INPUT,
            "set 'polygon': vertices must be at least three points of two numbers each, not "
            "%d × %d numbers",
            vertices->rows, vertices->columns);
    for (int i = 0; i < vertices->rows; i++)
        SS_TRY(check_vertex(context, vertices, i));
    SS_TRY(check_turns(context, vertices, count));
    SS_TRY(SS_NEW(context, *count, sides));
    fill(vertices, *count, *sides);
    return SS_OK;
}

static ss_status init(void *self, ss_context *context)
{
    polygon *p = self;
    SS_TRY(make_sides(context, &p->vertices, &p->count, &p->sides));
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
    for (const polygon_side *side = p->sides; side < p->sides + p->count; side++) {
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
static candidate nearest_of_side(const polygon_side *side, double scale, const double *R,
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
    return ss_set_near(&ss_set_type_polygon, self, dim, scale, x, tolerance);
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
    .type = {SS_ABI, sizeof(ss_set_ops), "polygon", "A convex polygon given by its vertices.",
             sizeof(polygon), keys},
    .kind = SS_SET_POLYGON,
    .init = init,
    .destroy = destroy,
    .dimensions = dimensions,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};
