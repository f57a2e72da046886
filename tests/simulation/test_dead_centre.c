/* test_dead_centre.c: rows that vanish, closed contacts that separate, and friction that leaves no force: a slider passes the dead
 * centres of its crank, balls obey Newton's law, Painlevé's rod jams. */
#include "simulation/run_augmented.h"
#include "simulation/run_event.h"

#include <math.h>

/* φ'' = -F |sin φ|: the row of the friction, -sin φ, vanishes at π, 2π, … */
static const double F = 0.1, phi_0 = 0.3, omega_0 = 2, end = 5;

static void rates(const double *y, double *f)
{
    f[0] = y[1];
    f[1] = -F * fabs(sin(y[0]));
}

/* Runge and Kutta's formula with steps of 50 µs: exact to 1e-9. */
static void integrate(double *y)
{
    enum { STEPS = 100000 };
    const double h = end / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double k[4][2], z[2];
        rates(y, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int j = 0; j < 2; j++)
                z[j] = y[j] + (s < 3 ? h / 2 : h) * k[s - 1][j];
            rates(z, k[s]);
        }
        for (int j = 0; j < 2; j++)
            y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

static world crank_with(const char *bound)
{
    world w = moving_world();
    add_system(&w, "rotor", "lagrange", "coordinates", "phi", "kinetic", "0.5*phi'^2", "position",
               "0.3", "velocity", "2");
    add_element(&w, "guide", "expression", "slip", "-sin(phi)*phi'");
    add_law(&w, "guide", "slip", "friction", "bound", bound);
    return w;
}

static world crank(void)
{
    return crank_with("0.1");
}

static void compare(run *r, double within)
{
    double y[2] = {phi_0, omega_0};
    integrate(y);
    run_to_end(r);
    assert_near(r->q[0], y[0], within);
    assert_near(r->u[0], y[1], within);
    run_destroy(r);
}

static void event_driven(void **state)
{
    const char *methods[] = {"rkf45", "adams", "bdf", "ida"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        world w = crank();
        run r = event_run(&w, methods[i], end);
        compare(&r, i == 0 ? 1e-8 : 1e-7);
    }
}

/* 1e-8 a step are allowed. */
static void augmented(void **state)
{
    (void)state;
    world w = crank();
    run r;
    run_augmented(&w, &r, "step_max", "0.01", "step_min", "1e-8", "end", "5");
    compare(&r, 2e-6);
}

/* A friction without a bound has no force and holds nothing, not even where its slip vanishes. */
static void no_bound(void **state)
{
    (void)state;
    world w = crank_with("0");
    run r;
    run_augmented(&w, &r, "step_max", "0.1", "step_min", "5e-8", "end", "5");
    run_to_end(&r);
    assert_near(r.q[0], phi_0 + omega_0 * end, 1e-10);
    assert_near(r.u[0], omega_0, 1e-12);
    run_destroy(&r);
}

enum { SLIDER_V = 12 }; /* its velocity along the rail, among all */

/* A crank of 0.3 m that turns by 4 rad/s drives a sled by a rod of 0.8 m; the rail brakes the sled with what it carries. */
static world driven_sled(void)
{
    const double a = 0.5, radius = 0.3, rod = 0.8, omega = 4, b = -asin(radius * sin(a) / rod);
    const double c = -radius * omega * cos(a) / (rod * cos(b));
    char text[6][160];
    snprintf(text[0], 160, "0 0 1 %.17g", a);
    snprintf(text[1], 160, "%.17g %.17g 0", radius * cos(a) + rod / 2 * cos(b),
             radius * sin(a) + rod / 2 * sin(b));
    snprintf(text[2], 160, "0 0 1 %.17g", b);
    snprintf(text[3], 160, "%.17g %.17g 0 0 0 %.17g",
             -radius * omega * sin(a) - rod / 2 * c * sin(b),
             radius * omega * cos(a) + rod / 2 * c * cos(b), c);
    snprintf(text[4], 160, "%.17g 0 0", radius * cos(a) + rod * cos(b));
    snprintf(text[5], 160, "%.17g 0 0 0 0 0", -radius * omega * sin(a) - rod * c * sin(b));
    world w = moving_world();
    add_system(&w, "crank", "body", "mass", "1", "inertia", "0.3", "rotation", text[0], "velocity",
               "0 0 0 0 0 4");
    add_system(&w, "rod", "body", "mass", "0.5", "inertia", "0.04", "position", text[1], "rotation",
               text[2], "velocity", text[3]);
    add_system(&w, "sled", "body", "mass", "0.7", "inertia", "0.01", "position", text[4],
               "velocity", text[5]);
    snprintf(text[0], 160, "%.17g %.17g 0", radius * cos(a), radius * sin(a));
    add_element(&w, "axle", "revolute", "system", "crank", "at", "0 0 0", "axis", "0 0 1");
    add_element(&w, "pin", "revolute", "system", "rod", "to", "crank", "at", text[0], "axis",
                "0 0 1");
    add_element(&w, "wrist", "spherical", "system", "rod", "to", "sled", "at", text[4]);
    add_element(&w, "rail", "prismatic", "system", "sled", "at", text[4], "axis", "1 0 0");
    add_law(&w, "rail", "slip", "joint_friction", "mu", "0.2");
    return w;
}

