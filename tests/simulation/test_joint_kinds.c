/* test_joint_kinds.c: every kind of joint moves as it may and is held as it must; stops, friction, springs and motors on
 * displacements and swings. */
#include "assembly/work.h"
#include "model/body.h"
#include "support/run.h"

/* A sled of 2 kg on a rail along x. */
static world sled(const char *velocity)
{
    world w = moving_world();
    add_system(&w, "sled", "body", "mass", "2", "inertia", "0.1 0.2 0.3", "velocity", velocity);
    add_element(&w, "rail", "prismatic", "system", "sled", "axis", "1 0 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    return w;
}

static void stops_limit_a_slider(void **state)
{
    (void)state;
    world w = sled("2 0 0 0 0 0");
    add_law(&w, "rail", "slide", "stop", "lower", "-0.1", "upper", "0.3", "restitution", "0.5");
    run r = run_create(&w, 1e-3, 0.65, 1e-12);
    for (int i = 0; i < 400; i++) /* 0.15 s to the stop, then back with 1 m/s */
        run_step(&r);
    assert_near(r.u[0], -1, 1e-12);
    assert_near(r.q[0], 0.3 - 0.25, 5e-3);
    run_to_end(&r); /* and from the other one with 0.5 m/s */
    assert_near(r.u[0], 0.5, 1e-12);
    run_destroy(&r);
}

static void spring_and_damper_on_a_slider(void **state)
{
    (void)state;
    const double d = 3.0 / 2, Omega = sqrt(8 - d * d / 4);
    world w = sled("0 0 0 0 0 0");
    add_law(&w, "rail", "push", "spring_damper", "stiffness", "16", "damping", "3", "rest", "0.5");
    run r = run_create(&w, 1e-4, 1, 1e-12);
    run_to_end(&r);
    double x = 0.5 - 0.5 * exp(-d / 2) * (cos(Omega) + d / 2 / Omega * sin(Omega));
    assert_near(r.q[0], x, 1e-4);
    run_destroy(&r);
}

/* A motor of 4 N at most brings the sled to 3 m/s in 1.5 s and keeps it there. */
static void motor_on_a_slider(void **state)
{
    (void)state;
    world w = sled("0 0 0 0 0 0");
    add_law(&w, "rail", "slip", "motor", "speed", "3", "limit", "4");
    run r = run_create(&w, 1e-3, 2, 1e-12);
    for (int i = 0; i < 1000; i++)
        run_step(&r);
    assert_near(r.u[0], 2, 1e-9);
    run_to_end(&r);
    assert_near(r.u[0], 3, 1e-12);
    run_destroy(&r);
}

/* What never opens does not close in the first step; a stop out of reach is open. */
static void joints_are_closed_from_the_start(void **state)
{
    (void)state;
    world w = sled("0 0 0 0 0 0");
    add_law(&w, "rail", "slide", "stop", "lower", "-0.1", "upper", "0.1");
    run r = run_create(&w, 1e-3, 1, 1e-12);
    const int *mode = ss_state_mode(ss_simulation_state(r.simulation));
    int n = ss_model_sizes(w.model).n_laws, open = 0;
    for (int l = 0; l < n; l++)
        open += mode[l] != SS_MODE_CONSTRAINT;
    assert_int_equal(open, 1);
    run_step(&r);
    assert_int_equal(ss_state_statistics(ss_simulation_state(r.simulation))->switches, 0);
    run_destroy(&r);
}

/* A motor that pushes against a stop misses its speed in one direction, however rounding moves the sled. */
static void motor_against_a_stop(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        world w = sled("0 0 0 0 0 0");
        add_law(&w, "rail", "slide", "stop", "lower", "-0.1", "upper", "0.1");
        add_law(&w, "rail", "slip", "motor", "speed", way > 0 ? "1" : "-1", "limit", "4");
        run r = run_create(&w, 1e-3, 1, 1e-12);
        run_to_end(&r);
        assert_near(r.q[0], way * 0.1, 1e-3);
        assert_int_equal(ss_state_mode(ss_simulation_state(r.simulation))[1], -way);
        run_destroy(&r);
    }
}

