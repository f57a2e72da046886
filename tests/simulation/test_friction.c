/* test_friction.c: what sticks rests, what slides slides as Coulomb says, whatever its heading. */
#include "support/run.h"

static const double G = 9.81;

/* A plane that falls to the right by the angle a, as texts for the scene. */
typedef struct slope {
    char normal[64];
    double down[2]; /* unit vector downhill */
} slope;

static slope slope_of(double a)
{
    slope s = {.down = {cos(a), -sin(a)}};
    snprintf(s.normal, sizeof s.normal, "%.17g %.17g", sin(a), cos(a));
    return s;
}

static run point_on_slope(world *w, double a, double end, double tolerance)
{
    slope s = slope_of(a);
    add_system(w, "block", "point", "dim", "2", "mass", "1.7");
    add_force(w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(w, "ramp", "plane", "system", "block", "normal", s.normal);
    add_law(w, "ramp", "gap", "unilateral");
    add_law(w, "ramp", "slip", "friction", "mu", "0.4");
    return run_create(w, 1e-3, end, tolerance);
}

/* A box of 1 m × 0.4 m that stands on its two lower corners, turned with the slope. */
static run box_on_slope(world *w, double a, double end, double tolerance)
{
    slope s = slope_of(a);
    char place[128];
    snprintf(place, sizeof place, "%.17g %.17g %.17g", 0.2 * sin(a), 0.2 * cos(a), -a);
    add_system(w, "block", "planar_body", "mass", "1.7", "inertia", "0.16", "position", place);
    add_force(w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(w, "left", "plane", "system", "block", "point", "-0.5 -0.2", "normal", s.normal);
    add_element(w, "right", "plane", "system", "block", "point", "0.5 -0.2", "normal", s.normal);
    const char *corners[] = {"left", "right"};
    for (int i = 0; i < 2; i++) {
        add_law(w, corners[i], "gap", "unilateral");
        add_law(w, corners[i], "slip", "friction", "mu", "0.4");
    }
    return run_create(w, 1e-3, end, tolerance);
}

typedef run (*on_slope_fn)(world *w, double a, double end, double tolerance);

/* A million steps at 0.999 of the friction angle. */
static void check_rests(on_slope_fn put)
{
    world w = moving_world();
    run r = put(&w, 0.999 * atan(0.4), 1000, 0);
    int n = ss_model_sizes(w.model).n_q;
    double start[3];
    memcpy(start, r.q, (size_t)n * sizeof *start);
    run_to_end(&r);
    assert_true(ss_state_statistics(ss_simulation_state(r.simulation))->steps == 1000000);
    for (int i = 0; i < n; i++)
        assert_near(r.q[i], start[i], 1e-12);
    run_destroy(&r);
}

static void point_below_the_friction_angle_rests(void **state)
{
    (void)state;
    check_rests(point_on_slope);
}

static void box_below_the_friction_angle_rests(void **state)
{
    (void)state;
    check_rests(box_on_slope);
}

/* At 1.001 of the friction angle it slides with g (sin a - μ cos a). */
static void check_slides(on_slope_fn put)
{
    double a = 1.001 * atan(0.4), acceleration = G * (sin(a) - 0.4 * cos(a));
    slope s = slope_of(a);
    world w = moving_world();
    run r = put(&w, a, 3, 1e-13);
    double start[2] = {r.q[0], r.q[1]};
    run_to_end(&r);
    double speed = s.down[0] * r.u[0] + s.down[1] * r.u[1];
    double way = s.down[0] * (r.q[0] - start[0]) + s.down[1] * (r.q[1] - start[1]);
    assert_near(speed, acceleration * 3, 1e-10 * acceleration * 3);
    assert_near(way, acceleration * 9 / 2, 1e-10 * acceleration * 9 / 2);
    run_destroy(&r);
}

static void point_above_the_friction_angle_slides(void **state)
{
    (void)state;
    check_slides(point_on_slope);
}

static void box_above_the_friction_angle_slides(void **state)
{
    (void)state;
    check_slides(box_on_slope);
}

/* Slides from 1 m/s until it stops, at v²/(2 μ g), straight ahead: the steps are chosen so that
 * the last one ends there exactly. */
static void friction_cone_is_round(void **state)
{
    (void)state;
    double step = 1 / (0.3 * G * 512), way = 1 / (2 * 0.3 * G);
    for (int k = 0; k < 24; k++) {
        double heading = 0.1 + k * 0.2618;
        world w = moving_world();
        add_system(&w, "puck", "point", "dim", "3", "mass", "1");
        add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
        add_element(&w, "table", "plane", "system", "puck", "normal", "0 0 1");
        add_law(&w, "table", "gap", "unilateral");
        add_law(&w, "table", "slip", "friction", "mu", "0.3");
        run r = run_create(&w, step, 600 * step, 0);
        r.u[0] = cos(heading);
        r.u[1] = sin(heading);
        run_to_end(&r);
        assert_near(r.q[0], way * cos(heading), 1e-9 * way);
        assert_near(r.q[1], way * sin(heading), 1e-9 * way);
        assert_near(hypot(r.u[0], r.u[1]), 0, 1e-12);
        assert_int_equal(run_mode(&r)[1], 0); /* sticks */
        run_destroy(&r);
    }
}

/* Resistance along the axes of the ellipse is μ_1 and μ_2. */
static void elliptic_friction_depends_on_the_axis(void **state)
{
    (void)state;
    for (int axis = 0; axis < 2; axis++) {
        world w = moving_world();
        add_system(&w, "puck", "point", "dim", "3", "mass", "1");
        add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
        add_element(&w, "table", "plane", "system", "puck", "normal", "0 0 1");
        add_law(&w, "table", "gap", "unilateral");
        add_law(&w, "table", "slip", "friction", "mu", "0.1 0.3");
        run r = run_create(&w, 1e-3, 0.25, 1e-13);
        r.u[axis] = 1;
        run_to_end(&r);
        assert_near(r.u[axis], 1 - (axis ? 0.3 : 0.1) * G * 0.25, 1e-10);
        assert_near(r.u[1 - axis], 0, 1e-12);
        run_destroy(&r);
    }
}

/* A box put on a belt is carried along with μ g until it has the belt's speed v, after v/(μ g);
 * of the work that the belt does, m v², half becomes heat. */
static void belt_carries_a_box_along(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "box", "point", "dim", "2", "mass", "2");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "belt", "plane", "system", "box", "normal", "0 1", "velocity", "1.5 0");
    add_law(&w, "belt", "gap", "unilateral");
    add_law(&w, "belt", "slip", "friction", "mu", "0.5");
    run r = run_create(&w, 1e-4, 1, 0);
    double reached = 0;
    while (!ss_simulation_done(r.simulation)) {
        run_step(&r);
        if (reached == 0 && r.u[0] > 1.5 - 1e-9)
            reached = run_time(&r);
    }
    assert_near(reached, 1.5 / (0.5 * G), 1e-4);
    assert_near(r.u[0], 1.5, 1e-13);
    ss_energy e = run_energy(&r);
    assert_near(e.load_work, 2 * 1.5 * 1.5, 1e-3);
    assert_near(e.dissipated, 2 * 1.5 * 1.5 / 2, 1e-3);
    assert_near(run_balance(&r), 0, 1e-11);
    run_destroy(&r);
}

