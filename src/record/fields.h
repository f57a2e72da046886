/* fields.h: what a record is about, and its datasets: one entry for each recorded state, contact, switch or shape. */
#ifndef SS_RECORD_FIELDS_H
#define SS_RECORD_FIELDS_H

#include "record/store.h"

#include <stickslip/record.h>

/* ---- What a record is about: names and sizes, from a model or from a file (layout.c) ---- */

/* A parameter of the scene. */
typedef struct ss_layout_parameter {
    const char *name;
    double value;
} ss_layout_parameter;

typedef struct ss_layout {
    int n_q, n_u, n_laws, n_rows, n_parameters;
    const char **q, **u; /* "toy.y", "toy.y'" */
    const char **rows;   /* "beak.gap"; "foot.slip.1", "foot.slip.2" for a law of two rows */
    ss_law_info *laws;   /* words are never NULL */
    ss_layout_parameter *parameters;
} ss_layout;

/* Texts are copied into the arena. */
ss_status ss_layout_of_model(ss_arena *arena, const ss_model *model, ss_layout *layout);
/* Into a file that has the groups for it, and from a file; everything is checked. */
ss_status ss_layout_write(ss_arena *arena, const ss_store *store, const ss_layout *layout);
ss_status ss_layout_of_file(ss_arena *arena, const ss_store *store, ss_layout *layout);

/* "name.part", or "name.part.3" when number is 3 (0: none), in the arena. part may be "". */
ss_status ss_layout_join(ss_arena *arena, const char *name, const char *part, int number,
                         const char **joined);

/* ---- Datasets (fields.c) ---- */

/* 1: the records of stickslip 0.1, with percussions; 2: what they hold is called impulses. */
enum { SS_RECORD_FORMAT = 2, SS_EVENT_CHUNK = 256, SS_CONTACT_CHUNK = 4096 };
#define SS_RECORD_FORMAT_NAME "stickslip record"

/* What is recorded of every state. */
typedef enum ss_series_id {
    SS_SERIES_TIME,
    SS_SERIES_DT,
    SS_SERIES_Q,
    SS_SERIES_U,
    SS_SERIES_GAP,
    SS_SERIES_GAMMA,
    SS_SERIES_IMPULSE,
    SS_SERIES_FORCE,
    SS_SERIES_MODE,
    SS_SERIES_KINETIC,
    SS_SERIES_POTENTIAL,
    SS_SERIES_DISSIPATED,
    SS_SERIES_LOAD,
    SS_SERIES_BALANCE,
    SS_SERIES_ITERATIONS,
    SS_SERIES_RESIDUAL,
    SS_SERIES_OUTCOME,
    SS_SERIES_ORDER,
    SS_SERIES_COUNT
} ss_series_id;

extern const ss_field ss_series[SS_SERIES_COUNT];
/* Numbers in one entry. */
int ss_series_width(const ss_layout *layout, ss_series_id id);

/* Contacts of shapes, one behind the other (ss_contact), and those of each recorded state among them. */
typedef struct ss_contact_range {
    int64_t first;
    int32_t count; /* -1: not recorded */
} ss_contact_range;

extern const ss_item_type ss_contact_fields, ss_range_fields;

/* A switch of a law. */
typedef struct ss_event_entry {
    double t;
    int32_t law;
    int8_t from, to; /* modes */
    double P;
} ss_event_entry;

extern const ss_item_type ss_event_fields;

/* Of ss_recorded_shape, and of the points and triangles of all meshes. */
extern const ss_item_type ss_shape_fields, ss_point_fields, ss_triangle_fields;

/* Attributes of /statistics: members of ss_statistics by name. */
enum { SS_STATISTICS_COUNT = 24 };
extern const ss_field ss_statistics_fields[SS_STATISTICS_COUNT];

#endif
