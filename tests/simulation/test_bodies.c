/* test_bodies.c: rigid bodies in space in motion, against closed forms and conservation laws. */
#include "model/body.h"
#include "support/run.h"

static const char *const frames[] = {"inertial", "body"};

/* y = x turned about the unit vector n by an angle (Rodrigues). */
static void turn_about(const double n[3], double angle, const double x[3], double y[3])
{
    double c = cos(angle), s = sin(angle), across[3];
    double along = n[0] * x[0] + n[1] * x[1] + n[2] * x[2];
    ss_cross3(n, x, across);
    for (int i = 0; i < 3; i++)
        y[i] = c * x[i] + s * across[i] + (1 - c) * along * n[i];
}

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double distance_of(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return length(d);
}

/* Angular velocity of a body in its own axes. */
static void own_spin(int frame, const double *q, const double *u, double own[3])
{
    double A[9];
    ss_body_rotation(q + 3, A);
    if (frame == 1)
        memcpy(own, u + 3, 3 * sizeof *own);
    else
        ss_turn_back(A, u + 3, own);
}

/* The axis of a free symmetric top goes round its angular momentum with |L|/J1; in its axes ω goes round
 * with (J3 - J1) ω3 / J1. Returns how far axis and ω are off after 1 s. */
static double symmetric_top_error(int frame, double step)
{
    world w = moving_world();
    add_system(&w, "top", "body", "mass", "2", "inertia", "1 1 2", "frame", frames[frame],
               "velocity", "0 0 0 0.6 0 3");
    run r = run_create(&w, step, 1, 0);
    run_to_end(&r);
    const double L[3] = {0.6, 0, 6}, n[3] = {0.6 / length(L), 0, 6 / length(L)}, z[3] = {0, 0, 1};
    double A[9], axis[3], expected[3], own[3];
    turn_about(n, length(L) / 1, z, expected);
    ss_body_rotation(r.q + 3, A);
    ss_turn(A, z, axis);
    own_spin(frame, r.q, r.u, own);
    const double spin[3] = {0.6 * cos(3), 0.6 * sin(3), 3};
    double error = distance_of(axis, expected) + distance_of(own, spin);
    run_destroy(&r);
    return error;
}

static void symmetric_top_precesses(void **state)
{
    (void)state;
    for (int frame = 0; frame < 2; frame++) {
        double coarse = symmetric_top_error(frame, 2e-3), fine = symmetric_top_error(frame, 1e-3);
        assert_true(fine < 2e-5);
        assert_near(log2(coarse / fine), 2, 0.05);
    }
}

/* A book thrown about its middle axis tumbles: energy and |L| stay, whatever the step; the direction of L does with
 * the square of the step. */
static double tumbling(int frame, double step, double *energy, double *size)
{
    world w = moving_world();
    add_system(&w, "book", "body", "mass", "1", "inertia", "1 2 3.5", "frame", frames[frame],
               "velocity", "0 0 0 0.01 5 0.02", "rotation", "1 2 3 0.5");
    run r = run_create(&w, step, 5, 0);
    double A[9], own[3], L0[3], L1[3], JL[3], T0 = 0, T1 = 0;
    const double J[3] = {1, 2, 3.5};
    for (int end = 0; end < 2; end++) {
        double *L = end ? L1 : L0, *T = end ? &T1 : &T0;
        own_spin(frame, r.q, r.u, own);
        for (int i = 0; i < 3; i++) {
            JL[i] = J[i] * own[i];
            *T += 0.5 * JL[i] * own[i];
        }
        ss_body_rotation(r.q + 3, A);
        ss_turn(A, JL, L);
        if (!end)
            run_to_end(&r);
    }
    *energy = fabs(T1 / T0 - 1);
    *size = fabs(length(L1) / length(L0) - 1);
    double off = distance_of(L0, L1) / length(L0);
    run_destroy(&r);
    return off;
}

static void free_body_keeps_energy_and_momentum(void **state)
{
    (void)state;
    double energy, size, coarse, fine;
    for (int frame = 0; frame < 2; frame++) {
        coarse = tumbling(frame, 2e-3, &energy, &size);
        fine = tumbling(frame, 1e-3, &energy, &size);
        assert_true(energy < (frame ? 1e-12 : 1e-4));
        assert_true(size < (frame ? 1e-12 : 1e-4));
        assert_true(fine < 1e-4);
        assert_near(log2(coarse / fine), 2, 0.3);
    }
}

