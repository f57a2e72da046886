/* minkowski.h: the difference C = B - A of two cores. Their signed distance is that of the origin from C:
 *     gap = max over unit n of g(n),   g(n) = min over w in C of nᵀw,
 * positive outside. Coordinates are those of space, with the origin of A's frame as origin.
 */
#ifndef SS_GEOMETRY_PAIRS_MINKOWSKI_H
#define SS_GEOMETRY_PAIRS_MINKOWSKI_H

#include "geometry/pairs/convex.h"

typedef struct ss_difference {
    const ss_convex *a, *b;
    double offset[3]; /* from A's origin to B's */
} ss_difference;

/* A point of C and the points it comes from. */
typedef struct ss_vertex {
    double w[3], a[3], b[3];
} ss_vertex;

/* The corner(s) of C that are nearest to the origin, with weights that make the nearest point of their hull. */
typedef struct ss_simplex {
    int count;
    ss_vertex v[4];
    double weight[4];
} ss_simplex;

/* The point of C with the least nᵀw: where g(n) is taken. */
static inline void ss_difference_support(const ss_difference *C, const double n[3], ss_vertex *v)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    ss_convex_support(C->a, n, v->a);
    ss_convex_support(C->b, back, v->b);
    ss_add3(v->b, C->offset, v->b);
    ss_minus3(v->b, v->a, v->w);
}

/* A simplex of one vertex: that where g(n) is taken. */
static inline void ss_simplex_begin(const ss_difference *C, const double n[3], ss_simplex *simplex)
{
    simplex->count = 1;
    simplex->weight[0] = 1;
    ss_difference_support(C, n, &simplex->v[0]);
}

/* The point that the weights make. */
static inline void ss_simplex_point(const ss_simplex *simplex, double v[3])
{
    ss_scale3(simplex->weight[0], simplex->v[0].w, v);
    for (int i = 1; i < simplex->count; i++)
        ss_along3(v, simplex->weight[i], simplex->v[i].w, v);
}

/* How far its points on A and B are from the origin. */
static inline double ss_simplex_extent(const ss_simplex *simplex)
{
    double extent = 0;
    for (int i = 0; i < simplex->count; i++)
        extent = fmax(extent, fmax(ss_length3(simplex->v[i].a), ss_length3(simplex->v[i].b)));
    return extent;
}

/* n turned by x towards t1 and by y towards t2. */
static inline void ss_tilt3(const double n[3], double x, const double t1[3], double y,
                            const double t2[3], double tilted[3])
{
    ss_along3(n, x, t1, tilted);
    ss_along3(tilted, y, t2, tilted);
    ss_unit3(tilted, tilted);
}

typedef enum ss_gjk_result {
    SS_GJK_FAR,      /* farther than the margin */
    SS_GJK_APART,    /* n and the simplex hold the closest points */
    SS_GJK_STALLED,  /* the same as far as rounding allows */
    SS_GJK_TOGETHER, /* the origin is in C, or on it to rounding */
} ss_gjk_result;

/* `tolerance`: of the distance, relative to it. */
ss_gjk_result ss_gjk(const ss_difference *C, double margin, double tolerance, ss_simplex *simplex,
                     double n[3]);

/* The point nearest to the origin of the hull of 2 to 4 points: drops the points that are not needed, sets the
 * weights, returns false when the origin is inside of a tetrahedron. */
bool ss_simplex_nearest(ss_simplex *simplex, double v[3]);

/* The face of C nearest to the origin inside, to `tolerance` (m) of the depth; n points from A to B as always
 * (into C's inside). */
void ss_epa(const ss_difference *C, double tolerance, ss_simplex *simplex, double n[3]);

/* Another direction out, without the promise that it is the shortest; false: the origin is not in C. */
bool ss_mpr(const ss_difference *C, ss_simplex *simplex, double n[3]);

/* Improves n to rounding where C is smooth, flat, or a ruled surface around the simplex. Returns true when the
 * points are known to rounding as well. */
bool ss_refine(const ss_difference *C, ss_simplex *simplex, double n[3], double *gap);

#endif
