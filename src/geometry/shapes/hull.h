/* hull.h: building a convex hull. */
#ifndef SS_GEOMETRY_SHAPES_HULL_H
#define SS_GEOMETRY_SHAPES_HULL_H

#include "geometry/geometry.h"

/* Fills the lists of a hull (its keys given, all else zero; what is allocated is released by the shape's destroy, on failure too) from
 * points, 3 numbers each, times its scale. Fails when they are fewer than four or lie in a plane. */
ss_status ss_hull_build(ss_hull *hull, ss_context *context, const ss_shape_setup *setup,
                        int n_points, const double *points);

#endif
