/* event_driven.c: event-driven integration (S5.2.1; Wösle & Pfeiffer): the motion between events is smooth and left to an
 * integrator; events are zeros of functions that it watches; at an event impacts and phases are found anew.
 *
 * An accepted step ends at the next event or output. An impact is a step's end with the contact closed; a step of length
 * zero follows that says how the motion goes on.
 */
#include "simulation/event/event_driven.h"
#include "assembly/sources/expanded.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- What a state remembers ------------------------------------------------------------------------ */

size_t ss_event_memory(const void *self, const ss_model *model)
{
    ss_model_size size = ss_model_sizes(model);
    (void)self;
    return SS_EVENT_HEAD + SS_EVENT_PER_LAW * (size_t)size.n_laws + 2 * (size_t)size.n_rows;
}

const double *ss_event_law_memory(const ss_state *state, int l)
{
    return ss_state_memory(state) + SS_EVENT_HEAD + SS_EVENT_PER_LAW * l;
}

double *ss_event_edit_law_memory(ss_state *state, int l)
{
    return ss_state_edit_memory(state) + SS_EVENT_HEAD + SS_EVENT_PER_LAW * l;
}

static void recall(ss_event_driven *e, const ss_state *state)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        const double *m = ss_event_law_memory(state, l);
        e->phase[l] = (ss_phase)m[SS_EVENT_PHASE];
        e->from_rest[l] = m[SS_EVENT_FROM_REST] != 0;
        e->touching[l] = e->phase[l] == SS_PHASE_CLOSED;
        e->was_closed[l] = e->passing[l] = e->touching[l];
        e->leaving[l] = e->rest[l] = false;
        e->sign[l] = m[SS_EVENT_SIGN] < 0 ? -1 : 1;
        memcpy(&e->impacts[l], m + SS_EVENT_IMPACT, sizeof *e->impacts);
    }
    const double *rows = ss_event_law_memory(state, e->size.n_laws);
    memcpy(e->along, rows, (size_t)e->size.n_rows * sizeof *e->along);
    memcpy(e->kept, rows + e->size.n_rows, (size_t)e->size.n_rows * sizeof *e->kept);
}

static int mode_of(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    if (e->phase[l] != SS_PHASE_SLIDING)
        return e->phase[l] == SS_PHASE_CLOSED ? 0 : 1;
    return law->dim == 1 && e->along[law->offset] < 0 ? -1 : 1;
}

static void remember(const ss_event_driven *e, bool resolved, ss_state *state)
{
    ss_state_edit_memory(state)[SS_EVENT_RESOLVED] = resolved;
    for (int l = 0; l < e->size.n_laws; l++) {
        double *m = ss_event_edit_law_memory(state, l);
        m[SS_EVENT_PHASE] = e->phase[l];
        m[SS_EVENT_FROM_REST] = e->from_rest[l];
        m[SS_EVENT_SIGN] = e->sign[l];
        memcpy(m + SS_EVENT_IMPACT, &e->impacts[l], sizeof *e->impacts);
        ss_state_edit_mode(state)[l] = mode_of(e, l);
    }
    double *rows = ss_event_edit_law_memory(state, e->size.n_laws);
    memcpy(rows, e->along, (size_t)e->size.n_rows * sizeof *e->along);
    memcpy(rows + e->size.n_rows, e->kept, (size_t)e->size.n_rows * sizeof *e->kept);
}

/* ---- One accepted step ---------------------------------------------------------------------------------- */

/* `t`: the time at which prescribed motions are looked at. */
static ss_status accept(ss_event_driven *e, bool resolved, double t)
{
    const ss_state *A = ss_simulation_state(e->simulation);
    const ss_statistics *before = ss_state_statistics(A);
    ss_statistics *sums = ss_state_edit_statistics(e->found);
    remember(e, resolved, e->found);
    ss_state_edit_memory(e->found)[SS_EVENT_STEPPING] = e->hand_over;
    ss_state_edit_memory(e->found)[SS_EVENT_QUIET] = 0;
    sums->tries = before->tries + 1;
    sums->iterations = before->iterations + e->iterations;
    sums->indeterminate = before->indeterminate + e->deficient;
    sums->failures = before->failures + e->failures;
    sums->max_iterations =
        e->iterations > before->max_iterations ? e->iterations : before->max_iterations;
    sums->worst_residual = fmax(before->worst_residual, e->report.residual.value);
    SS_TRY(ss_work_review(e->work, t, ss_state_edit_q(e->found), ss_state_edit_u(e->found)));
    ss_simulation_accept(e->simulation, e->found, &e->report, 0);
    return SS_OK;
}

