/* advance.c: one accepted step of event-driven integration (S5.2.1; Wösle & Pfeiffer).
 *
 * A step ends at the next event or output. Between events the motion is smooth and left to an
 * integrator; events are zeros of the root set; at an event impacts and phases are determined anew.
 * After an impact the contact is closed; a step of length zero follows and determines the phases.
 */
#include "assembly/after/certify.h"
#include "assembly/sources/candidates.h"
#include "simulation/event/event.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The time at which the step from t must end: the next output or break, or the end of the run. */
static double next_stop(const ss_event_driven *e, double t, bool *is_break)
{
    double output = e->options.output, end = ss_simulation_settings(e->simulation)->end;
    double k = floor(t / output * (1 + 4 * DBL_EPSILON)) + 1;
    double same = fmin(1e-9 * output, 1e-12 * fmax(1, t)); /* times that differ by rounding */
    double stop = k * output - t < same ? (k + 1) * output : k * output;
    stop = stop < end - same ? stop : end;
    *is_break = false;
    for (int i = 0; i < e->options.breaks.rows; i++) {
        double time = e->options.breaks.values[i];
        if (time > t + same && time <= stop + same && time <= end) {
            stop = time;
            *is_break = true;
        }
    }
    double change = ss_simulation_next_break(e->simulation);
    *is_break = *is_break || (change <= stop + same && change <= end);
    return change <= stop + same && change <= end ? change : stop;
}

/* ---- Hybrid ----
 *
 * Steps of constant size with the scheme of the scene begin at the impact whose successors would
 * last less than `handover`, or where event-driven integration fails. They end when no law has
 * changed its mode for QUIET_STEPS steps and no closed contact moves: event-driven integration
 * determines the phases anew.
 */

enum { QUIET_STEPS = 20 };

static bool is_closed(const ss_event_driven *e, const ss_state *E, int l)
{
    return ss_state_mode(E)[l] == 0 && ss_law_opens(&e->table->laws[l]);
}

/* Largest change of a law's relative velocity in half a step of constant velocities: a scheme
 * leaves that much in a steady contact with a curved or moving surface. After rows.gamma, of E,
 * and rows.lambda, of half a step before. */
static double lag_of(const ss_event_driven *e, const ss_law *law)
{
    double most = 0;
    for (int i = law->offset; i < law->offset + law->dim; i++)
        most = fmax(most, fabs(e->rows.gamma[i] - e->rows.lambda[i]));
    return most;
}

/* Whether closed contacts of the last step still move. */
static ss_status find_moving(ss_event_driven *e, const ss_state *E, bool *any)
{
    const double near = 20, more = 3; /* with restitution, steady is 1 + 2ε/(1 + ε) times that */
    ss_state *seen = e->found;
    ss_state_copy(seen, E);
    for (int l = 0; l < e->size.n_laws; l++)
        e->roles[l] = is_closed(e, E, l) ? SS_ROLE_SEEN : SS_ROLE_NONE;
    SS_TRY(ss_work_lag(e->work, ss_state_time(E), ss_state_dt(E), e->roles, true, ss_state_q(seen),
                       ss_state_edit_u(seen)));
    SS_TRY(ss_work_measure_all(e->work, seen, e->rows.gap, e->rows.lambda));
    SS_TRY(ss_work_measure_all(e->work, E, e->rows.gap, e->rows.gamma));
    *any = false;
    for (int l = 0; l < e->size.n_laws; l++)
        if (is_closed(e, E, l))
            *any = *any || ss_event_speed(e, l) >
                               near * e->laws[l].slip + more * lag_of(e, &e->table->laws[l]);
    return SS_OK;
}

/* Event-driven integration follows: contacts closed in E stay closed without gap, and what sticks
 * does not move. */
static ss_status leave_time_stepping(ss_event_driven *e, ss_state *E)
{
    double *memory = ss_state_edit_memory(E);
    for (int l = 0; l < e->size.n_laws; l++)
        e->roles[l] = ss_state_mode(E)[l] == 0 ? SS_ROLE_CLOSED : SS_ROLE_NONE;
    SS_TRY(ss_work_project(e->work, ss_state_time(E), e->roles, NULL, ss_state_edit_q(E),
                           ss_state_edit_u(E)));
    memset(memory, 0, ss_event_memory(e, e->work) * sizeof *memory);
    for (int l = 0; l < e->size.n_laws; l++)
        if (is_closed(e, E, l))
            ss_event_edit_law_memory(E, l)[SS_EVENT_PHASE] = SS_PHASE_CLOSED;
    return SS_OK;
}

