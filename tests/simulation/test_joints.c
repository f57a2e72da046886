/* test_joints.c: mechanisms of bodies and joints against kinematics, closed forms and conservation laws. */
#include "assembly/work.h"
#include "model/body.h"
#include "support/run.h"

#define PI 3.14159265358979323846

/* Largest gap of all bilateral geometric rows. */
static double largest_gap(const run *r)
{
    double worst = 0, gap[256], gamma[256];
    const ss_model *model = r->w->model;
    ss_model_size size = ss_model_sizes(model);
    assert_true(size.n_rows <= 256);
    assert_ok(r->w, ss_work_measure(ss_simulation_work(r->simulation),
                                    ss_simulation_state(r->simulation), gap, gamma));
    for (int l = 0; l < size.n_laws; l++) {
        ss_law_info law = ss_model_law(model, l);
        if (law.kind == SS_GEOMETRIC && strcmp(law.type, "bilateral") == 0)
            worst = fmax(worst, fabs(gap[law.offset]));
    }
    return worst;
}

/* Angle of body k about an axis it was not turned about at first: 2 atan2(e·n, e0), not unwrapped. */
static double angle_of(const run *r, int k, const double n[3])
{
    const double *e = r->q + 7 * k + 3;
    return 2 * atan2(e[1] * n[0] + e[2] * n[1] + e[3] * n[2], e[0]);
}

static const double y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};

/* A rod of length 1 about a hinge at its end, let go at 1.5 rad: the angle after a period, which has the
 * closed form 4 √(J/(m g l)) K(sin(φ0/2)). */
