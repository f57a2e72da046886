/* rates.c: what the integrator calls: y', IDA's residual, and the columns of their Jacobians.
 *
 * Only positions and velocities act on the motion: columns of impulses and of IDA's forces are
 * known, the others are differences. The force of slow sliding changes direction with γ/|γ|:
 * displacements are small beside |γ|.
 */
#include "simulation/event/event.h"

#include <math.h>
#include <string.h>

/* Power of a single-valued law by its own account: dampers dissipate, motors do work. */
static ss_status add_power(const ss_event_driven *e, int l, double *sums)
{
    const ss_law *law = &e->table->laws[l];
    const ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    double load = 0, lost = 0;
    if (!e->laws[l].single_valued || !law->ops->work)
        return SS_OK;
    SS_TRY(
        law->ops->work(law->object.self, &at, e->rows.added + law->offset, at.gamma, &load, &lost));
    sums[0] += lost;
    sums[1] += load;
    return SS_OK;
}

/* Forces as rates of the impulses, and the power of a law's rows. */
static ss_status law_rates(const ss_event_driven *e, int l, double *P, double *sums)
{
    const ss_law *law = &e->table->laws[l];
    const double *gamma = e->work->elements[law->element].gamma_B;
    for (int k = 0; k < law->dim; k++) {
        int i = law->offset + k, row = law->row + k;
        P[i] = e->rows.lambda[i] + e->rows.added[i];
        double power = P[i] * gamma[row];
        sums[0] -= e->laws[l].stores_energy || law->ops->drive ? 0 : power;
        sums[1] += (law->ops->drive ? power : 0) -
                   P[i] * ss_work_outside_velocity(e->work, law->element, row, e->point.u);
    }
    return add_power(e, l, sums);
}

static ss_status find_rates(ss_event_driven *e, double t, const double *y, double *rates)
{
    double *P = rates + e->size.n_q + e->size.n_u, *sums = P + e->size.n_rows;
    const double *u = e->point.u;
    SS_TRY(ss_event_evaluate(e, t, y, y + e->size.n_q));
    ss_event_reduce(e);
    e->point.rates_known = true;
    e->point.rates_t = t;
    ss_work_move(e->work, e->point.zeros, u, 1, rates);
    memcpy(rates + e->size.n_q, e->reduced.a, (size_t)e->size.n_u * sizeof *rates);
    sums[0] = sums[1] = 0;
    for (int l = 0; l < e->size.n_laws; l++)
        SS_TRY(law_rates(e, l, P, sums));
    for (int i = 0; i < e->size.n_u; i++)
        sums[1] += e->work->load[i] * u[i];
    return SS_OK;
}

int ss_event_rates(double t, const double *y, double *rates, void *user)
{
    ss_event_driven *e = user;
    e->smooth.status = find_rates(e, t, y, rates);
    return e->smooth.status == SS_OK ? 0 : -1;
}

int ss_event_residual(double t, const double *y, const double *ydot, double *residual, void *user)
{
    ss_event_driven *e = user;
    const ss_reduced *r = &e->reduced;
    int n = ss_event_common_numbers(e), n_q = e->size.n_q, n_u = e->size.n_u;
    const double *lambda = y + n, *a = ydot + n_q;
    if (ss_event_rates(t, y, residual, user) != 0)
        return -1;
    double *r_u = residual + n_q, *r_lambda = residual + n;
    for (int i = 0; i < e->size.n_rows; i++)
        r_lambda[i] = lambda[i] - e->rows.lambda[i];
    for (int k = 0; k < r->n && !r->deficient; k++) {
        int row = r->row[k];
        if (!ss_event_row_acts(e, row))
            continue;
        const double *H = r->H + row * n_u, *W = e->rows.W + row * n_u;
        for (int j = 0; j < n_u; j++)
            r_u[j] += (lambda[row] - e->rows.lambda[row]) * H[j];
        r_lambda[row] = e->rows.zeta_hat[row];
        for (int j = 0; j < n_u; j++)
            r_lambda[row] += W[j] * a[j];
    }
    for (int i = 0; i < n; i++)
        residual[i] = ydot[i] - residual[i];
    return 0;
}

/* The slowest sliding in a plane, relative to what a unit of u adds to it; INFINITY: none. */
static double slowest(const ss_event_driven *e)
{
    double least = INFINITY;
    int n_u = e->size.n_u;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        double most = 1;
        if (e->laws[l].phase != SS_PHASE_SLIDING || law->dim == 1)
            continue;
        for (int i = law->offset * n_u; i < (law->offset + law->dim) * n_u; i++)
            most = fmax(most, fabs(e->rows.W[i]));
        least = fmin(least, (ss_event_speed(e, l) + ss_event_onset_speed(e, l)) / most);
    }
    return least;
}

int ss_event_linearize(double t, const double *y, void *user)
{
    ss_event_driven *e = user;
    double fastest = 1;
    e->smooth.status = ss_event_evaluate(e, t, y, y + e->size.n_q);
    if (e->smooth.status != SS_OK)
        return -1;
    for (int j = 0; j < e->size.n_u; j++)
        fastest = fmax(fastest, fabs(y[e->size.n_q + j]));
    e->smooth.move_u = 1e-3 * slowest(e);
    e->smooth.move_q = e->smooth.move_u / fastest;
    return 0;
}

int ss_event_column(double t, const double *y, const double *ydot, const double *base, int j,
                    double *column, void *user)
{
    ss_event_driven *e = user;
    int n = ss_event_numbers(e), n_q = e->size.n_q;
    double most = j < n_q ? e->smooth.move_q : e->smooth.move_u,
           move = fmin(1e-8 * fmax(1, fabs(y[j])), most);
    memset(column, 0, (size_t)n * sizeof *column);
    if (j >= n_q + e->size.n_u)
        return 0;
    double *moved = e->smooth.y_moved;
    memcpy(moved, y, (size_t)n * sizeof *moved);
    moved[j] += move;
    move = moved[j] - y[j];
    int flag =
        ydot ? ss_event_residual(t, moved, ydot, column, e) : ss_event_rates(t, moved, column, e);
    for (int i = 0; i < n && flag == 0; i++)
        column[i] = (column[i] - base[i]) / move;
    return flag;
}

/* c ∂F/∂y' of IDA's residual: y' itself, and W_Cᵀ u' in the equations of closed rows. */
static void add_rates(const ss_event_driven *e, double c, int j, double *column)
{
    const ss_reduced *r = &e->reduced;
    int n = ss_event_common_numbers(e), n_u = e->size.n_u, k = j - e->size.n_q;
    column[j] += c;
    for (int i = 0; i < r->n && k >= 0 && k < n_u && !r->deficient; i++)
        if (ss_event_row_acts(e, r->row[i]))
            column[n + r->row[i]] += c * e->rows.W[r->row[i] * n_u + k];
}

/* ∂F/∂λ of one row. */
static void force_column(const ss_event_driven *e, int row, double *column)
{
    int n = ss_event_common_numbers(e), n_u = e->size.n_u;
    bool given = e->reduced.deficient || !ss_event_row_acts(e, row);
    if (given)
        column[n + row] = 1;
    for (int k = 0; k < n_u && !given; k++)
        column[e->size.n_q + k] = -e->reduced.H[row * n_u + k];
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
