/* store.h: the little of HDF5 that records need, with our own messages. */
#ifndef SS_RECORD_STORE_H
#define SS_RECORD_STORE_H

#include "base/arena.h"

#include <hdf5.h>

typedef struct ss_store {
    ss_context *context;
    const char *path; /* for messages; borrowed */
    hid_t file;       /* H5I_INVALID_HID: not open */
} ss_store;

/* HDF5 prints its errors unless told not to, thread by thread; every public function that uses
 * it is silent between these two. */
typedef struct ss_silence {
    H5E_auto2_t print;
    void *user;
} ss_silence;
void ss_silence_begin(ss_silence *silence);
void ss_silence_end(const ss_silence *silence);

/* "record 'a.h5': cannot write /q: No space left on device", the reason from HDF5's error stack,
 * which the next call to HDF5 clears: closing comes after. */
ss_status ss_store_fail(const ss_store *store, const char *doing, const char *what);
/* "record 'a.h5' is damaged: …" */
ss_status ss_store_damaged(const ss_store *store, const char *what, const char *fault);

/* Opening. The names of files are UTF-8, as everywhere. */
ss_status ss_store_create(ss_store *store, const char *file);
ss_status ss_store_open(ss_store *store, const char *file, bool writable);
/* Closes the file; false when what was cached could not be written. */
bool ss_store_close(ss_store *store);

/* ---- Writing ---- */

ss_status ss_store_group(const ss_store *store, const char *path);
/* Replaces the dataset when it exists. */
ss_status ss_store_write_text(const ss_store *store, const char *path, const char *text);
ss_status ss_store_write_texts(const ss_store *store, const char *path, int count,
                               const char *const *texts);
ss_status ss_store_write_reals(const ss_store *store, const char *path, int count,
                               const double *values);
ss_status ss_store_write_ints(const ss_store *store, const char *path, int count,
                              const int *values);
ss_status ss_store_write_bytes(const ss_store *store, const char *path, size_t count,
                               const void *bytes);
/* Attributes of a group or dataset; replaced when they exist. */
ss_status ss_store_set_text(const ss_store *store, const char *path, const char *name,
                            const char *text);
ss_status ss_store_set_count(const ss_store *store, const char *path, const char *name,
                             uint64_t value);
ss_status ss_store_set_real(const ss_store *store, const char *path, const char *name,
                            double value);

/* ---- Reading: what is not there or not of the wanted kind is a damaged record ---- */

bool ss_store_has(const ss_store *store, const char *path);
ss_status ss_store_read_text(const ss_store *store, const char *path, ss_arena *arena,
                             const char **text);
ss_status ss_store_read_texts(const ss_store *store, const char *path, ss_arena *arena, int *count,
                              const char ***texts);
ss_status ss_store_read_reals(const ss_store *store, const char *path, ss_arena *arena, int *count,
                              double **values);
ss_status ss_store_read_ints(const ss_store *store, const char *path, ss_arena *arena, int *count,
                             int **values);
ss_status ss_store_read_bytes(const ss_store *store, const char *path, ss_arena *arena,
                              size_t *count, void **bytes);
ss_status ss_store_get_text(const ss_store *store, const char *path, const char *name,
                            ss_arena *arena, const char **text);
ss_status ss_store_get_count(const ss_store *store, const char *path, const char *name,
                             uint64_t *value);
ss_status ss_store_get_real(const ss_store *store, const char *path, const char *name,
                            double *value);

/* ---- Tables: rank 1 (width 0) or 2, growing in the first dimension ---- */

typedef struct ss_table {
    const ss_store *store;
    const char *path; /* borrowed */
    hid_t set;        /* H5I_INVALID_HID: not open */
    hid_t type;       /* native, not owned */
    int rank;
    hsize_t width;
} ss_table;

/* rank 1: one number a row, width is ignored. chunk: rows in a chunk. */
ss_status ss_table_create(const ss_store *store, const char *path, hid_t type, int rank, int width,
                          size_t chunk, bool compress, ss_table *table);
/* type is what memory holds. Fails when rank and width are not as told. */
ss_status ss_table_open(const ss_store *store, const char *path, hid_t type, int rank, int width,
                        ss_table *table);
void ss_table_close(ss_table *table);
ss_status ss_table_length(const ss_table *table, size_t *length);
ss_status ss_table_resize(const ss_table *table, size_t length);
/* Writes rows first … first + count - 1, growing the table as needed. */
ss_status ss_table_write(const ss_table *table, size_t first, size_t count, const void *rows);
ss_status ss_table_read(const ss_table *table, size_t first, size_t count, void *rows);
/* One column of all rows 0 … count - 1. */
ss_status ss_table_read_column(const ss_table *table, int column, size_t count, void *values);

#endif
