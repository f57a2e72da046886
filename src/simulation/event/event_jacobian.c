/* event_jacobian.c: the Jacobians of the right-hand side and of IDA's residual, column by column.
 *
 * Only positions and velocities act on the motion: columns of impulses and of the forces that are IDA's unknowns are
 * known, the others are differences. The force of a law that hardly slides turns with γ/|γ|: places are moved by less than
 * would turn it.
 */
#include "simulation/event/event_driven.h"

#include <math.h>
#include <string.h>

/* The slowest sliding in a plane, in parts of what a unit of u adds to it; INFINITY: there is none. */
static double slowest(const ss_event_driven *e)
{
    double least = INFINITY;
    int n_u = e->size.n_u;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->model->laws[l];
        double most = 1;
        if (e->phase[l] != SS_PHASE_SLIDING || law->dim == 1)
            continue;
        for (int i = law->offset * n_u; i < (law->offset + law->dim) * n_u; i++)
            most = fmax(most, fabs(e->W[i]));
        least = fmin(least, (ss_event_speed(e, l) + ss_event_onset(e, l)) / most);
    }
    return least;
}

int ss_event_linearize(double t, const double *y, void *user)
{
    ss_event_driven *e = user;
    double fastest = 1;
    e->status = ss_event_evaluate(e, t, y, y + e->size.n_q);
    if (e->status != SS_OK)
        return -1;
    for (int j = 0; j < e->size.n_u; j++)
        fastest = fmax(fastest, fabs(y[e->size.n_q + j]));
    e->move_u = 1e-3 * slowest(e);
    e->move_q = e->move_u / fastest;
    return 0;
}

/* What y' does to IDA's residual: all but its algebraic equations have y' itself, those of held rows W_Cᵀ u'. */
static void add_rates(const ss_event_driven *e, double c, int j, double *column)
{
    int n = ss_event_common_numbers(e), n_u = e->size.n_u, k = j - e->size.n_q;
    column[j] += c;
    for (int i = 0; i < e->n_closed && k >= 0 && k < n_u && !e->deficient; i++)
        if (ss_event_moves(e, e->held[i]))
            column[n + e->held[i]] += c * e->W[e->held[i] * n_u + k];
}

static void force_column(const ss_event_driven *e, int row, double *column)
{
    int n = ss_event_common_numbers(e), n_u = e->size.n_u;
    bool given = e->deficient || !ss_event_moves(e, row);
    if (given)
        column[n + row] = 1;
    for (int k = 0; k < n_u && !given; k++)
        column[e->size.n_q + k] = -e->H[row * n_u + k];
}

int ss_event_column(double t, const double *y, const double *ydot, const double *base, int j,
                    double *column, void *user)
{
    ss_event_driven *e = user;
    int n = ss_event_numbers(e), n_q = e->size.n_q;
    double most = j < n_q ? e->move_q : e->move_u, move = fmin(1e-8 * fmax(1, fabs(y[j])), most);
    memset(column, 0, (size_t)n * sizeof *column);
    if (j >= n_q + e->size.n_u)
        return 0;
    double *moved = e->y_moved;
    memcpy(moved, y, (size_t)n * sizeof *moved);
    moved[j] += move;
    move = moved[j] - y[j];
    int flag =
        ydot ? ss_event_residual(t, moved, ydot, column, e) : ss_event_rates(t, moved, column, e);
    for (int i = 0; i < n && flag == 0; i++)
        column[i] = (column[i] - base[i]) / move;
    return flag;
}

void ss_event_known_column(double c, int j, double *column, void *user)
{
    const ss_event_driven *e = user;
    int n_common = ss_event_common_numbers(e);
    if (j < n_common)
        add_rates(e, c, j, column);
    else
        force_column(e, j - n_common, column);
}
