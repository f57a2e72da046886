/* layout.h: what a record is about: names and sizes, from a model or from a file. */
#ifndef SS_RECORD_LAYOUT_H
#define SS_RECORD_LAYOUT_H

#include "record/store.h"

#include <stickslip/model.h>

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

#endif
