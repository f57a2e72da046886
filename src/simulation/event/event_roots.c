/* event_roots.c: what the integrator sees: y' and the functions whose zeros are events. */
#include "assembly/sources/expanded.h"
#include "simulation/event/event_driven.h"

#include <math.h>
#include <string.h>

static const double *velocities(const ss_event_driven *e, const double *y)
{
    return y + e->size.n_q;
}

static ss_status evaluate(ss_event_driven *e, double t, const double *y)
{
    SS_TRY(ss_event_evaluate(e, t, y, velocities(e, y)));
    ss_event_reduce(e);
    return SS_OK;
}

/* What a law's own account of its work says, as power: a damper takes it out, a motor brings it in. */
static ss_status add_power(const ss_event_driven *e, int l, double *sums)
{
    const ss_law *law = &e->model->laws[l];
    const ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    double load = 0, lost = 0;
    if (!e->plain[l] || !law->ops->work)
        return SS_OK;
    SS_TRY(law->ops->work(law->object.self, &at, e->added + law->offset, at.gamma, &load, &lost));
    sums[0] += lost;
    sums[1] += load;
    return SS_OK;
}

/* Integrators look for roots where they have just looked at the rates. */
static bool is_there(const ss_event_driven *e, double t, const double *y)
{
    ss_model_size n = e->size;
    return e->rates_known && e->rates_t == t && memcmp(e->q, y, (size_t)n.n_q * sizeof *y) == 0 &&
           memcmp(e->u, velocities(e, y), (size_t)n.n_u * sizeof *y) == 0;
}

int ss_event_rates(double t, const double *y, double *rates, void *user)
{
    ss_event_driven *e = user;
    e->status = evaluate(e, t, y);
    if (e->status != SS_OK)
        return -1;
    e->rates_known = true;
    e->rates_t = t;
    const double *u = e->u;
    double *P = rates + e->size.n_q + e->size.n_u, *sums = P + e->size.n_rows;
    ss_work_move(e->work, e->zeros, u, 1, rates);
    memcpy(rates + e->size.n_q, e->a, (size_t)e->size.n_u * sizeof *rates);
    sums[0] = sums[1] = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->model->laws[l];
        for (int k = 0; k < law->dim; k++) {
            int i = law->offset + k, row = law->row + k;
            P[i] = e->lambda[i] + e->added[i];
            double work = P[i] * e->work->elements[law->element].gamma_B[row];
            sums[0] -= e->stored[l] || law->ops->drive ? 0 : work;
            sums[1] += (law->ops->drive ? work : 0) -
                       P[i] * ss_work_outside_velocity(e->work, law->element, row, u);
        }
        e->status = add_power(e, l, sums);
        if (e->status != SS_OK)
            return -1;
    }
    for (int i = 0; i < e->size.n_u; i++)
        sums[1] += e->work->load[i] * u[i];
    return 0;
}

void ss_event_put_forces(const ss_event_driven *e, double *y)
{
    if (e->method == SS_METHOD_IDA)
        memcpy(y + ss_event_common_numbers(e), e->lambda, (size_t)e->size.n_rows * sizeof *y);
}

int ss_event_residual(double t, const double *y, const double *ydot, double *residual, void *user)
{
    ss_event_driven *e = user;
    int n = ss_event_common_numbers(e), n_q = e->size.n_q, n_u = e->size.n_u;
    const double *lambda = y + n, *a = ydot + n_q;
    if (ss_event_rates(t, y, residual, user) != 0)
        return -1;
    double *r_u = residual + n_q, *r_lambda = residual + n;
    for (int i = 0; i < e->size.n_rows; i++)
        r_lambda[i] = lambda[i] - e->lambda[i];
    for (int k = 0; k < e->n_closed && !e->deficient; k++) {
        int row = e->held[k];
        if (!ss_event_moves(e, row))
            continue;
        const double *H = e->H + row * n_u, *W = e->W + row * n_u;
        for (int j = 0; j < n_u; j++)
            r_u[j] += (lambda[row] - e->lambda[row]) * H[j];
        r_lambda[row] = e->zeta_hat[row];
        for (int j = 0; j < n_u; j++)
            r_lambda[row] += W[j] * a[j];
    }
    for (int i = 0; i < n; i++)
        residual[i] = ydot[i] - residual[i];
    return 0;
}

static double value(const ss_event_driven *e, const ss_root *root)
{
    if (root->kind == SS_ROOT_SWITCH)
        return root->sign * e->switches[root->law] + root->offset;
    const ss_law *law = &e->model->laws[root->law];
    switch (root->kind) {
    case SS_ROOT_GONE:
        return ss_work_absent(e->work, root->law) ? -1 : 1;
    case SS_ROOT_DISTANCE:
        return fmax(root->sign * e->distance[law->offset],
                    root->near ? root->sign * e->gamma[law->offset] : -INFINITY) +
               root->offset;
    case SS_ROOT_LENGTH:
        return root->sign * e->distance[law->offset] + root->offset;
    case SS_ROOT_SIGN:
        return e->sign[root->law] * e->lambda[law->offset];
    case SS_ROOT_FORCE:
        return ss_event_reserve(e, root->law);
    default:
        return law->dim == 1 ? e->along[law->offset] * e->gamma[law->offset]
                             : ss_event_speed(e, root->law) - e->slip;
    }
}

