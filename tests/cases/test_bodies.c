/* test_bodies.c: toys, towers and other bodies in space against books and closed forms. */

#include "support/test.h"
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))

/* Sticks at 0.3150 s, rests at 1.2742 s: computed independently; Studer 2009, section 7.6.1.1. */
static void ball(void **state)
{
    (void)state;
    run r;
    open_run(&r, "ball", NULL);
    finish_run(&r);
    NEAR(event_time(&r, "foot.slip_spin", "stick", 0), 0.3150, 2e-4);
    NEAR(event_time(&r, "foot.roll", "stick", 0), 1.2742, 2e-4);
    NEAR(velocity(&r, "ball.y'"), 0, 1e-12);
    NEAR(velocity(&r, "ball.wz"), 0, 1e-12);
    close_run(&r);
}

/* Studer 2009, Table 7.6. Laws of friction of an open contact count as slipping here: what the table lists when the
 * first ball lands happens when it jumps. */
static const event table_7_6[] = {
    {0.198, "A.slip_spin", "stick"}, {0.610, "A.gap", "open"},
    {0.610, "A.slip_spin", "slip"},  {0.610, "B.slip_spin", "slip"},
    {0.610, "B.roll", "slip"},       {0.610, "C.gap", "closed"},
    {0.610, "C.gap", "open"},        {0.612, "A.gap", "closed"},
    {0.843, "B.roll", "stick"},      {0.968, "A.slip_spin", "stick"},
    {0.980, "B.slip_spin", "stick"}, {1.14, "A.roll", "stick"},
};

static void two_balls(void **state)
{
    (void)state;
    run r;
    enum { N = sizeof table_7_6 / sizeof *table_7_6, TOUCHING_FROM_THE_START = 4 };
    open_run(&r, "two_balls", NULL);
    finish_run(&r);
    assert_int_equal(r.n_events, TOUCHING_FROM_THE_START + N);
    for (int i = 0; i < N; i++) {
        const event *e = &r.events[TOUCHING_FROM_THE_START + i];
        assert_string_equal(e->law, table_7_6[i].law);
        assert_string_equal(e->to, table_7_6[i].to);
        NEAR(e->t, table_7_6[i].t, 0.02 * table_7_6[i].t);
    }
    close_run(&r);
}

/* With the friction that is printed for one ball the first switch is that of an independent integration of the sliding
 * ball (explicit, steps of 1e-6 s). */
static void first_of_two_balls(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"rolling=0.002", "x2=10", "simulation.end=0.3", NULL};
    open_run(&r, "two_balls", overrides);
    finish_run(&r);
    NEAR(event_time(&r, "A.slip_spin", "stick", 0), 0.193078, 1.5e-4);
    close_run(&r);
}

/* ---- Spinning things ---- */

/* Spins at 2 and 4 s. */
static void look_at_spin(run *r, const ss_state *state)
{
    double *spins = r->user, t = ss_state_time(state);
    for (int i = 0; i < 2; i++)
        if (fabs(t - 2 * (i + 1)) < 1e-5)
            spins[i] = ss_state_u(state)[5];
}

static void rattleback(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        run r;
        double spins[2] = {0};
        const char *overrides[] = {way > 0 ? "spin=5" : "spin=-5", "simulation.end=4.01", NULL};
        open_run(&r, "rattleback", overrides);
        r.look = look_at_spin;
        r.user = spins;
        finish_run(&r);
        assert_true(way * spins[0] > 3);
        assert_true(way > 0 ? spins[1] < -1 : spins[1] < -4);
        close_run(&r);
    }
}

/* The first jumps: once a turn the force is least, by a little less every time. Where that is negative by δ a jump lasts as √δ: the
 * squares of what they last are equally far apart, but for the 0.1 ms of a step. */
static void check_onset(const double *lasted, int count)
{
    double first = lasted[0] * lasted[0], apart = (pow(lasted[count - 1], 2) - first) / (count - 1);
    assert_true(first < 1.1 * apart); /* none is missing before it */
    for (int n = 1; n < count; n++)
        NEAR(lasted[n] * lasted[n], first + n * apart, 4e-4 * lasted[n]);
}

