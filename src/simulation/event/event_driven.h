/* event_driven.h: the parts of event-driven integration (S5.2.1; Wösle & Pfeiffer).
 *
 *   event_setup.c        options, checks, memory
 *   event_driven.c       the way from one event or output to the next
 *   event_phase.c        accelerations and forces while every law keeps its phase
 *   event_held.c         the equations for the forces of what is held
 *   event_roots.c        functions whose zeros are events; right-hand side for the integrator
 *   event_jacobian.c     derivatives of that, for implicit formulas
 *   event_integrator.c   SUNDIALS
 *   event_transition.c   the inclusion on acceleration level: which phases come next
 *   event_impact.c       impacts, and their accumulation
 *   event_hybrid.c       time-stepping where events are too many
 */
#ifndef SS_SIMULATION_EVENT_EVENT_DRIVEN_H
#define SS_SIMULATION_EVENT_EVENT_DRIVEN_H

#include "assembly/work.h"
#include "simulation/event/event_integrator.h"

#include <stickslip/simulation.h>

/* What a law does between two events. */
typedef enum ss_phase {
    SS_PHASE_OPEN,    /* no force */
    SS_PHASE_CLOSED,  /* γ = 0: closed, sticking, a constraint */
    SS_PHASE_SLIDING, /* γ ≠ 0, with the force at the boundary of its set */
} ss_phase;

typedef enum ss_root_kind {
    SS_ROOT_DISTANCE, /* an open contact closes */
    SS_ROOT_FORCE,    /* a force comes to the boundary of its set */
    SS_ROOT_SLIP,     /* sliding ends */
    SS_ROOT_LENGTH,   /* a pre-stressed spring comes to its length */
    SS_ROOT_SIGN,     /* the normal force of a constraint with friction changes its sign */
    SS_ROOT_GONE,     /* what a closed contact stands on comes to its end */
    SS_ROOT_SWITCH,   /* a formula jumps or has a kink */
} ss_root_kind;

typedef struct ss_root {
    ss_root_kind kind;
    int law; /* or number of a switch */
    double sign,
        offset; /* of distances and switches: sign · d + offset is positive within the phase */
    bool near;  /* open, but at its zero: closes where it is at or below zero and approaches */
    bool deep;  /* open, but below its zero: closes as soon as it turns back */
} ss_root;

/* What one law remembers of its impacts. */
typedef struct ss_impact_memory {
    double count, last, interval; /* times in s */
} ss_impact_memory;

typedef enum ss_event_impact_law { SS_EVENT_NEWTON, SS_EVENT_POISSON } ss_event_impact_law;

