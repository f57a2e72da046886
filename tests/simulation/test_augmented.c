/* test_augmented.c: augmented time-stepping: switches, accumulation points, breaks, options. */
#include "simulation/run_augmented.h"

static const double G = 9.81;

static void falling_ball(world *w, const char *restitution)
{
    add_system(w, "ball", "point", "dim", "1", "mass", "0.3", "position", "0.07");
    add_force(w, "weight", "gravity", "acceleration", "-9.81");
    add_element(w, "table", "expression", "gap", "x");
    add_law(w, "table", "gap", "unilateral", "restitution", restitution);
}

/* Impacts at √(2z/g) (1 + 2(ε + ε² + …)), to twice the least step each; they accumulate, and the
 * ball rests. */
static void impacts_are_localized_and_accumulation_is_passed(void **state)
{
    (void)state;
    double first = sqrt(0.14 / G), rest = first * 1.7 / 0.3, least = 1e-9;
    world w = moving_world();
    run r;
    falling_ball(&w, "0.7");
    run_augmented(&w, &r, "step_max", "0.05", "step_min", "1e-9", "end", "1.5");
    double t = first, flight = 2 * first;
    for (int n = 0; n < 12; n++) {
        double impact = run_to_switch(&r, 0, 1); /* closes; one step later it is open again */
        assert_near(impact, t, 2 * (n + 1) * least);
        assert_near(run_to_switch(&r, 0, 1), impact, 1.01 * least);
        flight *= 0.7;
        t += flight;
    }
    run_to_end(&r);
    assert_int_equal(run_mode(&r)[0], 0);
    assert_near(r.q[0], 0, 1e-9);
    assert_near(r.u[0], 0, 1e-12);
    assert_true(run_sums(&r)->steps < 2000);
    assert_true(run_sums(&r)->switches < 200);
    assert_near(run_balance(&r), 0.3 * G * 0.07, 1e-9);
    run_destroy(&r);

    w = moving_world();
    falling_ball(&w, "0.7");
    run_augmented(&w, &r, "step_max", "0.05", "step_min", "1e-9", "end", "1.5");
    double last = 0, largest = 0;
    ss_step step;
    while (!ss_simulation_done(r.simulation)) {
        assert_ok(&w, ss_simulation_advance(r.simulation, &step));
        last = step.n_switches ? step.switches[0].t : last;
        largest = step.n_switches ? 0 : fmax(largest, ss_state_dt(step.state));
    }
    assert_near(last, rest, 1e-7);
    assert_near(largest, 0.05, 1e-15); /* grown again after the last of all switches */
    run_destroy(&r);
}

/* A block that slides with v stops after v/(μ g), on v²/(2 μ g); a pull below the bound does not
 * move it, one above it does, at once. */
static void friction_stops_and_breaks_away(void **state)
{
    (void)state;
    world w = moving_world();
    run r;
    add_system(&w, "block", "point", "dim", "1", "mass", "2", "velocity", "3");
    add_force(&w, "pull", "load", "on", "x", "force", "t>2?8*(t-2):0");
    add_element(&w, "ground", "expression", "slip", "x'");
    add_law(&w, "ground", "slip", "friction", "bound", "5");
    run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-10", "end", "4", "breaks", "2");
    assert_near(run_to_switch(&r, 0, 1), 3 / 2.5, 3e-10);
    assert_near(r.q[0], 9 / 5.0, 3e-10);
    assert_near(run_to_switch(&r, 0, 1), 2 + 5 / 8.0, 1e-11);
    run_to_end(&r);
    double s = 2 - 5 / 8.0; /* then u' = 4 s */
    assert_near(r.u[0], 2 * s * s, 1e-8);
    assert_near(r.q[0], 9 / 5.0 + 2 * s * s * s / 3, 1e-8);
    run_destroy(&r);
}

/* A force that changes its sign drives a mass to and fro without a stop: u = 0 is passed, where
 * friction jumps. */