/* What presses the rail changes its sign on the way, and at the dead centre the friction is not unique. */
static void sled_passes(void **state)
{
    (void)state;
    world w = driven_sled();
    run r = event_run(&w, "rkf45", 1);
    run_to_end(&r);
    double v = r.u[SLIDER_V];
    run_destroy(&r);
    world again = driven_sled();
    r = run_create(&again, 5e-4, 1, 1e-10);
    run_to_end(&r);
    assert_near(r.u[SLIDER_V], v, 1e-3);
    run_destroy(&r);
}

/* A closed contact that separates when its neighbour is hit, ε = 1 in both: -(γ⁺ + εγ⁻) ∈ N(P) has P = 0 in it
 * until it approaches. Energy is kept, as by any such law with equal coefficients (Leine & Baumann, theorem 3). */
static void separating_contacts_obey_newton(void **state)
{
    (void)state;
    world w = moving_world();
    add_system(&w, "first", "point", "dim", "1", "mass", "1", "velocity", "-1");
    add_system(&w, "second", "point", "dim", "1", "mass", "1");
    add_system(&w, "third", "point", "dim", "1", "mass", "1", "position", "0.0005", "velocity",
               "-2.5");
    add_element(&w, "left", "expression", "gap", "second.x-first.x");
    add_law(&w, "left", "gap", "unilateral", "restitution", "1", "tolerance", "0.001");
    add_element(&w, "right", "expression", "gap", "third.x-second.x");
    add_law(&w, "right", "gap", "unilateral", "restitution", "1");
    run r = event_run(&w, "rkf45", 0.01);
    run_to_end(&r);
    assert_near((r.u[0] * r.u[0] + r.u[1] * r.u[1] + r.u[2] * r.u[2]) / 2, 3.625,
                1e-9); /* the solver's tolerance */
    run_destroy(&r);
}

/* Painlevé's rod, tan θ = 2, pushed with its tip ahead: for μ > 4/3 no force holds the tip. It stops at once, and
 * the rod turns about it with v l sin θ/(l²/3 + l²). */
static void rod_jams(void **state)
{
    const char *mu[] = {"1.34", "1.35", "1.4", "1.5", "1.6"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        world w = moving_world();
        add_system(&w, "rod", "planar_body", "mass", "1", "inertia", "0.25/3", "position",
                   "0 0.5*sin(atan(2)) atan(2)", "velocity", "-2 0 0");
        add_element(&w, "tip", "expression", "gap", "rod.y-0.5*sin(rod.phi)", "slip",
                    "rod.x'+0.5*sin(rod.phi)*rod.phi'");
        add_law(&w, "tip", "gap", "unilateral");
        add_law(&w, "tip", "slip", "friction", "mu", mu[i]);
        add_force(&w, "weight", "gravity", "acceleration", "0 -9.81");
        run r = event_run(&w, "rkf45", 0.1);
        run_step(&r);
        assert_near(r.u[2], 3 * sin(atan(2)), 1e-8);
        run_to_end(&r);
        run_destroy(&r);
    }
}

static void add_foot(world *w, const char *name, const char *gap, const char *slip)
{
    add_element(w, name, "expression", "gap", gap, "slip", slip);
    add_law(w, name, "gap", "unilateral");
    add_law(w, name, "slip", "friction", "mu", "0.3");
}

/* A body on three feet under a force (1, 0.3) t and a couple m_z t begins to slide when the load reaches the least
 * Σ μ N |v| over all twists of unit power: 2.818882757 s and 0.799174329 s by two nested searches
 * (support/limit_load.py). */
