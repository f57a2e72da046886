/* event.h: the event-driven simulation and its parts (S5.2.1; Wösle & Pfeiffer).
 *
 *   setup.c        options, checks, memory
 *   advance.c      one accepted step, to the next event or output; hybrid: time-stepping where there are too many events
 *   evaluate.c     phase of every law, kept in the state; forces and rows at one (q, u, t)
 *   reduced.c      forces and accelerations while phases last
 *   equilibrium.c  whether dependent laws can stay closed
 *   smooth.c       integration between events: rates, roots
 *   integrator.c   SUNDIALS
 *   transition.c   which phases follow an event
 *   impact.c       impacts and their accumulation
 */
#ifndef SS_SIMULATION_EVENT_EVENT_H
#define SS_SIMULATION_EVENT_EVENT_H

#include "assembly/work.h"
#include "simulation/equilibrium.h"
#include "simulation/event/integrator.h"

#include <stickslip/simulation.h>

typedef struct ss_event_driven ss_event_driven;

/* ---- The phase of every law, and what is known of a law at an event (evaluate.c). ---- */

/* What a law does between two events. */
typedef enum ss_phase {
    SS_PHASE_OPEN,    /* no force */
    SS_PHASE_CLOSED,  /* γ = 0: a closed contact, sticking friction, a constraint */
    SS_PHASE_SLIDING, /* γ ≠ 0, the force is at the boundary of its set */
} ss_phase;

/* The last impacts of one law: their number, the time of the last one, s, the interval before it, s, and the ratio of that to
 * the one before. 0: not known yet. */
typedef struct ss_impact_memory {
    double count, last, interval, ratio;
} ss_impact_memory;

typedef struct ss_event_law {
    ss_phase phase;
    double slip;       /* relative velocity that counts as zero, m/s or rad/s */
    double drift;      /* distance that counts as zero, m or rad */
    bool from_rest;    /* slides from γ = 0 on, in the direction rows.along */
    double force_sign; /* constraints with friction: sign of their force, 1 or -1 */
    ss_impact_memory impacts;

    /* at an event */
    bool in_contact; /* unilateral: the gap is closed, whatever γ is */
    bool leaving;    /* the force has reached the boundary of its set */
    bool at_rest;    /* γ counts as zero */
    bool at_length;  /* springs: the free length has been reached */
    bool was_closed; /* before the event */

    /* at the last evaluation */
    ss_law_set set;     /* of forces: Δt = 1 */
    bool stores_energy; /* springs: the work of the force is in the potential */
    double unit_scale;  /* joint friction: scale of the set for a normal load of 1 N, */
    double normal_load; /* and the normal load, N */

    /* for the whole run */
    bool spring;        /* pre-stressed: closed at g = 0 up to a bound, else impressed */
    bool single_valued; /* never closed: an impressed force at every length, and no events */
} ss_event_law;

/* What a state remembers: HEAD numbers of the run, PER_LAW of every law, then rows.along and
 * rows.kept. */
enum {
    SS_EVENT_RESOLVED, /* impacts and phases are known */
    SS_EVENT_STEP,     /* last step of the integrator, s */
    SS_EVENT_STILL,    /* events in a row without any progress in time */
    SS_EVENT_STEPPING, /* hybrid: 1 during time-stepping */
    SS_EVENT_QUIET,    /* hybrid: steps without a change of mode */
    SS_EVENT_HEAD,
    SS_EVENT_PHASE = 0,
    SS_EVENT_FROM_REST,
    SS_EVENT_IMPACT,
    SS_EVENT_SIGN = 6,
    SS_EVENT_PER_LAW,
};

size_t ss_event_memory(const void *self, const ss_work *work);
const double *ss_event_law_memory(const ss_state *state, int law);
double *ss_event_edit_law_memory(ss_state *state, int law);
/* Phases from a state's memory and back. `resolved`: impacts and phases at the state are known. */
void ss_event_recall(ss_event_driven *e, const ss_state *state);
void ss_event_remember(const ss_event_driven *e, bool resolved, ss_state *state);

/* It is the law of a contact rule, whose contacts have laws of their own. */
bool ss_event_is_silent(const ss_event_driven *e, int law);
/* 1: the law pushes when closed, -1: it pulls, 0: it is not unilateral. */
int ss_event_side(const ss_event_driven *e, int law);
/* Not unilateral, and the force has a bound: friction, a limited drive, a spring. */
bool ss_event_is_bounded(const ss_event_driven *e, int law);
/* Factor 1 or -1 from the force of a normal law to the radius of its friction. */
double ss_event_normal_sign(const ss_event_driven *e, int normal);
/* |γ|, m/s. */
double ss_event_speed(const ss_event_driven *e, int law);
/* Change of velocity j that counts as zero. */
double ss_event_still(const ss_event_driven *e, int j);
/* Speed along rows.along that is added to γ while sliding begins, m/s: below `slip` γ has no direction yet. */
double ss_event_onset_speed(const ss_event_driven *e, int law);
/* Scale of the law's set: a force, or μ times the normal force. */
double ss_event_scale(const ss_event_driven *e, int law);
/* Distance of the force of a closed law from the boundary of its set, N; INFINITY: no boundary. */
double ss_event_reserve(const ss_event_driven *e, int law);
/* Stores the distance at which a law has closed; less than its drift counts as zero. */
void ss_event_keep_distance(ss_event_driven *e, int law);

