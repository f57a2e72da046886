/* test_single.c: one mass: falling, sliding, hitting a stop, held by a pre-stressed spring, on a slope. */

#include "run.h"
#include "support/test.h"

#include <math.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* √(2 z0/g) = 0.119462 s; rest after that times (1 + ε)/(1 - ε) = 0.676951 s. */
static void falling_mass(void **state)
{
    (void)state;
    run r;
    open_run(&r, "falling_mass", NULL);
    finish_run(&r);
    double first = sqrt(2 * 0.07 / 9.81), rest = first * (1 + 0.7) / (1 - 0.7);
    NEAR(first, 0.119462, 1e-6);
    NEAR(rest, 0.676951, 1e-6);
    NEAR(event_time(&r, "table.gap", "closed", 0), first, 2e-5);
    /* The later impacts are √(2 z0/g) (1 + 2 (ε + … + ε^n)). */
    double t = first, flight = 2 * first;
    for (int n = 1; n < 12; n++) {
        flight *= 0.7;
        t += flight;
        NEAR(event_time(&r, "table.gap", "closed", n), t, (n + 2) * 2e-5);
    }
    NEAR(r.events[r.n_events - 1].t, rest, 2e-4);
    assert_int_equal(mode(&r, "table.gap"), 0);
    NEAR(position(&r, "mass.x"), 0, 1e-8);
    NEAR(velocity(&r, "mass.x'"), 0, 1e-12);
    close_run(&r);
}

typedef struct slowest {
    double speed, t;
    double q[2], u[2]; /* at t = 3 s */
} slowest;

static void look_at_speed(run *r, const ss_state *state)
{
    slowest *s = r->user;
    const double *u = ss_state_u(state), *q = ss_state_q(state);
    double speed = hypot(u[0], u[1]), t = ss_state_time(state);
    if (t < 3 && speed < s->speed) {
        s->speed = speed;
        s->t = t;
    }
    if (fabs(t - 3) < 1e-9)
        for (int i = 0; i < 2; i++) {
            s->q[i] = q[i];
            s->u[i] = u[i];
        }
}

/* Values from an independent integration of the sliding equations with tight tolerances. */
static void sliding_mass(void **state)
{
    (void)state;
    run r;
    slowest s = {.speed = 1e9};
    open_run(&r, "sliding_mass", NULL);
    r.look = look_at_speed;
    r.user = &s;
    finish_run(&r);
    NEAR(s.speed, 0.044249, 1e-4);
    NEAR(s.t, 0.47872, 1e-4);
    NEAR(s.q[0], -1.270988, 1e-4);
    NEAR(s.q[1], -0.254682, 1e-4);
    NEAR(s.u[0], -1.324693, 1e-4);
    NEAR(s.u[1], -0.132469, 1e-4);
    NEAR(event_time(&r, "table.slip", "stick", 0), 3.665650, 5e-5);
    NEAR(position(&r, "mass.x"), -1.711879, 1e-4);
    NEAR(position(&r, "mass.y"), -0.298771, 1e-4);
    close_run(&r);
}

/* Halving the step halves the error: order one. */
static void sliding_mass_converges(void **state)
{
    (void)state;
    double error[2];
    const char *steps[] = {"simulation.step=4e-4", "simulation.step=2e-4"};
    for (int i = 0; i < 2; i++) {
        run r;
        const char *overrides[] = {steps[i], NULL};
        open_run(&r, "sliding_mass", overrides);
        finish_run(&r);
        error[i] = fabs(position(&r, "mass.x") + 1.711879);
        close_run(&r);
    }
    NEAR(error[0] / error[1], 2, 0.1);
}

static void impact_oscillator(void **state)
{
    (void)state;
    run r;
    open_run(&r, "impact_oscillator", NULL);
    finish_run(&r);
    const double impacts[] = {0.1395077, 0.4561889, 0.8085981};
    for (int n = 0; n < 3; n++)
        NEAR(event_time(&r, "stop.gap", "closed", n), impacts[n], 3e-5);
    assert_true(event_time(&r, "stop.gap", "closed", 3) < 0);
    /* Closed form: harmonic motion about -0.15 with ω = √200, the speed times -0.6 at every impact. */
    double omega = sqrt(200), v = sqrt(0.04 + 200 * (0.35 * 0.35 - 0.15 * 0.15));
    for (int n = 0; n < 3; n++)
        v = n < 2 ? sqrt(0.36 * v * v) : 0.6 * v;
    double t = 1 - 0.8085981, y = 0.15 * cos(omega * t) - v / omega * sin(omega * t);
    NEAR(position(&r, "mass.x"), y - 0.15, 2e-4);
    close_run(&r);
}

static void look_at_load(run *r, const ss_state *state)
{
    double *before = r->user;
    if (ss_state_time(state) < 2.999)
        *before = ss_state_q(state)[0];
}

/* a_fric = 0.9: rests at the reference length from 2.056 s on and withstands the load. */
static void prestressed_spring_returns(void **state)
{
    (void)state;
    run r;
    double before = 0;
    open_run(&r, "prestressed_spring", NULL);
    r.look = look_at_load;
    r.user = &before;
    finish_run(&r);
    NEAR(event_time(&r, "spring.gap", "locked", 0), 2.056, 0.003);
    NEAR(position(&r, "mass.x"), 0.07, 1e-6);
    NEAR(position(&r, "mass.x"), before, 1e-15);
    assert_int_equal(mode(&r, "spring.gap"), 0);
    assert_int_equal(mode(&r, "ground.slip"), 0);
    close_run(&r);
}

/* a_fric = 1.1: stops at 0.0715 m, away from the reference length; the load moves it. */
static void prestressed_spring_stops_away(void **state)
{
    (void)state;
    run r;
    double before = 0;
    const char *overrides[] = {"a_fric=1.1", NULL};
    open_run(&r, "prestressed_spring", overrides);
    r.look = look_at_load;
    r.user = &before;
    finish_run(&r);
    NEAR(before, 0.0715, 2e-5);
    assert_int_equal(mode(&r, "spring.gap"), 1);
    close_run(&r);
}

static void slope_holds(void **state)
{
    (void)state;
    run r;
    open_run(&r, "slope", NULL);
    finish_run(&r);
    assert_int_equal(mode(&r, "slope.slip"), 0);
    NEAR(position(&r, "block.x"), 0, 1e-15);
    close_run(&r);
}

static void slope_slides(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"ratio=1.001", NULL};
    open_run(&r, "slope", overrides);
    finish_run(&r);
    double alpha = 1.001 * atan(0.5), a = 9.81 * (sin(alpha) - 0.5 * cos(alpha));
    NEAR(velocity(&r, "block.x'") / (2 * a), 1, 1e-10);
    NEAR(position(&r, "block.x") / (2 * a), 1, 1e-10);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_mass),
        cmocka_unit_test(sliding_mass),
        cmocka_unit_test(sliding_mass_converges),
        cmocka_unit_test(impact_oscillator),
        cmocka_unit_test(prestressed_spring_returns),
        cmocka_unit_test(prestressed_spring_stops_away),
        cmocka_unit_test(slope_holds),
        cmocka_unit_test(slope_slides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