/* Jumps grow from nothing, last between 10 and 25 ms, as printed, and fade away. */
static void egg(void **state)
{
    (void)state;
    run r;
    enum { FIRST = 8 };
    int jumps = 0, printed = 0, first = -1, last = 0;
    double onset[FIRST] = {0};
    open_run(&r, "egg", NULL);
    finish_run(&r);
    for (int n = 0; event_time(&r, "contact.gap", "closed", n + 1) > 0; n++) {
        double lasted = event_time(&r, "contact.gap", "closed", n + 1) -
                        event_time(&r, "contact.gap", "open", n);
        assert_true(lasted < 0.025);
        if (n < FIRST)
            onset[n] = lasted;
        jumps++;
        if (lasted < 0.010)
            continue;
        first = first < 0 ? n : first;
        last = n;
        printed++;
    }
    assert_true(printed >= 150 && printed >= 0.95 * jumps);
    assert_int_equal(last - first + 1, printed);
    check_onset(onset, FIRST);
    assert_true(position(&r, "egg.z") > 0.0295); /* from 0.02 lying to 0.03 upright */
    close_run(&r);
}

static double axis(const run *r)
{
    double e1 = position(r, "top.e1"), e2 = position(r, "top.e2");
    return 1 - 2 * (e1 * e1 + e2 * e2);
}

static void tippe_top(void **state)
{
    (void)state;
    run r;
    const char *overrides[] = {"simulation.step=5e-5", NULL};
    open_run(&r, "tippe_top", overrides);
    finish_run(&r);
    assert_true(axis(&r) < -0.97);
    NEAR(position(&r, "top.z"), 0.021, 4e-4);
    assert_true(velocity(&r, "top.wz") < -50);
    close_run(&r);
}

/* v/v0 = (ω/ω0)^(9/8), and both end together. */
static void puck(void **state)
{
    (void)state;
    run r;
    for (int slow = 0; slow < 2; slow++) {
        const char *overrides[] = {slow ? "w0=10" : "w0=60", slow ? "v0=1.5" : "v0=1",
                                   "simulation.end=0.6", NULL};
        open_run(&r, "puck", overrides);
        finish_run(&r);
        double w = velocity(&r, "puck.wz") / (slow ? 10 : 60);
        NEAR(velocity(&r, "puck.x'") / (slow ? 1.5 : 1), pow(w, 9.0 / 8), 2e-5);
        assert_true(w > 0.1 && w < 0.9);
        close_run(&r);
    }
}

/* sin α = sin α0 (1 - t/T)²: half of T later, and at rest after it. */
static void euler_disk(void **state)
{
    (void)state;
    double T = 1.5 * 0.0375 / 1e-3 * sqrt(0.0375 * sin(0.3) / 9.81);
    run r;
    char end[64];
    snprintf(end, sizeof end, "simulation.end=%.17g", T / 2);
    const char *half[] = {end, NULL};
    open_run(&r, "euler_disk", half);
    finish_run(&r);
    double tilt = 2 * hypot(position(&r, "coin.e1"), position(&r, "coin.e2"));
    NEAR(tilt, sin(0.3) / 4, 0.1 * sin(0.3) / 4);
    close_run(&r);
    open_run(&r, "euler_disk", NULL);
    finish_run(&r);
    NEAR(hypot(velocity(&r, "coin.wx"), velocity(&r, "coin.wy")), 0, 1e-9);
    NEAR(position(&r, "coin.z"), 0.00025, 1e-9);
    close_run(&r);
}

/* ---- Friction that holds ---- */

/* 1e-9 m in 10⁵ steps (long_space.c) allow 1e-11 in 10³. */
static void stack_stands(void **state)
{
    (void)state;
    assert_true(largest_move("stack", NULL) < 1e-11);
}

/* The bound of the arch of n stones: μ² tan φ + (1 + c) μ - c tan φ = 0, c = 1 - 2φ/π, for the joint that needs most. */
static double arch_bound(int n)
{
    double bound = 0;
    for (int k = 1; 2 * k < n; k++) {
        double phi = acos(-1) * k / n, c = 1 - 2.0 * k / n, t = tan(phi);
        bound = fmax(bound, (sqrt((1 + c) * (1 + c) + 4 * c * t * t) - 1 - c) / (2 * t));
    }
    return bound;
}

static void arch_stands_above_its_bound(void **state)
{
    (void)state;
    char mu[64];
    const char *overrides[] = {mu, "solver.tolerance=1e-10", "simulation.end=0.3", NULL};
    const char *standing[] = {mu, NULL};
    double bound = arch_bound(7);
    NEAR(bound, 0.298157, 1e-6);
    snprintf(mu, sizeof mu, "mu=%.17g", bound * 1.003);
    assert_true(largest_move("arch", standing) < 1e-11);
    snprintf(mu, sizeof mu, "mu=%.17g", bound * 0.997);
    assert_true(largest_move("arch", overrides) > 1e-4);
}

