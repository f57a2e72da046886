/* test_smooth.c: schemes without laws: measured order, stability, energy, numerical damping. */
#include "stepping.h"

static const double PI = 3.14159265358979323846;

/* Every scheme with the order it must show: without, and with forces that depend on velocities. */
static const struct {
    const char *scheme;
    double plain, damped;
} orders[] = {
    {"moreau", 2, 1},
    {"moreau implicit=true", 2, 1},
    {"moreau_stabilized", 2, 1},
    {"theta", 2, 2},
    {"theta theta=1", 1, 1},
    {"theta theta=0.3", 1, 1},
    {"theta theta=0", 1, 1},
    {"paoli_schatzman", 1, 1},
    {"stiegelmeier", 1, 1},
    {"stiegelmeier heun=true", 2, 2},
    {"funk", 2, 2},
    {"funk alpha=1 beta=1", 1, 1},
    {"foerg_explicit", 1, 1},
    {"foerg_implicit", 1, 1},
    {"stewart_trinkle", 1, 1},
    {"anitescu_potra_1997", 1, 1},
    {"anitescu_potra_2002", 1, 1},
    {"anitescu_hart", 1, 1},
    {"potra", 2, 2},
    {"gavrea", 1, 1},
    {"gavrea alpha=0.5 beta=0.5", 2, 2},
    {"ggl", 2, 1},
    {"preconditioned_index3", 1, 1},
    {"preconditioned_index3 alpha=0.5", 2, 1},
    {"generalized_alpha", 2, 2},
    {"generalized_alpha rho=0", 2, 2},
    {"general", 2, 1},
    {"general beta=0.5", 2, 2},
};
enum { N_ORDERS = sizeof orders / sizeof *orders };

/* m x'' + d x' + c x = cos Ωt moves with C cos(Ωt - ψ) from the beginning. */
typedef struct forced {
    double C, psi, Omega, d;
} forced;

static forced forced_motion(double d)
{
    double m = 1, c = 4, Omega = 3, a = c - m * Omega * Omega, b = d * Omega;
    return (forced){1 / hypot(a, b), atan2(b, a), Omega, d};
}

/* Error of (x, u) at t = 1 after a number of steps. */
static double forced_error(const char *scheme, double d, int steps)
{
    world w = stepping_world();
    forced f = forced_motion(d);
    char x0[64], u0[64], damping[64];
    snprintf(x0, sizeof x0, "%.17g", f.C * cos(f.psi));
    snprintf(u0, sizeof u0, "%.17g", f.C * f.Omega * sin(f.psi));
    snprintf(damping, sizeof damping, "%.17g", d);
    add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", "4", "damping",
               damping, "position", x0, "velocity", u0);
    add_force(&w, "push", "load", "on", "x", "force", "cos(3*t)");
    stepper s = stepper_create(&w, scheme);
    stepper_run(&s, 1, steps);
    double error =
        hypot(s.q[0] - f.C * cos(f.Omega - f.psi), s.u[0] + f.C * f.Omega * sin(f.Omega - f.psi));
    stepper_destroy(&s);
    return error;
}

static void check_order(const char *scheme, double d, double expected)
{
    double coarse = forced_error(scheme, d, 200), fine = forced_error(scheme, d, 800);
    double order = log2(coarse / fine) / 2;
    if (!(fabs(order - expected) < 0.15))
        fail_msg("%s, d = %g: order %.3f in place of %g (errors %g, %g)", scheme, d, order,
                 expected, coarse, fine);
}

static void orders_in_smooth_motion(void **state)
{
    (void)state;
    for (int i = 0; i < N_ORDERS; i++) {
        check_order(orders[i].scheme, 0, orders[i].plain);
        check_order(orders[i].scheme, 0.8, orders[i].damped);
    }
}

/* No scheme promises more than it shows. */
static void abilities_are_what_is_measured(void **state)
{
    (void)state;
    for (int i = 0; i < N_ORDERS; i++) {
        world w = stepping_world();
        ss_scheme *scheme;
        assert_ok(&w, try_scheme(&w, orders[i].scheme, &scheme));
        if (!strchr(orders[i].scheme, ' '))
            assert_int_equal(ss_scheme_abilities(scheme).order, orders[i].damped);
        ss_scheme_destroy(scheme);
        world_destroy(&w);
    }
}

