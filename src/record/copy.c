/* copy.c: a file that anybody may have made becomes one of our own: everything in it is read by our reader and written
 * anew, so that libhdf5 goes on with a file that it has made itself. */
#include "record/store.h"

#include <stdio.h>
#include <string.h>

enum { PATH = 512, DEEPEST = 4, MOST_MEMBERS = 1000, MOST_PAGES = 16384 };

typedef struct copier {
    const ss_store *from, *to;
    ss_part_file *part; /* of `to`: gets its pages when there are MOST_PAGES */
    ss_hdf5 *file;      /* of `from` */
    char path[PATH];
    int depth, members;
    bool said; /* what failed has its message */
} copier;

/* A number as large as that of the file. */
static ss_number number_of(const ss_hdf5_array *array)
{
    if (array->class == SS_HDF5_REAL)
        return SS_NUMBER_REAL;
    switch (array->bytes) {
    case 1:
        return array->is_signed ? SS_NUMBER_INT8 : SS_NUMBER_UINT8;
    case 8:
        return array->is_signed ? SS_NUMBER_INT64 : SS_NUMBER_UINT64;
    default:
        return array->is_signed ? SS_NUMBER_INT32 : SS_NUMBER_UINT32;
    }
}

/* ---- Attributes ---- */

static ss_status copy_one(const copier *c, const char *name)
{
    ss_hdf5_array array;
    SS_TRY(ss_store_reach(c->from, c->path, name, &array));
    bool text = array.class == SS_HDF5_TEXT;
    ss_hdf5_array_close(&array);
    if (!text) {
        ss_number number = number_of(&array);
        uint64_t value;
        SS_TRY(ss_store_get(c->from, c->path, name, number, &value));
        return ss_store_set(c->to, c->path, name, number, &value);
    }
    ss_arena arena;
    const char *value = "";
    ss_arena_init(&arena, c->to->context);
    ss_status status = ss_store_get_text(c->from, c->path, name, &arena, &value);
    if (status == SS_OK)
        status = ss_store_set_text(c->to, c->path, name, value);
    ss_arena_release(&arena);
    return status;
}

static ss_status copy_attribute(void *user, const char *name)
{
    copier *c = user;
    ss_status status = copy_one(c, name);
    c->said = status != SS_OK;
    return status;
}

/* A fault of a list, unless it is one of what is listed. */
static ss_status explain(const copier *c, ss_status status)
{
    return c->said ? status : ss_store_explain(c->from, status, c->path);
}

static ss_status copy_attributes(copier *c)
{
    return explain(c, ss_hdf5_attributes(c->file, c->path, copy_attribute, c));
}

/* ---- Datasets ---- */

static hid_t creation_of(const ss_hdf5_array *array)
{
    hid_t list = ss_store_untimed(H5P_DATASET_CREATE);
    if (array->layout != SS_HDF5_CHUNKED)
        return list;
    H5Pset_chunk(list, array->rank, (const hsize_t[2]){array->chunk[0], array->chunk[1]});
    if (array->n_filters > 0) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, 1);
    }
    return list;
}

