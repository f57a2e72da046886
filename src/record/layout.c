/* layout.c: names and sizes of what a record holds, from a model, into a file and out of it. */
#include "model/model.h"
#include "record/fields.h"

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

/* Makes the names of rows from those of the laws. */
static ss_status name_rows(ss_arena *arena, ss_layout *layout)
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
    for (size_t i = 0; i < count; i++) {
        layout->parameters[i].value = ss_scope_value(scope, i);
        SS_TRY(ss_arena_copy_string(arena, ss_scope_name(scope, i), &layout->parameters[i].name));
    }
    return SS_OK;
}

/* Seven numbers for each frame with a name. */
static ss_status name_frames(ss_arena *arena, const ss_model *model, ss_layout *layout)
{
    static const char *const parts[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
    int n = 0;
    for (int s = 0; s < model->n_systems.count; s++)
        layout->n_frames += 7 * model->systems[s].n_frames;
    SS_TRY(SS_ARENA_NEW(arena, layout->n_frames, &layout->frames));
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        for (int k = 0; k < 7 * system->n_frames; k++) {
            const char *frame;
            SS_TRY(
                ss_layout_join(arena, system->object.name, system->frame_names[k / 7], 0, &frame));
            SS_TRY(ss_layout_join(arena, frame, parts[k % 7], 0, &layout->frames[n++]));
        }
    }
    return SS_OK;
}

static ss_status copy_signals(ss_arena *arena, const ss_model *model, ss_layout *layout)
{
    SS_TRY(SS_ARENA_NEW(arena, layout->n_inputs, &layout->inputs));
    SS_TRY(SS_ARENA_NEW(arena, layout->n_inputs, &layout->input_units));
    SS_TRY(SS_ARENA_NEW(arena, layout->n_outputs, &layout->outputs));
    SS_TRY(SS_ARENA_NEW(arena, layout->n_outputs, &layout->output_units));
    for (int i = 0; i < layout->n_inputs; i++) {
        ss_input_info input = ss_model_input(model, i);
        SS_TRY(ss_arena_copy_string(arena, input.name, &layout->inputs[i]));
        SS_TRY(ss_arena_copy_string(arena, input.unit, &layout->input_units[i]));
    }
    for (int i = 0; i < layout->n_outputs; i++) {
        ss_output_info output = ss_model_output(model, i);
        SS_TRY(ss_arena_copy_string(arena, output.name, &layout->outputs[i]));
        SS_TRY(ss_arena_copy_string(arena, output.unit, &layout->output_units[i]));
    }
    return SS_OK;
}

ss_status ss_layout_of_model(ss_arena *arena, const ss_model *model, ss_layout *layout)
{
    ss_model_size size = ss_model_sizes(model);
    *layout = (ss_layout){.n_q = size.n_q,
                          .n_u = size.n_u,
                          .n_laws = size.n_laws,
                          .n_rows = size.n_rows,
                          .n_inputs = size.n_inputs,
                          .n_outputs = size.n_outputs};
    SS_TRY(SS_ARENA_NEW(arena, size.n_q, &layout->q));
    for (int i = 0; i < size.n_q; i++)
        SS_TRY(ss_arena_copy_string(arena, ss_model_q_name(model, i).text, &layout->q[i]));
    SS_TRY(SS_ARENA_NEW(arena, size.n_u, &layout->u));
    for (int i = 0; i < size.n_u; i++)
        SS_TRY(ss_arena_copy_string(arena, ss_model_u_name(model, i).text, &layout->u[i]));
    SS_TRY(SS_ARENA_NEW(arena, size.n_laws, &layout->laws));
    for (int i = 0; i < size.n_laws; i++)
        SS_TRY(copy_law(arena, ss_model_law(model, i), &layout->laws[i]));
    SS_TRY(name_rows(arena, layout));
    SS_TRY(name_frames(arena, model, layout));
    SS_TRY(copy_signals(arena, model, layout));
    return copy_parameters(arena, ss_model_scope(model), layout);
}

/* ---- Files ---- */

static const ss_item_type parameter_fields = {
    sizeof(ss_layout_parameter),
    2,
    {{"/scene/parameters/name", SS_NUMBER_TEXT, 1, offsetof(ss_layout_parameter, name)},
     {"/scene/parameters/value", SS_NUMBER_REAL, 1, offsetof(ss_layout_parameter, value)}}};

/* A law as the file has it. */
typedef struct law_entry {
    ss_law_info info;
    int32_t geometric;
} law_entry;

