/* record.h: inside of a record that is read. */
#ifndef SS_RECORD_RECORD_H
#define SS_RECORD_RECORD_H

#include "record/columns.h"
#include "record/contacts.h"
#include "record/store.h"

#include <stickslip/record.h>

struct ss_record {
    ss_context *context;
    ss_arena arena;
    ss_store store;
    ss_layout layout;
    ss_columns columns;
    ss_table tables[SS_SERIES_COUNT]; /* read as doubles */
    size_t length;
    ss_contact_tables contacts;
    int64_t *first_contact; /* by recorded states */
    int32_t *contact_count; /* -1: not recorded */
    int n_shapes, n_meshes, n_elements;
    ss_recorded_shape *shapes;
    ss_triangles *meshes;
    const char **elements;
    size_t n_events;
    ss_record_event *events;
    const char *scene_name, *scene_text, *scene_folder;
    const char *version, *note;
    bool finished;
    int every;
    ss_statistics statistics;
};

/* Names and sizes of the record in a file; everything is checked. */
ss_status ss_layout_of_file(ss_arena *arena, const ss_store *store, ss_layout *layout);

/* Shapes and contacts, when the file has them. Contacts that are not all there end the record before their state. */
ss_status ss_record_read_shapes(ss_record *record);
ss_status ss_record_open_contacts(ss_record *record);

/* `count` states from `first` on, of every series: block[id][state * width + column]. */
typedef struct ss_block_of_states {
    double *values[SS_SERIES_COUNT];
} ss_block_of_states;

/* Room for `count` states. */
ss_status ss_record_allocate_block(ss_record *record, ss_arena *arena, size_t count,
                                   ss_block_of_states *block);
ss_status ss_record_read_block(ss_record *record, size_t first, size_t count,
                               ss_block_of_states *block);

#endif