/* Bodies of prescribed motion are at the place of e->found where they must be, after a jump if there is one. */
static ss_status put_prescribed(ss_event_driven *e)
{
    return ss_work_prescribe_state(e->work, ss_event_time(e, ss_state_time(e->found)),
                                   ss_state_edit_q(e->found), ss_state_edit_u(e->found));
}

/* Closed one-sided laws at the place of e->found: those that were, those that have just been reached, and whatever
 * counts as closed by its own word. */
static ss_status find_touching(ss_event_driven *e)
{
    SS_TRY(
        ss_event_evaluate(e, ss_state_time(e->found), ss_state_q(e->found), ss_state_u(e->found)));
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->model->laws[l];
        ss_law_at at = ss_work_law_at(e->work, law, 0, false);
        ss_level level = SS_LEVEL_INACTIVE;
        if (ss_event_side(e, l) == 0)
            continue;
        SS_TRY(law->ops->level(law->object.self, &at, &level));
        e->touching[l] = e->touching[l] || level == SS_LEVEL_ACTIVE;
    }
    return SS_OK;
}

/* Impacts first; when there are none, phases; when there are none of these, an impact all the same. A state after an impact
 * is reported before its phases are. */
static ss_status resolve(ss_event_driven *e, bool broken, bool *hit)
{
    ss_state *state = e->found;
    SS_TRY(find_touching(e));
    SS_TRY(ss_event_impact(e, e->found, e->impacts, hit));
    if (*hit)
        return SS_OK;
    SS_TRY(put_prescribed(e));
    ss_status status = (broken ? ss_event_break_away : ss_event_transition)(
        e, ss_state_time(state), ss_state_edit_q(state), ss_state_edit_u(state));
    if (status != SS_NOT_CONVERGED || e->hybrid)
        return status;
    ss_status jam = ss_event_jam(e, state, e->impacts, hit);
    return jam == SS_OK && !*hit ? status : jam;
}

/* What a contact stood on has come to its end: where another face or an edge takes its place, that is closed. */
static void hand_on(ss_event_driven *e, int gone)
{
    const ss_element *element = &e->model->elements[e->model->laws[gone].element];
    for (int i = 0; i < element->n_laws; i++) {
        int l = element->laws[i];
        if (ss_event_side(e, l) != 0 && fabs(e->distance[e->model->laws[l].offset]) < 1e-9)
            e->touching[l] = true;
    }
}

/* Sliding ends, unless γ has changed its sign because a formula jumped: then it goes on the other way. */
static bool comes_to_rest(const ss_event_driven *e, int l)
{
    enum { NEAR = 20 };
    return e->n_switches == 0 || ss_event_speed(e, l) <= NEAR * e->slip;
}

/* The laws whose roots were found. */
static void read_roots(ss_event_driven *e)
{
    ss_integrator_fired(e->integrator, e->fired);
    for (int i = 0; i < e->n_roots; i++) {
        const ss_root *root = &e->roots[i];
        if (e->fired[i] == 0 || root->kind == SS_ROOT_SWITCH)
            continue;
        int l = root->law;
        if (root->kind == SS_ROOT_GONE) {
            hand_on(e, l);
            continue;
        }
        if (root->kind == SS_ROOT_DISTANCE)
            e->touching[l] = root->deep || fabs(e->distance[e->model->laws[l].offset]) < 1e-9;
        if (root->kind == SS_ROOT_SIGN)
            e->sign[l] = -e->sign[l];
        e->leaving[l] = root->kind == SS_ROOT_FORCE;
        e->rest[l] = root->kind == SS_ROOT_SLIP && comes_to_rest(e, l);
        e->passing[l] = root->kind == SS_ROOT_LENGTH;
    }
}

