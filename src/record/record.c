/* record.c: opening a record: everything in the file is checked. */
#include "record/record.h"
#include "base/context.h"

#include "record/recorder.h"

#include <stdio.h>
#include <string.h>

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

/* A run that was killed before its first flush has none of this. */
static ss_status read_end(ss_record *record)
{
    const ss_store *store = &record->store;
    uint64_t every = 0, finished = 0;
    SS_TRY(ss_store_get_count(store, "/", "every", &every));
    record->every = (int)every;
    if (!ss_store_has(store, "/checkpoint/state"))
        return SS_OK;
    SS_TRY(ss_store_get_count(store, "/checkpoint", "finished", &finished));
    record->finished = finished != 0;
    for (int i = 0; i < SS_STATISTICS_COUNT; i++) {
        const ss_field *field = &ss_statistics_fields[i];
        SS_TRY(ss_store_get(store, "/statistics", field->path, field->number,
                            (char *)&record->statistics + field->offset));
    }
    const char *law = "";
    ss_violation *v = &record->statistics.violation;
    SS_TRY(ss_store_get_text(store, "/statistics", "violation_law", &record->arena, &law));
    snprintf(v->law, sizeof v->law, "%s", law);
    return SS_OK;
}

/* As many states as every table has: a run that was killed may have left some longer than
 * others. */
static ss_status open_tables(ss_record *record)
{
    record->length = SIZE_MAX;
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++) {
        size_t length = 0;
        if (!ss_series_is_there(&record->layout, id))
            continue;
        SS_TRY(ss_dataset_open(&record->store, &ss_series[id], SS_NUMBER_REAL,
                               ss_series_width(&record->layout, id), &record->tables[id]));
        SS_TRY(ss_dataset_length(&record->tables[id], &length));
        record->length = length < record->length ? length : record->length;
    }
    return SS_OK;
}

static ss_status fill_events(ss_record *record, const ss_item_list *list)
{
    size_t count = 0;
    ss_event_entry *entries;
    SS_TRY(ss_list_length(list, &count));
    SS_TRY(ss_list_check(list, count));
    SS_TRY(SS_ARENA_NEW(&record->arena, count, &entries));
    SS_TRY(SS_ARENA_NEW(&record->arena, count, &record->events));
    SS_TRY(ss_list_read(list, 0, count, entries));
    for (size_t i = 0; i < count; i++) {
        const ss_event_entry *e = &entries[i];
        if (e->law < 0 || e->law >= record->layout.n_laws)
            return ss_store_damaged(&record->store, "/events/law", "names a law that is not there");
        const ss_law_info *law = &record->layout.laws[e->law];
        record->events[i] = (ss_record_event){
            .t = e->t,
            .index = e->law,
            .law = law->name,
            .from = law->words[e->from != 0],
            .to = law->words[e->to != 0],
            .constraint = e->to == 0,
            .P = e->P,
        };
    }
    record->n_events = count;
    return SS_OK;
}

static ss_status read_events(ss_record *record)
{
    ss_item_list list = {0};
    ss_status status = ss_list_open(&record->store, &ss_event_fields, &list);
    if (status == SS_OK)
        status = fill_events(record, &list);
    ss_list_close(&list);
    return status;
}

/* Where the parts of each mesh begin: one number more than meshes, growing from 0. */
static ss_status read_starts(ss_record *record, const char *path, size_t *count, int32_t **starts)
{
    void *values = NULL;
    SS_TRY(ss_store_read(&record->store, path, SS_NUMBER_INT32, &record->arena, count, &values));
    *starts = values;
    bool grows = *count > 0 && (*starts)[0] == 0;
    for (size_t i = 1; grows && i < *count; i++)
        grows = (*starts)[i] >= (*starts)[i - 1];
    return grows ? SS_OK : ss_store_damaged(&record->store, path, "does not grow from 0");
}

/* The points or triangles of all meshes. */
static ss_status read_all(ss_record *record, const ss_item_type *type, int expected, void **items)
{
    size_t count = 0;
    SS_TRY(ss_items_read(&record->store, type, &record->arena, &count, items));
    return count == (size_t)expected
               ? SS_OK
               : ss_store_damaged(&record->store, type->fields[0].path, "has a wrong length");
}

static ss_status read_meshes(ss_record *record)
{
    size_t n = 0, other = 0;
    int32_t *points, *triangles;
    void *coordinates, *corners;
    SS_TRY(read_starts(record, "/meshes/first_point", &n, &points));
    SS_TRY(read_starts(record, "/meshes/first_triangle", &other, &triangles));
    if (other != n)
        return ss_store_damaged(&record->store, "/meshes/first_triangle", "has a wrong length");
    SS_TRY(read_all(record, &ss_point_fields, points[n - 1], &coordinates));
    SS_TRY(read_all(record, &ss_triangle_fields, triangles[n - 1], &corners));
    record->n_meshes = (int)n - 1;
    SS_TRY(SS_ARENA_NEW(&record->arena, n, &record->meshes));
    for (int i = 0; i < record->n_meshes; i++) {
        ss_triangles *t = &record->meshes[i];
        *t = (ss_triangles){
            .n_points = points[i + 1] - points[i],
            .n_triangles = triangles[i + 1] - triangles[i],
            .points = (double *)coordinates + 3 * points[i],
            .corners = (int *)corners + 3 * triangles[i],
        };
        for (int k = 0; k < 3 * t->n_triangles; k++)
            if (t->corners[k] < 0 || t->corners[k] >= t->n_points)
                return ss_store_damaged(&record->store, "/meshes/triangles",
                                        "names a point that is not there");
    }
    return SS_OK;
}

