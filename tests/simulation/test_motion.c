/* test_motion.c: motions with known solutions: flight, oscillation, bounce, collision. */
#include "support/run.h"

static const double G = 9.81;

/* Moreau's rule integrates constant acceleration without error. */
static void projectile_flies_on_its_parabola(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "point", "dim", "3", "mass", "0.7", "position", "1 2 3", "velocity",
               "4 -5 6");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, 1e-3, 2, 0);
    run_to_end(&r);
    assert_near(run_time(&r), 2, 0);
    assert_near(r.q[0], 1 + 4 * 2, 1e-12);
    assert_near(r.q[1], 2 - 5 * 2, 1e-12);
    assert_near(r.q[2], 3 + 6 * 2 - G * 2 * 2 / 2, 1e-12);
    assert_near(r.u[2], 6 - G * 2, 1e-12);
    run_destroy(&r);
}

/* A body turns about its centre of mass while that falls. */
static void free_body_keeps_its_spin(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "bar", "planar_body", "mass", "2", "inertia", "0.1", "velocity", "1 3 7");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    run r = run_create(&w, 1e-3, 1, 0);
    run_to_end(&r);
    assert_near(r.q[0], 1, 1e-12);
    assert_near(r.q[1], 3 - G / 2, 1e-12);
    assert_near(r.q[2], 7, 1e-12);
    assert_near(r.u[2], 7, 0);
    run_destroy(&r);
}

static double oscillator_error(double step)
{
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "1", "mass", "2", "position", "0.5");
    add_force(&w, "wall", "spring", "system", "mass", "to_point", "-3", "stiffness", "8", "length",
              "3.25");
    run r = run_create(&w, step, 5, 0);
    run_to_end(&r);
    double error = r.q[0] - (0.25 + 0.25 * cos(2 * 5.0));
    run_destroy(&r);
    return error;
}

static void oscillator_converges_with_order_two(void **state)
{
    (void)state;
    double coarse = oscillator_error(1e-2), fine = oscillator_error(5e-3);
    assert_true(fabs(fine) < 1e-4);
    assert_near(coarse / fine, 4, 0.05);
}

/* A spring on a line may pass through the point it is fixed to. */
static void spring_passes_through_its_end(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "position", "0.5");
    add_force(&w, "wall", "spring", "system", "mass", "to_point", "0", "stiffness", "4");
    run r = run_create(&w, 1e-3, 3, 0);
    run_to_end(&r);
    assert_near(r.q[0], 0.5 * cos(2 * 3.0), 1e-5);
    run_destroy(&r);
}

/* m u' = -d u, explicitly: u_{k+1} = (1 - d Δt/m) u_k, exactly. */
static void damper_and_drive_decay_as_the_rule_says(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "point", "dim", "1", "mass", "2", "position", "5", "velocity", "3");
    add_system(&w, "b", "point", "dim", "1", "mass", "4");
    add_force(&w, "damper", "damper", "system", "a", "to_point", "0", "damping", "0.5");
    add_force(&w, "motor", "drive", "on", "b.x", "speed", "3", "damping", "2");
    run r = run_create(&w, 1e-2, 1, 0);
    double start = run_balance(&r);
    run_to_end(&r);
    assert_near(r.u[0], 3 * pow(1 - 0.5 * 1e-2 / 2, 100), 1e-13);
    assert_near(r.u[1], 3 - 3 * pow(1 - 2 * 1e-2 / 4, 100), 1e-13);
    assert_near(run_balance(&r), start, 1e-12);
    run_destroy(&r);
}

static void drive_is_limited(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "point", "dim", "1", "mass", "2");
    add_force(&w, "motor", "drive", "on", "x", "speed", "100", "damping", "50", "limit", "3");
    run r = run_create(&w, 1e-2, 1, 0);
    run_to_end(&r);
    assert_near(r.u[0], 1.5, 1e-13);
    run_destroy(&r);
}

/* With ε = 1 the impact step returns the ball with its speed to where it was: no energy is lost,
 * ever. */
static void elastic_ball_keeps_its_energy(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "point", "dim", "2", "mass", "2", "position", "0 1", "velocity",
               "0.3 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "floor", "plane", "system", "ball", "normal", "0 1");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "1");
    run r = run_create(&w, 1e-4, 10, 0);
    double start = run_energy(&r).kinetic + run_energy(&r).potential;
    int bounces = 0;
    while (!ss_simulation_done(r.simulation)) {
        run_step(&r);
        bounces += run_P(&r)[0] > 0;
        if (bounces % 3 == 0)
            assert_near(run_energy(&r).kinetic + run_energy(&r).potential, start, 1e-11 * start);
    }
    assert_int_equal(bounces, (int)((10 / sqrt(2 / G) + 1) / 2)); /* one every 2 √(2h/g) */
    assert_near(run_energy(&r).kinetic + run_energy(&r).potential, start, 1e-11 * start);
    assert_near(run_energy(&r).dissipated, 0, 1e-11 * start);
    assert_near(r.q[0], 3, 1e-11);
    run_destroy(&r);
}

