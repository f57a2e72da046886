/* ellipsoid.c: an ellipsoid, given by its semi-axes. */
#include "geometry/geometry.h"
#include "geometry/vector.h"

#include <float.h>

static const ss_key keys[] = {
    {"axes", SS_KEY_REALS, offsetof(ss_ellipsoid, axes), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Half axes along x, y and z."},
    {NULL},
};

static ss_status init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    ss_ellipsoid *e = self;
    if (e->axes.rows != 3)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: 'axes' has %d numbers; three half axes are wanted, [x, y, z]",
                          setup->owner, e->axes.rows);
    ss_copy3(e->axes.values, e->half);
    return SS_OK;
}

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_ellipsoid *e = self;
    for (int i = 0; i < 3; i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = pose->A[3 * i + k] * e->half[k];
        box->low[i] = pose->x[i] - ss_length3(v);
        box->high[i] = pose->x[i] + ss_length3(v);
    }
}

/* The normal of Σ(x_i/h_i)² = 1 is along d where x_i = h_i² d_i / |h d|. */
static void support(const void *self, const double d[3], double p[3])
{
    const ss_ellipsoid *e = self;
    double v[3];
    for (int i = 0; i < 3; i++)
        v[i] = e->half[i] * d[i];
    double length = ss_length3(v);
    if (length == 0) {
        ss_copy3((double[]){0, 0, e->half[2]}, p);
        return;
    }
    for (int i = 0; i < 3; i++)
        p[i] = e->half[i] * v[i] / length;
}

static void solid(const void *self, ss_solid *solid)
{
    const double *h = ((const ss_ellipsoid *)self)->half;
    double V = 4.0 / 3.0 * acos(-1.0) * h[0] * h[1] * h[2];
    *solid = (ss_solid){.volume = V};
    for (int i = 0; i < 3; i++) {
        double u = h[(i + 1) % 3], v = h[(i + 2) % 3];
        solid->inertia[4 * i] = 0.2 * V * (u * u + v * v);
    }
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const double *h = ((const ss_ellipsoid *)self)->half;
    SS_TRY(ss_triangles_ball(context, t));
    for (int i = 0; i < 3 * t->n_points; i++)
        t->points[i] *= h[i % 3];
    return SS_OK;
}

const ss_shape_ops ss_shape_type_ellipsoid = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "ellipsoid",
             "An ellipsoid around the origin of its frame.", sizeof(ss_ellipsoid), keys},
    .kind = SS_SHAPE_ELLIPSOID,
    .init = init,
    .bounds = bounds,
    .support = support,
    .solid = solid,
    .triangles = triangles,
    .strictly_convex = true,
};
