/* recorder.h: inside of a recorder. */
#ifndef SS_RECORD_RECORDER_H
#define SS_RECORD_RECORDER_H

#include "record/contacts.h"
#include "record/part_file.h"
#include "record/series.h"
#include "record/store.h"

#include <stickslip/record.h>

/* 1: the records of stickslip 0.1, with percussions; 2: what they hold is called impulses. */
enum { SS_RECORD_FORMAT = 2, SS_EVENT_CHUNK = 256 };
#define SS_RECORD_FORMAT_NAME "stickslip record"

/* Switches not yet in the file, column by column as the file has them. */
typedef struct ss_event_buffer {
    ss_table time_table, law_table, from_table, to_table, P_table;
    double time[SS_EVENT_CHUNK];
    int32_t law[SS_EVENT_CHUNK];
    int8_t from[SS_EVENT_CHUNK], to[SS_EVENT_CHUNK];
    double P[SS_EVENT_CHUNK];
    size_t buffered;
    size_t written;
} ss_event_buffer;

/* Contacts not yet in the file. */
typedef struct ss_contact_buffer {
    ss_contact_tables tables; /* present: contacts are recorded */
    ss_record_contacts which;
    int every;
    int64_t *first; /* `chunk` entries each, by buffered states */
    int32_t *count;
    ss_contact *items; /* SS_CONTACT_CHUNK */
    double *column;    /* one column of as many */
    size_t buffered;
    size_t written;
} ss_contact_buffer;

struct ss_recorder {
    ss_context *context;
    ss_simulation *simulation;
    ss_arena arena;
    ss_layout layout;
    ss_part_file file;
    ss_store store;
    int every;

    ss_table tables[SS_SERIES_COUNT];
    void *buffers[SS_SERIES_COUNT]; /* `chunk` entries each */
    size_t chunk;                   /* states in a chunk of the file */
    size_t buffered;                /* states */
    size_t written;                 /* states */
    ss_event_buffer events;
    ss_contact_buffer contacts;

    uint64_t observed;           /* steps seen since the start of the run */
    bool pending;                /* the last observed state is between two recorded ones */
    ss_solve_report last_report; /* of the last observed step */
    int last_order;              /* of the last observed step */
    double start_energy;         /* kinetic + potential of the first state, J */
    const char *note;            /* NULL: none */
    double flushed_time;         /* of the last state in the file, s */
    bool broken;                 /* writing has failed: the file stays as it was before */
};

/* An ss_recorder without a file. */
ss_status ss_recorder_allocate(ss_simulation *simulation, const char *path, ss_recorder **recorder);

/* States in a chunk: few enough to be written often, enough to be worth it. */
size_t ss_recorder_chunk(const ss_layout *layout);
ss_status ss_recorder_allocate_buffers(ss_recorder *recorder);

/* Everything that does not grow, and empty tables. */
ss_status ss_recorder_write_head(ss_recorder *recorder, const ss_recorder_options *options);
ss_status ss_recorder_open_tables(ss_recorder *recorder);
void ss_recorder_close_tables(ss_recorder *recorder);
ss_status ss_recorder_describe(const ss_store *store, const char *path, const char *unit,
                               const char *doc, const char *names);
ss_status ss_recorder_write_scene(const ss_store *store, const ss_recorder_options *options);

/* Adds a state to the buffers, which have space for it. */
ss_status ss_recorder_add_state(ss_recorder *recorder, const ss_state *state);
ss_status ss_recorder_add_events(ss_recorder *recorder, const ss_step *step);

/* Drops the rows of a table beyond a length; it must be that long. */
ss_status ss_recorder_shorten(const ss_table *table, size_t length);

/* Contacts (recorder_contacts.c): the empty tables, taking over those of a record with `states` states, adding those of
 * a state, and writing. `spill` is called when the buffer is full. */
ss_status ss_recorder_create_contacts(ss_recorder *recorder);
ss_status ss_recorder_allocate_contacts(ss_recorder *recorder);
ss_status ss_recorder_resume_contacts(ss_recorder *recorder, size_t states);
ss_status ss_recorder_add_contacts(ss_recorder *recorder, const ss_state *state);
ss_status ss_recorder_write_contacts(ss_recorder *recorder);
ss_status ss_recorder_write_counts(ss_recorder *recorder);
ss_status ss_recorder_spill_contacts(ss_recorder *recorder);

/* The shapes of the model and how they look (recorder_shapes.c). */
ss_status ss_recorder_write_shapes(ss_recorder *recorder);

/* The state without the space for contacts that it does not use, and back (checkpoint.c). */
ss_status ss_checkpoint_write(const ss_store *store, const ss_state *state);
ss_status ss_checkpoint_read(const ss_store *store, const ss_model *model, ss_arena *arena,
                             ss_state *state);

/* Writes the buffers and a checkpoint of the simulation's state. `regular` states of the record
 * count when the run is resumed: not a last one that is there only because the run ended. */
ss_status ss_recorder_flush(ss_recorder *recorder, size_t regular, bool finished);

#endif
