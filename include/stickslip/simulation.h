/* simulation.h: strings steps together. */
#ifndef STICKSLIP_SIMULATION_H
#define STICKSLIP_SIMULATION_H

#include <stickslip/scheme.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_simulation ss_simulation;

/* What to do when a solve does not converge. */
typedef enum ss_on_failure {
    SS_FAILURE_STOP,   /* end the run with SS_NOT_CONVERGED (the default) */
    SS_FAILURE_WARN,   /* log a warning, count it, go on */
    SS_FAILURE_SHRINK, /* repeat the step in halves, down to 1/1024 of it; then stop */
} ss_on_failure;

/* Why a run is not trusted (docs/verdict.md). */
typedef enum ss_doubt {
    SS_DOUBT_NONE = 0,
    SS_DOUBT_UNFINISHED = 1,  /* it did not reach its end */
    SS_DOUBT_CONVERGENCE = 2, /* steps were accepted that did not converge */
    SS_DOUBT_LAWS = 4,        /* a certificate found a law that does not hold (ss_breach) */
    SS_DOUBT_ENERGY = 8,      /* more than SS_ENERGY_BOUND of the energies is unaccounted for */
    SS_DOUBT_GROWTH = 16,     /* it moves with far more than there was, or numbers ran over */
    SS_DOUBT_TUNNELLING = 32, /* shapes were too fast for their contacts to be seen */
    SS_DOUBT_UNIQUENESS = 64, /* the motion depends on forces that are not unique */
} ss_doubt;

/* The doubts and their names, "energy", by numbers from 0; NULL past the last. */
SS_API const char *ss_doubt_name(int index);
SS_API ss_doubt ss_doubt_at(int index);
/* Adds the doubts of a list of names, "energy,growth"; false when one is no doubt that anybody can allow. */
SS_API bool ss_doubts_add(const char *names, unsigned *doubts);

/* Keys of every simulation, whatever its type. */
typedef struct ss_simulation_options {
    double end;               /* s, > 0: where the run ends; required in scenes */
    ss_on_failure on_failure; /* default stop */
    bool certify;             /* default false: every accepted step is certified (ss_breach) */
    ss_texts allow;           /* names of doubts that do not fail the run */
} ss_simulation_options;

/* Keys that every object of a kind has besides those of its type (systems: position, velocity;
 * elements: restitution; laws: restitution, r; simulations: end, on_failure, certify, allow). NULL when there are
 * none. */
SS_API const ss_key *ss_common_keys(ss_type_kind kind);

/* Way of choosing steps.
 *
 * A simulation type may try what it likes in states of its own (ss_simulation_new_state,
 * ss_simulation_step); only what it accepts becomes the current state and is seen by observers.
 * Everything it must remember from one accepted step to the next is in the state (`memory`), so
 * that a saved state goes on as if it had never been saved. */
typedef struct ss_simulation_ops {
    ss_type type;                                       /* type.size = sizeof(ss_simulation_ops) */
    ss_status (*init)(void *self, ss_context *context); /* optional: checks the options */
    void (*destroy)(void *self, ss_context *context);   /* optional */
    /* How many numbers of its own a state has (ss_state_memory). Optional: 0. */
    size_t (*memory)(const void *self, const ss_work *work);
    /* Checks model and scheme, makes states and scratch memory. Optional. */
    ss_status (*prepare)(void *self, ss_simulation *simulation);
    /* Moves ss_simulation_state() forward by one accepted step: with ss_simulation_try_step, or
     * with ss_simulation_accept. Required. */
    ss_status (*advance)(void *self, ss_simulation *simulation);
    /* It treats contacts of shapes, which are found anew in each step; else it gets a model in which every contact that
     * can be is an element of its own. */
    bool contacts;
} ss_simulation_ops;

SS_API ss_status ss_register_simulation(ss_context *context, const ss_simulation_ops *ops);

/* A law that changed its mode: S6.2.1. */
typedef struct ss_switch {
    double t; /* end of the step in which it was seen, s */
    int law;
    int from, to; /* ss_mode */
} ss_switch;

/* What an observer sees after every accepted step, and once before the first, with n_switches 0. */
typedef struct ss_step {
    const ss_state *state;
    const ss_solve_report *report; /* NULL before the first step */
    int order;                     /* order of the step where the simulation chooses it, else 0 */
    int n_switches;
    const ss_switch *switches;
} ss_step;

