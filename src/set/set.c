/* set.c: kinds of sets are registered, sets made of them by name; what all sets can do. */
#include "set/set.h"

#include "base/context.h"
#include "options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ss_status check(ss_context *context, const void *opaque)
{
    const ss_set_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_SET, ops, prox);
    SS_REQUIRE(context, SS_TYPE_SET, ops, contains);
    SS_REQUIRE(context, SS_TYPE_SET, ops, support);
    if ((int)ops->kind < SS_SET_OTHER || (int)ops->kind > SS_SET_PRODUCT)
        return ss_fail(context, SS_INPUT, "set type '%s': there is no kind %d", ops->type.name,
                       (int)ops->kind);
    return SS_OK;
}

ss_status ss_register_set(ss_context *context, const ss_set_ops *ops)
{
    return ss_register_type(context, SS_TYPE_SET, ops ? &ops->type : NULL, sizeof *ops, check);
}

ss_status ss_register_builtin_sets(ss_context *context)
{
    static const ss_set_ops *const types[] = {
        &ss_set_type_free,      &ss_set_type_half_line,  &ss_set_type_negative_half_line,
        &ss_set_type_interval,  &ss_set_type_disk,       &ss_set_type_ellipse,
        &ss_set_type_ellipsoid, &ss_set_type_polygon,    &ss_set_type_product,
        &ss_set_type_cone,      &ss_set_type_disk_patch,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        SS_TRY(ss_register_set(context, types[i]));
    return SS_OK;
}

ss_status ss_set_allocate(ss_context *context, const ss_set_ops *ops, ss_owned_set **owned)
{
    ss_owned_set *o;
    *owned = NULL;
    SS_TRY(SS_NEW(context, 1, &o));
    ss_arena_init(&o->arena, context);
    ss_status status = ss_arena_allocate(&o->arena, 1, ops->type.self_size, &o->self);
    if (status != SS_OK) {
        ss_release(context, o);
        return status;
    }
    o->set.ops = ops;
    o->set.self = o->self;
    *owned = o;
    return SS_OK;
}

void ss_set_destroy(ss_set *set)
{
    if (!set)
        return;
    ss_owned_set *owned = (ss_owned_set *)set;
    ss_context *context = owned->arena.context;
    if (set->ops->destroy)
        set->ops->destroy(owned->self, context);
    ss_arena_release(&owned->arena);
    ss_release(context, owned);
}

/* A dim of 0 becomes the only one there is. */
static ss_status check_dim(ss_context *context, ss_location where, int dim, ss_set *set)
{
    const char *name = set->ops->type.name;
    int least = 1, most = SS_SET_MAX_DIM;
    if (set->ops->dimensions)
        set->ops->dimensions(set->self, &least, &most);
    if (dim == 0 && least == most)
        dim = least;
    set->dim = dim;
    if (dim >= least && dim <= most)
        return SS_OK;
    if (dim == 0)
        return ss_fail_at(context, SS_INPUT, where,
                          "set '%s': its dimension must be given, %d … %d", name, least, most);
    if (least == most)
        return ss_fail_at(context, SS_INPUT, where, "set '%s' has dimension %d, but %d is wanted",
                          name, least, dim);
    return ss_fail_at(context, SS_INPUT, where, "set '%s' has dimension %d … %d, but %d is wanted",
                      name, least, most, dim);
}

static ss_status prepare(ss_context *context, const ss_args *args, const ss_scope *scope, int dim,
                         ss_owned_set *owned)
{
    const ss_set_ops *ops = owned->set.ops;
    ss_location where = ss_args_location(args, NULL);
    char owner[96];
    snprintf(owner, sizeof owner, "set '%s'", ops->type.name);
    SS_TRY(ss_options_bind(&owned->arena, &ops->type, args, scope, owner, owned->self));
    if (ops->init) {
        ss_status status = ops->init(owned->self, context);
        if (status != SS_OK)
            return ss_fail_at(context, status, where, "%s", ss_context_message(context));
    }
    SS_TRY(check_dim(context, where, dim, &owned->set));
    owned->set.kind = ops->kind_of ? ops->kind_of(owned->self, owned->set.dim) : ops->kind;
    return SS_OK;
}

ss_status ss_set_create(ss_context *context, const char *name, const ss_args *args,
                        const ss_scope *scope, int dim, ss_set **set)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, name);
    SS_GIVEN(context, set);
    const ss_type *type;
    ss_owned_set *owned;
    *set = NULL;
    SS_TRY(ss_type_find(context, SS_TYPE_SET, name, ss_args_location(args, NULL), &type));
    /* The type is the first member of its ops. */
    SS_TRY(ss_set_allocate(context, (const ss_set_ops *)type, &owned));
    ss_status status = prepare(context, args, scope, dim, owned);
    if (status == SS_OK)
        *set = &owned->set;
    else
        ss_set_destroy(&owned->set);
    return status;
}

