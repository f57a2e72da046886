/* event_held.c: G λ = -c for the forces of held laws, with G = WᵀH (event_phase.c).
 *
 * Bodies that stand apart do not act on each other: rows are grouped by the systems that held laws join, and every group is
 * solved by itself. What is far from the last event then costs little. Constraints of a group may depend on each other.
 */
#include "base/joined.h"
#include "simulation/event_driven.h"

#include <lapacke.h>
#include <math.h>

static const ss_touched *touched_by(const ss_event_driven *e, int law)
{
    return &e->model->elements[e->model->laws[law].element].touched;
}

static void join_systems(ss_event_driven *e, const ss_touched *a, const ss_touched *b)
{
    for (int k = 0; k < b->count; k++)
        ss_join(e->joined, a->systems[0], b->systems[k]);
}

static void find_groups(ss_event_driven *e)
{
    for (int s = 0; s < e->model->n_systems.count; s++)
        e->joined[s] = s;
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->model->laws[l].scale_from;
        if (e->phase[l] == SS_PHASE_HELD)
            join_systems(e, touched_by(e, l), touched_by(e, l));
        else if (e->phase[l] == SS_PHASE_SLIDING && from >= 0)
            join_systems(e, touched_by(e, from), touched_by(e, l));
    }
    for (int i = 0; i < e->n_held; i++)
        e->group[i] = ss_joined(e->joined, touched_by(e, e->held_law[i])->systems[0]);
}

/* w x, with w a row of W: only what its element touches is not zero. */
static double along_row(const ss_event_driven *e, int i, const double *x)
{
    const ss_touched *touched = touched_by(e, e->held_law[i]);
    const double *w = e->W + e->held[i] * e->size.n_u;
    double sum = 0;
    for (int k = 0; k < touched->count; k++) {
        const ss_system *system = &e->model->systems[touched->systems[k]];
        for (int j = system->u_offset; j < system->u_offset + system->nu; j++)
            sum += w[j] * x[j];
    }
    return sum;
}

void ss_event_couple(ss_event_driven *e)
{
    find_groups(e);
    for (int i = 0; i < e->n_held; i++) {
        e->c[i] = along_row(e, i, e->a_free) + e->zeta_hat[e->held[i]];
        for (int j = 0; j < e->n_held; j++)
            e->G[i * e->n_held + j] = e->group[i] != e->group[j]
                                          ? 0
                                          : along_row(e, i, e->H + e->held[j] * e->size.n_u);
    }
}

bool ss_event_moves(const ss_event_driven *e, int row)
{
    const double *MinvW = e->MinvW + row * e->size.n_u;
    for (int j = 0; j < e->size.n_u; j++)
        if (MinvW[j] != 0)
            return true;
    return false;
}

/* One group, scaled by the diagonal of WᵀM⁻¹W; returns its rank. */
static int solve_group(ss_event_driven *e, int n, const int *rows, double *lambda)
{
    double *A = e->solve_matrix, *scale = e->solve_scale, *x = e->group_x;
    int rank = 0, idle = 0;
    for (int i = 0; i < n; i++) {
        double diagonal = along_row(e, rows[i], e->MinvW + e->held[rows[i]] * e->size.n_u);
        scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
        idle += !(diagonal > 0);
        e->pivots[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        x[i] = -scale[i] * e->c[rows[i]];
        for (int j = 0; j < n; j++)
            A[j * n + i] = scale[i] * e->G[rows[i] * e->n_held + rows[j]] * scale[j];
    }
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, A, n, x, n, e->pivots, 1e-11, &rank,
                        e->solve_work, e->solve_room);
    for (int i = 0; i < n; i++)
        lambda[rows[i]] = scale[i] * x[i];
    return rank + idle;
}

int ss_event_solve(ss_event_driven *e, double *lambda)
{
    int rank = 0, *rows = e->group_rows;
    for (int s = 0; s < e->model->n_systems.count; s++) {
        int n = 0;
        for (int i = 0; i < e->n_held; i++)
            if (e->group[i] == s)
                rows[n++] = i;
        if (n > 0)
            rank += solve_group(e, n, rows, lambda);
    }
    return rank;
}
