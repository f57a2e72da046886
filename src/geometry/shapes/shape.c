/* shape.c: a shape by name. */
#include "base/context.h"
#include "geometry/geometry.h"
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
    return ss_register_type(context, SS_TYPE_SHAPE, &ops->type, sizeof *ops, check);
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
    *shape = NULL;
    const ss_type *type;
    void *memory;
    SS_TRY(ss_type_find(context, SS_TYPE_SHAPE, name, ss_args_location(args, NULL), &type));
    SS_TRY(ss_allocate(context, 1, sizeof(owned_shape), &memory));
    owned_shape *made = memory;
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