/* S6.5.1: falls from .07 m with ε = .7; the impacts accumulate at √(2h/g) (1 + ε)/(1 - ε) =
 * .676951 s. */
static void falling_mass_comes_to_rest(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.07");
    add_force(&w, "weight", "gravity", "acceleration", "-9.81");
    add_element(&w, "floor", "plane", "system", "ball", "normal", "1");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "0.7");
    run r = run_create(&w, 1e-5, 0.8, 0);
    double first = 0, start = run_balance(&r);
    while (!ss_simulation_done(r.simulation) && run_time(&r) < 0.69) {
        run_step(&r);
        if (first == 0 && run_P(&r)[0] > 0)
            first = run_time(&r);
    }
    assert_near(first, 0.119462, 2e-5);
    assert_near(r.u[0], 0, 1e-12);
    assert_int_equal(run_mode(&r)[0], 0); /* closed */
    double rest = r.q[0];
    run_to_end(&r);
    assert_near(r.q[0], rest, 1e-13);
    assert_near(run_P(&r)[0], G * 1e-5, 1e-15); /* carries its weight */
    assert_near(run_balance(&r), start, 1e-11);
    run_destroy(&r);
}

/* Two balls of different mass hit obliquely: momentum stays, Newton's law holds along the line
 * of centres, and nothing happens across it. */
static void collision_balances_momentum(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "point", "dim", "3", "mass", "1.5", "velocity", "2 0.5 -0.25");
    add_system(&w, "b", "point", "dim", "3", "mass", "0.4", "position", "1 0.3 0.2", "velocity",
               "-1 0 0.5");
    add_element(&w, "contact", "distance", "system", "a", "to", "b", "length", "0.8");
    add_law(&w, "contact", "gap", "unilateral", "restitution", "0.6");
    run r = run_create(&w, 1e-4, 1, 0);
    double momentum[3], before[6], n[3], length = 0, closing = 0, leaving = 0;
    for (int i = 0; i < 3; i++)
        momentum[i] = 1.5 * r.u[i] + 0.4 * r.u[3 + i];
    do {
        memcpy(before, r.u, sizeof before);
        for (int i = 0; i < 3; i++) /* where the rule evaluates the contact */
            n[i] = r.q[3 + i] - r.q[i] + (r.u[3 + i] - r.u[i]) * 0.5e-4;
        run_step(&r);
    } while (run_P(&r)[0] == 0 && !ss_simulation_done(r.simulation));
    for (int i = 0; i < 3; i++)
        length += n[i] * n[i];
    for (int i = 0; i < 3; i++) {
        closing += n[i] / sqrt(length) * (before[3 + i] - before[i]);
        leaving += n[i] / sqrt(length) * (r.u[3 + i] - r.u[i]);
        assert_near(1.5 * r.u[i] + 0.4 * r.u[3 + i], momentum[i], 1e-15);
    }
    assert_true(closing < -1);
    assert_near(leaving, -0.6 * closing, 1e-12);
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3; /* the change of velocity is along n */
        assert_near((r.u[i] - before[i]) * n[k], (r.u[k] - before[k]) * n[i], 1e-14);
    }
    run_destroy(&r);
}

/* A particle between two elastic stops runs on a triangle wave of period 2 · 3 m / (1 m/s). */
static void stops_throw_back(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "bead", "point", "dim", "1", "mass", "1", "velocity", "1");
    add_element(&w, "place", "plane", "system", "bead", "normal", "1");
    add_law(&w, "place", "gap", "stop", "lower", "-1", "upper", "2", "restitution", "1");
    run r = run_create(&w, 1e-3, 20, 0);
    while (!ss_simulation_done(r.simulation)) {
        run_step(&r);
        double phase = fmod(run_time(&r) + 1, 6), x = phase < 3 ? phase - 1 : 5 - phase;
        int impacts = (int)((run_time(&r) + 1) / 3);
        assert_near(r.q[0], x, 1e-3 * (impacts + 1)); /* each impact is at most a step away */
    }
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projectile_flies_on_its_parabola),
        cmocka_unit_test(free_body_keeps_its_spin),
        cmocka_unit_test(oscillator_converges_with_order_two),
        cmocka_unit_test(spring_passes_through_its_end),
        cmocka_unit_test(damper_and_drive_decay_as_the_rule_says),
        cmocka_unit_test(drive_is_limited),
        cmocka_unit_test(elastic_ball_keeps_its_energy),
        cmocka_unit_test(falling_mass_comes_to_rest),
        cmocka_unit_test(collision_balances_momentum),
        cmocka_unit_test(stops_throw_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
