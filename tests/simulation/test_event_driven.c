/* test_event_driven.c: event-driven integration of small mechanisms with known motion. */
#include "simulation/run_event.h"

static const double G = 9.81;

static void put_point(world *w, const char *position, const char *velocity)
{
    add_system(w, "block", "point", "dim", "2", "mass", "1.7", "position", position, "velocity",
               velocity);
    add_force(w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(w, "floor", "plane", "system", "block", "normal", "0 1");
    add_law(w, "floor", "gap", "unilateral");
    add_law(w, "floor", "slip", "friction", "mu", "0.4");
}

/* Multistep formulas begin with order 1 after every output: what their tolerance of 1e-10 allows in a step adds up. */
static const char *const methods[] = {"rkf45", "adams", "bdf", "ida"};
static const double accuracy[] = {1e-12, 1e-8, 1e-8, 2e-8};
enum { METHODS = 4 };

/* Slides v²/(2 μ g) far and sticks after v/(μ g). */
static void test_sliding_ends(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        put_point(&w, "0 0", "-1.3 0");
        run r = event_run(&w, methods[i], 1);
        seen s = run_seen(&r);
        assert_near(last_switch(&s, 1, SS_MODE_CONSTRAINT), 1.3 / (0.4 * G), 1e-10);
        assert_near(r.q[0], -1.3 * 1.3 / (2 * 0.4 * G), accuracy[i]);
        assert_true(r.u[0] == 0);
        assert_near(run_balance(&r), 0.5 * 1.7 * 1.3 * 1.3, 10 * accuracy[i]);
        run_destroy(&r);
    }
}

/* Stribeck's friction falls with the speed: m u' = -a/(1 + δ u) has u + δ u²/2 = u0 + δ u0²/2 - a t/m. */
static void test_stribeck(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        add_system(&w, "block", "point", "dim", "2", "mass", "2", "velocity", "3 0");
        add_element(&w, "floor", "plane", "system", "block", "normal", "0 1");
        add_law(&w, "floor", "slip", "stribeck", "bound", "4", "delta", "0.5");
        run r = event_run(&w, methods[i], 3);
        double right = 3 + 0.5 * 9 / 2 - 4 * 2.0 / 2;
        while (run_time(&r) < 2 - 1e-9)
            run_step(&r);
        assert_near(r.u[0], (sqrt(1 + 2 * 0.5 * right) - 1) / 0.5, 10 * accuracy[i]);
        seen s = run_seen(&r);
        assert_near(last_switch(&s, 0, SS_MODE_CONSTRAINT), (3 + 0.5 * 9 / 2) * 2 / 4.0, 1e-7);
        assert_true(r.u[0] == 0);
        run_destroy(&r);
    }
}

/* A pull 2 t N breaks the mass away at μ m g/2; x = k (t - t*)³/(6 m) from then on. */
static void test_breaks_away(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        put_point(&w, "0 0", "0 0");
        add_force(&w, "pull", "load", "on", "x", "force", "2*t");
        run r = event_run(&w, methods[i], 5);
        seen s = run_seen(&r);
        double t = 0.4 * 1.7 * G / 2, late = 5 - t;
        assert_near(last_switch(&s, 1, SS_MODE_IMPRESSED), t, 1e-10);
        assert_near(r.q[0], 2 * late * late * late / (6 * 1.7), 10 * accuracy[i]);
        assert_near(r.q[1], 0, 1e-14);
        run_destroy(&r);
    }
}

/* A box on two corners: four rows for three coordinates. The sum of the normal forces is m g however friction is shared
 * between the corners. */
static void test_dependent_constraints(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "box", "planar_body", "mass", "1.7", "inertia", "0.16", "position", "0 0.2 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    const char *corners[] = {"left", "right"}, *places[] = {"-0.5 -0.2", "0.5 -0.2"};
    for (int i = 0; i < 2; i++) {
        add_element(&w, corners[i], "plane", "system", "box", "point", places[i], "normal", "0 1");
        add_law(&w, corners[i], "gap", "unilateral");
        add_law(&w, corners[i], "slip", "friction", "mu", "0.4");
    }
    add_force(&w, "pull", "load", "on", "x", "force", "2*t");
    run r = event_run(&w, "rkf45", 4);
    seen s = run_seen(&r);
    double t = 0.4 * 1.7 * G / 2, late = 4 - t;
    for (int l = 1; l < 4; l += 2)
        assert_near(last_switch(&s, l, SS_MODE_IMPRESSED), t, 1e-7);
    assert_near(r.q[0], 2 * late * late * late / (6 * 1.7), 1e-6);
    assert_near(r.q[2], 0, 1e-12);
    run_destroy(&r);
}

