/* test_driven.c: bodies of prescribed motion, with event-driven integration and augmented time-stepping, against closed
 * forms. */
#include "simulation/run_augmented.h"
#include "simulation/run_event.h"
#include "types/types.h"

#include <stdbool.h>

static const double G = 9.81, MU = 0.3, R = 0.05;
static const double ACCURACY =
    2e-8; /* event-driven: with 1e-10 in a step, and slip that ends at 1e-8 m/s */

/* Both methods, to the end. */
enum { EVENT_DRIVEN, IDA, AUGMENTED, WAYS };

static run run_by(world *w, int way, double end)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", end);
    run r;
    if (way == AUGMENTED)
        run_augmented(w, &r, "step_max", "0.01", "step_min", "1e-11", "end", text, "order_max", "8",
                      "absolute_q", "1e-11", "absolute_u", "1e-11", "relative_u", "1e-11");
    else
        r = event_run(w, way == IDA ? "ida" : "rkf45", end);
    run_to_end(&r);
    return r;
}

/* A ball on a table that moves; it begins with the table's velocity. */
static world ball_on_table(const char *motion, const char *velocity, const char *restitution)
{
    world w = moving_world();
    add_system(&w, "table", "body", "motion", motion);
    add_system(&w, "ball", "body", "position", "0 0 0.05", "velocity", velocity);
    add_shape(&w, "table", "plane", "on", "table");
    add_shape(&w, "ball", "sphere", "radius", "0.05", "on", "ball", "density", "1000");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral", "restitution", restitution);
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    return w;
}

/* It is left behind when the table's acceleration downward is g. */
static void a_ball_is_thrown_off(void **state)
{
    (void)state;
    double a = 0.02, omega = 30, t = asin(G / (a * omega * omega)) / omega, late = 0.1 - t;
    double z = R + a * sin(omega * t) + a * omega * cos(omega * t) * late - G * late * late / 2;
    for (int way = 0; way < WAYS; way++) {
        world w = ball_on_table("0 0 0.02*sin(30*t)", "0 0 0.6 0 0 0", "0");
        run r = run_by(&w, way, 0.1);
        assert_near(r.q[7 + 2], z, ACCURACY);
        assert_near(r.u[6 + 2], a * omega * cos(omega * t) - G * late, ACCURACY);
        assert_near(r.q[2], a * sin(omega * 0.1), 1e-15);
        run_destroy(&r);
    }
}

/* The table begins with velocity v = a ω. */
typedef struct shaking {
    double a, omega, slips, turns; /* m, 1/s, s */
} shaking;

/* Slip s' = a ω² sin ω t - 7/2 μ g from where both are equal; where it is zero again. */
static shaking shaken(double a, double omega)
{
    double least = 3.5 * MU * G, t = asin(least / (a * omega * omega)) / omega;
    double low = 4 * t, high = 5.5 / omega;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        double s = a * omega * (cos(omega * t) - cos(omega * middle)) - least * (middle - t);
        *(s > 0 ? &low : &high) = middle;
    }
    return (shaking){a, omega, t, low};
}

/* Shaken along x the ball rolls at first, then slips forward, then back: friction has turned. A ball rolls with 2/7 of the
 * table's acceleration, and slips with μ g and 5/2 μ g/R. */
static void a_ball_is_dragged_to_and_fro(void **state)
{
    (void)state;
    shaking s = shaken(0.05, 30);
    double lost = s.a * s.omega * (1 - cos(s.omega * s.slips)), end = 0.2;
    double pushed = (s.turns - s.slips) - (end - s.turns);
    for (int way = 0; way < WAYS; way++) {
        world w = ball_on_table("0.05*sin(30*t) 0 0", "1.5 0 0 0 0 0", "0");
        run r = run_by(&w, way, end);
        assert_near(r.u[6], s.a * s.omega - 2.0 / 7 * lost - MU * G * pushed, ACCURACY);
        assert_near(R * r.u[6 + 4], 5.0 / 7 * lost + 2.5 * MU * G * pushed, ACCURACY);
        run_destroy(&r);
    }
}

