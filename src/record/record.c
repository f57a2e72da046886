/* record.c: opening a record and what is known of it at once. */
#include "record/record.h"

#include "record/recorder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Says what is wrong with a file before HDF5 says it less clearly. */
static ss_status check_file(ss_context *context, const char *path)
{
    if (access(path, R_OK) != 0)
        return ss_fail(context, SS_IO, "record '%s': cannot open it: %s", path, strerror(errno));
    if (H5Fis_hdf5(path) <= 0)
        return ss_fail(context, SS_INPUT,
                       "'%s' is not a record: records are HDF5 files written by `stickslip run`",
                       path);
    return SS_OK;
}

static ss_status check_format(ss_record *record)
{
    const ss_store *store = &record->store;
    const char *format = "";
    uint64_t version = 0;
    ss_status status = ss_store_get_text(store, "/", "format", &record->arena, &format);
    if (status != SS_OK || strcmp(format, SS_RECORD_FORMAT_NAME) != 0)
        return ss_fail(
            record->context, SS_INPUT,
            "'%s' is an HDF5 file but not a record of stickslip (its attribute `format` is "
            "not \"" SS_RECORD_FORMAT_NAME "\")",
            store->path);
    SS_TRY(ss_store_get_text(store, "/", "stickslip_version", &record->arena, &record->version));
    SS_TRY(ss_store_get_count(store, "/", "format_version", &version));
    if (version != SS_RECORD_FORMAT)
        return ss_fail(record->context, SS_UNSUPPORTED,
                       "record '%s' was written by stickslip %s (format %llu); this program "
                       "reads format %d",
                       store->path, record->version, (unsigned long long)version, SS_RECORD_FORMAT);
    return SS_OK;
}

static ss_status read_scene(ss_record *record)
{
    const ss_store *store = &record->store;
    SS_TRY(ss_store_read_text(store, "/scene/name", &record->arena, &record->scene_name));
    SS_TRY(ss_store_read_text(store, "/scene/text", &record->arena, &record->scene_text));
    SS_TRY(ss_store_read_text(store, "/scene/folder", &record->arena, &record->scene_folder));
    return ss_store_get_text(store, "/", "note", &record->arena, &record->note);
}

/* A run that was killed before its first flush has none of this. */
static ss_status read_end(ss_record *record)
{
    static const char path[] = "/statistics";
    const ss_store *store = &record->store;
    ss_statistics *s = &record->statistics;
    uint64_t every = 0, finished = 0;
    SS_TRY(ss_store_get_count(store, "/", "every", &every));
    record->every = (int)every;
    if (!ss_store_has(store, "/checkpoint/state"))
        return SS_OK;
    SS_TRY(ss_store_get_count(store, "/checkpoint", "finished", &finished));
    record->finished = finished != 0;
    SS_TRY(ss_store_get_count(store, path, "steps", &s->steps));
    SS_TRY(ss_store_get_count(store, path, "tries", &s->tries));
    SS_TRY(ss_store_get_count(store, path, "iterations", &s->iterations));
    SS_TRY(ss_store_get_count(store, path, "max_iterations", &s->max_iterations));
    SS_TRY(ss_store_get_count(store, path, "failures", &s->failures));
    SS_TRY(ss_store_get_count(store, path, "switches", &s->switches));
    SS_TRY(ss_store_get_real(store, path, "worst_residual", &s->worst_residual));
    SS_TRY(ss_store_get_real(store, path, "dissipated", &s->dissipated));
    SS_TRY(ss_store_get_real(store, path, "load_work", &s->load_work));
    SS_TRY(ss_store_get_count(store, path, "indeterminate", &s->indeterminate));
    SS_TRY(ss_store_get_count(store, path, "not_chosen", &s->not_chosen));
    SS_TRY(ss_store_get_count(store, path, "forces_code", &s->forces));
    SS_TRY(ss_store_get_count(store, path, "gains", &s->gains));
    return ss_store_get_real(store, path, "gained", &s->gained);
}

/* As many states as every table has: a run that was killed may have left some longer than
 * others. */