/* The positions of the central differences of Paoli and Schatzman are of order 2 when the first
 * velocity is that of half a step before: x = cos 2t. */
static double central_error(int steps)
{
    world w = stepping_world();
    char u0[64];
    double dt = 1.0 / steps;
    snprintf(u0, sizeof u0, "%.17g", 4 * dt / 2);
    add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", "4", "position",
               "1", "velocity", u0);
    stepper s = stepper_create(&w, "paoli_schatzman");
    stepper_run(&s, 1, steps);
    double error = fabs(s.q[0] - cos(2));
    stepper_destroy(&s);
    return error;
}

static void central_differences_have_order_two_in_positions(void **state)
{
    (void)state;
    assert_near(log2(central_error(100) / central_error(400)) / 2, 2, 0.1);
}

/* A pendulum by its angle and a body with gyroscopic terms: a point on a turning rod, r'' = r ω²,
 * (r² ω)' = 0 moves on the straight line x = 1, y = t. */
static double line_error(const char *scheme, int steps)
{
    world w = stepping_world();
    add_system(&w, "p", "lagrange", "coordinates", "r phi", "kinetic", "0.5*(r'^2+r^2*phi'^2)",
               "position", "1 0", "velocity", "0 1");
    stepper s = stepper_create(&w, scheme);
    stepper_run(&s, 1, steps);
    double error = hypot(s.q[0] - sqrt(2), s.q[1] - PI / 4);
    stepper_destroy(&s);
    return error;
}

static void gyroscopic_terms_are_consistent(void **state)
{
    (void)state;
    assert_near(log2(line_error("gavrea", 200) / line_error("gavrea", 800)) / 2, 1, 0.1);
    assert_near(log2(line_error("stiegelmeier heun=true", 200) /
                     line_error("stiegelmeier heun=true", 800)) /
                    2,
                2, 0.1);
    assert_near(log2(line_error("theta", 200) / line_error("theta", 800)) / 2, 2, 0.1);
    assert_near(log2(line_error("potra", 200) / line_error("potra", 800)) / 2, 2, 0.1);
    assert_near(log2(line_error("generalized_alpha", 200) / line_error("generalized_alpha", 800)) /
                    2,
                2, 0.1);
}

/* Whether the amplitude of a linear oscillator, ω = 1, grows over many steps. */
static bool stable(const char *scheme, double dt, double damping)
{
    world w = stepping_world();
    char d[64];
    snprintf(d, sizeof d, "%.17g", damping);
    add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", "1", "damping", d,
               "position", "1");
    stepper s = stepper_create(&w, scheme);
    double early = 0, late = 0;
    for (int i = 0; i < 4000 && fmax(early, late) < 1e100; i++) {
        stepper_step(&s, dt);
        double size = hypot(s.q[0], s.u[0]);
        if (i < 400)
            early = fmax(early, size);
        else if (i >= 3600 || size > 1e100)
            late = fmax(late, size);
    }
    stepper_destroy(&s);
    return early < 1e100 && late <= 1.001 * early;
}

/* Largest stable step by bisection. */
static double measured_limit(const char *scheme, double damping, double low, double high)
{
    assert_true(stable(scheme, low, damping));
    assert_false(stable(scheme, high, damping));
    while (high / low > 1.005) {
        double middle = sqrt(low * high);
        *(stable(scheme, middle, damping) ? &low : &high) = middle;
    }
    return low;
}

/* Θ-method: |1 + (1 - Θ) λ Δt| <= |1 - Θ λ Δt| for λ of the damped oscillator, |λ|² = 1, Re λ =
 * -d/2: without limit for Θ >= 1/2, else Δt <= d/(1 - 2Θ). Moreau's rule without damping: Δt <=
 * 2. */
