/* hull.c: the convex hull of points. */
#include "geometry/shapes/hull.h"
#include "geometry/mesh/mesh.h"
#include "geometry/shapes/convex.h"
#include "geometry/vector.h"

#include <float.h>
#include <string.h>

static const ss_key keys[] = {
    {"points", SS_KEY_MATRIX, offsetof(ss_hull, points), "", 0, 0, NULL, "m",
     "Points by rows, [x, y, z] each; those inside do not matter."},
    {"file", SS_KEY_TEXT, offsetof(ss_hull, file), "", 0, 0, NULL, "",
     "Instead of points: OBJ or STL file whose points are taken, told apart by the end of its "
     "name; relative to the scene's folder."},
    {"scale", SS_KEY_REAL, offsetof(ss_hull, scale), "1", DBL_MIN, INFINITY, NULL, "",
     "Factor of all coordinates, e.g. 1e-3 for a file in millimetres."},
    {NULL},
};

/* The corners of the triangles of a mesh. */
static ss_status build_from_file(ss_hull *hull, ss_context *context, const ss_shape_setup *setup)
{
    ss_mesh_source source = {.context = context, .where = setup->where};
    ss_status status = ss_mesh_read_file(&source, &hull->file, setup->directory);
    if (status == SS_OK)
        status = ss_hull_build(hull, context, setup, (int)source.n_points, source.points);
    ss_mesh_source_release(&source);
    return status;
}

static ss_status init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    ss_hull *hull = self;
    if (!hull->file.text == !hull->points.rows)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: either 'points' or a 'file' is wanted", setup->owner);
    if (hull->file.text)
        return build_from_file(hull, context, setup);
    if (hull->points.columns != 3)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'points' has rows of %d; rows of three are wanted, [x, y, z]",
                          setup->owner, hull->points.columns);
    return ss_hull_build(hull, context, setup, hull->points.rows, hull->points.values);
}

static void destroy(void *self, ss_context *context)
{
    ss_hull *hull = self;
    ss_release(context, hull->vertices);
    ss_release(context, hull->normals);
    ss_release(context, hull->begin);
    ss_release(context, hull->corners);
    ss_release(context, hull->first);
    ss_release(context, hull->around);
}

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_hull *hull = self;
    for (int i = 0; i < 3; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < hull->n_points; k++) {
            double x = ss_dot3(pose->A + 3 * i, hull->vertices + 3 * k);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        box->low[i] = pose->x[i] + low;
        box->high[i] = pose->x[i] + high;
    }
}

static int farthest(const ss_hull *hull, const double d[3], double *height)
{
    int best = 0;
    double most = ss_dot3(d, hull->vertices);
    for (int k = 1; k < hull->n_points; k++) {
        double h = ss_dot3(d, hull->vertices + 3 * k);
        if (h > most) {
            most = h;
            best = k;
        }
    }
    *height = most;
    return best;
}

static void support(const void *self, const double d[3], double p[3])
{
    const ss_hull *hull = self;
    double height;
    ss_copy3(hull->vertices + 3 * farthest(hull, d, &height), p);
}

/* Of the faces at the farthest point, the one that has most corners as far as that, then the most aligned. */
static int best_face(const ss_hull *hull, const double d[3])
{
    double height, most = -INFINITY, length = ss_length3(d);
    int p = farthest(hull, d, &height), best = 0, best_level = 0;
    for (int i = hull->first[p]; i < hull->first[p + 1]; i++) {
        int f = hull->around[i], level = 0;
        for (int k = hull->begin[f]; k < hull->begin[f + 1]; k++) {
            double h = ss_dot3(d, hull->vertices + 3 * hull->corners[k]);
            level += h >= height - 1e-9 * hull->size * length;
        }
        double aligned = ss_dot3(d, hull->normals + 3 * f);
        if (level > best_level || (level == best_level && aligned > most)) {
            best = f;
            best_level = level;
            most = aligned;
        }
    }
    return best;
}

static void face_along(const void *self, const double d[3], ss_face *face)
{
    const ss_hull *hull = self;
    int f = best_face(hull, d), from = hull->begin[f], count = hull->begin[f + 1] - from;
    face->count = count < SS_FACE_MAX ? count : SS_FACE_MAX;
    for (int i = 0; i < face->count; i++) {
        int corner = hull->corners[from + i * count / face->count];
        ss_copy3(hull->vertices + 3 * corner, face->points[i]);
        face->ids[i] = (uint32_t)corner & 0xfff;
    }
    ss_copy3(hull->normals + 3 * f, face->normal);
}

/* Fans: a face of n corners gives n - 2 triangles. */
static void fan(const ss_hull *hull, int *corners)
{
    for (int f = 0; f < hull->n_faces; f++)
        for (int k = hull->begin[f] + 1; k + 1 < hull->begin[f + 1]; k++) {
            *corners++ = hull->corners[hull->begin[f]];
            *corners++ = hull->corners[k];
            *corners++ = hull->corners[k + 1];
        }
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_hull *hull = self;
    int count = hull->begin[hull->n_faces] - 2 * hull->n_faces;
    SS_TRY(ss_triangles_allocate(context, hull->n_points, count, t));
    memcpy(t->points, hull->vertices, 3 * (size_t)hull->n_points * sizeof(double));
    fan(hull, t->corners);
    return SS_OK;
}

static void solid(const void *self, ss_solid *solid)
{
    *solid = ((const ss_hull *)self)->solid;
}

const ss_shape_ops ss_shape_type_hull = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "hull", "The convex hull of points of its frame.",
             sizeof(ss_hull), keys},
    .kind = SS_SHAPE_HULL,
    .init = init,
    .destroy = destroy,
    .bounds = bounds,
    .support = support,
    .solid = solid,
    .triangles = triangles,
    .face = face_along,
};
