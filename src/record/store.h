/* store.h: the little of HDF5 that records need, with our own messages. */
#ifndef SS_RECORD_STORE_H
#define SS_RECORD_STORE_H

#include "base/arena.h"
#include "base/hdf5.h"
#include "record/part_file.h"

#include <hdf5.h>

/* A file is written by libhdf5, which never sees a file that this program has not made. Files are read by our own reader
 * (base/hdf5.h), whoever made them. A store that is written reads what the file had that it is a copy of. */
typedef struct ss_store {
    ss_context *context;
    const char *path; /* for messages; borrowed */
    hid_t file;       /* H5I_INVALID_HID: not open for writing */
    ss_hdf5 *reader;  /* NULL: nothing is read */
} ss_store;

/* HDF5 prints its errors and loads filters from shared libraries unless told not to; every public function that writes
 * does so between these two. */
typedef struct ss_silence {
    H5E_auto2_t print;
    void *user;
    unsigned plugins;
} ss_silence;
ss_silence ss_silence_begin(void);
void ss_silence_end(ss_silence silence);

/* "record 'a.h5': cannot write /q: No space left on device", the reason from HDF5's error stack,
 * which the next call to HDF5 clears: closing comes after. */
ss_status ss_store_fail(const ss_store *store, const char *doing, const char *what);
/* "record 'a.h5' is damaged: …" */
ss_status ss_store_damaged(const ss_store *store, const char *what, const char *fault);

/* The names of files are UTF-8, as everywhere, and borrowed. A new file, to be written: nothing reaches the file below before
 * the pages are. */
ss_status ss_store_create(ss_store *store, ss_pages *pages);
/* One that is there, to be read: */
ss_status ss_store_open(ss_store *store, const char *file);
/* One that this program has made, to be written again; `file` is where the pages are when they are on the disk. */
ss_status ss_store_open_pages(ss_store *store, ss_pages *pages, const char *file);
/* All that a file has goes into a new one, which is in the pages of a part file and reads from that file from then on:
 * `from` is closed when this succeeds. Fails when it has what no record has. */
ss_status ss_store_copy(ss_store *to, ss_part_file *file, ss_store *from);
/* Closes the file; false when what was cached could not be written. */
bool ss_store_close(ss_store *store);
ss_status ss_store_flush(const ss_store *store);

/* What a dataset or an attribute holds: in memory the type of an ss_number, in the file the same in little endian. */
typedef struct ss_number_type {
    size_t bytes;       /* in memory */
    hid_t native, file; /* what HDF5 calls it; of texts H5I_INVALID_HID */
} ss_number_type;

ss_number_type ss_number_types(ss_number number);

/* ---- Small datasets and attributes. Writing replaces what is there; what is not there or not of the wanted kind is
 * a damaged record ---- */

/* What is damaged counts as there: opening it says what is wrong. */
bool ss_store_has(const ss_store *store, const char *path);
/* The one way to open what a file has; name: an attribute of it, or NULL. Close the array when this succeeds. */
ss_status ss_store_reach(const ss_store *store, const char *path, const char *name,
                         ss_hdf5_array *array);
/* The message for a status of the reader, which it returns. */
ss_status ss_store_explain(const ss_store *store, ss_status status, const char *what);
/* UTF-8 of a fixed length, filled up with zeros; and a list of properties without times, as the same run gives the same
 * bytes. For who closes them. */
hid_t ss_store_text_type(size_t length);
hid_t ss_store_untimed(hid_t class);
ss_status ss_store_group(const ss_store *store, const char *path);
ss_status ss_store_write_text(const ss_store *store, const char *path, const char *text);
ss_status ss_store_write_texts(const ss_store *store, const char *path, int count,
                               const char *const *texts);
ss_status ss_store_read_texts(const ss_store *store, const char *path, ss_arena *arena, int *count,
                              const char ***texts);
ss_status ss_store_write(const ss_store *store, const char *path, ss_number number, size_t count,
                         const void *values);
ss_status ss_store_read(const ss_store *store, const char *path, ss_number number, ss_arena *arena,
                        size_t *count, void **values);
/* Attributes of a group or dataset. get_text reads the dataset itself when `name` is NULL. */
ss_status ss_store_set_text(const ss_store *store, const char *path, const char *name,
                            const char *text);