static ss_status open_tables(ss_record *record)
{
    record->length = SIZE_MAX;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        const ss_series *series = ss_series_at(id);
        size_t length = 0;
        SS_TRY(ss_table_open(&record->store, series->path, H5T_NATIVE_DOUBLE,
                             series->width == SS_WIDTH_NONE ? 1 : 2,
                             ss_series_width(&record->layout, id), &record->tables[id]));
        SS_TRY(ss_table_length(&record->tables[id], &length));
        record->length = length < record->length ? length : record->length;
    }
    return SS_OK;
}

/* The columns of the switches, as long as the shortest of them. */
typedef struct events {
    int count;
    double *time, *P;
    int *law, *from, *to;
} events;

static ss_status fill_events(ss_record *record, const events *e)
{
    SS_TRY(SS_ARENA_NEW(&record->arena, e->count, &record->events));
    for (int i = 0; i < e->count; i++) {
        int law = e->law[i];
        if (law < 0 || law >= record->layout.n_laws)
            return ss_store_damaged(&record->store, "/events/law", "names a law that is not there");
        const ss_law_info *info = &record->layout.laws[law];
        record->events[i] = (ss_record_event){
            .t = e->time[i],
            .index = law,
            .law = info->name,
            .from = info->words[e->from[i] != 0],
            .to = info->words[e->to[i] != 0],
            .constraint = e->to[i] == 0,
            .P = e->P[i],
        };
    }
    record->n_events = (size_t)e->count;
    return SS_OK;
}

static ss_status read_events(ss_record *record)
{
    const ss_store *store = &record->store;
    ss_arena *arena = &record->arena;
    events e;
    int counts[5];
    SS_TRY(ss_store_read_reals(store, "/events/time", arena, &counts[0], &e.time));
    SS_TRY(ss_store_read_ints(store, "/events/law", arena, &counts[1], &e.law));
    SS_TRY(ss_store_read_ints(store, "/events/from", arena, &counts[2], &e.from));
    SS_TRY(ss_store_read_ints(store, "/events/to", arena, &counts[3], &e.to));
    SS_TRY(ss_store_read_reals(store, "/events/impulse", arena, &counts[4], &e.P));
    e.count = counts[0];
    for (int i = 1; i < 5; i++)
        e.count = counts[i] < e.count ? counts[i] : e.count;
    return fill_events(record, &e);
}

static ss_status open_record(ss_record *record, const char *path)
{
    SS_TRY(ss_arena_copy_string(&record->arena, path, &record->store.path));
    SS_TRY(check_file(record->context, path));
    SS_TRY(ss_store_open(&record->store, path, false));
    SS_TRY(check_format(record));
    SS_TRY(ss_layout_of_file(&record->arena, &record->store, &record->layout));
    SS_TRY(ss_columns_create(&record->arena, &record->layout, &record->columns));
    SS_TRY(open_tables(record));
    SS_TRY(ss_record_read_shapes(record));
    SS_TRY(ss_record_open_contacts(record));
    SS_TRY(read_scene(record));
    SS_TRY(read_end(record));
    return read_events(record);
}

ss_status ss_record_open(ss_context *context, const char *path, ss_record **record)
{
    *record = NULL;
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof(ss_record), &memory));
    ss_record *r = memory;
    r->context = context;
    r->store = (ss_store){context, "", H5I_INVALID_HID};
    ss_arena_init(&r->arena, context);
    ss_map_init(&r->columns.names, context);
    ss_silence silence;
    ss_silence_begin(&silence);
    ss_status status = open_record(r, path);
    ss_silence_end(&silence);
    if (status != SS_OK) {
        ss_record_close(r);
        return status;
    }
    *record = r;
    return SS_OK;
}

void ss_record_close(ss_record *record)
{
    if (!record)
        return;
    ss_silence silence;
    ss_silence_begin(&silence);
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        ss_table_close(&record->tables[id]);
    ss_contact_tables_close(&record->contacts);
    ss_store_close(&record->store);
    ss_silence_end(&silence);
    ss_columns_release(&record->columns);
    ss_arena_release(&record->arena);
    ss_release(record->context, record);
}