#define AT(member) offsetof(law_entry, member)
static const ss_item_type law_fields = {
    sizeof(law_entry),
    9,
    {{"/names/laws", SS_NUMBER_TEXT, 1, AT(info.name)},
     {"/laws/element", SS_NUMBER_TEXT, 1, AT(info.element)},
     {"/laws/type", SS_NUMBER_TEXT, 1, AT(info.type)},
     {"/laws/constraint_word", SS_NUMBER_TEXT, 1, AT(info.words[0])},
     {"/laws/impressed_word", SS_NUMBER_TEXT, 1, AT(info.words[1])},
     {"/laws/friction", SS_NUMBER_REAL, 1, AT(info.friction)},
     {"/laws/first_row", SS_NUMBER_INT32, 1, AT(info.offset)},
     {"/laws/rows", SS_NUMBER_INT32, 1, AT(info.dim)},
     {"/laws/geometric", SS_NUMBER_INT32, 1, AT(geometric)}}};
#undef AT

ss_status ss_layout_write(ss_arena *arena, const ss_store *store, const ss_layout *layout)
{
    law_entry *laws;
    SS_TRY(SS_ARENA_NEW(arena, layout->n_laws, &laws));
    for (int i = 0; i < layout->n_laws; i++)
        laws[i] = (law_entry){layout->laws[i], layout->laws[i].kind == SS_GEOMETRIC};
    SS_TRY(ss_store_write_texts(store, "/names/q", layout->n_q, layout->q));
    SS_TRY(ss_store_write_texts(store, "/names/u", layout->n_u, layout->u));
    SS_TRY(ss_store_write_texts(store, "/names/rows", layout->n_rows, layout->rows));
    if (layout->n_frames > 0)
        SS_TRY(ss_store_write_texts(store, "/names/frames", layout->n_frames, layout->frames));
    SS_TRY(ss_store_write_texts(store, "/names/inputs", layout->n_inputs, layout->inputs));
    SS_TRY(
        ss_store_write_texts(store, "/names/input_units", layout->n_inputs, layout->input_units));
    SS_TRY(ss_store_write_texts(store, "/names/outputs", layout->n_outputs, layout->outputs));
    SS_TRY(ss_store_write_texts(store, "/names/output_units", layout->n_outputs,
                                layout->output_units));
    SS_TRY(
        ss_items_write(store, &parameter_fields, (size_t)layout->n_parameters, layout->parameters));
    return ss_items_write(store, &law_fields, (size_t)layout->n_laws, laws);
}

/* Laws own their rows one after the other. */
static ss_status read_laws(ss_arena *arena, const ss_store *store, ss_layout *layout)
{
    size_t count = 0;
    void *entries = NULL;
    SS_TRY(ss_items_read(store, &law_fields, arena, &count, &entries));
    SS_TRY(SS_ARENA_NEW(arena, count, &layout->laws));
    layout->n_laws = (int)count;
    int next = 0;
    for (size_t i = 0; i < count; i++) {
        const law_entry *entry = (const law_entry *)entries + i;
        ss_law_info *law = &layout->laws[i];
        *law = entry->info;
        law->kind = entry->geometric ? SS_GEOMETRIC : SS_KINEMATIC;
        if (law->offset != next || law->dim < 1 || law->dim > layout->n_rows - next)
            return ss_store_damaged(store, "/laws/first_row", "does not fit /laws/rows");
        next += law->dim;
    }
    return next == layout->n_rows ? SS_OK
                                  : ss_store_damaged(store, "/names/rows", "has a wrong length");
}

/* Names and units of inputs or outputs. */
static ss_status read_signals(ss_arena *arena, const ss_store *store, const char *names,
                              const char *units, int *count, const char ***signals,
                              const char ***signal_units)
{
    int n_units = 0;
    SS_TRY(ss_store_read_texts(store, names, arena, count, signals));
    SS_TRY(ss_store_read_texts(store, units, arena, &n_units, signal_units));
    return n_units == *count ? SS_OK : ss_store_damaged(store, units, "has a wrong length");
}

ss_status ss_layout_of_file(ss_arena *arena, const ss_store *store, ss_layout *layout)
{
    size_t n_parameters = 0;
    void *parameters = NULL;
    *layout = (ss_layout){0};
    SS_TRY(ss_store_read_texts(store, "/names/q", arena, &layout->n_q, &layout->q));
    SS_TRY(ss_store_read_texts(store, "/names/u", arena, &layout->n_u, &layout->u));
    SS_TRY(ss_store_read_texts(store, "/names/rows", arena, &layout->n_rows, &layout->rows));
    if (ss_store_has(store, "/names/frames"))
        SS_TRY(
            ss_store_read_texts(store, "/names/frames", arena, &layout->n_frames, &layout->frames));
    SS_TRY(read_signals(arena, store, "/names/inputs", "/names/input_units", &layout->n_inputs,
                        &layout->inputs, &layout->input_units));
    SS_TRY(read_signals(arena, store, "/names/outputs", "/names/output_units", &layout->n_outputs,
                        &layout->outputs, &layout->output_units));
    SS_TRY(read_laws(arena, store, layout));
    SS_TRY(ss_items_read(store, &parameter_fields, arena, &n_parameters, &parameters));
    layout->n_parameters = (int)n_parameters;
    layout->parameters = parameters;
    return SS_OK;
}
