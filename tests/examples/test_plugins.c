/* test_plugins.c: every plugin of examples/ computes what it promises. */
#include "support/test.h"

#include <stickslip/stickslip.h>

#include <math.h>
#include <stdio.h>

static const double gravity = 9.81;

/* A scene of examples/, and where its run stands. */
typedef struct run {
    ss_context *context;
    ss_scene *scene;
    ss_simulation *simulation;
    const double *q, *u;
} run;

static void check(const run *r, ss_status status)
{
    if (status != SS_OK)
        fail_msg("%s: %s", ss_status_name(status), ss_context_message(r->context));
}

static void begin_with(run *r, const char *name, int n_parameters, const char *const *parameters)
{
    char path[512];
    ss_scene_options options = {.n_parameters = n_parameters, .parameters = parameters};
    snprintf(path, sizeof path, "%s/%s.yaml", SS_EXAMPLES_DIR, name);
    *r = (run){0};
    assert_int_equal(ss_context_create(NULL, &r->context), SS_OK);
    check(r, ss_scene_load(r->context, path, &options, &r->scene));
    r->simulation = ss_scene_simulation(r->scene);
    r->q = ss_state_q(ss_simulation_state(r->simulation));
    r->u = ss_state_u(ss_simulation_state(r->simulation));
}

static void begin(run *r, const char *name)
{
    begin_with(r, name, 0, NULL);
}

static void end(run *r)
{
    ss_scene_destroy(r->scene);
    ss_context_destroy(r->context);
}

static double now(const run *r)
{
    return ss_state_time(ss_simulation_state(r->simulation));
}

static ss_step advance(run *r)
{
    ss_step step = {0};
    assert_false(ss_simulation_done(r->simulation));
    check(r, ss_simulation_advance(r->simulation, &step));
    r->q = ss_state_q(ss_simulation_state(r->simulation));
    r->u = ss_state_u(ss_simulation_state(r->simulation));
    return step;
}

static void finish(run *r)
{
    while (!ss_simulation_done(r->simulation))
        advance(r);
}

/* Steps until law 0 changes to a mode; returns the time. */
static double until_mode(run *r, ss_mode mode)
{
    for (;;) {
        ss_step step = advance(r);
        for (int i = 0; i < step.n_switches; i++)
            if (step.switches[i].law == 0 && (step.switches[i].to != 0) == (mode != 0))
                return now(r);
    }
}

static void expect_near(double actual, double expected, double tolerance)
{
    if (!(fabs(actual - expected) <= tolerance))
        fail_msg("%.15g is not within %g of %.15g", actual, tolerance, expected);
}

/* Each component slows down on its own with bound/m, and stops after v²/(2 bound/m). The midpoint rule is exact for a
 * constant force but for the step in which a component stops. */
static void test_square_friction(void **state)
{
    (void)state;
    run r;
    begin(&r, "square_friction");
    double a = 3.0 / 2.0, v[2] = {1.5, 0.6}, dt = 1e-3;
    finish(&r);
    for (int i = 0; i < 2; i++) {
        expect_near(r.q[i], v[i] * v[i] / (2 * a), a * dt * dt);
        expect_near(r.u[i], 0.0, 1e-9);
    }
    end(&r);
}

/* From rest at φ0 to the wall it takes K(sin(φ0/2)) √(L/g); it rises again to the angle φ1 with
 * 1 - cos φ1 = ε² (1 - cos φ0). */
