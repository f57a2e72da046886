/* stepping.h: a world that a scheme moves, step by step. */
#ifndef SS_TESTS_SCHEME_STEPPING_H
#define SS_TESTS_SCHEME_STEPPING_H

#include "support/world.h"

#include <stickslip/scheme.h>

typedef struct stepper {
    world *w;
    ss_solver *solver;
    ss_scheme *scheme;
    ss_work *work;
    ss_state *now, *next;
    ss_solve_report report;
    double *q, *u; /* of the current state */
} stepper;

static inline world stepping_world(void)
{
    world w = world_create(NULL);
    assert_ok(&w, ss_register_builtin_schemes(w.context));
    return w;
}

static inline void stepper_look(stepper *s)
{
    s->q = ss_state_edit_q(s->now);
    s->u = ss_state_edit_u(s->now);
}

/* "theta" or "theta theta=1 laws=velocity". */
static inline ss_status try_scheme(world *w, const char *text, ss_scheme **scheme)
{
    char copy[256];
    ss_args *args;
    snprintf(copy, sizeof copy, "%s", text);
    char *name = strtok(copy, " "), *pair;
    SS_TRY(ss_args_create(w->context, &args));
    ss_status status = SS_OK;
    while (status == SS_OK && (pair = strtok(NULL, " "))) {
        char *value = strchr(pair, '=');
        *value++ = 0;
        status = ss_args_set_text(args, pair, value);
    }
    if (status == SS_OK)
        status = ss_scheme_create(w->context, name, args, NULL, scheme);
    ss_args_destroy(args);
    return status;
}

/* Seals the world and stands at t = 0. */
static inline stepper stepper_create(world *w, const char *scheme)
{
    stepper s = {.w = w};
    assert_ok(w, ss_model_seal(w->model));
    assert_ok(w, ss_solver_create(w->context, "sorprox", NULL, NULL, &s.solver));
    assert_ok(w, try_scheme(w, scheme, &s.scheme));
    assert_ok(w, ss_scheme_prepare(s.scheme, w->model));
    assert_ok(w, ss_work_create(w->model, s.solver, &s.work));
    size_t own = ss_scheme_state_size(s.scheme, w->model);
    assert_ok(w, ss_state_create_for(w->model, own, 0, &s.now));
    assert_ok(w, ss_state_create_for(w->model, own, 0, &s.next));
    stepper_look(&s);
    return s;
}

static inline ss_status stepper_try(stepper *s, double dt)
{
    return ss_scheme_step(s->scheme, s->work, s->now, dt, s->next, &s->report);
}

static inline void stepper_step(stepper *s, double dt)
{
    assert_ok(s->w, stepper_try(s, dt));
    assert_true(ss_outcome_accepted(s->report.outcome));
    ss_state *old = s->now;
    s->now = s->next;
    s->next = old;
    stepper_look(s);
}

static inline void stepper_run(stepper *s, double end, int steps)
{
    for (int i = 0; i < steps; i++)
        stepper_step(s, end / steps);
}

static inline double stepper_energy(stepper *s)
{
    ss_energy e;
    assert_ok(s->w, ss_work_energy(s->work, s->now, &e));
    return e.kinetic + e.potential;
}

static inline void stepper_destroy(stepper *s)
{
    ss_state_destroy(s->now);
    ss_state_destroy(s->next);
    ss_work_destroy(s->work);
    ss_scheme_destroy(s->scheme);
    ss_solver_destroy(s->solver);
    world_destroy(s->w);
}

#endif
