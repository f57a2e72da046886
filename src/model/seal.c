/* seal.c: checks a model as a whole and lays out its vectors. */
#include "base/context.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

/* Elements see F of what they contact, and motion needs it where the type has no `move`. */
static void find_F(ss_model *model)
{
    for (int i = 0; i < model->n_systems.count; i++) {
        const ss_system_ops *ops = model->systems[i].ops;
        model->systems[i].has_F = ops->F && !ops->move;
        model->any_F = model->any_F || ops->F;
    }
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_connected *connected = &model->elements[e].connected;
        for (int k = 0; k < connected->count; k++) {
            ss_system *system = &model->systems[connected->systems[k]];
            system->has_F = system->ops->F != NULL;
        }
    }
}

static void lay_out_systems(ss_model *model)
{
    find_F(model);
    model->constant_mass = true;
    model->n_q = model->n_u = 0;
    model->mass_size = model->F_size = 0;
    for (int i = 0; i < model->n_systems.count; i++) {
        ss_system *system = &model->systems[i];
        system->q_offset = model->n_q;
        system->u_offset = model->n_u;
        system->mass_offset = model->mass_size;
        system->F_offset = model->F_size;
        model->n_q += system->nq;
        model->n_u += system->nu;
        if (!system->plain)
            model->mass_size += (size_t)system->nu * (size_t)system->nu;
        model->prescribed = model->prescribed || system->prescribed;
        model->constant_mass = model->constant_mass && system->constant_mass;
        if (system->nu * system->nu > model->largest_mass)
            model->largest_mass = system->nu * system->nu;
        if (system->nq * system->nu > model->largest_F)
            model->largest_F = system->nq * system->nu;
        if (system->has_F)
            model->F_size += (size_t)system->nq * (size_t)system->nu;
    }
}

static ss_status collect_laws(ss_model *model)
{
    model->n_rows = model->n_element_rows = 0;
    for (int i = 0; i < model->n_elements.count; i++)
        model->elements[i].n_laws = 0;
    for (int i = 0; i < model->n_laws.count; i++) {
        ss_law *law = &model->laws[i];
        law->offset = model->n_rows;
        model->n_rows += law->dim;
        model->elements[law->element].n_laws++;
    }
    for (int i = 0; i < model->n_elements.count; i++) {
        ss_element *element = &model->elements[i];
        element->row_offset = model->n_element_rows;
        model->n_element_rows += element->rows;
        if (element->n_laws == 0)
            return ss_refuse_object(model, &element->object,
                                    "no law is attached to it, so it would do nothing");
        SS_TRY(SS_ARENA_NEW(&model->arena, element->n_laws, &element->laws));
        element->n_laws = 0;
    }
    for (int pass = 0; pass < 2; pass++) /* normal laws first */
        for (int i = 0; i < model->n_laws.count; i++) {
            ss_element *element = &model->elements[model->laws[i].element];
            if ((model->laws[i].kind == SS_GEOMETRIC) == (pass == 0))
                element->laws[element->n_laws++] = i;
        }
    return SS_OK;
}

/* Laws that groups of rows have unless they are given others. */
static ss_status add_default_law(ss_model *model, const ss_element *element, const ss_group *group)
{
    ss_args *args;
    SS_TRY(ss_args_create(model->context, &args));
    ss_args_set_location(args, element->object.where);
    ss_status status = SS_OK;
    if (group->law_key)
        status = ss_args_set_text(args, group->law_key, group->law_value);
    if (status == SS_OK)
        status = ss_model_add_law(model, element->object.name, group->name, group->law, args);
    ss_args_destroy(args);
    return status;
}

/* The only law of one geometric row in the same element. */
static ss_status default_scale(ss_model *model, ss_law *law)
{
    const ss_element *element = &model->elements[law->element];
    int found = -1, count = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *other = &model->laws[element->laws[i]];
        if (other != law && other->kind == SS_GEOMETRIC && other->dim == 1) {
            found = element->laws[i];
            count++;
        }
    }
    law->scale_from = found;
    if (count == 1)
        return SS_OK;
    if (count > 1)
        return ss_refuse_object(model, &law->object,
                                "the element has several normal laws; say which one presses "
                                "('normal'), or take 'joint_friction' for friction by the whole "
                                "force of a joint");
    return ss_refuse_object(model, &law->object,
                            "no normal law presses it; attach a law to a geometric row of the "
                            "element, or name one ('normal')");
}

