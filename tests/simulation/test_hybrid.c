/* test_hybrid.c: event-driven runs that change to time-stepping where impacts accumulate, and back. */
#include "support/allocator.h"
#include "support/run.h"

static const double G = 9.81, EPSILON = 0.7, HEIGHT = 0.07;
/* The scene's time is HEIGHT/√(2 G HEIGHT), and a step 1e-5 of that. */
static const double STEP = 1e-5 * 0.05973096325327556;

static void put_ball_on(world *w, const char *lift, const char *gap)
{
    add_system(w, "ball", "point", "dim", "1", "mass", "1", "position", "0.07");
    add_force(w, "weight", "gravity", "acceleration", "-9.81");
    add_force(w, "lift", "load", "on", "x", "force", lift);
    add_element(w, "table", "expression", "gap", gap);
    add_law(w, "table", "gap", "unilateral", "restitution", "0.7");
}

static void put_ball(world *w, const char *lift)
{
    put_ball_on(w, lift, "x");
}

static ss_status try_run(world *w, const char *type, double end, run *r)
{
    ss_args *args;
    *r = (run){.w = w};
    SS_TRY(ss_model_seal(w->model));
    SS_TRY(ss_solver_create(w->context, "sorprox", NULL, NULL, &r->solver));
    SS_TRY(ss_scheme_create(w->context, "moreau", NULL, NULL, &r->scheme));
    SS_TRY(ss_args_create(w->context, &args));
    ss_status status = ss_args_set_real(args, "output", 0.05);
    if (status == SS_OK)
        status = ss_args_set_real(args, "end", end);
    if (status == SS_OK)
        status =
            ss_simulation_create(w->model, r->solver, r->scheme, type, args, NULL, &r->simulation);
    ss_args_destroy(args);
    if (status == SS_OK)
        run_look(r);
    return status;
}

typedef struct seen {
    int closed, steps; /* impacts, and steps of the size of time-stepping */
    double first, rest, open;
} seen;

static ss_status look(void *user, ss_simulation *simulation, const ss_step *step)
{
    seen *s = user;
    (void)simulation;
    s->steps += fabs(ss_state_dt(step->state) - STEP) < 1e-14;
    for (int i = 0; i < step->n_switches; i++) {
        bool closes = step->switches[i].to == SS_MODE_CONSTRAINT;
        if (closes && s->closed++ == 0)
            s->first = step->switches[i].t;
        *(closes ? &s->rest : &s->open) = step->switches[i].t;
    }
    return SS_OK;
}

/* The mass bounces until √(2h/g) (1 + ε)/(1 - ε), as in falling_mass.yaml, rests, and is left to fly by nothing else. */
static void test_falls_to_rest(void **state)
{
    (void)state;
    world w = moving_world();
    put_ball(&w, "0");
    run r;
    seen s = {0};
    assert_ok(&w, try_run(&w, "hybrid", 1.2, &r));
    assert_ok(&w, ss_simulation_run(r.simulation, look, &s));
    run_look(&r);
    double first = sqrt(2 * HEIGHT / G), rest = first * (1 + EPSILON) / (1 - EPSILON);
    assert_near(s.first, first, 1e-11); /* by events */
    assert_near(s.rest, rest, 10 * STEP);
    assert_true(s.steps > 10 && s.steps < 500);
    assert_near(r.q[0], 0, 1e-12); /* by events again: without a gap */
    assert_true(r.u[0] == 0);
    run_destroy(&r);
}

/* A growing lift takes the ball off: the time of that is found to 1e-9 s, so that event-driven integration is back. */
static void test_comes_back(void **state)
{
    (void)state;
    world w = moving_world();
    put_ball(&w, "t>0.7?20*(t-0.7):0");
    run r;
    seen s = {0};
    assert_ok(&w, try_run(&w, "hybrid", 1.5, &r));
    assert_ok(&w, ss_simulation_run(r.simulation, look, &s));
    run_look(&r);
    double off = 0.7 + G / 20, late = 1.5 - off;
    assert_near(s.open, off, 1e-9);
    assert_near(r.q[0], 20 * late * late * late / 6, 1e-9);
    run_destroy(&r);
}

/* So it is from a table that is lifted with 2 m/s²: there everything falls with G + 2. After a step of Moreau's rule γ is about what the
 * table gains in half a step, 1e-5 m/s, and no sign that the ball moves on it. */
static void test_comes_back_from_a_moving_table(void **state)
{
    (void)state;
    world w = moving_world();
    put_ball_on(&w, "t>0.7?20*(t-0.7):0", "x-t^2");
    run r;
    seen s = {0};
    assert_ok(&w, try_run(&w, "hybrid", 1.5, &r));
    assert_ok(&w, ss_simulation_run(r.simulation, look, &s));
    run_look(&r);
    double off = 0.7 + (G + 2) / 20, late = 1.5 - off;
    assert_near(s.rest, sqrt(2 * HEIGHT / (G + 2)) * (1 + EPSILON) / (1 - EPSILON), 1e-4);
    assert_true(s.steps < 500);
    assert_near(s.open, off, 1e-9);
    assert_near(r.q[0], 1.5 * 1.5 + 20 * late * late * late / 6, 1e-9);
    run_destroy(&r);
}

/* A run from a copy of a state within time-stepping ends with the same bits. */
static void test_goes_on(void **state)
{
    (void)state;
    world w = moving_world();
    put_ball(&w, "20*t");
    run r;
    ss_state *middle;
    assert_ok(&w, try_run(&w, "hybrid", 0.9, &r));
    assert_ok(&w, ss_simulation_new_state(r.simulation, &middle));
    int stepped = 0;
    while (!ss_simulation_done(r.simulation) && stepped < 30) {
        run_step(&r);
        stepped += fabs(ss_state_dt(ss_simulation_state(r.simulation)) - STEP) < 1e-14;
    }
    ss_state_copy(middle, ss_simulation_state(r.simulation));
    run_to_end(&r);
    double q = r.q[0], u = r.u[0];
    ss_state_copy(ss_simulation_state(r.simulation), middle);
    run_to_end(&r);
    assert_true(r.q[0] == q && r.u[0] == u);
    run_destroy(&r);
}

/* From a world with a ball to the end of the run; `allowed` allocations succeed, negative: all. */
static ss_status attempt(const char *type, long allowed, long *used)
{
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    world w = world_create(&options);
    run r = {0};
    assert_ok(&w, ss_register_builtin_schemes(w.context));
    assert_ok(&w, ss_register_builtin_simulations(w.context));
    put_ball(&w, "20*t");
    long before = counter.calls;
    counter.allowed = allowed < 0 ? -1 : before + allowed;
    ss_status status = try_run(&w, type, 0.8, &r);
    if (status == SS_OK)
        status = ss_simulation_run(r.simulation, NULL, NULL);
    *used = counter.calls - before;
    r.w = &w;
    run_destroy(&r);
    assert_int_equal(counter.live, 0);
    return status;
}

/* Each allocation may fail: an error, no leak, no crash. SUNDIALS has memory of its own. */
static void walk(const char *type)
{
    long needed, used;
    assert_int_equal(attempt(type, -1, &needed), SS_OK);
    long stride = needed > 400 ? needed / 400 : 1;
    for (long allowed = 0; allowed < needed; allowed += stride)
        assert_int_equal(attempt(type, allowed, &used), SS_MEMORY);
}

static void test_memory(void **state)
{
    (void)state;
    walk("event_driven");
    walk("hybrid");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_to_rest),
        cmocka_unit_test(test_comes_back),
        cmocka_unit_test(test_comes_back_from_a_moving_table),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
