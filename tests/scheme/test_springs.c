/* test_springs.c: springs of laws in implicit schemes, beside the same springs as forces; the work of loads that jump. */
#include "stepping.h"

static const char *const implicit[] = {
    "theta",
    "theta theta=1",
    "theta theta=0.7",
    "funk",
    "funk alpha=1 beta=1",
    "potra",
    "gavrea",
    "gavrea alpha=0.5 beta=0.5",
    "anitescu_potra_2002",
    "generalized_alpha",
    "generalized_alpha rho=0.2",
    "general beta=0.5",
    "general beta=1 alpha=1 laws_at=0",
};
enum { N_IMPLICIT = sizeof implicit / sizeof *implicit };

/* 1 kg on 1e8 N/m with steps of 1 ms, ωΔt = 10: by a law of the row x, or by the system itself. */
static double stiff_end(const char *scheme, bool law, double *P)
{
    world w = stepping_world();
    if (law) {
        add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "position", "0.01");
        add_element(&w, "s", "expression", "gap", "x");
        add_law(&w, "s", "gap", "spring_damper", "stiffness", "1e8", "damping", "3e3");
    } else {
        add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "position", "0.01",
                   "stiffness", "1e8", "damping", "3e3");
    }
    stepper s = stepper_create(&w, scheme);
    double before = 0;
    for (int i = 0; i < 40; i++) {
        before = s.u[0];
        stepper_step(&s, 1e-3);
        if (!(fabs(s.q[0]) <= 0.0101))
            fail_msg("%s: x = %g m, u = %g m/s after %d steps", scheme, s.q[0], s.u[0], i + 1);
    }
    *P = law ? ss_state_P(s.now)[0] : s.u[0] - before;
    double x = s.q[0];
    stepper_destroy(&s);
    return x;
}

static void a_stiff_law_moves_as_a_stiff_force(void **state)
{
    (void)state;
    for (int i = 0; i < N_IMPLICIT; i++) {
        double P_law, P_force;
        double law = stiff_end(implicit[i], true, &P_law);
        double force = stiff_end(implicit[i], false, &P_force);
        bool alpha = strstr(implicit[i], "alpha rho") || strstr(implicit[i], "generalized");
        if (!(fabs(law - force) < 1e-12))
            fail_msg("%s: %.12g m by a law, %.12g m by a force", implicit[i], law, force);
        /* The impulse that is reported is the one that moved the mass (generalized α: λ_E Δt). */
        if (!alpha && !(fabs(P_law - P_force) < 1e-9))
            fail_msg("%s: impulse %.12g N s in place of %.12g", implicit[i], P_law, P_force);
    }
}

/* A mass on a spring of length 1 between it and the origin, in the plane: directions turn. By halves of the step. */
static double turning_end(const char *scheme, int steps, double *y)
{
    world w = stepping_world();
    add_system(&w, "m", "linear", "coordinates", "x y", "mass", "1 1", "position", "1.2 0",
               "velocity", "0.3 1.5");
    add_element(&w, "s", "expression", "gap", "sqrt(x^2+y^2)");
    add_law(&w, "s", "gap", "spring_damper", "stiffness", "9", "damping", "0.4", "rest", "1");
    stepper s = stepper_create(&w, scheme);
    stepper_run(&s, 1, steps);
    double x = s.q[0];
    *y = s.q[1];
    stepper_destroy(&s);
    return x;
}

static void order_where_directions_turn(void **state)
{
    const struct {
        const char *scheme;
        double order;
    } all[] = {{"theta", 2}, {"funk", 2}, {"potra", 2}, {"generalized_alpha", 2}, {"gavrea", 1}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double x[3], y[3];
        for (int k = 0; k < 3; k++)
            x[k] = turning_end(all[i].scheme, 100 << k, &y[k]);
        double order = log2(hypot(x[0] - x[1], y[0] - y[1]) / hypot(x[1] - x[2], y[1] - y[2]));
        if (!(fabs(order - all[i].order) < 0.2))
            fail_msg("%s: order %.3f in place of %g", all[i].scheme, order, all[i].order);
    }
}

/* Two masses that a law couples, in clusters of their own without it: their momentum stays. */
static void springs_of_laws_couple_systems(void **state)
{
    (void)state;
    for (int i = 0; i < N_IMPLICIT; i++) {
        world w = stepping_world();
        add_system(&w, "a", "linear", "coordinates", "x", "mass", "1", "velocity", "3");
        add_system(&w, "b", "linear", "coordinates", "y", "mass", "2");
        add_element(&w, "s", "expression", "gap", "y-x");
        add_law(&w, "s", "gap", "spring_damper", "stiffness", "1e8");
        stepper s = stepper_create(&w, implicit[i]);
        stepper_run(&s, 0.1, 100);
        assert_true(fabs(s.u[0] + 2 * s.u[1] - 3) < 1e-10);
        assert_true(fabs(s.q[1] - s.q[0]) < 2e-3);
        stepper_destroy(&s);
    }
}

/* The load jumps within steps. Schemes with shares 1/2 of both ends keep the energy of a linear system: all of it is
 * accounted for. */
static void work_of_loads_that_jump(void **state)
{
    static const char *const schemes[] = {"theta", "funk", "potra", "gavrea alpha=0.5 beta=0.5"};
    (void)state;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        world w = stepping_world();
        ss_energy e;
        add_system(&w, "m", "linear", "coordinates", "x", "mass", "1", "stiffness", "30");
        add_force(&w, "push", "load", "on", "x", "force", "t<0.5037?10:t<1.211?-7:20");
        add_element(&w, "s", "expression", "gap", "x");
        add_law(&w, "s", "gap", "spring_damper", "stiffness", "5", "damping", "0.5", "force",
                "t<0.8142?3:-6");
        stepper s = stepper_create(&w, schemes[i]);
        stepper_run(&s, 2, 200);
        assert_ok(&w, ss_work_energy(s.work, s.now, &e));
        double missing = e.kinetic + e.potential + e.dissipated - e.load_work;
        if (!(fabs(missing) < 1e-11 * e.load_work && e.load_work > 1))
            fail_msg("%s: %g J of %g J are missing", schemes[i], missing, e.load_work);
        stepper_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stiff_law_moves_as_a_stiff_force),
        cmocka_unit_test(order_where_directions_turn),
        cmocka_unit_test(springs_of_laws_couple_systems),
        cmocka_unit_test(work_of_loads_that_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