/* What is free of a cylindrical joint goes on, the rest carries the weight. */
static void cylinder_turns_and_slides(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "bolt", "body", "mass", "2", "inertia", "0.1 0.2 0.3", "velocity",
               "0.4 0 0 3 0 0");
    add_element(&w, "sleeve", "cylindrical", "system", "bolt", "axis", "1 0 0");
    add_law(&w, "sleeve", "turn", "friction", "bound", "0.1");
    add_law(&w, "sleeve", "slip", "friction", "bound", "0.2");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, 1e-3, 1, 1e-12);
    run_to_end(&r);
    assert_near(r.u[0], 0.4 - 0.2 / 2, 1e-9);
    assert_near(r.u[3], 3 - 0.1 / 0.1, 1e-9);
    assert_near(r.q[1], 0, 1e-9);
    assert_near(r.q[2], 0, 1e-9);
    run_destroy(&r);
}

/* On a plane: round friction in any direction, and turning about the normal. */
static void plate_slides_on_its_plane(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        char velocity[100];
        snprintf(velocity, sizeof velocity, "%.17g %.17g 0 0 0 2", 2 * cos(i), 2 * sin(i));
        world w = moving_world();
        add_system(&w, "plate", "body", "mass", "2", "inertia", "0.1 0.2 0.3", "velocity",
                   velocity);
        add_element(&w, "table", "planar", "system", "plate", "axis", "0 0 1");
        add_law(&w, "table", "slip", "friction", "bound", "1");
        add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
        run r = run_create(&w, 1e-3, 1, 1e-12);
        run_to_end(&r);
        assert_near(r.u[0], 1.5 * cos(i), 1e-9);
        assert_near(r.u[1], 1.5 * sin(i), 1e-9);
        assert_near(r.u[5], 2, 1e-9);
        assert_near(r.q[2], 0, 1e-9);
        run_destroy(&r);
    }
}

/* A stop at 0.3 m along one direction of the plane, a spring of 8 N/m along the other: v = cos 2t. */
static void plate_between_stop_and_spring(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "plate", "body", "mass", "2", "inertia", "0.1 0.2 0.3", "velocity", "1 2 0");
    add_element(&w, "table", "planar", "system", "plate", "axis", "0 0 1", "cross_axis", "0 1 0");
    add_law(&w, "table", "slide", "stop", "upper", "0.3", "restitution", "0.5");
    add_law(&w, "table", "cross_push", "spring_damper", "stiffness", "8");
    run r = run_create(&w, 1e-4, 0.5, 1e-12);
    run_to_end(&r);
    assert_near(r.u[0], cos(1), 1e-4);
    assert_near(r.u[1], -1, 1e-12);
    assert_near(r.q[1], 0.3 - 0.35, 5e-4);
    run_destroy(&r);
}

/* About the axis a stop at 0.4 rad, which 2 rad/s reach after 0.2 s; about the other a spring of 1 N m/rad: ω = cos 2t. */
static void cross_with_stop_and_spring(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        world w = moving_world();
        add_system(&w, "ball", "body", "mass", "1", "inertia", "0.25", "velocity",
                   other ? "0 0 0 0 1 0" : "0 0 0 2 0 0");
        add_element(&w, "cross", "universal", "system", "ball", "axis", "1 0 0", "cross_axis",
                    "0 1 0");
        add_law(&w, "cross", "angle", "stop", "upper", "0.4", "restitution", "0.5");
        add_law(&w, "cross", "cross_drive", "spring_damper", "stiffness", "1");
        run r = run_create(&w, 1e-4, 0.3, 1e-12);
        run_to_end(&r);
        assert_near(r.u[3], other ? 0 : -1, 1e-9);
        assert_near(r.u[4], other ? cos(0.6) : 0, 1e-4);
        run_destroy(&r);
    }
}

/* A spring of 1 N m/rad pulls the swing of a ball joint back: ω = cos 2t. */
static void spring_in_a_ball_joint(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.25", "velocity", "0 0 0 0 1 0");
    add_element(&w, "socket", "spherical", "system", "ball", "axis", "0 0 1");
    add_law(&w, "socket", "drive", "spring_damper", "stiffness", "1");
    run r = run_create(&w, 1e-4, 1, 1e-12);
    run_to_end(&r);
    assert_near(r.u[4], cos(2), 2e-4);
    run_destroy(&r);
}