/* At the time that forces are looked at: a jump at the end of a step belongs to the next one. */
static void read_switches(ss_event_driven *e, const double *q, const double *u)
{
    if (e->n_switches > 0)
        ss_work_switches(e->work, e->work->t, q, u, e->switches);
}

int ss_event_root_values(double t, const double *y, double *values, void *user)
{
    ss_event_driven *e = user;
    e->status = is_there(e, t, y) ? SS_OK : evaluate(e, t, y);
    if (e->status != SS_OK)
        return -1;
    read_switches(e, y, velocities(e, y));
    for (int i = 0; i < e->n_roots; i++)
        values[i] = value(e, &e->roots[i]);
    return 0;
}

static void add_root(ss_event_driven *e, ss_root_kind kind, int l)
{
    e->directions[e->n_roots] = -1;
    e->roots[e->n_roots++] = (ss_root){.kind = kind, .law = l};
}

/* After an impact the distance is zero, or below it by rounding. Its function begins above zero nevertheless: else a
 * flight that is shorter than a step would not be seen. A contact that is let go opens with the third power of time, and for
 * microseconds by less than the integrator's error: it closes only where γ says so, too. */
static void add_distance(ss_event_driven *e, ss_root_kind kind, int l, double side)
{
    const double least = 1e-15, drift = 1e-9;
    ss_root *root = &e->roots[e->n_roots];
    int row = e->model->laws[l].offset;
    double value = side * e->distance[row];
    add_root(e, kind, l);
    root->sign = side;
    root->near = kind == SS_ROOT_DISTANCE && value < drift;
    root->deep = root->near && value < -drift;
    if (root->near)
        value = fmax(value, side * e->gamma[row]);
    root->offset = fmax(0, least - value);
}

/* A formula that has just jumped does not do so again because of rounding. */
static void add_switches(ss_event_driven *e)
{
    const double least = 1e-15;
    read_switches(e, e->work->q, e->work->u);
    for (int i = 0; i < e->n_switches; i++) {
        ss_root *root = &e->roots[e->n_roots];
        add_root(e, SS_ROOT_SWITCH, i);
        root->sign = e->switches[i] < 0 ? -1 : 1;
        root->offset = fmax(0, least - fabs(e->switches[i]));
    }
}

bool ss_event_switched(ss_event_driven *e, double t, const double *q, const double *u)
{
    if (e->n_switches == 0)
        return false;
    ss_work_switches(e->work, nextafter(t, INFINITY), q, u, e->switches);
    for (int i = 0; i < e->n_roots; i++)
        if (e->roots[i].kind == SS_ROOT_SWITCH && value(e, &e->roots[i]) <= 0)
            return true;
    return false;
}

/* Whether the sign of a constraint's force matters: friction slides on it. */
static bool carries_sliding(const ss_event_driven *e, int normal)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->model->laws[l].scale_from == normal && e->phase[l] == SS_PHASE_SLIDING)
            return true;
    return false;
}

static void list_held_roots(ss_event_driven *e, int l)
{
    if (ss_work_may_vanish(e->work, l))
        add_root(e, SS_ROOT_GONE, l);
    if (e->deficient)
        return;
    if (isfinite(ss_event_reserve(e, l)))
        add_root(e, SS_ROOT_FORCE, l);
    else if (carries_sliding(e, l))
        add_root(e, SS_ROOT_SIGN, l);
}

void ss_event_list_roots(ss_event_driven *e)
{
    e->n_roots = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        int side = ss_event_side(e, l);
        if (e->phase[l] == SS_PHASE_OPEN && side != 0)
            add_distance(e, SS_ROOT_DISTANCE, l, side);
        if (e->phase[l] == SS_PHASE_CLOSED)
            list_held_roots(e, l);
        if (e->phase[l] == SS_PHASE_SLIDING && ss_event_is_spring(e, l))
            add_distance(e, SS_ROOT_LENGTH, l, e->along[e->model->laws[l].offset]);
        else if (e->phase[l] == SS_PHASE_SLIDING && !e->plain[l])
            add_root(e, SS_ROOT_SLIP, l);
    }
    add_switches(e);
}

/* The first positive zero of d + γ τ + γ' τ²/2; INFINITY: there is none. */
static double time_to_zero(double d, double gamma, double rate)
{
    double discriminant = gamma * gamma - 2 * rate * d;
    if (rate == 0)
        return gamma < 0 ? -d / gamma : INFINITY;
    if (discriminant < 0)
        return INFINITY;
    double root = sqrt(discriminant), first = (-gamma - root) / rate,
           second = (-gamma + root) / rate;
    double least = fmin(first, second), most = fmax(first, second);
    return least > 0 ? least : most > 0 ? most : INFINITY;
}

double ss_event_first_step(const ss_event_driven *e, double step)
{
    int n_u = e->size.n_u;
    for (int i = 0; i < e->n_roots; i++) {
        if (e->roots[i].kind != SS_ROOT_DISTANCE)
            continue;
        int row = e->model->laws[e->roots[i].law].offset;
        double sign = e->roots[i].sign, rate = 0;
        for (int j = 0; j < n_u; j++)
            rate += e->W[row * n_u + j] * e->a[j];
        double least = 1e-5 * time_to_zero(fmax(0, sign * e->distance[row]), sign * e->gamma[row],
                                           sign * rate);
        if (isfinite(least) && (step == 0 || least < step))
            step = fmax(least, 1e-13);
    }
    return step;
}
