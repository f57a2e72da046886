/* sleep.h: islands of bodies that rest, in the general form of a step's inclusion. */
#ifndef SS_ASSEMBLY_AFTER_SLEEP_H
#define SS_ASSEMBLY_AFTER_SLEEP_H

#include "assembly/work.h"

/* Systems that impulses join, named by the first one. It sleeps when it has no velocity and zero velocity solves its part
 * of the inclusion again, with the impulses of the step before. */
typedef struct ss_island {
    double error;     /* how far zero velocity is from that, √J */
    double reference; /* to which that is compared, √J */
    bool awake;       /* it is solved */
} ss_island;

/* What may be called exact, in parts of the reference. Solvers come near to zero velocities without ever reaching them: every
 * PATIENCE steps islands that seem to rest, with NEAR times the error of the solution at most, are solved so well. */
#define SS_REST_EXACT 1e-9
enum { SS_REST_PATIENCE = 16, SS_REST_NEAR = 16 };

static inline bool ss_island_rests(const ss_island *island)
{
    return island->error <= SS_REST_EXACT * island->reference;
}

static inline bool ss_island_seems_to_rest(const ss_island *island, const ss_solve_report *report)
{
    return !ss_island_rests(island) && island->error <= SS_REST_NEAR * report->residual.absolute;
}

/* A part of the inclusion. */
typedef struct ss_part {
    ss_inclusion inclusion;
    ss_solver *solver;
    ss_arena arena; /* of what follows, but for velocities */
    int capacity_blocks, capacity_rows, capacity_factors;
    ss_block *blocks;
    int *factor_start;
    ss_factor *factors;
    double *b, *P;
    int *place;         /* by blocks of the whole: in the part, -1: not there */
    double *r;          /* by blocks of the whole (inclusion/residual.h) */
    double *u_free, *u; /* n_u */
} ss_part;

typedef struct ss_rest {
    ss_work *work;
    ss_island *islands; /* n_u: by where the velocities of their first systems begin */
    double *u;          /* n_u: zero, but for prescribed motions */
    double *u_left;     /* n_u: u_free + M⁻¹WP */
    const double *u_E;  /* n_u: what was found so far */
    ss_part part;
    ss_solver *exact; /* for islands that seem to rest */
} ss_rest;

ss_status ss_rest_create(ss_work *work, ss_rest **rest);
void ss_rest_destroy(ss_rest *rest);
/* As ss_work_solve_loaded with the work's solver: work->P is the guess, which the scales fit, and becomes the solution. */
ss_status ss_rest_solve(ss_work *work, ss_rest *rest, const ss_state *B, double *u_E,
                        ss_solve_report *report);

#endif