static double physical_pendulum(double parts)
{
    const double J = 2.0 / 12 + 2 * 0.25,
                 period = 4 * sqrt(J / (2 * 9.81 * 0.5)) * elliptic_K(sin(0.75));
    char position[100];
    snprintf(position, sizeof position, "%.17g 0 %.17g", 0.5 * sin(1.5), -0.5 * cos(1.5));
    world w = moving_world();
    add_system(&w, "rod", "body", "mass", "2", "inertia", "2/12 2/12 1e-3", "position", position,
               "rotation", "0 1 0 -1.5", "frame", "body");
    add_element(&w, "hinge", "revolute", "system", "rod", "at", "0 0 0", "axis", "0 1 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, period / parts, period, 1e-13);
    run_to_end(&r);
    double error = fabs(angle_of(&r, 0, y_axis) + 1.5);
    assert_true(largest_gap(&r) < 1e-3);
    run_destroy(&r);
    return error;
}

static void pendulum_has_its_period(void **state)
{
    (void)state;
    double coarse = physical_pendulum(500), fine = physical_pendulum(1000);
    assert_true(fine < 1e-5);
    assert_true(log2(coarse / fine) > 1.8);
}

/* A ball on a string of length 1 goes round at the tilt θ with Ω² = g / cos θ. */
static void conical_pendulum(void **state)
{
    (void)state;
    const double theta = 0.6, Omega = sqrt(9.81 / cos(theta)), step = 2e-4;
    char position[100], velocity[200];
    snprintf(position, sizeof position, "%.17g 0 %.17g", sin(theta), -cos(theta));
    snprintf(velocity, sizeof velocity, "0 %.17g 0 0 0 %.17g", Omega * sin(theta), Omega);
    world w = moving_world();
    add_system(&w, "ball", "body", "mass", "0.7", "inertia", "0.01", "position", position,
               "velocity", velocity);
    add_element(&w, "string", "spherical", "system", "ball", "at", "0 0 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    run r = run_create(&w, step, 2, 1e-13);
    run_to_end(&r);
    assert_near(r.q[0], sin(theta) * cos(2 * Omega), 1e-6);
    assert_near(r.q[1], sin(theta) * sin(2 * Omega), 1e-6);
    assert_near(r.q[2], -cos(theta), 1e-6);
    run_destroy(&r);
}

/* Crank of 0.3 m driven at 4 rad/s, rod of 1 m, slider along x: a closed loop with three rows too many. */
static void slider_crank_follows_its_kinematics(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "crank", "body", "mass", "1", "inertia", "0.01", "position", "0.15 0 0",
               "velocity", "0 0.6 0 0 0 4");
    add_system(&w, "rod", "body", "mass", "1", "inertia", "0.01 0.1 0.1", "position", "0.8 0 0",
               "velocity", "0 0.6 0 0 0 -1.2", "frame", "body");
    add_system(&w, "slider", "body", "mass", "2", "inertia", "0.1", "position", "1.3 0 0");
    add_element(&w, "bearing", "revolute", "system", "crank", "at", "0 0 0", "axis", "0 0 1");
    add_law(&w, "bearing", "turn", "motor", "speed", "4");
    add_element(&w, "pin", "revolute", "system", "rod", "to", "crank", "at", "0.3 0 0", "axis",
                "0 0 1");
    add_element(&w, "wrist", "revolute", "system", "slider", "to", "rod", "at", "1.3 0 0", "axis",
                "0 0 1");
    add_element(&w, "guide", "prismatic", "system", "slider", "at", "1.3 0 0", "axis", "1 0 0");
    run r = run_create(&w, 1e-3, 3, 1e-10);
    double worst = 0, drift = 0;
    for (int i = 0; i < 3000; i++) {
        run_step(&r);
        double phi = 4 * run_time(&r), x = 0.3 * cos(phi) + sqrt(1 - 0.09 * sin(phi) * sin(phi));
        worst = fmax(worst, fabs(r.q[14] - x));
        drift = fmax(drift, largest_gap(&r));
    }
    assert_true(worst < 1e-5);
    assert_true(drift < 1e-5);
    assert_near(angle_of(&r, 0, z_axis), remainder(12, 4 * PI), 1e-5);
    run_destroy(&r);
}

/* Two shafts at an angle of 40°: tan ψ = cos β tan φ, and the speeds are in the ratio of its derivative. */
static void universal_joint_has_its_ratio(void **state)
{
    (void)state;
    const double beta = 40 * PI / 180;
    const double axis[3] = {cos(beta), sin(beta), 0};
    world w = moving_world();
    char out[100], cross[100], start[100];
    snprintf(out, sizeof out, "%.17g %.17g 0", axis[0], axis[1]);
    snprintf(cross, sizeof cross, "%.17g %.17g 0", -axis[1], axis[0]);
    snprintf(start, sizeof start, "0 0 0 %.17g %.17g 0", 2 * axis[0] * cos(beta),
             2 * axis[1] * cos(beta));
    add_system(&w, "in", "body", "mass", "1", "inertia", "0.1", "velocity", "0 0 0 2 0 0");
    add_system(&w, "out", "body", "mass", "1", "inertia", "0.2", "velocity", start);
    add_element(&w, "b1", "revolute", "system", "in", "axis", "1 0 0");
    add_element(&w, "b2", "revolute", "system", "out", "axis", out);
    add_law(&w, "b1", "turn", "motor", "speed", "2");
    add_element(&w, "cross", "universal", "system", "in", "to", "out", "axis", "0 0 1",
                "cross_axis", cross);
    run r = run_create_by(&w, "auto", 5e-4, 4, 1e-11);
    double worst = 0, worst_speed = 0;
    for (int i = 0; i < 8000; i++) {
        run_step(&r);
        double phi = 2 * run_time(&r), psi = atan2(cos(beta) * sin(phi), cos(phi));
        double ratio = cos(beta) / (cos(phi) * cos(phi) + pow(cos(beta) * sin(phi), 2));
        double speed = r.u[9] * axis[0] + r.u[10] * axis[1];
        worst = fmax(worst, fabs(remainder(angle_of(&r, 1, axis) - psi, 2 * PI)));
        worst_speed = fmax(worst_speed, fabs(speed - 2 * ratio));
    }
    assert_true(worst < 2e-6);
    assert_true(worst_speed < 1e-5);
    run_destroy(&r);
}

/* A torque of 3 N m on the first of two wheels that mesh 1 : 2 outside: φ1'' = τ / (J1 + J2/4). */
static void gears_share_their_inertia(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "body", "mass", "1", "inertia", "0.5");
    add_system(&w, "b", "body", "mass", "4", "inertia", "4", "position", "3 0 0", "frame", "body");
    add_element(&w, "b1", "revolute", "system", "a", "axis", "0 0 1");
    add_element(&w, "b2", "revolute", "system", "b", "axis", "0 0 1");
    add_law(&w, "b1", "drive", "spring_damper", "force", "3");
    add_element(&w, "teeth", "gear", "system", "a", "to", "b", "ratio", "-0.5", "axis", "0 0 1");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    double start = run_balance(&r);
    run_to_end(&r);
    assert_near(r.u[5], 3 / (0.5 + 1), 1e-10);
    assert_near(r.u[11], -0.5 * r.u[5], 1e-11);
    assert_near(run_energy(&r).load_work, 0.5 * 1.5 * 4, 1e-9);
    assert_near(run_balance(&r), start, 1e-11);
    run_destroy(&r);
}

