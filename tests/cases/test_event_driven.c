/* test_event_driven.c: scenes with event-driven integration against closed forms, independent integrations and
 * time-stepping. */

#include "run.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* Every impact of the closed form, then the limit of their sequence. */
static void falling_mass(void **state)
{
    (void)state;
    run r;
    open_run(&r, "falling_mass",
             (const char *[]){"simulation.type=event_driven", "simulation.output=0.01", NULL});
    finish_run(&r);
    double first = sqrt(2 * 0.07 / 9.81), t = first, flight = 2 * first;
    for (int n = 0; n < 30; n++) {
        double speed = 9.81 * flight / 2; /* a distance is known to some 1e-15 m */
        NEAR(event_time(&r, "table.gap", "closed", n), t, 1e-11 + 1e-14 / speed);
        flight *= 0.7;
        t += flight;
    }
    NEAR(r.events[r.n_events - 1].t, first * 1.7 / 0.3, 2e-7);
    assert_int_equal(mode(&r, "table.gap"), 0);
    NEAR(position(&r, "mass.x"), 0, 1e-15);
    NEAR(velocity(&r, "mass.x'"), 0, 0);
    close_run(&r);
}

static void look_at_three(run *r, const ss_state *state)
{
    if (fabs(ss_state_time(state) - 3) < 1e-12) {
        memcpy(r->user, ss_state_q(state), 2 * sizeof(double));
        memcpy((double *)r->user + 2, ss_state_u(state), 2 * sizeof(double));
    }
}

/* Values from an independent integration of the sliding equations with tight tolerances. */
static void sliding_mass(void **state)
{
    (void)state;
    run r;
    double at_three[4] = {0};
    open_run(&r, "sliding_mass",
             (const char *[]){"simulation.type=event_driven", "simulation.output=0.01",
                              "simulation.breaks=3", NULL});
    r.look = look_at_three;
    r.user = at_three;
    finish_run(&r);
    NEAR(at_three[0], -1.270988, 1e-6);
    NEAR(at_three[1], -0.254682, 1e-6);
    NEAR(at_three[2], -1.324693, 1e-6);
    NEAR(at_three[3], -0.132469, 1e-6);
    NEAR(event_time(&r, "table.slip", "stick", 0), 3.665650, 1e-6);
    NEAR(position(&r, "mass.x"), -1.711879, 1e-6);
    NEAR(position(&r, "mass.y"), -0.298771, 1e-6);
    close_run(&r);
}

/* Zeros of the closed form between impacts. */
static const double impacts[] = {0.139507679820308, 0.456188907937245, 0.808598071496330};

static void check_impact_oscillator(const char *method, double tolerance)
{
    run r;
    open_run(
        &r, "impact_oscillator",
        (const char *[]){"simulation.type=event_driven", "simulation.output=0.01", method, NULL});
    finish_run(&r);
    for (int i = 0; i < 3; i++)
        NEAR(event_time(&r, "stop.gap", "closed", i), impacts[i], tolerance);
    assert_int_equal(event_time(&r, "stop.gap", "closed", 3), -1);
    NEAR(position(&r, "mass.x"), -0.314844081062026, 50 * tolerance);
    close_run(&r);
}

static void impact_oscillator(void **state)
{
    (void)state;
    check_impact_oscillator("simulation.method=rkf45", 1e-10);
    check_impact_oscillator("simulation.method=adams", 1e-8);
    check_impact_oscillator("simulation.method=bdf", 1e-8);
}

/* Table 6.1: the switches of one period, in order. */
static void woodpecker(void **state)
{
    static const char *const table[12][2] = {
        {"lower.slip", "stick"}, {"lower.slip", "slip"},  {"lower.gap", "open"},
        {"upper.gap", "closed"}, {"upper.gap", "open"},   {"beak.gap", "closed"},
        {"beak.gap", "open"},    {"upper.gap", "closed"}, {"upper.gap", "open"},
        {"lower.gap", "closed"}, {"lower.gap", "open"},   {"lower.gap", "closed"},
    };
    (void)state;
    run r;
    open_run(&r, "woodpecker",
             (const char *[]){"simulation.type=event_driven", "simulation.output=0.001",
                              "simulation.end=6", NULL});
    finish_run(&r);
    assert_string_equal(r.events[0].law, "lower.gap"); /* closed from the start */
    assert_true(r.n_events > 1 + 12 * 40);
    for (int i = 1; i < r.n_events; i++) {
        assert_string_equal(r.events[i].law, table[(i - 1) % 12][0]);
        assert_string_equal(r.events[i].to, table[(i - 1) % 12][1]);
    }
    double period = (r.events[1 + 12 * 39].t - r.events[1 + 12 * 19].t) / 20;
    NEAR(period, 0.1460, 1e-4);
    close_run(&r);
}

