/* test_elements.c: gaps, force directions and inhomogeneities against differences and closed
 * forms. */
#include "support/random.h"
#include "types/place.h"

/* Checks element 0 at random places, with the coordinates up to `reach` and velocities up to 2. */
static void check_at_random(world *w, double reach)
{
    random_state r = {7};
    place p = place_create(w);
    for (int k = 0; k < 50; k++) {
        p.t = random_between(&r, 0, 2);
        for (int i = 0; i < p.n; i++) {
            p.q[i] = random_between(&r, -reach, reach);
            p.u[i] = random_between(&r, -2, 2);
        }
        check_element(&p, 0);
    }
    place_destroy(&p);
}

static void plane_agrees_with_differences(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++) {
        const char *dims[] = {"1", "2", "3"};
        const char *normals[] = {"-2", "1 3", "1 -2 2"};
        const char *places[] = {"0.3", "0.3 -0.4", "0.3 -0.4 0.7"};
        const char *velocities[] = {"0.5", "0.5 0.25", "0.5 0.25 -1"};
        world w = world_create(NULL);
        add_system(&w, "ball", "point", "dim", dims[dim - 1], "mass", "1");
        add_element(&w, "floor", "plane", "system", "ball", "normal", normals[dim - 1], "through",
                    places[dim - 1], "velocity", velocities[dim - 1]);
        add_law(&w, "floor", "gap", "unilateral");
        check_at_random(&w, 1);
        world_destroy(&w);
    }
}

static void plane_of_a_body_agrees_with_differences(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "box", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "floor", "plane", "system", "box", "point", "0.2 -0.3", "normal", "1 3",
                "through", "0.1 0.2", "velocity", "1 0.5", "radius", "0.4");
    add_law(&w, "floor", "gap", "unilateral");
    check_at_random(&w, 2);
    world_destroy(&w);
}

/* A wheel that rolls without slipping covers its circumference in a turn; one that spins in
 * place rubs with r φ'. */
static void plane_slip_of_a_wheel(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "wheel", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "floor", "plane", "system", "wheel", "normal", "0 1", "radius", "0.4",
                "velocity", "0.5 0");
    add_law(&w, "floor", "gap", "unilateral");
    place p = place_create(&w);
    double gamma[2], g[2];
    p.q[1] = 0.4;
    p.q[2] = 1.3;
    place_gap(&p, 0, 0, g);
    assert_near(g[0], 0, 1e-16);
    p.u[0] = 0.5 + 0.4 * 3; /* clockwise is to the right */
    p.u[2] = -3;
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[0], 0, 1e-15);
    assert_near(gamma[1], 0, 1e-15);
    p.u[0] = 0;
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[1], -0.4 * 3 - 0.5, 1e-15);
    place_destroy(&p);
    world_destroy(&w);
}

/* The velocity of a point of a body, from differences of its place, in the frame of the plane. */
static void plane_slip_is_the_velocity_along_the_line(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "box", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "floor", "plane", "system", "box", "point", "0.2 -0.3", "normal", "0 2");
    add_law(&w, "floor", "gap", "unilateral");
    place p = place_create(&w);
    const double q[3] = {0.3, 0.5, 0.7}, u[3] = {0.2, -0.4, 1.1};
    double gamma[2], x[4];
    memcpy(p.q, q, sizeof q);
    memcpy(p.u, u, sizeof u);
    for (int i = 0; i < 4; i++) {
        double s = (const double[]){-2, -1, 1, 2}[i] * STEP, phi = q[2] + s * u[2];
        x[i] = q[0] + s * u[0] + cos(phi) * 0.2 + sin(phi) * 0.3;
    }
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[1], difference(STEP, x[0], x[1], x[2], x[3]), 1e-10);
    place_destroy(&p);
    world_destroy(&w);
}

/* n, t1, t2 are orthonormal and right-handed; the slip rows are the velocity's components in t1
 * and t2. */
