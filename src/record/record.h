/* record.h: inside of a record that is read, its columns by name and expressions of them. */
#ifndef SS_RECORD_RECORD_H
#define SS_RECORD_RECORD_H

#include "base/map.h"
#include "record/fields.h"

#include <stickslip/expression.h>

/* The columns of a record by name. */
typedef struct ss_column {
    const char *name;
    ss_series_id series;
    int index; /* in the entry of the series */
} ss_column;

typedef struct ss_columns {
    int count;
    ss_column *items;
    ss_map names; /* full names and aliases → column; -1: ambiguous alias */
} ss_columns;

ss_status ss_columns_create(ss_arena *arena, const ss_layout *layout, ss_columns *columns);
void ss_columns_release(ss_columns *columns);
/* NULL when there is no such column. */
const ss_column *ss_columns_find(const ss_columns *columns, const char *name);

/* An expression over columns, compiled: input k of the program is column inputs[k]. */
typedef struct ss_signal {
    ss_context *context;
    ss_program *program;
    int n_inputs;
    const ss_column **inputs;
} ss_signal;

ss_status ss_signal_compile(ss_context *context, const ss_layout *layout, const ss_columns *columns,
                            const ss_text *expression, ss_signal *signal);
void ss_signal_release(ss_signal *signal);

struct ss_record {
    ss_context *context;
    ss_arena arena;
    ss_store store;
    ss_layout layout;
    ss_columns columns;
    ss_dataset tables[SS_SERIES_COUNT]; /* read as doubles */
    size_t length;
    ss_item_list contacts;
    ss_contact_range *ranges; /* by recorded states; with contacts only */
    int n_shapes, n_meshes, n_elements;
    ss_recorded_shape *shapes;
    ss_triangles *meshes;
    const char **elements;
    size_t n_events;
    ss_record_event *events;
    const char *scene_name, *scene_text, *scene_folder;
    const char *version, *note, *verdict;
    unsigned doubts, allowed;
    bool finished;
    int every;
    ss_statistics statistics;
};

#endif
