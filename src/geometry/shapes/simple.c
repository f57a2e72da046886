/* simple.c: shapes given by a few lengths: sphere, plane, box, capsule, cylinder, ellipsoid. */
#include "geometry/geometry.h"
#include "la/elementary.h"

#include <float.h>

static void set_solid(double volume, const double inertia[3], ss_solid *solid)
{
    *solid = (ss_solid){.volume = volume};
    for (int i = 0; i < 3; i++)
        solid->inertia[4 * i] = inertia[i];
}

/* Half lengths along x, y and z: `factor` times what a key gives. */
static ss_status set_half(ss_context *context, const ss_shape_setup *setup, const char *key,
                          const char *what, const ss_matrix *given, double factor, double half[3])
{
    if (given->rows != 3)
        return ss_fail_at(context, SS_INPUT, setup->where,
                          "%s: '%s' has %d numbers; three %s are wanted, [x, y, z]", setup->owner,
                          key, given->rows, what);
    ss_scale3(factor, given->values, half);
    return SS_OK;
}

/* The surface of an ellipsoid. */
static ss_status ball(ss_context *context, const double half[3], ss_triangles *t)
{
    enum { RINGS = 15 };
    double profile[RINGS][2];
    for (int k = 0; k < RINGS; k++) {
        double angle = SS_PI * (k + 1) / (RINGS + 1);
        profile[k][0] = ss_sin(angle);
        profile[k][1] = -ss_cos(angle);
    }
    SS_TRY(ss_triangles_revolve(context, RINGS, profile[0], -1, 1, t));
    for (int i = 0; i < 3 * t->n_points; i++)
        t->points[i] *= half[i % 3];
    return SS_OK;
}

/* ---- Sphere ---- */

static const ss_key sphere_keys[] = {
    {"radius", SS_KEY_REAL, offsetof(ss_sphere, radius), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Radius."},
    {NULL},
};

/* Of a sphere, or of a capsule: what they begin with. */
static double radius_of(const void *self)
{
    return *(const double *)self;
}

static void sphere_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    double r = radius_of(self);
    ss_bounds_around(pose->x, (double[]){r, r, r}, box);
}

static void sphere_support(const void *self, const double d[3], double p[3])
{
    (void)self, (void)d;
    p[0] = p[1] = p[2] = 0;
}

static void sphere_solid(const void *self, ss_solid *solid)
{
    double r = radius_of(self), V = 4.0 / 3.0 * SS_PI * r * r * r, I = 0.4 * V * r * r;
    set_solid(V, (double[]){I, I, I}, solid);
}

static ss_status sphere_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    double r = radius_of(self);
    return ball(context, (double[]){r, r, r}, t);
}

const ss_shape_ops ss_shape_type_sphere = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "sphere", "A ball around the origin of its frame.",
             sizeof(ss_sphere), sphere_keys},
    .kind = SS_SHAPE_SPHERE,
    .bounds = sphere_bounds,
    .support = sphere_support,
    .radius = radius_of,
    .solid = sphere_solid,
    .triangles = sphere_triangles,
    .strictly_convex = true,
};

/* ---- Plane ---- */

static const ss_key plane_keys[] = {
    {"extent", SS_KEY_REAL, offsetof(ss_plane, extent), "10", DBL_MIN, INFINITY, NULL, "m",
     "Half the side of the square that is drawn; the plane itself has no end."},
    {NULL},
};

static void plane_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    (void)self;
    for (int i = 0; i < 3; i++) { /* a side along an axis bounds it */
        double n = pose->A[3 * i + 2];
        box->low[i] = n == -1 ? pose->x[i] : -INFINITY;
        box->high[i] = n == 1 ? pose->x[i] : INFINITY;
    }
}

/* A square of it. */
static ss_status plane_triangles(const void *self, ss_context *context, ss_triangles *t)
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
             sizeof(ss_plane), plane_keys},
    .kind = SS_SHAPE_PLANE,
    .bounds = plane_bounds,
    .triangles = plane_triangles,
};

/* ---- Box ---- */

static const ss_key box_keys[] = {
    {"size", SS_KEY_REALS, offsetof(ss_box, size), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Lengths of the edges along x, y and z."},
    {NULL},
};

static ss_status box_init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    ss_box *box = self;
    return set_half(context, setup, "size", "lengths", &box->size, 0.5, box->half);
}

static void box_bounds(const void *self, const ss_pose *pose, ss_bounds *bounds)
{
    const double *half = ((const ss_box *)self)->half;
    double reach[3] = {0};
    for (int i = 0; i < 9; i++)
        reach[i / 3] += fabs(pose->A[i]) * half[i % 3];
    ss_bounds_around(pose->x, reach, bounds);
}

