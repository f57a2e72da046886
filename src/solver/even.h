/* even.h: an even load: of the impulses that a solution leaves open, those of least norm. */
#ifndef SS_SOLVER_EVEN_H
#define SS_SOLVER_EVEN_H

#include "rows/least_norm.h"

#include <stickslip/solver.h>

/* Most held rows of an island whose impulses are chosen together. Larger ones: those of every two systems that meet in several
 * contacts, which keep what they do to these systems. */
enum { SS_EVEN_MOST = 96 };

/* Memory; grows, never shrinks. Zero-initialize before the first call. */
typedef struct ss_even {
    ss_least_norm norm;
    ss_arena arena; /* everything below */
    bool has_arena;
    int capacity_blocks, capacity_rows, capacity_u;
    ss_mode *modes; /* n_blocks */
    int *variable;  /* n_blocks: its first variable, -1: none */
    int *
        child; /* n_blocks: the first held block that it scales, and the next of the same parent; -1 */
    int *sibling;
    double *p;          /* n_rows: P_T / P_N of what slides */
    double *P, *kept_P; /* n_rows */
    double *u, *kept_u; /* n_u */
    int row[SS_EVEN_MOST], picked[SS_EVEN_MOST];
    double scale[SS_EVEN_MOST]; /* P = scale · y */
    double scratch[SS_EVEN_MOST];
    double G[SS_EVEN_MOST * SS_EVEN_MOST], A[SS_EVEN_MOST * SS_EVEN_MOST];
} ss_even;

/* Memory for inclusions up to a size. */
ss_status ss_even_reserve(ss_even *even, ss_context *context, int n_blocks, int n_rows, int n_u);
void ss_even_release(ss_even *even);
/* Moves the solution of a call, an island's, found to `tolerance`, to that of an even load; fills freedom and chosen of its
 * report. Where that is not found, the solution stays. *again: friction slides elsewhere with it; the impulses are a first guess
 * from which the inclusion is to be solved again. */
ss_status ss_even_select(ss_even *even, ss_context *context, const ss_solve_call *call,
                         double tolerance, bool *again);
/* Keeps the solution of a call, and gives it back. */
ss_status ss_even_keep(ss_even *even, ss_context *context, const ss_solve_call *call);
void ss_even_restore(const ss_even *even, const ss_solve_call *call);
/* The largest difference between the impulses of a call and those kept, in parts of the largest. */
double ss_even_change(const ss_even *even, const ss_solve_call *call);

#endif