/* A disc set down with speed v and no spin slides for v/(3 μ g), then rolls with 2v/3. */
static void disc_begins_to_roll(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "disc", "planar_body", "mass", "3", "inertia", "3*0.2^2/2", "position",
               "0 0.2 0", "velocity", "1.2 0 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "floor", "plane", "system", "disc", "normal", "0 1", "radius", "0.2");
    add_law(&w, "floor", "gap", "unilateral");
    add_law(&w, "floor", "slip", "friction", "mu", "0.25");
    run r = run_create(&w, 1e-4, 1, 1e-13);
    double rolls = 0;
    while (!ss_simulation_done(r.simulation)) {
        run_step(&r);
        if (rolls == 0 && run_mode(&r)[1] == 0)
            rolls = run_time(&r);
    }
    assert_near(rolls, 1.2 / (3 * 0.25 * G), 2e-4);
    assert_near(r.u[0], 0.8, 1e-10);
    assert_near(r.u[2], -0.8 / 0.2, 1e-9);
    run_destroy(&r);
}

/* m u' = -a/(1 + δu) has u + δu²/2 = u0 + δu0²/2 - a t/m. */
static double stribeck_error(double step)
{
    world w = moving_world();
    add_system(&w, "block", "point", "dim", "2", "mass", "2", "velocity", "3 0");
    add_element(&w, "floor", "plane", "system", "block", "normal", "0 1");
    add_law(&w, "floor", "slip", "stribeck", "bound", "4", "delta", "0.5");
    run r = run_create(&w, step, 2, 0);
    run_to_end(&r);
    double right = 3 + 0.5 * 9 / 2 - 4 * 2.0 / 2;
    double error = r.u[0] - (sqrt(1 + 2 * 0.5 * right) - 1) / 0.5;
    run_destroy(&r);
    return error;
}

static void stribeck_resistance_decreases_with_speed(void **state)
{
    (void)state;
    double coarse = stribeck_error(1e-2), fine = stribeck_error(5e-3);
    assert_true(fabs(fine) < 1e-2);
    assert_near(coarse / fine, 2,
                0.1); /* the term is taken from the beginning of the step: order 1 */
}

/* Stays where it is below the bound, and once it is broken away goes faster and faster. */
static void stribeck_breaks_away_at_its_bound(void **state)
{
    (void)state;
    const char *loads[] = {"3.99", "4.01"};
    for (int i = 0; i < 2; i++) {
        world w = moving_world();
        add_system(&w, "block", "linear", "coordinates", "x", "mass", "2", "load", loads[i]);
        add_element(&w, "floor", "expression", "slip", "x'");
        add_law(&w, "floor", "slip", "stribeck", "bound", "4", "delta", "2");
        run r = run_create(&w, 1e-3, 5, 0);
        run_to_end(&r);
        if (i == 0)
            assert_near(r.q[0], 0, 1e-15);
        else
            assert_true(r.u[0] > 0.01 / 2 * 5 * 2);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_below_the_friction_angle_rests),
        cmocka_unit_test(box_below_the_friction_angle_rests),
        cmocka_unit_test(point_above_the_friction_angle_slides),
        cmocka_unit_test(box_above_the_friction_angle_slides),
        cmocka_unit_test(friction_cone_is_round),
        cmocka_unit_test(elliptic_friction_depends_on_the_axis),
        cmocka_unit_test(belt_carries_a_box_along),
        cmocka_unit_test(disc_begins_to_roll),
        cmocka_unit_test(stribeck_resistance_decreases_with_speed),
        cmocka_unit_test(stribeck_breaks_away_at_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
