/* shapes.h: shapes and poses for the tests of contact, and what is known of shapes without the code under test. */
#ifndef SS_TESTS_CONTACT_SHAPES_H
#define SS_TESTS_CONTACT_SHAPES_H

#include "base/context.h"
#include "geometry/geometry.h"
#include "geometry/vector.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

/* cmocka's assert_float_equal is of single precision. */
#define assert_near(value, expected, tolerance)                           \
    do {                                                                  \
        double value_ = (value), expected_ = (expected);                  \
        if (!(fabs(value_ - expected_) <= (tolerance)))                   \
            fail_msg("%s = %.17g, not %.17g", #value, value_, expected_); \
    } while (0)

static inline ss_context *new_context(void)
{
    ss_context_options options = ss_default_context();
    ss_context *context = NULL;
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    assert_int_equal(ss_register_builtin_shapes(context), SS_OK);
    return context;
}

/* An argument of a shape: count 0 is a single number, rows of `columns` otherwise. */
typedef struct number {
    const char *key;
    int rows, columns;
    const double *values;
} number;

static inline ss_status try_shape(ss_context *context, const char *type, int count,
                                  const number *numbers, ss_shape **shape)
{
    ss_args *args = NULL;
    *shape = NULL;
    ss_status status = ss_args_create(context, &args);
    for (int i = 0; i < count && status == SS_OK; i++) {
        const number *n = &numbers[i];
        if (n->rows == 0)
            status = ss_args_set_real(args, n->key, n->values[0]);
        else if (n->columns == 1)
            status = ss_args_set_reals(args, n->key, n->rows, n->values);
        else
            status = ss_args_set_matrix(args, n->key, n->rows, n->columns, n->values);
    }
    if (status == SS_OK)
        status = ss_shape_create(context, type, args, NULL, NULL, shape);
    ss_args_destroy(args);
    return status;
}

static inline ss_shape *make(ss_context *context, const char *type, int count,
                             const number *numbers)
{
    ss_shape *shape;
    if (try_shape(context, type, count, numbers, &shape) != SS_OK)
        fail_msg("%s", ss_context_message(context));
    return shape;
}

static inline ss_shape *make_sphere(ss_context *context, double radius)
{
    return make(context, "sphere", 1, (number[]){{"radius", 0, 0, &radius}});
}

static inline ss_shape *make_plane(ss_context *context)
{
    return make(context, "plane", 0, NULL);
}

static inline ss_shape *make_box(ss_context *context, double x, double y, double z)
{
    return make(context, "box", 1, (number[]){{"size", 3, 1, (double[]){x, y, z}}});
}

static inline ss_shape *make_long(ss_context *context, const char *type, double radius,
                                  double length)
{
    return make(context, type, 2, (number[]){{"radius", 0, 0, &radius}, {"length", 0, 0, &length}});
}

static inline ss_shape *make_ellipsoid(ss_context *context, double x, double y, double z)
{
    return make(context, "ellipsoid", 1, (number[]){{"axes", 3, 1, (double[]){x, y, z}}});
}

static inline ss_shape *make_hull(ss_context *context, int n, const double *points)
{
    return make(context, "hull", 1, (number[]){{"points", n, 3, points}});
}

static inline void rotation_about(const double axis[3], double angle, double A[9])
{
    double e[3], c = cos(angle), s = sin(angle);
    ss_unit3(axis, e);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            A[3 * i + k] = (i == k ? c : 0) + (1 - c) * e[i] * e[k];
    A[1] -= s * e[2];
    A[2] += s * e[1];
    A[3] += s * e[2];
    A[5] -= s * e[0];
    A[6] -= s * e[1];
    A[7] += s * e[0];
}

static inline ss_pose pose_at(double x, double y, double z)
{
    return (ss_pose){{x, y, z}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static inline void random_direction(random_state *r, double d[3])
{
    for (int i = 0; i < 3; i++)
        d[i] = random_normal(r);
    ss_unit3(d, d);
}

static inline ss_pose random_pose(random_state *r, double reach)
{
    double axis[3];
    ss_pose pose;
    random_direction(r, axis);
    rotation_about(axis, random_between(r, 0, 6.28), pose.A);
    for (int i = 0; i < 3; i++)
        pose.x[i] = random_between(r, -reach, reach);
    return pose;
}

/* pose after a motion of all of space. */
static inline ss_pose moved(const ss_pose *motion, const ss_pose *pose)
{
    ss_pose out;
    ss_pose_point(motion, pose->x, out.x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out.A[3 * i + k] = 0;
            for (int j = 0; j < 3; j++)
                out.A[3 * i + k] += motion->A[3 * i + j] * pose->A[3 * j + k];
        }
    return out;
}

typedef struct contacts {
    int count;
    ss_contact_point t[64];
} contacts;

static inline void keep_contact(void *user, const ss_contact_point *contact)
{
    contacts *all = user;
    assert_true(all->count < 64);
    all->t[all->count++] = *contact;
}

static inline contacts contact(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                               const ss_pose *pose_b, double margin)
{
    contacts all = {0};
    ss_shapes_collide(a, pose_a, b, pose_b, margin, keep_contact, &all);
    return all;
}

static inline const ss_contact_point *deepest(const contacts *all)
{
    const ss_contact_point *best = &all->t[0];
    for (int i = 1; i < all->count; i++)
        if (all->t[i].gap < best->gap)
            best = &all->t[i];
    return best;
}

/* The largest nᵀx of a shape in space, by its definition: independent of `support`. Planes: INFINITY except along
 * their own normal. */
static inline double reach(const ss_shape *shape, const ss_pose *pose, const double n[3])
{
    const char *name = shape->ops->type.name;
    double d[3], h = 0;
    ss_pose_rotate_back(pose, n, d);
    double length = ss_length3(d), flat = sqrt(d[0] * d[0] + d[1] * d[1]);
    if (strcmp(name, "plane") == 0) {
        h = flat < 1e-9 && d[2] > 0 ? 0 : INFINITY;
    } else if (strcmp(name, "sphere") == 0) {
        h = length * ((const ss_sphere *)shape->self)->radius;
    } else if (strcmp(name, "box") == 0) {
        const ss_box *box = shape->self;
        for (int i = 0; i < 3; i++)
            h += fabs(d[i]) * box->half[i];
    } else if (strcmp(name, "capsule") == 0) {
        const ss_capsule *c = shape->self;
        h = fabs(d[2]) * c->length / 2 + length * c->radius;
    } else if (strcmp(name, "cylinder") == 0) {
        const ss_cylinder *c = shape->self;
        h = fabs(d[2]) * c->length / 2 + flat * c->radius;
    } else if (strcmp(name, "ellipsoid") == 0) {
        const ss_ellipsoid *e = shape->self;
        for (int i = 0; i < 3; i++)
            h += d[i] * d[i] * e->half[i] * e->half[i];
        h = sqrt(h);
    } else if (strcmp(name, "hull") == 0) {
        const ss_hull *hull = shape->self;
        h = -INFINITY;
        for (int i = 0; i < hull->points.rows; i++)
            h = fmax(h, ss_dot3(d, hull->points.values + 3 * i));
    } else {
        fail_msg("no reach of shape '%s'", name);
    }
    return h + ss_dot3(n, pose->x);
}

/* How far a point is from the surface, negative inside; for hulls by their planes, for ellipsoids to first order. */
static inline double off_surface(const ss_shape *shape, const ss_pose *pose, const double x[3])
{
    const char *name = shape->ops->type.name;
    double d[3], p[3], off = -INFINITY;
    ss_minus3(x, pose->x, d);
    ss_pose_rotate_back(pose, d, p);
    double flat = sqrt(p[0] * p[0] + p[1] * p[1]);
    if (strcmp(name, "plane") == 0) {
        off = p[2];
    } else if (strcmp(name, "sphere") == 0) {
        off = ss_length3(p) - ((const ss_sphere *)shape->self)->radius;
    } else if (strcmp(name, "box") == 0) {
        const ss_box *box = shape->self;
        for (int i = 0; i < 3; i++)
            off = fmax(off, fabs(p[i]) - box->half[i]);
    } else if (strcmp(name, "capsule") == 0) {
        const ss_capsule *c = shape->self;
        p[2] = fmax(fabs(p[2]) - c->length / 2, 0);
        off = ss_length3(p) - c->radius;
    } else if (strcmp(name, "cylinder") == 0) {
        const ss_cylinder *c = shape->self;
        off = fmax(fabs(p[2]) - c->length / 2, flat - c->radius);
    } else if (strcmp(name, "ellipsoid") == 0) {
        const ss_ellipsoid *e = shape->self;
        double q[3], g[3];
        for (int i = 0; i < 3; i++) {
            q[i] = p[i] / e->half[i];
            g[i] = q[i] / e->half[i];
        }
        off = (ss_length3(q) - 1) * ss_length3(q) / ss_length3(g);
    } else if (strcmp(name, "hull") == 0) {
        const ss_hull *hull = shape->self;
        for (int f = 0; f < hull->n_faces; f++) {
            const double *v = hull->vertices + 3 * hull->corners[hull->begin[f]];
            ss_minus3(p, v, d);
            off = fmax(off, ss_dot3(hull->normals + 3 * f, d));
        }
    } else {
        fail_msg("no surface of shape '%s'", name);
    }
    return off;
}

/* g(n) = least nᵀb - largest nᵀa: a lower bound of the signed distance, whose maximum it is. */
static inline double separation(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                                const ss_pose *pose_b, const double n[3])
{
    double back[3];
    ss_scale3(-1, n, back);
    return -reach(b, pose_b, back) - reach(a, pose_a, n);
}

#endif