/* ---- Positions, velocities, forces and rows of all laws at one (q, u, t) (evaluate.c). ---- */

/* The last evaluation. */
typedef struct ss_event_point {
    double *q, *u;          /* n_q, n_u; prescribed motions put in */
    double *h;              /* n_u: forces, single-valued laws included */
    double *prescribed;     /* n_u: accelerations of prescribed motions, else zero */
    double *zeros;          /* n_q */
    bool rates_known;       /* the rates there are known, */
    double rates_t;         /* at this time */
    double t_first, t_last; /* times are clamped to this interval: loads may jump at its ends */
} ss_event_point;

/* Rows of all laws. */
typedef struct ss_event_rows {
    double *gap, *distance;   /* g of the element; signed distance of the law */
    double *gamma, *zeta_hat; /* of a drive: relative to what it prescribes */
    double *W, *MinvW;        /* n_u a row; M⁻¹W of open laws is not up to date */
    double *lambda;           /* set-valued forces, N */
    double *added;            /* single-valued forces beside them, N */
    double *along;            /* direction of sliding where γ = 0 */
    double *boundary;         /* sliding: the point of the unit set that resists */
    double *kept;             /* distance that a closed law keeps */
} ss_event_rows;

/* The time at which formulas are evaluated: what jumps at the ends of a step is outside of it. */
double ss_event_time(const ss_event_driven *e, double t);
/* Fills point and rows for the phases that are set: geometry, h, W, γ, ζ̂, sets. Systems of
 * prescribed motion follow it, whatever q and u say. */
ss_status ss_event_evaluate(ss_event_driven *e, double t, const double *q, const double *u);
/* The set of a law for its phase, after an evaluation. */
ss_status ss_event_find_set(ss_event_driven *e, int law);
/* rows.boundary of a sliding law. */
void ss_event_resist(ss_event_driven *e, int law);

/* ---- The reduced system: forces and accelerations while every law keeps its phase (reduced.c). ---- */

/* Islands: closed rows connected through systems. Those of different islands do not act on each
 * other. */
typedef struct ss_reduced_islands {
    int count;
    int *of_row; /* closed rows: root of the island */
    int *parent; /* union–find over systems */
    int *rows;   /* closed rows that act, island after island, */
    int *start;  /* count + 1: where an island begins among them */
} ss_reduced_islands;

/* Factors of the islands' matrices, made when a matrix is used for the second time. */
typedef struct ss_reduced_factors {
    bool used, ready; /* the matrices have been solved with, are factored */
    bool *definite;   /* islands: Cholesky's factor exists */
    double *matrix;   /* n × n in all, island after island */
    double *x;        /* scaled forces of an island */
    double *scratch;  /* of LAPACK */
    int scratch_size;
    int *pivots;
} ss_reduced_factors;

typedef struct ss_reduced {
    /* closed rows C: those of closed laws */
    int n;
    int *row, *law; /* their rows among those of all laws, and their laws */
    double *G, *c;  /* n × n by rows; n */
    double *scale;  /* 1/√(WᵀM⁻¹W); 0: the row has no effect */
    double *lambda; /* their forces, N */
    bool deficient; /* they are dependent: the forces are not unique */

    double *H; /* n_u a row of all laws: M⁻¹W with the friction that a unit of λ carries */
    double *a_free, *a; /* n_u: u' without the forces of closed rows, and with them */

    bool stale;       /* W or M have changed since G and H were formed, */
    ss_phase *phases; /* for these phases */
    ss_reduced_islands islands;
    ss_reduced_factors factors;
} ss_reduced;

/* u' without any set-valued force. */
void ss_event_free_accelerations(const ss_event_driven *e, double *a);
/* a_free, H, G and c for the phases that are set, after an evaluation. */
void ss_event_assemble(ss_event_driven *e);
/* G λ = -c in the sense of least squares and least norm; returns the rank. A row without effect
 * gets no force, and counts as one. */
int ss_event_solve(ss_event_driven *e, double *lambda);
/* Assembles and solves: rows.lambda, a and `deficient`. */
void ss_event_reduce(ss_event_driven *e);
/* Normal loads of joint friction from the forces; returns their change, relative to the largest. */
double ss_event_update_loads(ss_event_driven *e);
/* Whether the force of a row has any effect: not where a formula's W is zero for now. */
bool ss_event_row_acts(const ss_event_driven *e, int row);

/* ---- The root set: functions whose zeros are events (smooth.c). ---- */

typedef enum ss_root_kind {
    SS_ROOT_DISTANCE, /* an open contact closes */
    SS_ROOT_FORCE,    /* a force reaches the boundary of its set */
    SS_ROOT_SLIP,     /* sliding ends */
    SS_ROOT_LENGTH,   /* a pre-stressed spring reaches its length */
    SS_ROOT_SIGN,     /* the normal force of a constraint with friction changes its sign */
    SS_ROOT_FEATURE,  /* the face or edge of a closed contact ends */
    SS_ROOT_SWITCH,   /* a formula jumps or has a kink */
} ss_root_kind;

