/* part_file.h: the file a record grows in until it is closed. */
#ifndef SS_RECORD_PART_FILE_H
#define SS_RECORD_PART_FILE_H

#include "base/arena.h"

typedef struct ss_part_file {
    ss_context *context;
    const char *path; /* where the record will be */
    const char *part; /* where it is: path.part-PID */
    int descriptor;   /* -1: not open */
} ss_part_file;

/* Creates the empty file. `path` is copied into the arena. */
ss_status ss_part_file_create(ss_part_file *file, ss_arena *arena, const char *path);
/* Fills it with the bytes of another file. */
ss_status ss_part_file_copy(ss_part_file *file, const char *from);
/* Makes sure that the file system has space for `more` bytes behind the first `size`: HDF5 does
 * not survive a disk that runs full under it. */
ss_status ss_part_file_reserve(ss_part_file *file, uint64_t size, uint64_t more);
/* Gives back what was reserved beyond `size`. */
void ss_part_file_trim(ss_part_file *file, uint64_t size);
/* Gives the file its name. */
ss_status ss_part_file_finish(ss_part_file *file);
/* Removes it. */
void ss_part_file_discard(ss_part_file *file);

#endif