/* A mass lifts off a table that moves as 0.05 sin(20 t) when 20 sin(20 t) = g. Its distance grows with
 * the third power of time, and is less than an integrator's error for microseconds: the contact opens
 * only once nevertheless, between six outputs. */
static void test_moving_table(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        add_system(&w, "mass", "point", "dim", "1", "mass", "0.3", "velocity", "1");
        add_force(&w, "weight", "gravity", "acceleration", "-9.81");
        add_element(&w, "table", "expression", "gap", "x-0.05*sin(20*t)");
        add_law(&w, "table", "gap", "unilateral");
        run r = event_run(&w, methods[i], 0.06);
        seen s = run_seen(&r);
        double t = asin(G / 20) / 20, late = 0.06 - t;
        assert_near(last_switch(&s, 0, SS_MODE_IMPRESSED), t, fmax(1e-10, accuracy[i]));
        assert_near(r.q[0], 0.05 * sin(20 * t) + cos(20 * t) * late - G * late * late / 2,
                    fmax(1e-10, accuracy[i]));
        assert_true(ss_state_statistics(ss_simulation_state(r.simulation))->tries <= 8);
        run_destroy(&r);
    }
}

/* From rest exactly midway between two stops, with 4 m/s², into one of them after 0.5 s. */
static void test_begins_between_stops(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "1", "mass", "0.5");
    add_element(&w, "rail", "expression", "gap", "x");
    add_law(&w, "rail", "gap", "stop", "lower", "-0.5", "upper", "0.5");
    add_force(&w, "pull", "load", "on", "x", "force", "2");
    run r = event_run(&w, "rkf45", 0.8);
    seen s = run_seen(&r);
    assert_int_equal(s.count, 1);
    assert_near(last_switch(&s, 0, SS_MODE_CONSTRAINT), 0.5, 1e-10);
    assert_near(r.q[0], 0.5, 1e-12);
    run_destroy(&r);
}

/* From rest at its length by its own motor: 0.5 x'' = 2 cos 4t - 3 x' - 5 x. What the motor brings in is stored, moves or is lost in the
 * damper; passing the length is no event. */
static void test_spring_damper_from_rest(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = moving_world();
        add_system(&w, "mass", "point", "dim", "1", "mass", "0.5");
        add_element(&w, "rail", "expression", "gap", "x");
        add_law(&w, "rail", "gap", "spring_damper", "stiffness", "5", "damping", "3", "force",
                "2*cos(4*t)");
        run r = event_run(&w, methods[i], 2);
        double start = run_balance(&r);
        seen s = run_seen(&r);
        assert_int_equal(s.count, 0);
        /* Re A exp(4it) with A = 2/(5 - 8 + 12i), and exp(-3t)(a cos t + b sin t) so that x = x' = 0 at first */
        double re = 2 * -3 / 153.0, im = 2 * -12 / 153.0, t = 2;
        double a = -re, b = 3 * a + 4 * im;
        double x = re * cos(4 * t) - im * sin(4 * t) + exp(-3 * t) * (a * cos(t) + b * sin(t));
        assert_near(r.q[0], x, 10 * accuracy[i]);
        assert_near(run_balance(&r), start, 100 * accuracy[i]);
        assert_true(ss_state_statistics(ss_simulation_state(r.simulation))->dissipated > 0.1);
        run_destroy(&r);
    }
}

/* Without a gap: a wheel that may not slip, x' = 0.2 phi', turned by 3 N m. */
static void test_rolls_without_slip(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "wheel", "planar_body", "mass", "2", "inertia", "0.3");
    add_element(&w, "ground", "expression", "slip", "x'-0.2*phi'");
    add_law(&w, "ground", "slip", "bilateral");
    add_force(&w, "motor", "load", "on", "phi", "force", "3");
    run r = event_run(&w, "rkf45", 2);
    run_seen(&r);
    assert_near(r.q[2], 3 / (0.3 + 2 * 0.2 * 0.2) * 2, 1e-9);
    assert_near(r.q[0], 0.2 * r.q[2], 1e-9);
    run_destroy(&r);
}