static void box_support(const void *self, const double d[3], double p[3])
{
    const ss_box *box = self;
    for (int i = 0; i < 3; i++)
        p[i] = d[i] >= 0 ? box->half[i] : -box->half[i];
}

/* Corner c is at (±, ±, ±) half: bit i of c tells the sign along axis i. */
static void box_face(const void *self, const double d[3], ss_face *face)
{
    const ss_box *box = self;
    static const uint32_t order[4] = {0, 1, 3, 2};
    int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    axis = fabs(d[2]) > fabs(d[axis]) ? 2 : axis;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    bool positive = d[axis] >= 0;
    face->count = 4;
    for (int i = 0; i < 4; i++) {
        uint32_t at = order[positive ? i : 3 - i];
        face->points[i][axis] = positive ? box->half[axis] : -box->half[axis];
        face->points[i][u] = at & 1 ? box->half[u] : -box->half[u];
        face->points[i][v] = at & 2 ? box->half[v] : -box->half[v];
        face->ids[i] = (uint32_t)positive << axis | (at & 1) << u | (at >> 1) << v;
    }
    for (int i = 0; i < 3; i++)
        face->normal[i] = i != axis ? 0 : positive ? 1 : -1;
}

static void box_solid(const void *self, ss_solid *solid)
{
    const double *h = ((const ss_box *)self)->half;
    double V = 8 * h[0] * h[1] * h[2];
    double x = h[0] * h[0], y = h[1] * h[1], z = h[2] * h[2];
    set_solid(V, (double[]){V / 3 * (y + z), V / 3 * (z + x), V / 3 * (x + y)}, solid);
}

static ss_status box_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_box *box = self;
    SS_TRY(ss_triangles_allocate(context, 8, 12, t));
    for (int c = 0; c < 8; c++)
        for (int i = 0; i < 3; i++)
            t->points[3 * c + i] = c >> i & 1 ? box->half[i] : -box->half[i];
    int *corner = t->corners;
    for (int side = 0; side < 6; side++) {
        ss_face face;
        double d[3] = {0};
        d[side / 2] = side % 2 ? 1 : -1;
        box_face(self, d, &face);
        for (int i = 0; i < 6; i++)
            *corner++ = (int)face.ids[(const int[]){0, 1, 2, 0, 2, 3}[i]];
    }
    return SS_OK;
}

const ss_shape_ops ss_shape_type_box = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "box", "A box around the origin of its frame.",
             sizeof(ss_box), box_keys},
    .kind = SS_SHAPE_BOX,
    .init = box_init,
    .bounds = box_bounds,
    .support = box_support,
    .solid = box_solid,
    .triangles = box_triangles,
    .face = box_face,
};

/* ---- Capsule ---- */

static const ss_key capsule_keys[] = {
    {"radius", SS_KEY_REAL, offsetof(ss_capsule, radius), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Radius."},
    {"length", SS_KEY_REAL, offsetof(ss_capsule, length), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Length of the cylinder between the half balls at its ends."},
    {NULL},
};

static void capsule_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_capsule *c = self;
    double reach[3];
    for (int i = 0; i < 3; i++)
        reach[i] = 0.5 * c->length * fabs(pose->A[3 * i + 2]) + c->radius;
    ss_bounds_around(pose->x, reach, box);
}

static void capsule_support(const void *self, const double d[3], double p[3])
{
    const ss_capsule *c = self;
    p[0] = p[1] = 0;
    p[2] = d[2] >= 0 ? 0.5 * c->length : -0.5 * c->length;
}

static void capsule_face(const void *self, const double d[3], ss_face *face)
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
static void capsule_solid(const void *self, ss_solid *solid)
{
    const ss_capsule *c = self;
    double r = c->radius, L = c->length, pi = SS_PI;
    double tube = pi * r * r * L, ball = 4.0 / 3.0 * pi * r * r * r;
    double across =
        tube * (3 * r * r + L * L) / 12 + ball * (0.4 * r * r + 0.375 * r * L + 0.25 * L * L);
    double along = 0.5 * tube * r * r + 0.4 * ball * r * r;
    set_solid(tube + ball, (double[]){across, across, along}, solid);
}

static ss_status capsule_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    enum { RINGS = 8 }; /* of a half ball, without the pole */
    const ss_capsule *c = self;
    double profile[2 * RINGS][2], h = 0.5 * c->length;
    for (int k = 0; k < RINGS; k++) {
        double angle = 0.5 * SS_PI * k / RINGS, z = h + c->radius * ss_sin(angle);
        int up = RINGS + k, down = RINGS - 1 - k;
        profile[up][0] = profile[down][0] = c->radius * ss_cos(angle);
        profile[up][1] = z;
        profile[down][1] = -z;
    }
    return ss_triangles_revolve(context, 2 * RINGS, profile[0], -h - c->radius, h + c->radius, t);
}

