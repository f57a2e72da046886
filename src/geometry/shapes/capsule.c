/* capsule.c: a capsule: a cylinder with half spheres as ends. */
#include "geometry/geometry.h"
#include "geometry/vector.h"

#include <float.h>

static const ss_key keys[] = {
    {"radius", SS_KEY_REAL, offsetof(ss_capsule, radius), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Radius."},
    {"length", SS_KEY_REAL, offsetof(ss_capsule, length), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Length of the cylinder between the half balls at its ends."},
    {NULL},
};

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_capsule *c = self;
    for (int i = 0; i < 3; i++) {
        double reach = 0.5 * c->length * fabs(pose->A[3 * i + 2]) + c->radius;
        box->low[i] = pose->x[i] - reach;
        box->high[i] = pose->x[i] + reach;
    }
}

static void support(const void *self, const double d[3], double p[3])
{
    const ss_capsule *c = self;
    p[0] = p[1] = 0;
    p[2] = d[2] >= 0 ? 0.5 * c->length : -0.5 * c->length;
}

static double radius(const void *self)
{
    return ((const ss_capsule *)self)->radius;
}

static void face_along(const void *self, const double d[3], ss_face *face)
{
    const ss_capsule *c = self;
    bool end = fabs(d[2]) > 0.7 * ss_length3(d);
    face->count = end ? 1 : 2;
    for (int i = 0; i < face->count; i++) {
        bool high = end ? d[2] > 0 : i == 1;
        ss_copy3((double[]){0, 0, high ? 0.5 * c->length : -0.5 * c->length}, face->points[i]);
        face->ids[i] = high;
    }
    ss_copy3((double[]){0, 0, 0}, face->normal);
}

/* A cylinder and two half balls, whose centres are 3r/8 beyond its ends. */
static void solid(const void *self, ss_solid *solid)
{
    const ss_capsule *c = self;
    double r = c->radius, L = c->length, pi = acos(-1.0);
    double tube = pi * r * r * L, ball = 4.0 / 3.0 * pi * r * r * r;
    *solid = (ss_solid){.volume = tube + ball};
    solid->inertia[0] = solid->inertia[4] =
        tube * (3 * r * r + L * L) / 12 + ball * (0.4 * r * r + 0.375 * r * L + 0.25 * L * L);
    solid->inertia[8] = 0.5 * tube * r * r + 0.4 * ball * r * r;
}

enum {
    RINGS = 8 /* of a half ball, without the pole */
};

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_capsule *c = self;
    double profile[2 * RINGS][2], h = 0.5 * c->length;
    for (int k = 0; k < RINGS; k++) {
        double angle = 0.5 * acos(-1.0) * k / RINGS, z = h + c->radius * sin(angle);
        int up = RINGS + k, down = RINGS - 1 - k;
        profile[up][0] = profile[down][0] = c->radius * cos(angle);
        profile[up][1] = z;
        profile[down][1] = -z;
    }
    return ss_triangles_revolve(context, 2 * RINGS, profile[0], -h - c->radius, h + c->radius, t);
}

const ss_shape_ops ss_shape_type_capsule = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "capsule",
             "All points near a segment of the z axis, around the origin of its frame.",
             sizeof(ss_capsule), keys},
    .kind = SS_SHAPE_CAPSULE,
    .bounds = bounds,
    .support = support,
    .radius = radius,
    .solid = solid,
    .triangles = triangles,
    .face = face_along,
};