static void stability_limits_agree_with_theory(void **state)
{
    (void)state;
    double d = 0.2;
    assert_near(measured_limit("theta theta=0.25", d, 0.1, 3), d / 0.5, 0.02 * d / 0.5);
    assert_near(measured_limit("theta theta=0.4", d, 0.1, 5), d / 0.2, 0.02 * d / 0.2);
    assert_near(measured_limit("theta theta=0", d, 0.01, 3), d, 0.02 * d);
    assert_near(measured_limit("moreau", 0, 0.1, 5), 2, 0.03);
    const char *always[] = {"theta",
                            "theta theta=0.75",
                            "theta theta=1",
                            "funk",
                            "potra",
                            "gavrea",
                            "anitescu_potra_2002",
                            "generalized_alpha",
                            "generalized_alpha rho=0"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        for (double dt = 0.5; dt < 2000; dt *= 7) {
            assert_true(stable(always[i], dt, 0));
            assert_true(stable(always[i], dt, d));
        }
    assert_false(
        stable("theta theta=0.4", 0.5, 0)); /* without damping there is no stable step below 1/2 */
}

/* Θ = 1/2 keeps the energy of a linear oscillator, 1 takes it out by 1/(1 + ω²Δt²) a step. */
static void energy_of_the_theta_family(void **state)
{
    (void)state;
    const double theta[] = {0.5, 0.7, 1};
    for (int i = 0; i < 3; i++) {
        world w = stepping_world();
        char scheme[64];
        double dt = 0.3, a = (1 - theta[i]) * dt, b = theta[i] * dt;
        snprintf(scheme, sizeof scheme, "theta theta=%g", theta[i]);
        add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", "1", "position",
                   "1");
        stepper s = stepper_create(&w, scheme);
        stepper_run(&s, 100 * dt, 100);
        double expected = 0.5 * pow((1 + a * a) / (1 + b * b), 100);
        assert_near(stepper_energy(&s), expected, 1e-12 * expected + 1e-14);
        stepper_destroy(&s);
    }
}

/* The spectral radius at infinite frequency is ρ: a very stiff oscillator loses the factor ρ in
 * every step. */
static void generalized_alpha_damps_what_it_should(void **state)
{
    (void)state;
    const double rho[] = {0.3, 0.6, 0.9};
    for (int i = 0; i < 3; i++) {
        world w = stepping_world();
        char scheme[64];
        snprintf(scheme, sizeof scheme, "generalized_alpha rho=%g", rho[i]);
        add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", "1e12",
                   "position", "1e-3");
        stepper s = stepper_create(&w, scheme);
        double size[2];
        stepper_run(&s, 20, 20);
        size[0] = fmax(fabs(s.q[0]), fabs(s.u[0]));
        stepper_run(&s, 10, 10);
        size[1] = fmax(fabs(s.q[0]), fabs(s.u[0]));
        assert_near(pow(size[1] / size[0], 0.1), rho[i], 0.12 * rho[i]);
        stepper_destroy(&s);
    }
}

/* What a scheme carries in the state goes with it. */
static void a_copied_state_goes_on_exactly(void **state)
{
    (void)state;
    world w = stepping_world();
    add_system(&w, "p", "lagrange", "coordinates", "phi", "kinetic", "0.5*phi'^2", "potential",
               "-9*cos(phi)", "position", "1");
    stepper s = stepper_create(&w, "generalized_alpha");
    ss_state *saved;
    assert_int_equal(ss_scheme_state_size(s.scheme, w.model), 3);
    assert_ok(&w, ss_state_create_for(w.model, 3, 0, &saved));
    stepper_run(&s, 0.3, 30);
    assert_ok(&w, ss_state_restore(w.model, ss_state_bytes(s.now), s.now, saved));
    stepper_run(&s, 0.3, 30);
    double q = s.q[0], u = s.u[0];
    ss_state_copy(s.now, saved);
    stepper_run(&s, 0.3, 30);
    assert_true(s.q[0] == q && s.u[0] == u);
    ss_state_destroy(saved);
    stepper_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_in_smooth_motion),
        cmocka_unit_test(abilities_are_what_is_measured),
        cmocka_unit_test(central_differences_have_order_two_in_positions),
        cmocka_unit_test(gyroscopic_terms_are_consistent),
        cmocka_unit_test(stability_limits_agree_with_theory),
        cmocka_unit_test(energy_of_the_theta_family),
        cmocka_unit_test(generalized_alpha_damps_what_it_should),
        cmocka_unit_test(a_copied_state_goes_on_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
