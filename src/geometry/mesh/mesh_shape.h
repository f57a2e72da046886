/* mesh_shape.h: what all shapes have in common whose self begins with an ss_mesh. */
#ifndef SS_GEOMETRY_MESH_MESH_SHAPE_H
#define SS_GEOMETRY_MESH_MESH_SHAPE_H

#include "geometry/mesh/mesh.h"

void ss_mesh_shape_destroy(void *self, ss_context *context);
void ss_mesh_shape_bounds(const void *self, const ss_pose *pose, ss_bounds *box);
void ss_mesh_shape_solid(const void *self, ss_solid *solid);
ss_status ss_mesh_shape_triangles(const void *self, ss_context *context, ss_triangles *triangles);

#endif
