/* scaled.h: a gathered inclusion of Coulomb contacts, half lines and free rows in the scaling in
 * which Coulomb's cone is the second-order cone and every group has about the size one:
 *
 *     v = A x + b,   P = Q s D⁻¹ x,   u = Q s⁻¹ D v,   D = diag(μ, 1, 1), s² = 1 / (size of G_gg)
 *
 * A is stored by rows, with a pattern that a factorization can use again and again. */
#ifndef SS_SOLVER_SCALED_H
#define SS_SOLVER_SCALED_H

#include "la/lu.h"
#include "solver/run.h"

typedef struct ss_scaled {
    int n_groups, n_rows, n_cones;
    int *cone;           /* n_groups: rows that are in the cone; 0: free; 1 when μ = 0 */
    int *start, *column; /* A by rows, columns ascending */
    int *diagonal;       /* n_rows: where the diagonal block of its group begins in this row */
    double *A;           /* rows that belong to no cone (friction with μ = 0) are unit rows */
    double *b;
    double *to_P, *to_u; /* n_rows */
    double *K;           /* A plus a block diagonal */
    ss_lu *lu;

    ss_context *context;
    ss_arena arena;
    bool has_arena;
} ss_scaled;

/* cones = false: D = 1, so that other sets may stand beside the contacts; `cone` then counts
 * friction rows, too, and is 0 for what is neither a contact nor a half line. */
ss_status ss_scaled_create(ss_scaled *s, const ss_run *run, bool cones);
/* Prepares factorizations: s->lu. */
ss_status ss_scaled_order(ss_scaled *s);
void ss_scaled_release(ss_scaled *s);

/* v = A x + b */
void ss_scaled_apply(const ss_scaled *s, const double *x, double *v);

#endif
