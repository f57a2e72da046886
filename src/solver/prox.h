/* prox.h: what JORprox and SORprox have in common. They differ in their sweep alone. */
#ifndef SS_SOLVER_PROX_H
#define SS_SOLVER_PROX_H

#include "base/arena.h"
#include "rows/coupling.h"
#include "rows/kind.h"

#include <stickslip/solver.h>

#include <stddef.h>

/* What a sweep wants to know of a block, beside the ss_block. */
typedef struct ss_prox_block {
    double r;
    double error_weight; /* ‖ΔP‖² · this: an estimate from above of the residual's e_i² */
    double reference_weight; /* ‖P‖² · this: (‖P‖ / √r_i)² of the residual's reference */
    ss_set_kind kind;
    int scale_row; /* row of P that scales the set, or -1 */
} ss_prox_block;

/* The self of both solvers. The options come first: their keys' offsets are those of
 * ss_prox_options. */
typedef struct ss_prox_solver {
    ss_prox_options options;
    ss_arena scratch;      /* everything below */
    int threads;           /* that a Jacobi sweep may use */
    ss_prox_block *blocks; /* n_blocks */
    double *natural_r;     /* n_blocks: r of the residual */
    double *next;          /* n_rows: the new P of a Jacobi sweep */
    double *best;          /* n_rows */
    double *P_before;      /* n_rows: of the stop criterion */
    double *u_before;      /* n_u: of the stop criterion */
    double *u_swept;       /* n_u: before refreshing */
    double *u_free_given;  /* n_u, and b_given, n_rows: before the first refresh */
    double *b_given;
    ss_coupling coupling; /* row sums only; with neighbours, n_blocks */
    int *neighbours;
    double *spectral; /* spectral r only */
    double worth;     /* sweeps over rows of all forms that other methods would cost, which go on
                         where these progress too slowly; 0: there are none */
} ss_prox_solver;

/* The largest change of a sweep, and the largest impulse, squared and in J. Not a number as soon
 * as one number of the sweep is not. */
typedef struct ss_prox_change {
    double error2, reference2;
} ss_prox_change;

/* Sweep number `iteration` (from 1) over all blocks. */
typedef ss_prox_change (*ss_sweep_fn)(ss_prox_solver *solver, const ss_inclusion *inclusion,
                                      ss_context *context, int iteration, double *P, double *u);

/* `reserve`, `destroy` and `refuses` of both. */
ss_status ss_prox_reserve(void *self, ss_context *context, const ss_solver_size *size);
void ss_prox_destroy(void *self, ss_context *context);
const char *ss_prox_refuses(const void *self, const ss_inclusion *inclusion);

/* Fills blocks and natural_r: the r of every block by the solver's choice, or the block's own.
 * SS_NON_FINITE when a number of the inclusion is not finite. */
ss_status ss_prox_relax(ss_prox_solver *solver, ss_context *context, const ss_inclusion *inclusion);
/* The same from the natural_r that the solver has. */
ss_status ss_prox_relax_from(ss_prox_solver *solver, ss_context *context,
                             const ss_inclusion *inclusion);

/* The first guess of any solver: P, or zero without a warm start. SS_NON_FINITE names the row that
 * is not finite. */
ss_status ss_first_guess(ss_context *context, bool warm_start, int n_rows, double *P);

/* `solve` of both: sweeps until the stop criterion is met. */
ss_status ss_prox_iterate(ss_prox_solver *solver, ss_context *context, const ss_solve_call *call,
                          ss_sweep_fn sweep);

extern const ss_solver_ops ss_solver_type_jorprox, ss_solver_type_sorprox;

/* SORprox's solve. */
ss_status ss_sorprox_solve(void *self, ss_context *context, const ss_solve_call *call);

/* What a solver has beside its public struct when it sweeps rows of all forms: the first guess and the solution are in
 * them. */
struct ss_rows;
typedef struct ss_rows_solver {
    bool (*accepts)(const void *solver); /* asked once, when the solver is made */
    ss_status (*solve)(void *solver, ss_context *context, struct ss_rows *rows,
                       ss_solve_report *report);
    bool goes_on; /* where sweeps end early, it solves the same rows as blocks of an inclusion */
} ss_rows_solver;
extern const ss_rows_solver ss_sorprox_rows, ss_auto_rows;

#endif