static ss_status named_scale(ss_model *model, ss_law *law)
{
    char joined[512];
    const char *name = law->scale_name.text;
    const char *element = model->elements[law->element].object.name;
    if (!strchr(name, '.') &&
        snprintf(joined, sizeof joined, "%s.%s", element, name) < (int)sizeof joined)
        name = joined;
    bool found = ss_map_find(&model->names[SS_TYPE_LAW], name, &law->scale_from);
    if (found && model->laws[law->scale_from].dim == 1 && &model->laws[law->scale_from] != law)
        return SS_OK;
    ss_location where = law->scale_name.where.line ? law->scale_name.where : law->object.where;
    return ss_fail_at(model->context, SS_UNKNOWN_NAME, where,
                      found
                          ? "%s: '%s' cannot scale it: a law of one row other than itself is needed"
                          : "%s: there is no law '%s'",
                      law->object.owner, law->scale_name.text);
}

/* The group whose impulse scales a law must have one. */
static ss_status check_pressure(ss_model *model, const ss_law *law)
{
    const ss_element *element = &model->elements[law->element];
    if (ss_element_rule(element))
        return ss_refuse_object(model, &law->object,
                                "it is for joints; 'friction' is for contacts of shapes");
    for (int i = 0; i < element->n_laws; i++)
        if (model->laws[element->laws[i]].group == law->load_group)
            return SS_OK;
    return ss_refuse_object(model, &law->object,
                            "group '%s' has no law, so there is no force that presses",
                            element->groups[law->load_group].name);
}

static ss_status resolve_scales(ss_model *model)
{
    for (int i = 0; i < model->n_laws.count; i++) {
        ss_law *law = &model->laws[i];
        if (law->scaled)
            SS_TRY(law->scale_name.text ? named_scale(model, law) : default_scale(model, law));
        if (law->load_group >= 0)
            SS_TRY(check_pressure(model, law));
        model->loaded = model->loaded || law->load_group >= 0;
    }
    return SS_OK;
}

ss_status ss_model_complete_laws(ss_model *model)
{
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *element = &model->elements[e];
        for (int g = 0; g < element->n_groups; g++)
            if (element->groups[g].law && !element->groups[g].has_law)
                SS_TRY(add_default_law(model, element, &element->groups[g]));
    }
    return SS_OK;
}

/* What may be missing or wrong. Nothing here stands in the way of another try. */
static ss_status check(ss_model *model)
{
    if (model->n_systems.count == 0)
        return ss_fail(model->context, SS_INPUT, "the model has no system");
    SS_TRY(ss_model_weigh_shapes(model));
    for (int i = 0; i < model->n_systems.count; i++)
        if (model->systems[i].body)
            SS_TRY(ss_body_weigh(model, &model->systems[i]));
    SS_TRY(ss_model_complete_laws(model));
    SS_TRY(collect_laws(model));
    SS_TRY(resolve_scales(model));
    return ss_model_check_rules(model);
}

ss_status ss_model_seal(ss_model *model)
{
    SS_GIVEN(NULL, model);
    if (model->sealed)
        return SS_OK;
    ss_model_mark mark = ss_model_marked(model);
    ss_status status = check(model);
    if (status == SS_OK)
        status = ss_model_seal_shapes(model);
    if (status != SS_OK) {
        ss_model_rollback(model, &mark);
        for (int i = 0; i < model->n_systems.count; i++)
            if (model->systems[i].body)
                ss_body_unweigh(model->systems[i].body);
        return status;
    }
    for (int i = 0; i < model->n_systems.count; i++)
        if (model->systems[i].body)
            ss_body_centre(&model->systems[i]);
    lay_out_systems(model);
    ss_control_lay_out(model);
    model->sealed = true;
    return SS_OK;
}
