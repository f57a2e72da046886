/* variables.c: coordinates and velocities by name. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static ss_status join(ss_arena *arena, const char *system, const char *name, const char **joined)
{
    size_t length = strlen(system) + strlen(name) + 2;
    char *text;
    SS_TRY(SS_ARENA_NEW(arena, length, &text));
    snprintf(text, length, "%s.%s", system, name);
    *joined = text;
    return SS_OK;
}

static ss_status add(ss_model *model, int system, const char *name, bool velocity, int index)
{
    const ss_object *object = &model->systems[system].object;
    double value;
    if (ss_scope_find(model->scope, name, &value))
        return ss_fail_at(model->context, SS_INPUT, object->where,
                          "%s: the coordinate '%s' has the name of a parameter; rename one of them",
                          object->owner, name);
    SS_TRY(ss_list_grow(model, &model->n_variables, sizeof *model->variable_list,
                        (void **)&model->variable_list));
    int place = model->n_variables.count - 1;
    ss_variable *v = &model->variable_list[place];
    *v = (ss_variable){.system = system, .index = index, .velocity = velocity};
    SS_TRY(join(&model->arena, object->name, name, &v->name));
    SS_TRY(ss_map_set(&model->variables, v->name, place));
    int other;
    bool taken = ss_map_find(&model->variables, name, &other);
    return ss_map_set(&model->variables, name, taken ? -1 : place);
}

ss_status ss_model_add_variables(ss_model *model, int index)
{
    ss_system *system = &model->systems[index];
    system->first_variable = model->n_variables.count;
    for (int i = 0; i < system->nq; i++)
        SS_TRY(add(model, index, system->q_names[i], false, i));
    for (int i = 0; i < system->nu; i++)
        SS_TRY(add(model, index, system->u_names[i], true, i));
    return SS_OK;
}