static void rest_ends_at_the_limit_load(void **state)
{
    const char *couple[] = {"t 0.3*t -9.81 0 0 0", "t 0.3*t -9.81 0 0 t"};
    const double expected[] = {2.818882757, 0.799174329};
    (void)state;
    for (int i = 0; i < 2; i++) {
        world w = moving_world();
        add_system(
            &w, "body", "expression", "coordinates", "x y z a b c", "mass",
            "1 0 0 0 0 0; 0 1 0 0 0 0; 0 0 1 0 0 0; 0 0 0 0.1 0 0; 0 0 0 0 0.1 0; 0 0 0 0 0 0.1",
            "force", couple[i]);
        add_foot(&w, "front", "z-0.3*b", "x' y'+0.3*c'");
        add_foot(&w, "left", "z+0.25*a+0.2*b", "x'-0.25*c' y'-0.2*c'");
        add_foot(&w, "right", "z-0.2*a+0.15*b", "x'+0.2*c' y'-0.15*c'");
        run r = event_run(&w, "rkf45", 3);
        seen s = run_seen(&r);
        assert_near(last_switch(&s, 1, SS_MODE_IMPRESSED), expected[i], 2e-9);
        run_destroy(&r);
    }
}

typedef struct stand {
    int n;
    double foot[5][2]; /* 0.1 m below the centre of mass */
    double force[3];   /* f_x, f_y, m_z, all times t */
    double end;        /* of rest, s */
} stand;

static void put_foot(world *w, int i, const double *at)
{
    char name[24], gap[96], slip[128];
    snprintf(name, sizeof name, "foot_%d", i);
    snprintf(gap, sizeof gap, "z+%g*a-%g*b", at[1], at[0]);
    snprintf(slip, sizeof slip, "x'-0.1*b'-%g*c' y'+0.1*a'+%g*c'", at[1], at[0]);
    add_element(w, name, "expression", "gap", gap, "slip", slip);
    add_law(w, name, "gap", "unilateral");
    add_law(w, name, "slip", "friction", "mu", "0.4");
}

/* On four and five feet normal forces are not unique, and rest lasts as long as any of them hold it: the largest t with forces in all
 * cones, by sequential quadratic programming (scipy). */
static void dependent_rest_ends_at_its_limit(void **state)
{
    const stand stands[] = {
        {4, {{0.3, 0.1}, {-0.1, 0.3}, {-0.3, -0.1}, {0.1, -0.3}}, {2, 1, 0.5}, 1.423110555},
        {5,
         {{0.3, 0.05}, {0.1, 0.3}, {-0.25, 0.2}, {-0.3, -0.15}, {0.1, -0.3}},
         {3, 1, -0.5},
         1.101194824},
    };
    (void)state;
    for (int k = 0; k < 2; k++) {
        char force[96];
        const stand *s = &stands[k];
        snprintf(force, sizeof force, "%g*t %g*t -9.81 0 0 %g*t", s->force[0], s->force[1],
                 s->force[2]);
        world w = moving_world();
        add_system(
            &w, "body", "expression", "coordinates", "x y z a b c", "mass",
            "1 0 0 0 0 0; 0 1 0 0 0 0; 0 0 1 0 0 0; 0 0 0 0.1 0 0; 0 0 0 0 0.1 0; 0 0 0 0 0 0.1",
            "force", force);
        for (int i = 0; i < s->n; i++)
            put_foot(&w, i, s->foot[i]);
        run r;
        assert_ok(&w, try_augmented_auto(&w, &r, "step_max", "0.05", "step_min", "1e-6", "end", "2",
                                         (const char *)NULL));
        while (fmax(fabs(r.u[0]), fabs(r.u[5])) < 1e-9)
            run_step(&r);
        double t = ss_state_time(ss_simulation_state(r.simulation));
        assert_near(t, s->end, 1e-4);
        assert_true(t > s->end);
        run_destroy(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(event_driven),
        cmocka_unit_test(augmented),
        cmocka_unit_test(no_bound),
        cmocka_unit_test(sled_passes),
        cmocka_unit_test(rod_jams),
        cmocka_unit_test(rest_ends_at_the_limit_load),
        cmocka_unit_test(dependent_rest_ends_at_its_limit),
        cmocka_unit_test(separating_contacts_obey_newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