const ss_shape_ops ss_shape_type_capsule = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "capsule",
             "All points near a segment of the z axis, around the origin of its frame.",
             sizeof(ss_capsule), capsule_keys},
    .kind = SS_SHAPE_CAPSULE,
    .bounds = capsule_bounds,
    .support = capsule_support,
    .radius = radius_of,
    .solid = capsule_solid,
    .triangles = capsule_triangles,
    .face = capsule_face,
};

/* ---- Cylinder ---- */

enum {
    CORNERS = 8 /* of the polygon that stands for an end */
};

static const ss_key cylinder_keys[] = {
    {"radius", SS_KEY_REAL, offsetof(ss_cylinder, radius), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Radius."},
    {"length", SS_KEY_REAL, offsetof(ss_cylinder, length), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Length along z."},
    {NULL},
};

static void cylinder_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_cylinder *c = self;
    double reach[3];
    for (int i = 0; i < 3; i++) {
        const double *row = pose->A + 3 * i;
        reach[i] =
            0.5 * c->length * fabs(row[2]) + c->radius * sqrt(row[0] * row[0] + row[1] * row[1]);
    }
    ss_bounds_around(pose->x, reach, box);
}

static void cylinder_support(const void *self, const double d[3], double p[3])
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

static void cylinder_face(const void *self, const double d[3], ss_face *face)
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

static void cylinder_solid(const void *self, ss_solid *solid)
{
    const ss_cylinder *c = self;
    double r = c->radius, L = c->length, V = SS_PI * r * r * L;
    double across = V * (3 * r * r + L * L) / 12;
    set_solid(V, (double[]){across, across, 0.5 * V * r * r}, solid);
}

static ss_status cylinder_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    const ss_cylinder *c = self;
    double h = 0.5 * c->length, profile[2][2] = {{c->radius, -h}, {c->radius, h}};
    return ss_triangles_revolve(context, 2, profile[0], -h, h, t);
}

const ss_shape_ops ss_shape_type_cylinder = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "cylinder",
             "A cylinder with flat ends around the z axis and the origin of its frame.",
             sizeof(ss_cylinder), cylinder_keys},
    .kind = SS_SHAPE_CYLINDER,
    .bounds = cylinder_bounds,
    .support = cylinder_support,
    .solid = cylinder_solid,
    .triangles = cylinder_triangles,
    .face = cylinder_face,
};

/* ---- Ellipsoid ---- */

static const ss_key ellipsoid_keys[] = {
    {"axes", SS_KEY_REALS, offsetof(ss_ellipsoid, axes), NULL, DBL_MIN, INFINITY, NULL, "m",
     "Half axes along x, y and z."},
    {NULL},
};

static ss_status ellipsoid_init(void *self, ss_context *context, const ss_shape_setup *setup)
{
    ss_ellipsoid *e = self;
    return set_half(context, setup, "axes", "half axes", &e->axes, 1, e->half);
}

static void ellipsoid_bounds(const void *self, const ss_pose *pose, ss_bounds *box)
{
    const ss_ellipsoid *e = self;
    double reach[3];
    for (int i = 0; i < 3; i++) {
        double v[3];
        for (int k = 0; k < 3; k++)
            v[k] = pose->A[3 * i + k] * e->half[k];
        reach[i] = ss_length3(v);
    }
    ss_bounds_around(pose->x, reach, box);
}

/* The normal of Σ(x_i/h_i)² = 1 is along d where x_i = h_i² d_i / |h d|. */
static void ellipsoid_support(const void *self, const double d[3], double p[3])
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

static void ellipsoid_solid(const void *self, ss_solid *solid)
{
    const double *h = ((const ss_ellipsoid *)self)->half;
    double V = 4.0 / 3.0 * SS_PI * h[0] * h[1] * h[2];
    double x = h[0] * h[0], y = h[1] * h[1], z = h[2] * h[2];
    set_solid(V, (double[]){0.2 * V * (y + z), 0.2 * V * (z + x), 0.2 * V * (x + y)}, solid);
}

static ss_status ellipsoid_triangles(const void *self, ss_context *context, ss_triangles *t)
{
    return ball(context, ((const ss_ellipsoid *)self)->half, t);
}

const ss_shape_ops ss_shape_type_ellipsoid = {
    .type = {SS_ABI, sizeof(ss_shape_ops), "ellipsoid",
             "An ellipsoid around the origin of its frame.", sizeof(ss_ellipsoid), ellipsoid_keys},
    .kind = SS_SHAPE_ELLIPSOID,
    .init = ellipsoid_init,
    .bounds = ellipsoid_bounds,
    .support = ellipsoid_support,
    .solid = ellipsoid_solid,
    .triangles = ellipsoid_triangles,
    .strictly_convex = true,
};