/* Velocities that a joint does not allow are an impact: m v L = (J + m L²) ω, and what is lost is accounted for. */
static void test_start_contradicts_a_joint(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "bob", "body", "mass", "1", "inertia", "0.35", "position", "0 0 1", "velocity",
               "0.4 0 0 0 0 0");
    add_element(&w, "hinge", "revolute", "system", "bob", "at", "0 0 0", "axis", "0 1 0");
    run r = event_run(&w, "rkf45", 1);
    double start = run_balance(&r), turn = 0.4 / 1.35;
    run_seen(&r);
    assert_near(r.u[4], turn, 1e-12);
    assert_near(ss_state_statistics(ss_simulation_state(r.simulation))->dissipated,
                0.08 - 0.675 * turn * turn, 1e-12);
    assert_near(run_balance(&r), start, 1e-9);
    run_destroy(&r);
}

/* A rod of length 1, ten seconds: no drift, no loss. */
static void test_no_drift(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "2", "mass", "0.7", "position", "0.6 0.8", "velocity",
               "0.8 -0.6");
    add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
    add_element(&w, "rod", "expression", "gap", "hypot(x,y)-1");
    add_law(&w, "rod", "gap", "bilateral");
    run r = event_run(&w, "rkf45", 10);
    run_to_end(&r);
    assert_near(hypot(r.q[0], r.q[1]), 1, 1e-14);
    assert_near(r.q[0] * r.u[0] + r.q[1] * r.u[1], 0, 1e-13);
    double energy = 0.5 * 0.7 * (r.u[0] * r.u[0] + r.u[1] * r.u[1]) + 0.7 * G * r.q[1];
    assert_near(energy, 0.5 * 0.7 + 0.7 * G * 0.8, 1e-7);
    run_destroy(&r);
}

/* Three balls in contact with a matrix of restitution: only the last one moves after the impact.
 * Newton's law instead: -1/3, 2/3, 2/3. */
static void check_row(bool matrix, const double *expected)
{
    world w = moving_world();
    add_system(&w, "a", "point", "dim", "1", "mass", "2", "velocity", "1");
    add_system(&w, "b", "point", "dim", "1", "mass", "2");
    add_system(&w, "c", "point", "dim", "1", "mass", "2");
    if (matrix)
        add_element(&w, "row", "expression", "gap", "b.x-a.x c.x-b.x", "restitution", "0 1; 1 0");
    else
        add_element(&w, "row", "expression", "gap", "b.x-a.x c.x-b.x");
    if (matrix)
        add_law(&w, "row", "gap", "unilateral");
    else
        add_law(&w, "row", "gap", "unilateral", "restitution", "1");
    run r = event_run(&w, "rkf45", 0.1);
    run_to_end(&r);
    for (int i = 0; i < 3; i++) {
        assert_near(r.u[i], expected[i], 1e-9);
        assert_near(r.q[i], 0.1 * expected[i], 1e-9);
    }
    run_destroy(&r);
}

static void test_impact_of_three(void **state)
{
    (void)state;
    check_row(true, (const double[]){0, 0, 1});
    check_row(false, (const double[]){-1.0 / 3, 2.0 / 3, 2.0 / 3});
}

/* A run from a copy of a state in the middle ends with the same bits. */
static void test_goes_on(void **state)
{
    (void)state;
    world w = moving_world();
    put_point(&w, "0 0.5", "-1.3 0");
    run r = event_run(&w, "adams", 1);
    ss_state *middle;
    assert_ok(&w, ss_simulation_new_state(r.simulation, &middle));
    ss_step step;
    while (run_time(&r) < 0.5)
        assert_ok(&w, ss_simulation_advance(r.simulation, &step));
    ss_state_copy(middle, ss_simulation_state(r.simulation));
    run_to_end(&r);
    double q = r.q[0], u = r.u[0];
    ss_state_copy(ss_simulation_state(r.simulation), middle);
    run_to_end(&r);
    assert_true(r.q[0] == q && r.u[0] == u);
    run_destroy(&r);
}

