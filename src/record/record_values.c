/* record_values.c: what an open record holds: names and counts, states, expressions, contacts and shapes. */
#include "record/record.h"

#include <math.h>

size_t ss_record_length(const ss_record *record)
{
    return record->length;
}

size_t ss_record_column_count(const ss_record *record)
{
    return (size_t)record->columns.count;
}

const char *ss_record_column_name(const ss_record *record, size_t column)
{
    return column < ss_record_column_count(record) ? record->columns.items[column].name : NULL;
}

const char *ss_record_column_unit(const ss_record *record, size_t column)
{
    if (column >= ss_record_column_count(record))
        return NULL;
    const ss_column *c = &record->columns.items[column];
    return c->series == SS_SERIES_INPUT    ? record->layout.input_units[c->index]
           : c->series == SS_SERIES_OUTPUT ? record->layout.output_units[c->index]
                                           : ss_series[c->series].unit;
}

bool ss_record_find_column(const ss_record *record, const char *name, size_t *column)
{
    const ss_column *found = ss_columns_find(&record->columns, name);
    if (found)
        *column = (size_t)(found - record->columns.items);
    return found != NULL;
}

size_t ss_record_position_count(const ss_record *record)
{
    return (size_t)record->layout.n_q;
}

size_t ss_record_velocity_count(const ss_record *record)
{
    return (size_t)record->layout.n_u;
}

size_t ss_record_event_count(const ss_record *record)
{
    return record->n_events;
}

ss_record_event ss_record_event_at(const ss_record *record, size_t index)
{
    return index < record->n_events ? record->events[index] : (ss_record_event){0};
}

int ss_record_law_count(const ss_record *record)
{
    return record->layout.n_laws;
}

ss_law_info ss_record_law(const ss_record *record, int law)
{
    return law >= 0 && law < ss_record_law_count(record) ? record->layout.laws[law]
                                                         : (ss_law_info){0};
}

int ss_record_parameter_count(const ss_record *record)
{
    return record->layout.n_parameters;
}

const char *ss_record_parameter_name(const ss_record *record, int index)
{
    return index >= 0 && index < ss_record_parameter_count(record)
               ? record->layout.parameters[index].name
               : NULL;
}

double ss_record_parameter_value(const ss_record *record, int index)
{
    return index >= 0 && index < ss_record_parameter_count(record)
               ? record->layout.parameters[index].value
               : NAN;
}

const char *ss_record_scene_name(const ss_record *record)
{
    return record->scene_name;
}

const char *ss_record_scene_text(const ss_record *record)
{
    return record->scene_text;
}

const char *ss_record_scene_folder(const ss_record *record)
{
    return record->scene_folder;
}

const char *ss_record_version(const ss_record *record)
{
    return record->version;
}

const char *ss_record_note(const ss_record *record)
{
    return record->note;
}

ss_verdict ss_record_verdict(const ss_record *record)
{
    return (ss_verdict){record->doubts, record->verdict};
}

unsigned ss_record_allowed(const ss_record *record)
{
    return record->allowed;
}

bool ss_record_finished(const ss_record *record)
{
    return record->finished;
}

int ss_record_every(const ss_record *record)
{
    return record->every;
}

ss_statistics ss_record_statistics(const ss_record *record)
{
    return record->statistics;
}

/* ---- Shapes and contacts ---- */

int ss_record_shape_count(const ss_record *record)
{
    return record->n_shapes;
}

ss_recorded_shape ss_record_shape(const ss_record *record, int shape)
{
    return shape >= 0 && shape < record->n_shapes ? record->shapes[shape] : (ss_recorded_shape){0};
}

int ss_record_mesh_count(const ss_record *record)
{
    return record->n_meshes;
}

ss_triangles ss_record_mesh(const ss_record *record, int mesh)
{
    return mesh >= 0 && mesh < record->n_meshes ? record->meshes[mesh] : (ss_triangles){0};
}

int ss_record_element_count(const ss_record *record)
{
    return record->n_elements;
}

const char *ss_record_element_name(const ss_record *record, int element)
{
    return element >= 0 && element < record->n_elements ? record->elements[element] : NULL;
}

bool ss_record_has_contacts(const ss_record *record)
{
    return record->contacts.type != NULL;
}