typedef struct ss_event_driven {
    /* options */
    double output, relative, absolute, step_max, slip, accumulation;
    int method;
    int impact; /* ss_event_impact_law */
    ss_matrix breaks;
    double step, handover; /* hybrid only */

    bool hybrid;
    bool contacts_go; /* some contacts come and go with the faces that meet */

    /* made by prepare */
    ss_simulation *simulation;
    ss_work *work;
    const ss_model *model;
    ss_model_size size;
    ss_integrator *chosen; /* by the option `method` */
    ss_integrator
        *implicit; /* where sliding is slow (event_driven.c); NULL: it is the chosen one */
    ss_integrator *integrator; /* the one of the two that goes on */
    ss_state *found;
    double *y, *y_before, *y_moved; /* q, u, impulses, dissipated and load work */
    int n_used;                     /* numbers of y that change while phases last, */
    int *used;                      /* and which */
    double move_q, move_u;          /* differences of y for derivatives are no larger */

    /* of every law */
    ss_phase *phase;
    bool *touching;   /* one-sided laws: closed, whatever γ is */
    bool *leaving;    /* its force came to the boundary at this event */
    bool *from_rest;  /* slides from γ = 0 on, along `along` */
    bool *rest;       /* γ counts as zero at this event */
    bool *passing;    /* springs: at their length at this event */
    bool *was_closed; /* before this event */
    bool *stored;     /* springs: what the force does is in its potential */
    bool *
        plain; /* geometric laws that hold nowhere: their force is always there, and ends no phase */
    double *sign; /* constraints that carry friction: sign of their force */
    bool *hold;   /* scratch of projections, and of impacts: no restitution */
    ss_role *roles;
    ss_impact_memory *impacts;
    ss_law_set *set;  /* of forces: dt = 1 */
    double *unit;     /* friction of joints: scale of its set for a unit of the joint's force, */
    double *pressure; /* and that force, N */

    /* of every row of all laws */
    double *along;  /* direction of sliding where γ = 0 */
    double *lambda; /* set-valued forces, N */
    double *added;  /* single-valued ones beside them, N */
    double *gamma, *zeta_hat, *gap, *distance;
    double *kept;      /* distance that a held law keeps: what it had when it was found closed */
    double *boundary;  /* of sliding laws: the point of the unit set that resists */
    double *W, *MinvW; /* n_u a row */
    double *
        H; /* n_u a row: M⁻¹ of what a unit of λ brings with it, friction of sliding contacts included */

    /* reduced equations */
    double *q, *u;          /* of the last evaluation: n_q, n_u */
    bool rates_known;       /* that evaluation was for the rates, */
    double rates_t;         /* at this time */
    double *h, *a_free, *a; /* n_u */
    double *driven;         /* n_u: accelerations of prescribed motions, else zero */
    double *zeros;          /* n_q */
    int n_closed;
    int *held, *closed_law; /* rows, and the laws they are of */
    int *group;             /* of held rows: those of different groups do not act on each other */
    int *joined;            /* by systems */
    int n_groups;
    int *group_rows;    /* held rows that move something, group behind group, */
    int *group_start;   /* where a group begins among them, */
    bool *definite;     /* whether its matrix has been factored, */
    double *group_x;    /* and its scaled forces */
    bool stale;         /* W or M are others than those of G and H, */
    ss_phase *coupled;  /* and the phases that these are of */
    bool met, factored; /* groups as G has them: solved once, factored */
    double *G;          /* n_closed × n_closed by rows */
    double *c;          /* n_closed */
    ss_block *blocks;
    int *block_laws;
    ss_mode *block_modes;
    double *block_x;
    bool deficient;       /* constraints depend on each other: forces are not unique */
    bool deficient_phase; /* so at the beginning of the phase */
    double *solve_matrix, *solve_work;
    double *solve_scale; /* of held rows, 0: it moves nothing */
    double *solution;    /* of held rows */
    int *pivots;
    int solve_capacity;

    /* roots */
    int n_roots;
    ss_root *roots;
    int *fired, *directions;
    int n_switches;
    double *switches; /* their values at the last place */

    bool hand_over;         /* at this event: time-stepping goes on */
    double t_first, t_last; /* no other times are looked at: loads may jump there */
    ss_status status;       /* of the last evaluation within the integrator */
    ss_solve_report report;
    uint64_t iterations, failures;
} ss_event_driven;

/* What a state remembers: the numbers of the run, PER_LAW numbers of every law, `along` and `kept` of every row. */
enum {
    SS_EVENT_RESOLVED, /* impacts and phases are found */
    SS_EVENT_STEP,     /* size of the integrator's last step, s */
    SS_EVENT_STILL,    /* events in no time */
    SS_EVENT_STEPPING, /* hybrid: 1 while time-stepping goes on */
    SS_EVENT_QUIET,    /* hybrid: steps without a switch */
    SS_EVENT_HEAD,
    SS_EVENT_PHASE = 0,
    SS_EVENT_FROM_REST,
    SS_EVENT_IMPACT,
    SS_EVENT_SIGN = 5,
    SS_EVENT_PER_LAW,
};

/* Functions of the simulation type. */
size_t ss_event_memory(const void *self, const ss_model *model);
ss_status ss_event_advance(void *self, ss_simulation *simulation);
const double *ss_event_law_memory(const ss_state *state, int law);
double *ss_event_edit_law_memory(ss_state *state, int law);
/* The time up to which the run may go from t: the next output, break, or the end. */
double ss_event_next_stop(const ss_event_driven *e, double t, bool *is_break);

/* One step of the scheme; says in the state's memory when event-driven integration goes on. */
ss_status ss_event_time_step(ss_event_driven *e);

/* Length of y, and of what all methods have in it. */
int ss_event_numbers(const ss_event_driven *e);
int ss_event_common_numbers(const ss_event_driven *e);

/* The time at which formulas are looked at: what jumps at the beginning or the end of a step does so outside of it. */
double ss_event_time(const ss_event_driven *e, double t);
/* Geometry, h, W, γ, ζ̂ and sets at a place, and what moves without any law; a_free, G and c for the phases that are set.
 * Bodies of prescribed motion are where they must be, whatever q and u say. */
