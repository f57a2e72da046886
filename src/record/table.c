/* table.c: datasets that grow row by row, and lists of structs as datasets. */
#include "record/store.h"

#include <string.h>

static hid_t creation_list(int rank, const hsize_t *chunk, bool compress)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(list, false);
    H5Pset_chunk(list, rank, chunk);
    if (compress) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, 1);
    }
    return list;
}

static ss_dataset closed_table(const ss_store *store, const ss_field *field, ss_number number,
                               int width)
{
    bool single = field->width == 1;
    return (ss_dataset){.store = store,
                        .path = field->path,
                        .set = H5I_INVALID_HID,
                        .number = number,
                        .rank = single ? 1 : 2,
                        .width = single ? 1 : (hsize_t)width};
}

static ss_status describe(const ss_store *store, const ss_field *field)
{
    if (field->unit)
        SS_TRY(ss_store_set_text(store, field->path, "unit", field->unit));
    if (field->doc)
        SS_TRY(ss_store_set_text(store, field->path, "description", field->doc));
    return field->names ? ss_store_set_text(store, field->path, "columns", field->names) : SS_OK;
}

ss_status ss_dataset_create(const ss_store *store, const ss_field *field, int width, size_t chunk,
                            bool compress, ss_dataset *table)
{
    *table = closed_table(store, field, field->number, width);
    hsize_t extent[2] = {0, table->width};
    /* HDF5 wants a chunk of at least 1, and no chunk wider than the dataset unless that may
     * grow. */
    hsize_t limit[2] = {H5S_UNLIMITED, width > 0 ? table->width : H5S_UNLIMITED};
    hsize_t chunks[2] = {chunk, width > 0 ? table->width : 1};
    hid_t space = H5Screate_simple(table->rank, extent, limit);
    hid_t creation = creation_list(table->rank, chunks, compress);
    table->set = H5Dcreate2(store->file, field->path, ss_number_types(field->number).file, space,
                            H5P_DEFAULT, creation, H5P_DEFAULT);
    ss_status status = table->set < 0 ? ss_store_fail(store, "write", field->path) : SS_OK;
    H5Pclose(creation);
    H5Sclose(space);
    return status == SS_OK ? describe(store, field) : status;
}

static ss_status check_shape(const ss_dataset *table, const ss_hdf5_array *array)
{
    if (array->class == SS_HDF5_TEXT)
        return ss_store_damaged(table->store, table->path, "does not hold numbers");
    if (array->rank != table->rank)
        return ss_store_damaged(table->store, table->path, "has a wrong rank");
    if (table->rank == 2 && array->extent[1] != table->width)
        return ss_store_damaged(table->store, table->path, "has a wrong number of columns");
    return SS_OK;
}

/* The array stays open: its last chunk is used again. */
static ss_status open_array(ss_dataset *table)
{
    SS_TRY(SS_NEW(table->store->context, 1, &table->array));
    SS_TRY(ss_store_reach(table->store, table->path, NULL, table->array));
    return check_shape(table, table->array);
}

ss_status ss_dataset_open(const ss_store *store, const ss_field *field, ss_number number, int width,
                          ss_dataset *table)
{
    *table = closed_table(store, field, number, width);
    ss_status status = store->reader ? open_array(table) : SS_OK;
    if (status == SS_OK && store->file >= 0) {
        table->set = H5Dopen2(store->file, table->path, H5P_DEFAULT);
        status = table->set < 0 ? ss_store_fail(store, "open", table->path) : SS_OK;
    }
    if (status != SS_OK)
        ss_dataset_close(table);
    return status;
}

void ss_dataset_close(ss_dataset *table)
{
    if (table->set > 0)
        H5Dclose(table->set);
    table->set = H5I_INVALID_HID;
    if (table->array) {
        ss_hdf5_array_close(table->array);
        ss_release(table->store->context, table->array);
    }
    table->array = NULL;
}

ss_status ss_dataset_length(const ss_dataset *table, size_t *length)
{
    *length = (size_t)table->array->extent[0];
    return SS_OK;
}

static ss_status resize(const ss_dataset *table, size_t length)
{
    hsize_t extent[2] = {length, table->width};
    if (H5Dset_extent(table->set, extent) < 0)
        return ss_store_fail(table->store, "write", table->path);
    return SS_OK;
}

