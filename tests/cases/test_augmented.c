/* test_augmented.c: the examples of S6.5 with augmented time-stepping. */

#include "run.h"
#include "support/test.h"

#include <math.h>

#define NEAR(value, expected, tolerance)                                            \
    do {                                                                            \
        double near_value = (value), near_expected = (expected);                    \
        if (!(fabs(near_value - near_expected) <= (tolerance)))                     \
            fail_msg("%s = %.15g is not %.15g", #value, near_value, near_expected); \
    } while (0)

/* The largest step since the last switch. */
static void look_at_steps(run *r, const ss_state *state)
{
    double(*last)[3] = r->user; /* switches, largest step since */
    double switches = (double)ss_state_statistics(state)->switches;
    if (switches > (*last)[0]) {
        (*last)[0] = switches;
        (*last)[1] = 0;
    }
    (*last)[1] = fmax((*last)[1], ss_state_dt(state));
}

/* S6.5.1: first impact √(2 z0/g), rest after that times (1 + ε)/(1 - ε), steps of 0.05 s in flight
 * and at rest. */
static void falling_mass(void **state)
{
    (void)state;
    double first = sqrt(2 * 0.07 / 9.81), rest = first * 1.7 / 0.3;
    const char *least[] = {"simulation.step_min=1e-5", "simulation.step_min=1e-10"};
    const double error[] = {1e-5, 1e-10};
    for (int k = 0; k < 2; k++) {
        run r;
        double last[3] = {0};
        const char *overrides[] = {least[k], NULL};
        open_run(&r, "falling_mass_augmented", overrides);
        r.look = look_at_steps;
        r.user = &last;
        finish_run(&r);
        NEAR(event_time(&r, "table.gap", "closed", 0), first, 2 * error[k]);
        double t = first, flight = 2 * first;
        for (int n = 1; n < 10; n++) {
            flight *= 0.7;
            t += flight;
            NEAR(event_time(&r, "table.gap", "closed", n), t, 2 * (n + 1) * error[k]);
        }
        NEAR(r.events[r.n_events - 1].t, rest, 100 * error[k]);
        NEAR(last[1], 0.05, 1e-15);
        assert_int_equal(mode(&r, "table.gap"), 0);
        NEAR(position(&r, "mass.x"), 0, error[k] * error[k] * 10 + 2e-12);
        assert_true(ss_state_statistics(r.state)->steps < 2000);
        close_run(&r);
    }
    NEAR(first, 0.119462, 5e-7);
    NEAR(rest, 0.676951, 5e-7);
}

typedef struct slow {
    double speed, t, q[2], u[2];
} slow;

static void look_at_speed(run *r, const ss_state *state)
{
    slow *s = r->user;
    const double *u = ss_state_u(state), *q = ss_state_q(state);
    double speed = hypot(u[0], u[1]), t = ss_state_time(state);
    if (t < 3 && speed < s->speed) {
        s->speed = speed;
        s->t = t;
    }
    for (int i = 0; t == 3 && i < 2; i++) {
        s->q[i] = q[i];
        s->u[i] = u[i];
    }
}

/* S6.5.2; the values were integrated independently, to the digits given. */
static void sliding_mass(void **state)
{
    (void)state;
    run r;
    slow s = {.speed = 1e9};
    const char *overrides[] = {"simulation.step_max=1e-4", NULL};
    open_run(&r, "sliding_mass_augmented", overrides);
    r.look = look_at_speed;
    r.user = &s;
    finish_run(&r);
    NEAR(s.speed, 0.044249, 1e-6);
    NEAR(s.t, 0.47872, 1e-4); /* seen at the ends of steps only */
    close_run(&r);

    open_run(&r, "sliding_mass_augmented", NULL);
    r.look = look_at_speed;
    r.user = &s;
    finish_run(&r);
    NEAR(s.q[0], -1.270988, 1e-6);
    NEAR(s.q[1], -0.254682, 1e-6);
    NEAR(s.u[0], -1.324693, 1e-6);
    NEAR(s.u[1], -0.132469, 1e-6);
    NEAR(event_time(&r, "table.slip", "stick", 0), 3.665650, 1e-6);
    NEAR(position(&r, "mass.x"), -1.711879, 1e-6);
    NEAR(position(&r, "mass.y"), -0.298771, 1e-6);
    /* After 3 s it slides on with |u| until that is used up by a/m = 2 m/s². */
    NEAR(event_time(&r, "table.slip", "stick", 0), 3 + hypot(s.u[0], s.u[1]) / 2, 1e-8);
    assert_true(ss_state_statistics(r.state)->steps < 500);
    close_run(&r);
}

/* S6.5.3 against the closed form. */
static void impact_oscillator(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"simulation.K_t=~", "simulation.step_min=1e-10",
                               "simulation.order=0", NULL};
    open_run(&r, "impact_oscillator_augmented", overrides);
    finish_run(&r);
    double omega = sqrt(200), t = 0, y = -0.35, v = 0.2, amplitude = 0, phase = 0;
    for (int n = 0; n < 3; n++) {
        amplitude = hypot(y, v / omega);
        phase = atan2(v / omega, y);
        double hit = phase - acos(0.15 / amplitude);
        while (hit <= 1e-9)
            hit += 2 * acos(-1);
        t += hit / omega;
        NEAR(event_time(&r, "stop.gap", "closed", n), t, 2 * (n + 1) * 1e-10 + 1e-8);
        y = 0.15;
        v = 0.6 * amplitude * omega * sin(hit - phase);
    }
    NEAR(t, 0.8085981, 5e-8);
    NEAR(event_time(&r, "stop.gap", "closed", 0), 0.1395077, 5e-8);
    NEAR(event_time(&r, "stop.gap", "closed", 1), 0.4561889, 5e-8);
    assert_true(event_time(&r, "stop.gap", "closed", 3) < 0);
    double x = y * cos(omega * (1 - t)) + v / omega * sin(omega * (1 - t)) - 0.15;
    NEAR(position(&r, "mass.x"), x, 2e-8);
    close_run(&r);
}

