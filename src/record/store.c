/* store.c: files, small datasets and attributes of HDF5, and what went wrong. Nothing in a file is trusted. */
#include "record/store.h"

#include "base/context.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { REASON_LENGTH = 256 };

/* The first entry is the innermost: errors of the operating system, with its words, or HDF5's
 * own. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    char *reason = user;
    static const char mark[] = "error message = '";
    const char *words = error->desc ? strstr(error->desc, mark) : NULL;
    if (words) {
        words += sizeof mark - 1;
        snprintf(reason, REASON_LENGTH, "%.*s", (int)strcspn(words, "'"), words);
        return 1;
    }
    if (n == 0 && error->desc)
        snprintf(reason, REASON_LENGTH, "%s", error->desc);
    return 0;
}

ss_status ss_store_fail(const ss_store *store, const char *doing, const char *what)
{
    char reason[REASON_LENGTH] = "unknown reason";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
    H5Eclear2(H5E_DEFAULT);
    if (strstr(reason, "Resource temporarily unavailable"))
        return ss_fail(store->context, SS_IO,
                       "record '%s': cannot %s%s%s: a running simulation is writing it",
                       store->path, doing, what[0] ? " " : "", what);
    return ss_fail(store->context, SS_IO, "record '%s': cannot %s%s%s: %s", store->path, doing,
                   what[0] ? " " : "", what, reason);
}

ss_status ss_store_damaged(const ss_store *store, const char *what, const char *fault)
{
    H5Eclear2(H5E_DEFAULT);
    return ss_fail(store->context, SS_INPUT, "record '%s' is damaged: %s %s", store->path, what,
                   fault);
}

/* The oldest file format is the one that every reader knows. How the file is closed stays HDF5's default: otherwise no one
 * else in the program, h5py for instance, could open it beside us. */
static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    return list;
}

ss_status ss_store_create(ss_store *store, const char *file)
{
    hid_t access = access_list();
    store->file = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ss_status status = store->file < 0 ? ss_store_fail(store, "create", "it") : SS_OK;
    H5Pclose(access);
    return status;
}

