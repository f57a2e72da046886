/* output.h: the sections `record`, `plots`, `drawing` and `expect`: what a run leaves behind, how it looks
 * and what it should be. */
#ifndef SS_SCENE_OUTPUT_H
#define SS_SCENE_OUTPUT_H

#include "scene/expect.h"

#include <stickslip/scene.h>

typedef struct ss_output {
    int every; /* steps between two recorded states */
    ss_record_contacts contacts;
    int contacts_every;
    int n_plots;
    ss_plot *plots;
    int n_shapes;
    ss_drawn *shapes;
    int n_expectations;
    ss_expect *expectations;
} ss_output;

const ss_key *ss_output_record_keys(void);
const ss_key *ss_output_plot_keys(void);

/* Reads the sections; texts are copied to the arena. */
ss_status ss_output_read(ss_arena *arena, const ss_tree *root, const ss_model *model,
                         ss_output *output);

#endif
