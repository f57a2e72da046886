/* test_impacts.c: schemes with laws: order through impacts and friction, rest, energy,
 * constraints. */
#include "stepping.h"

static const double G = 9.81;

/* ---- Impact oscillator: m = 0.1, c = 20, free at -0.15, stop at 0, ε = 0.6 or 0
 * --------------------------- */

typedef struct point {
    double x, u;
} point;

/* Exact motion by flights y = R cos(ωt - φ) about -0.15, y = 0.15 at the stop. With ε = 0 it sticks
 * no longer than an instant, as the spring pulls it back. */
static point exact_oscillator(double epsilon, double t)
{
    double omega = sqrt(200), y = -0.35, v = 0.2;
    for (;;) {
        double R = hypot(y, v / omega), phi = atan2(v / omega, y);
        double reach = 0.15 / R < 1 ? (phi - acos(0.15 / R)) / omega : INFINITY;
        double period = 2 * acos(-1) / omega;
        while (reach <= 1e-12)
            reach += period;
        if (!(reach < t))
            return (point){R * cos(omega * t - phi) - 0.15, -R * omega * sin(omega * t - phi)};
        v = epsilon * R * omega * sin(omega * reach - phi);
        y = 0.15;
        t -= reach;
        if (v == 0) /* leaves the stop from rest */
            return (point){0.15 * cos(omega * t) - 0.15, -0.15 * omega * sin(omega * t)};
    }
}

static double oscillator_error(const char *scheme, const char *epsilon, int steps)
{
    world w = stepping_world();
    double end = 0.7;
    add_system(&w, "m", "linear", "coordinates", "x", "mass", "0.1", "stiffness", "20", "rest",
               "-0.15", "position", "-0.5", "velocity", "0.2");
    add_element(&w, "stop", "expression", "gap", "-x");
    add_law(&w, "stop", "gap", "unilateral", "restitution", epsilon);
    stepper s = stepper_create(&w, scheme);
    stepper_run(&s, end, steps);
    point p = exact_oscillator(atof(epsilon), end);
    double error = hypot(s.q[0] - p.x, (s.u[0] - p.u) / sqrt(200));
    stepper_destroy(&s);
    return error;
}

/* Errors through impacts jump with the phase of the steps: the mean of the logarithm over several
 * counts. */
static double mean_log_error(const char *scheme, const char *epsilon, int steps)
{
    double sum = 0;
    for (int k = 0; k < 8; k++)
        sum += log2(oscillator_error(scheme, epsilon, steps + steps * k / 16)) / 8;
    return sum;
}

static double oscillator_order(const char *scheme, const char *epsilon)
{
    return (mean_log_error(scheme, epsilon, 400) - mean_log_error(scheme, epsilon, 25600)) / 6;
}

static const char *const elastic_schemes[] = {
    "moreau",
    "moreau_stabilized",
    "theta laws=velocity",
    "theta laws=mixed",
    "paoli_schatzman",
    "stiegelmeier",
    "funk",
    "anitescu_potra_1997",
    "gavrea",
    "ggl",
    "generalized_alpha",
};
static const char *const inelastic_schemes[] = {
    "theta",           "theta theta=1",       "foerg_explicit", "foerg_implicit",
    "stewart_trinkle", "anitescu_potra_2002", "anitescu_hart",  "preconditioned_index3",
};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* The closed form agrees with the times known for this oscillator. */
static void the_reference_is_right(void **state)
{
    (void)state;
    point before = exact_oscillator(0.6, 0.1395077 - 1e-6),
          after = exact_oscillator(0.6, 0.1395077 + 1e-6);
    assert_near(after.u, -0.6 * before.u, 1e-3);
    before = exact_oscillator(0.6, 0.4561889 - 1e-6),
    after = exact_oscillator(0.6, 0.4561889 + 1e-6);
    assert_near(after.u, -0.6 * before.u, 1e-3);
}

static void order_one_through_impacts(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(elastic_schemes); i++) {
        double order = oscillator_order(elastic_schemes[i], "0.6");
        if (!(order > 0.8 && order < 1.3))
            fail_msg("%s: order %.3f through elastic impacts", elastic_schemes[i], order);
    }
    for (int i = 0; i < COUNT(inelastic_schemes); i++) {
        double order = oscillator_order(inelastic_schemes[i], "0");
        if (!(order > 0.8 && order < 1.3))
            fail_msg("%s: order %.3f through inelastic impacts", inelastic_schemes[i], order);
    }
}

/* Impacts that are located keep the order. */
static void order_two_where_impacts_are_located(void **state)
{
    (void)state;
    double order = oscillator_order("potra", "0.6");
    if (!(order > 1.8 && order < 2.2))
        fail_msg("potra: order %.3f", order);
}

