/* cylinder.c: a cylinder with flat ends. */
#include "geometry/geometry.h"
#include "geometry/vector.h"

#include <float.h>

enum {
    CORNERS = 8 /* of the polygon that stands for an end */
};

static const ss_key keys[] = {
    {"radius", SS_KEY_REAL, offsetof(ss_cylinder, radius), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Radius."},
    {"length", SS_KEY_REAL, offsetof(ss_cylinder, length), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Length along z."},
    {NULL},
};

static void bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_cylinder *c = self;
    for (int i = 0; i < 3; i++) {
        const double *row = pose->A + 3 * i;
        double reach =
            0.5 * c->length * fabs(row[2]) + c->radius * sqrt(row[0] * row[0] + row[1] * row[1]);
        box->low[i] = pose->x[i] - reach;
        box->high[i] = pose->x[i] + reach;
    }
}

static void support(const void *self, const double d[3], double p[3])
{
    const ss_cylinder *c = self;
    double across = sqrt(d[0] * d[0] + d[1] * d[1]), s = across > 0 ? c->radius / across : 0;
    p[0] = s * d[0];
    p[1] = s * d[1];
    p[2] = d[2] >= 0 ? 0.5 * c->length : -0.5 * c->length;
}

static void end_face(const ss_cylinder *c, bool high, ss_face *face)
{
    /* cosines of multiples of 45° */
    static const double turn[CORNERS] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                         -1, -0.70710678118654752, 0, 0.70710678118654752};
    face->count = CORNERS;
    for (int i = 0; i < CORNERS; i++) {
        int k = high ? i : CORNERS - 1 - i;
        face->points[i][0] = c->radius * turn[k];
        face->points[i][1] = c->radius * turn[(k + 6) % 8];
        face->points[i][2] = high ? 0.5 * c->length : -0.5 * c->length;
        face->ids[i] = (uint32_t)(k + (high ? CORNERS : 0));
    }
    face->rim = c->radius;
    ss_copy3((double[]){0, 0, high ? 1 : -1}, face->normal);
}

static void face_along(const void *self, const double d[3], ss_face *face)
{
    const ss_cylinder *c = self;
    double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (fabs(d[2]) > across) {
        end_face(c, d[2] > 0, face);
        return;
    }
    face->count = 2;
    for (int i = 0; i < 2; i++) {
        face->points[i][0] = c->radius * d[0] / across;
        face->points[i][1] = c->radius * d[1] / across;
        face->points[i][2] = i == 1 ? 0.5 * c->length : -0.5 * c->length;
        face->ids[i] = (uint32_t)(2 * CORNERS + i);
    }
    ss_copy3((double[]){0, 0, 0}, face->normal);
}

static void solid(const void *self, ss_solid *solid)
{
    const ss_cylinder *c = self;
    double r = c->radius, L = c->length, V = acos(-1.0) * r * r * L;
    *solid = (ss_solid){.volume = V};
    solid->inertia[0] = solid->inertia[4] = V * (3 * r * r + L * L) / 12;
    solid->inertia[8] = 0.5 * V * r * r;
}

static ss_status triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_cylinder *c = self;
    double h = 0.5 * c->length, profile[2][2] = {{c->radius, -h}, {c->radius, h}};
    return ss_triangles_revolve(context, 2, profile[0], -h, h, t);
}

const ss_shape_ops ss_shape_type_cylinder = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "cylinder",
             "A cylinder with flat ends around the z axis and the origin of its frame.",
             sizeof(ss_cylinder), keys},
    .kind = SS_SHAPE_CYLINDER,
    .bounds = bounds,
    .support = support,
    .solid = solid,
    .triangles = triangles,
    .face = face_along,
};
