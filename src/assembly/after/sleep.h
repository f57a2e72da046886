/* sleep.h: islands of bodies that rest are left out of the solution.
 *
 * Systems that rows join form an island. An island without velocity sleeps when its impulses of the step before, with
 * zero velocity again, solve its rows of this step: then they are taken as they are, and nothing moves. Nothing is
 * remembered but the state, so a run that goes on from a saved state sleeps as the one that saved it.
 *
 * After each solve, where zero solves the rows as well, it takes the place of what was found.
 */
#ifndef SS_ASSEMBLY_AFTER_SLEEP_H
#define SS_ASSEMBLY_AFTER_SLEEP_H

#include "assembly/work.h"

typedef struct ss_island {
    double error;     /* how far zero velocity is from a solution, √J */
    double reference; /* to which that is compared, √J */
    bool awake;       /* it is solved */
} ss_island;

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
    int *index;         /* by blocks of the whole: in the part, -1: not there */
    double *u_free, *u; /* n_u */
} ss_part;

typedef struct ss_sleep {
    ss_work *work;
    ss_island *islands; /* n_u: by where the velocities of their first systems begin */
    double *u;          /* n_u: zero, but for prescribed motions */
    double *u_left;     /* n_u: u_free + M⁻¹WP */
    const double *u_E;  /* n_u: what was found so far */
    int capacity_r;
    double *r; /* by blocks (rows/residual.h) */
    ss_part part;
    ss_solver *exact; /* for islands that seem to rest */
} ss_sleep;

/* NULL where no rule asks for it. */
ss_status ss_sleep_create(ss_work *work, ss_sleep **sleep);
void ss_sleep_destroy(ss_sleep *sleep);
/* As ss_work_solve_loaded with the work's solver, of GENERAL blocks: work->P is the guess, which the scales fit, and
 * becomes the solution. */
ss_status ss_sleep_solve(ss_work *work, ss_sleep *sleep, const ss_state *B, double *u_E,
                         ss_solve_report *report);
/* Rows of several forms: marks those of islands that sleep, whose free velocities become zero. */
ss_status ss_sleep_mark(ss_work *work, ss_sleep *sleep, const ss_state *B);
/* After their solution: every now and then islands that seem to rest are solved exactly; what rests gets velocities of
 * zero, in the store. */
ss_status ss_sleep_settle(ss_work *work, ss_sleep *sleep, const ss_state *B,
                          ss_solve_report *report);

#endif
