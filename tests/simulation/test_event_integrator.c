/* test_event_integrator.c: y'' = -y with all methods: values, roots from above only, numbers that stay, failures. */
#include "support/run.h"

#include "simulation/event/integrator.h"

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

static int linearize(double t, const double *y, void *user)
{
    (void)t, (void)y, (void)user;
    return 0;
}

static int columns, known_columns; /* asked for */

/* Of ∂f/∂y, or of ∂F/∂y with F = y' - f. */
static int column(double t, const double *y, const double *ydot, const double *base, int j,
                  double *column, void *user)
{
    (void)t, (void)y, (void)base, (void)user;
    double sign = ydot ? -1 : 1;
    columns++;
    column[0] = sign * (j == 1);
    column[1] = -sign * (j == 0);
    column[2] = 0;
    return 0;
}

static void known_column(double c, int j, double *column, void *user)
{
    (void)user;
    known_columns++;
    column[j] += c;
}

static int residual(double t, const double *y, const double *ydot, double *r, void *user)
{
    int flag = rates(t, y, r, user);
    for (int i = 0; i < 2; i++)
        r[i] = ydot[i] - r[i];
    return flag;
}

/* The third number is not integrated. */
static ss_integrator_start start_at(double t, const double *y, double stop)
{
    static const int used[] = {0, 1};
    static int directions[] = {-1, -1};
    return (ss_integrator_start){.t = t,
                                 .stop = stop,
                                 .y = y,
                                 .n_used = 2,
                                 .used = used,
                                 .n_roots = 2,
                                 .directions = directions};
}

static ss_integrator *make(world *w, ss_integrator_method method, int *fault)
{
    static const double absolute[] = {1e-12, 1e-12, 1e-12};
    ss_integrator *integrator;
    ss_integrator_setup setup = {.method = method,
                                 .n = 3,
                                 .relative = 1e-11,
                                 .absolute = absolute,
                                 .part = 1,
                                 .step_max = 0.5,
                                 .rates = rates,
                                 .roots = roots,
                                 .residual = residual,
                                 .linearize = linearize,
                                 .column = column,
                                 .known_column = known_column,
                                 .user = fault};
    assert_ok(w, ss_integrator_create(w->context, &setup, &integrator));
    return integrator;
}

/* From y = sin t at t = 0.1: y' reaches -0.5 at 2π/3, then y reaches 0 at π, from above; at 2π it comes from below. */
static void test_roots(void **state)
{
    const double pi = acos(-1), expected[] = {2 * pi / 3, pi};
    (void)state;
    for (int method = SS_METHOD_RKF45; method <= SS_METHOD_IDA; method++) {
        world w = moving_world();
        int fault = 0, fired[2];
        ss_integrator *i = make(&w, (ss_integrator_method)method, &fault);
        double t = 0.1, y[] = {sin(0.1), cos(0.1), 5}, middle[3];
        ss_integrator_start start = start_at(t, y, 7);
        assert_ok(&w, ss_integrator_restart(i, &start));
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
        assert_near(y[2], 5, 0);
        double before = 7 - 0.5 * ss_integrator_last_step(i);
        assert_ok(&w, ss_integrator_interpolate(i, before, middle));
        assert_near(middle[0], sin(before), 1e-7);
        ss_integrator_destroy(i);
        world_destroy(&w);
    }
}

/* IDA asks for a Jacobian whenever its step changes. */
static void test_keeps_derivatives(void **state)
{
    (void)state;
    world w = moving_world();
    int fault = 0;
    ss_integrator *i = make(&w, SS_METHOD_IDA, &fault);
    double t = 0.1, y[] = {sin(0.1), cos(0.1), 0};
    ss_integrator_start start = start_at(t, y, 2);
    columns = known_columns = 0;
    assert_ok(&w, ss_integrator_restart(i, &start));
    for (bool root; t < 2;)
        assert_ok(&w, ss_integrator_step(i, &t, y, &root));
    assert_near(y[0], sin(2), 1e-8);
    assert_true(columns > 0 && known_columns >= 5 * columns);
    ss_integrator_destroy(i);
    world_destroy(&w);
}

static void test_gives_up(void **state)
{
    (void)state;
    world w = moving_world();
    int fault = -1;
    ss_integrator *i = make(&w, SS_METHOD_RKF45, &fault);
    double t = 0, y[] = {1, 0, 0};
    bool root;
    ss_integrator_start start = start_at(t, y, 1);
    assert_ok(&w, ss_integrator_restart(i, &start));
    assert_int_equal(ss_integrator_step(i, &t, y, &root), SS_NOT_CONVERGED);
    ss_integrator_destroy(i);
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_roots),
                                       cmocka_unit_test(test_keeps_derivatives),
                                       cmocka_unit_test(test_gives_up)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