ss_status ss_store_get_text(const ss_store *store, const char *path, const char *name,
                            ss_arena *arena, const char **text);
ss_status ss_store_set(const ss_store *store, const char *path, const char *name, ss_number number,
                       const void *value);
ss_status ss_store_get(const ss_store *store, const char *path, const char *name, ss_number number,
                       void *value);
ss_status ss_store_set_count(const ss_store *store, const char *path, const char *name,
                             uint64_t value);
ss_status ss_store_get_count(const ss_store *store, const char *path, const char *name,
                             uint64_t *value);

/* ---- Tables: datasets that grow row by row ---- */

/* A dataset: what every item of a list, or every recorded state, has. */
typedef struct ss_field {
    const char *path;
    ss_number number;
    int width;              /* numbers of an item; 1: dataset of rank 1, else of rank 2 */
    size_t offset;          /* in the struct of an item */
    const char *unit, *doc; /* attributes of the dataset; NULL: none */
    const char *names;      /* dataset with the names of its columns; NULL: none */
} ss_field;

typedef struct ss_dataset {
    const ss_store *store;
    const char *path;     /* borrowed */
    hid_t set;            /* H5I_INVALID_HID: not open for writing */
    ss_hdf5_array *array; /* NULL: not open for reading */
    ss_number number;     /* in memory */
    int rank;
    hsize_t width;
} ss_dataset;

/* An empty table. width: of a field of rank 2. chunk: rows in a chunk. */
ss_status ss_dataset_create(const ss_store *store, const ss_field *field, int width, size_t chunk,
                            bool compress, ss_dataset *table);
/* `number` is what memory holds. Fails when rank and width are not as told. */
ss_status ss_dataset_open(const ss_store *store, const ss_field *field, ss_number number, int width,
                          ss_dataset *table);
void ss_dataset_close(ss_dataset *table);
ss_status ss_dataset_length(const ss_dataset *table, size_t *length);
/* Drops the rows beyond a length; it must be that long. */
ss_status ss_dataset_shorten(const ss_dataset *table, size_t length);
/* Writes rows first … first + count - 1, growing the table as needed. */
ss_status ss_dataset_write(const ss_dataset *table, size_t first, size_t count, const void *rows);
ss_status ss_dataset_read(const ss_dataset *table, size_t first, size_t count, void *rows);
/* One column of all rows 0 … count - 1. */
ss_status ss_dataset_read_column(const ss_dataset *table, int column, size_t count, void *values);

/* ---- Lists of structs, field by field ---- */

enum { SS_MAX_FIELDS = 9, SS_MAX_WIDTH = 4 };

typedef struct ss_item_type {
    size_t bytes; /* of an item in memory */
    int n_fields;
    ss_field fields[SS_MAX_FIELDS];
} ss_item_type;

/* A list of fixed length: one dataset each field. */
ss_status ss_items_write(const ss_store *store, const ss_item_type *type, size_t count,
                         const void *items);
/* The items, in the arena; every field must have as many as the first. */
ss_status ss_items_read(const ss_store *store, const ss_item_type *type, ss_arena *arena,
                        size_t *count, void **items);

/* A list that grows: one table each field. */
typedef struct ss_item_list {
    const ss_item_type *type; /* NULL: there is no such list */
    ss_dataset tables[SS_MAX_FIELDS];
} ss_item_list;

ss_status ss_list_create(const ss_store *store, const ss_item_type *type, size_t chunk,
                         bool compress, ss_item_list *list);
ss_status ss_list_open(const ss_store *store, const ss_item_type *type, ss_item_list *list);
void ss_list_close(ss_item_list *list);
/* The shortest of its tables: a run that was killed may have left some longer than others. */
ss_status ss_list_length(const ss_item_list *list, size_t *length);
ss_status ss_list_shorten(const ss_item_list *list, size_t length);
/* `column` has space for `count` items of one field: SS_MAX_WIDTH × count doubles. */
ss_status ss_list_write(const ss_item_list *list, size_t first, size_t count, const void *items,
                        void *column);
/* Whether the file is large enough for so many items, before memory is taken for them. */
ss_status ss_list_check(const ss_item_list *list, size_t count);
ss_status ss_list_read(const ss_item_list *list, size_t first, size_t count, void *items);

#endif
