/* record_get.c: what is known of an open record. */
#include "record/record.h"

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
    return record->columns.items[column].name;
}

const char *ss_record_column_unit(const ss_record *record, size_t column)
{
    return ss_series_at(record->columns.items[column].series)->unit;
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
    return record->events[index];
}

int ss_record_law_count(const ss_record *record)
{
    return record->layout.n_laws;
}

ss_law_info ss_record_law(const ss_record *record, int law)
{
    return record->layout.laws[law];
}

int ss_record_parameter_count(const ss_record *record)
{
    return record->layout.n_parameters;
}

const char *ss_record_parameter_name(const ss_record *record, int index)
{
    return record->layout.parameters[index];
}

double ss_record_parameter_value(const ss_record *record, int index)
{
    return record->layout.parameter_values[index];
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