/* A parallelogram of three bars hung up: any one of its four hinges could go. It swings as a pendulum of the
 * length of its arms with all masses in it; energy and lengths stay. */
static void parallelogram_swings(void **state)
{
    (void)state;
    world w = moving_world();
    const char *arm = "0.1 0.1 1e-3", *inertial = "body";
    add_system(&w, "left", "body", "mass", "1", "inertia", arm, "position", "0.5 0 0", "rotation",
               "0 1 0 -pi/2", "frame", inertial);
    add_system(&w, "right", "body", "mass", "1", "inertia", arm, "position", "0.5 0 -2", "rotation",
               "0 1 0 -pi/2", "frame", inertial);
    add_system(&w, "beam", "body", "mass", "3", "inertia", "1", "position", "1 0 -1");
    add_element(&w, "j1", "revolute", "system", "left", "at", "0 0 0", "axis", "0 1 0");
    add_element(&w, "j2", "revolute", "system", "right", "at", "0 0 -2", "axis", "0 1 0");
    add_element(&w, "j3", "revolute", "system", "beam", "to", "left", "at", "1 0 0", "axis",
                "0 1 0");
    add_element(&w, "j4", "revolute", "system", "beam", "to", "right", "at", "1 0 -2", "axis",
                "0 1 0");
    add_force(&w, "weight", "gravity", "acceleration", "0 0 -9.81");
    /* J = 2 (0.1 + 0.25) + 3 about the hinges, m l = 2 · 0.5 + 3; let go level */
    double quarter = sqrt(3.7 / (4 * 9.81)) * elliptic_K(sin(PI / 4));
    run r = run_create_by(&w, "auto", quarter / 1000, 8 * quarter, 1e-10);
    double worst = 0;
    for (int i = 0; i < 1000; i++) {
        run_step(&r);
        worst = fmax(worst, largest_gap(&r));
    }
    assert_near(r.q[14], 0, 1e-5);
    assert_near(r.q[16], -2, 1e-5);
    assert_true(worst < 1e-5);
    run_destroy(&r);
}

/* A double pendulum tumbles for 10⁵ steps: what the joints are off does not grow. */
static void joints_do_not_drift(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "a", "body", "mass", "1", "inertia", "0.1 0.1 0.02", "position", "0.5 0 0",
               "velocity", "0 0 0 0 0 0", "frame", "body");
    add_system(&w, "b", "body", "mass", "1", "inertia", "0.1 0.1 0.02", "position", "1.5 0 0",
               "frame", "body");
    add_element(&w, "j1", "revolute", "system", "a", "at", "0 0 0", "axis", "0 1 0");
    add_element(&w, "j2", "universal", "system", "b", "to", "a", "at", "1 0 0", "axis", "0 1 0",
                "cross_axis", "0 0 1");
    add_force(&w, "weight", "gravity", "acceleration", "0 0.5 -9.81");
    run r = run_create(&w, 1e-3, 100, 1e-9);
    double worst[10] = {0};
    for (int part = 0; part < 10; part++)
        for (int i = 0; i < 10000; i++) {
            run_step(&r);
            worst[part] = fmax(worst[part], largest_gap(&r));
        }
    double all = 0;
    for (int part = 0; part < 10; part++)
        all = fmax(all, worst[part]);
    assert_true(all < 1e-4);
    assert_true(worst[9] < 3 * worst[0]);
    run_destroy(&r);
}

