/* test_many.c: several contacts: woodpecker, cradle, trains, bar and block. */

#include "run.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* One period of Studer's Table 6.1, from "friction element 2 slip → stick" on. */
static const struct {
    const char *law, *to;
} table_6_1[12] = {
    {"lower.slip", "stick"}, {"lower.slip", "slip"},  {"lower.gap", "open"},
    {"upper.gap", "closed"}, {"upper.gap", "open"},   {"beak.gap", "closed"},
    {"beak.gap", "open"},    {"upper.gap", "closed"}, {"upper.gap", "open"},
    {"lower.gap", "closed"}, {"lower.gap", "open"},   {"lower.gap", "closed"},
};

static void look_at_height(run *r, const ss_state *state)
{
    double(*heights)[2] = r->user;
    /* Height at the first sticking of each period, found by its time later. */
    int n = (int)ss_state_statistics(state)->switches;
    if (n > 0 && (n - 2) % 12 == 0 && n / 12 < 8 && heights[n / 12][0] == 0) {
        heights[n / 12][0] = ss_state_time(state);
        heights[n / 12][1] = ss_state_q(state)[0];
    }
}

static void woodpecker(void **state)
{
    (void)state;
    run r;
    double heights[8][2] = {{0}};
    const char *overrides[] = {"simulation.end=0.65", NULL};
    open_run(&r, "woodpecker", overrides);
    r.look = look_at_height;
    r.user = heights;
    finish_run(&r);
    /* The first switch is the contact that is closed from the start. */
    assert_string_equal(r.events[0].law, "lower.gap");
    assert_true(r.n_events > 1 + 4 * 12);
    for (int i = 1; i < r.n_events; i++) {
        assert_string_equal(r.events[i].law, table_6_1[(i - 1) % 12].law);
        assert_string_equal(r.events[i].to, table_6_1[(i - 1) % 12].to);
    }
    /* Period 0.1460 s within 1 %, 19.445 mm down in each, once it is periodic. */
    for (int n = 2; n < 4; n++) {
        NEAR(heights[n + 1][0] - heights[n][0], 0.1460, 0.00146);
        NEAR(heights[n + 1][1] - heights[n][1], -0.019445, 0.00019445);
    }
    assert_int_equal(ss_state_statistics(r.state)->failures, 0);
    close_run(&r);
}

/* What goes in comes out: the balance of energies is a matter of the step size. */
static void woodpecker_balances(void **state)
{
    (void)state;
    run r;
    ss_energy start, end;
    open_run(&r, "woodpecker", NULL);
    ss_work *work = ss_simulation_work(ss_scene_simulation(r.scene));
    assert_int_equal(ss_work_energy(work, r.state, &start), SS_OK);
    finish_run(&r);
    assert_int_equal(ss_work_energy(work, r.state, &end), SS_OK);
    double gain = end.kinetic + end.potential + end.dissipated - end.load_work - start.kinetic -
                  start.potential;
    assert_true(end.dissipated > 2e-3);
    NEAR(gain, 0, 1e-6 * end.dissipated);
    close_run(&r);
}

/* The first ball's speed goes through the second to the third, and back: S7.6.2.3. */
static void cradle(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"simulation.end=0.3", NULL};
    open_run(&r, "cradle", overrides);
    finish_run(&r);
    double omega = sqrt(9.81 / 0.3), t = acos(0.0) / omega, v = 0.02 * omega;
    double speed = v * cos(omega * (0.3 - t));
    NEAR(event_time(&r, "row.gap.1", "closed", 0), t, 3e-4);
    NEAR(velocity(&r, "first.x1'"), 0, 1e-3 * v);
    NEAR(velocity(&r, "second.x2'"), 0, 1e-3 * v);
    NEAR(velocity(&r, "third.x3'"), speed, 2e-3 * v);
    close_run(&r);
}

static void cradle_keeps_energy(void **state)
{
    (void)state;
    run r;
    open_run(&r, "cradle", NULL);
    finish_run(&r);
    double whole = 0.5 * 0.1 * 9.81 / 0.3 * 0.02 * 0.02;
    assert_true(fabs(ss_state_statistics(r.state)->dissipated) < 1e-6 * whole);
    close_run(&r);
}

/* F_y, F_phi → which contacts stay closed: S4.2.7.1. */
static void bar(void **state)
{
    (void)state;
    const struct {
        const char *F_y, *F_phi;
        int first, second; /* mode: 0 closed */
    } loads[] = {
        {"F_y=-0.6", "F_phi=0.2", 1, 0},
        {"F_y=-1.2", "F_phi=-1", 0, 1},
        {"F_y=0.6", "F_phi=0", 1, 1},
        {"F_y=-1.2", "F_phi=-0.15", 0, 0},
    };
    for (int i = 0; i < 4; i++) {
        run r;
        const char *overrides[] = {loads[i].F_y, loads[i].F_phi, NULL};
        open_run(&r, "bar", overrides);
        finish_run(&r);
        assert_int_equal(mode(&r, "first.gap"), loads[i].first);
        assert_int_equal(mode(&r, "second.gap"), loads[i].second);
        close_run(&r);
    }
}