static void sliding_turns_round(void **state)
{
    (void)state;
    world w = moving_world();
    run r;
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "velocity", "2");
    add_force(&w, "pull", "load", "on", "x", "force", "-3");
    add_element(&w, "ground", "expression", "slip", "x'");
    add_law(&w, "ground", "slip", "friction", "bound", "1");
    run_augmented(&w, &r, "step_max", "1", "step_min", "1e-10", "end", "2");
    run_to_end(&r);
    /* 4 m/s² for half a second, then 2 m/s² */
    assert_near(r.u[0], -2 * 1.5, 1e-9);
    assert_near(r.q[0], 0.5 - 1.5 * 1.5, 1e-9);
    run_destroy(&r);
}

/* A mass on a table that moves up and down, 0.1 sin t, with little gravity, leaves it where the
 * table's acceleration is g, asin(g/0.1), with the table's speed. So slow a loss of contact is
 * hidden by rounding for about 1e-5 s. */
static void slow_lift_off(void **state)
{
    (void)state;
    const double g = 0.05, off = asin(g / 0.1);
    world w = moving_world();
    run r;
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "velocity", "0.1");
    add_force(&w, "weight", "gravity", "acceleration", "-0.05");
    add_element(&w, "table", "expression", "gap", "x-0.1*sin(t)");
    add_law(&w, "table", "gap", "unilateral");
    run_augmented(&w, &r, "step_max", "0.05", "step_min", "1e-10", "end", "4", "absolute_q",
                  "1e-11", "absolute_u", "1e-11", "relative_q", "0", "relative_u", "0");
    assert_true(run_to_switch(&r, 0, 1) < 1e-9);
    assert_near(run_to_switch(&r, 0, 1), off, 1e-10);
    run_to_end(&r);
    double s = 4 - off;
    assert_near(r.q[0], 0.1 * sin(off) + 0.1 * cos(off) * s - g * s * s / 2, 1e-9);
    assert_near(r.u[0], 0.1 * cos(off) - g * s, 1e-9);
    assert_true(run_sums(&r)->steps < 300);
    run_destroy(&r);
}

/* A ladder that slides down without friction leaves the wall when its height is 2/3 of the first
 * one. Both contacts are curved in the coordinates, with restitution or without. */
static void ladder(const char *restitution)
{
    world w = moving_world();
    run r;
    add_system(&w, "rod", "planar_body", "mass", "1", "inertia", "1/12", "position",
               "0.5*cos(1.2) 0.5*sin(1.2) -1.2");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "floor", "expression", "gap", "y+0.5*sin(phi)");
    add_law(&w, "floor", "gap", "unilateral", "restitution", restitution);
    add_element(&w, "wall", "expression", "gap", "x-0.5*cos(phi)");
    add_law(&w, "wall", "gap", "unilateral", "restitution", restitution);
    run_augmented(&w, &r, "step_max", "0.02", "step_min", "1e-9", "end", "0.5");
    double start = run_balance(&r);
    assert_true(run_to_switch(&r, 1, 1) < 1e-8);
    run_to_switch(&r, 1, 1);
    assert_near(sin(-r.q[2]), 2 * sin(1.2) / 3, 1e-8);
    assert_near(r.u[2] * r.u[2], 3 * G * (sin(1.2) + sin(r.q[2])),
                1e-6); /* φ'² = 3 g (sin φ0 - sin φ)/L */
    run_to_end(&r);
    assert_near(r.q[1] + 0.5 * sin(r.q[2]), 0, 1e-9); /* the floor holds on */
    assert_near(run_balance(&r), start, 1e-6);
    assert_true(run_sums(&r)->steps < 1000);
    run_destroy(&r);
}

static void ladder_leaves_the_wall(void **state)
{
    (void)state;
    ladder("0");
    ladder("0.5");
}

static void breaks_are_met(void **state)
{
    (void)state;
    world w = moving_world();
    run r;
    ss_step step;
    add_system(&w, "mass", "point", "dim", "1", "mass", "1");
    add_force(&w, "pull", "load", "on", "x", "force", "t<0.3?2:t<0.75?-1:0");
    run_augmented(&w, &r, "step_max", "0.1", "step_min", "1e-8", "end", "1", "breaks", "0.3 0.75");
    bool met[2] = {false, false};
    while (!ss_simulation_done(r.simulation)) {
        assert_ok(&w, ss_simulation_advance(r.simulation, &step));
        met[0] = met[0] || ss_state_time(step.state) == 0.3;
        met[1] = met[1] || ss_state_time(step.state) == 0.75;
    }
    run_look(&r);
    assert_true(met[0] && met[1]);
    assert_true(run_time(&r) == 1);
    assert_near(r.u[0], 0.6 - 0.45, 1e-14);
    assert_near(r.q[0], 0.09 + 0.6 * 0.45 - 0.45 * 0.45 / 2 + 0.15 * 0.25, 1e-14);
    assert_true(run_sums(&r)->steps < 40);
    run_destroy(&r);
}