/* ---- Falling mass: rests after √(2 z0/g) (1 + ε)/(1 - ε)
 * --------------------------------------------------- */

static void bouncing_comes_to_rest(void **state)
{
    (void)state;
    const char *schemes[] = {"moreau",
                             "moreau_stabilized",
                             "theta laws=velocity",
                             "paoli_schatzman",
                             "stiegelmeier",
                             "funk",
                             "potra",
                             "gavrea",
                             "ggl",
                             "generalized_alpha",
                             "anitescu_potra_1997 rest_speed=0.02"};
    for (int i = 0; i < COUNT(schemes); i++) {
        world w = stepping_world();
        double dt = 5e-4, rest = sqrt(2 * 0.07 / G) * 1.7 / 0.3;
        add_system(&w, "m", "point", "dim", "1", "mass", "1", "position", "0.07");
        add_force(&w, "weight", "gravity", "acceleration", "-9.81");
        add_element(&w, "table", "expression", "gap", "x");
        add_law(&w, "table", "gap", "unilateral", "restitution", "0.7");
        stepper s = stepper_create(&w, schemes[i]);
        stepper_run(&s, rest - 0.05, (int)((rest - 0.05) / dt));
        if (fabs(s.u[0]) + s.q[0] < 1e-3)
            fail_msg("%s rests too early", schemes[i]);
        stepper_run(&s, 0.4, 800);
        /* potra does not treat approaches below 1e-6 g Δt as impacts */
        if (!(fabs(s.u[0]) < 1e-6 * G * dt && fabs(s.q[0]) < 2e-5))
            fail_msg("%s does not rest: x = %g, u = %g", schemes[i], s.q[0], s.u[0]);
        stepper_destroy(&s);
    }
}

/* ---- Sliding mass: (2, -0.2) m/s against 2 N of friction, no pull: stops on a straight line
 * ------------- */

static const char *const all_schemes[] = {
    "moreau",
    "moreau_stabilized",
    "theta",
    "theta theta=1",
    "paoli_schatzman",
    "stiegelmeier",
    "funk",
    "foerg_explicit",
    "foerg_implicit",
    "stewart_trinkle",
    "anitescu_potra_1997",
    "anitescu_potra_2002",
    "anitescu_hart",
    "potra",
    "gavrea",
    "ggl",
    "preconditioned_index3",
    "generalized_alpha",
    "general",
};

/* v0 = |(2, -0.2)|, stops after v0/2 s and v0²/4 m. */
static double sliding_error(const char *scheme, int steps)
{
    world w = stepping_world();
    double v0 = hypot(2, 0.2), way = v0 * v0 / 4;
    add_system(&w, "m", "point", "dim", "2", "mass", "1", "velocity", "2 -0.2");
    add_element(&w, "table", "expression", "slip", "x' y'");
    add_law(&w, "table", "slip", "friction", "bound", "2");
    stepper s = stepper_create(&w, scheme);
    stepper_run(&s, 1.7, steps);
    double error = hypot(s.q[0] - way * 2 / v0, s.q[1] + way * 0.2 / v0);
    if (!(hypot(s.u[0], s.u[1]) < 1e-8))
        fail_msg("%s does not stick", scheme);
    stepper_destroy(&s);
    return error;
}

static void sliding_ends_in_sticking(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(all_schemes); i++) {
        double coarse = sliding_error(all_schemes[i], 130),
               fine = sliding_error(all_schemes[i], 8320);
        double order = log2(coarse / fine) / 6;
        bool located = coarse < 1e-9; /* potra ends a step where the sliding ends */
        if (!(order > 0.7) && !located)
            fail_msg("%s: order %.3f through a stop", all_schemes[i], order);
        assert_true(located == (strcmp(all_schemes[i], "potra") == 0));
    }
}

/* ---- Block on a slope just below the friction angle
 * ------------------------------------------------------ */

static void nothing_creeps(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(all_schemes); i++) {
        world w = stepping_world();
        double alpha = 0.999 * atan(0.5);
        char pull[128];
        snprintf(pull, sizeof pull, "%.17g %.17g", G * sin(alpha), -G * cos(alpha));
        add_system(&w, "block", "point", "dim", "2", "mass", "1");
        add_force(&w, "weight", "gravity", "acceleration", pull);
        add_element(&w, "slope", "plane", "system", "block", "normal", "0 1");
        add_law(&w, "slope", "gap", "unilateral");
        add_law(&w, "slope", "slip", "friction", "mu", "0.5");
        stepper s = stepper_create(&w, all_schemes[i]);
        stepper_run(&s, 100, 100000);
        if (!(fabs(s.q[0]) < 1e-12 && fabs(s.q[1]) < 1e-12))
            fail_msg("%s creeps: %g, %g m", all_schemes[i], s.q[0], s.q[1]);
        stepper_destroy(&s);
    }
}