ss_status ss_dataset_shorten(const ss_dataset *table, size_t length)
{
    size_t found = 0;
    SS_TRY(ss_dataset_length(table, &found));
    if (found < length)
        return ss_store_damaged(table->store, table->path, "is shorter than the checkpoint says");
    return found > length ? resize(table, length) : SS_OK;
}

ss_status ss_dataset_write(const ss_dataset *table, size_t first, size_t count, const void *rows)
{
    if (count == 0)
        return SS_OK;
    SS_TRY(resize(table, first + count));
    if (table->width == 0)
        return SS_OK;
    hsize_t start[2] = {first, 0}, extent[2] = {count, table->width};
    hid_t native = ss_number_types(table->number).native;
    hid_t file = H5Dget_space(table->set), memory = H5Screate_simple(table->rank, extent, NULL);
    if (file >= 0)
        H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, extent, NULL);
    herr_t done = H5Dwrite(table->set, native, memory, file, H5P_DEFAULT, rows);
    ss_status status = done < 0 ? ss_store_fail(table->store, "write", table->path) : SS_OK;
    if (file >= 0)
        H5Sclose(file);
    if (memory >= 0)
        H5Sclose(memory);
    return status;
}

static ss_status read_part(const ss_dataset *table, const uint64_t first[2],
                           const uint64_t count[2], void *values)
{
    ss_status status = ss_hdf5_array_read(table->array, first, count, table->number, values);
    return ss_store_explain(table->store, status, table->path);
}

ss_status ss_dataset_read(const ss_dataset *table, size_t first, size_t count, void *rows)
{
    uint64_t start[2] = {first, 0}, extent[2] = {count, table->width};
    return count > 0 && table->width > 0 ? read_part(table, start, extent, rows) : SS_OK;
}

ss_status ss_dataset_read_column(const ss_dataset *table, int column, size_t count, void *values)
{
    uint64_t start[2] = {0, (uint64_t)column}, extent[2] = {count, 1};
    return count > 0 ? read_part(table, start, extent, values) : SS_OK;
}

/* ---- Lists of structs ---- */

static size_t field_bytes(const ss_field *field)
{
    return (size_t)field->width * ss_number_types(field->number).bytes;
}

/* From items to one of their fields and back. */
static void pick(const ss_item_type *type, int i, size_t count, const void *items, void *column)
{
    size_t bytes = field_bytes(&type->fields[i]);
    const char *item = (const char *)items + type->fields[i].offset;
    for (size_t k = 0; k < count; k++)
        memcpy((char *)column + k * bytes, item + k * type->bytes, bytes);
}

static void fill(const ss_item_type *type, int i, size_t count, const void *column, void *items)
{
    size_t bytes = field_bytes(&type->fields[i]);
    char *item = (char *)items + type->fields[i].offset;
    for (size_t k = 0; k < count; k++)
        memcpy(item + k * type->bytes, (const char *)column + k * bytes, bytes);
}

static ss_status write_field(const ss_store *store, const ss_field *field, size_t count,
                             const void *column)
{
    if (field->number == SS_NUMBER_TEXT)
        return ss_store_write_texts(store, field->path, (int)count, column);
    if (field->width == 1)
        return ss_store_write(store, field->path, field->number, count, column);
    ss_dataset table;
    SS_TRY(ss_dataset_create(store, field, field->width, count > 0 ? count : 1, true, &table));
    ss_status status = ss_dataset_write(&table, 0, count, column);
    ss_dataset_close(&table);
    return status;
}

ss_status ss_items_write(const ss_store *store, const ss_item_type *type, size_t count,
                         const void *items)
{
    double *column;
    SS_TRY(SS_NEW(store->context, SS_MAX_WIDTH * count, &column));
    ss_status status = SS_OK;
    for (int i = 0; i < type->n_fields && status == SS_OK; i++) {
        pick(type, i, count, items, column);
        status = write_field(store, &type->fields[i], count, column);
    }
    ss_release(store->context, column);
    return status;
}

