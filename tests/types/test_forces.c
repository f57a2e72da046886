/* test_forces.c: forces against their potentials, their powers and closed forms. */
#include "support/random.h"
#include "types/place.h"

static void at_random(place *p, random_state *r)
{
    p->t = random_between(r, 0, 2);
    for (int i = 0; i < p->n; i++) {
        p->q[i] = random_between(r, -1, 1);
        p->u[i] = random_between(r, -2, 2);
    }
    p->q[0] += 4; /* points stay apart */
}

/* A world with a point mass and two planar bodies in the plane. */
static world planar_world(void)
{
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "2", "mass", "2");
    add_system(&w, "box", "planar_body", "mass", "3", "inertia", "0.5");
    add_system(&w, "bar", "planar_body", "mass", "4", "inertia", "0.7");
    return w;
}

static void gravity_is_mass_times_acceleration(void **state)
{
    (void)state;
    world w = planar_world();
    add_force(&w, "weight", "gravity", "acceleration", "1 -9.81");
    place p = place_create(&w);
    const double expected[8] = {2, -2 * 9.81, 3, -3 * 9.81, 0, 4, -4 * 9.81, 0};
    double h[8];
    place_h(&p, h);
    for (int i = 0; i < 8; i++)
        assert_near(h[i], expected[i], 1e-14);
    p.q[1] = 0.5;
    p.q[3] = -2;
    assert_near(place_potential(&p, 0, 0), 2 * 9.81 * 0.5 - 3 * 9.81 * 2, 1e-13);
    check_potential(&p);
    place_destroy(&p);
    world_destroy(&w);
}

static void gravity_acts_on_what_is_listed(void **state)
{
    (void)state;
    world w = planar_world();
    add_system(&w, "other", "linear", "coordinates", "s", "mass", "1");
    add_force(&w, "weight", "gravity", "acceleration", "0 -1", "on", "bar ball");
    place p = place_create(&w);
    double h[9];
    place_h(&p, h);
    assert_true(h[1] == -2 && h[3] == 0 && h[6] == -4 && h[8] == 0);
    place_destroy(&p);
    world_destroy(&w);
}

static void gravity_leaves_systems_without_weight(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "other", "linear", "coordinates", "s", "mass", "1");
    add_system(&w, "ball", "point", "dim", "1", "mass", "2");
    add_force(&w, "weight", "gravity", "acceleration", "-3");
    place p = place_create(&w);
    double h[2];
    place_h(&p, h);
    assert_true(h[0] == 0 && h[1] == -6);
    place_destroy(&p);
    world_destroy(&w);
}

static void springs_pull_along_their_potential(void **state)
{
    (void)state;
    world w = planar_world();
    add_force(&w, "s1", "spring", "system", "ball", "to", "box", "to_point", "0.2 0.1", "stiffness",
              "5", "length", "1.5");
    add_force(&w, "s2", "spring", "system", "box", "point", "0.1 -0.3", "to", "bar", "to_point",
              "-1 4", "stiffness", "2");
    add_force(&w, "s3", "spring", "system", "bar", "point", "-0.1 0.3", "to_point", "3 7",
              "stiffness", "4", "length", "9");
    place p = place_create(&w);
    random_state r = {3};
    for (int k = 0; k < 50; k++) {
        at_random(&p, &r);
        check_potential(&p);
    }
    place_destroy(&p);
    world_destroy(&w);
}