/* Pulled beyond its preload by 2 t N, the spring opens at t = a/2 and the mass follows m x'' + c x = 2 t - a from there on. */
static void test_prestressed_spring(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "1", "mass", "2");
    add_element(&w, "spring", "expression", "gap", "x");
    add_law(&w, "spring", "gap", "prestressed_spring", "preload", "1", "stiffness", "8",
            "tolerance", "1e-3");
    add_force(&w, "pull", "load", "on", "x", "force", "2*t");
    run r = event_run(&w, "rkf45", 2);
    seen s = run_seen(&r);
    assert_near(last_switch(&s, 0, SS_MODE_IMPRESSED), 0.5, 1e-10);
    double late = 1.5; /* x = (2/c) (τ - sin(ω τ)/ω), ω = 2 */
    assert_near(r.q[0], 0.25 * (late - sin(2 * late) / 2), 1e-9);
    assert_near(r.u[0], 0.25 * (1 - cos(2 * late)), 1e-9);
    assert_near(run_balance(&r), 0, 1e-7);
    run_destroy(&r);
}

/* Through its length the spring pushes the other way: quarter of a swing with m x'' = -(a + c x), x(0) = 0.1. */
static void test_passes_its_length(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "1", "mass", "2", "position", "0.1");
    add_element(&w, "spring", "expression", "gap", "x");
    add_law(&w, "spring", "gap", "prestressed_spring", "preload", "1", "stiffness", "8",
            "tolerance", "1e-9");
    /* x + a/c = (0.1 + a/c) cos(ω t): zero length after acos((a/c)/(0.1 + a/c))/ω, a whole swing lasts four times as long. */
    double whole = 4 * acos(0.125 / 0.225) / 2;
    run r = event_run(&w, "rkf45", whole);
    run_to_end(&r);
    assert_near(r.q[0], 0.1, 1e-9);
    assert_near(r.u[0], 0, 1e-8);
    assert_near(run_balance(&r), 0.1 + 0.5 * 8 * 0.01, 1e-8);
    run_destroy(&r);
}

/* A bead on a straight wire: the wire pushes with 4 cos(3 t) N, up and down, and friction μ |N| slows it down. */
static void test_friction_on_constraint(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "bead", "point", "dim", "2", "mass", "1", "velocity", "3 0");
    add_force(&w, "press", "load", "on", "y", "force", "4*cos(3*t)");
    add_element(&w, "wire", "expression", "gap", "y", "slip", "x'");
    add_law(&w, "wire", "gap", "bilateral");
    add_law(&w, "wire", "slip", "friction", "mu", "0.3");
    run r = event_run(&w, "rkf45", 2);
    run_to_end(&r);
    double sum = 0; /* ∫ |cos(3 t)| dt from 0 to 2: sin(3 t)/3 up to π/6, then two swings */
    double pi = acos(-1);
    sum = (1 + 2 + (sin(6) - sin(3 * pi / 2))) / 3;
    assert_true(6 > 3 * pi / 2 && 6 < 5 * pi / 2);
    assert_near(r.u[0], 3 - 0.3 * 4 * sum, 1e-9);
    assert_near(r.q[1], 0, 1e-14);
    run_destroy(&r);
}

/* The bead sticks where the wire presses hardest: pulled along by 0.9 N it slides only while 1.2 |cos(3 t)| < 0.9. */
static void test_constraint_sticks(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "bead", "point", "dim", "2", "mass", "1");
    add_force(&w, "press", "load", "on", "y x", "force", "4*cos(3*t) 0.9");
    add_element(&w, "wire", "expression", "gap", "y", "slip", "x'");
    add_law(&w, "wire", "gap", "bilateral");
    add_law(&w, "wire", "slip", "friction", "mu", "0.3");
    run r = event_run(&w, "rkf45", 0.3);
    seen s = run_seen(&r);
    double begin = acos(0.75) / 3;
    assert_near(last_switch(&s, 1, SS_MODE_IMPRESSED), begin, 1e-10);
    double speed = 0.9 * (0.3 - begin) - 0.4 * (sin(0.9) - sin(3 * begin));
    assert_near(r.u[0], speed, 1e-10);
    run_destroy(&r);
}

