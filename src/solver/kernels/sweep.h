/* sweep.h: SORprox over rows of all forms. */
#ifndef SS_SOLVER_KERNELS_SWEEP_H
#define SS_SOLVER_KERNELS_SWEEP_H

#include "rows/rows.h"
#include "solver/prox.h"

/* Momentum of the sweeps: begins where they are, as {0}; its weight is found after each, and applied before the next. Two sweeps go
 * by before it has one. Each thread of a region has its own, that is the same. */
typedef struct ss_momentum {
    int parity; /* where the last beginning is kept; that of the sweep before is in the other array */
    double beta;     /* weight of the search direction, which leads from one to the other */
    double last2;    /* ‖ΔP‖² of the sweep before, J */
    double least2;   /* the least since the last restart, J */
    double error;    /* of the sweep before */
    unsigned sweeps; /* since the beginning */
} ss_momentum;
/* Subdomains that a sweep visits. */
typedef struct ss_region {
    bool some; /* false: all of them */
    bool subdomains[SS_SUBDOMAINS];
} ss_region;
/* Contacts with what is not visited keep their impulses. */
static inline bool ss_region_has(const ss_region *region, const ss_batch *g)
{
    return !region->some ||
           (region->subdomains[g->subdomain[0]] && region->subdomains[g->subdomain[1]]);
}
/* How a sweep goes. */
typedef struct ss_sweep {
    const ss_momentum *momentum; /* NULL: none */
    const ss_region *region;
    double relaxation; /* r is multiplied by it */
    int parity;        /* which tally it writes */
} ss_sweep;
/* Visits the packs of a batch, one after the other, as an ss_sweep says. */
void ss_rows_sweep(ss_rows *c, ss_batch *batch, const void *sweep);
/* Visits the GENERAL blocks, by one thread; the others wait. */
void ss_rows_sweep_general(const ss_prox_solver *s, ss_rows *c, const ss_sweep *sweep);
/* Sweeps until the residual is below the tolerance; P of the packs is the first guess. The solver
 * has memory for the blocks. */
ss_status ss_rows_solve(ss_prox_solver *solver, ss_context *context, ss_rows *c,
                        ss_solve_report *report);

/* Whether a solver sweeps rows of all forms, and that (solver.c). */
bool ss_solver_sweeps(const ss_solver *solver);
/* Whether it goes on with the same rows as blocks of an inclusion where its sweeps have not converged. */
bool ss_solver_goes_on(const ss_solver *solver);
/* Whether it chooses an even load: with a coarser tolerance than 1e-8 it cannot be told what slides and what sticks. */
bool ss_solver_chooses(const ss_solver *solver);
/* The choice of `forces: even` at a solution of the rows as blocks, whose report holds the residual. */
ss_status ss_solver_choose(ss_solver *solver, const ss_inclusion *inclusion, double *P, double *u,
                           ss_solve_report *report);
ss_status ss_solver_sweep_rows(ss_solver *solver, ss_rows *rows, ss_solve_report *report);

#endif
