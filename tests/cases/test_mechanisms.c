/* test_mechanisms.c: the introductory system, the motorbike and the elevator of Studer (2009), sections 7.1, 7.6.4 and 7.6.5. */

#include "run.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#define NEAR(value, expected, tolerance) assert_true(fabs((value) - (expected)) <= (tolerance))
#define PI                               3.14159265358979323846

/* ---- Pendulum and mass ---- */

/* With any simulation the impacts and the end are those of tests/reference/pendulum_and_mass.py. */
static void meets_the_mass(const char *const *simulation, double tolerance)
{
    static const double impacts[] = {0.367502486, 0.659860034, 1.450815109};
    run r;
    open_run(&r, "pendulum_and_mass", simulation);
    finish_run(&r);
    for (int i = 0; i < 3; i++)
        NEAR(event_time(&r, "contact.gap", "closed", i), impacts[i], tolerance);
    assert_true(event_time(&r, "contact.gap", "closed", 3) < 0);
    NEAR(position(&r, "pendulum.phi"), -0.048275701, tolerance);
    NEAR(position(&r, "mass.x"), 0.115648387, tolerance);
    NEAR(position(&r, "mass.y"), 0, tolerance);
    close_run(&r);
}

static void simulations_agree_on_the_introductory_system(void **state)
{
    (void)state;
    meets_the_mass((const char *[]){NULL}, 4e-5); /* steps of 10 µs */
    meets_the_mass((const char *[]){"simulation.type=event_driven", "simulation.output=0.1", NULL},
                   1e-8);
    meets_the_mass((const char *[]){"simulation.type=augmented", "simulation.step_max=0.01",
                                    "simulation.step_min=1e-10", NULL},
                   1e-7);
}

/* ---- Motorbike ---- */

typedef struct ride {
    double lift, speed_1, speed_2; /* highest place of the front wheel; speeds at 1.2 and 1.4 s */
} ride;

static void look_at_ride(run *r, const ss_state *state)
{
    ride *seen = r->user;
    double t = ss_state_time(state);
    r->state = (ss_state *)state;
    if (t > 1)
        seen->lift = fmax(seen->lift, position(r, "front.y") - 0.31);
    if (t < 1.2)
        seen->speed_1 = velocity(r, "chassis.x'");
    if (t < 1.4)
        seen->speed_2 = velocity(r, "chassis.x'");
}

static ride accelerate(const char *torque)
{
    run r;
    ride seen = {0};
    const char *overrides[] = {torque, "t_off=10", "simulation.end=2.2", NULL};
    open_run(&r, "motorbike", overrides);
    r.look = look_at_ride;
    r.user = &seen;
    finish_run(&r);
    close_run(&r);
    return seen;
}

/* The front wheel stays down with 290 N m and goes up with 320 N m: at about 10 m/s². */
static void wheely_from_about_ten(void **state)
{
    (void)state;
    ride low = accelerate("M=290"), high = accelerate("M=320");
    assert_true(low.lift < 0.02);
    assert_true(high.lift > 0.5);
    double a = (high.speed_2 - high.speed_1) / 0.2;
    assert_true(a > 9.5 && a < 10.5);
    assert_true((low.speed_2 - low.speed_1) / 0.2 < 9.5);
}

static void look_at_drift(run *r, const ss_state *state)
{
    double *worst = r->user;
    r->state = (ss_state *)state;
    double phi = position(r, "swing.phi"), c = cos(phi), s = sin(phi);
    double px = -0.28, py = 0.31 - 0.365; /* the axle on the swing arm */
    double x = position(r, "swing.x") + c * px - s * py - position(r, "rear.x");
    double y = position(r, "swing.y") + s * px + c * py - position(r, "rear.y");
    worst[0] = fmax(worst[0], hypot(x, y));
    worst[1] = fmax(worst[1], fmin(position(r, "rear.y"), position(r, "front.y")) - 0.31);
}

/* 400 N m from 1 to 1.705 s: it leaves the ground, turns once and lands on its wheels. */
static void somersault(void **state)
{
    (void)state;
    run r;
    double worst[2] = {0};
    const char *overrides[] = {NULL};
    open_run(&r, "motorbike", overrides);
    r.look = look_at_drift;
    r.user = worst;
    finish_run(&r);
    NEAR(position(&r, "chassis.phi"), 2 * PI, 0.05);
    NEAR(position(&r, "rear.y"), 0.31, 1e-3);
    NEAR(position(&r, "front.y"), 0.31, 1e-3);
    assert_true(worst[0] < 1e-5);
    assert_true(worst[1] > 0.2);
    close_run(&r);
}

