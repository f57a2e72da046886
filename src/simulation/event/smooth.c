/* smooth.c: integration of the smooth motion from one event to the next. */
#include "assembly/sources/candidates.h"
#include "simulation/event/event.h"

#include <math.h>
#include <string.h>

int ss_event_common_numbers(const ss_event_driven *e)
{
    return e->size.n_q + e->size.n_u + e->size.n_rows + 2;
}

int ss_event_numbers(const ss_event_driven *e)
{
    bool forces = e->options.method == SS_METHOD_IDA;
    return ss_event_common_numbers(e) + (forces ? e->size.n_rows : 0);
}

static void pack(ss_event_driven *e, const ss_state *A)
{
    ss_model_size n = e->size;
    double *y = e->smooth.y, *sums = y + n.n_q + n.n_u + n.n_rows;
    memcpy(y, ss_state_q(A), (size_t)n.n_q * sizeof *y);
    memcpy(y + n.n_q, ss_state_u(A), (size_t)n.n_u * sizeof *y);
    memset(y + n.n_q + n.n_u, 0, (size_t)n.n_rows * sizeof *y);
    sums[0] = ss_state_statistics(A)->dissipated;
    sums[1] = ss_state_statistics(A)->load_work;
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
        .step = ss_event_first_step(e, step),
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

/* A contact of features that do not meet yet has no distance: no shape may pass it within a step.
 * After an evaluation at the start of the step. */
static void limit_step(const ss_event_driven *e)
{
    double most = e->options.step_max > 0 ? e->options.step_max : e->options.output;
    double contact = ss_work_contact_step(e->work, e->smooth.y + e->size.n_q, e->reduced.a);
    ss_integrator_limit(e->smooth.integrator, fmin(most, contact));
}

/* The roots and the start of y at state A. */
static ss_status begin(ss_event_driven *e, const ss_state *A)
{
    pack(e, A);
    SS_TRY(ss_event_evaluate(e, ss_state_time(A), ss_state_q(A), ss_state_u(A)));
    ss_event_reduce(e);
    e->smooth.deficient = e->reduced.deficient;
    if (e->options.method == SS_METHOD_IDA)
        memcpy(e->smooth.y + ss_event_common_numbers(e), e->rows.lambda,
               (size_t)e->size.n_rows * sizeof *e->smooth.y);
    ss_event_list_roots(e);
    list_used(e);
    return SS_OK;
}

ss_status ss_event_integrate(ss_event_driven *e, const ss_state *A, double stop, double *t,
                             ss_ending *ending)
{
    ss_smooth *s = &e->smooth;
    bool root = false, broken = false;
    SS_TRY(begin(e, A));
    SS_TRY(restart(e, slides_slowly(e), *t, stop, ss_state_memory(A)[SS_EVENT_STEP]));
    while (!root && !broken && *t < stop) {
        double from = *t;
        if (e->contacts_vanish)
            limit_step(e);
        s->status = SS_OK;
        ss_status status = ss_integrator_step(s->integrator, t, s->y, &root);
        if (s->status != SS_OK)
            return s->status;
        /* implicit formulas may end in rounding: explicit ones take over */
        bool lost = status == SS_NOT_CONVERGED && s->integrator == s->implicit;
        if (!lost)
            SS_TRY(status);
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
