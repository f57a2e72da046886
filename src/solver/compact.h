/* compact.h: SORprox on touches of round bodies. */
#ifndef SS_SOLVER_COMPACT_H
#define SS_SOLVER_COMPACT_H

#include "inclusion/compact.h"
#include "solver/prox.h"

/* Momentum of the sweeps: begins where they are, as {0}; its weight is found after each, and applied before the next. Two sweeps go
 * by before it has one. Each thread of a region has its own, that is the same. */
typedef struct ss_momentum {
    int turn;      /* where the last beginning is kept; that of the sweep before is in the other place */
    double beta;   /* of the way between the two that is gone once more */
    double last2;  /* ‖ΔP‖² of the sweep before, J */
    double least2; /* the least since the way began, J */
    double error;  /* of the sweep before */
    unsigned sweeps; /* since the beginning */
} ss_momentum;
/* After a sweep with Σ ‖ΔP‖² G = change2, and that error: its largest change, relative. */
void ss_momentum_weigh(ss_momentum *m, double change2, double error);
/* To the velocities of a part. */
void ss_momentum_apply(const ss_momentum *m, ss_compact *c, int part);
/* Parts that a sweep visits. */
typedef struct ss_region {
    bool some; /* false: all of them */
    bool parts[SS_PARTS];
} ss_region;
/* Touches with what is not visited keep their percussions. */
static inline bool ss_region_has(const ss_region *region, const ss_touch_group *g)
{
    return !region->some || (region->parts[g->part[0]] && region->parts[g->part[1]]);
}
/* How a sweep goes. */
typedef struct ss_sweep {
    const ss_momentum *momentum; /* NULL: none */
    const ss_region *region;
    double relaxation; /* r is multiplied by it */
    int turn;          /* which tally it writes */
} ss_sweep;
/* Visits the packs of a group, one after the other, as an ss_sweep says. */
void ss_compact_sweep(ss_compact *c, ss_touch_group *group, const void *sweep);
/* Sweeps until the residual is below the tolerance; P of the packs is the first guess. */
ss_status ss_compact_solve(const ss_prox_options *options, ss_context *context, ss_compact *c,
                           ss_solve_report *report);

/* Whether a solver has a way of its own for touches, and that way (solver.c). */
bool ss_solver_is_compact(const ss_solver *solver);
ss_status ss_solver_solve_compact(ss_solver *solver, ss_compact *compact, ss_solve_report *report);

#endif
