/* event.h: the event-driven simulation and its parts (S5.2.1; Wösle & Pfeiffer).
 *
 *   setup.c                 options, checks, memory
 *   advance.c               one accepted step, to the next event or output
 *   phase.h, phase.c        phase of every law, kept in the state
 *   evaluate.h, evaluate.c  forces and rows at one (q, u, t)
 *   reduced.h, reduced.c    forces and accelerations while phases last
 *   roots.h, roots.c        functions whose zeros are events
 *   smooth.h, smooth.c      integration between events
 *   rates.c                 right-hand side, residual and Jacobian for the integrator
 *   integrator.h, …c        SUNDIALS
 *   transition.c            which phases follow an event
 *   impact.c                impacts and their accumulation
 *   hybrid.c                time-stepping where there are too many events
 */
#ifndef SS_SIMULATION_EVENT_EVENT_H
#define SS_SIMULATION_EVENT_EVENT_H

#include "simulation/event/evaluate.h"
#include "simulation/event/phase.h"
#include "simulation/event/reduced.h"
#include "simulation/event/roots.h"
#include "simulation/event/smooth.h"

typedef enum ss_event_impact_law { SS_EVENT_NEWTON, SS_EVENT_POISSON } ss_event_impact_law;

/* Options of the scene, described in setup.c. */
typedef struct ss_event_options {
    double output, relative, absolute, step_max, slip, accumulation;
    int method; /* ss_integrator_method */
    int impact; /* ss_event_impact_law */
    ss_matrix breaks;
    double step, handover; /* hybrid only */
} ss_event_options;

/* The inclusion of a transition, over the closed rows: space for every law or row. */
typedef struct ss_transition {
    ss_block *blocks;
    int *laws; /* of the blocks */
    ss_mode *modes;
    double *x; /* forces, N */
} ss_transition;

/* Statistics of the step that is tried. */
typedef struct ss_event_effort {
    uint64_t iterations, failures;
    ss_solve_report report; /* of the last solve */
} ss_event_effort;

struct ss_event_driven {
    ss_event_options options;
    bool hybrid;
    bool contacts_vanish; /* contacts may end with the faces or edges that meet */

    ss_simulation *simulation;
    ss_work *work;
    const ss_model *model;
    const ss_table *table; /* elements and laws */
    ss_model_size size;    /* of the work */

    ss_event_law *laws; /* n_laws */
    ss_event_rows rows;
    ss_event_point point;
    ss_reduced reduced;
    ss_root_set roots;
    ss_smooth smooth;
    ss_transition transition;
    ss_event_effort effort;

    ss_state *found; /* the state that is accepted next */
    bool hand_over;  /* hybrid: time-stepping follows */
    ss_role *roles;  /* n_laws, of projections */
    bool *inelastic; /* n_laws: no restitution in this impact */
};

/* advance.c */
ss_status ss_event_advance(void *self, ss_simulation *simulation);
/* The time at which the step from t must end: the next output or break, or the end of the run. */
double ss_event_next_stop(const ss_event_driven *e, double t, bool *is_break);

/* Phases that follow at (q, u), where no contact approaches; velocities of laws at rest and gaps of
 * closed contacts are projected to zero. Lists the roots. `breaks_away`: dependent constraints
 * cannot stay closed, the forces a little later decide. */
ss_status ss_event_transition(ss_event_driven *e, bool breaks_away, double t, double *q, double *u);
/* Whether the closed laws can stay closed, after ss_event_reduce. */
ss_status ss_event_can_stay_closed(ss_event_driven *e, bool *can);
/* Removes the drift of closed laws, and of those that begin to slide if `with_onset`. */
ss_status ss_event_project(ss_event_driven *e, double t, bool with_onset, double *q, double *u);

/* Solves impacts at `state` until nothing approaches. *hit: there was one. */
ss_status ss_event_impact(ss_event_driven *e, ss_state *state, bool *hit);
/* An impact without collision, where no forces keep closed contacts from penetrating (Painlevé's
 * paradox): the forces of an instant become an impulse. *hit: velocities jump. */
ss_status ss_event_jam(ss_event_driven *e, ss_state *state, bool *hit);

/* One step of the scheme; decides whether event-driven integration follows (hybrid.c). */
ss_status ss_event_time_step(ss_event_driven *e);

#endif
