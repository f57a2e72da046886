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

/* ---- Files ---- */

ss_silence ss_silence_begin(void)
{
    ss_silence silence = {.plugins = H5PL_ALL_PLUGIN};
    H5Eget_auto2(H5E_DEFAULT, &silence.print, &silence.user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLget_loading_state(&silence.plugins);
    H5PLset_loading_state(0);
    return silence;
}

void ss_silence_end(ss_silence silence)
{
    H5PLset_loading_state(silence.plugins);
    H5Eset_auto2(H5E_DEFAULT, silence.print, silence.user);
}

/* Closing the file closes all that was opened in it. The oldest file format is the one that
 * every reader knows, ours among them. */
static hid_t access_list(ss_pages *pages)
{
    hid_t list = ss_pages_access(pages);
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
    H5Pset_libver_bounds(list, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
    return list;
}

ss_status ss_store_create(ss_store *store, ss_pages *pages)
{
    hid_t access = access_list(pages);
    store->file = H5Fcreate(store->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ss_status status = store->file < 0 ? ss_store_fail(store, "create", "it") : SS_OK;
    H5Pclose(access);
    return status;
}

static ss_status refuse_file(const ss_store *store, ss_status status)
{
    const char *fault = store->reader->fault;
    if (status == SS_IO)
        return ss_fail(store->context, status, "record '%s': cannot open it: %s", store->path,
                       fault);
    if (status != SS_INPUT)
        return status;
    if (strcmp(fault, "is no HDF5 file") == 0)
        return ss_fail(store->context, status,
                       "'%s' is not a record: records are HDF5 files written by `stickslip run`",
                       store->path);
    return ss_store_damaged(store, "it", fault);
}

static ss_status read_from(ss_store *store, const char *file, bool locked)
{
    SS_TRY(SS_NEW(store->context, 1, &store->reader));
    ss_status status = ss_hdf5_open(store->reader, store->context, file, locked);
    return status == SS_OK ? SS_OK : refuse_file(store, status);
}

ss_status ss_store_open(ss_store *store, const char *file)
{
    return read_from(store, file, true);
}

ss_status ss_store_open_pages(ss_store *store, ss_pages *pages, const char *file)
{
    SS_TRY(read_from(store, file, false));
    hid_t access = access_list(pages);
    store->file = H5Fopen(store->path, H5F_ACC_RDWR, access);
    ss_status status = store->file < 0 ? ss_store_fail(store, "open", "it") : SS_OK;
    H5Pclose(access);
    return status;
}

bool ss_store_close(ss_store *store)
{
    bool closed = store->file < 0 || H5Fclose(store->file) >= 0;
    store->file = H5I_INVALID_HID;
    if (store->reader)
        ss_hdf5_close(store->reader);
    ss_release(store->context, store->reader);
    store->reader = NULL;
    return closed;
}

ss_status ss_store_flush(const ss_store *store)
{
    return H5Fflush(store->file, H5F_SCOPE_LOCAL) < 0 ? ss_store_fail(store, "write", "it") : SS_OK;
}

ss_status ss_store_explain(const ss_store *store, ss_status status, const char *what)
{
    const char *fault = store->reader->fault;
    if (status == SS_INPUT)
        return ss_store_damaged(store, what, fault);
    if (status == SS_IO)
        return ss_fail(store->context, status, "record '%s': cannot read %s: %s", store->path, what,
                       fault);
    return status;
}

bool ss_store_has(const ss_store *store, const char *path)
{
    ss_hdf5_kind kind;
    if (store->file >= 0)
        return H5Lexists(store->file, path, H5P_DEFAULT) > 0;
    return ss_hdf5_find(store->reader, path, &kind) != SS_OK || kind != SS_HDF5_NOTHING;
}

ss_status ss_store_reach(const ss_store *store, const char *path, const char *name,
                         ss_hdf5_array *array)
{
    ss_status status = ss_hdf5_array_open(store->reader, path, name, array);
    if (status == SS_OK)
        return SS_OK;
    ss_hdf5_array_close(array);
    return ss_store_explain(store, status, name ? name : path);
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

hid_t ss_store_untimed(hid_t class)
{
    hid_t list = H5Pcreate(class);
    H5Pset_obj_track_times(list, false);
    return list;
}

ss_status ss_store_group(const ss_store *store, const char *path)
{
    hid_t creation = ss_store_untimed(H5P_GROUP_CREATE);
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
    if (ss_store_has(store, path))
        H5Ldelete(store->file, path, H5P_DEFAULT);
    hsize_t extent = count < 0 ? 1 : (hsize_t)count;
    hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &extent, NULL);
    hid_t creation = ss_store_untimed(H5P_DATASET_CREATE);
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

hid_t ss_store_text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

ss_status ss_store_write_text(const ss_store *store, const char *path, const char *text)
{
    hid_t type = ss_store_text_type(strlen(text));
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
    hid_t type = ss_store_text_type(longest);
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
    bool there = ss_store_has(store, path);
    hid_t set = there ? H5Dopen2(store->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t space = set < 0 ? -1 : H5Dget_space(set);
    bool same = space >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
    ss_status status = SS_OK;
    if (same && count > 0 && H5Dwrite(set, type.native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status = ss_store_fail(store, "write", path);
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return same ? status : write_set(store, path, type.file, type.native, (int)count, values);
}

/* An attribute that is there may have another type or size: it is made anew. */
static ss_status set_attribute(const ss_store *store, const char *path, const char *name,
                               hid_t file_type, hid_t type, const void *value)
{
    hid_t object = H5Oopen(store->file, path, H5P_DEFAULT);
    if (object < 0)
        return ss_store_fail(store, "write an attribute of", path);
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
    hid_t type = ss_store_text_type(strlen(text));
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

/* How many elements there are; rank 0 (one) or 1. */
static ss_status count_elements(const ss_store *store, const ss_hdf5_array *array, const char *what,
                                size_t *count)
{
    if (array->rank > 1 || array->extent[0] > INT_MAX)
        return ss_store_damaged(store, what, "has a wrong size");
    *count = (size_t)array->extent[0];
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

static ss_status read_strings(const ss_store *store, ss_hdf5_array *array, const char *what,
                              ss_arena *arena, int *count, const char ***texts)
{
    size_t n = 0, length = array->bytes;
    char *raw, *text;
    const char **list;
    SS_TRY(count_elements(store, array, what, &n));
    if (array->class != SS_HDF5_TEXT)
        return ss_store_damaged(store, what, "is not a text");
    SS_TRY(SS_ARENA_NEW(arena, n * length, &raw));
    SS_TRY(ss_store_explain(store, ss_hdf5_array_read_texts(array, raw), what));
    SS_TRY(SS_ARENA_NEW(arena, n, &list));
    SS_TRY(SS_ARENA_NEW(arena, n * (length + 1), &text));
    for (size_t i = 0; i < n; i++, text += length + 1) {
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
    ss_hdf5_array array;
    SS_TRY(ss_store_reach(store, path, NULL, &array));
    ss_status status = read_strings(store, &array, path, arena, count, texts);
    ss_hdf5_array_close(&array);
    return status;
}

ss_status ss_store_get_text(const ss_store *store, const char *path, const char *name,
                            ss_arena *arena, const char **text)
{
    ss_hdf5_array array;
    SS_TRY(ss_store_reach(store, path, name, &array));
    int count = 0;
    const char **texts = NULL;
    ss_status status = read_strings(store, &array, name ? name : path, arena, &count, &texts);
    ss_hdf5_array_close(&array);
    SS_TRY(status);
    if (count != 1)
        return ss_store_damaged(store, name ? name : path, "is not one text");
    *text = texts[0];
    return SS_OK;
}

static ss_status read_numbers(const ss_store *store, ss_hdf5_array *array, const char *what,
                              ss_number number, void *values)
{
    uint64_t first[2] = {0, 0};
    return ss_store_explain(store, ss_hdf5_array_read(array, first, array->extent, number, values),
                            what);
}

ss_status ss_store_read(const ss_store *store, const char *path, ss_number number, ss_arena *arena,
                        size_t *count, void **values)
{
    ss_hdf5_array array;
    SS_TRY(ss_store_reach(store, path, NULL, &array));
    ss_status status = count_elements(store, &array, path, count);
    if (status == SS_OK)
        status = ss_arena_allocate(arena, *count, ss_number_bytes(number), values);
    if (status == SS_OK)
        status = read_numbers(store, &array, path, number, *values);
    ss_hdf5_array_close(&array);
    return status;
}

ss_status ss_store_get(const ss_store *store, const char *path, const char *name, ss_number number,
                       void *value)
{
    ss_hdf5_array array;
    SS_TRY(ss_store_reach(store, path, name, &array));
    size_t count = 0;
    ss_status status = count_elements(store, &array, name, &count);
    if (status == SS_OK && count != 1)
        status = ss_store_damaged(store, name, "is not one number");
    if (status == SS_OK)
        status = read_numbers(store, &array, name, number, value);
    ss_hdf5_array_close(&array);
    return status;
}

ss_status ss_store_get_count(const ss_store *store, const char *path, const char *name,
                             uint64_t *value)
{
    return ss_store_get(store, path, name, SS_NUMBER_UINT64, value);
}
