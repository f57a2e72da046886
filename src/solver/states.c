/* states.c: the laws of a planar inclusion as states, and the linear equations of each. */
#include "solver/states.h"

#include <string.h>

int ss_states_of(ss_set_kind kind, bool contact)
{
    if (contact)
        return 4;
    return kind == SS_SET_INTERVAL ? 3 : kind == SS_SET_FREE ? 1 : 2;
}

const char *ss_states_refuse(const ss_inclusion *A)
{
    const char *reason = NULL;
    for (int i = 0; i < A->n_blocks && !reason; i++) {
        const ss_set *set = A->blocks[i].set;
        if (set->kind == SS_SET_DISK || !ss_set_is_simple(set))
            return "it knows open and closed, stick and slip in the plane: half lines, intervals "
                   "and free blocks only";
        if (A->blocks[i].scale_from >= 0)
            reason = ss_inclusion_not_coulomb(A);
    }
    return reason;
}

/* Clears a row of K and writes x_a + factor x_0 of its group into it; returns the right-hand
 * side. */
static double fixed_row(ss_scaled *A, const ss_gathered_group *K, int a, double factor,
                        double value)
{
    int row = K->row + a;
    memset(A->K + A->start[row], 0, (size_t)(A->start[row + 1] - A->start[row]) * sizeof *A->K);
    if (factor != 0.0)
        A->K[A->diagonal[row]] = factor;
    A->K[A->diagonal[row] + a] = 1.0;
    return value;
}

void ss_states_write(ss_scaled *A, const ss_run *run, int k, int state, double *rhs)
{
    const ss_gathered_group *K = &run->g->groups[k];
    bool contact = K->tangential >= 0;
    for (int a = 0; a < K->dim; a++)
        rhs[K->row + a] = -A->b[K->row + a];
    if (K->kind == SS_SET_FREE)
        return;
    if (K->kind == SS_SET_INTERVAL) {
        double end = run->inclusion->blocks[K->normal].scale / A->to_P[K->row];
        if (state > 0)
            rhs[K->row] = fixed_row(A, K, 0, 0.0, state == 1 ? end : -end);
        return;
    }
    if (state == 0)
        for (int a = 0; a < K->dim; a++)
            rhs[K->row + a] = fixed_row(A, K, a, 0.0, 0.0);
    else if (contact && state > 1)
        rhs[K->row + 1] = fixed_row(A, K, 1, state == 2 ? -K->mu : K->mu, 0.0);
}

static void soften(ss_scaled *A, const ss_run *run)
{
    for (int k = 0; k < run->g->n_groups; k++)
        for (int a = 0; a < run->g->groups[k].dim; a++)
            A->K[A->diagonal[run->g->groups[k].row + a] + a] += 1e-13;
}

bool ss_states_solve(ss_scaled *A, const ss_run *run, const double *rhs, double *x)
{
    if (ss_lu_factor(A->lu, A->K) && ss_lu_solve(A->lu, rhs, x))
        return true;
    soften(A, run);
    return ss_lu_factor(A->lu, A->K) && ss_lu_solve(A->lu, rhs, x);
}
