/* watch.h: what several tests look at in every step of a run. */
#ifndef SS_TESTS_CASES_WATCH_H
#define SS_TESTS_CASES_WATCH_H

#include "run.h"

/* Runs a scene; the largest change of any coordinate since the start. */
double largest_move(const char *scene, const char *const *overrides);

/* For `look`, with a double as `user`: the largest coordinate that any surface of a free body ever had in the frame
 * of the system 'box', or in space when there is none. */
void look_at_surfaces(run *r, const ss_state *state);

enum { MOST_BODIES = 1000 };

/* How deep bodies have been in the walls, m, and how many are through. Who is through is not looked at again. */
typedef struct passage {
    double deepest;
    int through;
    bool gone[MOST_BODIES];
} passage;

/* Runs a scene with funnel.obj. */
passage pass_funnel(const char *scene, const char *const *overrides);

#endif
