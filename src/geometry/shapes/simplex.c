/* simplex.c: the point of a segment, triangle or tetrahedron that is nearest to the origin. */
#include "geometry/pairs/minkowski.h"

#include <float.h>

static void keep(ss_simplex *s, int count, const int *which, const double *weight)
{
    ss_simplex old = *s;
    s->count = count;
    for (int i = 0; i < count; i++) {
        s->v[i] = old.v[which[i]];
        s->weight[i] = weight[i];
    }
}

static void nearest_segment(ss_simplex *s)
{
    double e[3];
    ss_minus3(s->v[1].w, s->v[0].w, e);
    double square = ss_dot3(e, e), t = -ss_dot3(s->v[0].w, e);
    if (t <= 0 || square == 0)
        keep(s, 1, (int[]){0}, (double[]){1});
    else if (t >= square)
        keep(s, 1, (int[]){1}, (double[]){1});
    else
        keep(s, 2, (int[]){0, 1}, (double[]){1 - t / square, t / square});
}

static void point_of(const ss_simplex *s, double v[3])
{
    ss_scale3(s->weight[0], s->v[0].w, v);
    for (int i = 1; i < s->count; i++)
        ss_along3(v, s->weight[i], s->v[i].w, v);
}

/* The best of the three sides. */
static void nearest_side(ss_simplex *s)
{
    ss_simplex best = {0};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        ss_simplex side = {2, {s->v[i], s->v[(i + 1) % 3]}, {0}};
        double v[3];
        nearest_segment(&side);
        point_of(&side, v);
        double square = ss_dot3(v, v);
        if (square < least) {
            least = square;
            best = side;
        }
    }
    *s = best;
}

static void nearest_triangle(ss_simplex *s)
{
    double e[3][3], n[3], weight[3];
    for (int i = 0; i < 3; i++)
        ss_minus3(s->v[(i + 2) % 3].w, s->v[(i + 1) % 3].w, e[i]);
    ss_cross3(e[0], e[1], n);
    double square = ss_dot3(n, n), longest = 0;
    for (int i = 0; i < 3; i++) { /* area of the origin with side i, over all */
        double m[3];
        ss_cross3(s->v[(i + 1) % 3].w, e[i], m);
        weight[i] = ss_dot3(m, n) / square;
        longest = fmax(longest, ss_dot3(e[i], e[i]));
    }
    bool flat = !(square > 1e-28 * longest * longest);
    if (flat || weight[0] <= 0 || weight[1] <= 0 || weight[2] <= 0)
        nearest_side(s);
    else
        keep(s, 3, (int[]){0, 1, 2}, weight);
}

/* Is the origin beyond the side opposite of v[i]? */
static bool beyond(const ss_simplex *s, int i)
{
    const double *p = s->v[(i + 1) % 4].w, *q = s->v[(i + 2) % 4].w, *r = s->v[(i + 3) % 4].w;
    double e[3], f[3], n[3], d[3];
    ss_minus3(q, p, e);
    ss_minus3(r, p, f);
    ss_cross3(e, f, n);
    ss_minus3(s->v[i].w, p, d);
    double inside = ss_dot3(n, d), here = -ss_dot3(n, p);
    double size = ss_length3(n) * ss_length3(d);
    if (fabs(inside) <= 1e-14 * size) /* no volume to be in */
        return true;
    return inside > 0 ? here < 0 : here > 0;
}

static bool nearest_tetrahedron(ss_simplex *s)
{
    ss_simplex best = {0};
    double least = INFINITY;
    for (int i = 0; i < 4; i++) {
        if (!beyond(s, i))
            continue;
        ss_simplex side = {3, {s->v[(i + 1) % 4], s->v[(i + 2) % 4], s->v[(i + 3) % 4]}, {0}};
        double v[3];
        nearest_triangle(&side);
        point_of(&side, v);
        double square = ss_dot3(v, v);
        if (square < least) {
            least = square;
            best = side;
        }
    }
    if (least == INFINITY)
        return false;
    *s = best;
    return true;
}

bool ss_simplex_nearest(ss_simplex *s, double v[3])
{
    if (s->count == 4 && !nearest_tetrahedron(s)) {
        v[0] = v[1] = v[2] = 0;
        return false;
    }
    if (s->count == 3)
        nearest_triangle(s);
    else if (s->count == 2)
        nearest_segment(s);
    else
        s->weight[0] = 1;
    point_of(s, v);
    return true;
}
