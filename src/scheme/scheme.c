/* scheme.c: schemes by name, and what they can do. */
#include "assembly/work.h"
#include "base/context.h"
#include "options/options.h"
#include "scheme/builtin.h"

#include <stdio.h>

static ss_status check(ss_context *context, const void *opaque)
{
    const ss_scheme_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_SCHEME, ops, step);
    return SS_OK;
}

ss_status ss_register_scheme(ss_context *context, const ss_scheme_ops *ops)
{
    return ss_register_type(context, SS_TYPE_SCHEME, ops ? &ops->type : NULL, sizeof *ops, check);
}

ss_status ss_scheme_create(ss_context *context, const char *name, const ss_args *args,
                           const ss_scope *scope, ss_scheme **scheme)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, name);
    SS_GIVEN(context, scheme);
    *scheme = NULL;
    const ss_type *type;
    SS_TRY(ss_type_find(context, SS_TYPE_SCHEME, name, ss_args_location(args, NULL), &type));
    ss_scheme *made;
    SS_TRY(SS_NEW(context, 1, &made));
    made->context = context;
    made->ops = (const ss_scheme_ops *)type;
    ss_arena_init(&made->arena, context);
    void *self;
    ss_status status =
        ss_arena_allocate(&made->arena, 1, type->self_size ? type->self_size : 1, &self);
    if (status == SS_OK)
        status = ss_options_bind(&made->arena, type, args, scope, "scheme", self);
    if (status == SS_OK && made->ops->init)
        status = made->ops->init(self, context);
    if (status != SS_OK) {
        ss_scheme_destroy(made);
        return status;
    }
    made->self = self;
    *scheme = made;
    return SS_OK;
}

void ss_scheme_destroy(ss_scheme *scheme)
{
    if (!scheme)
        return;
    if (scheme->self && scheme->ops->destroy)
        scheme->ops->destroy(scheme->self, scheme->context);
    ss_release(scheme->context, scheme->scratch);
    ss_arena_release(&scheme->arena);
    ss_release(scheme->context, scheme);
}

const char *ss_scheme_name(const ss_scheme *scheme)
{
    return scheme->ops->type.name;
}

ss_abilities ss_scheme_abilities(const ss_scheme *scheme)
{
    ss_abilities can = scheme->ops->can;
    if (scheme->ops->adapt)
        scheme->ops->adapt(scheme->self, &can);
    return can;
}

ss_contact_policy ss_scheme_contacts(const ss_scheme *scheme, const ss_model *model)
{
    return scheme->ops->contacts ? scheme->ops->contacts(scheme->self, model)
                                 : scheme->ops->can.contacts;
}

void ss_scheme_describe(ss_context *context, const char *name, size_t capacity, char *text)
{
    static const char *const levels[] = {
        [SS_ON_VELOCITY] = "on velocity level",
        [SS_ON_DISPLACEMENT] = "with gaps",
        [SS_ON_BOTH] = "on velocity and on position level",
    };
    ss_scheme *scheme;
    text[0] = 0;
    if (ss_scheme_create(context, name, NULL, NULL, &scheme) != SS_OK)
        return;
    ss_abilities can = ss_scheme_abilities(scheme);
    ss_scheme_destroy(scheme);
    if (can.order == 0)
        return;
    snprintf(text, capacity,
             "Order %d in smooth motion%s; laws %s; impacts %s; %s that never open; contacts of "
             "shapes %s; %s.",
             can.order,
             can.order > 1 && !can.kinematic ? ", 1 with constraints of velocities alone" : "",
             levels[can.level],
             can.elastic ? "with and without restitution" : "without restitution only",
             can.bilateral ? "constraints" : "no constraints",
             can.contacts == SS_CONTACTS_FOLLOWED ? "followed through a step" : "detected",
             can.expansion ? "may be extrapolated" : "cannot be extrapolated");
}

size_t ss_scheme_state_size(const ss_scheme *scheme, const ss_model *model)
{
    return scheme->ops->state_size ? scheme->ops->state_size(scheme->self, model) : 0;
}

/* What the scheme cannot do, by the laws of the model. */
static ss_status check_abilities(const ss_scheme *scheme, const ss_model *model)
{
    ss_abilities can = ss_scheme_abilities(scheme);
    for (int l = 0; can.order > 0 && l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        bool elastic = ss_law_is_elastic(&model->elements[law->element], law);
        if (elastic && !can.elastic)
            return ss_fail_at(
                scheme->context, SS_UNSUPPORTED, law->object.where,
                "the scheme '%s' cannot be used here: %s has restitution, and the scheme "
                "treats inelastic impacts only; moreau, for one, treats both",
                ss_scheme_name(scheme), law->object.owner);
        if (ss_law_is_constraint(law) && !can.bilateral)
            return ss_fail_at(
                scheme->context, SS_UNSUPPORTED, law->object.where,
                "the scheme '%s' cannot be used here: %s is a constraint that never opens",
                ss_scheme_name(scheme), law->object.owner);
    }
    return SS_OK;
}

ss_status ss_scheme_prepare(ss_scheme *scheme, const ss_model *model)
{
    SS_GIVEN(NULL, scheme);
    SS_GIVEN(scheme->context, model);
    SS_TRY(check_abilities(scheme, model));
    const char *reason = scheme->ops->refuses ? scheme->ops->refuses(scheme->self, model) : NULL;
    if (reason)
        return ss_fail(scheme->context, SS_UNSUPPORTED, "the scheme '%s' cannot be used here: %s",
                       ss_scheme_name(scheme), reason);
    ss_model_size size = ss_model_sizes(model);
    return ss_scheme_reserve(scheme, model, &size);
}

ss_status ss_scheme_reserve(ss_scheme *scheme, const ss_model *model, const ss_model_size *size)
{
    size_t count = scheme->ops->scratch ? scheme->ops->scratch(scheme->self, model, size) : 0;
    void *scratch = scheme->scratch;
    SS_TRY(ss_reallocate(scheme->context, count, sizeof(double), &scratch));
    scheme->scratch = scratch;
    return SS_OK;
}

ss_status ss_register_builtin_schemes(ss_context *context)
{
    static const ss_scheme_ops *const all[] = {
        &ss_moreau_ops,
        &ss_moreau_stabilized_ops,
        &ss_theta_ops,
        &ss_paoli_schatzman_ops,
        &ss_stiegelmeier_ops,
        &ss_funk_ops,
        &ss_foerg_explicit_ops,
        &ss_foerg_implicit_ops,
        &ss_stewart_trinkle_ops,
        &ss_anitescu_potra_1997_ops,
        &ss_anitescu_potra_2002_ops,
        &ss_anitescu_hart_ops,
        &ss_potra_ops,
        &ss_gavrea_ops,
        &ss_ggl_ops,
        &ss_preconditioned_index3_ops,
        &ss_generalized_alpha_ops,
        &ss_free_choice_ops,
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        SS_TRY(ss_register_scheme(context, all[i]));
    return SS_OK;
}