static void plane_frame_in_space(void **state)
{
    (void)state;
    const char *normals[] = {"0 0 1", "0 1 0", "1 0 0", "-1 0 0", "1 2 3", "0.95 0.2 0.1"};
    for (size_t k = 0; k < sizeof normals / sizeof *normals; k++) {
        world w = world_create(NULL);
        add_system(&w, "ball", "point", "dim", "3", "mass", "1");
        add_element(&w, "floor", "plane", "system", "ball", "normal", normals[k]);
        add_law(&w, "floor", "gap", "unilateral");
        place p = place_create(&w);
        double gamma[3];
        place_velocity(&p, 0, 0, gamma);
        const double *n = p.work->elements[0].W[0], *t1 = n + 3, *t2 = n + 6;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double dot =
                    n[3 * i] * n[3 * j] + n[3 * i + 1] * n[3 * j + 1] + n[3 * i + 2] * n[3 * j + 2];
                assert_near(dot, i == j, 1e-15);
            }
        double volume = n[0] * (t1[1] * t2[2] - t1[2] * t2[1]) -
                        n[1] * (t1[0] * t2[2] - t1[2] * t2[0]) +
                        n[2] * (t1[0] * t2[1] - t1[1] * t2[0]);
        assert_near(volume, 1, 1e-15);
        if (k == 0)
            assert_true(t1[0] == 1 && t2[1] == 1);
        place_destroy(&p);
        world_destroy(&w);
    }
}

static void plane_tangent_can_be_chosen(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "3", "mass", "1");
    add_element(&w, "floor", "plane", "system", "ball", "normal", "0 0 2", "tangent", "3 4 7");
    add_law(&w, "floor", "gap", "unilateral");
    place p = place_create(&w);
    double gamma[3];
    p.u[0] = 3;
    p.u[1] = 4;
    place_velocity(&p, 0, 0, gamma);
    assert_near(gamma[1], 5, 1e-15);
    assert_near(gamma[2], 0, 1e-15);
    place_destroy(&p);
    world_destroy(&w);
}

static void distance_agrees_with_differences(void **state)
{
    (void)state;
    const char *sides[] = {"outside", "inside"};
    for (int side = 0; side < 2; side++)
        for (int dim = 2; dim <= 3; dim++) {
            const char *dims[] = {"2", "3"};
            world w = world_create(NULL);
            add_system(&w, "a", "point", "dim", dims[dim - 2], "mass", "1");
            add_system(&w, "b", "point", "dim", dims[dim - 2], "mass", "1");
            add_element(&w, "rope", "distance", "system", "a", "to", "b", "length", "2+sin(3*t)",
                        "side", sides[side]);
            add_law(&w, "rope", "gap", "unilateral");
            place p = place_create(&w);
            random_state r = {11};
            for (int k = 0; k < 50; k++) {
                p.t = random_between(&r, 0, 2);
                for (int i = 0; i < p.n; i++) {
                    p.q[i] = random_between(&r, -1, 1) + (i == 0 ? 2 : 0); /* apart */
                    p.u[i] = random_between(&r, -1, 1);
                }
                p.q[dim] -= 2;
                check_element(&p, 0);
            }
            place_destroy(&p);
            world_destroy(&w);
        }
}

static void distance_of_bodies_agrees_with_differences(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "planar_body", "mass", "1", "inertia", "1");
    add_system(&w, "b", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "rod", "distance", "system", "a", "point", "0.1 0.2", "to", "b", "to_point",
                "-0.3 0.1", "length", "1");
    add_law(&w, "rod", "gap", "bilateral");
    place p = place_create(&w);
    random_state r = {12};
    for (int k = 0; k < 50; k++) {
        for (int i = 0; i < p.n; i++) {
            p.q[i] = random_between(&r, -1, 1) + (i == 0 ? 4 : 0);
            p.u[i] = random_between(&r, -1, 1);
        }
        check_element(&p, 0);
    }
    place_destroy(&p);
    world_destroy(&w);
}