typedef struct ss_root {
    ss_root_kind kind;
    int law;             /* or number of a switch */
    double sign, offset; /* distances and switches: sign · d + offset > 0 within the phase */
    bool near;           /* open at zero distance: closes where d <= 0 and it approaches */
    bool deep;           /* open below zero: closes as soon as it approaches */
} ss_root;

typedef struct ss_root_set {
    int count;
    ss_root *roots;
    int *fired;      /* nonzero: found by the integrator */
    int *directions; /* all -1: zeros are reached from above */
    int n_switches;
    double *switches; /* values of the formulas' switches */
    double *switch_sizes;
} ss_root_set;

/* The roots of the phases that are set, after an evaluation. */
void ss_event_list_roots(ss_event_driven *e);
/* Whether a formula jumps just after t, where a step has ended. Changes the work. */
bool ss_event_switched(ss_event_driven *e, double t, const double *q, const double *u);

/* ---- The motion between two events (smooth.c): y holds q, u, impulses, dissipated energy and work of loads; for IDA also the
 * forces of all rows. ---- */

typedef struct ss_smooth {
    ss_integrator *chosen;           /* by the option `method` */
    ss_integrator *implicit;         /* for slow sliding; NULL: the chosen one does */
    ss_integrator *integrator;       /* the one in use */
    double *y, *y_between, *y_moved; /* at the end, within a step, and displaced for derivatives */
    int n_used, *used;               /* elements of y that change while the phases last */
    double move_q, move_u;           /* largest displacements for derivatives, in parts of sizes */
    bool deficient;                  /* closed rows were dependent where it began */
    ss_status status;                /* of the last evaluation within the integrator */
} ss_smooth;

typedef enum ss_ending {
    SS_ENDING_STOP,       /* nothing happened */
    SS_ENDING_ROOT,       /* an event */
    SS_ENDING_BREAK_AWAY, /* dependent constraints cannot stay closed */
} ss_ending;

/* Length of y, and of the part that all methods have. */
int ss_event_numbers(const ss_event_driven *e);
int ss_event_common_numbers(const ss_event_driven *e);
/* Integrates from A to the next event, at most to `stop`; e->found and *t are there. */
ss_status ss_event_integrate(ss_event_driven *e, const ss_state *A, double stop, double *t,
                             ss_ending *ending);
/* The integrators of the options. */
ss_status ss_event_make_integrators(ss_event_driven *e);

/* ---- Equilibrium of dependent closed laws (equilibrium.c). ---- */

/* Whether forces within the sets of closed laws keep all of them closed, after ss_event_reduce.
 * *known: their sets are half lines, intervals and disks. */
ss_status ss_event_equilibrium(ss_event_driven *e, bool *known, bool *exists);

/* Whether the accelerations depend on forces of dependent closed laws that are not unique, after ss_event_reduce: friction that
 * slides makes other forces of them into another motion. */
bool ss_event_motion_depends(ss_event_driven *e);

/* ---- The simulation. ---- */

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

/* Parts of the sizes of the scene (assembly/sizes.h) that options have by default. */
#define SS_EVENT_SLIP     1e-8
#define SS_EVENT_ABSOLUTE 1e-12

struct ss_event_driven {
    ss_event_options options;
    double *absolute; /* errors allowed of the integrated numbers */
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
    ss_equilibrium equilibrium;
    ss_event_effort effort;

    ss_state *found; /* the state that is accepted next */
    double *impact;  /* n_rows: the part of its impulses that an impact has, N s */
    bool hand_over;  /* hybrid: time-stepping follows */
    ss_role *roles;  /* n_laws, of projections */
    bool *inelastic; /* n_laws: no restitution in this impact */
};

/* advance.c */
ss_status ss_event_advance(void *self, ss_simulation *simulation);

/* Phases that follow at (q, u), where no contact approaches; velocities of laws at rest and gaps of
 * closed contacts are projected to zero. Lists the roots. `breaks_away`: dependent constraints
 * cannot stay closed, the forces a little later decide. */
ss_status ss_event_transition(ss_event_driven *e, bool breaks_away, double t, double *q, double *u);
/* Whether the closed laws can stay closed, after ss_event_reduce. */
ss_status ss_event_can_stay_closed(ss_event_driven *e, bool *can);
/* Removes the drift of closed laws. */
ss_status ss_event_project(ss_event_driven *e, double t, double *q, double *u);

/* Solves impacts at `state` until nothing approaches. *hit: there was one. */
ss_status ss_event_impact(ss_event_driven *e, ss_state *state, bool *hit);
/* An impact without collision, where no forces keep closed contacts from penetrating (Painlevé's
 * paradox): the forces of an instant become an impulse. *hit: velocities jump. */
ss_status ss_event_jam(ss_event_driven *e, ss_state *state, bool *hit);

#endif