/* The table's velocity jumps: an impact of what is fixed to it, and of what is on it: without restitution, because γ⁻ is
 * zero. 0.105 s is between two outputs. */
static void a_table_that_starts_takes_along(void **state)
{
    (void)state;
    const char *const motions[] = {"0 0 t<0.1?0:0.5*(t-0.1)", "0 0 t<0.105?0:0.5*(t-0.105)"};
    for (int i = 0; i < 2 * WAYS; i++) {
        world w = ball_on_table(motions[i % 2], "0 0 0 0 0 0", "0.5");
        add_system(&w, "load", "body", "mass", "1", "inertia", "1", "position", "1 0 0");
        add_element(&w, "weld", "fixed", "system", "load", "to", "table", "at", "1 0 0");
        run r = run_by(&w, i / 2, 0.15);
        double z = i % 2 ? 0.0225 : 0.025;
        assert_near(r.u[6 + 2], 0.5, ACCURACY);
        assert_near(r.q[7 + 2], R + z, ACCURACY);
        assert_near(r.u[12 + 2], 0.5, ACCURACY);
        assert_near(r.q[14 + 2], z, ACCURACY);
        run_destroy(&r);
    }
}

/* What is welded to a body that turns goes round with it; what that takes is work of the motion. */
static void what_is_welded_goes_round(void **state)
{
    (void)state;
    const char *const frames[2] = {"inertial", "body"};
    for (int i = 0; i < 2 * WAYS; i++) {
        world w = moving_world();
        add_system(&w, "tool", "body", "motion", "0.3*sin(5*t) 0.1*t^2 0", "turn", "2*t+sin(3*t)",
                   "axis", "0 0 1", "frame", frames[i % 2]);
        add_system(&w, "work", "body", "mass", "2", "inertia", "1 2 2.5", "position", "0.5 0 0.1",
                   "velocity", "1.5 2.5 0 0 0 5", "frame", frames[1 - i % 2]);
        add_element(&w, "weld", "fixed", "system", "work", "to", "tool", "at", "0.2 0 0");
        run r = run_by(&w, i / 2, 1);
        double angle = 2 + sin(3);
        assert_near(r.q[7], 0.3 * sin(5) + 0.5 * cos(angle), ACCURACY);
        assert_near(r.q[8], 0.1 + 0.5 * sin(angle), ACCURACY);
        assert_near(r.u[5], 2 + 3 * cos(3), 1e-14);
        assert_near(r.u[11], 2 + 3 * cos(3), ACCURACY);
        double before = 0.5 * 2 * (1.5 * 1.5 + 2.5 * 2.5) + 0.5 * 2.5 * 25; /* as at first */
        ss_energy energy = run_energy(&r);
        assert_near(energy.kinetic - energy.load_work, before, 1e-6);
        run_destroy(&r);
    }
}

static void a_type_must_know_its_accelerations(void **state)
{
    (void)state;
    world w = moving_world();
    ss_system_ops ops = ss_body_ops;
    run r;
    ops.type.name = "bare";
    ops.acceleration = NULL;
    assert_ok(&w, ss_register_system(w.context, &ops));
    add_system(&w, "tool", "bare", "motion", "0 0 sin(t)");
    assert_int_equal(try_event_run(&w, "rkf45", 1, &r), SS_UNSUPPORTED);
    assert_string_equal(ss_context_message(w.context),
                        "system 'tool': event-driven integration cannot treat it: its motion is "
                        "prescribed, and its type has no function 'acceleration'; use "
                        "time-stepping");
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_thrown_off),
        cmocka_unit_test(a_ball_is_dragged_to_and_fro),
        cmocka_unit_test(a_table_that_starts_takes_along),
        cmocka_unit_test(what_is_welded_goes_round),
        cmocka_unit_test(a_type_must_know_its_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
