/* lookup.c: finds things of the model by the names that a scene gives them. */
#include "scene/lookup.h"

#include "base/arena.h"

#include <string.h>

typedef const char *(*name_fn)(const ss_model *model, int index);

static const char *law_name(const ss_model *model, int index)
{
    return ss_model_law(model, index).name;
}

static const char *system_name(const ss_model *model, int index)
{
    return ss_model_system(model, index).name;
}

/* What is searched for, and where it would be. */
typedef struct search {
    const ss_model *model;
    const char *thing, *name, *owner;
    ss_location where;
    int count;
    name_fn name_of;
} search;

static ss_status refuse(const search *s)
{
    ss_context *context = ss_model_context(s->model);
    ss_arena arena;
    const char **names;
    ss_arena_init(&arena, context);
    ss_status status = SS_ARENA_NEW(&arena, s->count + 1, &names);
    for (int i = 0; status == SS_OK && i < s->count; i++)
        names[i] = s->name_of(s->model, i);
    if (status == SS_OK) {
        const char *near = ss_nearest(s->name, (size_t)s->count, names);
        status = ss_fail_at(context, SS_UNKNOWN_NAME, s->where, "%s: there is no %s '%s'%s%s%s",
                            s->owner, s->thing, s->name, near ? "; did you mean '" : "",
                            near ? near : "", near ? "'?" : "");
    }
    ss_arena_release(&arena);
    return status;
}

static ss_status find(const search *s, int *index)
{
    for (*index = 0; *index < s->count; ++*index)
        if (strcmp(s->name_of(s->model, *index), s->name) == 0)
            return SS_OK;
    return refuse(s);
}

ss_status ss_lookup_law(const ss_model *model, const char *name, ss_location where,
                        const char *owner, int *law)
{
    int count = ss_model_sizes(model).n_laws;
    return find(&(search){model, "law", name, owner, where, count, law_name}, law);
}

ss_status ss_lookup_system(const ss_model *model, const char *name, ss_location where,
                           const char *owner, int *system)
{
    int count = ss_model_sizes(model).n_systems;
    return find(&(search){model, "system", name, owner, where, count, system_name}, system);
}