static bool same_modes(const ss_event_driven *e, const ss_state *A, const ss_state *E)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if ((ss_state_mode(A)[l] == 0) != (ss_state_mode(E)[l] == 0))
            return false;
    return true;
}

static ss_status time_step(ss_event_driven *e)
{
    bool is_break, moving;
    ss_state_copy(e->found, ss_simulation_state(e->simulation));
    double t = ss_state_time(e->found), stop = next_stop(e, t, &is_break);
    bool last = stop - t < 1.5 * e->options.step;
    SS_TRY(ss_simulation_try_step(e->simulation, last ? stop - t : e->options.step));
    ss_state *E = ss_simulation_state(e->simulation);
    double *memory = ss_state_edit_memory(E);
    memcpy(memory, ss_state_memory(e->found), ss_event_memory(e, e->work) * sizeof *memory);
    if (last)
        ss_state_set_time(E, stop);
    memory[SS_EVENT_STEPPING] = 1;
    memory[SS_EVENT_QUIET] = same_modes(e, e->found, E) ? memory[SS_EVENT_QUIET] + 1 : 0;
    if (memory[SS_EVENT_QUIET] < QUIET_STEPS)
        return SS_OK;
    SS_TRY(find_moving(e, E, &moving));
    return moving ? SS_OK : leave_time_stepping(e, E);
}

/* ---- One accepted step ---- */

/* `t`: the time at which prescribed motions are evaluated. */
static ss_status accept(ss_event_driven *e, bool resolved, double t)
{
    const ss_statistics *before = ss_state_statistics(ss_simulation_state(e->simulation));
    ss_statistics *sums = ss_state_edit_statistics(e->found);
    const ss_event_effort *effort = &e->effort;
    const ss_sizes *sizes = &e->work->sizes;
    ss_event_remember(e, resolved, e->found);
    ss_state_edit_memory(e->found)[SS_EVENT_STEPPING] = e->hand_over;
    ss_state_edit_memory(e->found)[SS_EVENT_QUIET] = 0;
    sums->tries = before->tries + 1;
    sums->iterations = before->iterations + effort->iterations;
    sums->indeterminate = before->indeterminate + e->reduced.deficient;
    if (resolved && ss_event_motion_depends(e) && sums->dependent++ == 0)
        ss_log(e->model->context, SS_LOG_WARNING,
               "t = %.9g s: forces of dependent contacts are not unique, and the motion depends on "
               "them",
               ss_state_time(e->found));
    sums->failures = before->failures + effort->failures;
    sums->max_iterations =
        effort->iterations > before->max_iterations ? effort->iterations : before->max_iterations;
    sums->worst_residual = fmax(before->worst_residual, effort->report.residual.value);
    SS_TRY(ss_work_review(e->work, t, ss_state_edit_q(e->found), ss_state_edit_u(e->found)));
    ss_phase_claims claims = {
        isnan(e->options.absolute) ? SS_EVENT_ABSOLUTE : e->options.absolute / sizes->length,
        isnan(e->options.slip) ? SS_EVENT_SLIP : e->options.slip / sizes->speed, e->impact,
        !e->smooth.deficient && !e->reduced.deficient};
    SS_TRY(ss_work_certify_phase(e->work, ss_simulation_state(e->simulation), e->found, &claims));
    ss_work_add_findings(e->work, ss_state_time(e->found), sums);
    ss_simulation_accept(e->simulation, e->found, &effort->report, 0);
    return SS_OK;
}

/* Systems of prescribed motion in e->found follow it, after a jump if there is one. */
static ss_status prescribe(ss_event_driven *e)
{
    return ss_work_prescribe_state(e->work, ss_event_time(e, ss_state_time(e->found)),
                                   ss_state_edit_q(e->found), ss_state_edit_u(e->found));
}

