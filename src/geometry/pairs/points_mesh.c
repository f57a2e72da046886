/* points_mesh.c: a convex shape with flat faces as a mesh, so that its contacts with meshes are corners on faces and edges across
 * edges, too. */
#include "geometry/mesh/mesh_shape.h"
#include "geometry/pairs/points.h"

bool ss_points_need_mesh(const ss_shape *shape, const ss_shape *other)
{
    return ss_shape_mesh(other) &&
           (shape->ops->kind == SS_SHAPE_BOX || shape->ops->kind == SS_SHAPE_HULL);
}

static ss_status take(const ss_triangles *t, ss_mesh_source *source)
{
    for (int i = 0; i < t->n_points; i++)
        SS_TRY(ss_mesh_source_point(source, t->points + 3 * (size_t)i));
    for (int i = 0; i < t->n_triangles; i++) {
        const int *corner = t->corners + 3 * (size_t)i;
        SS_TRY(ss_mesh_source_triangle(source, corner[0], corner[1], corner[2]));
    }
    return SS_OK;
}

static ss_status build(ss_context *context, const ss_shape *shape, ss_mesh *mesh)
{
    ss_triangles t;
    ss_mesh_source source = {.context = context};
    SS_TRY(shape->ops->triangles(shape->self, context, &t));
    ss_status status = take(&t, &source);
    if (status == SS_OK)
        status = ss_mesh_build(&source, 1, 0, mesh);
    ss_mesh_source_release(&source);
    ss_release(context, t.points);
    ss_release(context, t.corners);
    return status;
}

ss_status ss_points_make_mesh(ss_context *context, const ss_shape *shape, ss_shape *mesh)
{
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof(ss_mesh), &memory));
    ss_status status = build(context, shape, memory);
    if (status != SS_OK) {
        ss_release(context, memory);
        return status;
    }
    *mesh = (ss_shape){.ops = &ss_shape_type_mesh, .self = memory};
    return SS_OK;
}

void ss_points_release_mesh(ss_context *context, ss_shape *mesh)
{
    if (!mesh->self)
        return;
    ss_mesh_release(mesh->self, context);
    ss_release(context, mesh->self);
    mesh->self = NULL;
}