int ss_record_contact_count(const ss_record *record, size_t row)
{
    return record->contacts.type && row < record->length ? record->ranges[row].count : -1;
}

static ss_status check_indices(const ss_record *record, size_t count, const ss_contact *contacts)
{
    for (size_t i = 0; i < count; i++) {
        const ss_contact *c = &contacts[i];
        if (c->a < 0 || c->a >= record->n_shapes || c->b < 0 || c->b >= record->n_shapes)
            return ss_store_damaged(&record->store, "/contacts/shapes",
                                    "names a shape that is not there");
        if (c->element < 0 || c->element >= record->n_elements)
            return ss_store_damaged(&record->store, "/contacts/element",
                                    "names an element that is not there");
    }
    return SS_OK;
}

ss_status ss_record_read_contacts(ss_record *record, size_t row, ss_contact *contacts)
{
    int count = ss_record_contact_count(record, row);
    if (count <= 0)
        return SS_OK;
    for (int i = 0; i < count; i++)
        contacts[i] = (ss_contact){0};
    ss_status status =
        ss_list_read(&record->contacts, (size_t)record->ranges[row].first, (size_t)count, contacts);
    return status == SS_OK ? check_indices(record, (size_t)count, contacts) : status;
}

/* ---- Numbers of states ---- */

static ss_status read_states(ss_record *record, ss_arena *arena, size_t first, size_t count,
                             double *values)
{
    double *blocks[SS_SERIES_COUNT];
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        size_t width = (size_t)ss_series_width(&record->layout, id);
        SS_TRY(SS_ARENA_NEW(arena, count * width, &blocks[id]));
        if (ss_series_is_there(&record->layout, id))
            SS_TRY(ss_dataset_read(&record->tables[id], first, count, blocks[id]));
    }
    for (size_t row = 0; row < count; row++)
        for (int i = 0; i < record->columns.count; i++) {
            const ss_column *column = &record->columns.items[i];
            size_t width = (size_t)ss_series_width(&record->layout, column->series);
            *values++ = blocks[column->series][row * width + (size_t)column->index];
        }
    return SS_OK;
}

ss_status ss_record_states(ss_record *record, size_t first, size_t count, double *values)
{
    if (first > record->length || count > record->length - first)
        return ss_fail(record->context, SS_INPUT,
                       "record '%s' has %zu states; there are none from %zu to %zu",
                       record->store.path, record->length, first, first + count - 1);
    ss_arena arena;
    ss_arena_init(&arena, record->context);
    ss_status status = read_states(record, &arena, first, count, values);
    ss_arena_release(&arena);
    return status;
}

ss_status ss_record_row(ss_record *record, size_t row, double *values)
{
    if (row >= record->length)
        return ss_fail(record->context, SS_INPUT,
                       "record '%s' has %zu states; there is no state %zu", record->store.path,
                       record->length, row);
    return ss_record_states(record, row, 1, values);
}

static ss_status run_signal(ss_record *record, const ss_signal *signal, ss_arena *arena,
                            double *values)
{
    double **columns, *frame;
    SS_TRY(SS_ARENA_NEW(arena, signal->n_inputs, &columns));
    SS_TRY(SS_ARENA_NEW(arena, ss_program_frame(signal->program), &frame));
    for (int i = 0; i < signal->n_inputs; i++) {
        SS_TRY(SS_ARENA_NEW(arena, record->length, &columns[i]));
        const ss_column *input = signal->inputs[i];
        SS_TRY(ss_dataset_read_column(&record->tables[input->series], input->index, record->length,
                                      columns[i]));
    }
    ss_program_prepare(signal->program, frame);
    for (size_t row = 0; row < record->length; row++) {
        for (int i = 0; i < signal->n_inputs; i++)
            frame[i] = columns[i][row];
        ss_program_run(signal->program, frame);
        values[row] = ss_program_outputs(signal->program, frame)[0];
    }
    return SS_OK;
}

ss_status ss_record_evaluate(ss_record *record, const ss_text *expression, double *values)
{
    ss_signal signal;
    SS_TRY(
        ss_signal_compile(record->context, &record->layout, &record->columns, expression, &signal));
    ss_arena arena;
    ss_arena_init(&arena, record->context);
    ss_status status = run_signal(record, &signal, &arena, values);
    ss_arena_release(&arena);
    ss_signal_release(&signal);
    return status;
}