static void spring_on_a_line(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "point", "dim", "1", "mass", "1");
    add_system(&w, "b", "point", "dim", "1", "mass", "1");
    add_force(&w, "wall", "spring", "system", "a", "to_point", "-0.15", "stiffness", "20");
    add_force(&w, "link", "spring", "system", "a", "to", "b", "stiffness", "3", "length", "2");
    place p = place_create(&w);
    double h[2];
    p.q[0] = -0.5, p.q[1] = 2;
    place_h(&p, h);
    assert_near(h[0], 20 * 0.35 + 3 * 0.5, 1e-14);
    assert_near(h[1], -3 * 0.5, 1e-14);
    p.q[0] = 0.25, p.q[1] = 1.25; /* the link is too short, the wall behind */
    place_h(&p, h);
    assert_near(h[0], -20 * 0.4 - 3 * 1, 1e-14);
    assert_near(h[1], 3 * 1, 1e-14);
    p.q[0] = -0.15, p.q[1] = 1.85;
    place_h(&p, h);
    assert_near(h[0], 0, 1e-14);
    place_destroy(&p);
    world_destroy(&w);
}

/* uᵀh = -d r'², with r' from differences, and no net force or torque on the pair. */
static void damper_takes_out_power(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "planar_body", "mass", "3", "inertia", "0.5");
    add_system(&w, "b", "planar_body", "mass", "4", "inertia", "0.7");
    add_force(&w, "d", "damper", "system", "a", "point", "0.2 0.4", "to", "b", "to_point",
              "0.1 -0.3", "damping", "0.8");
    place p = place_create(&w);
    random_state r = {5};
    for (int k = 0; k < 50; k++) {
        double h[6], length[4], power = 0;
        at_random(&p, &r);
        for (int i = 0; i < 4; i++) {
            double s = (const double[]){-2, -1, 1, 2}[i] * STEP, q[6];
            for (int j = 0; j < 6; j++)
                q[j] = p.q[j] + s * p.u[j];
            double x =
                q[3] + cos(q[5]) * 0.1 + sin(q[5]) * 0.3 - q[0] - cos(q[2]) * 0.2 + sin(q[2]) * 0.4;
            double y =
                q[4] + sin(q[5]) * 0.1 - cos(q[5]) * 0.3 - q[1] - sin(q[2]) * 0.2 - cos(q[2]) * 0.4;
            length[i] = hypot(x, y);
        }
        double rate = difference(STEP, length[0], length[1], length[2], length[3]);
        place_h(&p, h);
        for (int i = 0; i < 6; i++)
            power += h[i] * p.u[i];
        assert_near(power, -0.8 * rate * rate, 1e-9);
        assert_near(h[0] + h[3], 0, 1e-15);
        assert_near(h[1] + h[4], 0, 1e-15);
        double torque = h[2] + h[5] + p.q[0] * h[1] - p.q[1] * h[0] + p.q[3] * h[4] - p.q[4] * h[3];
        assert_near(torque, 0, 1e-14);
    }
    place_destroy(&p);
    world_destroy(&w);
}

static void drive_follows_its_formula(void **state)
{
    (void)state;
    world w = planar_world();
    assert_ok(&w, ss_model_define(w.model, "amplitude", 0.5));
    add_force(&w, "servo", "drive", "on", "box.phi", "position", "amplitude*sin(2*t)", "stiffness",
              "10", "damping", "3");
    add_force(&w, "motor", "drive", "on", "bar.x", "speed", "4", "damping", "3", "limit", "7");
    place p = place_create(&w);
    double h[8];
    p.t = 0.3;
    p.q[4] = 0.2, p.u[4] = 0.1;
    p.q[5] = 100;
    p.u[5] = 3;
    place_h(&p, h);
    assert_near(h[4], 10 * (0.5 * sin(0.6) - 0.2) + 3 * (cos(0.6) - 0.1), 1e-14);
    assert_near(h[5], 3 * (4 - 3), 1e-14);
    p.u[5] = -50;
    place_h(&p, h);
    assert_true(h[5] == 7);
    p.u[5] = 50;
    place_h(&p, h);
    assert_true(h[5] == -7);
    for (int i = 0; i < 4; i++)
        assert_true(h[i] == 0);
    place_destroy(&p);
    world_destroy(&w);
}