/* ---- Energy: a ball between two walls, ε <= 1, nothing drives it
 * -------------------------------------------- */

/* Largest energy of a bouncing ball over its first, minus 1. Flights are straight: all comes from
 * the impacts. */
static double gained(const char *scheme, const char *epsilon)
{
    world w = stepping_world();
    add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.3", "velocity", "1.37");
    add_element(&w, "walls", "expression", "gap", "x 1-x");
    add_law(&w, "walls", "gap", "unilateral", "restitution", epsilon);
    stepper s = stepper_create(&w, scheme);
    double first = stepper_energy(&s), most = 0;
    for (int i = 0; i < 5000; i++) {
        stepper_step(&s, 0.01);
        most = fmax(most, stepper_energy(&s));
    }
    stepper_destroy(&s);
    return most / first - 1;
}

static void impacts_gain_no_energy(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(elastic_schemes); i++)
        for (int k = 0; k < 3; k++) {
            const char *epsilon[] = {"1", "0.8", "0.3"};
            double gain = gained(elastic_schemes[i], epsilon[k]);
            if (!(gain < 1e-9))
                fail_msg("%s gains %g of its energy with restitution %s", elastic_schemes[i], gain,
                         epsilon[k]);
        }
    for (int i = 0; i < COUNT(inelastic_schemes); i++) {
        double gain = gained(inelastic_schemes[i], "0");
        if (!(gain < 1e-9))
            fail_msg("%s gains %g of its energy", inelastic_schemes[i], gain);
    }
}

/* ε = 1 keeps the energy for ever where impacts are Newton's or Poisson's. */
static void elastic_impacts_keep_the_energy(void **state)
{
    (void)state;
    const char *schemes[] = {"moreau", "theta laws=velocity", "potra",
                             "gavrea", "anitescu_potra_1997", "stiegelmeier",
                             "funk"};
    for (int i = 0; i < COUNT(schemes); i++) {
        world w = stepping_world();
        add_system(&w, "ball", "point", "dim", "1", "mass", "1", "position", "0.3", "velocity",
                   "1.37");
        add_element(&w, "walls", "expression", "gap", "x 1-x");
        add_law(&w, "walls", "gap", "unilateral", "restitution", "1");
        stepper s = stepper_create(&w, schemes[i]);
        stepper_run(&s, 50, 5000);
        assert_near(fabs(s.u[0]), 1.37, 1e-9);
        stepper_destroy(&s);
    }
}

/* ---- Poisson's law: a ball with spin-like sliding, three balls
 * ---------------------------------------------- */

/* A point hits a rough floor: P_C = m v, P_E = ε m v, friction at most μ times both (sliding all
 * through). */
static void poisson_with_friction(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "p", "point", "dim", "2", "mass", "1", "position", "0 0.1", "velocity", "3 -1");
    add_element(&w, "floor", "plane", "system", "p", "normal", "0 1");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "0.5");
    add_law(&w, "floor", "slip", "friction", "mu", "0.4");
    stepper s = stepper_create(&w, "potra");
    stepper_step(&s, 0.2);
    assert_near(s.u[1], 0.5, 1e-12);
    assert_near(s.u[0], 3 - 0.4 * 1.5, 1e-9);
    assert_near(s.q[1], 0.05, 1e-9); /* hits at 0.1 s, rises 0.1 s at 0.5 m/s */
    stepper_destroy(&s);
}

/* With little tangential velocity the point sticks in compression and stays stuck: no tangential
 * rebound. */
static void poisson_sticks(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "p", "point", "dim", "2", "mass", "1", "position", "0 0.1", "velocity",
               "0.1 -1");
    add_element(&w, "floor", "plane", "system", "p", "normal", "0 1");
    add_law(&w, "floor", "gap", "unilateral", "restitution", "0.5");
    add_law(&w, "floor", "slip", "friction", "mu", "0.4");
    stepper s = stepper_create(&w, "anitescu_potra_1997");
    stepper_step(&s, 0.2);
    assert_near(s.u[0], 0, 1e-12);
    assert_near(s.u[1], 0.5, 1e-12);
    stepper_destroy(&s);
}

/* ---- An impact with friction in two parts: G = [1 a; a 1], a = 0.7 > μ = 0.3
 * --------------------------------- */

/* Slip after an inelastic impact that takes the approach `speed` away, from the slip `v`: it ends
 * sliding back, sliding on, or sticking. */
static double slip_after(double v, double speed)
{
    const double a = 0.7, mu = 0.3;
    double back = v + (a + mu) / (1 + a * mu) * speed, on = v + (a - mu) / (1 - a * mu) * speed;
    return back < 0 ? back : on > 0 ? on : 0;
}