/* Steps that end at switches of 1e-9 s, extrapolated in between: another method altogether. */
static void woodpecker_agrees_with_augmented(void **state)
{
    static const char start[] =
        "systems.toy.position=[0, -0.6/5.8, -0.2788]"; /* closed, without penetration */
    (void)state;
    run e, a;
    open_run(&e, "woodpecker",
             (const char *[]){"simulation.type=event_driven", "simulation.output=0.001",
                              "simulation.end=0.2", start, NULL});
    finish_run(&e);
    open_run(&a, "woodpecker",
             (const char *[]){"simulation.type=augmented", "simulation.step_max=1e-3",
                              "simulation.step_min=1e-9", "simulation.absolute_q=1e-12",
                              "simulation.absolute_u=1e-12", "simulation.end=0.2", start, NULL});
    finish_run(&a);
    NEAR(position(&e, "toy.y"), position(&a, "toy.y"), 1e-8);
    NEAR(event_time(&e, "lower.slip", "stick", 1), event_time(&a, "lower.slip", "stick", 1), 1e-7);
    close_run(&e);
    close_run(&a);
}

/* Stribeck friction: the characteristic of the source, wagon by wagon, as with small constant steps. */
static void train(void **state)
{
    (void)state;
    run e, c;
    open_run(&e, "train2",
             (const char *[]){"simulation.type=event_driven", "simulation.output=0.01",
                              "simulation.breaks=0.8", NULL});
    open_run(&c, "train2", (const char *[]){"simulation.step=1e-5", NULL});
    finish_run(&e);
    finish_run(&c);
    NEAR(event_time(&e, "coupling1.gap", "closed", 0), sqrt(2 * 0.02 / 1.5),
         1e-10); /* 1.5 m/s² for 20 mm */
    NEAR(event_time(&e, "front_wheel1.slip", "stick", 0),
         event_time(&c, "front_wheel1.slip", "stick", 0), 3e-5);
    NEAR(event_time(&e, "front_wheel2.slip", "stick", 0),
         event_time(&c, "front_wheel2.slip", "stick", 0), 3e-5);
    NEAR(velocity(&e, "wagon2.x2'"), velocity(&c, "wagon2.x2'"), 1e-5);
    close_run(&e);
    close_run(&c);
}

/* The printed data, against Runge-Kutta's rule on the sliding equations written down by hand (10⁴ steps). */
static void oblique_slides_off(void **state)
{
    (void)state;
    run r;
    open_run(&r, "oblique_oscillator", NULL);
    finish_run(&r);
    NEAR(position(&r, "body.x"), 0.3580263324, 1e-8);
    NEAR(position(&r, "body.y"), -0.0007871855, 1e-9);
    NEAR(position(&r, "body.gamma"), 0.0420546539, 1e-8);
    assert_int_equal(r.n_events, 3); /* the contacts close at the start, and nothing ever sticks */
    NEAR(position(&r, "body.z"), 0, 1e-14);
    close_run(&r);
}

/* With a larger unbalance on a flatter plane all contacts rest in every period, as with constant steps. */
static void oblique_rests(void **state)
{
    static const char *const laws[] = {"front.slip", "right.slip", "left.slip"};
    (void)state;
    run e, c;
    open_run(&e, "oblique_oscillator",
             (const char *[]){"r_E=0.03", "delta=0.08", "simulation.end=1", NULL});
    open_run(&c, "oblique_oscillator",
             (const char *[]){"r_E=0.03", "delta=0.08", "simulation.end=1",
                              "simulation.type=constant", "simulation.step=1e-4",
                              "simulation.on_failure=warn", NULL});
    finish_run(&e);
    finish_run(&c);
    assert_int_equal(e.n_events, c.n_events);
    for (int i = 0; i < 3; i++)
        for (int n = 0; event_time(&c, laws[i], "slip", n) >= 0; n++) {
            NEAR(event_time(&e, laws[i], "slip", n), event_time(&c, laws[i], "slip", n), 3e-4);
            NEAR(event_time(&e, laws[i], "stick", n), event_time(&c, laws[i], "stick", n), 3e-4);
        }
    double period =
        2 * 3.14159265358979 / 19.6; /* all three break away together, once in every period */
    for (int n = 0; n < 3; n++) {
        double t = event_time(&e, "right.slip", "slip", n);
        assert_true(t > n * period && t < (n + 1) * period);
        NEAR(event_time(&e, "left.slip", "slip", n), t, 0);
    }
    NEAR(position(&e, "body.x"), position(&c, "body.x"), 2e-5);
    NEAR(position(&e, "body.gamma"), position(&c, "body.gamma"), 2e-4);
    close_run(&e);
    close_run(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_mass),
        cmocka_unit_test(sliding_mass),
        cmocka_unit_test(impact_oscillator),
        cmocka_unit_test(woodpecker),
        cmocka_unit_test(train),
        cmocka_unit_test(woodpecker_agrees_with_augmented),
        cmocka_unit_test(oblique_rests),
        cmocka_unit_test(oblique_slides_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