static hid_t create_set(const copier *c, const ss_hdf5_array *array, hid_t type)
{
    hsize_t extent[2] = {array->extent[0], array->extent[1]}, limit[2] = {extent[0], extent[1]};
    if (array->layout == SS_HDF5_CHUNKED && array->growing)
        limit[0] = H5S_UNLIMITED;
    if (array->layout == SS_HDF5_CHUNKED && array->chunk[1] > limit[1])
        limit[1] = H5S_UNLIMITED; /* as it is where there are no columns */
    hid_t space =
        array->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(array->rank, extent, limit);
    hid_t creation = creation_of(array);
    hid_t set = H5Dcreate2(c->to->file, c->path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return set;
}

/* Writes some rows, all columns. */
static bool write_rows(hid_t set, hid_t type, const ss_hdf5_array *array, const uint64_t rows[2],
                       const void *values)
{
    hsize_t first[2] = {rows[0], 0}, count[2] = {rows[1], array->extent[1]};
    hid_t file = H5Dget_space(set);
    hid_t memory = array->rank == 0 ? H5S_ALL : H5Screate_simple(array->rank, count, NULL);
    if (array->rank > 0)
        H5Sselect_hyperslab(file, H5S_SELECT_SET, first, NULL, count, NULL);
    herr_t done =
        H5Dwrite(set, type, memory, array->rank == 0 ? H5S_ALL : file, H5P_DEFAULT, values);
    if (memory != H5S_ALL)
        H5Sclose(memory);
    H5Sclose(file);
    return done >= 0;
}

static ss_status copy_values(copier *c, ss_hdf5_array *array, hid_t set, hid_t type,
                             ss_number number)
{
    uint64_t rows = array->extent[0], columns = array->extent[1];
    uint64_t block =
        array->layout == SS_HDF5_CHUNKED && array->chunk[0] < rows ? array->chunk[0] : rows;
    bool text = array->class == SS_HDF5_TEXT;
    size_t bytes = text ? array->bytes : ss_number_bytes(number);
    void *values;
    if (rows == 0 || columns == 0)
        return SS_OK;
    SS_TRY(ss_allocate(c->to->context, (size_t)(block * columns), bytes, &values));
    ss_status status = SS_OK;
    for (uint64_t row = 0; row < rows && status == SS_OK; row += block) {
        uint64_t first[2] = {row, 0}, count[2] = {rows - row < block ? rows - row : block, columns};
        status = text ? ss_hdf5_array_read_texts(array, values)
                      : ss_hdf5_array_read(array, first, count, number, values);
        status = ss_store_explain(c->from, status, c->path);
        if (status == SS_OK &&
            !write_rows(set, type, array, (const uint64_t[2]){row, count[0]}, values))
            status = ss_store_fail(c->to, "write", c->path);
        if (status == SS_OK && c->part->pages.count > MOST_PAGES)
            status = ss_part_file_write(c->part);
    }
    ss_release(c->to->context, values);
    return status;
}

static ss_status copy_array(copier *c)
{
    ss_hdf5_array array;
    SS_TRY(ss_store_reach(c->from, c->path, NULL, &array));
    bool text = array.class == SS_HDF5_TEXT;
    ss_number number = number_of(&array);
    hid_t type = text ? ss_store_text_type(array.bytes) : ss_number_types(number).native;
    hid_t set = create_set(c, &array, text ? type : ss_number_types(number).file);
    ss_status status = set < 0 ? ss_store_fail(c->to, "write", c->path)
                               : copy_values(c, &array, set, type, number);
    if (set >= 0)
        H5Dclose(set);
    if (text)
        H5Tclose(type);
    ss_hdf5_array_close(&array);
    return status == SS_OK ? copy_attributes(c) : status;
}

/* ---- Groups ---- */

static ss_status copy_group(copier *c);

static ss_status copy_object(copier *c)
{
    ss_hdf5_kind kind;
    SS_TRY(ss_store_explain(c->from, ss_hdf5_find(c->file, c->path, &kind), c->path));
    if (kind == SS_HDF5_ARRAY)
        return copy_array(c);
    if (c->depth == DEEPEST)
        return ss_store_damaged(c->from, c->path, "is nested too deeply");
    SS_TRY(ss_store_group(c->to, c->path));
    c->depth++;
    ss_status status = copy_group(c);
    c->depth--;
    return status;
}

static ss_status copy_member(void *user, const char *name)
{
    copier *c = user;
    size_t length = strlen(c->path), space = sizeof c->path - length;
    int more = snprintf(c->path + length, space, "%s%s", length > 1 ? "/" : "", name);
    bool fits = more > 0 && (size_t)more < space && name[0] && !strchr(name, '/') &&
                strcmp(name, ".") != 0 && c->members++ < MOST_MEMBERS;
    ss_status status = fits ? copy_object(c) : SS_OK;
    c->path[length] = '\0';
    if (!fits)
        status = ss_store_damaged(c->from, c->path, "has a member that no record has");
    c->said = status != SS_OK;
    return status;
}

static ss_status copy_group(copier *c)
{
    SS_TRY(copy_attributes(c));
    return explain(c, ss_hdf5_members(c->file, c->path, copy_member, c));
}

ss_status ss_store_copy(ss_store *to, ss_part_file *file, ss_store *from)
{
    copier c = {.from = from, .to = to, .part = file, .path = "/", .file = from->reader};
    SS_TRY(copy_group(&c));
    to->reader = from->reader;
    from->reader = NULL;
    return SS_OK;
}
