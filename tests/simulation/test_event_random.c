/* test_event_random.c: random bodies with one to six contact points fall on a floor with friction and restitution: the
 * balance of energy holds, and nothing sinks in. */
#include "support/random.h"
#include "support/run.h"

enum { BODIES = 100 };

static run random_body(world *w, random_state *random, int *points)
{
    char text[160], name[16];
    ss_args *args;
    run r = {.w = w};
    *points = 1 + random_below(random, 6);
    snprintf(text, sizeof text, "0 %.17g %.17g", random_between(random, 0.7, 1),
             random_between(random, -3, 3));
    add_system(w, "body", "planar_body", "mass", "0.8", "inertia", "0.05", "position", text,
               "velocity", "0.5 0 2");
    add_force(w, "weight", "gravity", "acceleration", "0 -9.81");
    for (int i = 0; i < *points; i++) {
        double angle = 2 * acos(-1) * (i + random_between(random, 0, 0.8)) / *points;
        double radius = random_between(random, 0.2, 0.5);
        snprintf(name, sizeof name, "p%d", i);
        snprintf(text, sizeof text, "%.17g %.17g", radius * cos(angle), radius * sin(angle));
        add_element(w, name, "plane", "system", "body", "point", text, "normal", "0 1");
        add_law(w, name, "gap", "unilateral", "restitution",
                random_unit(random) < 0.5 ? "0" : "0.4");
        add_law(w, name, "slip", "friction", "mu", random_unit(random) < 0.5 ? "0.2" : "0.5");
    }
    assert_ok(w, ss_model_seal(w->model));
    assert_ok(w, ss_solver_create(w->context, "sorprox", NULL, NULL, &r.solver));
    assert_ok(w, ss_scheme_create(w->context, "moreau", NULL, NULL, &r.scheme));
    assert_ok(w, ss_args_create(w->context, &args));
    assert_ok(w, ss_args_set_real(args, "output", 0.02));
    assert_ok(w, ss_args_set_real(args, "end", 1.5));
    assert_ok(w, ss_simulation_create(w->model, r.solver, r.scheme, "event_driven", args, NULL,
                                      &r.simulation));
    ss_args_destroy(args);
    run_look(&r);
    return r;
}

/* How deep the deepest closed or open contact lies. */
static double depth(const run *r, int points)
{
    double gap[12], gamma[12], deepest = 0;
    assert_ok(r->w, ss_work_measure(ss_simulation_work(r->simulation),
                                    ss_simulation_state(r->simulation), gap, gamma));
    for (int i = 0; i < points; i++)
        deepest = fmax(deepest, -gap[2 * i]);
    return deepest;
}

static void test_random_bodies(void **state)
{
    random_state random = {.state = 20};
    (void)state;
    for (int k = 0; k < BODIES; k++) {
        world w = moving_world();
        int points;
        run r = random_body(&w, &random, &points);
        double balance = run_balance(&r);
        while (!ss_simulation_done(r.simulation)) {
            ss_step step;
            ss_status status = ss_simulation_advance(r.simulation, &step);
            if (status != SS_OK)
                fail_msg("body %d: %s", k, ss_context_message(w.context));
            run_look(&r);
            if (depth(&r, points) > 1e-9)
                fail_msg("body %d sinks in by %g m at %g s", k, depth(&r, points), run_time(&r));
        }
        if (fabs(run_balance(&r) - balance) > 1e-6)
            fail_msg("body %d: balance of energy off by %g J", k, run_balance(&r) - balance);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_bodies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