static void test_pendulum(void **state)
{
    (void)state;
    run r;
    begin(&r, "pendulum");
    double start = 2 * acos(-1.0) / 3, length = 0.8, epsilon = 0.6, dt = 1e-5;

    /* K(k) by the arithmetic-geometric mean of 1 and √(1-k²). */
    double a = 1.0, b = cos(start / 2);
    for (int i = 0; i < 10; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    double fall = acos(-1.0) / (2 * a) * sqrt(length / gravity);
    expect_near(until_mode(&r, SS_MODE_CONSTRAINT), fall, 2 * dt);
    assert_true(r.u[0] > 0);

    while (r.u[0] > 0)
        advance(&r);
    double top = acos(1 - epsilon * epsilon * (1 - cos(start)));
    expect_near(r.q[0], top, 1e-4);
    end(&r);
}

/* Without friction the bead has turned its height into speed at the bottom; with the friction angle above the slope it
 * stays where it is. */
static void test_parabola(void **state)
{
    (void)state;
    run r;
    double k = 4, x0 = 0.25, dt = 1e-4;
    const char *const frictionless[] = {"mu=0"};
    begin_with(&r, "parabola", 1, frictionless);
    while (r.q[0] > 0)
        advance(&r);
    double speed = sqrt(gravity * k * x0 * x0);
    expect_near(hypot(r.u[0], r.u[1]), speed, 10 * dt * speed);
    end(&r);

    const char *const rough[] = {"mu=1.01"}; /* the slope at x0 is 1 */
    begin_with(&r, "parabola", 1, rough);
    finish(&r);
    expect_near(r.q[0], x0, 1e-9);
    end(&r);
}

/* The glue gives way when the pull reaches its strength, and is gone when x = rate s³/(6 m) has grown to its reach, s
 * after that. From then on the glue pulls no more. */
static void test_adhesion(void **state)
{
    (void)state;
    run r;
    begin(&r, "adhesion");
    double m = 0.1, strength = 2, rate = 10, reach = 1e-9, dt = 1e-5;
    double gives_way = strength / rate, parts = cbrt(6 * m * reach / rate);

    while (now(&r) < gives_way - dt) {
        advance(&r);
        expect_near(r.q[0], 0.0, 1e-15);
    }
    finish(&r);
    double s = now(&r) - gives_way, free = s - parts;
    double x = rate * s * s * s / (6 * m) + strength * free * free / (2 * m);
    double v = rate * s * s / (2 * m) + strength * free / m;
    expect_near(r.q[0], x, 5 * v * dt);
    expect_near(r.u[0], v, 5 * (strength + rate * s) / m * dt);
    end(&r);
}

/* v = v∞ tanh(g t / v∞) with v∞ = √(m g / c), and the way v∞²/g log cosh(g t / v∞). */
static void test_drag(void **state)
{
    (void)state;
    run r;
    begin(&r, "drag");
    double limit = sqrt(0.0027 * gravity / 0.0003), dt = 1e-4;
    finish(&r);
    double T = gravity * now(&r) / limit;
    expect_near(r.u[0], -limit * tanh(T), gravity * dt);
    expect_near(r.q[0], -limit * limit / gravity * log(cosh(T)), limit * dt);
    end(&r);
}

/* The block stops after v²/(2 μ g) without lifting a foot, and the solver was not idle. */
static void test_gauss_seidel(void **state)
{
    (void)state;
    run r;
    begin(&r, "gauss_seidel");
    double mu = 0.4, v = 2, dt = 1e-4;
    finish(&r);
    const ss_statistics *sums = ss_state_statistics(ss_simulation_state(r.simulation));
    expect_near(r.q[0], v * v / (2 * mu * gravity), v * dt);
    expect_near(r.q[1], 0.1, 1e-9);
    expect_near(r.q[2], 0.0, 1e-9);
    expect_near(r.u[0], 0.0, 1e-9);
    assert_true(sums->failures == 0 && sums->worst_residual <= 1e-12);
    assert_true(sums->iterations > sums->steps);
    end(&r);
}

/* Free of the stop, the scheme is the recursion x_{n+1} - 2 x_n + x_{n-1} = -(ω dt)² x_n with x_{-1} = x_0, which has a
 * solution in cosines; at the stop the velocity is turned round with ε = 0.5. */
static void test_euler(void **state)
{
    (void)state;
    run r;
    double m = 0.5, k = 200, x0 = 0.1, dt = 1e-3;
    double theta = acos(1 - k / m * dt * dt / 2);

    const char *const out_of_reach[] = {"stop=-1"};
    begin_with(&r, "euler", 1, out_of_reach);
    for (int n = 1; n <= 1000; n++) {
        advance(&r);
        expect_near(r.q[0], x0 * cos((n + 0.5) * theta) / cos(theta / 2), 1e-11);
    }
    end(&r);

    begin(&r, "euler");
    double before = 0;
    while (r.u[0] <= 0) {
        before = r.u[0];
        advance(&r);
    }
    expect_near(r.u[0], -0.5 * before, 1e-9);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square_friction),
        cmocka_unit_test(test_pendulum),
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_adhesion),
        cmocka_unit_test(test_drag),
        cmocka_unit_test(test_gauss_seidel),
        cmocka_unit_test(test_euler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