/* Unilateral laws in contact at e->found: those that were, those just reached, and those active by
 * their own level. */
static ss_status find_contacts(ss_event_driven *e)
{
    const ss_state *found = e->found;
    SS_TRY(ss_event_evaluate(e, ss_state_time(found), ss_state_q(found), ss_state_u(found)));
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        ss_law_at at = ss_work_law_at(e->work, law, 0, false);
        ss_level level = SS_LEVEL_INACTIVE;
        if (ss_event_side(e, l) == 0)
            continue;
        SS_TRY(law->ops->level(law->object.self, &at, &level));
        e->laws[l].in_contact = e->laws[l].in_contact || level == SS_LEVEL_ACTIVE;
    }
    return SS_OK;
}

/* Impacts first; without any, phases; where no phases are found, an impact without collision. The
 * state after an impact is reported before its phases. */
static ss_status resolve(ss_event_driven *e, bool breaks_away, bool *hit)
{
    ss_state *state = e->found;
    SS_TRY(find_contacts(e));
    SS_TRY(ss_event_impact(e, state, hit));
    uint64_t failures = e->effort.failures;
    if (*hit)
        return SS_OK;
    SS_TRY(prescribe(e));
    ss_status status = ss_event_transition(e, breaks_away, ss_state_time(state),
                                           ss_state_edit_q(state), ss_state_edit_u(state));
    if (status != SS_NOT_CONVERGED || e->hybrid)
        return status;
    if (ss_event_jam(e, state, hit) != SS_OK || !*hit)
        return status;
    e->effort.failures = failures; /* no forces exist, but an impulse */
    return SS_OK;
}

/* The face or edge of a contact ends: the neighbouring one at zero distance is in contact. */
static void replace_contact(ss_event_driven *e, int ended)
{
    const ss_element *element = &e->table->elements[e->table->laws[ended].element];
    for (int i = 0; i < element->n_laws; i++) {
        int l = element->laws[i];
        if (ss_event_side(e, l) != 0 &&
            fabs(e->rows.distance[e->table->laws[l].offset]) < e->laws[l].drift)
            e->laws[l].in_contact = true;
    }
}

/* Sliding ends, unless γ changed its sign because a formula jumped: then it is reversed. */
static bool comes_to_rest(const ss_event_driven *e, int l)
{
    enum { NEAR = 20 };
    return e->roots.n_switches == 0 || ss_event_speed(e, l) <= NEAR * e->laws[l].slip;
}

/* Marks the laws whose roots were found. */
static void read_roots(ss_event_driven *e)
{
    ss_integrator_fired(e->smooth.integrator, e->roots.fired);
    for (int i = 0; i < e->roots.count; i++) {
        const ss_root *root = &e->roots.roots[i];
        if (e->roots.fired[i] == 0 || root->kind == SS_ROOT_SWITCH)
            continue;
        int l = root->law;
        ss_event_law *law = &e->laws[l];
        if (root->kind == SS_ROOT_FEATURE) {
            replace_contact(e, l);
            continue;
        }
        if (root->kind == SS_ROOT_DISTANCE)
            law->in_contact =
                root->deep || fabs(e->rows.distance[e->table->laws[l].offset]) < law->drift;
        if (root->kind == SS_ROOT_SIGN)
            law->force_sign = -law->force_sign;
        law->leaving = root->kind == SS_ROOT_FORCE;
        law->at_rest = root->kind == SS_ROOT_SLIP && comes_to_rest(e, l);
        law->at_length = root->kind == SS_ROOT_LENGTH;
    }
}

