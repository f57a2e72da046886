/* polygon.h: the sides of a convex polygon. */
#ifndef SS_SET_POLYGON_H
#define SS_SET_POLYGON_H

#include <stickslip/options.h>

/* A side from one corner to the next, counter-clockwise. */
typedef struct ss_polygon_side {
    double from[2], to[2];
    double tangent[2]; /* of length 1 */
    double length;
} ss_polygon_side;

/* The sides of the polygon with the given n × 2 vertices; corners without a turn are left out.
 * Fails unless the polygon is convex, counter-clockwise and has an area. *sides is allocated
 * (NULL when it fails). */
ss_status ss_polygon_sides(ss_context *context, const ss_matrix *vertices, int *count,
                           ss_polygon_side **sides);

#endif
