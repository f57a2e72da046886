/* table.c: datasets that grow row by row. */
#include "record/store.h"

static hid_t file_type(hid_t native)
{
    if (H5Tequal(native, H5T_NATIVE_DOUBLE) > 0)
        return H5T_IEEE_F64LE;
    if (H5Tequal(native, H5T_NATIVE_INT8) > 0)
        return H5T_STD_I8LE;
    if (H5Tequal(native, H5T_NATIVE_INT64) > 0)
        return H5T_STD_I64LE;
    return H5Tequal(native, H5T_NATIVE_UINT32) > 0 ? H5T_STD_U32LE : H5T_STD_I32LE;
}

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

ss_status ss_table_create(const ss_store *store, const char *path, hid_t type, int rank, int width,
                          size_t chunk, bool compress, ss_table *table)
{
    *table = (ss_table){store, path, H5I_INVALID_HID, type, rank, rank == 1 ? 1 : (hsize_t)width};
    hsize_t extent[2] = {0, table->width};
    /* HDF5 wants a chunk of at least 1, and no chunk wider than the dataset unless that may
     * grow. */
    hsize_t limit[2] = {H5S_UNLIMITED, width > 0 ? table->width : H5S_UNLIMITED};
    hsize_t chunks[2] = {chunk, width > 0 ? table->width : 1};
    hid_t space = H5Screate_simple(rank, extent, limit);
    hid_t creation = creation_list(rank, chunks, compress);
    table->set =
        H5Dcreate2(store->file, path, file_type(type), space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ss_status status = table->set < 0 ? ss_store_fail(store, "write", path) : SS_OK;
    H5Pclose(creation);
    H5Sclose(space);
    return status;
}

static ss_status get_extent(const ss_table *table, hsize_t extent[2])
{
    hid_t space = H5Dget_space(table->set);
    if (space < 0)
        return ss_store_fail(table->store, "read", table->path);
    bool right = H5Sget_simple_extent_ndims(space) == table->rank;
    if (right)
        H5Sget_simple_extent_dims(space, extent, NULL);
    H5Sclose(space);
    return right ? SS_OK : ss_store_damaged(table->store, table->path, "has a wrong rank");
}

/* Numbers only: HDF5 cannot convert others. */
static bool holds_numbers(const ss_table *table)
{
    hid_t type = H5Dget_type(table->set);
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    if (type >= 0)
        H5Tclose(type);
    return class == H5T_FLOAT || class == H5T_INTEGER;
}

static ss_status check_shape(const ss_table *table)
{
    if (!holds_numbers(table))
        return ss_store_damaged(table->store, table->path, "does not hold numbers");
    hsize_t extent[2] = {0, 1};
    SS_TRY(get_extent(table, extent));
    if (table->rank == 2 && extent[1] != table->width)
        return ss_store_damaged(table->store, table->path, "has a wrong number of columns");
    return SS_OK;
}

ss_status ss_table_open(const ss_store *store, const char *path, hid_t type, int rank, int width,
                        ss_table *table)
{
    *table = (ss_table){store, path, H5I_INVALID_HID, type, rank, rank == 1 ? 1 : (hsize_t)width};
    table->set = H5Dopen2(store->file, path, H5P_DEFAULT);
    if (table->set < 0)
        return ss_store_damaged(store, path, "is missing");
    ss_status status = check_shape(table);
    if (status != SS_OK)
        ss_table_close(table);
    return status;
}

void ss_table_close(ss_table *table)
{
    if (table->set > 0)
        H5Dclose(table->set);
    table->set = H5I_INVALID_HID;
}

ss_status ss_table_length(const ss_table *table, size_t *length)
{
    hsize_t extent[2] = {0, 0};
    SS_TRY(get_extent(table, extent));
    *length = extent[0];
    return SS_OK;
}

ss_status ss_table_resize(const ss_table *table, size_t length)
{
    hsize_t extent[2] = {length, table->width};
    if (H5Dset_extent(table->set, extent) < 0)
        return ss_store_fail(table->store, "write", table->path);
    return SS_OK;
}

/* The part of a table that starts at row `first` and column `column`, and memory for it. */
typedef struct part {
    hid_t file, memory;
} part;

static part select_part(const ss_table *table, size_t first, size_t count, hsize_t column,
                        hsize_t width)
{
    hsize_t start[2] = {first, column}, extent[2] = {count, width};
    part p = {H5Dget_space(table->set), H5Screate_simple(table->rank, extent, NULL)};
    if (p.file >= 0)
        H5Sselect_hyperslab(p.file, H5S_SELECT_SET, start, NULL, extent, NULL);
    return p;
}

static void close_part(part p)
{
    if (p.file >= 0)
        H5Sclose(p.file);
    if (p.memory >= 0)
        H5Sclose(p.memory);
}

ss_status ss_table_write(const ss_table *table, size_t first, size_t count, const void *rows)
{
    if (count == 0)
        return SS_OK;
    SS_TRY(ss_table_resize(table, first + count));
    if (table->width == 0)
        return SS_OK;
    part p = select_part(table, first, count, 0, table->width);
    herr_t done = H5Dwrite(table->set, table->type, p.memory, p.file, H5P_DEFAULT, rows);
    ss_status status = done < 0 ? ss_store_fail(table->store, "write", table->path) : SS_OK;
    close_part(p);
    return status;
}

static ss_status read_part(const ss_table *table, part p, void *values)
{
    herr_t done = H5Dread(table->set, table->type, p.memory, p.file, H5P_DEFAULT, values);
    ss_status status = done < 0 ? ss_store_fail(table->store, "read", table->path) : SS_OK;
    close_part(p);
    return status;
}

ss_status ss_table_read(const ss_table *table, size_t first, size_t count, void *rows)
{
    if (count == 0 || table->width == 0)
        return SS_OK;
    return read_part(table, select_part(table, first, count, 0, table->width), rows);
}

ss_status ss_table_read_column(const ss_table *table, int column, size_t count, void *values)
{
    if (count == 0)
        return SS_OK;
    return read_part(table, select_part(table, 0, count, (hsize_t)column, 1), values);
}
