/* smooth.c: the smooth motion between two events: what the integrator calls, y', IDA's residual, the columns of their Jacobians, and
 * functions whose zeros are events.
 *
 * Only positions and velocities act on the motion: columns of impulses and of IDA's forces are
 * known, the others are differences. The force of slow sliding changes direction with γ/|γ|:
 * displacements are small beside |γ|.
 */
#include "assembly/sources/candidates.h"

#include "base/context.h"
#include "la/small.h"
#include "simulation/event/event.h"

#include <math.h>
#include <string.h>

/* ---- Rates ---- */

/* Power of a single-valued law by its own account: dampers dissipate, motors do work. */
static ss_status add_power(const ss_event_driven *e, int l, double *sums)
{
    const ss_law *law = &e->table->laws[l];
    const ss_law_at at = ss_work_law_at(e->work, law, 1, true);
    double load = 0, lost = 0;
    if (!e->laws[l].single_valued || !(law->flags & SS_LAW_WORK))
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
        bool drive = law->ops->law_class == SS_LAW_DRIVE;
        sums[0] -= e->laws[l].stores_energy || drive ? 0 : power;
        sums[1] += (drive ? power : 0) -
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

static int rates(double t, const double *y, double *rates, void *user)
{
    ss_event_driven *e = user;
    e->smooth.status = find_rates(e, t, y, rates);
    return e->smooth.status == SS_OK ? 0 : -1;
}

static int residual(double t, const double *y, const double *ydot, double *residual, void *user)
{
    ss_event_driven *e = user;
    const ss_reduced *r = &e->reduced;
    int n = ss_event_common_numbers(e), n_q = e->size.n_q, n_u = e->size.n_u;
    const double *lambda = y + n, *a = ydot + n_q;
    if (rates(t, y, residual, user) != 0)
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

/* The slowest sliding in a plane, relative to what a unit of u adds to it; INFINITY: none. What does not move yet counts with the
 * speed at which it would stick. */
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
        double speed = ss_event_speed(e, l) + ss_event_onset_speed(e, l);
        least = fmin(least, (speed > 0 ? speed : e->options.slip) / most);
    }
    return least;
}

static int linearize(double t, const double *y, void *user)
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