/* A heavy symmetric top on its tip, in steady precession with the rate Ω at the tilt θ, which needs
 * (J1 + m l²) Ω² cos θ - J3 ω3 Ω + m g l = 0. */
static double steady_top(double step, double *tilt)
{
    const double theta = 0.5, Omega = 2, m = 0.5, l = 0.1, J1 = 1e-3, J3 = 8e-4, g = 9.81;
    double spin = ((J1 + m * l * l) * Omega * Omega * cos(theta) + m * g * l) / (J3 * Omega);
    double axis[3] = {sin(theta), 0, cos(theta)}, omega[3], place[3], v[3];
    for (int i = 0; i < 3; i++) {
        omega[i] = (spin - Omega * cos(theta)) * axis[i] + (i == 2 ? Omega : 0);
        place[i] = l * axis[i];
    }
    ss_cross3(omega, place, v);
    char position[200], velocity[200], own[200];
    double A[9], e[4] = {cos(theta / 2), 0, sin(theta / 2), 0}, spin_own[3];
    ss_body_rotation(e, A);
    ss_turn_back(A, omega, spin_own);
    snprintf(position, sizeof position, "%.17g %.17g %.17g", place[0], place[1], place[2]);
    snprintf(velocity, sizeof velocity, "%.17g %.17g %.17g %.17g %.17g %.17g", v[0], v[1], v[2],
             spin_own[0], spin_own[1], spin_own[2]);
    snprintf(own, sizeof own, "0 1 0 %.17g", theta);
    world w = moving_world();
    add_system(&w, "top", "body", "mass", "0.5", "inertia", "1e-3 1e-3 8e-4", "frame", "body",
               "position", position, "velocity", velocity, "rotation", own);
    add_element(&w, "tip", "spherical", "system", "top", "at", "0 0 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, step, 1, 1e-13);
    run_to_end(&r);
    const double expected[3] = {sin(theta) * cos(Omega), sin(theta) * sin(Omega), cos(theta)};
    double now[3], z[3] = {0, 0, 1};
    ss_body_rotation(r.q + 3, A);
    ss_turn(A, z, now);
    *tilt = fabs(acos(now[2]) - theta);
    double error = distance_of(now, expected);
    run_destroy(&r);
    return error;
}

static void heavy_top_precesses_steadily(void **state)
{
    (void)state;
    double tilt, coarse = steady_top(1e-3, &tilt), fine = steady_top(5e-4, &tilt);
    assert_true(tilt < 2e-2 && fine < 2e-2);
    assert_true(log2(coarse / fine) > 0.8);
}

/* A ball slides on a plane with µ = 0.3 and rolls from t = 2 v0 / (7 µ g) with 5/7 v0. */
static void ball_slides_and_rolls(void **state)
{
    (void)state;
    for (int frame = 0; frame < 2; frame++) {
        world w = moving_world();
        add_system(&w, "ball", "body", "mass", "3", "inertia", "0.4*3*0.1^2", "frame",
                   frames[frame], "position", "0 0 0.1", "velocity", "1.2 1.6 0", "rotation",
                   "1 1 0 0.4");
        add_element(&w, "floor", "plane", "system", "ball", "normal", "0 0 1", "radius", "0.1");
        add_law(&w, "floor", "gap", "unilateral");
        add_law(&w, "floor", "slip", "friction", "mu", "0.3");
        add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
        double t = 2 * 2.0 / (7 * 0.3 * 9.81);
        run r = run_create(&w, 1e-4, 1, 1e-12);
        while (run_time(&r) < t - 2e-4)
            run_step(&r);
        assert_true(hypot(r.u[0], r.u[1]) > 2.0 * 5 / 7 + 1e-5);
        run_to_end(&r);
        assert_near(r.u[0], 1.2 * 5 / 7, 1e-4);
        assert_near(r.u[1], 1.6 * 5 / 7, 1e-4);
        double rolled = 2.0 * t - 0.5 * 0.3 * 9.81 * t * t + 2.0 * 5 / 7 * (1 - t);
        assert_near(hypot(r.q[0], r.q[1]), rolled, 1e-4);
        run_destroy(&r);
    }
}

/* Welded to a driven body, a body follows it. Returns what the energy balance misses, part of what was moved. */
static double welded(int frame, const char *inertia, double step, double *off)
{
    world w = moving_world();
    add_system(&w, "tool", "body", "motion", "0.3*sin(5*t) 0.1*t^2 0", "turn", "2*t+sin(3*t)",
               "axis", "1 2 2", "frame", frames[frame]);
    add_system(&w, "work", "body", "mass", "2", "inertia", inertia, "position", "0.5 0.2 0.1",
               "frame", frames[1 - frame]);
    add_element(&w, "weld", "fixed", "system", "work", "to", "tool", "at", "0.2 0 0");
    run r = run_create(&w, step, 1, 1e-13);
    double start = run_balance(&r), tool[3] = {0.3 * sin(5), 0.1, 0};
    run_to_end(&r);
    for (int i = 0; i < 3; i++)
        assert_near(r.q[i], tool[i], 1e-15);
    assert_near(r.u[0], 1.5 * cos(5), 1e-14);
    const double n[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0}, arm[3] = {0.5, 0.2, 0.1};
    double turned[3], place[3];
    turn_about(n, 2 + sin(3), arm, turned);
    for (int i = 0; i < 3; i++)
        place[i] = tool[i] + turned[i];
    *off = distance_of(place, r.q + 7);
    double missing = fabs(run_balance(&r) - start) / (1 + fabs(run_energy(&r).load_work));
    run_destroy(&r);
    return missing;
}

/* The work of the motion is accounted for to rounding; gyroscopic torques add an error of the step's order. */
static void welded_to_a_driven_body(void **state)
{
    (void)state;
    double off, coarse, fine;
    for (int frame = 0; frame < 2; frame++) {
        assert_true(welded(frame, "1.5", 1e-3, &off) < 1e-12);
        assert_true(off < 1e-6);
        coarse = welded(frame, "1 2 2.5", 2e-3, &off);
        fine = welded(frame, "1 2 2.5", 1e-3, &off);
        assert_true(off < 1e-6);
        assert_true(fine < 1e-3);
        assert_true(log2(coarse / fine) > 0.8);
    }
}

/* A mass on a spring whose other end is driven: what is brought in is found again, with the square of the step. */
static double shaken_mass(double step)
{
    world w = moving_world();
    add_system(&w, "hand", "body", "motion", "0 0 0.2*sin(3*t)");
    add_system(&w, "mass", "body", "mass", "2", "inertia", "1", "position", "0 0 -1");
    add_force(&w, "spring", "spring", "system", "hand", "to", "mass", "stiffness", "50", "length",
              "0.6");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, step, 2, 0);
    double start = run_balance(&r);
    run_to_end(&r);
    double off = fabs(run_balance(&r) - start);
    assert_true(fabs(run_energy(&r).load_work) > 0.05);
    run_destroy(&r);
    return off;
}

