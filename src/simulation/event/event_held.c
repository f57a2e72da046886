/* event_held.c: G λ = -c for the forces of held laws, with G = WᵀH (event_phase.c).
 *
 * Bodies that stand apart do not act on each other: rows are grouped by the systems that held laws join, and every group is
 * solved by itself. What is far from the last event then costs little. Constraints of a group may depend on each other.
 *
 * G of constant masses and directions, as of a row of points, stays what it is while phases last: it is factored when it is met
 * for the second time.
 */
#include "base/union_find.h"
#include "simulation/event/event_driven.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static const ss_connected *connected_by(const ss_event_driven *e, int law)
{
    return &e->model->elements[e->model->laws[law].element].connected;
}

static void join_systems(ss_event_driven *e, const ss_connected *a, const ss_connected *b)
{
    for (int k = 0; k < b->count; k++)
        ss_union_join(e->joined, a->systems[0], b->systems[k]);
}

static void find_groups(ss_event_driven *e)
{
    for (int s = 0; s < e->model->n_systems.count; s++)
        e->joined[s] = s;
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->model->laws[l].scale_from;
        if (e->phase[l] == SS_PHASE_CLOSED)
            join_systems(e, connected_by(e, l), connected_by(e, l));
        else if (e->phase[l] == SS_PHASE_SLIDING && from >= 0)
            join_systems(e, connected_by(e, from), connected_by(e, l));
    }
    for (int i = 0; i < e->n_closed; i++)
        e->group[i] = ss_union_root(e->joined, connected_by(e, e->closed_law[i])->systems[0]);
}

/* w x, with w a row of W: only what its element contacts is not zero. */
static double along_row(const ss_event_driven *e, int i, const double *x)
{
    const ss_connected *connected = connected_by(e, e->closed_law[i]);
    const double *w = e->W + e->held[i] * e->size.n_u;
    double sum = 0;
    for (int k = 0; k < connected->count; k++) {
        const ss_system *system = &e->model->systems[connected->systems[k]];
        for (int j = system->u_offset; j < system->u_offset + system->nu; j++)
            sum += w[j] * x[j];
    }
    return sum;
}

/* Friction of sliding contacts is part of H, and turns with them. */
static bool any_carried(const ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->phase[l] == SS_PHASE_SLIDING && e->model->laws[l].scale_from >= 0)
            return true;
    return false;
}

bool ss_event_uncouple(ss_event_driven *e)
{
    size_t bytes = (size_t)e->size.n_laws * sizeof *e->phase;
    bool anew = e->stale || memcmp(e->coupled, e->phase, bytes) != 0;
    memcpy(e->coupled, e->phase, bytes);
    e->stale = any_carried(e);
    return anew || e->stale;
}

/* Groups of the rows that move something. */
static void list_groups(ss_event_driven *e)
{
    int n = 0;
    e->n_groups = 0;
    for (int s = 0; s < e->model->n_systems.count; s++) {
        int first = n;
        for (int i = 0; i < e->n_closed; i++)
            if (e->group[i] == s && e->solve_scale[i] > 0)
                e->group_rows[n++] = i;
        if (n > first)
            e->group_start[e->n_groups++] = first;
    }
    e->group_start[e->n_groups] = n;
}

/* Scaled by the diagonal of WᵀM⁻¹W. */
void ss_event_couple(ss_event_driven *e)
{
    int n = e->n_closed, n_u = e->size.n_u;
    find_groups(e);
    memset(e->G, 0, (size_t)(n * n) * sizeof *e->G);
    for (int i = 0; i < n; i++) {
        double diagonal = along_row(e, i, e->MinvW + e->held[i] * n_u);
        e->solve_scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
        for (int j = 0; j < n && diagonal > 0; j++)
            if (e->group[i] == e->group[j])
                e->G[i * n + j] = along_row(e, i, e->H + e->held[j] * n_u);
    }
    list_groups(e);
    e->met = e->factored = false;
}

void ss_event_find_c(ss_event_driven *e)
{
    for (int i = 0; i < e->n_closed; i++)
        e->c[i] = along_row(e, i, e->a_free) + e->zeta_hat[e->held[i]];
}

bool ss_event_moves(const ss_event_driven *e, int row)
{
    const double *MinvW = e->MinvW + row * e->size.n_u;
    for (int j = 0; j < e->size.n_u; j++)
        if (MinvW[j] != 0)
            return true;
    return false;
}

static void fill_group(const ss_event_driven *e, int n, const int *rows, double *A)
{
    const double *scale = e->solve_scale;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[j * n + i] = scale[rows[i]] * e->G[rows[i] * e->n_closed + rows[j]] * scale[rows[j]];
}

/* Cholesky's factor in place of a symmetric matrix with a diagonal of 1. False: it is not symmetric, or constraints nearly
 * depend on each other. */
static bool factor(int n, double *A)
{
    const double rounding = 1e-14, least = 0.1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(A[j * n + i] - A[i * n + j]) <= rounding))
                return false;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) != 0)
        return false;
    for (int i = 0; i < n; i++)
        if (!(A[i * n + i] > least))
            return false;
    return true;
}

/* A⁻¹x in place of x, in the sense of least squares; returns the rank. */
static int least_squares(ss_event_driven *e, int n, double *A, double *x)
{
    int rank = 0;
    memset(e->pivots, 0, (size_t)n * sizeof *e->pivots);
    LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, A, n, x, n, e->pivots, 1e-11, &rank,
                        e->solve_work, e->solve_capacity);
    return rank;
}

/* One group, with capacity for its matrix; returns its rank. */
static int solve_group(ss_event_driven *e, int group, double *A, double *lambda)
{
    const int *rows = e->group_rows + e->group_start[group];
    int n = e->group_start[group + 1] - e->group_start[group], rank = n;
    double *x = e->group_x;
    for (int i = 0; i < n; i++)
        x[i] = -e->solve_scale[rows[i]] * e->c[rows[i]];
    if (e->met && !e->factored) {
        fill_group(e, n, rows, A);
        e->definite[group] = factor(n, A);
    }
    if (e->met && e->definite[group]) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, A, n, x, n);
    } else {
        fill_group(e, n, rows, A);
        rank = least_squares(e, n, A, x);
    }
    for (int i = 0; i < n; i++)
        lambda[rows[i]] = e->solve_scale[rows[i]] * x[i];
    return rank;
}

int ss_event_solve(ss_event_driven *e, double *lambda)
{
    int rank = e->n_closed - e->group_start[e->n_groups];
    double *A = e->solve_matrix;
    memset(lambda, 0, (size_t)e->n_closed * sizeof *lambda);
    for (int group = 0; group < e->n_groups; group++) {
        int n = e->group_start[group + 1] - e->group_start[group];
        rank += solve_group(e, group, A, lambda);
        A += n * n;
    }
    e->factored = e->met;
    e->met = true;
    return rank;
}