static void card_house_stands_above_its_bound(void **state)
{
    (void)state;
    const double X = 0.03, e = 0.0006, k = 1 / tan(0.35), L = 0.09;
    double a = ((X + e) * (X + e) - X * X) * k / 2;
    double x_c = -((pow(X + e, 3) - pow(X, 3)) / 3) / ((X + e) * (X + e) - X * X);
    double P = (L * e + 2 * a) / 2;
    double bound = (a * (X + x_c) + P / 2 * X) / ((X + e) * k) / (a + P / 2);
    char mu[64];
    const char *overrides[] = {mu, "solver.tolerance=1e-7", "simulation.end=0.05", NULL};
    const char *standing[] = {mu, NULL};
    snprintf(mu, sizeof mu, "mu=%.17g", bound * 1.01);
    assert_true(largest_move("card_house", standing) < 1e-10);
    snprintf(mu, sizeof mu, "mu=%.17g", bound * 0.97);
    assert_true(largest_move("card_house", overrides) > 1e-5);
}

/* All fall, one after the other, each by the next. */
static void dominoes(void **state)
{
    (void)state;
    run r;
    open_run(&r, "dominoes", NULL);
    finish_run(&r);
    for (int i = 0; i < 15; i++) {
        char name[32];
        snprintf(name, sizeof name, "stone_%d.z", i);
        assert_true(position(&r, name) < 0.012); /* of 0.024 */
        snprintf(name, sizeof name, "stone_%d.x'", i);
        NEAR(velocity(&r, name), 0, 1e-4);
    }
    close_run(&r);
}

/* Whatever the friction, the push and the step, every step is solved: a run ends at the first one that is not. */
static void dominoes_are_solved(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"mu=0.1", "gap=0.015", "simulation.step=1e-3"},
        {"mu=0.6", "push=5", "simulation.step=1e-3"},
        {"mu=1", "gap=0.03", "simulation.step=1e-3"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        run r;
        open_run(&r, "dominoes", sets[i]);
        finish_run(&r);
        assert_true(position(&r, "stone_0.z") < 0.02);
        assert_int_equal(ss_state_statistics(r.state)->failures, 0);
        close_run(&r);
    }
}

/* An impact without collision where p < 0, the same for every step; sliding where p > 0. */
static void rod_jams(void **state)
{
    (void)state;
    const double l = 0.5, r0 = 0.005, phi = 1.1, v = 2;
    double cx = l * cos(phi), cz = r0 + l * sin(phi);
    double after = v * cz / (l * l / 3 + cx * cx + cz * cz);
    for (int i = 0; i < 3; i++) {
        run r;
        double dt = pow(10, -3 - i);
        char step[64], end[64];
        snprintf(step, sizeof step, "simulation.step=%.17g", dt);
        snprintf(end, sizeof end, "simulation.end=%.17g", dt);
        const char *overrides[] = {step, end, NULL}, *slippery[] = {step, end, "mu=1", NULL};
        open_run(&r, "jamming_rod", overrides);
        finish_run(&r);
        NEAR(velocity(&r, "rod.wy"), after, 20 * dt);
        assert_int_equal(mode(&r, "tip.slip"), 0);
        close_run(&r);
        open_run(&r, "jamming_rod", slippery);
        finish_run(&r);
        assert_true(fabs(velocity(&r, "rod.wy")) < 100 * dt);
        assert_int_equal(mode(&r, "tip.slip"), 1);
        close_run(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball),
        cmocka_unit_test(two_balls),
        cmocka_unit_test(first_of_two_balls),
        cmocka_unit_test(rattleback),
        cmocka_unit_test(egg),
        cmocka_unit_test(tippe_top),
        cmocka_unit_test(puck),
        cmocka_unit_test(euler_disk),
        cmocka_unit_test(stack_stands),
        cmocka_unit_test(arch_stands_above_its_bound),
        cmocka_unit_test(card_house_stands_above_its_bound),
        cmocka_unit_test(dominoes),
        cmocka_unit_test(dominoes_are_solved),
        cmocka_unit_test(rod_jams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
