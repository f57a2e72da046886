/* pages.h: the file of a record that is written, as HDF5 sees it: what HDF5 writes stays in memory, in pages, until it
 * is committed as a whole (part_file.c). HDF5 never meets a disk that is full, and the file on the disk is never in the
 * midst of a change that nothing can complete. */
#ifndef SS_RECORD_PAGES_H
#define SS_RECORD_PAGES_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SS_PAGE = 4096 };

typedef struct ss_page {
    struct ss_page *next; /* of the same bucket */
    uint64_t index;       /* where it is: index × SS_PAGE */
    unsigned char bytes[SS_PAGE];
} ss_page;

typedef struct ss_pages {
    int descriptor;   /* of the file below */
    uint64_t end;     /* bytes of the file as HDF5 has it */
    uint64_t on_disk; /* bytes of it below */
    size_t count, buckets;
    ss_page **table; /* `buckets` lists */
    int error;       /* errno of the first failure, which HDF5 is not told; 0: none */
} ss_pages;

/* A list of access properties for H5Fcreate and H5Fopen, to be closed; the name given to those is for messages only. The
 * pages must live until the file is closed. */
hid_t ss_pages_access(ss_pages *pages);
/* All pages in the order of their places, in memory to be freed; NULL: there are none, or no memory for the list
 * (`error` is set). */
ss_page **ss_pages_sorted(ss_pages *pages);
void ss_pages_drop(ss_pages *pages);

#endif
