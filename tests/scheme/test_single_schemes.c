/* test_single_schemes.c: what is known of one scheme: GGL's ball, tolerances of an event manager, the rope of the preconditioned index 3. */
#include "stepping.h"

static const double G = 9.81;

/* ---- GGL ball (S5.3.7)
 * ------------------------------------------------------------------------------------------ */

static stepper ggl_ball_at_first(world *w, const char *scheme)
{
    *w = stepping_world();
    add_system(w, "ball", "point", "dim", "1", "mass", "1", "position", "0.01");
    add_force(w, "weight", "gravity", "acceleration", "-9.81");
    add_element(w, "table", "expression", "gap", "x");
    add_law(w, "table", "gap", "unilateral", "restitution", "0.2");
    return stepper_create(w, scheme);
}

static stepper ggl_ball(world *w, const char *scheme)
{
    stepper s = ggl_ball_at_first(w, scheme);
    stepper_run(&s, 0.4, 80);
    return s;
}

static void ggl_without_tolerance_hops_for_ever(void **state)
{
    (void)state;
    world w;
    stepper s = ggl_ball(&w, "ggl penetration=0");
    double u_crit = G * 0.005 * 0.2 / 1.2;
    for (int i = 0; i < 10; i++) {
        double expected = s.u[0] > 0 ? -u_crit / 0.2 : u_crit;
        stepper_step(&s, 0.005);
        assert_near(s.u[0], expected, 1e-7);
    }
    stepper_destroy(&s);
}

static void ggl_with_tolerance_rests(void **state)
{
    (void)state;
    const char *schemes[] = {"ggl penetration=2.05e-5", "ggl"};
    for (int i = 0; i < 2; i++) {
        world w;
        stepper s = ggl_ball(&w, schemes[i]);
        double x = s.q[0];
        assert_true(x <= 0 && x >= -2.05e-5);
        stepper_run(&s, 0.05, 10);
        assert_near(s.u[0], 0, 1e-15);
        assert_near(s.q[0], x, 1e-15);
        stepper_destroy(&s);
    }
}

/* The ball of Figs 5.15 and 5.16 by S5.84–S5.90, and what the projections bring in: the energy rises
 * when it should stay, by 1.9 mJ after the second impact. */
static void ggl_follows_its_formulas(void **state)
{
    (void)state;
    const double deltas[] = {0, 2.05e-5}, dt = 0.005, epsilon = 0.2;
    for (int k = 0; k < 2; k++) {
        world w;
        char scheme[64];
        snprintf(scheme, sizeof scheme, "ggl penetration=%g", deltas[k]);
        stepper s = ggl_ball_at_first(&w, scheme);
        double x = 0.01, u = 0, gain = 0;
        for (int i = 0; i < 60; i++) {
            bool closed = x + dt / 2 * u <= 0;
            double u_E = u - G * dt, before = G * x + u * u / 2;
            if (closed)
                u_E = fmax(u_E, -epsilon * u);
            x = fmax(x + (u + u_E) / 2 * dt, -deltas[k]);
            u = u_E;
            gain = fmax(gain, G * x + u * u / 2 - before);
            stepper_step(&s, dt);
            assert_near(s.q[0], x, 1e-12);
            assert_near(s.u[0], u, 1e-9);
            assert_near(stepper_energy(&s), G * x + u * u / 2, 1e-9);
        }
        assert_near(gain, 1.925e-3, 1e-6);
        stepper_destroy(&s);
    }
}

/* A projected position never goes deeper than δ. */
static void ggl_keeps_positions_admissible(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.5");
    add_force(&w, "weight", "gravity", "acceleration", "-9.81");
    add_element(&w, "table", "expression", "gap", "x");
    add_law(&w, "table", "gap", "unilateral", "restitution", "0.5");
    stepper s = stepper_create(&w, "ggl penetration=1e-4");
    for (int i = 0; i < 400; i++) {
        stepper_step(&s, 0.005);
        assert_true(s.q[0] >= -1e-4 - 1e-12);
    }
    stepper_destroy(&s);
}

/* ---- Tolerances of the event manager: a gap is closed up to max(δ_a, δ_b Δt³)
 * -------------------------------- */

/* Where a ball 1 µm above the table is after a step of 0.01 s. */
static double height_after_a_step(const char *scheme)
{
    world w = stepping_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "1e-6");
    add_force(&w, "weight", "gravity", "acceleration", "-9.81");
    add_element(&w, "table", "expression", "gap", "x");
    add_law(&w, "table", "gap", "unilateral", "restitution", "0.5");
    stepper s = stepper_create(&w, scheme);
    stepper_step(&s, 0.01);
    double x = s.q[0];
    stepper_destroy(&s);
    return x;
}

static void tolerances_of_the_event_manager(void **state)
{
    (void)state;
    assert_near(height_after_a_step("potra delta_a=2e-6"), 1e-6, 1e-15); /* it is held */
    assert_near(height_after_a_step("potra delta_b=1.5"), 1e-6, 1e-15);
    assert_true(height_after_a_step("potra") < 0.99e-6); /* it falls and bounces */
    assert_true(height_after_a_step("potra delta_a=0.5e-6") < 0.99e-6);
    assert_true(height_after_a_step("potra delta_b=0.5") < 0.99e-6);
}

/* ---- Rope pendulum (S5.3.8)
 * ------------------------------------------------------------------------------------- */

/* Taut, slack and taut again; the rope never gets longer, and the impact takes two steps. */
static void rope_goes_slack_and_taut(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "mass", "point", "dim", "2", "mass", "1", "position", "-1 0", "velocity",
               "0 6.5");
    add_force(&w, "weight", "gravity", "acceleration", "9.81 0");
    add_element(&w, "rope", "distance", "system", "mass", "to_point", "0 0", "length", "1", "side",
                "inside");
    add_law(&w, "rope", "gap", "unilateral");
    stepper s = stepper_create(&w, "preconditioned_index3");
    bool was_slack = false, impact = false;
    double largest = 0;
    for (int i = 0; i < 1200; i++) {
        double before = ss_state_P(s.now)[0], slack_before = 1 - hypot(s.q[0], s.q[1]);
        stepper_step(&s, 0.005);
        double P = ss_state_P(s.now)[0], slack = 1 - hypot(s.q[0], s.q[1]);
        assert_true(slack > -1e-9);
        was_slack = was_slack || slack > 1e-3;
        if (before == 0 && P > 0 && slack_before > 1e-6) { /* first of two steps */
            double first = P;
            stepper_step(&s, 0.005);
            double radial = (s.q[0] * s.u[0] + s.q[1] * s.u[1]) / hypot(s.q[0], s.q[1]);
            largest = fmax(first, ss_state_P(s.now)[0]);
            assert_true(ss_state_P(s.now)[0] > 0);
            assert_near(radial, 0, 0.1); /* inelastic: what is left is curvature, u² Δt/L */
            impact = true;
        }
    }
    assert_true(was_slack && impact && largest > 0.5);
    stepper_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ggl_without_tolerance_hops_for_ever),
        cmocka_unit_test(ggl_with_tolerance_rests),
        cmocka_unit_test(ggl_follows_its_formulas),
        cmocka_unit_test(ggl_keeps_positions_admissible),
        cmocka_unit_test(tolerances_of_the_event_manager),
        cmocka_unit_test(rope_goes_slack_and_taut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
