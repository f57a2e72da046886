/* run_augmented.h: a world in motion by augmented time-stepping. */
#ifndef SS_TESTS_SIMULATION_RUN_AUGMENTED_H
#define SS_TESTS_SIMULATION_RUN_AUGMENTED_H

#include "support/run.h"

/* Seals the world and stands at t = 0; keys and values of the simulation, ended by NULL. */
static inline ss_status try_augmented_by(world *w, run *r, const char *solver, double tolerance,
                                         va_list pairs)
{
    ss_args *args;
    *r = (run){.w = w};
    SS_TRY(ss_model_seal(w->model));
    SS_TRY(ss_args_create(w->context, &args));
    ss_status status = ss_args_set_real(args, "tolerance", tolerance);
    if (status == SS_OK)
        status = ss_solver_create(w->context, solver, args, NULL, &r->solver);
    ss_args_destroy(args);
    SS_TRY(status);
    SS_TRY(ss_scheme_create(w->context, "moreau", NULL, NULL, &r->scheme));
    status = world_arguments(w->context, pairs, &args);
    SS_TRY(status);
    status = ss_simulation_create(w->model, r->solver, r->scheme, "augmented", args, NULL,
                                  &r->simulation);
    ss_args_destroy(args);
    if (status == SS_OK)
        run_look(r);
    return status;
}

/* The solver is as exact as it can be. */
static inline ss_status try_augmented(world *w, run *r, ...)
{
    va_list pairs;
    va_start(pairs, r);
    ss_status status = try_augmented_by(w, r, "sorprox", 1e-15, pairs);
    va_end(pairs);
    return status;
}

/* By the solver that takes everything, as docs/augmented.md advises for short steps. */
static inline ss_status try_augmented_auto(world *w, run *r, ...)
{
    va_list pairs;
    va_start(pairs, r);
    ss_status status = try_augmented_by(w, r, "auto", 1e-12, pairs);
    va_end(pairs);
    return status;
}

#define run_augmented(w, r, ...) assert_ok(w, try_augmented(w, r, __VA_ARGS__, (const char *)NULL))

/* Runs until a law has changed its mode for the n-th time since the call; the time of that. */
static inline double run_to_switch(run *r, int law, int n)
{
    ss_step step;
    while (!ss_simulation_done(r->simulation)) {
        assert_ok(r->w, ss_simulation_advance(r->simulation, &step));
        run_look(r);
        for (int i = 0; i < step.n_switches; i++)
            if (step.switches[i].law == law && --n == 0)
                return step.switches[i].t;
    }
    fail_msg("law %d has not switched", law);
    return 0;
}

static inline const ss_statistics *run_sums(const run *r)
{
    return ss_state_statistics(ss_simulation_state(r->simulation));
}

#endif