/* Sticking, sliding (a = F_x/m - μ |F_y|/m), and tipping: contact forces and acceleration in closed form. */
static void block(void **state)
{
    (void)state;
    run r;
    open_run(&r, "block", NULL);
    finish_run(&r);
    const double *P = ss_state_P(r.state);
    double dt = ss_state_dt(r.state);
    NEAR(position(&r, "block.x"), 0, 1e-14);
    NEAR((P[0] + P[2]) / dt, 20.6, 1e-7);
    NEAR((P[1] + P[3]) / dt, -2, 1e-7);
    close_run(&r);

    const char *sliding[] = {"F_x=10", NULL};
    open_run(&r, "block", sliding);
    finish_run(&r);
    double a = (10 - 0.3 * 20.6) / 2.1;
    NEAR(velocity(&r, "block.x'"), a * 0.2, 1e-8);
    NEAR(position(&r, "block.phi"), 0, 1e-8);
    close_run(&r);

    const char *tipping[] = {"M=4", "simulation.end=0.01", NULL};
    open_run(&r, "block", tipping);
    finish_run(&r);
    assert_int_equal(mode(&r, "left.gap"), 0);
    assert_int_equal(mode(&r, "right.gap"), 1);
    assert_true(position(&r, "block.phi") > 0);
    close_run(&r);
}

/* Modes of the wheels just before and just after the coupling closes. */
typedef struct coupling {
    int before[2], after[2]; /* front wheel of wagon 1, of wagon 2 */
    bool closed;
} coupling;

static void look_at_wheels(run *r, const ss_state *state)
{
    coupling *c = r->user;
    if (c->closed)
        return;
    ss_state *last = r->state;
    r->state = (ss_state *)state;
    int modes[] = {mode(r, "front_wheel1.slip"), mode(r, "front_wheel2.slip")};
    c->closed = mode(r, "coupling1.gap") == 0;
    r->state = last;
    memcpy(c->closed ? c->after : c->before, modes, sizeof modes);
}

/* Fig. 7.12: the wheels of the first wagon slide forward; when the coupling closes they slide backward while those of
 * the second begin to slide forward; then the first roll, then the second, and all do to the end. */
static void train_of_two(void **state)
{
    (void)state;
    run r;
    coupling c = {0};
    open_run(&r, "train2", NULL);
    r.look = look_at_wheels;
    r.user = &c;
    finish_run(&r);
    assert_int_equal(c.before[0], 1);
    assert_int_equal(c.before[1], 0);
    assert_int_equal(c.after[0], -1);
    assert_int_equal(c.after[1], 1);
    double taut = event_time(&r, "coupling1.gap", "closed", 0);
    double first = event_time(&r, "front_wheel1.slip", "stick", 0);
    double second = event_time(&r, "front_wheel2.slip", "stick", 1);
    /* Until then wagon 1 alone: a = (F - 2 a_T)/m = 1.5 m/s² over the play of 0.02 m. */
    NEAR(taut, sqrt(2 * 0.02 / 1.5), 3e-4);
    assert_true(taut < first && first < second && second < 0.8);
    assert_true(event_time(&r, "front_wheel2.slip", "slip", 1) < 0);
    NEAR(velocity(&r, "wagon1.x1'"), velocity(&r, "wagon2.x2'"), 1e-9);
    close_run(&r);
}

/* Six loose wagons start with 0.05 N; taut ones rest below 0.06 N and start with 0.07 N: S7.6.2.1. */
static void train_of_six(void **state)
{
    (void)state;
    const struct {
        const char *F, *play_used;
        bool starts;
    } pulls[] = {
        {"F=0.05", "play_used=0", true},
        {"F=0.05", "play_used=1", false},
        {"F=0.0599", "play_used=1", false},
        {"F=0.07", "play_used=1", true},
    };
    for (int i = 0; i < 4; i++) {
        run r;
        const char *overrides[] = {pulls[i].F, pulls[i].play_used, "simulation.end=1.5", NULL};
        open_run(&r, "train6", overrides);
        finish_run(&r);
        double way = position(&r, "wagon6.x6") + (i > 0 ? 0.1 : 0);
        if (pulls[i].starts)
            assert_true(way > 0.01);
        else
            NEAR(way, 0, 1e-9);
        close_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(woodpecker),   cmocka_unit_test(woodpecker_balances),
        cmocka_unit_test(cradle),       cmocka_unit_test(cradle_keeps_energy),
        cmocka_unit_test(bar),          cmocka_unit_test(block),
        cmocka_unit_test(train_of_two), cmocka_unit_test(train_of_six),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
