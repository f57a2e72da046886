/* simulation.h: inside of a simulation. */
#ifndef SS_SIMULATION_SIMULATION_H
#define SS_SIMULATION_SIMULATION_H

#include "assembly/work.h"

#include <stickslip/simulation.h>

typedef struct ss_state_list {
    ss_state *state;
    struct ss_state_list *next;
} ss_state_list;

struct ss_simulation {
    ss_context *context;
    const ss_model *model;
    ss_scheme *scheme;
    const ss_simulation_ops *ops;
    ss_simulation_options options;
    ss_arena arena;
    void *self;
    ss_work *work;
    ss_state *state;   /* now */
    ss_state *before;  /* before the last accepted step */
    ss_state *next;    /* where a step is tried */
    ss_state *restart; /* where a step that is repeated in halves began */
    ss_state *begin;   /* where a step begins that follows contacts, with them; else NULL */
    unsigned allowed;  /* doubts */
    ss_follow follow;
    ss_impact_law impact; /* that of the scheme, unless the type has another */
    /* the step on its way has a solve that did not converge, and is accepted all the same */
    bool failed;
    double next_break;              /* s: the step must not go beyond (control.c) */
    double *samples, *sample_value; /* of all controllers at one instant, of one of them */
    ss_solve_report report;
    int order;             /* of the last accepted step, 0: not chosen */
    ss_state_list *states; /* all that were made */
    ss_switch *switches;   /* space for every law */
};

/* Before a step: controllers sample and inputs change, as far as it is time for them. If something fails, the state is what it
 * was. After it: accelerations, and whether it went beyond a change (control.c). */
ss_status ss_simulation_reserve_control(ss_simulation *simulation);
ss_status ss_simulation_control(ss_simulation *simulation);
ss_status ss_simulation_end_control(ss_simulation *simulation);

/* For types whose steps cannot be repeated in halves. */
ss_status ss_simulation_refuse_shrink(const ss_simulation *simulation);

/* The doubts that the option `allow` names (doubts.c). */
ss_status ss_simulation_read_allowed(ss_simulation *simulation);
/* Zeroed arrays of `count` elements for each of n pointers. */
ss_status ss_simulation_reserve(ss_simulation *simulation, size_t count, size_t size, size_t n,
                                void ***pointers);
#define SS_RESERVE(simulation, type, count, ...)                                     \
    SS_TRY(ss_simulation_reserve((simulation), (size_t)(count), sizeof(type),        \
                                 sizeof((type **[]){__VA_ARGS__}) / sizeof(type **), \
                                 (void ***)(type * *[]){__VA_ARGS__}))

extern const ss_simulation_ops ss_constant_ops;
extern const ss_simulation_ops ss_augmented_ops;
extern const ss_simulation_ops ss_event_driven_ops;
extern const ss_simulation_ops ss_hybrid_ops;

#endif