/* With K_t the least step is K_t step_max^p, and the first step has it. */
static void least_step_from_largest(void **state)
{
    (void)state;
    world w = moving_world();
    run r;
    falling_ball(&w, "0.7");
    run_augmented(&w, &r, "step_max", "0.1", "K_t", "2", "order", "3", "end", "1");
    run_step(&r);
    assert_near(ss_state_dt(ss_simulation_state(r.simulation)), 2e-3, 1e-18);
    run_destroy(&r);
}

static void refuse(const char *key, const char *value, const char *message)
{
    world w = moving_world();
    run r;
    falling_ball(&w, "0");
    assert_refused(
        &w, try_augmented(&w, &r, "end", "1", "step_max", "0.1", key, value, (const char *)NULL),
        message);
    run_destroy(&r);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    const char *either = "simulation: give either 'step_min' (in s) or 'K_t', each > 0";
    refuse("order", "2", either);
    refuse("K_t", "1",
           "simulation: 'K_t' does nothing here: it goes with 'order>0'; leave it out, or change "
           "'order'");
    refuse("step_min", "0.2",
           "simulation: the least step (0.2 s) must not exceed step_max = 0.1 s");
    world w = moving_world();
    run r;
    falling_ball(&w, "0");
    assert_refused(&w,
                   try_augmented(&w, &r, "end", "1", "step_max", "0.1", "step_min", "1e-3", "K_t",
                                 "1", "order", "2", (const char *)NULL),
                   either);
    run_destroy(&r);
}

/* A motor drives a mass with sin(t): its velocity is that, and not zero as that of a constraint. */
static void motor_is_followed(void **state)
{
    (void)state;
    world w = moving_world();
    run r;
    add_system(&w, "cart", "point", "dim", "1", "mass", "2");
    add_element(&w, "drive", "expression", "slip", "x'");
    add_law(&w, "drive", "slip", "motor", "speed", "sin(t)");
    run_augmented(&w, &r, "end", "1", "step_max", "0.05", "step_min", "1e-9");
    run_to_end(&r);
    assert_near(r.u[0], sin(1), 1e-8);
    assert_near(r.q[0], 1 - cos(1), 1e-8);
    run_destroy(&r);
}

/* A fast oscillation: the tolerances allow steps that are small beside step_max, and that do not chatter. So the least step
 * stays as it is, and the error of 300 rad that of the tolerances. */
static void steps_that_tolerances_make_small(void **state)
{
    (void)state;
    const char *const localize[] = {"look_ahead", "regula_falsi"};
    for (int i = 0; i < 2; i++) {
        world w = moving_world();
        run r;
        add_system(&w, "mass", "point", "dim", "1", "mass", "1", "position", "1");
        add_force(&w, "spring", "load", "on", "x", "force", "-300^2*x");
        run_augmented(&w, &r, "end", "1", "step_max", "0.01", "step_min", "1e-5", "localize",
                      localize[i]);
        run_to_end(&r);
        assert_near(r.q[0], cos(300), 1e-4);
        assert_near(r.u[0] / 300, -sin(300), 1e-4);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_localized_and_accumulation_is_passed),
        cmocka_unit_test(friction_stops_and_breaks_away),
        cmocka_unit_test(sliding_turns_round),
        cmocka_unit_test(slow_lift_off),
        cmocka_unit_test(ladder_leaves_the_wall),
        cmocka_unit_test(breaks_are_met),
        cmocka_unit_test(least_step_from_largest),
        cmocka_unit_test(motor_is_followed),
        cmocka_unit_test(steps_that_tolerances_make_small),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
