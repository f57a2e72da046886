/* layout.c: names and sizes of what a record holds, from a model. */
#include "record/layout.h"

#include <stdio.h>
#include <string.h>

ss_status ss_layout_join(ss_arena *arena, const char *name, const char *part, int number,
                         const char **joined)
{
    size_t capacity = strlen(name) + strlen(part) + 16;
    char *text;
    SS_TRY(SS_ARENA_NEW(arena, capacity, &text));
    int used = snprintf(text, capacity, "%s%s%s", name, part[0] ? "." : "", part);
    if (number > 0)
        snprintf(text + used, capacity - (size_t)used, ".%d", number);
    *joined = text;
    return SS_OK;
}

static ss_status copy_law(ss_arena *arena, ss_law_info from, ss_law_info *law)
{
    static const char *const words[2] = {"constraint", "impressed"};
    *law = from;
    SS_TRY(ss_arena_copy_string(arena, from.name, &law->name));
    SS_TRY(ss_arena_copy_string(arena, from.element, &law->element));
    SS_TRY(ss_arena_copy_string(arena, from.type, &law->type));
    for (int i = 0; i < 2; i++) {
        const char *word = from.words[i] ? from.words[i] : words[i];
        SS_TRY(ss_arena_copy_string(arena, word, &law->words[i]));
    }
    return SS_OK;
}

ss_status ss_layout_name_rows(ss_arena *arena, ss_layout *layout)
{
    SS_TRY(SS_ARENA_NEW(arena, layout->n_rows, &layout->rows));
    for (int i = 0; i < layout->n_laws; i++) {
        const ss_law_info *law = &layout->laws[i];
        for (int k = 0; k < law->dim; k++)
            SS_TRY(ss_layout_join(arena, law->name, "", law->dim > 1 ? k + 1 : 0,
                                  &layout->rows[law->offset + k]));
    }
    return SS_OK;
}

static ss_status copy_parameters(ss_arena *arena, const ss_scope *scope, ss_layout *layout)
{
    size_t count = scope ? ss_scope_count(scope) : 0;
    layout->n_parameters = (int)count;
    SS_TRY(SS_ARENA_NEW(arena, count, &layout->parameters));
    SS_TRY(SS_ARENA_NEW(arena, count, &layout->parameter_values));
    for (size_t i = 0; i < count; i++) {
        layout->parameter_values[i] = ss_scope_value(scope, i);
        SS_TRY(ss_arena_copy_string(arena, ss_scope_name(scope, i), &layout->parameters[i]));
    }
    return SS_OK;
}

ss_status ss_layout_of_model(ss_arena *arena, const ss_model *model, ss_layout *layout)
{
    ss_model_size size = ss_model_sizes(model);
    *layout =
        (ss_layout){.n_q = size.n_q, .n_u = size.n_u, .n_laws = size.n_laws, .n_rows = size.n_rows};
    SS_TRY(SS_ARENA_NEW(arena, size.n_q, &layout->q));
    for (int i = 0; i < size.n_q; i++)
        SS_TRY(ss_arena_copy_string(arena, ss_model_q_name(model, i).text, &layout->q[i]));
    SS_TRY(SS_ARENA_NEW(arena, size.n_u, &layout->u));
    for (int i = 0; i < size.n_u; i++)
        SS_TRY(ss_arena_copy_string(arena, ss_model_u_name(model, i).text, &layout->u[i]));
    SS_TRY(SS_ARENA_NEW(arena, size.n_laws, &layout->laws));
    for (int i = 0; i < size.n_laws; i++)
        SS_TRY(copy_law(arena, ss_model_law(model, i), &layout->laws[i]));
    SS_TRY(ss_layout_name_rows(arena, layout));
    return copy_parameters(arena, ss_model_scope(model), layout);
}
