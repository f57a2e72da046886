/* gjk.c: the point of C nearest to the origin, by simplices of its farthest points (Gilbert, Johnson and Keerthi
 * 1988). */
#include "geometry/pairs/minkowski.h"

enum { STEPS = 100 };

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
    double v[3], size;
    if (ss_unit3(C->offset, n) == 0)
        n[2] = 1;
    simplex->count = 1;
    simplex->weight[0] = 1;
    ss_difference_support(C, n, &simplex->v[0]);
    ss_copy3(simplex->v[0].w, v);
    size = ss_length3(v);
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