static void distance_has_its_sign(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "1", "mass", "1");
    add_element(&w, "out", "distance", "system", "ball", "to_point", "-1", "length", "3");
    add_element(&w, "in", "distance", "system", "ball", "to_point", "-1", "length", "3", "side",
                "inside");
    add_law(&w, "out", "gap", "unilateral");
    add_law(&w, "in", "gap", "unilateral");
    place p = place_create(&w);
    double g, gamma;
    p.q[0] = 4;
    p.u[0] = 0.5;
    place_gap(&p, 0, 0, &g);
    assert_true(g == 2);
    place_velocity(&p, 0, 0, &gamma);
    assert_true(gamma == 0.5);
    place_gap(&p, 1, 0, &g);
    assert_true(g == -2);
    place_velocity(&p, 1, 0, &gamma);
    assert_true(gamma == -0.5);
    place_destroy(&p);
    world_destroy(&w);
}

static void distance_stays_finite_where_the_points_coincide(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "2", "mass", "1");
    add_element(&w, "rope", "distance", "system", "ball", "to_point", "0 0", "length", "1", "side",
                "inside");
    add_law(&w, "rope", "gap", "unilateral");
    place p = place_create(&w);
    double g, gamma, zeta_hat;
    p.u[1] = 3;
    place_gap(&p, 0, 0, &g);
    place_velocity(&p, 0, 0, &gamma);
    place_zeta_hat(&p, 0, &zeta_hat);
    assert_true(g == 1 && isfinite(gamma) && isfinite(zeta_hat));
    place_destroy(&p);
    world_destroy(&w);
}

static void joint_agrees_with_differences(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "planar_body", "mass", "1", "inertia", "1");
    add_system(&w, "b", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "hinge", "joint", "system", "a", "point", "0.5 0.1", "to", "b", "to_point",
                "-0.5 0.3", "angle", "0.7");
    add_law(&w, "hinge", "gap", "bilateral");
    add_law(&w, "hinge", "angle", "stop", "lower", "-1", "upper", "1");
    add_law(&w, "hinge", "turn", "friction", "bound", "1");
    check_at_random(&w, 2);
    world_destroy(&w);
}

static void joint_has_angle_and_turn(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "planar_body", "mass", "1", "inertia", "1");
    add_system(&w, "b", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "hinge", "joint", "system", "a", "to", "b", "angle", "0.7");
    add_element(&w, "axle", "joint", "system", "a", "to_point", "1 2");
    add_law(&w, "hinge", "gap", "bilateral");
    add_law(&w, "axle", "gap", "bilateral");
    place p = place_create(&w);
    double g[4], gamma[4];
    p.q[2] = 0.25, p.q[5] = 1;
    p.u[2] = 3, p.u[5] = -2;
    place_gap(&p, 0, 0, g);
    assert_near(g[2], 1 - 0.25 - 0.7, 1e-15);
    place_velocity(&p, 0, 0, gamma);
    assert_true(gamma[2] == -5 && gamma[3] == -5);
    place_gap(&p, 1, 0, g);
    assert_true(g[0] == 1 && g[1] == 2 && g[2] == -0.25);
    place_velocity(&p, 1, 0, gamma);
    assert_true(gamma[3] == -3);
    place_destroy(&p);
    world_destroy(&w);
}

static void both_ends_on_one_body_cancel(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "self", "distance", "system", "a", "point", "0.5 0", "to", "a", "to_point",
                "-1 0", "length", "1");
    add_law(&w, "self", "gap", "unilateral");
    place p = place_create(&w);
    double gamma, g;
    p.q[2] = 0.4;
    p.u[0] = 1, p.u[1] = 2, p.u[2] = 3;
    place_gap(&p, 0, 0, &g);
    assert_near(g, 0.5, 1e-15);
    place_velocity(&p, 0, 0, &gamma);
    assert_near(gamma, 0, 1e-15);
    place_destroy(&p);
    world_destroy(&w);
}