/* Friction pulls either way when sticking ends: the direction comes from the force, not from chance. */
static void test_slips_both_ways(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        world w = moving_world();
        put_point(&w, "0 0", "0 0");
        add_force(&w, "pull", "load", "on", "x", "force", sign > 0 ? "2*t" : "-2*t");
        run r = event_run(&w, "rkf45", 5);
        run_to_end(&r);
        double late = 5 - 0.4 * 1.7 * G / 2;
        assert_near(r.q[0], sign * 2 * late * late * late / (6 * 1.7), 1e-9);
        run_destroy(&r);
    }
}

/* In a plane the force of slow sliding changes direction at the rate 2 m/s² over |γ|. A pull of
 * 0.01 N/s beyond the bound has |γ| = 0.005 (t - 1)² m/s: explicit formulas would take millions of
 * steps. */
static world gentle_world(void)
{
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "2", "mass", "1");
    add_force(&w, "pull", "load", "on", "x y", "force", "0.6*(2+0.01*(t-1)) 0.8*(2+0.01*(t-1))");
    add_element(&w, "table", "expression", "slip", "x' y'");
    add_law(&w, "table", "slip", "friction", "bound", "2");
    return w;
}

static void test_begins_gently(void **state)
{
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        world w = gentle_world();
        run r = event_run(&w, methods[i], 2);
        seen s = run_seen(&r);
        double within = fmax(accuracy[i], 1e-8); /* BDF while it is slow */
        assert_near(last_switch(&s, 0, SS_MODE_IMPRESSED), 1, 1e-8);
        assert_near(r.u[0], 0.6 * 0.005, within);
        assert_near(r.u[1], 0.8 * 0.005, within);
        assert_near(r.q[1], 0.8 * 0.01 / 6, within);
        run_destroy(&r);
    }
}

/* A contact that penetrates from the start stays there, and closes at zero when it comes back. */
static void test_keeps_penetration(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "mass", "point", "dim", "1", "mass", "1", "position", "-1e-4");
    add_force(&w, "weight", "gravity", "acceleration", "-9.81");
    add_force(&w, "lift", "load", "on", "x", "force", "t>=0.1&&t<0.2?20:0");
    add_element(&w, "floor", "expression", "gap", "x");
    add_law(&w, "floor", "gap", "unilateral");
    ss_args *args;
    run r = {.w = &w};
    assert_ok(&w, ss_model_seal(w.model));
    assert_ok(&w, ss_solver_create(w.context, "sorprox", NULL, NULL, &r.solver));
    assert_ok(&w, ss_scheme_create(w.context, "moreau", NULL, NULL, &r.scheme));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "output", 0.01));
    assert_ok(&w, ss_args_set_real(args, "end", 0.6));
    assert_ok(&w, ss_args_set_reals(args, "breaks", 2, (const double[]){0.1, 0.2}));
    assert_ok(&w, ss_simulation_create(w.model, r.solver, r.scheme, "event_driven", args, NULL,
                                       &r.simulation));
    ss_args_destroy(args);
    run_look(&r);
    while (run_time(&r) < 0.095)
        run_step(&r);
    assert_near(r.q[0], -1e-4, 1e-15);
    seen s = run_seen(&r);
    double up = 10.19 * 0.1, height = -1e-4 + 0.5 * 10.19 * 0.01; /* at 0.2 s */
    double back = 0.2 + (up + sqrt(up * up + 2 * G * height)) / G;
    assert_near(last_switch(&s, 0, SS_MODE_CONSTRAINT), back, 1e-9);
    assert_near(r.q[0], 0, 1e-12);
    run_destroy(&r);
}

/* A box on a floor, four corners with friction, pulled by a force that grows: what each of them carries is not unique, but all
 * slide when the pull is μ m g. */