static ss_status read_field(const ss_store *store, const ss_field *field, ss_arena *arena,
                            size_t *count, void **column)
{
    if (field->number == SS_NUMBER_TEXT) {
        int n = 0;
        const char **texts = NULL;
        SS_TRY(ss_store_read_texts(store, field->path, arena, &n, &texts));
        *count = (size_t)n;
        *column = texts;
        return SS_OK;
    }
    if (field->width == 1)
        return ss_store_read(store, field->path, field->number, arena, count, column);
    ss_dataset table;
    SS_TRY(ss_dataset_open(store, field, field->number, field->width, &table));
    ss_status status = ss_dataset_length(&table, count);
    if (status == SS_OK)
        status = ss_arena_allocate(arena, *count, field_bytes(field), column);
    if (status == SS_OK)
        status = ss_dataset_read(&table, 0, *count, *column);
    ss_dataset_close(&table);
    return status;
}

/* What is in memory whole: a file compressed by deflate could fill it with a thousandth of that. */
enum { FEW_BYTES = 1 << 26, MOST_OF_A_BYTE = 100 };

static ss_status check_memory(const ss_store *store, const ss_item_type *type, size_t count)
{
    return count <= (FEW_BYTES + MOST_OF_A_BYTE * store->reader->end) / type->bytes
               ? SS_OK
               : ss_store_damaged(store, type->fields[0].path, "is longer than its file explains");
}

ss_status ss_items_read(const ss_store *store, const ss_item_type *type, ss_arena *arena,
                        size_t *count, void **items)
{
    for (int i = 0; i < type->n_fields; i++) {
        size_t n = 0;
        void *column = NULL;
        SS_TRY(read_field(store, &type->fields[i], arena, &n, &column));
        if (i == 0) {
            *count = n;
            SS_TRY(check_memory(store, type, n));
            SS_TRY(ss_arena_allocate(arena, n, type->bytes, items));
        }
        if (n != *count)
            return ss_store_damaged(store, type->fields[i].path, "has a wrong length");
        fill(type, i, n, column, *items);
    }
    return SS_OK;
}

ss_status ss_list_create(const ss_store *store, const ss_item_type *type, size_t chunk,
                         bool compress, ss_item_list *list)
{
    list->type = type;
    for (int i = 0; i < type->n_fields; i++)
        SS_TRY(ss_dataset_create(store, &type->fields[i], type->fields[i].width, chunk, compress,
                                 &list->tables[i]));
    return SS_OK;
}

ss_status ss_list_open(const ss_store *store, const ss_item_type *type, ss_item_list *list)
{
    list->type = type;
    for (int i = 0; i < type->n_fields; i++)
        SS_TRY(ss_dataset_open(store, &type->fields[i], type->fields[i].number,
                               type->fields[i].width, &list->tables[i]));
    return SS_OK;
}

void ss_list_close(ss_item_list *list)
{
    for (int i = 0; list->type && i < list->type->n_fields; i++)
        ss_dataset_close(&list->tables[i]);
}

ss_status ss_list_length(const ss_item_list *list, size_t *length)
{
    *length = SIZE_MAX;
    for (int i = 0; i < list->type->n_fields; i++) {
        size_t n = 0;
        SS_TRY(ss_dataset_length(&list->tables[i], &n));
        *length = n < *length ? n : *length;
    }
    return SS_OK;
}

ss_status ss_list_shorten(const ss_item_list *list, size_t length)
{
    for (int i = 0; i < list->type->n_fields; i++)
        SS_TRY(ss_dataset_shorten(&list->tables[i], length));
    return SS_OK;
}

ss_status ss_list_write(const ss_item_list *list, size_t first, size_t count, const void *items,
                        void *column)
{
    for (int i = 0; i < list->type->n_fields; i++) {
        pick(list->type, i, count, items, column);
        SS_TRY(ss_dataset_write(&list->tables[i], first, count, column));
    }
    return SS_OK;
}

ss_status ss_list_check(const ss_item_list *list, size_t count)
{
    return check_memory(list->tables[0].store, list->type, count);
}

ss_status ss_list_read(const ss_item_list *list, size_t first, size_t count, void *items)
{
    ss_context *context = list->tables[0].store->context;
    double *column;
    SS_TRY(ss_list_check(list, count));
    SS_TRY(SS_NEW(context, SS_MAX_WIDTH * count, &column));
    ss_status status = SS_OK;
    for (int i = 0; status == SS_OK && i < list->type->n_fields; i++) {
        status = ss_dataset_read(&list->tables[i], first, count, column);
        fill(list->type, i, count, column, items);
    }
    ss_release(context, column);
    return status;
}
