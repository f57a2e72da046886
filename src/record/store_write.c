/* store_write.c: groups, small datasets and attributes. */
#include "record/store.h"

#include <string.h>

/* No times in the file: the same run gives the same bytes. */
static hid_t untimed(hid_t class)
{
    hid_t list = H5Pcreate(class);
    H5Pset_obj_track_times(list, false);
    return list;
}

ss_status ss_store_group(const ss_store *store, const char *path)
{
    hid_t creation = untimed(H5P_GROUP_CREATE);
    hid_t group = H5Gcreate2(store->file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
    ss_status status = group < 0 ? ss_store_fail(store, "write", path) : SS_OK;
    H5Pclose(creation);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

static ss_status create_set(const ss_store *store, const char *path, hid_t type, hid_t space,
                            hid_t *set)
{
    if (ss_store_has(store, path))
        H5Ldelete(store->file, path, H5P_DEFAULT);
    hid_t creation = untimed(H5P_DATASET_CREATE);
    *set = H5Dcreate2(store->file, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ss_status status = *set < 0 ? ss_store_fail(store, "write", path) : SS_OK;
    H5Pclose(creation);
    return status;
}

/* Stores `count` elements, or a scalar when count is -1. */
static ss_status write_set(const ss_store *store, const char *path, hid_t file_type, hid_t type,
                           int count, const void *data)
{
    hsize_t extent = count < 0 ? 1 : (hsize_t)count;
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
    hid_t set = H5I_INVALID_HID;
    ss_status status = create_set(store, path, file_type, space, &set);
    if (status == SS_OK && count != 0 &&
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        status = ss_store_fail(store, "write", path);
    H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* UTF-8 of a fixed length, filled up with zeros. */
static hid_t text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

ss_status ss_store_write_text(const ss_store *store, const char *path, const char *text)
{
    hid_t type = text_type(strlen(text));
    ss_status status = write_set(store, path, type, type, -1, text);
    H5Tclose(type);
    return status;
}

ss_status ss_store_write_texts(const ss_store *store, const char *path, int count,
                               const char *const *texts)
{
    size_t longest = 1;
    for (int i = 0; i < count; i++)
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    void *memory;
    SS_TRY(ss_allocate(store->context, (size_t)count, longest, &memory));
    char *padded = memory;
    for (int i = 0; i < count; i++)
        memcpy(padded + (size_t)i * longest, texts[i], strlen(texts[i]));
    hid_t type = text_type(longest);
    ss_status status = write_set(store, path, type, type, count, padded);
    H5Tclose(type);
    ss_release(store->context, memory);
    return status;
}

ss_status ss_store_write_reals(const ss_store *store, const char *path, int count,
                               const double *values)
{
    return write_set(store, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

ss_status ss_store_write_ints(const ss_store *store, const char *path, int count, const int *values)
{
    return write_set(store, path, H5T_STD_I32LE, H5T_NATIVE_INT, count, values);
}

/* Whether a dataset of this many elements is there. */
static bool has_size(const ss_store *store, const char *path, size_t count)
{
    hid_t set = ss_store_has(store, path) ? H5Dopen2(store->file, path, H5P_DEFAULT) : -1;
    hid_t space = set < 0 ? -1 : H5Dget_space(set);
    bool same = space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return same;
}

/* Written over when it is there with the same size: a checkpoint is renewed often. */
ss_status ss_store_write_bytes(const ss_store *store, const char *path, size_t count,
                               const void *bytes)
{
    if (!has_size(store, path, count))
        return write_set(store, path, H5T_STD_U8LE, H5T_NATIVE_UINT8, (int)count, bytes);
    hid_t set = H5Dopen2(store->file, path, H5P_DEFAULT);
    herr_t written =
        set < 0 ? -1 : H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    ss_status status = written < 0 ? ss_store_fail(store, "write", path) : SS_OK;
    if (set >= 0)
        H5Dclose(set);
    return status;
}

/* An attribute that exists, or a new one. Texts differ in type: they are made anew. */
static hid_t open_attribute(hid_t object, const char *name, hid_t type, hid_t space, bool anew)
{
    if (H5Aexists(object, name) > 0) {
        if (!anew)
            return H5Aopen(object, name, H5P_DEFAULT);
        H5Adelete(object, name);
    }
    return H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
}

static ss_status set_attribute(const ss_store *store, const char *path, const char *name,
                               hid_t file_type, hid_t type, const void *value)
{
    hid_t object = H5Oopen(store->file, path, H5P_DEFAULT);
    if (object < 0)
        return ss_store_fail(store, "write", path);
    bool anew = H5Tget_class(type) == H5T_STRING;
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = open_attribute(object, name, file_type, space, anew);
    herr_t written = attribute < 0 ? -1 : H5Awrite(attribute, type, value);
    ss_status status = written < 0 ? ss_store_fail(store, "write an attribute of", path) : SS_OK;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
    return status;
}

ss_status ss_store_set_text(const ss_store *store, const char *path, const char *name,
                            const char *text)
{
    hid_t type = text_type(strlen(text));
    ss_status status = set_attribute(store, path, name, type, type, text);
    H5Tclose(type);
    return status;
}

ss_status ss_store_set_count(const ss_store *store, const char *path, const char *name,
                             uint64_t value)
{
    return set_attribute(store, path, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

ss_status ss_store_set_real(const ss_store *store, const char *path, const char *name, double value)
{
    return set_attribute(store, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}
