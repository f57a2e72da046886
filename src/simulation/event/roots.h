/* roots.h: the root set, functions whose zeros are events. */
#ifndef SS_SIMULATION_EVENT_ROOTS_H
#define SS_SIMULATION_EVENT_ROOTS_H

#include <stickslip/base.h>

typedef struct ss_event_driven ss_event_driven;

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
} ss_root_set;

/* The roots of the phases that are set, after an evaluation. */
void ss_event_list_roots(ss_event_driven *e);
/* Whether a formula jumps just after t, where a step has ended. Changes the work. */
bool ss_event_switched(ss_event_driven *e, double t, const double *q, const double *u);
/* First step of the integrator, not above `step` (0: no limit), s: a flight between two impacts
 * may be shorter than what the tolerances allow. After ss_event_reduce. */
double ss_event_first_step(const ss_event_driven *e, double step);
/* For the integrator: values of all roots. */
int ss_event_root_values(double t, const double *y, double *values, void *user);

#endif
