/* test_formulas.c: systems, elements and loads given by expressions, against formulas derived by hand and differences. */
#include "types/place.h"

static world w;

static int setup(void **state)
{
    (void)state;
    w = world_create(NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_destroy(&w);
    return 0;
}

static void own_mass(const place *p, double *M)
{
    const ss_system *s = &p->work->model->systems[0];
    place_go(p, 0);
    assert_ok(&w, s->ops->mass(s->object.self, &p->work->systems[0], M));
}

/* Double pendulum with masses 2, 3 and lengths 0.5, 0.7: M and h as in every textbook. */
static void double_pendulum(void **state)
{
    (void)state;
    add_system(&w, "p", "lagrange", "coordinates", "a b", "kinetic",
               "0.5*2*(0.5*a')^2+0.5*3*((0.5*a'*cos(a)+0.7*b'*cos(b))^2"
               "+(0.5*a'*sin(a)+0.7*b'*sin(b))^2)",
               "potential", "-(2+3)*9.81*0.5*cos(a)-3*9.81*0.7*cos(b)", "forces", "-0.1*a' t");
    place p = place_create(&w);
    double m1 = 2, m2 = 3, l1 = 0.5, l2 = 0.7, g = 9.81;
    double M[4], h[2], a = 0.4, b = -1.1, ua = 1.3, ub = -0.6, t = 0.25;
    p.t = t;
    memcpy(p.q, (double[]){a, b}, 2 * sizeof(double));
    memcpy(p.u, (double[]){ua, ub}, 2 * sizeof(double));
    own_mass(&p, M);
    place_h(&p, h);
    assert_near(M[0], (m1 + m2) * l1 * l1, 1e-14);
    assert_near(M[1], m2 * l1 * l2 * cos(a - b), 1e-14);
    assert_near(M[2], M[1], 0);
    assert_near(M[3], m2 * l2 * l2, 1e-14);
    assert_near(h[0], -m2 * l1 * l2 * sin(a - b) * ub * ub - (m1 + m2) * g * l1 * sin(a) - 0.1 * ua,
                1e-13);
    assert_near(h[1], m2 * l1 * l2 * sin(a - b) * ua * ua - m2 * g * l2 * sin(b) + t, 1e-13);
    /* Only the generalized forces count as loads. */
    assert_near(p.work->load[0], -0.1 * ua, 1e-15);
    assert_near(p.work->load[1], t, 1e-15);
    place_destroy(&p);
}

/* A bead on a wire that turns with the angle t²: T depends on t, h has the term of ∂²T/∂u∂t. */
static void moving_frame(void **state)
{
    (void)state;
    /* x = r cos t² + t, y = r sin t²: velocity² = (r' cos - r sin 2t + 1)² + (r' sin + r cos 2t)² */
    add_system(&w, "bead", "lagrange", "coordinates", "r", "kinetic",
               "0.5*((r'*cos(t^2)-r*sin(t^2)*2*t+1)^2+(r'*sin(t^2)+r*cos(t^2)*2*t)^2)");
    place p = place_create(&w);
    double h[1];
    p.t = 0.6;
    p.q[0] = 1.7;
    p.u[0] = -0.4;
    place_h(&p, h);
    /* r'' = r φ'²: the uniform motion of the frame's origin exerts no force. */
    assert_near(h[0], 1.7 * pow(2 * 0.6, 2), 1e-13);
    place_destroy(&p);
}

static void mass_matrix_and_force(void **state)
{
    (void)state;
    add_system(&w, "s", "expression", "coordinates", "x y", "mass", "2+x^2 0.5; 0.5 1+y^2", "force",
               "-x+y' x*y*t");
    place p = place_create(&w);
    double M[4], h[2];
    p.t = 2;
    memcpy(p.q, (double[]){0.3, 0.7}, 2 * sizeof(double));
    memcpy(p.u, (double[]){5, 7}, 2 * sizeof(double));
    own_mass(&p, M);
    place_h(&p, h);
    assert_near(M[0], 2.09, 1e-15);
    assert_near(M[1], 0.5, 0);
    assert_near(M[3], 1.49, 1e-15);
    assert_near(h[0], 6.7, 1e-15);
    assert_near(h[1], 0.42, 1e-15);
    /* Without a potential all of h is load. */
    assert_near(p.work->load[1], 0.42, 1e-15);
    place_destroy(&p);
}

/* ∂h/∂q and ∂h/∂u against central differences. */
static void derivatives_of_h(void **state)
{
    (void)state;
    add_system(&w, "p", "lagrange", "coordinates", "a b", "kinetic",
               "0.5*a'^2*(1+b^2)+0.5*b'^2+0.3*a'*b'*sin(a)", "potential", "cos(a)*b^3", "forces",
               "-a'*b' -b'^3");
    place p = place_create(&w);
    const ss_system *s = &p.work->model->systems[0];
    double dhdq[4], dhdu[4], up[2], down[2], d = 1e-5;
    memcpy(p.q, (double[]){0.3, 0.7}, 2 * sizeof(double));
    memcpy(p.u, (double[]){0.5, -0.8}, 2 * sizeof(double));
    place_go(&p, 0);
    assert_ok(&w, s->ops->derivatives(s->object.self, &p.work->systems[0], dhdq, dhdu));
    for (int k = 0; k < 4; k++) {
        double *x = k < 2 ? &p.q[k] : &p.u[k - 2], middle = *x;
        const double *slope = k < 2 ? dhdq : dhdu;
        *x = middle + d;
        place_h(&p, up);
        *x = middle - d;
        place_h(&p, down);
        *x = middle;
        for (int i = 0; i < 2; i++)
            assert_near(slope[2 * i + k % 2], (up[i] - down[i]) / (2 * d), 1e-8);
    }
    place_destroy(&p);
}

/* Rows over two systems, nonlinear in q and t: γ = dg/dt, ζ̂ = dγ/dt at constant u, both by differences. */
static void element_rows(void **state)
{
    (void)state;
    add_system(&w, "a", "point", "dim", "2", "mass", "1");
    add_system(&w, "b", "planar_body", "mass", "1", "inertia", "1");
    add_element(&w, "e", "expression", "gap", "hypot(a.x-b.x,a.y-b.y)-sin(t) a.x*cos(phi)+b.y*t^2",
                "slip", "a.x'*sin(b.phi)+phi'*a.y*t+t^3-2*b.y'");
    add_law(&w, "e", "gap", "unilateral");
    place p = place_create(&w);
    const double d = 1e-4;
    double up[3], down[3], gamma[3], zeta_hat[3];
    p.t = 0.8;
    memcpy(p.q, (double[]){1.2, 0.4, -0.3, 0.9, 0.6}, 5 * sizeof(double));
    memcpy(p.u, (double[]){0.7, -1.1, 0.2, 0.5, -0.9}, 5 * sizeof(double));
    place_gap(&p, 0, d, up);
    place_gap(&p, 0, -d, down);
    place_velocity(&p, 0, 0, gamma);
    for (int row = 0; row < 2; row++)
        assert_near(gamma[row], (up[row] - down[row]) / (2 * d), 1e-7);
    double phi = p.q[4];
    assert_near(gamma[2], 0.7 * sin(phi) + -0.9 * 0.4 * 0.8 + pow(0.8, 3) - 2 * 0.5, 1e-14);
    place_velocity(&p, 0, d, up);
    place_velocity(&p, 0, -d, down);
    place_zeta_hat(&p, 0, zeta_hat);
    for (int row = 0; row < 3; row++)
        assert_near(zeta_hat[row], (up[row] - down[row]) / (2 * d), 1e-7);
    place_destroy(&p);
}

/* q' = F u with F ≠ 1: a heading given by (c, s); the gap's γ goes through F. */
static void rows_through_F(void **state)
{
    (void)state;
    add_system(&w, "w", "expression", "coordinates", "c s", "velocities", "spin", "F", "-s; c",
               "mass", "2", "force", "0");
    add_element(&w, "e", "expression", "gap", "c+2*s");
    add_law(&w, "e", "gap", "unilateral");
    assert_ok(&w, ss_model_seal(w.model));
    ss_solver *solver;
    ss_work *work;
    assert_ok(&w, ss_solver_create(w.context, "sorprox", NULL, NULL, &solver));
    assert_ok(&w, ss_work_create(w.model, solver, &work));
    double q[] = {0.6, 0.8}, u = 1.5, gamma;
    assert_ok(&w, ss_work_evaluate(work, 0, q));
    assert_ok(&w, ss_work_element_gaps(work, 0));
    assert_ok(&w, ss_work_element_directions(work, 0));
    ss_work_element_velocity(work, 0, &u, &gamma);
    assert_near(gamma, (-0.8 + 2 * 0.6) * 1.5, 1e-15);
    ss_work_destroy(work);
    ss_solver_destroy(solver);
}

static void loads(void **state)
{
    (void)state;
    assert_ok(&w, ss_model_define(w.model, "k", 3));
    add_system(&w, "a", "point", "dim", "1", "mass", "1");
    add_system(&w, "b", "point", "dim", "1", "mass", "1");
    add_force(&w, "f", "load", "on", "b.x a.x", "force", "-k*(b.x-a.x) t<1?2:0");
    place p = place_create(&w);
    double h[2];
    memcpy(p.q, (double[]){0.5, 2}, 2 * sizeof(double));
    place_h(&p, h);
    assert_near(h[0], 2, 0);
    assert_near(h[1], -4.5, 1e-15);
    p.t = 1;
    place_h(&p, h);
    assert_near(h[0], 0, 0);
    place_destroy(&p);
}

static void refusals(void **state)
{
    (void)state;
    assert_refused(&w, try_system(&w, "s", "lagrange", "coordinates", "x", "kinetic", "x'^4"),
                   "system 's': 'kinetic' must be quadratic in the velocities; its second "
                   "derivatives with respect "
                   "to them are not constant");
    assert_refused(
        &w,
        try_system(&w, "s2", "lagrange", "coordinates", "x", "kinetic", "x'^2", "potential",
                   "x*x'"),
        "system 's2': 'potential' must not depend on velocities; such forces go into 'forces'");
    assert_refused(
        &w, try_system(&w, "s3", "expression", "coordinates", "x y", "mass", "1 1", "force", "0 0"),
        "system 's3': 'mass' has 2 expressions, 4 are wanted");
    assert_refused(
        &w, try_system(&w, "s4", "expression", "coordinates", "x", "mass", "1+x'", "force", "0"),
        "system 's4': 'mass' must not depend on velocities");
    add_system(&w, "a", "point", "dim", "1", "mass", "1");
    add_system(&w, "b", "point", "dim", "1", "mass", "1");
    assert_refused(&w, try_element(&w, "e", "expression", "gap", "x"),
                   "element 'e': several systems have a coordinate 'x'; write it as 'system.x'");
    assert_refused(&w, try_element(&w, "e2", "expression", "gap", "a.x'"),
                   "element 'e2': a gap must not depend on velocities");
    assert_refused(&w, try_element(&w, "e3", "expression", "slip", "a.x'^2"),
                   "element 'e3': a slip must be linear in the velocities");
    assert_refused(&w, try_element(&w, "e4", "expression", "gap", "t"),
                   "element 'e4': its expressions contain no coordinate of any system");
    assert_refused(&w, try_element(&w, "e5", "expression"),
                   "element 'e5': it needs a 'gap', a 'slip', or both");
    assert_refused(&w, try_force(&w, "f", "load", "on", "t", "force", "1"),
                   "force 'f': 't' is no coordinate of a system");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(double_pendulum, setup, teardown),
        cmocka_unit_test_setup_teardown(moving_frame, setup, teardown),
        cmocka_unit_test_setup_teardown(mass_matrix_and_force, setup, teardown),
        cmocka_unit_test_setup_teardown(derivatives_of_h, setup, teardown),
        cmocka_unit_test_setup_teardown(element_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_through_F, setup, teardown),
        cmocka_unit_test_setup_teardown(loads, setup, teardown),
        cmocka_unit_test_setup_teardown(refusals, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