/* "disk 2" → name and dimension; 0 when there is no number. */
static ss_status parse(ss_context *context, const ss_text *text, size_t capacity, char *name,
                       int *dim)
{
    char *end = NULL;
    size_t length = strcspn(text->text, " \t");
    const char *rest = text->text + length;
    rest += strspn(rest, " \t");
    snprintf(name, capacity, "%.*s", (int)length, text->text);
    long number = *rest ? strtol(rest, &end, 10) : 0;
    *dim = (int)number;
    if (*rest && (*end || number < 1 || number > SS_SET_MAX_DIM))
        return ss_fail_at(context, SS_INPUT, text->where,
                          "'%s' must be the name of a set, with a dimension 1 … %d behind where "
                          "there is a choice",
                          text->text, SS_SET_MAX_DIM);
    return SS_OK;
}

ss_status ss_set_create_from(ss_context *context, const ss_set_spec *spec, int dim, ss_set **set)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, spec);
    SS_GIVEN(context, spec->name.text);
    char name[64];
    int own;
    ss_args *none = NULL;
    *set = NULL;
    SS_TRY(parse(context, &spec->name, sizeof name, name, &own));
    if (own && dim && own != dim)
        return ss_fail_at(context, SS_INPUT, spec->name.where,
                          "set '%s' has dimension %d, but %d is wanted", name, own, dim);
    if (!spec->args) { /* its place, for messages */
        SS_TRY(ss_args_create(context, &none));
        ss_args_set_location(none, spec->name.where);
    }
    ss_status status = ss_set_create(context, name, spec->args ? spec->args : none, spec->scope,
                                     own ? own : dim, set);
    ss_args_destroy(none);
    return status;
}

/* ---- Functions of a set ---- */

void ss_set_vdst(const ss_set *set, double scale, const double *x, double *v)
{
    double y[SS_SET_MAX_DIM];
    ss_set_prox(set, scale, x, y);
    for (int i = 0; i < set->dim; i++)
        v[i] = x[i] - y[i];
}

ss_status ss_set_prox_metric(ss_context *context, const ss_set *set, double scale, const double *R,
                             const double *x, double *y)
{
    if (!ss_set_has_metric(set))
        return ss_fail(context, SS_UNSUPPORTED,
                       "set '%s' has no projection in a metric; project in the Euclidean one",
                       set->ops->type.name);
    set->ops->prox_metric(set->self, set->dim, scale, R, x, y);
    return SS_OK;
}

bool ss_set_contains(const ss_set *set, double scale, const double *x, double tolerance)
{
    return set->ops->contains(set->self, set->dim, scale, x, tolerance);
}

double ss_set_support(const ss_set *set, double scale, const double *v)
{
    return set->ops->support(set->self, set->dim, scale, v);
}

bool ss_set_near(const ss_set_ops *ops, const void *self, int dim, double scale, const double *x,
                 double tolerance)
{
    double v[SS_SET_MAX_DIM];
    ops->prox(self, dim, scale, x, v);
    for (int i = 0; i < dim; i++)
        v[i] = x[i] - v[i];
    return ss_ball_norm(dim, v) <= tolerance;
}