ss_status ss_event_evaluate(ss_event_driven *e, double t, const double *q, const double *u);
void ss_event_assemble(ss_event_driven *e);
/* u' without any set-valued force. */
void ss_event_free_accelerations(const ss_event_driven *e, double *a);
/* Whether G and H are not those of the place and of the phases that are set; from now on they count as if they were. */
bool ss_event_uncouple(ss_event_driven *e);
/* G of the held rows, from W and H; and c. */
void ss_event_couple(ss_event_driven *e);
void ss_event_find_c(ss_event_driven *e);
/* Whether the force of a row does anything: not that of a formula that is zero for now. */
bool ss_event_moves(const ss_event_driven *e, int row);
/* G λ = -c in the sense of least squares and least norm; returns the rank. A row that moves nothing has no
 * force, and counts as one. */
int ss_event_solve(ss_event_driven *e, double *lambda);
/* λ and accelerations with the phases that are set; says whether the constraints are dependent. */
void ss_event_reduce(ss_event_driven *e);
/* Gives friction of joints the scale that their forces say; how much these have changed, in parts of the largest. */
double ss_event_press(ss_event_driven *e);
double ss_event_speed(const ss_event_driven *e, int law);
/* Speed along its first direction that a law is given beside γ while it begins to slide, m/s: γ has no direction there. */
double ss_event_onset(const ss_event_driven *e, int law);
/* How far the force of a held law is from the boundary of its set; INFINITY: it has none. */
double ss_event_reserve(const ss_event_driven *e, int law);
/* 1: the law pushes when closed, -1: it pulls; 0: it is not one-sided. */
int ss_event_side(const ss_event_driven *e, int law);
/* A pre-stressed spring: held at its length g = 0 up to a bound, else with a force that depends on the side. */
bool ss_event_is_spring(const ss_event_driven *e, int law);
/* Sign that turns the force of a normal law into the radius of its friction. */
double ss_event_normal_sign(const ss_event_driven *e, int normal);
/* Keeps the distance where a law is found closed that was not held before; less than 1e-9 m is drift. */
void ss_event_keep_distance(ss_event_driven *e, int law);

/* The functions for the integrator. */
int ss_event_rates(double t, const double *y, double *rates, void *user);
int ss_event_root_values(double t, const double *y, double *values, void *user);
/* For IDA: positions, velocities and sums as above, but with the forces of held laws as unknowns at the end of y, and the
 * constraints on acceleration level (index 1) as their equations, W_Cᵀ u' + ζ̂_C = 0. Forces that are not unique, and those
 * of the other laws, are taken from the reduced equations. */
int ss_event_residual(double t, const double *y, const double *ydot, double *residual, void *user);
int ss_event_linearize(double t, const double *y, void *user);
int ss_event_column(double t, const double *y, const double *ydot, const double *base, int j,
                    double *column, void *user);
void ss_event_known_column(double c, int j, double *column, void *user);
/* Puts the forces into y, where IDA wants them. */
void ss_event_put_forces(const ss_event_driven *e, double *y);
/* Roots of the phases that are set. */
void ss_event_list_roots(ss_event_driven *e);

/* Whether a formula jumps at the place where a step has ended, just after its time. The work is not there any more. */
bool ss_event_switched(ss_event_driven *e, double t, const double *q, const double *u);

/* The size of a first step, not above `step` (0: any): the formulas begin with order 1, and a flight between two impacts
 * may be shorter than what the tolerances allow. After ss_event_reduce. */
double ss_event_first_step(const ss_event_driven *e, double step);

/* Which phases follow at a place where no contact approaches. The velocities of laws that rest are taken to zero, gaps of
 * closed contacts as well. Roots are listed. */
ss_status ss_event_transition(ss_event_driven *e, double t, double *q, double *u);
/* The same where dependent constraints can hold no longer: decided by the forces a little later. */
ss_status ss_event_break_away(ss_event_driven *e, double t, double *q, double *u);
/* Whether the held laws can be held at this place, evaluated before. */
ss_status ss_event_can_hold(ss_event_driven *e, bool *can);
/* Takes the drift out of held laws. */
ss_status ss_event_project(ss_event_driven *e, double t, const bool *hold, double *q, double *u);

/* Solves impacts at `state` until nothing approaches. *hit: whether there was any. */
ss_status ss_event_impact(ss_event_driven *e, ss_state *state, ss_impact_memory *memory, bool *hit);
/* An impact without a collision, where no forces exist that keep closed contacts from penetrating (Painlevé's paradox): what
 * the forces of an instant lead to. *hit: velocities jump. */
ss_status ss_event_jam(ss_event_driven *e, ss_state *state, ss_impact_memory *memory, bool *hit);

#endif
