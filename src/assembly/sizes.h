/* sizes.h: sizes of the scene, which tolerances are relative to. */
#ifndef SS_ASSEMBLY_SIZES_H
#define SS_ASSEMBLY_SIZES_H

#include "model/model.h"

/* Taken from the initial state and from the loads there, so that they are the same in every part of a run. */
typedef struct ss_sizes {
    double length;       /* m: the largest position, gap, arm or shape */
    double speed;        /* m/s: the fastest point, or √(2 · acceleration · length) */
    double acceleration; /* m/s², by the forces alone */
    double rate;         /* rad/s: the fastest turn, or 1/time */
    double time;         /* s: length/speed */
    double energy;       /* J: what the impulses of the laws do at these speeds */
    double *q, *u;       /* n_q, n_u: of each coordinate and velocity, in its unit */
    bool *is_angle;      /* laws of the model: rows of angles, else of lengths */
} ss_sizes;

/* All sizes are 1 until they are known. */
ss_status ss_sizes_reserve(ss_arena *arena, const ss_model *model, ss_sizes *sizes);

struct ss_work;

/* The sizes at the initial state; A hundredth of `end`, s, is the time where nothing moves or is loaded, or no
 * length is known. The work is
 * at that state afterwards. */
ss_status ss_work_find_sizes(struct ss_work *work, double end);

/* Positions and velocities of the initial state, with those of prescribed motions. */
ss_status ss_work_initial(struct ss_work *work, double *q, double *u);

/* Sizes of a law's gaps, m or rad, and of its relative velocities, m/s or rad/s. */
double ss_work_gap_size(const struct ss_work *work, int law);
double ss_work_speed_size(const struct ss_work *work, int law);

#endif
