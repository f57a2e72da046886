/* shape.c: a shape by name, and surfaces made of triangles. */
#include "base/context.h"
#include "geometry/geometry.h"
#include "la/elementary.h"
#include "options/options.h"

#include <stdio.h>

const ss_pose ss_pose_here = {.A = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static ss_status check(ss_context *context, const void *opaque)
{
    const ss_shape_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_SHAPE, ops, bounds);
    SS_REQUIRE(context, SS_TYPE_SHAPE, ops, triangles);
    if (ops->face || ops->strictly_convex)
        SS_REQUIRE(context, SS_TYPE_SHAPE, ops, support);
    if (ops->face && ops->strictly_convex)
        return ss_fail(context, SS_INPUT,
                       "shape type '%s': it cannot have 'face' and be strictly convex",
                       ops->type.name);
    if ((unsigned)ops->kind > SS_SHAPE_HEIGHT_FIELD)
        return ss_fail(context, SS_INPUT,
                       "shape type '%s': there is no kind %d; take SS_SHAPE_OTHER", ops->type.name,
                       (int)ops->kind);
    const ss_type *type;
    for (size_t i = 0; (type = ss_type_at(context, SS_TYPE_SHAPE, i)); i++)
        if (ops->kind != SS_SHAPE_OTHER && ((const ss_shape_ops *)type)->kind == ops->kind)
            return ss_fail(context, SS_INPUT,
                           "shape type '%s': only '%s' is of its kind; take SS_SHAPE_OTHER",
                           ops->type.name, type->name);
    return SS_OK;
}

ss_status ss_register_shape(ss_context *context, const ss_shape_ops *ops)
{
    return ss_register_type(context, SS_TYPE_SHAPE, ops ? &ops->type : NULL, sizeof *ops, check);
}

ss_status ss_register_builtin_shapes(ss_context *context)
{
    static const ss_shape_ops *const shapes[] = {
        &ss_shape_type_sphere,  &ss_shape_type_plane,    &ss_shape_type_box,
        &ss_shape_type_capsule, &ss_shape_type_cylinder, &ss_shape_type_ellipsoid,
        &ss_shape_type_hull,    &ss_shape_type_mesh,     &ss_shape_type_height_field,
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        SS_TRY(ss_register_shape(context, shapes[k]));
    return SS_OK;
}

/* A shape that owns its parameters. */
typedef struct owned_shape {
    ss_shape shape;
    ss_arena arena;
    bool begun; /* init has been called */
} owned_shape;

static ss_status build(owned_shape *made, const ss_args *args, const ss_scope *scope,
                       const char *directory)
{
    const ss_shape_ops *ops = made->shape.ops;
    char owner[128];
    snprintf(owner, sizeof owner, "shape '%s'", ops->type.name);
    SS_TRY(ss_arena_allocate(&made->arena, 1, ops->type.self_size, &made->shape.self));
    SS_TRY(ss_options_bind(&made->arena, &ops->type, args, scope, owner, made->shape.self));
    made->begun = true;
    ss_shape_setup setup = {owner, ss_args_location(args, NULL), directory, scope};
    return ops->init ? ops->init(made->shape.self, made->arena.context, &setup) : SS_OK;
}

ss_status ss_shape_create(ss_context *context, const char *name, const ss_args *args,
                          const ss_scope *scope, const char *directory, ss_shape **shape)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, name);
    SS_GIVEN(context, shape);
    *shape = NULL;
    const ss_type *type;
    owned_shape *made;
    SS_TRY(ss_type_find(context, SS_TYPE_SHAPE, name, ss_args_location(args, NULL), &type));
    SS_TRY(SS_NEW(context, 1, &made));
    made->shape.ops = (const ss_shape_ops *)type;
    ss_arena_init(&made->arena, context);
    ss_status status = build(made, args, scope, directory);
    if (status != SS_OK) {
        ss_shape_destroy(&made->shape);
        return status;
    }
    *shape = &made->shape;
    return SS_OK;
}