static void bad_planes_are_refused(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "ball", "point", "dim", "2", "mass", "1");
    add_system(&w, "box", "planar_body", "mass", "1", "inertia", "1");
    add_system(&w, "spring", "linear", "coordinates", "x", "mass", "1");
    assert_refused(&w, try_element(&w, "f", "plane", "system", "bal", "normal", "0 1"),
                   "element 'f': there is no system 'bal'; did you mean 'ball'?");
    assert_refused(&w, try_element(&w, "f", "plane", "system", "ball", "normal", "0 1 0"),
                   "element 'f': 'normal' must be a list of 2 numbers, not 3");
    assert_refused(&w, try_element(&w, "f", "plane", "system", "ball", "normal", "0 0"),
                   "element 'f': 'normal' must have a direction; its length is 0");
    assert_refused(&w,
                   try_element(&w, "f", "plane", "system", "ball", "point", "1 1", "normal", "0 1"),
                   "element 'f': 'point' is for bodies that turn; system 'ball' is a point");
    assert_refused(&w,
                   try_element(&w, "f", "plane", "system", "box", "point", "1", "normal", "0 1"),
                   "element 'f': 'point' must be a list of 2 numbers, not 1");
    assert_refused(
        &w, try_element(&w, "f", "plane", "system", "spring", "normal", "1"),
        "element 'f': there are no points on system 'spring' of type 'linear'; use a system "
        "of type point, planar_body or body, a link of a tree, or an expression");
    assert_refused(&w,
                   try_element(&w, "f", "plane", "system", "ball", "normal", "0 1", "through", "1"),
                   "element 'f': 'through' must be a list of 2 numbers, not 1");
    assert_refused(
        &w, try_element(&w, "f", "plane", "system", "ball", "normal", "0 1", "tangent", "1 0"),
        "element 'f': 'tangent' is for planes in space; system 'ball' has 2 dimensions");
    assert_refused(&w,
                   try_element(&w, "f", "plane", "system", "ball", "normal", "0 1", "radius", "-1"),
                   "element 'f': 'radius' must be a number >= 0 in m, not -1");
    world_destroy(&w);
}

static void bad_pairs_are_refused(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "flat", "point", "dim", "2", "mass", "1");
    add_system(&w, "deep", "point", "dim", "3", "mass", "1");
    assert_refused(
        &w, try_element(&w, "d", "plane", "system", "deep", "normal", "0 0 1", "tangent", "0 0 3"),
        "element 'd': 'tangent' must have a part along the plane");
    assert_refused(
        &w, try_element(&w, "d", "distance", "system", "flat", "length", "1"),
        "element 'd': the second point is missing: give 'to' (a system), or 'to_point' (a "
        "point fixed in space)");
    assert_refused(&w,
                   try_element(&w, "d", "distance", "system", "flat", "to", "deep", "length", "1"),
                   "element 'd': system 'flat' has 2 dimensions, system 'deep' has 3");
    assert_refused(
        &w, try_element(&w, "d", "distance", "system", "flat", "to_point", "1", "length", "1"),
        "element 'd': 'to_point' must be a list of 2 numbers, not 1");
    assert_refused(
        &w, try_element(&w, "d", "distance", "system", "flat", "to_point", "1 1", "length", "-1"),
        "element 'd': 'length' must be a number > 0 in m, not -1");
    assert_refused(
        &w,
        try_element(&w, "d", "distance", "system", "flat", "to_point", "1 1", "length", "1+flat.x"),
        "element 'd': 'length' may depend on the time t, inputs and parameters only, not on "
        "coordinates: 1+flat.x");
    assert_refused(
        &w, try_element(&w, "d", "joint", "system", "flat", "to_point", "1 1", "angle", "1"),
        "element 'd': 'angle' is for two planar bodies, or one and a point fixed in space");
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_agrees_with_differences),
        cmocka_unit_test(plane_of_a_body_agrees_with_differences),
        cmocka_unit_test(plane_slip_of_a_wheel),
        cmocka_unit_test(plane_slip_is_the_velocity_along_the_line),
        cmocka_unit_test(plane_frame_in_space),
        cmocka_unit_test(plane_tangent_can_be_chosen),
        cmocka_unit_test(distance_agrees_with_differences),
        cmocka_unit_test(distance_of_bodies_agrees_with_differences),
        cmocka_unit_test(distance_has_its_sign),
        cmocka_unit_test(distance_stays_finite_where_the_points_coincide),
        cmocka_unit_test(joint_agrees_with_differences),
        cmocka_unit_test(joint_has_angle_and_turn),
        cmocka_unit_test(both_ends_on_one_body_cancel),
        cmocka_unit_test(bad_planes_are_refused),
        cmocka_unit_test(bad_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
