/* test_one_step.c: one step beside its formula evaluated by hand, with M(q), h(q, u) and W(q) that matter. */
#include "stepping.h"

static const double DT = 0.1, X = 0.7, U = 1.9;

/* T = (1 + x²) x'²/2: M = 1 + x², h = -x u². */
static double mass(double x)
{
    return 1 + x * x;
}

static double force(double x)
{
    return -x * U * U;
}

static double step_of_mass(const char *scheme)
{
    world w = stepping_world();
    add_system(&w, "m", "lagrange", "coordinates", "x", "kinetic", "0.5*(1+x^2)*x'^2", "position",
               "0.7", "velocity", "1.9");
    stepper s = stepper_create(&w, scheme);
    stepper_step(&s, DT);
    double u = s.u[0];
    stepper_destroy(&s);
    return u;
}

static void check(const char *scheme, double u, double expected)
{
    if (!(fabs(u - expected) < 1e-12))
        fail_msg("%s: %.15g in place of %.15g", scheme, u, expected);
}

static void masses_and_forces(void **state)
{
    double middle = X + U * DT / 2, end = X + U * DT;
    double F = -X * U; /* half of ∂h/∂u */
    (void)state;
    check("moreau", step_of_mass("moreau"), U + DT * force(middle) / mass(middle));
    check("stewart_trinkle", step_of_mass("stewart_trinkle"), U + DT * force(middle) / mass(end));
    check("anitescu_potra_1997", step_of_mass("anitescu_potra_1997"),
          U + DT * force(X) / mass(end));
    check("anitescu_hart", step_of_mass("anitescu_hart"), U + DT * force(X) / mass(X));
    check("gavrea", step_of_mass("gavrea"), U + DT * F * U / (mass(X) - DT * F));
    /* h linearized in x and u: ∂h/∂x = -u², ∂h/∂u = -2xu */
    double h = force(X) - DT * U * U * U;
    check("anitescu_potra_2002", step_of_mass("anitescu_potra_2002"),
          U + DT * h / (mass(X) + DT * DT * U * U + DT * 2 * X * U));
}

/* A unit mass in the plane whose velocity along w(x) = (-sin x, cos x) is zero: u_E = u - w wᵀu, with x where W is. */
static void directions(void **state)
{
    const struct {
        const char *scheme;
        double place;
    } all[] = {{"moreau", 0.5},
               {"stewart_trinkle", 0},
               {"anitescu_potra_1997", 1},
               {"anitescu_potra_2002", 0},
               {"anitescu_hart", 0},
               {"theta laws=velocity", 0.5},
               {"funk", 0.5},
               {"preconditioned_index3", 0.5}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        world w = stepping_world();
        add_system(&w, "m", "point", "dim", "2", "mass", "1", "position", "0.7 0", "velocity",
                   "1.9 0.4");
        add_element(&w, "c", "expression", "slip", "-sin(x)*x'+cos(x)*y'");
        add_law(&w, "c", "slip", "bilateral");
        stepper s = stepper_create(&w, all[i].scheme);
        stepper_step(&s, DT);
        double x = X + all[i].place * U * DT, gamma = -sin(x) * U + cos(x) * 0.4;
        check(all[i].scheme, s.u[0], U + sin(x) * gamma);
        check(all[i].scheme, s.u[1], 0.4 - cos(x) * gamma);
        stepper_destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_and_forces),
        cmocka_unit_test(directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