void ss_shape_destroy(ss_shape *shape)
{
    if (!shape)
        return;
    owned_shape *made = (owned_shape *)shape;
    ss_context *context = made->arena.context;
    if (made->begun && shape->ops->destroy)
        shape->ops->destroy(shape->self, context);
    ss_arena_release(&made->arena);
    ss_release(context, made);
}

/* ---- Triangles ---- */

enum { SECTORS = 32 };

ss_status ss_triangles_allocate(ss_context *context, int n_points, int n_triangles, ss_triangles *t)
{
    *t = (ss_triangles){n_points, n_triangles, NULL, NULL};
    ss_status status = SS_NEW(context, 3 * (size_t)n_points, &t->points);
    if (status == SS_OK)
        status = SS_NEW(context, 3 * (size_t)n_triangles, &t->corners);
    if (status != SS_OK) {
        ss_release(context, t->points);
        *t = (ss_triangles){0};
    }
    return status;
}

static void corners_of(int *at, int i, int j, int k)
{
    at[0] = i;
    at[1] = j;
    at[2] = k;
}

ss_status ss_triangles_revolve(ss_context *context, int rings, const double *profile, double bottom,
                               double top, ss_triangles *t)
{
    SS_TRY(ss_triangles_allocate(context, rings * SECTORS + 2, 2 * rings * SECTORS, t));
    double *p = t->points;
    for (int k = 0; k < rings; k++)
        for (int i = 0; i < SECTORS; i++, p += 3) {
            double angle = 2 * SS_PI * i / SECTORS;
            p[0] = profile[2 * k] * ss_cos(angle);
            p[1] = profile[2 * k] * ss_sin(angle);
            p[2] = profile[2 * k + 1];
        }
    ss_copy3((double[]){0, 0, bottom}, p);
    ss_copy3((double[]){0, 0, top}, p + 3);
    int *c = t->corners, last = rings * SECTORS;
    for (int i = 0; i < SECTORS; i++) {
        int next = (i + 1) % SECTORS, high = (rings - 1) * SECTORS;
        corners_of(c, last, next, i);
        corners_of(c + 3, last + 1, high + i, high + next);
        c += 6;
        for (int k = 0; k + 1 < rings; k++, c += 6) {
            int low = k * SECTORS, up = low + SECTORS;
            corners_of(c, low + i, low + next, up + next);
            corners_of(c + 3, low + i, up + next, up + i);
        }
    }
    return SS_OK;
}

/* Integrals over the tetrahedra from the first point to each triangle, negative when that is seen from inside. */
void ss_triangles_solid(const ss_triangles *t, ss_solid *solid)
{
    const double *origin = t->points;
    double V = 0, S[3] = {0}, Q[3][3] = {{0}}, c[3]; /* ∫dV, ∫x dV, ∫x xᵀ dV from there */
    for (int k = 0; k < t->n_triangles; k++) {
        double v[3][3], m[3], sum[3] = {0};
        for (int i = 0; i < 3; i++) {
            ss_minus3(t->points + 3 * (size_t)t->corners[3 * (size_t)k + (size_t)i], origin, v[i]);
            ss_add3(sum, v[i], sum);
        }
        ss_cross3(v[0], v[1], m);
        double det = ss_dot3(m, v[2]);
        V += det / 6;
        ss_along3(S, det / 24, sum, S);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double squares = v[0][i] * v[0][j] + v[1][i] * v[1][j] + v[2][i] * v[2][j];
                Q[i][j] += det / 120 * (sum[i] * sum[j] + squares);
            }
    }
    *solid = (ss_solid){.volume = V};
    ss_scale3(1 / V, S, c);
    ss_add3(origin, c, solid->centre);
    double trace = Q[0][0] + Q[1][1] + Q[2][2] - V * ss_dot3(c, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            solid->inertia[3 * i + j] = (i == j ? trace : 0) - (Q[i][j] - V * c[i] * c[j]);
}