/* Events with next to no progress in time must not follow each other for ever. */
static ss_status count_still(ss_event_driven *e, const ss_state *A)
{
    enum { MOST_STILL = 200 };
    const double nothing = 1e-9; /* of an output interval */
    double t = ss_state_time(A), progress = ss_state_time(e->found) - t;
    bool still = progress <= fmax(4 * DBL_EPSILON * t, nothing * e->options.output);
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

/* Whether something is due where a step has ended, that is not found later, as roots are zeros that are reached from
 * inside: a force at the boundary of its set, which is marked, or sliding against its direction. */
static ss_status find_due(ss_event_driven *e, const ss_state *A, bool *any)
{
    *any = false;
    SS_TRY(ss_event_evaluate(e, ss_state_time(A), ss_state_q(A), ss_state_u(A)));
    ss_event_reduce(e);
    for (int l = 0; l < e->size.n_laws && !e->reduced.deficient; l++) {
        ss_event_law *law = &e->laws[l];
        int row = e->table->laws[l].offset;
        bool line = law->phase == SS_PHASE_SLIDING && e->table->laws[l].dim == 1 && !law->spring &&
                    !law->single_valued && ss_event_is_bounded(e, l);
        double along = e->rows.along[row] * e->rows.gamma[row];
        law->leaving = law->phase == SS_PHASE_CLOSED && ss_event_reserve(e, l) <= 0;
        *any = *any || law->leaving || (line && along < -law->slip);
    }
    return SS_OK;
}

/* A step of length zero: what happens at the current state. */
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

/* Accepts e->found without an event; drift is removed. `anew`: phases are determined next. What
 * jumps at this time has not yet: velocities do not follow a jump before its impact. */
static ss_status accept_stop(ss_event_driven *e, bool anew)
{
    double *memory = ss_state_edit_memory(e->found), t = ss_state_time(e->found);
    if (anew)
        e->point.t_last = nextafter(t, 0);
    SS_TRY(prescribe(e));
    SS_TRY(ss_event_project(e, t, ss_state_edit_q(e->found), ss_state_edit_u(e->found)));
    memory[SS_EVENT_STEP] = ss_integrator_last_step(e->smooth.integrator);
    memory[SS_EVENT_STILL] = 0;
    return accept(e, !anew, nextafter(t, 0));
}

/* Whether the face or edge of a closed contact has ended. */
static bool any_absent(const ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->laws[l].phase == SS_PHASE_CLOSED && ss_work_absent(e->work, l))
            return true;
    return false;
}

/* To the next event or stop. */
static ss_status step(ss_event_driven *e, const ss_state *A)
{
    double t = ss_state_time(A);
    bool is_break, hit = false;
    ss_ending ending;
    double stop = next_stop(e, t, &is_break);
    e->point.t_last = is_break ? nextafter(stop, 0) : INFINITY;
    SS_TRY(ss_event_integrate(e, A, stop, &t, &ending));
    if (ending == SS_ENDING_STOP)
        return accept_stop(e,
                           is_break || any_absent(e) ||
                               ss_event_switched(e, t, ss_state_q(e->found), ss_state_u(e->found)));
    ss_state_edit_memory(e->found)[SS_EVENT_STEP] = 0;
    if (ending == SS_ENDING_ROOT)
        read_roots(e);
    if (e->roots.n_switches > 0) /* what jumps at this time has done so */
        e->point.t_first = nextafter(t, INFINITY);
    SS_TRY(resolve(e, ending == SS_ENDING_BREAK_AWAY, &hit));
    SS_TRY(count_still(e, A));
    return accept(e, !hit, ss_event_time(e, ss_state_time(e->found)));
}

ss_status ss_event_advance(void *self, ss_simulation *simulation)
{
    ss_event_driven *e = self;
    const ss_state *A = ss_simulation_state(simulation);
    e->effort = (ss_event_effort){.report = {.outcome = SS_CONVERGED, .residual.worst_block = -1}};
    e->point.t_first = fmax(nextafter(ss_state_time(A), INFINITY), DBL_MIN);
    e->point.t_last = INFINITY;
    e->hand_over = false;
    memset(e->impact, 0, (size_t)e->size.n_rows * sizeof *e->impact);
    ss_work_clear_findings(e->work);
    if (ss_state_memory(A)[SS_EVENT_STEPPING] != 0)
        return time_step(e);
    ss_event_recall(e, A);
    bool due =
        ss_state_memory(A)[SS_EVENT_RESOLVED] == 0 || ss_simulation_inputs_jumped(simulation);
    if (!due && ss_state_dt(A) > 0)
        SS_TRY(find_due(e, A, &due));
    ss_status status = due ? resolve_now(e, A) : step(e, A);
    return status == SS_NOT_CONVERGED && e->hybrid ? time_step(e) : status;
}
