/* test_event_integrator.c: y'' = -y with all methods: values, roots from above only, restarts, failures. */
#include "simulation/run.h"

#include "simulation/event_integrator.h"

static int rates(double t, const double *y, double *ydot, void *user)
{
    (void)t;
    ydot[0] = y[1];
    ydot[1] = -y[0];
    return *(int *)user;
}

static int roots(double t, const double *y, double *values, void *user)
{
    (void)t, (void)user;
    values[0] = y[0];
    values[1] = y[1] + 0.5;
    return 0;
}

static ss_integrator *make(world *w, ss_integrator_method method, int *fault)
{
    static const double absolute[] = {1e-12, 1e-12};
    ss_integrator *integrator;
    ss_integrator_setup setup = {.method = method,
                                 .n = 2,
                                 .relative = 1e-11,
                                 .absolute = absolute,
                                 .step_max = 0.5,
                                 .rates = rates,
                                 .roots = roots,
                                 .user = fault};
    assert_ok(w, ss_integrator_create(w->context, &setup, &integrator));
    return integrator;
}

/* From y = sin t at t = 0.1: y' reaches -0.5 at 2π/3, then y reaches 0 at π, from above; at 2π it comes from below. */
static void test_roots(void **state)
{
    const double pi = acos(-1), expected[] = {2 * pi / 3, pi};
    (void)state;
    for (int method = SS_METHOD_RKF45; method <= SS_METHOD_BDF; method++) {
        world w = moving_world();
        int fault = 0, fired[2], directions[] = {-1, -1};
        ss_integrator *i = make(&w, (ss_integrator_method)method, &fault);
        double t = 0.1, y[] = {sin(0.1), cos(0.1)}, middle[2];
        assert_ok(&w, ss_integrator_restart(i, t, y, 7, 0, 2, directions));
        int found = 0;
        while (t < 7) {
            bool root;
            assert_ok(&w, ss_integrator_step(i, &t, y, &root));
            if (!root)
                continue;
            assert_true(found < 2);
            ss_integrator_fired(i, fired);
            assert_int_not_equal(fired[1 - found], 0);
            assert_near(t, expected[found++], 1e-8);
        }
        assert_int_equal(found, 2);
        assert_near(t, 7, 0);
        assert_near(y[0], sin(7), 1e-8);
        double before = 7 - 0.5 * ss_integrator_last_step(i);
        assert_ok(&w, ss_integrator_look(i, before, middle));
        assert_near(middle[0], sin(before), 1e-7);
        ss_integrator_destroy(i);
        world_destroy(&w);
    }
}

static void test_gives_up(void **state)
{
    (void)state;
    world w = moving_world();
    int fault = -1, directions[] = {-1, -1};
    ss_integrator *i = make(&w, SS_METHOD_RKF45, &fault);
    double t = 0, y[] = {1, 0};
    bool root;
    assert_ok(&w, ss_integrator_restart(i, t, y, 1, 0, 2, directions));
    assert_int_equal(ss_integrator_step(i, &t, y, &root), SS_NOT_CONVERGED);
    ss_integrator_destroy(i);
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roots),
                                       cmocka_unit_test(test_gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
