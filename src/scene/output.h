/* output.h: the sections `record` and `plots`: what a run leaves behind. */
#ifndef SS_SCENE_OUTPUT_H
#define SS_SCENE_OUTPUT_H

#include "scene/tree.h"

#include <stickslip/scene.h>

typedef struct ss_output {
    int every; /* steps between two recorded states */
    int n_plots;
    ss_plot *plots;
} ss_output;

const ss_key *ss_output_record_keys(void);
const ss_key *ss_output_plot_keys(void);

/* Reads both sections; texts are copied to the arena. */
ss_status ss_output_read(ss_arena *arena, const ss_tree *root, const ss_model *model,
                         ss_output *output);

#endif
