/* recorder.h: inside of a recorder. */
#ifndef SS_RECORD_RECORDER_H
#define SS_RECORD_RECORDER_H

#include "record/fields.h"
#include "record/part_file.h"

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
    size_t chunk; /* of the file; the buffer ends where one ends */
    void *items;  /* a chunk of them */
    void *column; /* as many of one field */
    size_t buffered;
    size_t written;
} ss_item_buffer;

/* Of all recorded states, J (verdict.c). */
typedef struct ss_energies {
    size_t states;
    bool infinite;
    double first_kinetic, first_potential;
    double error;   /* largest |balance| */
    double size;    /* largest sum of all energies */
    double kinetic; /* largest */
    double supply;  /* most that there was to move with: at the start, by loads, from potentials */
} ss_energies;

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
    ss_energies energies;
    double start_energy;   /* kinetic + potential of the first state, J */
    const char *note;      /* NULL: none */
    double period;         /* longest time between two commits, s of the clock */
    double committed_at;   /* by the clock, s */
    double committed_time; /* of the last state that a commit holds, s */
    bool extra;            /* the state that is being added is for a commit alone */
    bool broken;           /* writing has failed: the file stays as it was before */
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
/* Euler parameters of a rotation by rows, e0 >= 0 (recorder_head.c). */
void ss_recorder_turn(const double A[9], double e[4]);
ss_status ss_recorder_write_scene(const ss_store *store, const ss_recorder_options *options);

/* Why the run is not trusted, or that it is; after all else is in the file (verdict.c). */
ss_status ss_recorder_write_verdict(ss_recorder *recorder);
/* Counts those of the state that is being added to the buffers, or of the first states of a file that is resumed. */
void ss_recorder_add_energies(ss_recorder *recorder);
ss_status ss_recorder_read_energies(ss_recorder *recorder, size_t states);

/* The files and plugins that the run depends on (depends.c). */
ss_status ss_depends_write(const ss_store *store, ss_arena *arena);

/* Where a run stands, beside what is recorded of it: what a run that goes on needs. */
typedef struct ss_checkpoint {
    const void *state; /* packed: without the space for contacts that it does not use */
    size_t bytes;      /* of it */
    uint64_t
        states; /* that count when the run goes on: not a last one that is there only because it ended */
    uint64_t events, steps, finished;
    ss_statistics statistics;
    const char *note; /* NULL: none */
} ss_checkpoint;

/* The state of the run, packed into memory to be released (recorder_resume.c). */
ss_status ss_state_pack(ss_context *context, const ss_state *state, void **bytes, size_t *count);
ss_status ss_checkpoint_write(const ss_store *store, const ss_checkpoint *checkpoint);
/* Opens the tables of a file and takes over the size of its chunks; the buffers are still to be allocated. */
ss_status ss_recorder_open_tables(ss_recorder *recorder);
void ss_recorder_close_tables(ss_recorder *recorder);
/* Commits everything up to now (recorder.c). */
ss_status ss_recorder_commit(ss_recorder *recorder);
/* The sizes of its entries, from its layout. */
void ss_recorder_measure(ss_recorder *recorder);

/* ---- Commits, and what they hold beside the file of HDF5 (commit.c) ---- */

/* Commits what the recorder has, with a checkpoint. */
ss_status ss_commit_write(ss_recorder *recorder, const ss_checkpoint *checkpoint);
/* Copies a record or a part file into another, which then is a whole record, not yet closed under its name. `note` says
 * in the record why it ended, if it comes from a part file. */
ss_status ss_recover_into(ss_part_file *file, ss_arena *arena, const char *from, const char *note);
/* Opens a copy of what a part file holds by now; the copy is nowhere but in this store. */
ss_status ss_store_open_part(ss_store *store, ss_arena *arena, const char *part);

#endif
