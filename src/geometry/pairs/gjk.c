/* gjk.c: the point of C nearest to the origin, by simplices of its farthest points (Gilbert, Johnson and Keerthi 1988), and
 * where the origin is in C, a direction out by the portal of libccd's MPR. */
#include "geometry/pairs/minkowski.h"

#include <ccd/ccd.h>

enum { STEPS = 100 };

/* ---- The point of a segment, triangle or tetrahedron that is nearest to the origin ---- */

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

/* Keeps the side whose nearest point is nearer than `least`. */
static void take_nearer(const ss_simplex *side, double *least, ss_simplex *best)
{
    double v[3];
    ss_simplex_point(side, v);
    double square = ss_dot3(v, v);
    if (square < *least) {
        *least = square;
        *best = *side;
    }
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
    if (!flat && weight[0] > 0 && weight[1] > 0 && weight[2] > 0) {
        keep(s, 3, (int[]){0, 1, 2}, weight);
        return;
    }
    ss_simplex best = {0};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) { /* the best of the three sides */
        ss_simplex side = {2, {s->v[i], s->v[(i + 1) % 3]}, {0}};
        nearest_segment(&side);
        take_nearer(&side, &least, &best);
    }
    *s = best;
}

/* Is the origin beyond the side opposite of v[i]? */
static bool beyond(const ss_simplex *s, int i)
{
    const double *p = s->v[(i + 1) % 4].w, *q = s->v[(i + 2) % 4].w, *r = s->v[(i + 3) % 4].w;
    double n[3], d[3];
    ss_normal3(p, q, r, n);
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
        nearest_triangle(&side);
        take_nearer(&side, &least, &best);
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
    ss_simplex_point(s, v);
    return true;
}

/* ---- Outside of C ---- */

static bool among(const ss_simplex *s, const double w[3])
{
    for (int i = 0; i < s->count; i++)
        if (s->v[i].w[0] == w[0] && s->v[i].w[1] == w[1] && s->v[i].w[2] == w[2])
            return true;
    return false;
}

ss_gjk_result ss_gjk(const ss_difference *C, double margin, double tolerance, ss_simplex *simplex,
                     double n[3])
{
    double v[3];
    if (ss_unit3(C->offset, n) == 0)
        n[2] = 1;
    ss_simplex_begin(C, n, simplex);
    ss_copy3(simplex->v[0].w, v);
    double size = ss_length3(v);
    for (int step = 0; step < STEPS; step++) {
        double distance = ss_unit3(v, n);
        if (distance <= 1e-14 * size)
            return SS_GJK_TOGETHER;
        ss_simplex next = *simplex;
        ss_vertex *w = &next.v[next.count];
        ss_difference_support(C, n, w);
        double g = ss_dot3(n, w->w), old = distance;
        if (g > margin)
            return SS_GJK_FAR;
        if (distance - g <= tolerance * distance || among(simplex, w->w))
            return SS_GJK_APART;
        size = fmax(size, ss_length3(w->w));
        next.count++;
        bool outside = ss_simplex_nearest(&next, v);
        if (outside && ss_length3(v) >= old)
            return SS_GJK_STALLED;
        *simplex = next;
        if (!outside)
            return SS_GJK_TOGETHER;
    }
    return SS_GJK_STALLED;
}

/* ---- Inside: not always the shortest displacement, but it never fails to find one ---- */

static void farthest(const ss_convex *of, const double offset[3], const double d[3], double p[3])
{
    ss_convex_support(of, d, p);
    ss_add3(p, offset, p);
}

static const double nowhere[3] = {0, 0, 0};

static void support_a(const void *difference, const ccd_vec3_t *d, ccd_vec3_t *p)
{
    const ss_difference *C = difference;
    farthest(C->a, nowhere, d->v, p->v);
}

static void support_b(const void *difference, const ccd_vec3_t *d, ccd_vec3_t *p)
{
    const ss_difference *C = difference;
    farthest(C->b, C->offset, d->v, p->v);
}

/* A point inside: the mean of the farthest points along the axes. */
static void middle(const ss_convex *of, const double offset[3], double c[3])
{
    c[0] = c[1] = c[2] = 0;
    for (int i = 0; i < 6; i++) {
        double d[3] = {0}, p[3];
        d[i / 2] = i % 2 ? 1 : -1;
        farthest(of, offset, d, p);
        ss_along3(c, 1.0 / 6, p, c);
    }
}

static void middle_a(const void *difference, ccd_vec3_t *c)
{
    const ss_difference *C = difference;
    middle(C->a, nowhere, c->v);
}

static void middle_b(const void *difference, ccd_vec3_t *c)
{
    const ss_difference *C = difference;
    middle(C->b, C->offset, c->v);
}

bool ss_mpr(const ss_difference *C, ss_simplex *simplex, double n[3])
{
    ccd_t ccd;
    ccd_real_t depth;
    ccd_vec3_t direction, position;
    CCD_INIT(&ccd);
    ccd.support1 = support_a;
    ccd.support2 = support_b;
    ccd.center1 = middle_a;
    ccd.center2 = middle_b;
    ccd.max_iterations = 100;
    ccd.mpr_tolerance = 1e-6;
    if (ccdMPRPenetration(C, C, &ccd, &depth, &direction, &position) != 0)
        return false;
    if (!(ss_unit3(direction.v, n) > 0))
        return false;
    ss_simplex_begin(C, n, simplex);
    return true;
}
