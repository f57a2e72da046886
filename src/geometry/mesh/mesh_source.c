/* mesh_source.c: points and triangles as they come. */
#include "geometry/mesh/mesh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

void ss_mesh_source_release(ss_mesh_source *source)
{
    ss_release(source->context, source->points);
    ss_release(source->context, source->corners);
    ss_release(source->context, source->path);
    source->path = NULL;
    source->points = NULL;
    source->corners = NULL;
}

static ss_status grow(ss_context *context, size_t need, size_t size, size_t *capacity,
                      void **memory)
{
    if (need <= *capacity)
        return SS_OK;
    size_t more = need + need / 2 + 64;
    SS_TRY(ss_reallocate(context, more, size, memory));
    *capacity = more;
    return SS_OK;
}

ss_status ss_mesh_source_point(ss_mesh_source *source, const double point[3])
{
    for (int k = 0; k < 3; k++)
        if (!isfinite(point[k]))
            return ss_fail_at(source->context, SS_NON_FINITE, source->where,
                              "point %zu has a coordinate %g; give finite numbers",
                              source->n_points + 1, point[k]);
    if (source->n_points >= INT_MAX / 8)
        return ss_fail_at(source->context, SS_UNSUPPORTED, source->where, "too many points");
    SS_TRY(grow(source->context, 3 * (source->n_points + 1), sizeof *source->points,
                &source->point_capacity, (void **)&source->points));
    memcpy(source->points + 3 * source->n_points++, point, 3 * sizeof *point);
    return SS_OK;
}

ss_status ss_mesh_source_triangle(ss_mesh_source *source, int p, int q, int r)
{
    const int corners[3] = {p, q, r};
    if (source->n_corners >= INT_MAX / 8)
        return ss_fail_at(source->context, SS_UNSUPPORTED, source->where, "too many triangles");
    SS_TRY(grow(source->context, source->n_corners + 3, sizeof *source->corners,
                &source->corner_capacity, (void **)&source->corners));
    memcpy(source->corners + source->n_corners, corners, sizeof corners);
    source->n_corners += 3;
    return SS_OK;
}
