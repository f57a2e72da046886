/* meshes.h: shapes and contacts for the tests of meshes. */
#ifndef SS_TESTS_CONTACT_MESHES_H
#define SS_TESTS_CONTACT_MESHES_H

#include "support/random.h"
#include "support/test.h"

#include "base/context.h"

#include <stickslip/shape.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Says what differs, and where. */
#define assert_near(value, wanted, tolerance)                                              \
    do {                                                                                   \
        double off = fabs((value) - (wanted));                                             \
        if (!(off <= (tolerance)))                                                         \
            fail_msg("%s is %.17g, not %.17g", #value, (double)(value), (double)(wanted)); \
    } while (0)

enum { CONTACTS = 512 };

typedef struct contacts {
    int count;
    ss_contact_point list[CONTACTS];
} contacts;

static inline void keep_contact(void *user, const ss_contact_point *contact)
{
    contacts *t = user;
    assert_true(t->count < CONTACTS);
    t->list[t->count++] = *contact;
}

static inline ss_pose pose_at(double x, double y, double z)
{
    return (ss_pose){{x, y, z}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

/* Turned by an angle about an axis (Rodrigues). */
static inline ss_pose pose_turned(ss_pose pose, const double axis[3], double angle)
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double n[3] = {axis[0] / length, axis[1] / length, axis[2] / length}, c = cos(angle),
           s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            pose.A[3 * i + k] = (i == k ? c : 0) + (1 - c) * n[i] * n[k];
    for (int i = 0; i < 3; i++) {
        pose.A[3 * i + (i + 1) % 3] -= s * n[(i + 2) % 3];
        pose.A[3 * ((i + 1) % 3) + i] += s * n[(i + 2) % 3];
    }
    return pose;
}

static inline ss_pose random_pose(random_state *r, double x, double y, double z)
{
    double axis[3] = {random_normal(r), random_normal(r), random_normal(r)};
    return pose_turned(pose_at(x, y, z), axis, random_between(r, 0, 6));
}

static inline ss_context *shapes_context(void)
{
    ss_context *context;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_register_builtin_shapes(context), SS_OK);
    return context;
}

static inline ss_shape *make_shape(ss_context *context, const char *type, const ss_args *args)
{
    ss_shape *shape;
    ss_status status = ss_shape_create(context, type, args, NULL, NULL, &shape);
    if (status != SS_OK)
        fail_msg("%s", ss_context_message(context));
    return shape;
}

static inline ss_shape *make_sphere(ss_context *context, double radius)
{
    ss_args *args;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "radius", radius), SS_OK);
    ss_shape *shape = make_shape(context, "sphere", args);
    ss_args_destroy(args);
    return shape;
}

static inline ss_shape *make_box(ss_context *context, double x, double y, double z)
{
    ss_args *args;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_reals(args, "size", 3, (double[]){x, y, z}), SS_OK);
    ss_shape *shape = make_shape(context, "box", args);
    ss_args_destroy(args);
    return shape;
}

static inline ss_shape *make_mesh(ss_context *context, int n_points, const double *points,
                                  int n_triangles, const double *triangles, double thickness)
{
    ss_args *args;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "points", n_points, 3, points), SS_OK);
    assert_int_equal(ss_args_set_matrix(args, "triangles", n_triangles, 3, triangles), SS_OK);
    assert_int_equal(ss_args_set_real(args, "thickness", thickness), SS_OK);
    ss_shape *shape = make_shape(context, "mesh", args);
    ss_args_destroy(args);
    return shape;
}

/* A box with its middle at the origin, of 12 triangles. */
static inline ss_shape *make_box_mesh(ss_context *context, double x, double y, double z,
                                      double thickness)
{
    static const double triangles[12][3] = {
        {0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5},
    };
    double points[8][3];
    for (int i = 0; i < 8; i++) {
        points[i][0] = i & 1 ? x / 2 : -x / 2;
        points[i][1] = i & 2 ? y / 2 : -y / 2;
        points[i][2] = i & 4 ? z / 2 : -z / 2;
    }
    return make_mesh(context, 8, points[0], 12, triangles[0], thickness);
}

enum { FLOOR = 9 };

/* A square of 2 × 2 around the origin with irregular triangles in it, all with z = f(x, y). */
static inline ss_shape *make_ground(ss_context *context, double (*f)(double x, double y))
{
    static double points[(FLOOR + 1) * (FLOOR + 1)][3], triangles[2 * FLOOR * FLOOR][3];
    random_state r = {3};
    int n = 0;
    for (int i = 0; i <= FLOOR; i++)
        for (int k = 0; k <= FLOOR; k++) {
            double *p = points[i * (FLOOR + 1) + k];
            p[0] = 2.0 * k / FLOOR - 1 + (k % FLOOR ? random_between(&r, -0.05, 0.05) : 0);
            p[1] = 2.0 * i / FLOOR - 1 + (i % FLOOR ? random_between(&r, -0.05, 0.05) : 0);
            p[2] = f ? f(p[0], p[1]) : 0;
        }
    for (int i = 0; i < FLOOR; i++)
        for (int k = 0; k < FLOOR; k++) {
            int p = i * (FLOOR + 1) + k, q = p + 1, u = q + FLOOR + 1, v = p + FLOOR + 1;
            int way = random_below(&r, 2);
            const int corners[2][3] = {{p, q, way ? u : v}, {way ? p : q, u, v}};
            for (int t = 0; t < 2; t++, n++)
                for (int c = 0; c < 3; c++)
                    triangles[n][c] = corners[t][c];
        }
    return make_mesh(context, (FLOOR + 1) * (FLOOR + 1), points[0], n, triangles[0], 0);
}

/* All contacts, after a look at each: points along the normal, below the margin, with features of their own. */
static inline contacts find(const ss_shape *a, const ss_pose *pose_a, const ss_shape *b,
                            const ss_pose *pose_b, double margin)
{
    contacts t = {0};
    ss_shapes_collide(a, pose_a, b, pose_b, margin, keep_contact, &t);
    for (int i = 0; i < t.count; i++) {
        const ss_contact_point *contact = &t.list[i];
        double square = 0;
        for (int k = 0; k < 3; k++) {
            assert_near(contact->b[k] - contact->a[k], contact->gap * contact->n[k], 1e-12);
            square += contact->n[k] * contact->n[k];
        }
        assert_near(square, 1, 1e-12);
        assert_true(contact->gap < margin);
        for (int j = 0; j < i; j++)
            assert_true(t.list[j].feature != contact->feature);
    }
    return t;
}

static inline bool holds(const contacts *t, const ss_contact_point *wanted, double tolerance)
{
    for (int i = 0; i < t->count; i++) {
        double off = fabs(t->list[i].gap - wanted->gap);
        for (int k = 0; k < 3; k++)
            off = fmax(off, fmax(fabs(t->list[i].a[k] - wanted->a[k]),
                                 fabs(t->list[i].n[k] - wanted->n[k])));
        if (off < tolerance)
            return true;
    }
    return false;
}

static inline double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

#endif
