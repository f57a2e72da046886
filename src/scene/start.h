/* start.h: what is looked at where a scene starts. */
#ifndef SS_SCENE_START_H
#define SS_SCENE_START_H

#include "assembly/work.h"

/* Part of the scene's size up to which a gap, and of its largest speed up to which a velocity, counts as rounding of the numbers
 * in its file: people write four digits. */
#define SS_START_ROUNDING 1e-4

enum { SS_START_MOST_WARNINGS = 5 }; /* of one kind */

/* Warns of constraints that contradict each other, that nothing can hold, or that the velocities do not obey
 * (constraints.c); gap and gamma by rows of all laws of the model. */
ss_status ss_start_check_constraints(ss_work *work, const ss_state *state, const double *gap,
                                     const double *gamma);

#endif
