/* minkowski.h: the difference C = B - A of two cores. Their signed distance is that of the origin from C:
 *     gap = max over unit n of g(n),   g(n) = min over w in C of nᵀw,
 * positive outside. Coordinates are those of space, with the origin of A's frame as origin.
 */
#ifndef SS_GEOMETRY_PAIRS_MINKOWSKI_H
#define SS_GEOMETRY_PAIRS_MINKOWSKI_H

#include "geometry/geometry.h"
#include "geometry/shapes/convex.h"
#include "geometry/vector.h"

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
    double d[3], p[3], back[3] = {-n[0], -n[1], -n[2]};
    ss_pose_rotate_back(C->a->pose, n, d);
    C->a->support(C->a->self, d, p);
    ss_pose_rotate(C->a->pose, p, v->a);
    ss_pose_rotate_back(C->b->pose, back, d);
    C->b->support(C->b->self, d, p);
    ss_pose_rotate(C->b->pose, p, v->b);
    ss_add3(v->b, C->offset, v->b);
    ss_minus3(v->b, v->a, v->w);
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

/* Another way out, without the promise that it is the shortest; false: the origin is not in C. */
bool ss_mpr(const ss_difference *C, ss_simplex *simplex, double n[3]);

/* Improves n to rounding where C is smooth, flat, or a ruled surface around the simplex. Returns true when the
 * points are known to rounding as well. */
bool ss_refine(const ss_difference *C, ss_simplex *simplex, double n[3], double *gap);

#endif
