/* test_constraints.c: rods, ropes, joints, springs that are stressed before, and impacts at a
 * distance. */
#include "support/run.h"

static const double G = 9.81;
static const double PI = 3.14159265358979323846;

/* A point that hangs on a rod of 1 m, let go from the side. */
static run rod_pendulum(world *w, const char *stabilize, double step, double end)
{
    add_system(w, "bob", "point", "dim", "2", "mass", "0.6", "position", "1 0");
    add_force(w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(w, "rod", "distance", "system", "bob", "to_point", "0 0", "length", "1");
    add_law(w, "rod", "gap", "bilateral", "stabilize", stabilize);
    return run_create(w, step, end, 0);
}

/* The time of the n-th passage through the lowest point, interpolated. */
static double passage(run *r, int n)
{
    for (int k = 0; k < n;) {
        double x = r->q[0], t = run_time(r);
        run_step(r);
        if ((x > 0) != (r->q[0] > 0) && ++k == n)
            return t + (run_time(r) - t) * x / (x - r->q[0]);
    }
    return 0;
}

static void rod_swings_with_the_period_of_a_pendulum(void **state)
{
    (void)state;
    double period = 4 / sqrt(G) * elliptic_K(sin(PI / 4));
    world w = moving_world();
    run r = rod_pendulum(&w, "true", 1e-4, 20);
    assert_near(passage(&r, 1), period / 4, 1e-5);
    assert_near(passage(&r, 4), period / 4 + 2 * period, 1e-4);
    run_destroy(&r);
}

/* The drift of the length after 20 s, as the constraint holds on velocity level only. */
static double drift(const char *stabilize, double step)
{
    world w = moving_world();
    run r = rod_pendulum(&w, stabilize, step, 20);
    double worst = 0;
    while (!ss_simulation_done(r.simulation)) {
        run_step(&r);
        worst = fmax(worst, fabs(hypot(r.q[0], r.q[1]) - 1));
    }
    run_destroy(&r);
    return worst;
}

/* Stabilized, a step leaves no more than what its own bend makes: less than (u Δt)²/2, u² <= 2 g
 * L. */
static void stabilized_rod_does_not_drift(void **state)
{
    (void)state;
    double step = 2e-3, bend = 2 * G * step * step / 2;
    double free = drift("false", step), held = drift("true", step);
    assert_true(held < 2 * bend);
    assert_true(free > 20 * held);
}

/* Falls for .8 m, then the rope takes the speed along it: 0.6 of the speed is left, and the mass
 * stays below y = -.512 for ever. */
static double rope_energy_error(double step)
{
    world w = moving_world();
    add_system(&w, "bob", "point", "dim", "2", "mass", "1", "position", "0.6 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "rope", "distance", "system", "bob", "to_point", "0 0", "length", "1", "side",
                "inside");
    add_law(&w, "rope", "gap", "unilateral");
    run r = run_create(&w, step, 0.6, 0);
    double start = run_balance(&r), taut = 0;
    while (!ss_simulation_done(r.simulation)) {
        run_step(&r);
        assert_true(run_P(&r)[0] >= 0); /* a rope pulls only */
        assert_true(taut > 0 || run_time(&r) < sqrt(1.6 / G) + 2 * step);
        if (taut == 0 && run_P(&r)[0] > 0)
            taut = run_time(&r);
    }
    assert_near(taut, sqrt(1.6 / G), 2 * step);
    assert_near(run_balance(&r), start, 1e-10); /* rounding of 60000 sums */
    double error = run_energy(&r).kinetic + run_energy(&r).potential + 0.512 * G;
    run_destroy(&r);
    return error;
}

static void rope_becomes_taut(void **state)
{
    (void)state;
    assert_true(fabs(rope_energy_error(1e-3)) < 0.1);
    assert_true(fabs(rope_energy_error(1e-5)) < 1e-3);
}

/* A bar on a hinge at its end is a pendulum of length (Θ + m s²)/(m s). */
static void hinged_bar_swings(void **state)
{
    (void)state;
    double length = (1.0 / 12 + 0.25) / 0.5,
           period = 4 * sqrt(length / G) * elliptic_K(sin(PI / 4));
    world w = moving_world();
    add_system(&w, "bar", "planar_body", "mass", "1", "inertia", "1/12", "position", "0.5 0 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "hinge", "joint", "system", "bar", "point", "-0.5 0", "to_point", "0 0");
    add_law(&w, "hinge", "gap", "bilateral", "stabilize", "true");
    run r = run_create(&w, 1e-4, 10, 0);
    double start = run_balance(&r);
    assert_near(passage(&r, 3), period * 5 / 4, 1e-4);
    assert_near(run_balance(&r), start, 1e-2);
    run_destroy(&r);
}

/* A torque bound of 0.3 N m takes the spin out in Θω/0.3; a stop at 0.5 rad ends the turn with
 * the rest. */
static void hinge_rubs_and_stops(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "disc", "planar_body", "mass", "1", "inertia", "0.2", "velocity", "0 0 2");
    add_element(&w, "axle", "joint", "system", "disc", "to_point", "0 0");
    add_law(&w, "axle", "gap", "bilateral");
    add_law(&w, "axle", "turn", "friction", "bound", "0.3");
    run r = run_create(&w, 1e-3, 2, 0);
    run_to_end(&r);
    assert_near(r.u[2], 0, 1e-14);
    assert_near(r.q[2], 0.2 * 2 * 2 / (2 * 0.3), 1e-3);
    run_destroy(&r);

    w = moving_world();
    add_system(&w, "disc", "planar_body", "mass", "1", "inertia", "0.2", "velocity", "0 0 2");
    add_element(&w, "axle", "joint", "system", "disc", "to_point", "0 0");
    add_law(&w, "axle", "gap", "bilateral");
    add_law(&w, "axle", "angle", "stop", "lower", "-0.5"); /* the angle is -phi */
    r = run_create(&w, 1e-3, 2, 0);
    run_to_end(&r);
    assert_near(r.u[2], 0, 1e-14);
    assert_near(r.q[2], 0.5, 2e-3);
    run_destroy(&r);
}

/* S7.6.2.2: m = 1, c = 40, preload 1 N, reference .07 m, let go at .2 m; 1.8 N from 3 to 3.5 s. */
static run prestressed(world *w, const char *friction)
{
    add_system(w, "mass", "point", "dim", "1", "mass", "1", "position", "0.2");
    add_force(w, "push", "load", "on", "x", "force", "t>=3&&t<=3.5?1.8:0");
    add_element(w, "spring", "expression", "gap", "x-0.07", "slip", "x'");
    add_law(w, "spring", "gap", "prestressed_spring", "preload", "1", "stiffness", "40",
            "tolerance", "5e-4");
    add_law(w, "spring", "slip", "friction", "bound", friction);
    return run_create(w, 1e-5, 4, 0);
}

/* The turns and passages, strung together in closed form, accumulate at 2.0558 s; of the last
 * ones, those smaller than the tolerance may be lost. */
static void prestressed_spring_returns_to_its_length(void **state)
{
    (void)state;
    world w = moving_world();
    run r = prestressed(&w, "0.9");
    double start = run_balance(&r), moved = 0;
    while (run_time(&r) < 3 - 1e-9) {
        run_step(&r);
        if (fabs(r.u[0]) > 1e-9)
            moved = run_time(&r);
        assert_near(run_balance(&r), start, 1e-4 * start);
    }
    assert_near(moved, 2.0558, 6e-3);
    assert_near(r.q[0], 0.07, 5e-7);
    double rest = r.q[0];
    run_to_end(&r);
    assert_near(r.q[0], rest, 1e-14); /* 1.8 N < 1 N + 0.9 N do not move it */
    run_destroy(&r);
}

/* Stops at .0714932 m after two turns, since the spring pulls with less than the 1.1 N of
 * friction there. */
static void prestressed_spring_is_held_by_friction(void **state)
{
    (void)state;
    world w = moving_world();
    run r = prestressed(&w, "1.1");
    while (run_time(&r) < 2)
        run_step(&r);
    assert_near(r.q[0], 0.0714932, 5e-6);
    double rest = r.q[0], pull = 1 + 40 * (rest - 0.07);
    assert_near(run_P(&r)[0], -pull * 1e-5, 1e-15);
    assert_near(run_P(&r)[1], pull * 1e-5, 1e-15);
    run_to_end(&r);
    assert_near(r.q[0], rest, 1e-14); /* pushed with 1.8 N, friction holds with 1.8 N - 1.06 N */
    run_destroy(&r);
}

/* Three equal balls in a row that contact; the first one comes with 1 m/s. */
static run cradle(world *w, const char *matrix, const char *restitution)
{
    add_system(w, "a", "point", "dim", "1", "mass", "0.2", "position", "0", "velocity", "1");
    add_system(w, "b", "point", "dim", "1", "mass", "0.2", "position", "1");
    add_system(w, "c", "point", "dim", "1", "mass", "0.2", "position", "2");
    if (matrix)
        add_element(w, "row", "expression", "gap", "b.x-a.x-1 c.x-b.x-1", "restitution", matrix);
    else
        add_element(w, "row", "expression", "gap", "b.x-a.x-1 c.x-b.x-1");
    if (restitution)
        add_law(w, "row", "gap", "unilateral", "restitution", restitution);
    else
        add_law(w, "row", "gap", "unilateral");
    return run_create(w, 1e-3, 1, 1e-14);
}

static void check_velocities(run *r, double a, double b, double c)
{
    run_step(r);
    assert_near(r->u[0], a, 1e-12);
    assert_near(r->u[1], b, 1e-12);
    assert_near(r->u[2], c, 1e-12);
    assert_near(r->u[0] + r->u[1] + r->u[2], 1, 1e-15);
    run_to_end(r);
    assert_near(r->u[0], a, 1e-12);
    assert_near(r->u[2], c, 1e-12);
    run_destroy(r);
}

static void newton_impact_on_three_balls(void **state)
{
    (void)state;
    world w = moving_world();
    run r = cradle(&w, NULL, "1");
    check_velocities(&r, -1.0 / 3, 2.0 / 3, 2.0 / 3);
}

/* S7.6.2.3 */
static void fremond_impact_acts_at_a_distance(void **state)
{
    (void)state;
    world w = moving_world();
    run r = cradle(&w, "0 1; 1 0", NULL);
    check_velocities(&r, 0, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_swings_with_the_period_of_a_pendulum),
        cmocka_unit_test(stabilized_rod_does_not_drift),
        cmocka_unit_test(rope_becomes_taut),
        cmocka_unit_test(hinged_bar_swings),
        cmocka_unit_test(hinge_rubs_and_stops),
        cmocka_unit_test(prestressed_spring_returns_to_its_length),
        cmocka_unit_test(prestressed_spring_is_held_by_friction),
        cmocka_unit_test(newton_impact_on_three_balls),
        cmocka_unit_test(fremond_impact_acts_at_a_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
