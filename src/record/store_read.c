/* store_read.c: small datasets and attributes. Nothing in the file is trusted. */
#include "record/store.h"

#include <limits.h>
#include <string.h>

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
    if (s->id >= 0)
        s->attribute ? H5Aclose(s->id) : H5Dclose(s->id);
}

/* name NULL: the dataset itself. */
static ss_status open_source(const ss_store *store, const char *path, const char *name, source *s)
{
    *s = (source){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, name != NULL};
    if (name) {
        s->id = H5Aopen_by_name(store->file, path, name, H5P_DEFAULT, H5P_DEFAULT);
        s->type = s->id < 0 ? s->id : H5Aget_type(s->id);
        s->space = s->id < 0 ? s->id : H5Aget_space(s->id);
    } else {
        s->id = H5Dopen2(store->file, path, H5P_DEFAULT);
        s->type = s->id < 0 ? s->id : H5Dget_type(s->id);
        s->space = s->id < 0 ? s->id : H5Dget_space(s->id);
    }
    if (s->id >= 0 && s->type >= 0 && s->space >= 0)
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

static ss_status read_text(const ss_store *store, const char *path, const char *name,
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

ss_status ss_store_read_text(const ss_store *store, const char *path, ss_arena *arena,
                             const char **text)
{
    return read_text(store, path, NULL, arena, text);
}

ss_status ss_store_get_text(const ss_store *store, const char *path, const char *name,
                            ss_arena *arena, const char **text)
{
    return read_text(store, path, name, arena, text);
}

/* All elements of a dataset as numbers of a native type of `size` bytes. */
static ss_status read_numbers(const ss_store *store, const char *path, hid_t type, size_t size,
                              ss_arena *arena, size_t *count, void **values)
{
    source s;
    SS_TRY(open_source(store, path, NULL, &s));
    ss_status status = count_elements(store, &s, path, count);
    if (status == SS_OK)
        status = ss_arena_allocate(arena, *count, size, values);
    if (status == SS_OK && *count > 0)
        status = read_source(store, &s, type, path, *values);
    close_source(&s);
    return status;
}

ss_status ss_store_read_reals(const ss_store *store, const char *path, ss_arena *arena, int *count,
                              double **values)
{
    size_t n = 0;
    void *memory = NULL;
    SS_TRY(read_numbers(store, path, H5T_NATIVE_DOUBLE, sizeof(double), arena, &n, &memory));
    *count = (int)n;
    *values = memory;
    return SS_OK;
}

ss_status ss_store_read_ints(const ss_store *store, const char *path, ss_arena *arena, int *count,
                             int **values)
{
    size_t n = 0;
    void *memory = NULL;
    SS_TRY(read_numbers(store, path, H5T_NATIVE_INT, sizeof(int), arena, &n, &memory));
    *count = (int)n;
    *values = memory;
    return SS_OK;
}

ss_status ss_store_read_bytes(const ss_store *store, const char *path, ss_arena *arena,
                              size_t *count, void **bytes)
{
    return read_numbers(store, path, H5T_NATIVE_UINT8, 1, arena, count, bytes);
}

static ss_status get_number(const ss_store *store, const char *path, const char *name, hid_t type,
                            void *value)
{
    source s;
    SS_TRY(open_source(store, path, name, &s));
    size_t count = 0;
    ss_status status = count_elements(store, &s, name, &count);
    if (status == SS_OK && count != 1)
        status = ss_store_damaged(store, name, "is not one number");
    if (status == SS_OK)
        status = read_source(store, &s, type, name, value);
    close_source(&s);
    return status;
}

ss_status ss_store_get_count(const ss_store *store, const char *path, const char *name,
                             uint64_t *value)
{
    return get_number(store, path, name, H5T_NATIVE_UINT64, value);
}

ss_status ss_store_get_real(const ss_store *store, const char *path, const char *name,
                            double *value)
{
    return get_number(store, path, name, H5T_NATIVE_DOUBLE, value);
}
