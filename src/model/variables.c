/* variables.c: coordinates and velocities by name.
 *
 * Models may have millions of them: only names without the system's are kept, and only once.
 */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

ss_name ss_system_variable_brief(const ss_system *system, bool velocity, int index)
{
    ss_name name;
    bool primed = velocity && !system->u_names;
    snprintf(name.text, sizeof name.text, "%.50s%s",
             velocity && !primed ? system->u_names[index] : system->q_names[index],
             primed ? "'" : "");
    return name;
}

ss_name ss_system_variable_name(const ss_system *system, bool velocity, int index)
{
    ss_name name;
    snprintf(name.text, sizeof name.text, "%.200s.%.52s", system->object.name,
             ss_system_variable_brief(system, velocity, index).text);
    return name;
}

static ss_name variable_at(const ss_system *system, int i)
{
    bool velocity = i >= system->nq;
    return ss_system_variable_brief(system, velocity, velocity ? i - system->nq : i);
}

/* Everything that can fail comes first, so that a system enters with all its names or none. */
ss_status ss_model_add_variables(ss_model *model, int index)
{
    const ss_system *system = &model->systems[index];
    int count = system->nq + system->nu, other;
    size_t bytes = 0;
    double value;
    char *copy;
    for (int i = 0; i < count; i++) {
        ss_name name = variable_at(system, i);
        if (ss_scope_find(model->scope, name.text, &value))
            return ss_fail_at(
                model->context, SS_INPUT, system->object.where,
                "%s: the coordinate '%s' has the name of a parameter; rename one of them",
                system->object.owner, name.text);
        if (!ss_map_find(&model->variables, name.text, &other))
            bytes += strlen(name.text) + 1;
    }
    if (bytes > 0)
        SS_TRY(SS_ARENA_NEW(&model->arena, bytes, &copy));
    SS_TRY(ss_map_reserve(&model->variables, (size_t)count));
    for (int i = 0; i < count; i++) {
        ss_name name = variable_at(system, i);
        bool taken = ss_map_find(&model->variables, name.text, &other);
        if (taken && other < 0)
            continue;
        const char *kept = name.text; /* the map has its own copy when it is taken */
        if (!taken) {
            kept = strcpy(copy, name.text);
            copy += strlen(copy) + 1;
        }
        SS_TRY(ss_map_set(&model->variables, kept, taken ? -1 : index));
    }
    return SS_OK;
}

bool ss_system_variable(const ss_system *system, const char *name, ss_variable *v)
{
    for (int i = 0; i < system->nq + system->nu; i++) {
        v->velocity = i >= system->nq;
        v->index = v->velocity ? i - system->nq : i;
        if (strcmp(name, ss_system_variable_brief(system, v->velocity, v->index).text) == 0)
            return true;
    }
    return false;
}

bool ss_model_find_variable(const ss_model *model, const char *name, ss_variable *v)
{
    if (ss_map_find(&model->variables, name, &v->system))
        return v->system < 0 || ss_system_variable(&model->systems[v->system], name, v);
    const char *dot = strrchr(name, '.');
    ss_name system;
    if (!dot || (size_t)(dot - name) >= sizeof system.text)
        return false;
    snprintf(system.text, sizeof system.text, "%.*s", (int)(dot - name), name);
    return ss_map_find(&model->names[SS_TYPE_SYSTEM], system.text, &v->system) &&
           ss_system_variable(&model->systems[v->system], dot + 1, v);
}