static const struct {
    const char *law, *to;
} table_6_1[12] = {
    {"lower.slip", "stick"}, {"lower.slip", "slip"},  {"lower.gap", "open"},
    {"upper.gap", "closed"}, {"upper.gap", "open"},   {"beak.gap", "closed"},
    {"beak.gap", "open"},    {"upper.gap", "closed"}, {"upper.gap", "open"},
    {"lower.gap", "closed"}, {"lower.gap", "open"},   {"lower.gap", "closed"},
};

/* S6.5.4: the switches of Table 6.1 in order, every period; the period within 1 % of 0.1460 s. */
static void woodpecker(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"simulation.end=1", NULL};
    open_run(&r, "woodpecker_augmented", overrides);
    finish_run(&r);
    assert_true(r.n_events > 1 + 6 * 12);
    for (int i = 1; i < r.n_events;
         i++) { /* the first is the contact that is closed from the start */
        assert_string_equal(r.events[i].law, table_6_1[(i - 1) % 12].law);
        assert_string_equal(r.events[i].to, table_6_1[(i - 1) % 12].to);
    }
    for (int n = 3; n < 6; n++)
        NEAR(r.events[1 + 12 * n].t - r.events[1 + 12 * (n - 1)].t, 0.1460, 0.00146);
    assert_int_equal(ss_state_statistics(r.state)->failures, 0);
    close_run(&r);
}

/* Two runs with different steps agree on every switch of three periods: with Δt_min = 1e-10 s to
 * 1e-7 s, where rounding hides the slow loss of contact for a while. */
static void woodpecker_is_exact(void **state)
{
    (void)state;
    static run a, b;
    const char *one[] = {"simulation.step_min=1e-10", "simulation.step_max=2e-3",
                         "simulation.absolute_u=1e-10", "simulation.relative_u=1e-10", NULL};
    const char *two[] = {"simulation.step_min=1e-10",   "simulation.step_max=3e-4",
                         "simulation.order_max=8",      "simulation.absolute_u=1e-10",
                         "simulation.relative_u=1e-10", NULL};
    open_run(&a, "woodpecker_augmented", one);
    finish_run(&a);
    open_run(&b, "woodpecker_augmented", two);
    finish_run(&b);
    assert_int_equal(a.n_events, b.n_events);
    for (int i = 0; i < a.n_events; i++) {
        assert_string_equal(a.events[i].law, b.events[i].law);
        NEAR(a.events[i].t, b.events[i].t, 1e-7);
    }
    NEAR(position(&a, "toy.phi_S"), position(&b, "toy.phi_S"), 1e-7);
    close_run(&a);
    close_run(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_mass),        cmocka_unit_test(sliding_mass),
        cmocka_unit_test(impact_oscillator),   cmocka_unit_test(woodpecker),
        cmocka_unit_test(woodpecker_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
