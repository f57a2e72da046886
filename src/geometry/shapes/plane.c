/* plane.c: a half space bounded by a plane. */
#include "geometry/geometry.h"

#include <float.h>
#include <math.h>

static const ss_key keys[] = {
    {"extent", SS_KEY_REAL, offsetof(ss_plane, extent), "10", DBL_MIN, INFINITY, NULL, "m",
     "Half the side of the square that is drawn; the plane itself has no end."},
    {NULL},
};

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    (void)self;
    for (int i = 0; i < 3; i++) {
        box->low[i] = -INFINITY;
        box->high[i] = INFINITY;
    }
    for (int i = 0; i < 3; i++) { /* a side along an axis bounds it */
        double n = pose->A[3 * i + 2];
        if (n == 1)
            box->high[i] = pose->x[i];
        if (n == -1)
            box->low[i] = pose->x[i];
    }
}

/* A square of it. */
static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    double e = ((const ss_plane *)self)->extent;
    SS_TRY(ss_triangles_allocate(context, 4, 2, t));
    for (int i = 0; i < 4; i++) {
        t->points[3 * i] = i == 1 || i == 2 ? e : -e;
        t->points[3 * i + 1] = i >= 2 ? e : -e;
        t->points[3 * i + 2] = 0;
    }
    for (int i = 0; i < 6; i++)
        t->corners[i] = (const int[]){0, 1, 2, 0, 2, 3}[i];
    return SS_OK;
}

const ss_shape_ops ss_shape_type_plane = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "plane", "All of space below z = 0 of its frame.",
             sizeof(ss_plane), keys},
    .kind = SS_SHAPE_PLANE,
    .bounds = bounds,
    .triangles = triangles,
};