static void bad_forces_are_refused(void **state)
{
    (void)state;
    world w = planar_world();
    add_system(&w, "deep", "point", "dim", "3", "mass", "1");
    add_system(&w, "other", "linear", "coordinates", "s", "mass", "1");
    assert_refused(&w, try_force(&w, "g", "gravity", "acceleration", "0 -9.81"),
                   "force 'g': 'acceleration' has 2 numbers, but system 'deep' has 3 dimensions");
    assert_refused(&w, try_force(&w, "g", "gravity", "acceleration", "0 -9.81", "on", "other"),
                   "force 'g': system 'other' of type 'linear' has no weight; use type point, "
                   "planar_body, body or tree");
    assert_refused(&w, try_force(&w, "g", "gravity", "acceleration", "0 -9.81", "on", "box box"),
                   "force 'g': system 'box' is listed twice in 'on'");
    assert_refused(
        &w, try_force(&w, "g", "spring", "system", "ball", "to_point", "0 0", "stiffness", "-1"),
        "force 'g': 'stiffness' must be a number >= 0 in N/m, not -1");
    assert_refused(&w, try_force(&w, "g", "damper", "system", "ball", "damping", "1"),
                   "force 'g': the second point is missing: give 'to' (a system), or 'to_point' (a "
                   "point fixed in space)");
    world_destroy(&w);

    world empty = world_create(NULL);
    add_system(&empty, "other", "linear", "coordinates", "s", "mass", "1");
    assert_refused(
        &empty, try_force(&empty, "g", "gravity", "acceleration", "-9.81"),
        "force 'g': there is no system of type point, planar_body, body or tree to act on");
    world_destroy(&empty);
}

static void bad_drives_are_refused(void **state)
{
    (void)state;
    world w = planar_world();
    assert_ok(&w, ss_model_define(w.model, "m", 0.5));
    assert_refused(&w, try_force(&w, "d", "drive", "on", "box.x"),
                   "force 'd': give 'position', 'speed' or both");
    assert_refused(&w, try_force(&w, "d", "drive", "on", "box.x", "position", "t"),
                   "force 'd': 'position' and a 'stiffness' > 0 go together");
    assert_refused(
        &w,
        try_force(&w, "d", "drive", "on", "box.x", "speed", "t", "damping", "1", "stiffness", "1"),
        "force 'd': 'position' and a 'stiffness' > 0 go together");
    assert_refused(&w, try_force(&w, "d", "drive", "on", "box.x", "speed", "t"),
                   "force 'd': 'speed' needs a 'damping' > 0");
    assert_refused(
        &w, try_force(&w, "d", "drive", "on", "box.x", "speed", "t", "damping", "1", "limit", "0"),
        "force 'd': 'limit' must be a number > 0, or inf, in N, not 0");
    const char *not_coordinates[] = {"m", "t", "2*box.x"};
    for (int i = 0; i < 3; i++) {
        char message[128];
        snprintf(message, sizeof message, "force 'd': '%s' is no coordinate of a system",
                 not_coordinates[i]);
        assert_refused(
            &w, try_force(&w, "d", "drive", "on", not_coordinates[i], "speed", "t", "damping", "1"),
            message);
    }
    assert_refused(&w, try_force(&w, "d", "drive", "on", "box.x'", "speed", "t", "damping", "1"),
                   "force 'd': 'on' must be the name of a coordinate, not of a velocity");
    assert_refused(
        &w, try_force(&w, "d", "drive", "on", "box.x", "speed", "box.x", "damping", "1"),
        "force 'd': 'speed' may depend on the time t, inputs and parameters only, not on "
        "coordinates: box.x");
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gravity_is_mass_times_acceleration),
        cmocka_unit_test(gravity_acts_on_what_is_listed),
        cmocka_unit_test(gravity_leaves_systems_without_weight),
        cmocka_unit_test(springs_pull_along_their_potential),
        cmocka_unit_test(spring_on_a_line),
        cmocka_unit_test(damper_takes_out_power),
        cmocka_unit_test(drive_follows_its_formula),
        cmocka_unit_test(bad_forces_are_refused),
        cmocka_unit_test(bad_drives_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
