/* hdf5.h: a small reader of HDF5 files, for files that anybody may have made. It knows what records and problems are
 * made of and nothing else: numbers and texts of fixed length, stored in the file itself, in the oldest form of the
 * format, compressed by deflate at most. Links to elsewhere, user blocks, shared types, external and virtual storage and
 * other filters have no code here. Every address and size is checked against the file before it is used, and every size
 * against what is stored before memory is taken. The format: "HDF5 File Format Specification", The HDF Group. */
#ifndef SS_BASE_HDF5_H
#define SS_BASE_HDF5_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* What memory holds of an array. */
typedef enum ss_number {
    SS_NUMBER_REAL,
    SS_NUMBER_INT8,
    SS_NUMBER_UINT8,
    SS_NUMBER_INT32,
    SS_NUMBER_UINT32,
    SS_NUMBER_INT64,
    SS_NUMBER_UINT64,
    SS_NUMBER_TEXT /* const char * in memory; only in lists of items of fixed length */
} ss_number;

size_t ss_number_bytes(ss_number number);

enum { SS_HDF5_WINDOW = 8192 };

typedef struct ss_hdf5 {
    ss_context *context;
    int descriptor;     /* -1: not open */
    uint64_t end, root; /* bytes that the file says it has; address of the root group */
    const char *fault; /* what was wrong when a function returned SS_INPUT or SS_IO: "is missing" */
    uint64_t at;       /* address of what the window holds */
    size_t held;       /* bytes in it */
    uint8_t window[SS_HDF5_WINDOW];
} ss_hdf5;

/* SS_INPUT: the file is no HDF5 file or of another form; SS_IO: it cannot be opened; ss_hdf5.fault says why. `locked`:
 * fails when somebody writes to the file. */
ss_status ss_hdf5_open(ss_hdf5 *file, ss_context *context, const char *path, bool locked);
void ss_hdf5_close(ss_hdf5 *file);

/* What an object or an attribute of it is stored as. */
typedef enum ss_hdf5_class { SS_HDF5_INTEGER, SS_HDF5_REAL, SS_HDF5_TEXT } ss_hdf5_class;
typedef enum ss_hdf5_layout { SS_HDF5_WHOLE, SS_HDF5_CHUNKED } ss_hdf5_layout;

typedef struct ss_hdf5_chunk {
    uint64_t first[2]; /* of its elements */
    uint64_t address;
    uint32_t bytes, skipped; /* bits of the filters that it was not passed through */
} ss_hdf5_chunk;

enum { SS_HDF5_FILTERS = 3 };

/* A dataset or an attribute: one row of `rank` 0, a column of rank 1, or a matrix. */
typedef struct ss_hdf5_array {
    ss_hdf5 *file;
    ss_hdf5_class class;
    bool is_signed, big_endian, growing; /* growing: its first extent has no limit */
    uint32_t bytes;                      /* of an element */
    int rank;
    uint64_t extent[2]; /* 1 beyond the rank */
    ss_hdf5_layout layout;
    uint64_t address, stored; /* of an array that is whole; UINT64_MAX: it was never written */
    uint64_t chunk[2];        /* elements in a chunk */
    int n_filters;
    uint16_t filters[SS_HDF5_FILTERS];
    size_t n_chunks;
    ss_hdf5_chunk *chunks; /* ascending */
    size_t decoded;        /* which chunk `values` holds, SIZE_MAX: none */
    uint8_t *values, *raw;
} ss_hdf5_array;

/* What there is under a path; SS_HDF5_NOTHING when a part of it is missing. */
typedef enum ss_hdf5_kind { SS_HDF5_NOTHING, SS_HDF5_GROUP, SS_HDF5_ARRAY } ss_hdf5_kind;
ss_status ss_hdf5_find(ss_hdf5 *file, const char *path, ss_hdf5_kind *kind);
/* attribute NULL: the dataset itself. Close it whatever this returns. */
ss_status ss_hdf5_array_open(ss_hdf5 *file, const char *path, const char *attribute,
                             ss_hdf5_array *array);
void ss_hdf5_array_close(ss_hdf5_array *array);
/* `count` rows and columns from `first` on, converted: what does not fit becomes the nearest that does. */
ss_status ss_hdf5_array_read(ss_hdf5_array *array, const uint64_t first[2], const uint64_t count[2],
                             ss_number number, void *values);
/* All texts one behind the other, array->bytes each. */
ss_status ss_hdf5_array_read_texts(ss_hdf5_array *array, char *texts);

/* Names of the members of a group and of the attributes of an object, as they are listed; `each` returns a status that
 * ends the listing unless it is SS_OK. */
typedef ss_status (*ss_hdf5_name_fn)(void *user, const char *name);
ss_status ss_hdf5_members(ss_hdf5 *file, const char *path, ss_hdf5_name_fn each, void *user);
ss_status ss_hdf5_attributes(ss_hdf5 *file, const char *path, ss_hdf5_name_fn each, void *user);

/* ---- Inside of the reader ---- */

ss_status ss_hdf5_fault(ss_hdf5 *file, const char *fault);
ss_status ss_hdf5_fetch(ss_hdf5 *file, uint64_t address, uint64_t count, void *bytes);
uint64_t ss_hdf5_number(const uint8_t *bytes, int count); /* little endian */
/* Lists the chunks of an array from the tree at an address, and checks that they are what the array says. */
ss_status ss_hdf5_chunks(ss_hdf5_array *array, uint64_t tree);

#endif
