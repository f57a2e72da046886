/* part_file.h: the file a record grows in until it is closed, and the two checkpoints beside it. */
#ifndef SS_RECORD_PART_FILE_H
#define SS_RECORD_PART_FILE_H

#include "base/arena.h"
#include "record/pages.h"

/* A record NAME.h5 grows in NAME.h5.part-NUMBER, which changes only by commits. A commit writes
 *   1. what is behind the former end of the file, to its place, and syncs the file;
 *   2. what changes before that end, and what the recorder has not yet given to HDF5, to one of the two checkpoints
 *      NAME.h5.part-NUMBER.0 and .1, in turn, with a sequence number and a checksum over all of it, and syncs that:
 *      from here on the commit is made;
 *   3. the changes to their places in the file; the sync of the next commit covers them.
 * Whenever it is interrupted, the file and the newer whole checkpoint give the state of one commit. */
typedef struct ss_part_file {
    ss_context *context;
    const char *path;   /* where the record will be */
    const char *part;   /* where it is: path.part-NUMBER; NULL: nowhere any more */
    ss_pages pages;     /* what is not yet committed */
    uint64_t sequence;  /* commits so far */
    uint64_t committed; /* bytes of the file that the last commit holds */
    bool unsynced;      /* the file was written to since its last sync */
} ss_part_file;

/* Creates the empty file. `path` is copied into the arena. */
ss_status ss_part_file_create(ss_part_file *file, ss_arena *arena, const char *path);
/* Fills it with the bytes of another part file and its newer whole checkpoint. `rest` is what the recorder had not yet given
 * to HDF5, in the arena; NULL: nothing, the record is whole. */
ss_status ss_part_file_copy(ss_part_file *file, ss_arena *arena, const char *from, void **rest,
                            size_t *rest_bytes);
/* Writes to the disk what HDF5 has flushed, as one change, and keeps `rest` beside it. */
ss_status ss_part_file_commit(ss_part_file *file, const void *rest, size_t rest_bytes);
/* The same without checkpoints and syncs: for a copy, which is made again when it is interrupted. */
ss_status ss_part_file_write(ss_part_file *file);
/* Gives the file its name, after a commit without a rest. */
ss_status ss_part_file_finish(ss_part_file *file);
/* Leaves it where it is: it can be recovered. */
void ss_part_file_leave(ss_part_file *file);
/* Removes it. */
void ss_part_file_discard(ss_part_file *file);

/* Whether a path is that of a part file with checkpoints. */
bool ss_part_file_is(const char *path);

#endif
