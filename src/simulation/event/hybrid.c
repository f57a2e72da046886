/* hybrid.c: time-stepping where there are too many events.
 *
 * Steps of constant size with the scheme of the scene begin at the impact whose successors would
 * last less than `handover`, or where event-driven integration fails. They end when no law has
 * changed its mode for QUIET_STEPS steps and no closed contact moves: event-driven integration
 * determines the phases anew.
 */
#include "simulation/event/event.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { QUIET_STEPS = 20 };

static bool is_closed(const ss_event_driven *e, const ss_state *E, int l)
{
    return ss_state_mode(E)[l] == 0 && e->table->laws[l].ops->level;
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
                               near * e->options.slip + more * lag_of(e, &e->table->laws[l]);
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

ss_status ss_event_time_step(ss_event_driven *e)
{
    bool is_break, moving;
    ss_state_copy(e->found, ss_simulation_state(e->simulation));
    double t = ss_state_time(e->found), stop = ss_event_next_stop(e, t, &is_break);
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