/* A wheel in a bearing with dry friction of 0.5 N m, and a torque. */
static double after_one_second(const char *torque)
{
    world w = moving_world();
    add_system(&w, "wheel", "body", "mass", "1", "inertia", "0.25");
    add_element(&w, "bearing", "revolute", "system", "wheel", "axis", "0 0 1");
    add_law(&w, "bearing", "drive", "spring_damper", "force", torque);
    add_law(&w, "bearing", "turn", "friction", "bound", "0.5");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    run_to_end(&r);
    double rate = r.u[5];
    run_destroy(&r);
    return rate;
}

static void friction_holds_up_to_its_bound(void **state)
{
    (void)state;
    assert_true(after_one_second("0.499") == 0);
    assert_near(after_one_second("0.51"), 0.01 / 0.25, 1e-10);
    assert_near(after_one_second("-0.6"), -0.1 / 0.25, 1e-10);
}

/* A wheel at 3 rad/s meets a stop at 0.3 rad with ε = 0.5, then one at -0.2 rad. */
static void stops_limit_the_angle(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "wheel", "body", "mass", "1", "inertia", "0.25", "velocity", "0 0 0 0 0 3");
    add_element(&w, "bearing", "revolute", "system", "wheel", "axis", "0 0 1");
    add_law(&w, "bearing", "angle", "stop", "lower", "-0.2", "upper", "0.3", "restitution", "0.5");
    run r = run_create(&w, 1e-3, 0.3, 0);
    run_to_end(&r); /* 0.1 s to the stop, then back with 1.5 rad/s */
    assert_near(r.u[5], -1.5, 1e-12);
    assert_near(angle_of(&r, 0, z_axis), 0.3 - 1.5 * 0.2, 5e-3);
    run_destroy(&r);
}

/* A motor of 2 N m at most brings a wheel of 0.25 kg m² to 4 rad/s in 0.5 s, then holds it against a load. */
static void motor_keeps_its_speed(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "wheel", "body", "mass", "1", "inertia", "0.25", "frame", "body");
    add_element(&w, "bearing", "revolute", "system", "wheel", "axis", "1 0 0");
    add_law(&w, "bearing", "turn", "motor", "speed", "4", "limit", "2");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    double start = run_balance(&r);
    while (run_time(&r) < 0.3 - 1e-9)
        run_step(&r);
    assert_near(r.u[3], 2 / 0.25 * 0.3, 1e-11);
    run_to_end(&r);
    assert_near(r.u[3], 4, 1e-11);
    assert_near(run_energy(&r).load_work, 0.5 * 0.25 * 16, 1e-10);
    assert_near(run_balance(&r), start, 1e-12);
    run_destroy(&r);
}

/* Speed and torque as functions of t: the speed of the step's middle is reached at its end. */
static void motors_follow_time(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "fast", "body", "mass", "1", "inertia", "0.25");
    add_system(&w, "slow", "body", "mass", "1", "inertia", "0.25");
    add_element(&w, "b1", "revolute", "system", "fast", "axis", "0 0 1");
    add_element(&w, "b2", "revolute", "system", "slow", "axis", "0 0 1");
    add_law(&w, "b1", "turn", "motor", "speed", "3*t^2");
    add_law(&w, "b2", "drive", "spring_damper", "force", "0.75*t^2");
    run r = run_create(&w, 1e-3, 1, 1e-13);
    run_to_end(&r);
    assert_near(r.u[5], 3 * 0.9995 * 0.9995, 1e-10);
    assert_near(r.u[11], 1, 1e-6);
    run_destroy(&r);
}

