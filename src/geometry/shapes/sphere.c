/* sphere.c: a sphere. */
#include "geometry/geometry.h"

#include <float.h>
#include <math.h>

static const ss_key keys[] = {
    {"radius", SS_KEY_REAL, offsetof(ss_sphere, radius), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Radius."},
    {NULL},
};

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_sphere *s = self;
    for (int i = 0; i < 3; i++) {
        box->low[i] = pose->x[i] - s->radius;
        box->high[i] = pose->x[i] + s->radius;
    }
}

static void support(const void *self, const double d[3], double p[3])
{
    (void)self, (void)d;
    p[0] = p[1] = p[2] = 0;
}

static double radius(const void *self)
{
    return ((const ss_sphere *)self)->radius;
}

static void solid(const void *self, ss_solid *solid)
{
    double r = radius(self), V = 4.0 / 3.0 * acos(-1.0) * r * r * r;
    *solid = (ss_solid){.volume = V};
    for (int i = 0; i < 3; i++)
        solid->inertia[4 * i] = 0.4 * V * r * r;
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    SS_TRY(ss_triangles_ball(context, t));
    for (int i = 0; i < 3 * t->n_points; i++)
        t->points[i] *= radius(self);
    return SS_OK;
}

const ss_shape_ops ss_shape_type_sphere = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "sphere", "A ball around the origin of its frame.",
             sizeof(ss_sphere), keys},
    .kind = SS_SHAPE_SPHERE,
    .bounds = bounds,
    .support = support,
    .radius = radius,
    .solid = solid,
    .triangles = triangles,
    .strictly_convex = true,
};