static void test_box_is_pulled_off(void **state)
{
    (void)state;
    world w = moving_world();
    run r = {.w = &w};
    ss_args *args;
    add_system(&w, "box", "body", "position", "0 0 0.05");
    add_shape(&w, "floor", "plane");
    add_shape(&w, "box", "box", "size", "0.2 0.2 0.1", "on", "box", "density", "1000");
    add_element(&w, "contact", "contact");
    add_law(&w, "contact", "gap", "unilateral");
    add_law(&w, "contact", "slip", "friction", "mu", "0.3");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    add_force(&w, "pull", "load", "on", "box.x'", "force", "20*t");
    assert_ok(&w, ss_model_seal(w.model));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "tolerance", 1e-15));
    assert_ok(&w, ss_solver_create(w.context, "auto", args, NULL, &r.solver));
    ss_args_destroy(args);
    assert_ok(&w, ss_scheme_create(w.context, "moreau", NULL, NULL, &r.scheme));
    assert_ok(&w, ss_args_create(w.context, &args));
    assert_ok(&w, ss_args_set_real(args, "output", 0.1));
    assert_ok(&w, ss_args_set_real(args, "end", 0.8));
    assert_ok(&w,
              ss_args_set_text(args, "method", "bdf")); /* the direction of slow sliding is stiff */
    assert_ok(&w, ss_simulation_create(w.model, r.solver, r.scheme, "event_driven", args, NULL,
                                       &r.simulation));
    ss_args_destroy(args);
    seen s = run_seen(&r);
    double m = 4, t = 0.3 * m * G / 20, late = 0.8 - t;
    assert_near(last_switch(&s, 1, SS_MODE_IMPRESSED), t, 1e-9);
    assert_near(r.u[0], 20 / m * late * late / 2, 2e-9);
    assert_near(r.q[0], 20 / m * late * late * late / 6, 2e-9);
    run_destroy(&r);
}

/* Whatever counts as zero, and also where the bound is reached at the very instant of an output. */
static void test_begins_gently_with_other_tolerances(void **state)
{
    const double tolerances[][2] = {{4.5e-10, 4.5e-14}, {2e-9, 2e-13}, {1e-9, 1e-12},
                                    {5e-9, 5e-13},      {1e-8, 1e-13}, {1e-10, 1e-15}};
    (void)state;
    for (int i = 0; i < METHODS; i++)
        for (int k = 0; k < 6; k++) {
            world w = gentle_world();
            run r;
            assert_ok(
                &w, try_event_run_with(&w, methods[i], 2, tolerances[k][0], tolerances[k][1], &r));
            run_to_end(&r);
            assert_near(r.u[0], 0.6 * 0.005, 1e-9);
            assert_near(r.q[1], 0.8 * 0.01 / 6, 1e-9);
            run_destroy(&r);
        }
}

static void count_slow(void *user, ss_log_level level, const char *message)
{
    *(int *)user += level == SS_LOG_WARNING && strstr(message, "counts as zero") != NULL;
}

/* A fall of a nanometre: no speed is large beside a `slip` of 1e-8 m/s, and the run says so. Not so that of a metre, or with
 * the default. */
static void test_slip_beside_speeds(void **state)
{
    const char *place[] = {"0 1e-9", "0 1", "0 1e-9"}, *weight[] = {"0 -1e-8", "0 -10", "0 -1e-8"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        int warnings = 0;
        ss_context_options options = ss_default_context();
        options.log = count_slow;
        options.log_user = &warnings;
        world w;
        assert_int_equal(try_moving_world(&options, &w), SS_OK);
        add_system(&w, "ball", "point", "dim", "2", "mass", "1", "position", place[i]);
        add_element(&w, "floor", "expression", "gap", "ball.y");
        add_law(&w, "floor", "gap", "unilateral");
        add_force(&w, "weight", "gravity", "acceleration", weight[i]);
        run r;
        assert_ok(&w, try_event_run_with(&w, "rkf45", 1, i < 2 ? 1e-8 : 0, 0, &r));
        assert_int_equal(warnings, i == 0);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliding_ends),
        cmocka_unit_test(test_breaks_away),
        cmocka_unit_test(test_stribeck),
        cmocka_unit_test(test_moving_table),
        cmocka_unit_test(test_dependent_constraints),
        cmocka_unit_test(test_begins_between_stops),
        cmocka_unit_test(test_spring_damper_from_rest),
        cmocka_unit_test(test_rolls_without_slip),
        cmocka_unit_test(test_start_contradicts_a_joint),
        cmocka_unit_test(test_no_drift),
        cmocka_unit_test(test_impact_of_three),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_box_is_pulled_off),
        cmocka_unit_test(test_prestressed_spring),
        cmocka_unit_test(test_passes_its_length),
        cmocka_unit_test(test_friction_on_constraint),
        cmocka_unit_test(test_constraint_sticks),
        cmocka_unit_test(test_slips_both_ways),
        cmocka_unit_test(test_begins_gently),
        cmocka_unit_test(test_begins_gently_with_other_tolerances),
        cmocka_unit_test(test_keeps_penetration),
        cmocka_unit_test(test_slip_beside_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
