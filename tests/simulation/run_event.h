/* run_event.h: a world in motion by event-driven integration. */
#ifndef SS_TESTS_SIMULATION_RUN_EVENT_H
#define SS_TESTS_SIMULATION_RUN_EVENT_H

#include "support/run.h"

typedef struct seen {
    int count;
    ss_switch switches[64];
} seen;

/* A run with events; output 0.01 s. */
/* slip and absolute: 0 leaves their default. */
static inline ss_status try_event_run_with(world *w, const char *method, double end, double slip,
                                           double absolute, run *r)
{
    ss_args *args;
    *r = (run){.w = w};
    assert_ok(w, ss_model_seal(w->model));
    assert_ok(w, ss_solver_create(w->context, "sorprox", NULL, NULL, &r->solver));
    assert_ok(w, ss_scheme_create(w->context, "moreau", NULL, NULL, &r->scheme));
    assert_ok(w, ss_args_create(w->context, &args));
    assert_ok(w, ss_args_set_real(args, "output", 0.01));
    assert_ok(w, ss_args_set_real(args, "end", end));
    assert_ok(w, ss_args_set_text(args, "method", method));
    if (slip > 0)
        assert_ok(w, ss_args_set_real(args, "slip", slip));
    if (absolute > 0)
        assert_ok(w, ss_args_set_real(args, "absolute", absolute));
    ss_status status = ss_simulation_create(w->model, r->solver, r->scheme, "event_driven", args,
                                            NULL, &r->simulation);
    ss_args_destroy(args);
    if (status == SS_OK)
        run_look(r);
    return status;
}

static inline ss_status try_event_run(world *w, const char *method, double end, run *r)
{
    return try_event_run_with(w, method, end, 0, 0, r);
}

static inline run event_run(world *w, const char *method, double end)
{
    run r;
    assert_ok(w, try_event_run(w, method, end, &r));
    return r;
}

static inline ss_status keep_switches(void *user, ss_simulation *simulation, const ss_step *step)
{
    seen *s = user;
    (void)simulation;
    for (int i = 0; i < step->n_switches && s->count < 64; i++)
        s->switches[s->count++] = step->switches[i];
    return SS_OK;
}

static inline seen run_seen(run *r)
{
    seen s = {0};
    assert_ok(r->w, ss_simulation_run(r->simulation, keep_switches, &s));
    run_look(r);
    return s;
}

/* The time of the last switch of a law to a mode. */
static inline double last_switch(const seen *s, int law, int to)
{
    double t = -1;
    for (int i = 0; i < s->count; i++)
        if (s->switches[i].law == law && s->switches[i].to == to)
            t = s->switches[i].t;
    return t;
}

#endif
