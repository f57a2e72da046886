/* store.c: opening and closing files, and what went wrong. */
#include "record/store.h"

#include <stdio.h>
#include <string.h>

void ss_silence_begin(ss_silence *silence)
{
    H5Eget_auto2(H5E_DEFAULT, &silence->print, &silence->user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void ss_silence_end(const ss_silence *silence)
{
    H5Eset_auto2(H5E_DEFAULT, silence->print, silence->user);
}

typedef struct reason {
    char text[256];
} reason;

/* The first entry is the innermost: errors of the operating system, with its words, or HDF5's
 * own. */
static herr_t take_reason(unsigned n, const H5E_error2_t *error, void *user)
{
    reason *r = user;
    static const char mark[] = "error message = '";
    const char *words = error->desc ? strstr(error->desc, mark) : NULL;
    if (words) {
        words += sizeof mark - 1;
        snprintf(r->text, sizeof r->text, "%.*s", (int)strcspn(words, "'"), words);
        return 1;
    }
    if (n == 0 && error->desc)
        snprintf(r->text, sizeof r->text, "%s", error->desc);
    return 0;
}

ss_status ss_store_fail(const ss_store *store, const char *doing, const char *what)
{
    reason r = {"unknown reason"};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, &r);
    H5Eclear2(H5E_DEFAULT);
    if (strstr(r.text, "Resource temporarily unavailable"))
        return ss_fail(store->context, SS_IO,
                       "record '%s': cannot %s%s%s: a running simulation is writing it",
                       store->path, doing, what[0] ? " " : "", what);
    return ss_fail(store->context, SS_IO, "record '%s': cannot %s%s%s: %s", store->path, doing,
                   what[0] ? " " : "", what, r.text);
}

ss_status ss_store_damaged(const ss_store *store, const char *what, const char *fault)
{
    H5Eclear2(H5E_DEFAULT);
    return ss_fail(store->context, SS_INPUT, "record '%s' is damaged: %s %s", store->path, what,
                   fault);
}

/* Closing the file closes all that was opened in it. The oldest file format is the one that
 * every reader knows. */
static hid_t access_list(void)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG);
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

bool ss_store_close(ss_store *store)
{
    bool closed = store->file < 0 || H5Fclose(store->file) >= 0;
    store->file = H5I_INVALID_HID;
    return closed;
}

bool ss_store_has(const ss_store *store, const char *path)
{
    return H5Lexists(store->file, path, H5P_DEFAULT) > 0;
}
