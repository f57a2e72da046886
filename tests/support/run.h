/* run.h: a world in motion: Moreau's rule with steps of constant size. */
#ifndef SS_TESTS_SUPPORT_RUN_H
#define SS_TESTS_SUPPORT_RUN_H

#include "support/world.h"

#include <stickslip/simulation.h>

typedef struct run {
    world *w;
    ss_solver *solver;
    ss_scheme *scheme;
    ss_simulation *simulation;
    double *q, *u; /* of the current state */
} run;

static inline ss_status try_moving_world(const ss_context_options *options, world *w)
{
    SS_TRY(try_world(options, w));
    SS_TRY(ss_register_builtin_schemes(w->context));
    return ss_register_builtin_simulations(w->context);
}

static inline world moving_world(void)
{
    world w;
    assert_int_equal(try_moving_world(NULL, &w), SS_OK);
    return w;
}

static inline void run_look(run *r)
{
    r->q = ss_state_edit_q(ss_simulation_state(r->simulation));
    r->u = ss_state_edit_u(ss_simulation_state(r->simulation));
}

/* Seals the world and stands at t = 0. One option of the scheme, NULL: none; tolerance 0: the solver's own. */
static inline run run_create_with(world *w, const char *solver, const char *key, const char *value,
                                  double step, double end, double tolerance)
{
    run r = {.w = w};
    ss_args *args;
    assert_ok(w, ss_args_create(w->context, &args));
    assert_ok(w, ss_model_seal(w->model));
    if (tolerance > 0)
        assert_ok(w, ss_args_set_real(args, "tolerance", tolerance));
    assert_ok(w, ss_solver_create(w->context, solver, args, NULL, &r.solver));
    ss_args_destroy(args);
    assert_ok(w, ss_args_create(w->context, &args));
    if (key)
        assert_ok(w, ss_args_set_text(args, key, value));
    assert_ok(w, ss_scheme_create(w->context, "moreau", args, NULL, &r.scheme));
    ss_args_destroy(args);
    assert_ok(w, ss_args_create(w->context, &args));
    assert_ok(w, ss_args_set_real(args, "step", step));
    assert_ok(w, ss_args_set_real(args, "end", end));
    assert_ok(w, ss_simulation_create(w->model, r.solver, r.scheme, "constant", args, NULL,
                                      &r.simulation));
    ss_args_destroy(args);
    run_look(&r);
    return r;
}

static inline run run_create_by(world *w, const char *solver, double step, double end,
                                double tolerance)
{
    return run_create_with(w, solver, NULL, NULL, step, end, tolerance);
}

static inline run run_create(world *w, double step, double end, double tolerance)
{
    return run_create_by(w, "sorprox", step, end, tolerance);
}

static inline void run_step(run *r)
{
    ss_step step;
    assert_ok(r->w, ss_simulation_advance(r->simulation, &step));
    run_look(r);
}

static inline void run_to_end(run *r)
{
    assert_ok(r->w, ss_simulation_run(r->simulation, NULL, NULL));
    run_look(r);
}

static inline double run_time(const run *r)
{
    return ss_state_time(ss_simulation_state(r->simulation));
}

static inline ss_energy run_energy(const run *r)
{
    ss_energy energy;
    assert_ok(r->w, ss_work_energy(ss_simulation_work(r->simulation),
                                   ss_simulation_state(r->simulation), &energy));
    return energy;
}

/* What must stay the same: kinetic + potential + dissipated - work of loads. */
static inline double run_balance(const run *r)
{
    ss_energy e = run_energy(r);
    return e.kinetic + e.potential + e.dissipated - e.load_work;
}

/* Impulse of the last step, by rows of all laws. */
static inline const double *run_P(const run *r)
{
    return ss_state_P(ss_simulation_state(r->simulation));
}

static inline const int *run_mode(const run *r)
{
    return ss_state_mode(ss_simulation_state(r->simulation));
}

static inline void run_destroy(run *r)
{
    ss_simulation_destroy(r->simulation);
    ss_scheme_destroy(r->scheme);
    ss_solver_destroy(r->solver);
    world_destroy(r->w);
}

/* Complete elliptic integral K(k) by the arithmetic-geometric mean: a pendulum of length L that
 * is let go at an angle φ0 has the period 4 √(L/g) K(sin(φ0/2)). */
static inline double elliptic_K(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 10; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 3.14159265358979323846 / (2 * a);
}

#endif
