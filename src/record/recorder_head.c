/* recorder_head.c: what a record begins with. */
#include "record/recorder.h"

#include <string.h>

static ss_status write_format(const ss_store *store, int every)
{
    SS_TRY(ss_store_set_text(store, "/", "format", SS_RECORD_FORMAT_NAME));
    SS_TRY(ss_store_set_count(store, "/", "format_version", SS_RECORD_FORMAT));
    SS_TRY(ss_store_set_text(store, "/", "stickslip_version", ss_version()));
    SS_TRY(ss_store_set_count(store, "/", "every", (uint64_t)every));
    return ss_store_set_text(store, "/", "note", "");
}

static ss_status write_groups(const ss_store *store)
{
    static const char *const groups[] = {"/names",      "/laws",   "/energy",
                                         "/solver",     "/events", "/checkpoint",
                                         "/statistics", "/scene",  "/scene/parameters"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        SS_TRY(ss_store_group(store, groups[i]));
    return SS_OK;
}

static ss_status write_names(const ss_store *store, const ss_layout *layout)
{
    SS_TRY(ss_store_write_texts(store, "/names/q", layout->n_q, layout->q));
    SS_TRY(ss_store_write_texts(store, "/names/u", layout->n_u, layout->u));
    SS_TRY(ss_store_write_texts(store, "/names/rows", layout->n_rows, layout->rows));
    SS_TRY(ss_store_write_texts(store, "/scene/parameters/name", layout->n_parameters,
                                layout->parameters));
    return ss_store_write_reals(store, "/scene/parameters/value", layout->n_parameters,
                                layout->parameter_values);
}

/* One text of every law, e.g. its type. */
static ss_status write_law_texts(ss_recorder *recorder, const char *path, size_t offset)
{
    const ss_layout *layout = &recorder->layout;
    const char **texts;
    SS_TRY(SS_ARENA_NEW(&recorder->arena, layout->n_laws, &texts));
    for (int i = 0; i < layout->n_laws; i++)
        memcpy(&texts[i], (const char *)&layout->laws[i] + offset, sizeof texts[i]);
    return ss_store_write_texts(&recorder->store, path, layout->n_laws, texts);
}

static ss_status write_law_numbers(ss_recorder *recorder)
{
    const ss_layout *layout = &recorder->layout;
    int *first, *rows, *geometric;
    double *friction;
    SS_TRY(SS_ARENA_NEW(&recorder->arena, layout->n_laws, &first));
    SS_TRY(SS_ARENA_NEW(&recorder->arena, layout->n_laws, &rows));
    SS_TRY(SS_ARENA_NEW(&recorder->arena, layout->n_laws, &geometric));
    SS_TRY(SS_ARENA_NEW(&recorder->arena, layout->n_laws, &friction));
    for (int i = 0; i < layout->n_laws; i++) {
        friction[i] = layout->laws[i].friction;
        first[i] = layout->laws[i].offset;
        rows[i] = layout->laws[i].dim;
        geometric[i] = layout->laws[i].kind == SS_GEOMETRIC;
    }
    const ss_store *store = &recorder->store;
    SS_TRY(ss_store_write_reals(store, "/laws/friction", layout->n_laws, friction));
    SS_TRY(ss_store_write_ints(store, "/laws/first_row", layout->n_laws, first));
    SS_TRY(ss_store_write_ints(store, "/laws/rows", layout->n_laws, rows));
    return ss_store_write_ints(store, "/laws/geometric", layout->n_laws, geometric);
}

static ss_status write_laws(ss_recorder *recorder)
{
    SS_TRY(write_law_texts(recorder, "/names/laws", offsetof(ss_law_info, name)));
    SS_TRY(write_law_texts(recorder, "/laws/element", offsetof(ss_law_info, element)));
    SS_TRY(write_law_texts(recorder, "/laws/type", offsetof(ss_law_info, type)));
    SS_TRY(write_law_texts(recorder, "/laws/constraint_word", offsetof(ss_law_info, words[0])));
    SS_TRY(write_law_texts(recorder, "/laws/impressed_word", offsetof(ss_law_info, words[1])));
    return write_law_numbers(recorder);
}

static ss_status replace_text(const ss_store *store, const char *path, const char *text)
{
    bool keep = (!text || !text[0]) && ss_store_has(store, path);
    return keep ? SS_OK : ss_store_write_text(store, path, text ? text : "");
}

ss_status ss_recorder_write_scene(const ss_store *store, const ss_recorder_options *options)
{
    SS_TRY(replace_text(store, "/scene/name", options->scene_name));
    SS_TRY(replace_text(store, "/scene/text", options->scene_text));
    SS_TRY(replace_text(store, "/scene/folder", options->scene_folder));
    return replace_text(store, "/scene/display", options->display);
}

ss_status ss_recorder_describe(const ss_store *store, const char *path, const char *unit,
                               const char *doc, const char *names)
{
    SS_TRY(ss_store_set_text(store, path, "unit", unit));
    SS_TRY(ss_store_set_text(store, path, "description", doc));
    return names ? ss_store_set_text(store, path, "columns", names) : SS_OK;
}

static ss_status create_series(ss_recorder *recorder, ss_series_id id)
{
    const ss_store *store = &recorder->store;
    const ss_series *series = ss_series_at(id);
    int rank = series->width == SS_WIDTH_NONE ? 1 : 2;
    int width = ss_series_width(&recorder->layout, id);
    SS_TRY(ss_table_create(store, series->path, ss_number_native(series->number), rank, width,
                           recorder->chunk, true, &recorder->tables[id]));
    return ss_recorder_describe(store, series->path, series->unit, series->doc, series->names);
}

/* The tables of switches. */
typedef struct event_column {
    ss_table *table;
    const char *path;
    hid_t type;
    const char *unit, *doc;
} event_column;

enum { EVENT_COLUMNS = 5 };

static void list_events(ss_event_buffer *e, event_column columns[EVENT_COLUMNS])
{
    columns[0] = (event_column){&e->time_table, "/events/time", H5T_NATIVE_DOUBLE, "s",
                                "end of the step in which the law switched"};
    columns[1] = (event_column){&e->law_table, "/events/law", H5T_NATIVE_INT32, "",
                                "index into /names/laws, from 0"};
    columns[2] = (event_column){&e->from_table, "/events/from", H5T_NATIVE_INT8, "",
                                "mode before: 0 constraint, 1 impressed"};
    columns[3] = (event_column){&e->to_table, "/events/to", H5T_NATIVE_INT8, "",
                                "mode after: 0 constraint, 1 impressed"};
    columns[4] = (event_column){&e->P_table, "/events/impulse", H5T_NATIVE_DOUBLE, "N s or N m s",
                                "magnitude of the law's impulse over that step"};
}

static ss_status create_events(const ss_store *store, ss_event_buffer *events)
{
    event_column columns[EVENT_COLUMNS];
    list_events(events, columns);
    for (int i = 0; i < EVENT_COLUMNS; i++) {
        const event_column *c = &columns[i];
        SS_TRY(ss_table_create(store, c->path, c->type, 1, 1, SS_EVENT_CHUNK, false, c->table));
        SS_TRY(ss_recorder_describe(store, c->path, c->unit, c->doc, NULL));
    }
    return SS_OK;
}

static uint64_t head_bytes(const ss_recorder_options *options)
{
    const char *text = options->scene_text, *display = options->display;
    return (1 << 20) + (text ? strlen(text) : 0) + (display ? strlen(display) : 0);
}

ss_status ss_recorder_write_head(ss_recorder *recorder, const ss_recorder_options *options)
{
    ss_store *store = &recorder->store;
    SS_TRY(ss_part_file_reserve(&recorder->file, 0, head_bytes(options)));
    SS_TRY(ss_store_create(store, recorder->file.part));
    SS_TRY(write_format(store, recorder->every));
    SS_TRY(write_groups(store));
    SS_TRY(write_names(store, &recorder->layout));
    SS_TRY(write_laws(recorder));
    SS_TRY(ss_recorder_write_scene(store, options));
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        SS_TRY(create_series(recorder, id));
    SS_TRY(create_events(store, &recorder->events));
    SS_TRY(ss_recorder_create_contacts(recorder));
    SS_TRY(ss_recorder_write_shapes(recorder));
    if (H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0)
        return ss_store_fail(store, "write", "it");
    return SS_OK;
}

static ss_status open_events(const ss_store *store, ss_event_buffer *events)
{
    event_column columns[EVENT_COLUMNS];
    list_events(events, columns);
    for (int i = 0; i < EVENT_COLUMNS; i++)
        SS_TRY(ss_table_open(store, columns[i].path, columns[i].type, 1, 1, columns[i].table));
    return SS_OK;
}

ss_status ss_recorder_open_tables(ss_recorder *recorder)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        const ss_series *series = ss_series_at(id);
        SS_TRY(ss_table_open(&recorder->store, series->path, ss_number_native(series->number),
                             series->width == SS_WIDTH_NONE ? 1 : 2,
                             ss_series_width(&recorder->layout, id), &recorder->tables[id]));
    }
    SS_TRY(ss_contact_tables_open(&recorder->store, &recorder->contacts.tables));
    return open_events(&recorder->store, &recorder->events);
}

void ss_recorder_close_tables(ss_recorder *recorder)
{
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        ss_table_close(&recorder->tables[id]);
    event_column columns[EVENT_COLUMNS];
    list_events(&recorder->events, columns);
    for (int i = 0; i < EVENT_COLUMNS; i++)
        ss_table_close(columns[i].table);
    ss_contact_tables_close(&recorder->contacts.tables);
}
