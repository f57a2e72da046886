/* polygon_sides.c: from a list of vertices to the sides of a convex polygon. */
#include "set/polygon.h"

#include <math.h>

/* Turns below this angle (rad) count as straight: what rounding leaves of collinear vertices. */
static const double STRAIGHT = 1e-12;
static const double PI = 3.14159265358979324;

static ss_polygon_side side_between(const double *from, const double *to)
{
    double x = to[0] - from[0], y = to[1] - from[1];
    double length = hypot(x, y);
    ss_polygon_side side = {{from[0], from[1]}, {to[0], to[1]}, {x / length, y / length}, length};
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
    ss_polygon_side in = side_between(vertex(vertices, i + n - 1), vertex(vertices, i));
    ss_polygon_side out = side_between(vertex(vertices, i), vertex(vertices, i + 1));
    const double *a = in.tangent, *b = out.tangent;
    return atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
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
static void fill(const ss_matrix *vertices, int count, ss_polygon_side *sides)
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

ss_status ss_polygon_sides(ss_context *context, const ss_matrix *vertices, int *count,
                           ss_polygon_side **sides)
{
    *sides = NULL;
    if (vertices->rows < 3 || vertices->columns != 2)
        return ss_fail(
            context, SS_INPUT,
            "set 'polygon': vertices must be at least three points of two numbers each, not "
            "%d × %d numbers",
            vertices->rows, vertices->columns);
    for (int i = 0; i < vertices->rows; i++)
        SS_TRY(check_vertex(context, vertices, i));
    SS_TRY(check_turns(context, vertices, count));
    void *memory;
    SS_TRY(ss_allocate(context, (size_t)*count, sizeof **sides, &memory));
    *sides = memory;
    fill(vertices, *count, *sides);
    return SS_OK;
}