/* Two bodies that are welded turn as one: about the common centre, with the inertia of both. */
static void welded_bodies_are_one(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "body", "mass", "1", "inertia", "0.1", "position", "-0.5 0 0", "velocity",
               "0 -1 0 0 0 2");
    add_system(&w, "b", "body", "mass", "1", "inertia", "0.1", "position", "0.5 0 0", "velocity",
               "0 1 0 0 0 2");
    add_element(&w, "weld", "fixed", "system", "a", "to", "b", "at", "0 0 0");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    run_to_end(&r);
    assert_near(r.u[5], 2, 1e-5);
    assert_near(r.u[11], 2, 1e-5);
    assert_near(r.q[7], 0.5 * cos(2), 1e-4);
    assert_near(r.q[8], 0.5 * sin(2), 1e-4);
    assert_near(r.q[0], -r.q[7], 1e-12);
    run_destroy(&r);
}

/* Two balls at the ends of a rod of 1 m go round each other. */
static void rod_keeps_the_distance(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "body", "mass", "1", "inertia", "0.1", "velocity", "0 -3 0");
    add_system(&w, "b", "body", "mass", "2", "inertia", "0.1", "position", "1 0 0", "velocity",
               "0 1.5 0");
    add_element(&w, "rod", "distance", "system", "a", "to", "b", "length", "1");
    add_law(&w, "rod", "gap", "bilateral", "stabilize", "true");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    run_to_end(&r);
    double angle = 4.5; /* 3 m/s + 1.5 m/s over 1 m */
    assert_near(r.q[7] - r.q[0], cos(angle), 1e-4);
    assert_near(r.q[8] - r.q[1], sin(angle), 1e-4);
    assert_near(hypot(r.q[7] - r.q[0], r.q[8] - r.q[1]), 1, 1e-5);
    run_destroy(&r);
}

/* A ball joint with a friction of 0.5 N m in any direction, and one whose swing is limited. */
static void ball_joint_rubs_and_stops(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "ball", "body", "mass", "1", "inertia", "0.25", "velocity", "0 0 0 2 3 6");
    add_element(&w, "socket", "spherical", "system", "ball", "at", "0 0 0");
    add_law(&w, "socket", "turn", "friction", "bound", "0.5");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    run_to_end(&r);
    const double first[3] = {2, 3, 6}, left = (7 - 0.5 / 0.25) / 7;
    for (int k = 0; k < 3; k++)
        assert_near(r.u[3 + k], left * first[k], 1e-9);
    run_destroy(&r);
    w = moving_world();
    add_system(&w, "stick", "body", "mass", "1", "inertia", "0.25", "velocity", "0 0 0 0 2 0");
    add_element(&w, "socket", "spherical", "system", "stick", "at", "0 0 0", "axis", "0 0 1");
    add_law(&w, "socket", "angle", "stop", "lower", "-1", "upper", "0.4", "restitution", "0.5");
    r = run_create(&w, 1e-3, 0.3, 1e-13);
    run_to_end(&r); /* 0.2 s to the stop */
    assert_near(r.u[4], -1, 1e-6);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_limit_a_slider),
        cmocka_unit_test(spring_and_damper_on_a_slider),
        cmocka_unit_test(motor_on_a_slider),
        cmocka_unit_test(motor_against_a_stop),
        cmocka_unit_test(joints_are_closed_from_the_start),
        cmocka_unit_test(cylinder_turns_and_slides),
        cmocka_unit_test(plate_slides_on_its_plane),
        cmocka_unit_test(plate_between_stop_and_spring),
        cmocka_unit_test(cross_with_stop_and_spring),
        cmocka_unit_test(spring_in_a_ball_joint),
        cmocka_unit_test(welded_bodies_are_one),
        cmocka_unit_test(rod_keeps_the_distance),
        cmocka_unit_test(ball_joint_rubs_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
