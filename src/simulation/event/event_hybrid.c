/* event_hybrid.c: time-stepping where events are too many.
 *
 * Steps of constant size with the scheme of the scene, from the impact on whose successors would last less than `handover`, or
 * from where event-driven integration found no way on. They end when no law has changed its mode for QUIET_STEPS steps and no
 * closed contact moves any more: then phases are found anew, and event-driven integration goes on.
 */
#include "simulation/event/event_driven.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { QUIET_STEPS = 20 };

static bool is_closed(const ss_event_driven *e, const ss_state *E, int l)
{
    return ss_state_mode(E)[l] == 0 && e->model->laws[l].ops->level;
}

/* By how much the velocities of a law's rows change in half a step of constant velocities: over a curved or a moving surface a
 * scheme leaves a contact that is steady with as much as that. After e->gamma, of E, has been measured. */
static double lag_of(const ss_event_driven *e, const ss_law *law)
{
    double most = 0;
    for (int i = law->offset; i < law->offset + law->dim; i++)
        most = fmax(most, fabs(e->gamma[i] - e->lambda[i]));
    return most;
}

/* Closed contacts of the last step that still move. */
static ss_status moves(ss_event_driven *e, const ss_state *E, bool *any)
{
    const double near = 20, more = 3; /* with restitution, steady is 1 + 2ε/(1 + ε) times that */
    ss_state *seen = e->found;
    ss_state_copy(seen, E);
    for (int l = 0; l < e->size.n_laws; l++)
        e->roles[l] = is_closed(e, E, l) ? SS_ROLE_SEEN : SS_ROLE_NONE;
    SS_TRY(ss_work_lag(e->work, ss_state_time(E), ss_state_dt(E), e->roles, true, ss_state_q(seen),
                       ss_state_edit_u(seen)));
    SS_TRY(ss_work_measure(e->work, seen, e->gap, e->lambda));
    SS_TRY(ss_work_measure(e->work, E, e->gap, e->gamma));
    *any = false;
    for (int l = 0; l < e->size.n_laws; l++)
        if (is_closed(e, E, l))
            *any = *any ||
                   ss_event_speed(e, l) > near * e->slip + more * lag_of(e, &e->model->laws[l]);
    return SS_OK;
}

/* Contacts that are closed now are held without gap from here on, and what holds does not move. */
static ss_status go_back(ss_event_driven *e, ss_state *E)
{
    double *memory = ss_state_edit_memory(E);
    for (int l = 0; l < e->size.n_laws; l++)
        e->roles[l] = ss_state_mode(E)[l] == 0 ? SS_ROLE_CLOSED : SS_ROLE_NONE;
    SS_TRY(ss_work_project(e->work, ss_state_time(E), e->roles, NULL, ss_state_edit_q(E),
                           ss_state_edit_u(E)));
    memset(memory, 0, ss_event_memory(e, e->model) * sizeof *memory);
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
    bool is_break, any;
    ss_state_copy(e->found, ss_simulation_state(e->simulation));
    double t = ss_state_time(e->found), stop = ss_event_next_stop(e, t, &is_break);
    bool last = stop - t < 1.5 * e->step;
    SS_TRY(ss_simulation_try_step(e->simulation, last ? stop - t : e->step));
    ss_state *E = ss_simulation_state(e->simulation);
    double *memory = ss_state_edit_memory(E);
    memcpy(memory, ss_state_memory(e->found), ss_event_memory(e, e->model) * sizeof *memory);
    if (last)
        ss_state_set_time(E, stop);
    memory[SS_EVENT_STEPPING] = 1;
    memory[SS_EVENT_QUIET] = same_modes(e, e->found, E) ? memory[SS_EVENT_QUIET] + 1 : 0;
    if (memory[SS_EVENT_QUIET] < QUIET_STEPS)
        return SS_OK;
    SS_TRY(moves(e, E, &any));
    return any ? SS_OK : go_back(e, E);
}