/* Torsion spring and damper: φ = e^(-δt) (cos ωt + δ/ω sin ωt) φ0, with J = 0.5, c = 50, d = 0.4. */
static double torsion(double step, double *balance)
{
    world w = moving_world();
    add_system(&w, "wheel", "body", "mass", "1", "inertia", "0.5");
    add_element(&w, "bearing", "revolute", "system", "wheel", "axis", "0 0 1", "angle", "0.2");
    add_law(&w, "bearing", "drive", "spring_damper", "stiffness", "50", "damping", "0.4", "rest",
            "0.1");
    run r = run_create(&w, step, 1.3, 1e-13);
    double start = run_balance(&r), delta = 0.4, omega = sqrt(100 - 0.16);
    run_to_end(&r);
    double phi = 0.1 * exp(-delta * 1.3) * (cos(omega * 1.3) + delta / omega * sin(omega * 1.3));
    double error = fabs(0.2 + angle_of(&r, 0, z_axis) - 0.1 - phi);
    *balance = fabs(run_balance(&r) - start);
    run_destroy(&r);
    return error;
}

static void torsion_spring_swings(void **state)
{
    (void)state;
    double b1, b2, coarse = torsion(1e-3, &b1), fine = torsion(5e-4, &b2);
    assert_true(fine < 5e-5);
    assert_true(log2(coarse / fine) > 0.9);
    assert_true(b2 < 1e-5 && log2(b1 / b2) > 0.9);
}

/* Bodies joined in flight: the joint's impulses are opposite, so the momentum stays to rounding, and the centre
 * of mass goes straight. */
static void joined_bodies_keep_their_momentum(void **state)
{
    (void)state;
    static const char *const kinds[] = {"spherical", "revolute", "prismatic", "cylindrical",
                                        "planar"};
    for (int k = 0; k < 5; k++) {
        world w = moving_world();
        add_system(&w, "a", "body", "mass", "1", "inertia", "0.1 0.2 0.25", "velocity",
                   "1 2 3 0.5 1 -1", "frame", "body");
        add_system(&w, "b", "body", "mass", "2", "inertia", "0.3", "position", "1 0.2 0.1",
                   "velocity", "1 2 2.5 0.5 0.3 0");
        add_element(&w, "j", kinds[k], "system", "a", "to", "b", "at", "0.5 0.1 0", "axis",
                    "1 2 3");
        run r = run_create(&w, 1e-3, 2, 1e-12);
        run_step(&r);
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = 1 * r.u[i] + 2 * r.u[6 + i];
        assert_near(p[0], 3, 1e-14);
        assert_near(p[1], 6, 1e-13);
        assert_near(p[2], 8, 1e-13);
        run_to_end(&r);
        for (int i = 0; i < 3; i++)
            assert_near(1 * r.u[i] + 2 * r.u[6 + i], p[i], 1e-12);
        assert_near((r.q[0] + 2 * r.q[7]) / 3, 2.0 / 3 + 2, 1e-12);
        assert_true(largest_gap(&r) < 1e-4);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_has_its_period),
        cmocka_unit_test(conical_pendulum),
        cmocka_unit_test(slider_crank_follows_its_kinematics),
        cmocka_unit_test(universal_joint_has_its_ratio),
        cmocka_unit_test(gears_share_their_inertia),
        cmocka_unit_test(parallelogram_swings),
        cmocka_unit_test(joints_do_not_drift),
        cmocka_unit_test(friction_holds_up_to_its_bound),
        cmocka_unit_test(stops_limit_the_angle),
        cmocka_unit_test(motor_keeps_its_speed),
        cmocka_unit_test(motors_follow_time),
        cmocka_unit_test(torsion_spring_swings),
        cmocka_unit_test(joined_bodies_keep_their_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
