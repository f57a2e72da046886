/* phase.h: the phase of every law, and what is known of a law at an event. */
#ifndef SS_SIMULATION_EVENT_PHASE_H
#define SS_SIMULATION_EVENT_PHASE_H

#include "assembly/work.h"

typedef struct ss_event_driven ss_event_driven;

/* What a law does between two events. */
typedef enum ss_phase {
    SS_PHASE_OPEN,    /* no force */
    SS_PHASE_CLOSED,  /* γ = 0: a closed contact, sticking friction, a constraint */
    SS_PHASE_SLIDING, /* γ ≠ 0, the force is at the boundary of its set */
} ss_phase;

/* The last impacts of one law; times in s. */
typedef struct ss_impact_memory {
    double count, last, interval;
} ss_impact_memory;

typedef struct ss_event_law {
    ss_phase phase;
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
    SS_EVENT_SIGN = 5,
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
/* Speed along rows.along that is added to γ while sliding begins, m/s: γ has no direction yet. */
double ss_event_onset_speed(const ss_event_driven *e, int law);
/* Scale of the law's set: a force, or μ times the normal force. */
double ss_event_scale(const ss_event_driven *e, int law);
/* Distance of the force of a closed law from the boundary of its set, N; INFINITY: no boundary. */
double ss_event_reserve(const ss_event_driven *e, int law);
/* Stores the distance at which a law has closed; less than 1e-9 m counts as drift. */
void ss_event_keep_distance(ss_event_driven *e, int law);

#endif
