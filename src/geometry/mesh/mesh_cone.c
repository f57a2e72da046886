/* mesh_cone.c: which way corners and edges of a mesh can push. */
#include "geometry/mesh/mesh.h"
#include "geometry/vector.h"

/* Cosines within this are rounding. */
static const double SLACK = 1e-9;

bool ss_mesh_point_pushes(const ss_mesh *mesh, int point, const double d[3])
{
    return ss_mesh_point_nearly_pushes(mesh, point, d, SLACK);
}

bool ss_mesh_point_nearly_pushes(const ss_mesh *mesh, int point, const double d[3], double slope)
{
    const double *p = ss_mesh_point(mesh, point);
    for (int i = mesh->first[point]; i < mesh->first[point + 1]; i++) {
        double direction[3];
        ss_minus3(ss_mesh_point(mesh, mesh->around[i]), p, direction);
        if (ss_dot3(direction, d) > slope * ss_length3(direction))
            return false;
    }
    return ss_dot3(mesh->point_normals + 3 * (size_t)point, d) > 0; /* or it is the tip of a dent */
}

/* Into a triangle, across one of its edges. */
static void inward(const ss_mesh *mesh, const ss_mesh_edge *edge, int which, double direction[3])
{
    double along[3];
    ss_minus3(ss_mesh_point(mesh, edge->points[1]), ss_mesh_point(mesh, edge->points[0]), along);
    ss_cross3(ss_mesh_normal(mesh, edge->triangles[which]), along, direction);
    ss_unit3(direction, direction);
    if (which == 1)
        ss_scale3(-1, direction, direction);
}

bool ss_mesh_edge_pushes(const ss_mesh *mesh, int edge, const double d[3])
{
    return ss_mesh_edge_nearly_pushes(mesh, edge, d, SLACK);
}

bool ss_mesh_edge_nearly_pushes(const ss_mesh *mesh, int e, const double d[3], double slope)
{
    const ss_mesh_edge *edge = &mesh->edges[e];
    double direction[3];
    if (edge->bend != SS_BEND_CONVEX)
        return false;
    inward(mesh, edge, 0, direction);
    if (ss_dot3(direction, d) > slope)
        return false;
    if (edge->triangles[1] < 0)
        return ss_dot3(ss_mesh_normal(mesh, edge->triangles[0]), d) > -slope;
    inward(mesh, edge, 1, direction);
    return ss_dot3(direction, d) <= slope;
}