double ss_event_next_stop(const ss_event_driven *e, double t, bool *is_break)
{
    double k = floor(t / e->output * (1 + 4 * DBL_EPSILON)) + 1,
           end = ss_simulation_settings(e->simulation)->end;
    double same = fmin(1e-9 * e->output, 1e-12 * fmax(1, t)); /* times that differ by rounding */
    double stop = k * e->output - t < same ? (k + 1) * e->output : k * e->output;
    stop = stop < end - same ? stop : end;
    *is_break = false;
    for (int i = 0; i < e->breaks.rows; i++) {
        double time = e->breaks.values[i];
        if (time > t + same && time <= stop + same && time <= end) {
            stop = time;
            *is_break = true;
        }
    }
    return stop;
}

static void pack(ss_event_driven *e, const ss_state *A)
{
    ss_model_size n = e->size;
    double *sums = e->y + n.n_q + n.n_u + n.n_rows;
    memcpy(e->y, ss_state_q(A), (size_t)n.n_q * sizeof *e->y);
    memcpy(e->y + n.n_q, ss_state_u(A), (size_t)n.n_u * sizeof *e->y);
    memset(e->y + n.n_q + n.n_u, 0, (size_t)n.n_rows * sizeof *e->y);
    sums[0] = ss_state_statistics(A)->dissipated;
    sums[1] = ss_state_statistics(A)->load_work;
}

static void unpack(ss_event_driven *e, const ss_state *A, double t)
{
    ss_model_size n = e->size;
    const double *sums = e->y + n.n_q + n.n_u + n.n_rows;
    ss_state_copy(e->found, A);
    memcpy(ss_state_edit_q(e->found), e->y, (size_t)n.n_q * sizeof *e->y);
    memcpy(ss_state_edit_u(e->found), e->y + n.n_q, (size_t)n.n_u * sizeof *e->y);
    memcpy(ss_state_edit_P(e->found), e->y + n.n_q + n.n_u, (size_t)n.n_rows * sizeof *e->y);
    ss_state_edit_statistics(e->found)->dissipated = sums[0];
    ss_state_edit_statistics(e->found)->load_work = sums[1];
    ss_state_set_time(e->found, t);
    ss_state_set_dt(e->found, t - ss_state_time(A));
}

static ss_status can_hold(ss_event_driven *e, double t, const double *y, bool *can)
{
    SS_TRY(ss_event_evaluate(e, t, y, y + e->size.n_q));
    ss_event_reduce(e);
    return ss_event_can_hold(e, can);
}

/* Dependent constraints have no force of their own to watch. Where they cannot hold any longer is found by halving the
 * integrator's last step. */
static ss_status watch_dependent(ss_event_driven *e, double from, double *t, bool *broken)
{
    double low = from, high = *t;
    bool can;
    SS_TRY(can_hold(e, high, e->y, &can));
    *broken = !can;
    if (can)
        return SS_OK;
    while (high - low > 1e-12 * fmax(1, high)) {
        double middle = (low + high) / 2;
        SS_TRY(ss_integrator_look(e->integrator, middle, e->y_before));
        SS_TRY(can_hold(e, middle, e->y_before, &can));
        *(can ? &low : &high) = middle;
    }
    *t = high;
    return ss_integrator_look(e->integrator, high, e->y);
}

/* A contact that comes and goes has no distance before it comes: no shape may fly past it unseen. After an evaluation where
 * the step begins. */
static void limit_step(const ss_event_driven *e, const double *u)
{
    double most = e->step_max > 0 ? e->step_max : e->output;
    ss_integrator_limit(e->integrator, fmin(most, ss_work_contact_step(e->work, u, e->a)));
}

typedef enum ending { AT_STOP, AT_ROOT, AT_BREAKAWAY } ending;

/* The force of a law that slides in a plane turns with γ/|γ|, the faster the slower it slides: by μN/m over |γ|. Explicit
 * formulas would need steps shorter than that, and that for long where sliding begins gently. */