static double slip_of(const char *scheme, double part, double dt)
{
    world w = stepping_world();
    char q0[64];
    snprintf(q0, sizeof q0, "%.17g 0", part * dt);
    add_system(&w, "m", "linear", "coordinates", "x y", "mass",
               "1.9607843137254901 -1.3725490196078431; -1.3725490196078431 1.9607843137254901",
               "position", q0, "velocity", "-1 -0.65");
    add_element(&w, "table", "expression", "gap", "x", "slip", "y'");
    add_law(&w, "table", "gap", "unilateral");
    add_law(&w, "table", "slip", "friction", "mu", "0.3");
    stepper s = stepper_create(&w, scheme);
    stepper_run(&s, 4 * dt, 4);
    double slip = s.u[1];
    stepper_destroy(&s);
    return slip;
}

/* On velocity level it sticks, wherever it lies in its step. With gaps in the laws the first step
 * leaves the part g/Δt of the approach to the second; where a > μ what stuck in the first slips in the
 * second, and by how much does not depend on the size of the steps. */
static void impacts_in_two_steps_depend_on_their_phase(void **state)
{
    (void)state;
    const double parts[] = {0.1, 0.2, 0.5, 0.8}, steps[] = {1e-2, 1e-5};
    double least = 1, most = 0;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++) {
            double expected = slip_after(slip_after(-0.65, 1 - parts[i]), parts[i]);
            assert_near(slip_of("foerg_explicit", parts[i], steps[k]), expected, 1e-7);
            assert_near(slip_of("stewart_trinkle", parts[i], steps[k]), expected, 1e-7);
            assert_near(slip_of("anitescu_potra_2002", parts[i], steps[k]), 0, 1e-9);
            assert_near(slip_of("moreau", parts[i], steps[k]), 0, 1e-9);
            least = fmin(least, expected);
            most = fmax(most, expected);
        }
    assert_true(slip_after(-0.65, 1) == 0);
    assert_true(most - least > 0.08);
}

/* Wherever it lies in its step, an impact without restitution ends at rest after two steps. The gap of
 * the midpoint in moreau_stabilized asks for up to half of the approach. */
static void inelastic_impacts_end_at_rest(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(all_schemes); i++)
        for (double part = 0.05; part < 1; part += 0.1) {
            world w = stepping_world();
            char x0[64];
            snprintf(x0, sizeof x0, "%.17g", part * 1e-3);
            add_system(&w, "ball", "point", "dim", "1", "mass", "2", "position", x0, "velocity",
                       "-1");
            add_element(&w, "table", "expression", "gap", "x");
            add_law(&w, "table", "gap", "unilateral");
            stepper s = stepper_create(&w, all_schemes[i]);
            stepper_run(&s, 4e-3, 4);
            bool thrown = strcmp(all_schemes[i], "moreau_stabilized") == 0 && part < 0.5;
            double expected = thrown ? 0.5 - part : 0;
            if (!(fabs(s.u[0] - expected) < 1e-9))
                fail_msg("%s, part %g: %g m/s", all_schemes[i], part, s.u[0]);
            stepper_destroy(&s);
        }
}

/* Laws on the mean velocity: a motor that asks for 2 m/s gets it. */
static void motors_drive_the_mean_velocity(void **state)
{
    (void)state;
    const char *schemes[] = {"moreau", "potra", "gavrea", "gavrea beta=0.6 alpha=0.6",
                             "generalized_alpha"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        world w = stepping_world();
        add_system(&w, "cart", "point", "dim", "1", "mass", "1", "velocity", "2");
        add_element(&w, "drive", "expression", "slip", "x'");
        add_law(&w, "drive", "slip", "motor", "speed", "2+t");
        stepper s = stepper_create(&w, schemes[i]);
        stepper_run(&s, 1, 1000);
        if (!(fabs(s.q[0] - 2.5) < 2e-3 && fabs(s.u[0] - 3) < 3e-3))
            fail_msg("%s: %g m, %g m/s", schemes[i], s.q[0], s.u[0]);
        stepper_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right),
        cmocka_unit_test(order_one_through_impacts),
        cmocka_unit_test(order_two_where_impacts_are_located),
        cmocka_unit_test(bouncing_comes_to_rest),
        cmocka_unit_test(sliding_ends_in_sticking),
        cmocka_unit_test(nothing_creeps),
        cmocka_unit_test(impacts_gain_no_energy),
        cmocka_unit_test(elastic_impacts_keep_the_energy),
        cmocka_unit_test(poisson_with_friction),
        cmocka_unit_test(poisson_sticks),
        cmocka_unit_test(impacts_in_two_steps_depend_on_their_phase),
        cmocka_unit_test(inelastic_impacts_end_at_rest),
        cmocka_unit_test(motors_drive_the_mean_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
