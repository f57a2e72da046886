/* round.h: SORprox on contacts of round bodies. */
#ifndef SS_SOLVER_KERNELS_ROUND_H
#define SS_SOLVER_KERNELS_ROUND_H

#include "rows/round.h"
#include "solver/prox.h"

/* Momentum of the sweeps: begins where they are, as {0}; its weight is found after each, and applied before the next. Two sweeps go
 * by before it has one. Each thread of a region has its own, that is the same. */
typedef struct ss_momentum {
    int parity; /* where the last beginning is kept; that of the sweep before is in the other place */
    double beta;     /* of the way between the two that is gone once more */
    double last2;    /* ‖ΔP‖² of the sweep before, J */
    double least2;   /* the least since the way began, J */
    double error;    /* of the sweep before */
    unsigned sweeps; /* since the beginning */
} ss_momentum;
/* After a sweep with Σ ‖ΔP‖² G = change2, and that error: its largest change, relative. */
void ss_momentum_weigh(ss_momentum *m, double change2, double error);
/* To the velocities of a part. */
void ss_momentum_apply(const ss_momentum *m, ss_round_rows *c, int part);
/* Parts that a sweep visits. */
typedef struct ss_region {
    bool some; /* false: all of them */
    bool parts[SS_PARTS];
} ss_region;
/* Contacts with what is not visited keep their impulses. */
static inline bool ss_region_has(const ss_region *region, const ss_contact_group *g)
{
    return !region->some || (region->parts[g->part[0]] && region->parts[g->part[1]]);
}
/* How a sweep goes. */
typedef struct ss_sweep {
    const ss_momentum *momentum; /* NULL: none */
    const ss_region *region;
    double relaxation; /* r is multiplied by it */
    int parity;        /* which tally it writes */
} ss_sweep;
/* Visits the packs of a group, one after the other, as an ss_sweep says. */
void ss_round_sweep(ss_round_rows *c, ss_contact_group *group, const void *sweep);
/* Sweeps until the residual is below the tolerance; P of the packs is the first guess. */
ss_status ss_round_solve(const ss_prox_options *options, ss_context *context, ss_round_rows *c,
                         ss_solve_report *report);

/* Whether a solver has a way of its own for contacts, and that way (solver.c). */
bool ss_solver_is_round(const ss_solver *solver);
ss_status ss_solver_solve_round(ss_solver *solver, ss_round_rows *round, ss_solve_report *report);

#endif