static void shaken_spring_balances(void **state)
{
    (void)state;
    double coarse = shaken_mass(2e-3), fine = shaken_mass(1e-3);
    assert_true(fine < 1e-4);
    assert_near(log2(coarse / fine), 2, 0.3);
}

/* A fixed body stays and takes any push. */
static void fixed_body_stays(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "wall", "body", "fixed", "true", "position", "1 2 3", "rotation", "0 0 1 1");
    add_system(&w, "pendulum", "body", "mass", "1", "inertia", "0.1", "position", "1 2 2");
    add_element(&w, "rod", "spherical", "system", "pendulum", "to", "wall", "at", "1 2 3");
    add_force(&w, "weight", "gravity", "acceleration", "1 0 -9.81");
    run r = run_create(&w, 1e-3, 0.5, 0);
    run_to_end(&r);
    assert_true(r.q[0] == 1 && r.q[1] == 2 && r.q[2] == 3 && r.u[0] == 0 && r.u[5] == 0);
    assert_true(fabs(r.q[7] - 1) > 1e-3);
    run_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetric_top_precesses),
        cmocka_unit_test(free_body_keeps_energy_and_momentum),
        cmocka_unit_test(heavy_top_precesses_steadily),
        cmocka_unit_test(ball_slides_and_rolls),
        cmocka_unit_test(welded_to_a_driven_body),
        cmocka_unit_test(shaken_spring_balances),
        cmocka_unit_test(fixed_body_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