/* Shapes, when the file has them. */
static ss_status read_shapes(ss_record *record)
{
    const ss_store *store = &record->store;
    size_t n = 0;
    void *shapes = NULL;
    if (!ss_store_has(store, "/shapes"))
        return SS_OK;
    SS_TRY(ss_items_read(store, &ss_shape_fields, &record->arena, &n, &shapes));
    SS_TRY(ss_store_read_texts(store, "/names/elements", &record->arena, &record->n_elements,
                               &record->elements));
    SS_TRY(read_meshes(record));
    record->shapes = shapes;
    record->n_shapes = (int)n;
    for (size_t i = 0; i < n; i++)
        if (record->shapes[i].mesh < -1 || record->shapes[i].mesh >= record->n_meshes)
            return ss_store_damaged(store, "/shapes/mesh", "names a mesh that is not there");
    return SS_OK;
}

/* Contacts that are not all there end the record before their state. */
static ss_status check_ranges(ss_record *record, size_t available)
{
    int64_t next = 0;
    for (size_t i = 0; i < record->length; i++) {
        const ss_contact_range *range = &record->ranges[i];
        int32_t count = range->count > 0 ? range->count : 0;
        if (range->first != next || range->count < -1)
            return ss_store_damaged(&record->store, "/contacts/first", "does not fit the counts");
        if ((uint64_t)next + (uint64_t)count > available) {
            record->length = i;
            return SS_OK;
        }
        next += count;
    }
    return SS_OK;
}

static ss_status fill_ranges(ss_record *record, const ss_item_list *list)
{
    size_t length = 0, available = 0;
    SS_TRY(ss_list_length(list, &length));
    record->length = length < record->length ? length : record->length;
    SS_TRY(ss_list_check(list, record->length));
    SS_TRY(SS_ARENA_NEW(&record->arena, record->length, &record->ranges));
    SS_TRY(ss_list_read(list, 0, record->length, record->ranges));
    SS_TRY(ss_list_length(&record->contacts, &available));
    return check_ranges(record, available);
}

/* Contacts, when the file has them. */
static ss_status open_contacts(ss_record *record)
{
    if (!ss_store_has(&record->store, "/contacts"))
        return SS_OK;
    SS_TRY(ss_list_open(&record->store, &ss_contact_fields, &record->contacts));
    ss_item_list list = {0};
    ss_status status = ss_list_open(&record->store, &ss_range_fields, &list);
    if (status == SS_OK)
        status = fill_ranges(record, &list);
    ss_list_close(&list);
    return status;
}

static ss_status read_verdict(ss_record *record)
{
    uint64_t doubts = 0, allowed = 0;
    SS_TRY(ss_store_get_count(&record->store, "/", "doubts", &doubts));
    SS_TRY(ss_store_get_count(&record->store, "/", "allowed", &allowed));
    record->doubts = (unsigned)doubts;
    record->allowed = (unsigned)allowed;
    return ss_store_get_text(&record->store, "/", "verdict", &record->arena, &record->verdict);
}

static ss_status open_record(ss_record *record, const char *path)
{
    const ss_store *store = &record->store;
    ss_arena *arena = &record->arena;
    SS_TRY(ss_arena_copy_string(arena, path, &record->store.path));
    if (ss_part_file_is(path))
        SS_TRY(ss_store_open_part(&record->store, arena, record->store.path));
    else
        SS_TRY(ss_store_open(&record->store, record->store.path));
    SS_TRY(check_format(record));
    SS_TRY(ss_layout_of_file(arena, store, &record->layout));
    SS_TRY(ss_columns_create(arena, &record->layout, &record->columns));
    SS_TRY(open_tables(record));
    SS_TRY(read_shapes(record));
    SS_TRY(open_contacts(record));
    SS_TRY(ss_store_get_text(store, "/scene/name", NULL, arena, &record->scene_name));
    SS_TRY(ss_store_get_text(store, "/scene/text", NULL, arena, &record->scene_text));
    SS_TRY(ss_store_get_text(store, "/scene/folder", NULL, arena, &record->scene_folder));
    SS_TRY(ss_store_get_text(store, "/", "note", arena, &record->note));
    SS_TRY(read_verdict(record));
    SS_TRY(read_end(record));
    return read_events(record);
}

ss_status ss_record_open(ss_context *context, const char *path, ss_record **record)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, path);
    SS_GIVEN(context, record);
    *record = NULL;
    ss_record *r;
    SS_TRY(SS_NEW(context, 1, &r));
    r->context = context;
    r->store = (ss_store){.context = context, .path = "", .file = H5I_INVALID_HID};
    ss_arena_init(&r->arena, context);
    ss_map_init(&r->columns.names, context);
    ss_status status = open_record(r, path);
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
    for (ss_series_id id = 0; id < SS_SERIES_COUNT; id++)
        ss_dataset_close(&record->tables[id]);
    ss_list_close(&record->contacts);
    ss_store_close(&record->store);
    ss_columns_release(&record->columns);
    ss_arena_release(&record->arena);
    ss_release(record->context, record);
}