/* Returns SS_OK to go on, SS_STOPPED to end the run there, or a failure. */
typedef ss_status (*ss_observe_fn)(void *user, ss_simulation *simulation, const ss_step *step);

/* Makes a simulation of a sealed model, at the model's initial state. Borrows model, solver and
 * scheme; args (keys of the type and of ss_simulation_options) and scope may be NULL. */
SS_API ss_status ss_simulation_create(const ss_model *model, ss_solver *solver, ss_scheme *scheme,
                                      const char *type, const ss_args *args, const ss_scope *scope,
                                      ss_simulation **simulation);
SS_API void ss_simulation_destroy(ss_simulation *simulation);

/* Runs to the end, calling the observer (may be NULL). SS_OK: the end was reached. */
SS_API ss_status ss_simulation_run(ss_simulation *simulation, ss_observe_fn observe, void *user);
/* One accepted step; the observer's view of it. */
SS_API ss_status ss_simulation_advance(ss_simulation *simulation, ss_step *step);
SS_API bool ss_simulation_done(const ss_simulation *simulation);

SS_API const ss_model *ss_simulation_model(const ss_simulation *simulation);
SS_API ss_work *ss_simulation_work(ss_simulation *simulation);
SS_API const ss_simulation_options *ss_simulation_settings(const ss_simulation *simulation);
/* Another end of the run, finite and not before the current time: a run that is done goes on to a later one. Steps end there,
 * so that a run can be stopped at any time, and continued. */
SS_API ss_status ss_simulation_set_end(ss_simulation *simulation, double end);
/* The doubts that its options allow. */
SS_API unsigned ss_simulation_allowed(const ss_simulation *simulation);
SS_API ss_scheme *ss_simulation_scheme(ss_simulation *simulation);
/* The current state. May be changed or restored between steps. */
SS_API ss_state *ss_simulation_state(ss_simulation *simulation);

/* The values of all outputs at the current state (n_outputs elements). Forces and accelerations are means over the last step,
 * impacts included. Costs an evaluation of the model when an output names gaps, relative velocities or energies. */
SS_API ss_status ss_simulation_outputs(ss_simulation *simulation, double *values);

/* ---- For simulation types
 * --------------------------------------------------------------------------- */

/* Zeroed memory, and a state with the memory of the type, that live as long as the simulation. */
SS_API ss_status ss_simulation_allocate(ss_simulation *simulation, size_t count, size_t size,
                                        void **memory);
SS_API ss_status ss_simulation_new_state(ss_simulation *simulation, ss_state **state);

/* The next time after the current state, s, at which an input or a controller changes something, INFINITY if there is none: a
 * step must end there, and `advance` must not go beyond. At the start of each call of it, everything up to the current state has
 * been done. */
SS_API double ss_simulation_next_break(const ss_simulation *simulation);
/* Whether inputs were changed at the current state, after the step that led to it: forces and prescribed velocities may jump. */
SS_API bool ss_simulation_inputs_jumped(const ss_simulation *simulation);

/* A step of size dt from the current state that becomes the current state, with the policy
 * on_failure applied. */
SS_API ss_status ss_simulation_try_step(ss_simulation *simulation, double dt);
/* A step of the scheme from any state B to a state E, nothing more. Whether the solve went well is
 * in the report. The memory of E stays. */
SS_API ss_status ss_simulation_step(ss_simulation *simulation, const ss_state *B, double dt,
                                    ss_state *E, ss_solve_report *report);
/* The failure of a step that cannot be made smaller, by on_failure: SS_OK after a warning, or
 * SS_NOT_CONVERGED with a message. B and dt are where the step began and its size. */
SS_API ss_status ss_simulation_fail(ss_simulation *simulation, const ss_state *B, double dt,
                                    const ss_solve_report *report);
/* E becomes the current state. Counts one accepted step and the switches since the state before;
 * tries, iterations, failures, residuals and energies are taken as E has them. */
SS_API void ss_simulation_accept(ss_simulation *simulation, const ss_state *E,
                                 const ss_solve_report *report, int order);

#ifdef __cplusplus
}
#endif
#endif