static int column(double t, const double *y, const double *ydot, const double *base, int j,
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
    int flag = ydot ? residual(t, moved, ydot, column, e) : rates(t, moved, column, e);
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

static void known_column(double c, int j, double *column, void *user)
{
    const ss_event_driven *e = user;
    int n_common = ss_event_common_numbers(e);
    if (j < n_common)
        add_rates(e, c, j, column);
    else
        force_column(e, j - n_common, column);
}

/* ---- Roots ---- */

static double value(const ss_event_driven *e, const ss_root *root)
{
    if (root->kind == SS_ROOT_SWITCH)
        return root->sign * e->roots.switches[root->law] + root->offset;
    const ss_law *law = &e->table->laws[root->law];
    double distance = root->sign * e->rows.distance[law->offset];
    double gamma = e->rows.gamma[law->offset];
    switch (root->kind) {
    case SS_ROOT_FEATURE:
        return ss_work_absent(e->work, root->law) ? -1 : 1;
    case SS_ROOT_DISTANCE:
        return fmax(distance, root->near ? root->sign * gamma : -INFINITY) + root->offset;
    case SS_ROOT_LENGTH:
        return distance + root->offset;
    case SS_ROOT_SIGN:
        return e->laws[root->law].force_sign * e->rows.lambda[law->offset];
    case SS_ROOT_FORCE:
        return ss_event_reserve(e, root->law);
    default:
        return law->dim == 1 ? e->rows.along[law->offset] * gamma
                             : ss_event_speed(e, root->law) - e->options.slip;
    }
}

/* At the time of the evaluation: a jump at the end of a step belongs to the next one. */
static void read_switches(ss_event_driven *e, const double *q, const double *u)
{
    if (e->roots.n_switches > 0)
        ss_work_switches(e->work, e->work->t, q, u, e->roots.switches);
}

/* Whether the rates have just been evaluated at (t, y): integrators look for roots there. */
static bool is_evaluated(const ss_event_driven *e, double t, const double *y)
{
    const ss_event_point *point = &e->point;
    size_t q_bytes = (size_t)e->size.n_q * sizeof *y, u_bytes = (size_t)e->size.n_u * sizeof *y;
    return point->rates_known && point->rates_t == t && memcmp(point->q, y, q_bytes) == 0 &&
           memcmp(point->u, y + e->size.n_q, u_bytes) == 0;
}

static int root_values(double t, const double *y, double *values, void *user)
{
    ss_event_driven *e = user;
    const double *u = y + e->size.n_q;
    e->smooth.status = SS_OK;
    if (!is_evaluated(e, t, y)) {
        e->smooth.status = ss_event_evaluate(e, t, y, u);
        if (e->smooth.status != SS_OK)
            return -1;
        ss_event_reduce(e);
    }
    read_switches(e, y, u);
    for (int i = 0; i < e->roots.count; i++)
        values[i] = value(e, &e->roots.roots[i]);
    return 0;
}

static ss_root *add_root(ss_root_set *set, ss_root_kind kind, int l)
{
    ss_root *root = &set->roots[set->count];
    set->directions[set->count++] = -1;
    *root = (ss_root){.kind = kind, .law = l};
    return root;
}

/* After an impact the distance is zero, or below it by rounding. The function begins above zero
 * nevertheless, or a flight shorter than a step would be missed. A contact that has been released
 * opens with the third power of time, for microseconds by less than the integrator's error: it
 * closes only where it approaches, too. */
static void add_distance(ss_event_driven *e, ss_root_kind kind, int l, double side)
{
    const double least = 1e-15, drift = 1e-9;
    ss_root *root = add_root(&e->roots, kind, l);
    int row = e->table->laws[l].offset;
    double distance = side * e->rows.distance[row];
    root->sign = side;
    root->near = kind == SS_ROOT_DISTANCE && distance < drift;
    root->deep = root->near && distance < -drift;
    if (root->near)
        distance = fmax(distance, side * e->rows.gamma[row]);
    root->offset = fmax(0, least - distance);
}

/* A formula that has just jumped does not jump again by rounding. */
static void add_switches(ss_event_driven *e)
{
    const double least = 1e-15;
    read_switches(e, e->work->q, e->work->u);
    for (int i = 0; i < e->roots.n_switches; i++) {
        ss_root *root = add_root(&e->roots, SS_ROOT_SWITCH, i);
        root->sign = e->roots.switches[i] < 0 ? -1 : 1;
        root->offset = fmax(0, least - fabs(e->roots.switches[i]));
    }
}

bool ss_event_switched(ss_event_driven *e, double t, const double *q, const double *u)
{
    if (e->roots.n_switches == 0)
        return false;
    ss_work_switches(e->work, nextafter(t, INFINITY), q, u, e->roots.switches);
    for (int i = 0; i < e->roots.count; i++)
        if (e->roots.roots[i].kind == SS_ROOT_SWITCH && value(e, &e->roots.roots[i]) <= 0)
            return true;
    return false;
}

/* Whether the sign of a constraint's force matters: friction on it slides. */
static bool carries_sliding(const ss_event_driven *e, int normal)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->table->laws[l].scale_from == normal && e->laws[l].phase == SS_PHASE_SLIDING)
            return true;
    return false;
}

static void add_closed(ss_event_driven *e, int l)
{
    if (ss_work_may_vanish(e->work, l))
        add_root(&e->roots, SS_ROOT_FEATURE, l);
    if (e->reduced.deficient)
        return;
    if (isfinite(ss_event_reserve(e, l)))
        add_root(&e->roots, SS_ROOT_FORCE, l);
    else if (carries_sliding(e, l))
        add_root(&e->roots, SS_ROOT_SIGN, l);
}