static bool slides_slowly(const ss_event_driven *e)
{
    const double slow = 1e4 * e->slip;
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->phase[l] == SS_PHASE_SLIDING && e->model->laws[l].dim > 1 &&
            ss_event_speed(e, l) < slow)
            return true;
    return false;
}

static void use(ss_event_driven *e, int from, int count)
{
    for (int i = 0; i < count; i++)
        e->used[e->n_used++] = from + i;
}

/* What is integrated: impulses of open laws, and forces of those that are not held, are no unknowns. */
static void list_used(ss_event_driven *e)
{
    const ss_law *laws = e->model->laws;
    int n_rows = e->size.n_rows, n_s = e->size.n_q + e->size.n_u;
    e->n_used = 0;
    use(e, 0, n_s);
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->phase[l] != SS_PHASE_OPEN)
            use(e, n_s + laws[l].offset, laws[l].dim);
    use(e, n_s + n_rows, 2);
    for (int l = 0; l < e->size.n_laws && e->method == SS_METHOD_IDA; l++)
        if (e->phase[l] == SS_PHASE_CLOSED)
            use(e, ss_event_common_numbers(e) + laws[l].offset, laws[l].dim);
}

static ss_status restart(ss_event_driven *e, bool slowly, double t, double stop, double step)
{
    e->integrator = e->implicit && slowly ? e->implicit : e->chosen;
    ss_integrator_start start = {
        .t = t,
        .stop = stop,
        .y = e->y,
        .n_used = e->n_used,
        .used = e->used,
        .step = ss_event_first_step(e, step),
        .n_roots = e->n_roots,
        .directions = e->directions,
    };
    return ss_integrator_restart(e->integrator, &start);
}

/* Steps of the integrator to the next event or stop; y and t are there. */
static ss_status integrate(ss_event_driven *e, const ss_state *A, double stop, double *t,
                           ending *end)
{
    bool root = false, broken = false;
    list_used(e);
    SS_TRY(restart(e, slides_slowly(e), *t, stop, ss_state_memory(A)[SS_EVENT_STEP]));
    while (!root && !broken && *t < stop) {
        double from = *t;
        if (e->contacts_go)
            limit_step(e, e->y + e->size.n_q);
        e->status = SS_OK;
        ss_status status = ss_integrator_step(e->integrator, t, e->y, &root);
        if (e->status != SS_OK)
            return e->status;
        bool lost = status == SS_NOT_CONVERGED && e->integrator == e->implicit; /* in rounding */
        if (!lost)
            SS_TRY(status);
        if (e->deficient_phase && !lost)
            SS_TRY(watch_dependent(e, from, t, &broken));
        bool done = root || broken || *t >= stop;
        if (lost || (!done && e->integrator == e->implicit && !slides_slowly(e)))
            SS_TRY(restart(e, false, *t, stop, ss_integrator_last_step(e->integrator)));
    }
    *end = broken ? AT_BREAKAWAY : root ? AT_ROOT : AT_STOP;
    return SS_OK;
}

/* After an event that changed nothing in no time, the next must not do so for ever. */
static ss_status count_still(ss_event_driven *e, const ss_state *A)
{
    enum { MOST_STILL = 200 };
    bool still = ss_state_time(e->found) - ss_state_time(A) <= 1e-14 * fmax(1, ss_state_time(A));
    double *count = &ss_state_edit_memory(e->found)[SS_EVENT_STILL];
    *count = still ? *count + 1 : 0;
    if (*count <= MOST_STILL)
        return SS_OK;
    if (e->hybrid) {
        *count = 0;
        e->hand_over = true;
        return SS_OK;
    }
    return ss_fail(
        e->model->context, SS_NOT_CONVERGED,
        "more than %d events at t = %.9g s: the phases do not settle; time-stepping may pass here",
        MOST_STILL, ss_state_time(A));
}

