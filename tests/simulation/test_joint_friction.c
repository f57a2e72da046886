/* test_joint_friction.c: friction in joints that grows with the force they carry. */
#include "assembly/work.h"
#include "model/body.h"
#include "simulation/run_event.h"

/* A rotor whose weight is carried by its pin loses μ ρ m g / J of its speed in a second, and then rests. */
static void weight_brakes_a_hinge(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "rotor", "body", "mass", "2", "inertia", "0.01 0.02 0.01", "velocity",
               "0 0 0 0 3 0");
    add_element(&w, "pin", "revolute", "system", "rotor", "axis", "0 1 0");
    add_law(&w, "pin", "turn", "joint_friction", "mu", "0.1", "radius", "0.02");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, 1e-3, 3, 1e-12);
    const double loss = 0.1 * 0.02 * 2 * 9.81 / 0.02;
    for (int i = 0; i < 1000; i++)
        run_step(&r);
    assert_near(r.u[4], 3 - loss, 1e-9);
    run_to_end(&r);
    assert_near(r.u[4], 0, 1e-14);
    run_destroy(&r);
}

/* On a rail of the slope α a sled moves with g (sin α - μ cos α), or not at all. */
static void slope_of_a_slider(void **state)
{
    (void)state;
    const double slopes[] = {0.3, 0.1001, 0.0999};
    for (int i = 0; i < 3; i++) {
        char axis[64];
        double a = atan(slopes[i]), v = 9.81 * (sin(a) - 0.1 * cos(a));
        snprintf(axis, sizeof axis, "1 0 %.17g", -slopes[i]);
        world w = moving_world();
        add_system(&w, "sled", "body", "mass", "3", "inertia", "0.1");
        add_element(&w, "rail", "prismatic", "system", "sled", "axis", axis);
        add_law(&w, "rail", "slip", "joint_friction", "mu", "0.1");
        add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
        run r = run_create(&w, 1e-3, 1, 1e-12);
        run_to_end(&r);
        assert_near(r.u[0] * cos(a) - r.u[2] * sin(a), fmax(v, 0), 1e-9);
        if (v < 0)
            assert_near(r.q[0], 0, 1e-14);
        run_destroy(&r);
    }
}

enum { M = 2, G = 10 };
static const double J_c = 0.02, e = 0.1, mu = 0.3, rho = 0.05;

/* The pin carries the weight along it, m e ω² and m e ω' across it; ω' of the braked rotor by iteration. */
static double braking(double omega)
{
    double alpha = 0;
    for (int i = 0; i < 100; i++) {
        double F = sqrt(pow(M * G, 2) + pow(M * e * omega * omega, 2) + pow(M * e * alpha, 2));
        alpha = -mu * rho * F / (J_c + M * e * e);
    }
    return alpha;
}

/* The speed after half a second, by Runge and Kutta's method. */
static double braked(double omega)
{
    enum { STEPS = 2000 };
    const double h = 0.5 / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double a = braking(omega), b = braking(omega + h / 2 * a), c = braking(omega + h / 2 * b),
               d = braking(omega + h * c);
        omega += h / 6 * (a + 2 * b + 2 * c + d);
    }
    return omega;
}

static world unbalanced_rotor(void)
{
    world w = moving_world();
    add_system(&w, "rotor", "body", "mass", "2", "inertia", "0.01 0.01 0.02", "position", "0.1 0 0",
               "velocity", "0 2 0 0 0 20");
    add_element(&w, "pin", "revolute", "system", "rotor", "at", "0 0 0", "axis", "0 0 1");
    add_law(&w, "pin", "turn", "joint_friction", "mu", "0.3", "radius", "0.05");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -10");
    return w;
}

static double unbalanced_error(double step)
{
    world w = unbalanced_rotor();
    run r = run_create(&w, step, 0.5, 1e-12);
    run_to_end(&r);
    double error = fabs(r.u[5] - braked(20));
    run_destroy(&r);
    return error;
}

/* A force that changes with the speed it brakes. */
static void unbalance_brakes_a_hinge(void **state)
{
    (void)state;
    double coarse = unbalanced_error(2e-3), fine = unbalanced_error(5e-4);
    assert_true(braked(20) > 1 && braked(20) < 15);
    assert_true(fine < 2e-2);
    assert_true(coarse / fine > 3);
}

static void refuses(const char *law_group, const char *reaction, const char *message)
{
    world w = moving_world();
    ss_args *args;
    add_system(&w, "rotor", "body", "mass", "2", "inertia", "0.1");
    add_element(&w, "pin", "revolute", "system", "rotor", "axis", "0 0 1");
    assert_int_equal(ss_args_create(w.context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "mu", 0.1), SS_OK);
    assert_int_equal(ss_args_set_text(args, "reaction", reaction), SS_OK);
    ss_status status = ss_model_add_law(w.model, "pin", law_group, "joint_friction", args);
    if (status == SS_OK)
        status = ss_model_seal(w.model);
    assert_int_not_equal(status, SS_OK);
    if (!strstr(ss_context_message(w.context), message))
        fail_msg("%s", ss_context_message(w.context));
    ss_args_destroy(args);
    world_destroy(&w);
}

static void what_does_not_press_is_refused(void **state)
{
    (void)state;
    refuses("turn", "gaps", "'gaps' cannot scale it: another group of the same element is needed");
    refuses("turn", "turn", "'turn' cannot scale it");
    refuses("turn", "angle", "group 'angle' has no law");
    refuses("angle", "gap", "kinematic");
}

/* Event-driven integration: the same rotor, and the time at which the weight alone has braked another. */
static void events_of_braked_rotors(void **state)
{
    (void)state;
    world w = unbalanced_rotor();
    run r = event_run(&w, "rkf45", 0.5);
    run_to_end(&r);
    assert_near(r.u[5], braked(20), 1e-7);
    run_destroy(&r);
    w = moving_world();
    add_system(&w, "rotor", "body", "mass", "2", "inertia", "0.01 0.02 0.01", "velocity",
               "0 0 0 0 3 0");
    add_element(&w, "pin", "revolute", "system", "rotor", "axis", "0 1 0");
    add_law(&w, "pin", "turn", "joint_friction", "mu", "0.1", "radius", "0.02");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    r = event_run(&w, "rkf45", 2);
    seen s = run_seen(&r);
    assert_int_equal(s.switches[s.count - 1].to, SS_MODE_CONSTRAINT);
    assert_near(s.switches[s.count - 1].t, 3 * 0.02 / (0.1 * 0.02 * 2 * 9.81), 1e-9);
    assert_near(r.u[4], 0, 1e-12);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weight_brakes_a_hinge),
        cmocka_unit_test(events_of_braked_rotors),
        cmocka_unit_test(slope_of_a_slider),
        cmocka_unit_test(unbalance_brakes_a_hinge),
        cmocka_unit_test(what_does_not_press_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