void ss_event_list_roots(ss_event_driven *e)
{
    e->roots.count = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        ss_phase phase = e->laws[l].phase;
        int side = ss_event_side(e, l);
        if (phase == SS_PHASE_OPEN && side != 0 && !ss_event_is_silent(e, l))
            add_distance(e, SS_ROOT_DISTANCE, l, side);
        if (phase == SS_PHASE_CLOSED)
            add_closed(e, l);
        if (phase == SS_PHASE_SLIDING && e->laws[l].spring)
            add_distance(e, SS_ROOT_LENGTH, l, e->rows.along[e->table->laws[l].offset]);
        else if (phase == SS_PHASE_SLIDING && !e->laws[l].single_valued)
            add_root(&e->roots, SS_ROOT_SLIP, l);
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

static double first_step(const ss_event_driven *e, double step)
{
    int n_u = e->size.n_u;
    for (int i = 0; i < e->roots.count; i++) {
        const ss_root *root = &e->roots.roots[i];
        if (root->kind != SS_ROOT_DISTANCE)
            continue;
        int row = e->table->laws[root->law].offset;
        double rate = ss_dot(n_u, e->rows.W + row * n_u, e->reduced.a);
        double least = 1e-5 * time_to_zero(fmax(0, root->sign * e->rows.distance[row]),
                                           root->sign * e->rows.gamma[row], root->sign * rate);
        if (isfinite(least) && (step == 0 || least < step))
            step = fmax(least, 1e-13);
    }
    return step;
}

/* ---- Integration ---- */

int ss_event_common_numbers(const ss_event_driven *e)
{
    return e->size.n_q + e->size.n_u + e->size.n_rows + 2;
}

int ss_event_numbers(const ss_event_driven *e)
{
    bool forces = e->options.method == SS_METHOD_IDA;
    return ss_event_common_numbers(e) + (forces ? e->size.n_rows : 0);
}

static void unpack(ss_event_driven *e, const ss_state *A, double t)
{
    ss_model_size n = e->size;
    const double *y = e->smooth.y, *sums = y + n.n_q + n.n_u + n.n_rows;
    ss_state_copy(e->found, A);
    memcpy(ss_state_edit_q(e->found), y, (size_t)n.n_q * sizeof *y);
    memcpy(ss_state_edit_u(e->found), y + n.n_q, (size_t)n.n_u * sizeof *y);
    memcpy(ss_state_edit_P(e->found), y + n.n_q + n.n_u, (size_t)n.n_rows * sizeof *y);
    ss_state_edit_statistics(e->found)->dissipated = sums[0];
    ss_state_edit_statistics(e->found)->load_work = sums[1];
    ss_state_set_time(e->found, t);
    ss_state_set_dt(e->found, t - ss_state_time(A));
}

static void use(ss_smooth *s, int from, int count)
{
    for (int i = 0; i < count; i++)
        s->used[s->n_used++] = from + i;
}

/* Impulses of open laws, and forces of laws that are not closed, are no unknowns. */
static void list_used(ss_event_driven *e)
{
    ss_smooth *s = &e->smooth;
    const ss_law *laws = e->table->laws;
    int n_rows = e->size.n_rows, n_state = e->size.n_q + e->size.n_u;
    s->n_used = 0;
    use(s, 0, n_state);
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->laws[l].phase != SS_PHASE_OPEN)
            use(s, n_state + laws[l].offset, laws[l].dim);
    use(s, n_state + n_rows, 2);
    for (int l = 0; l < e->size.n_laws && e->options.method == SS_METHOD_IDA; l++)
        if (e->laws[l].phase == SS_PHASE_CLOSED)
            use(s, ss_event_common_numbers(e) + laws[l].offset, laws[l].dim);
}

/* The force of a law that slides in a plane changes direction with γ/|γ|, the faster the slower it
 * slides, at the rate μN/m over |γ|. Explicit formulas would need steps shorter than that for long
 * where sliding begins gently. */
static bool slides_slowly(const ss_event_driven *e)
{
    const double slow = 1e4 * e->options.slip;
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->laws[l].phase == SS_PHASE_SLIDING && e->table->laws[l].dim > 1 &&
            ss_event_speed(e, l) < slow)
            return true;
    return false;
}

static ss_status restart(ss_event_driven *e, bool slowly, double t, double stop, double step)
{
    ss_smooth *s = &e->smooth;
    s->integrator = s->implicit && slowly ? s->implicit : s->chosen;
    ss_integrator_start start = {
        .t = t,
        .stop = stop,
        .y = s->y,
        .n_used = s->n_used,
        .used = s->used,
        .step = first_step(e, step),
        .n_roots = e->roots.count,
        .directions = e->roots.directions,
    };
    return ss_integrator_restart(s->integrator, &start);
}

static ss_status can_stay_closed(ss_event_driven *e, double t, const double *y, bool *can)
{
    SS_TRY(ss_event_evaluate(e, t, y, y + e->size.n_q));
    ss_event_reduce(e);
    return ss_event_can_stay_closed(e, can);
}

/* Dependent constraints have no unique force as a root. The instant at which they cannot stay
 * closed is found by bisection of the integrator's last step. */
static ss_status watch_dependent(ss_event_driven *e, double from, double *t, bool *broken)
{
    ss_smooth *s = &e->smooth;
    double low = from, high = *t;
    bool can;
    SS_TRY(can_stay_closed(e, high, s->y, &can));
    *broken = !can;
    if (can)
        return SS_OK;
    while (high - low > 1e-12 * fmax(1, high)) {
        double middle = (low + high) / 2;
        SS_TRY(ss_integrator_interpolate(s->integrator, middle, s->y_between));
        SS_TRY(can_stay_closed(e, middle, s->y_between, &can));
        *(can ? &low : &high) = middle;
    }
    *t = high;
    return ss_integrator_interpolate(s->integrator, high, s->y);
}