/* Reports what happens at the current state, without time going on. */
static ss_status resolve_now(ss_event_driven *e, const ss_state *A)
{
    bool hit;
    ss_state_copy(e->found, A);
    ss_state_set_dt(e->found, 0);
    memset(ss_state_edit_P(e->found), 0, (size_t)e->size.n_rows * sizeof(double));
    SS_TRY(resolve(e, false, &hit));
    SS_TRY(count_still(e, A));
    return accept(e, !hit, ss_state_time(e->found));
}

/* The current state is where the integrator begins. */
static ss_status begin(ss_event_driven *e, const ss_state *A, double stop, bool is_break)
{
    e->t_last = is_break ? nextafter(stop, 0) : INFINITY;
    pack(e, A);
    SS_TRY(ss_event_evaluate(e, ss_state_time(A), ss_state_q(A), ss_state_u(A)));
    ss_event_reduce(e);
    e->deficient_phase = e->deficient;
    ss_event_put_forces(e, e->y);
    ss_event_list_roots(e);
    return SS_OK;
}

/* Nothing happened until here: only drift is taken out. `anew`: phases are found anew. */
static ss_status stop_here(ss_event_driven *e, bool anew)
{
    double *memory = ss_state_edit_memory(e->found);
    for (int l = 0; l < e->size.n_laws; l++)
        e->hold[l] = e->phase[l] == SS_PHASE_CLOSED;
    if (anew) /* velocities do not follow a jump before its impact */
        e->t_last = nextafter(ss_state_time(e->found), 0);
    SS_TRY(put_prescribed(e));
    SS_TRY(ss_event_project(e, ss_state_time(e->found), e->hold, ss_state_edit_q(e->found),
                            ss_state_edit_u(e->found)));
    memory[SS_EVENT_STEP] = ss_integrator_last_step(e->integrator);
    memory[SS_EVENT_STILL] = 0;
    return accept(e, !anew,
                  nextafter(ss_state_time(e->found), 0)); /* what jumps here has not yet */
}

/* Whether what a held contact stood on has come to its end. */
static bool any_gone(const ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->phase[l] == SS_PHASE_CLOSED && ss_work_absent(e->work, l))
            return true;
    return false;
}

static ss_status go_on(ss_event_driven *e, const ss_state *A)
{
    double t = ss_state_time(A);
    bool is_break, hit = false;
    ending end;
    double stop = ss_event_next_stop(e, t, &is_break);
    SS_TRY(begin(e, A, stop, is_break));
    SS_TRY(integrate(e, A, stop, &t, &end));
    unpack(e, A, t);
    SS_TRY(ss_event_evaluate(e, t, ss_state_q(e->found), ss_state_u(e->found)));
    ss_event_reduce(e);
    if (end == AT_STOP) {
        bool anew = is_break || any_gone(e) ||
                    ss_event_switched(e, t, ss_state_q(e->found), ss_state_u(e->found));
        return stop_here(e, anew);
    }
    ss_state_edit_memory(e->found)[SS_EVENT_STEP] = 0;
    if (end == AT_ROOT)
        read_roots(e);
    if (e->n_switches > 0) /* what jumps here has done so */
        e->t_first = nextafter(t, INFINITY);
    SS_TRY(resolve(e, end == AT_BREAKAWAY, &hit));
    SS_TRY(count_still(e, A));
    return accept(e, !hit, ss_event_time(e, ss_state_time(e->found)));
}

ss_status ss_event_advance(void *self, ss_simulation *simulation)
{
    ss_event_driven *e = self;
    const ss_state *A = ss_simulation_state(simulation);
    e->iterations = e->failures = 0;
    e->report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    e->t_first = fmax(nextafter(ss_state_time(A), INFINITY), DBL_MIN);
    e->t_last = INFINITY;
    e->hand_over = false;
    if (ss_state_memory(A)[SS_EVENT_STEPPING] != 0)
        return ss_event_time_step(e);
    recall(e, A);
    ss_status status = ss_state_memory(A)[SS_EVENT_RESOLVED] == 0 ? resolve_now(e, A) : go_on(e, A);
    return status == SS_NOT_CONVERGED && e->hybrid ? ss_event_time_step(e) : status;
}
