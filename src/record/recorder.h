/* recorder.h: inside of a recorder. */
#ifndef SS_RECORD_RECORDER_H
#define SS_RECORD_RECORDER_H

#include "record/fields.h"

/* ---- The file a record grows in until it is closed (part_file.c) ---- */

typedef struct ss_part_file {
    ss_context *context;
    const char *path; /* where the record will be */
    const char *part; /* where it is: path.part-NUMBER */
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

/* ---- The recorder ---- */

/* One number or row of numbers of the states that are not yet in the file. */
typedef struct ss_series_buffer {
    ss_dataset table;
    size_t width; /* numbers of an entry */
    size_t bytes; /* of an entry */
    void *entries;
} ss_series_buffer;

/* Items that are not yet in the file. */
typedef struct ss_item_buffer {
    ss_item_list list;
    void *items;  /* a chunk of them */
    void *column; /* as many of one field */
    size_t buffered;
    size_t written;
} ss_item_buffer;

struct ss_recorder {
    ss_context *context;
    ss_simulation *simulation;
    ss_arena arena;
    ss_layout layout;
    ss_part_file file;
    ss_store store;
    int every;

    ss_series_buffer series[SS_SERIES_COUNT]; /* `chunk` entries each */
    size_t chunk;                             /* states in a chunk of the file */
    size_t state_bytes;                       /* of one entry of all series */
    size_t buffered;                          /* states */
    size_t written;                           /* states */
    ss_item_buffer events;                    /* ss_event_entry */

    bool has_contacts; /* contacts are recorded */
    ss_record_contacts which;
    int contacts_every;
    ss_item_buffer contacts; /* ss_contact */
    ss_item_buffer ranges;   /* ss_contact_range of the buffered states */

    uint64_t observed;           /* steps seen since the start of the run */
    bool pending;                /* the last observed state is between two recorded ones */
    ss_solve_report last_report; /* of the last observed step */
    int last_order;              /* of the last observed step */
    double start_energy;         /* kinetic + potential of the first state, J */
    const char *note;            /* NULL: none */
    double flushed_time;         /* of the last state in the file, s */
    bool broken;                 /* writing has failed: the file stays as it was before */
};

/* Names of ss_record_contacts in the file. */
extern const char *const ss_record_contacts_names[];

/* An ss_recorder without a file. */
ss_status ss_recorder_allocate(ss_simulation *simulation, const char *path, ss_recorder **recorder);
/* Buffers for `chunk` states. */
ss_status ss_recorder_allocate_buffers(ss_recorder *recorder);
/* Ends the creation of a recorder: one that failed is discarded. */
ss_status ss_recorder_settle(ss_status status, ss_recorder **recorder);

/* Everything that does not grow, and empty tables (recorder_head.c); the texts of the scene alone. */
ss_status ss_recorder_write_head(ss_recorder *recorder, const ss_recorder_options *options);
ss_status ss_recorder_write_scene(const ss_store *store, const ss_recorder_options *options);

/* Why the run is not trusted, or that it is; after all else is in the file (verdict.c). */
ss_status ss_recorder_write_verdict(ss_recorder *recorder);

/* The state without the space for contacts that it does not use (recorder_resume.c). */
ss_status ss_checkpoint_write(const ss_store *store, const ss_state *state);

#endif