/* The roots and the start of y at state A. */
static ss_status begin(ss_event_driven *e, const ss_state *A)
{
    ss_model_size n = e->size;
    double *y = e->smooth.y, *sums = y + n.n_q + n.n_u + n.n_rows;
    memcpy(y, ss_state_q(A), (size_t)n.n_q * sizeof *y);
    memcpy(y + n.n_q, ss_state_u(A), (size_t)n.n_u * sizeof *y);
    memset(y + n.n_q + n.n_u, 0, (size_t)n.n_rows * sizeof *y);
    sums[0] = ss_state_statistics(A)->dissipated;
    sums[1] = ss_state_statistics(A)->load_work;
    SS_TRY(ss_event_evaluate(e, ss_state_time(A), ss_state_q(A), ss_state_u(A)));
    ss_event_reduce(e);
    e->smooth.deficient = e->reduced.deficient;
    if (e->options.method == SS_METHOD_IDA)
        memcpy(y + ss_event_common_numbers(e), e->rows.lambda, (size_t)n.n_rows * sizeof *y);
    ss_event_list_roots(e);
    list_used(e);
    return SS_OK;
}

/* Steps so short that millions of them would follow until `stop` must not go on for ever. */
static ss_status count_short(ss_event_driven *e, double from, double t, double stop, int *count)
{
    enum { MOST_SHORT = 100000 };
    const double much = 1e7; /* steps until the stop */
    *count = t - from < (stop - t) / much ? *count + 1 : 0;
    if (*count < MOST_SHORT)
        return SS_OK;
    return ss_fail(
        e->model->context, SS_NOT_CONVERGED,
        "no progress at t = %.9g s: the last %d steps of the integrator are shorter than %.3g s; "
        "larger tolerances, method: bdf or time-stepping may pass here",
        t, MOST_SHORT, (stop - t) / much);
}

ss_status ss_event_integrate(ss_event_driven *e, const ss_state *A, double stop, double *t,
                             ss_ending *ending)
{
    ss_smooth *s = &e->smooth;
    ss_context *context = ss_model_context(ss_simulation_model(e->simulation));
    bool root = false, broken = false;
    int n_short = 0;
    SS_TRY(begin(e, A));
    SS_TRY(restart(e, slides_slowly(e), *t, stop, ss_state_memory(A)[SS_EVENT_STEP]));
    while (!root && !broken && *t < stop) {
        if (ss_stopped(context))
            return ss_fail_stopped(context);
        double from = *t, most = e->options.step_max > 0 ? e->options.step_max : e->options.output;
        if (e->contacts_vanish) /* features that do not meet yet have no distance: no shape may pass within a step */
            ss_integrator_limit(
                s->integrator,
                fmin(most, ss_work_contact_step(e->work, s->y + e->size.n_q, e->reduced.a)));
        s->status = SS_OK;
        ss_status status = ss_integrator_step(s->integrator, t, s->y, &root);
        if (s->status != SS_OK)
            return s->status;
        /* implicit formulas may end in rounding: explicit ones take over */
        bool lost = status == SS_NOT_CONVERGED && s->integrator == s->implicit;
        if (!lost)
            SS_TRY(status);
        if (!root)
            SS_TRY(count_short(e, from, *t, stop, &n_short));
        if (s->deficient && !lost)
            SS_TRY(watch_dependent(e, from, t, &broken));
        bool done = root || broken || *t >= stop;
        if (lost || (!done && s->integrator == s->implicit && !slides_slowly(e)))
            SS_TRY(restart(e, false, *t, stop, ss_integrator_last_step(s->integrator)));
    }
    *ending = broken ? SS_ENDING_BREAK_AWAY : root ? SS_ENDING_ROOT : SS_ENDING_STOP;
    unpack(e, A, *t);
    SS_TRY(ss_event_evaluate(e, *t, ss_state_q(e->found), ss_state_u(e->found)));
    ss_event_reduce(e);
    return SS_OK;
}

ss_status ss_event_make_integrators(ss_event_driven *e)
{
    int n = ss_event_numbers(e);
    ss_integrator_setup setup = {
        .method = (ss_integrator_method)e->options.method,
        .n = n,
        .n_algebraic = n - ss_event_common_numbers(e),
        .relative = e->options.relative,
        .absolute = e->options.absolute,
        .step_max = e->options.step_max > 0 ? e->options.step_max : e->options.output,
        .rates = rates,
        .roots = root_values,
        .residual = residual,
        .linearize = linearize,
        .column = column,
        .known_column = known_column,
        .user = e,
    };
    SS_TRY(ss_integrator_create(e->model->context, &setup, &e->smooth.chosen));
    if (e->options.method == SS_METHOD_BDF || e->options.method == SS_METHOD_IDA)
        return SS_OK;
    setup.method = SS_METHOD_BDF; /* the errors of its many first steps, of low order, add up */
    setup.relative /= 10;
    setup.absolute /= 10;
    return ss_integrator_create(e->model->context, &setup, &e->smooth.implicit);
}