ss_status ss_store_open(ss_store *store, const char *file, bool writable)
{
    hid_t access = access_list();
    store->file = H5Fopen(file, writable ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
    ss_status status = store->file < 0 ? ss_store_fail(store, "open", "it") : SS_OK;
    H5Pclose(access);
    return status;
}

/* What a failure left open in the file would keep it open. */
static void close_objects(hid_t file)
{
    const unsigned kinds =
        H5F_OBJ_LOCAL | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_DATATYPE | H5F_OBJ_ATTR;
    hid_t objects[16];
    for (ssize_t n = 1; n > 0;) {
        n = H5Fget_obj_ids(file, kinds, sizeof objects / sizeof *objects, objects);
        for (ssize_t i = 0; i < n; i++)
            if (H5Idec_ref(objects[i]) < 0)
                return;
    }
}

bool ss_store_close(ss_store *store)
{
    if (store->file >= 0)
        close_objects(store->file);
    bool closed = store->file < 0 || H5Fclose(store->file) >= 0;
    store->file = H5I_INVALID_HID;
    return closed;
}

ss_status ss_store_flush(const ss_store *store)
{
    return H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0 ? ss_store_fail(store, "write", "it") : SS_OK;
}

ss_status ss_store_size(const ss_store *store, uint64_t *bytes)
{
    hsize_t size = 0;
    if (H5Fget_filesize(store->file, &size) < 0)
        return ss_store_fail(store, "write", "it");
    *bytes = size;
    return SS_OK;
}

bool ss_store_has(const ss_store *store, const char *path)
{
    return ss_hdf5_path_fault(store->file, path) || H5Lexists(store->file, path, H5P_DEFAULT) > 0;
}

static const char *object_fault(hid_t object)
{
    H5I_type_t kind = H5Iget_type(object);
    if (kind == H5I_DATASET)
        return ss_hdf5_dataset_fault(object);
    return kind == H5I_GROUP ? NULL : "is neither a group nor a dataset";
}

static void close_object(hid_t object)
{
    if (object >= 0 && H5Iget_type(object) == H5I_ATTR)
        H5Aclose(object);
    else if (object >= 0)
        H5Oclose(object);
}

ss_status ss_store_reach(const ss_store *store, const char *path, const char *name, hid_t *object)
{
    const char *fault = ss_hdf5_path_fault(store->file, path);
    *object = fault ? H5I_INVALID_HID : H5Oopen(store->file, path, H5P_DEFAULT);
    if (!fault)
        fault = *object < 0 ? "is missing" : object_fault(*object);
    if (name && !fault) {
        hid_t attribute = H5Aexists(*object, name) > 0 ? H5Aopen(*object, name, H5P_DEFAULT) : -1;
        close_object(*object);
        *object = attribute;
        fault = attribute < 0 ? "is missing" : ss_hdf5_attribute_fault(attribute);
    }
    if (!fault)
        return SS_OK;
    close_object(*object);
    *object = H5I_INVALID_HID;
    return ss_store_damaged(store, name ? name : path, fault);
}

/* A new object must not go elsewhere either. */
static ss_status check_way(const ss_store *store, const char *path)
{
    const char *fault = ss_hdf5_path_fault(store->file, path);
    return fault ? ss_store_damaged(store, path, fault) : SS_OK;
}

ss_number_type ss_number_types(ss_number number)
{
    const ss_number_type all[] = {
        [SS_NUMBER_REAL] = {sizeof(double), H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE},
        [SS_NUMBER_INT8] = {sizeof(int8_t), H5T_NATIVE_INT8, H5T_STD_I8LE},
        [SS_NUMBER_UINT8] = {sizeof(uint8_t), H5T_NATIVE_UINT8, H5T_STD_U8LE},
        [SS_NUMBER_INT32] = {sizeof(int32_t), H5T_NATIVE_INT32, H5T_STD_I32LE},
        [SS_NUMBER_UINT32] = {sizeof(uint32_t), H5T_NATIVE_UINT32, H5T_STD_U32LE},
        [SS_NUMBER_INT64] = {sizeof(int64_t), H5T_NATIVE_INT64, H5T_STD_I64LE},
        [SS_NUMBER_UINT64] = {sizeof(uint64_t), H5T_NATIVE_UINT64, H5T_STD_U64LE},
        [SS_NUMBER_TEXT] = {sizeof(const char *), H5I_INVALID_HID, H5I_INVALID_HID},
    };
    return all[number];
}

/* ---- Writing ---- */

/* No times in the file: the same run gives the same bytes. */
static hid_t untimed(hid_t class)
{
    hid_t list = H5Pcreate(class);
    H5Pset_obj_track_times(list, false);
    return list;
}

ss_status ss_store_group(const ss_store *store, const char *path)
{
    SS_TRY(check_way(store, path));
    hid_t creation = untimed(H5P_GROUP_CREATE);
    hid_t group = H5Gcreate2(store->file, path, H5P_DEFAULT, creation, H5P_DEFAULT);
    ss_status status = group < 0 ? ss_store_fail(store, "write", path) : SS_OK;
    H5Pclose(creation);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

/* Stores `count` elements, or a scalar when count is -1; replaces a dataset that is there. */
static ss_status write_set(const ss_store *store, const char *path, hid_t file_type, hid_t type,
                           int count, const void *data)
{
    SS_TRY(check_way(store, path));
    if (ss_store_has(store, path))
        H5Ldelete(store->file, path, H5P_DEFAULT);
    hsize_t extent = count < 0 ? 1 : (hsize_t)count;
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
    hid_t creation = untimed(H5P_DATASET_CREATE);
    hid_t set = H5Dcreate2(store->file, path, file_type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    bool written =
        set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    ss_status status = written ? SS_OK : ss_store_fail(store, "write", path);
    H5Pclose(creation);
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
    char *padded;
    SS_TRY(SS_NEW(store->context, (size_t)count * longest, &padded));
    for (int i = 0; i < count; i++)
        memcpy(padded + (size_t)i * longest, texts[i], strlen(texts[i]));
    hid_t type = text_type(longest);
    ss_status status = write_set(store, path, type, type, count, padded);
    H5Tclose(type);
    ss_release(store->context, padded);
    return status;
}

/* Written over when it is there with the same size: a checkpoint is renewed often. */
ss_status ss_store_write(const ss_store *store, const char *path, ss_number number, size_t count,
                         const void *values)
{
    ss_number_type type = ss_number_types(number);
    hid_t set = H5I_INVALID_HID;
    if (ss_store_has(store, path))
        SS_TRY(ss_store_reach(store, path, NULL, &set));
    hid_t space = set < 0 ? -1 : H5Dget_space(set);
    bool same = space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
    ss_status status = SS_OK;
    if (same && count > 0 && H5Dwrite(set, type.native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status = ss_store_fail(store, "write", path);
    if (space >= 0)
        H5Sclose(space);
    close_object(set);
    return same ? status : write_set(store, path, type.file, type.native, (int)count, values);
}

/* An attribute that is there may have another type or size: it is made anew. */
static ss_status set_attribute(const ss_store *store, const char *path, const char *name,
                               hid_t file_type, hid_t type, const void *value)
{
    hid_t object;
    SS_TRY(ss_store_reach(store, path, NULL, &object));
    hid_t space = H5Screate(H5S_SCALAR);
    if (H5Aexists(object, name) > 0)
        H5Adelete(object, name);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
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

ss_status ss_store_set(const ss_store *store, const char *path, const char *name, ss_number number,
                       const void *value)
{
    ss_number_type type = ss_number_types(number);
    return set_attribute(store, path, name, type.file, type.native, value);
}

ss_status ss_store_set_count(const ss_store *store, const char *path, const char *name,
                             uint64_t value)
{
    return ss_store_set(store, path, name, SS_NUMBER_UINT64, &value);
}

/* ---- Reading ---- */

/* A dataset or an attribute, opened. */
typedef struct source {
    hid_t id, type, space;
    bool attribute;
} source;

static void close_source(source *s)
{
    if (s->space >= 0)
        H5Sclose(s->space);
    if (s->type >= 0)
        H5Tclose(s->type);
    close_object(s->id);
}

/* name NULL: the dataset itself. */
static ss_status open_source(const ss_store *store, const char *path, const char *name, source *s)
{
    *s = (source){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, name != NULL};
    SS_TRY(ss_store_reach(store, path, name, &s->id));
    bool set = H5Iget_type(s->id) == H5I_DATASET;
    s->type = name ? H5Aget_type(s->id) : set ? H5Dget_type(s->id) : H5I_INVALID_HID;
    s->space = name ? H5Aget_space(s->id) : set ? H5Dget_space(s->id) : H5I_INVALID_HID;
    if (s->type >= 0 && s->space >= 0)
        return SS_OK;
    close_source(s);
    return ss_store_damaged(store, name ? name : path, "is missing");
}

static ss_status read_source(const ss_store *store, const source *s, hid_t type, const char *what,
                             void *data)
{
    herr_t done = s->attribute ? H5Aread(s->id, type, data)
                               : H5Dread(s->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    return done < 0 ? ss_store_fail(store, "read", what) : SS_OK;
}

/* How many elements there are; rank 0 (one) or 1. */
static ss_status count_elements(const ss_store *store, const source *s, const char *what,
                                size_t *count)
{
    hssize_t points = H5Sget_simple_extent_npoints(s->space);
    if (points < 0 || points > INT_MAX || H5Sget_simple_extent_ndims(s->space) > 1)
        return ss_store_damaged(store, what, "has a wrong size");
    *count = (size_t)points;
    return SS_OK;
}

/* Control characters, which a terminal would obey, and what is no UTF-8 become '?'. `lines`: breaks of lines and tabs
 * stay. */
static void clean(char *text, bool lines)
{
    size_t length = strlen(text), n;
    for (size_t i = 0; i < length; i += n) {
        unsigned char *p = (unsigned char *)text + i;
        n = ss_character_length(p, length - i);
        bool fine = n > 0 && (!ss_character_controls(p, n) || (lines && strchr("\n\t", p[0])));
        n = n > 0 ? n : 1;
        if (!fine)
            memset(p, '?', n);
    }
}

static ss_status read_strings(const ss_store *store, const source *s, const char *what,
                              ss_arena *arena, int *count, const char ***texts)
{
    size_t n = 0;
    SS_TRY(count_elements(store, s, what, &n));
    if (H5Tget_class(s->type) != H5T_STRING || H5Tis_variable_str(s->type) > 0)
        return ss_store_damaged(store, what, "is not a text");
    size_t length = H5Tget_size(s->type);
    char *raw;
    SS_TRY(SS_ARENA_NEW(arena, n * length, &raw));
    if (n > 0)
        SS_TRY(read_source(store, s, s->type, what, raw));
    const char **list;
    SS_TRY(SS_ARENA_NEW(arena, n, &list));
    for (size_t i = 0; i < n; i++) {
        char *text;
        SS_TRY(SS_ARENA_NEW(arena, length + 1, &text));
        memcpy(text, raw + i * length, length);
        clean(text, n == 1);
        list[i] = text;
    }
    *count = (int)n;
    *texts = list;
    return SS_OK;
}

ss_status ss_store_read_texts(const ss_store *store, const char *path, ss_arena *arena, int *count,
                              const char ***texts)
{
    source s;
    SS_TRY(open_source(store, path, NULL, &s));
    ss_status status = read_strings(store, &s, path, arena, count, texts);
    close_source(&s);
    return status;
}

ss_status ss_store_get_text(const ss_store *store, const char *path, const char *name,
                            ss_arena *arena, const char **text)
{
    source s;
    SS_TRY(open_source(store, path, name, &s));
    int count = 0;
    const char **texts = NULL;
    ss_status status = read_strings(store, &s, name ? name : path, arena, &count, &texts);
    close_source(&s);
    SS_TRY(status);
    if (count != 1)
        return ss_store_damaged(store, name ? name : path, "is not one text");
    *text = texts[0];
    return SS_OK;
}

ss_status ss_store_read(const ss_store *store, const char *path, ss_number number, ss_arena *arena,
                        size_t *count, void **values)
{
    ss_number_type type = ss_number_types(number);
    source s;
    SS_TRY(open_source(store, path, NULL, &s));
    ss_status status = count_elements(store, &s, path, count);
    if (status == SS_OK)
        status = ss_arena_allocate(arena, *count, type.bytes, values);
    if (status == SS_OK && *count > 0)
        status = read_source(store, &s, type.native, path, *values);
    close_source(&s);
    return status;
}

ss_status ss_store_get(const ss_store *store, const char *path, const char *name, ss_number number,
                       void *value)
{
    source s;
    SS_TRY(open_source(store, path, name, &s));
    size_t count = 0;
    ss_status status = count_elements(store, &s, name, &count);
    if (status == SS_OK && count != 1)
        status = ss_store_damaged(store, name, "is not one number");
    if (status == SS_OK)
        status = read_source(store, &s, ss_number_types(number).native, name, value);
    close_source(&s);
    return status;
}

ss_status ss_store_get_count(const ss_store *store, const char *path, const char *name,
                             uint64_t *value)
{
    return ss_store_get(store, path, name, SS_NUMBER_UINT64, value);
}