/* Motorbikes that differ by up to a tenth in everything: what they do differs, but every step is solved. */
static void other_motorbikes_are_solved(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double value;
    } given[] = {{"M", 400},       {"mu", 1.5},   {"J_c", 14},     {"R", 0.31},   {"base", 1.4},
                 {"r_r", 0.108},   {"r_f", 0.04}, {"psi", 0.0674}, {"x_c", 0.73}, {"y_c", 0.69},
                 {"rake", 0.4363}, {"x_s", 0.56}, {"y_s", 0.42}};
    enum { N = sizeof given / sizeof *given };
    random_state random = {7};
    for (int i = 0; i < 5; i++) {
        char text[N][64];
        const char *overrides[N + 1] = {NULL};
        for (int k = 0; k < N; k++) {
            double value = given[k].value * (1 + random_between(&random, -0.1, 0.1));
            snprintf(text[k], sizeof text[k], "%s=%.6f", given[k].name, value);
            overrides[k] = text[k];
        }
        run r;
        open_run(&r, "motorbike", overrides);
        finish_run(&r);
        assert_int_equal(ss_state_statistics(r.state)->failures, 0);
        close_run(&r);
    }
}

/* ---- Elevator ---- */

enum { NODES = 25 };

typedef struct cable {
    int next;
    double q[4][NODES]; /* displacements relative to the first node at four times */
} cable;

static void look_at_cable(run *r, const ss_state *state)
{
    static const double times[4] = {2.29, 2.69, 5.19, 9.39};
    cable *seen = r->user;
    if (seen->next == 4 || ss_state_time(state) < times[seen->next])
        return;
    const double *x = ss_state_q(state);
    for (int i = 0; i < NODES; i++)
        seen->q[seen->next][i] = x[i] + 0.8 * i - x[0];
    seen->next++;
}

/* The end of a cable of N pieces that is loaded with 1 N at t = 0, from its modes. */
static double response(int N, double dx, double t)
{
    const double pi = acos(-1.0), A = 7.8e-5, c = 210e9 * A / dx, d = 2.5e7 * A / dx;
    const double m = 7900 * dx * A;
    double sum = 0;
    for (int k = 1; k <= N; k++) {
        double angle = (2 * k - 1) * pi / (2 * N + 1), omega = 2 * sqrt(c / m) * sin(angle / 2);
        double shape2 = 4.0 / (2 * N + 1) * pow(sin(N * angle), 2), a = omega * omega * d / (2 * c);
        double still, r = sqrt(fabs(omega * omega - a * a));
        if (a < omega) {
            still = exp(-a * t) * (cos(r * t) + a / r * sin(r * t));
        } else {
            double fast = -a - r, slow = omega * omega / fast;
            still = (fast * exp(slow * t) - slow * exp(fast * t)) / (fast - slow);
        }
        sum += shape2 / (m * omega * omega) * (1 - still);
    }
    return sum;
}

static void look_at_end(run *r, const ss_state *state)
{
    double t = ss_state_time(state) - 0.005, *worst = r->user;
    double x = ss_state_q(state)[99] + 99 * 0.2;
    if (t > 0)
        *worst = fmax(*worst, fabs(x + 12e3 * response(99, 0.2, t)));
}

/* Loaded with 12 kN it stretches by up to 26 mm and swings for some tenths of a second. The load begins in the middle of a step: half of
 * one of its steps the end, at 3.8 m/s, may be ahead. */
static void loaded_cable_swings(void **state)
{
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        run r;
        double worst = 0;
        const char *overrides[] = {fine ? "simulation.step=2e-4" : "simulation.step=1e-3",
                                   "simulation.end=0.1", "solver.tolerance=1e-10", NULL};
        open_run(&r, "elevator", overrides);
        r.look = look_at_end;
        r.user = &worst;
        finish_run(&r);
        assert_true(worst < (fine ? 4e-4 : 2e-3));
        close_run(&r);
    }
}

/* A coarser cable, so that it takes seconds, and a scheme that damps, so that nodes are wound at rest: pieces of 0.8 m that give F/c. Nodes 1 … 7 are wound under F_1, 8 … 15 without load,
 * and F_3 acts while they are let go. */
static void wound_cable_keeps_its_strain(void **state)
{
    (void)state;
    static run r;
    static cable seen;
    const double c = 210e9 * 7.8e-5 / 0.8, first = 12e3 / c, third = 2e3 / c;
    const char *overrides[] = {"n=25", "simulation.end=9.395", "solver.tolerance=1e-10",
                               "scheme.theta=1", NULL};
    open_run(&r, "elevator", overrides);
    r.look = look_at_cable;
    r.user = &seen;
    finish_run(&r);
    assert_int_equal(seen.next, 4);
    NEAR(seen.q[0][24], -24 * first, 0.02 * 24 * first);
    for (int i = 8; i < NODES; i++)
        NEAR(seen.q[1][i], -7 * first, 0.01 * 7 * first);
    NEAR(seen.q[2][7], seen.q[1][7], 1e-9); /* frozen */
    NEAR(seen.q[2][24] - seen.q[2][15], -9 * third, 0.02 * 9 * third);
    NEAR(seen.q[3][24], -24 * third, 0.02 * 24 * third);
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulations_agree_on_the_introductory_system),
        cmocka_unit_test(wheely_from_about_ten),
        cmocka_unit_test(somersault),
        cmocka_unit_test(other_motorbikes_are_solved),
        cmocka_unit_test(loaded_cable_swings),
        cmocka_unit_test(wound_cable_keeps_its_strain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
