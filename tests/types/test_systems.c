/* test_systems.c: mass, forces and energy of the built-in systems. */
#include "types/place.h"

static void point_has_its_mass_on_the_diagonal(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++) {
        world w = world_create(NULL);
        char text[2] = {(char)('0' + dim), 0};
        add_system(&w, "ball", "point", "dim", text, "mass", "2.5");
        place p = place_create(&w);
        const char *names[] = {"ball.x", "ball.y", "ball.z"};
        double M[9];
        const ss_system *ball = &w.model->systems[0];
        assert_int_equal(p.n, dim);
        place_go(&p, 0);
        assert_ok(&w, ball->ops->mass(ball->object.self, &p.work->systems[0], M));
        for (int i = 0; i < dim; i++) {
            assert_string_equal(ss_model_q_name(w.model, i).text, names[i]);
            for (int j = 0; j < dim; j++)
                assert_true(M[i * dim + j] == (i == j ? 2.5 : 0.0));
        }
        place_destroy(&p);
        world_destroy(&w);
    }
}

static void planar_body_has_mass_and_inertia(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "bar", "planar_body", "mass", "3", "inertia", "0.5");
    place p = place_create(&w);
    const double expected[9] = {3, 0, 0, 0, 3, 0, 0, 0, 0.5};
    double M[9], h[3];
    const ss_system *bar = &w.model->systems[0];
    place_go(&p, 0);
    assert_ok(&w, bar->ops->mass(bar->object.self, &p.work->systems[0], M));
    for (int i = 0; i < 9; i++)
        assert_true(M[i] == expected[i]);
    place_h(&p, h);
    assert_true(h[0] == 0 && h[1] == 0 && h[2] == 0);
    assert_string_equal(ss_model_q_name(w.model, 2).text, "bar.phi");
    assert_string_equal(ss_model_u_name(w.model, 2).text, "bar.phi'");
    place_destroy(&p);
    world_destroy(&w);
}

static void linear_follows_its_formula(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "chain", "linear", "coordinates", "a b", "mass", "2 0.5; 0.5 1", "stiffness",
               "30 -10; -10 20", "damping", "1 0.25; -0.5 2", "rest", "0.1 -0.2", "load", "3 4");
    place p = place_create(&w);
    double h[2], Q[2], V, q[2] = {0.4, 0.3}, u[2] = {-1.5, 0.7};
    memcpy(p.q, q, sizeof q);
    memcpy(p.u, u, sizeof u);
    place_h(&p, h);
    double x = 0.4 - 0.1, y = 0.3 + 0.2;
    double f0 = 3 - (1 * -1.5 + 0.25 * 0.7), f1 = 4 - (-0.5 * -1.5 + 2 * 0.7);
    assert_near(h[0], f0 - (30 * x - 10 * y), 1e-14);
    assert_near(h[1], f1 - (-10 * x + 20 * y), 1e-14);
    const ss_system *chain = &w.model->systems[0];
    const ss_at *at = &p.work->systems[0];
    assert_ok(&w, chain->ops->load(chain->object.self, at, Q));
    assert_near(Q[0], f0, 1e-14);
    assert_near(Q[1], f1, 1e-14);
    assert_ok(&w, chain->ops->potential(chain->object.self, at, &V));
    assert_near(V, 0.5 * (30 * x * x - 20 * x * y + 20 * y * y), 1e-14);
    place_destroy(&p);
    world_destroy(&w);
}

static void linear_derivatives_agree_with_differences(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "chain", "linear", "coordinates", "a b", "mass", "2 1", "stiffness",
               "30 -10; -10 20", "damping", "1 0.25; -0.5 2");
    place p = place_create(&w);
    double dhdq[4], dhdu[4], plus[2], minus[2];
    const ss_system *chain = &w.model->systems[0];
    place_go(&p, 0);
    assert_ok(&w, chain->ops->derivatives(chain->object.self, &p.work->systems[0], dhdq, dhdu));
    for (int j = 0; j < 4; j++) {
        double *x = j < 2 ? &p.q[j] : &p.u[j - 2];
        *x = 1;
        place_h(&p, plus);
        *x = -1;
        place_h(&p, minus);
        *x = 0;
        for (int i = 0; i < 2; i++)
            assert_near((j < 2 ? dhdq : dhdu)[2 * i + j % 2], (plus[i] - minus[i]) / 2, 1e-14);
    }
    place_destroy(&p);
    world_destroy(&w);
}

static void linear_takes_a_diagonal(void **state)
{
    (void)state;
    world w = world_create(NULL);
    add_system(&w, "a", "linear", "coordinates", "x y z", "mass", "1 2 3", "stiffness", "4 5 6");
    place p = place_create(&w);
    double h[3];
    p.q[0] = p.q[1] = p.q[2] = 1;
    place_h(&p, h);
    assert_true(h[0] == -4 && h[1] == -5 && h[2] == -6);
    place_destroy(&p);
    world_destroy(&w);
}

static void bad_parameters_are_refused(void **state)
{
    (void)state;
    world w = world_create(NULL);
    assert_refused(&w, try_system(&w, "a", "point", "dim", "4", "mass", "1"),
                   "system 'a': 'dim' must be a whole number in [1, 3], not 4");
    assert_refused(&w, try_system(&w, "a", "point", "dim", "2", "mass", "0"),
                   "system 'a': 'mass' must be a number > 0 in kg, not 0");
    assert_refused(&w, try_system(&w, "a", "point", "dim", "2"),
                   "system 'a': 'mass' is missing: Mass.");
    assert_refused(&w, try_system(&w, "a", "planar_body", "mass", "1", "inertia", "-1"),
                   "system 'a': 'inertia' must be a number > 0 in kg m^2, not -1");
    assert_refused(
        &w, try_system(&w, "a", "linear", "coordinates", "x y", "mass", "1 2 3"),
        "system 'a': 'mass' must be a matrix of 2 × 2 numbers, or a list of the 2 numbers of "
        "its diagonal, not 3 × 1");
    assert_refused(
        &w, try_system(&w, "a", "linear", "coordinates", "x y", "mass", "1 2; 3 4"),
        "system 'a': 'mass' must be symmetric, but row 1, column 2 is 2 and row 2, column 1 "
        "is 3");
    assert_refused(
        &w, try_system(&w, "a", "linear", "coordinates", "x y", "mass", "1 2; 2 4"),
        "system 'a': 'mass' must be positive definite, but its leading 2 × 2 block is not");
    assert_refused(
        &w, try_system(&w, "a", "linear", "coordinates", "x", "mass", "-1"),
        "system 'a': 'mass' must be positive definite, but its leading 1 × 1 block is not");
    assert_refused(
        &w,
        try_system(&w, "a", "linear", "coordinates", "x y", "mass", "1 1", "stiffness", "1 2; 0 1"),
        "system 'a': 'stiffness' must be symmetric, but row 1, column 2 is 2 and row 2, "
        "column 1 is 0");
    assert_refused(&w,
                   try_system(&w, "a", "linear", "coordinates", "x y", "mass", "1 1", "stiffness",
                              "1 1", "rest", "1 2 3"),
                   "system 'a': 'rest' must be a list of 2 numbers, not 3");
    assert_refused(&w,
                   try_system(&w, "a", "linear", "coordinates", "x", "mass", "1", "load", "1 2"),
                   "system 'a': 'load' must be a list of 1 number, not 2");
    world_destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_has_its_mass_on_the_diagonal),
        cmocka_unit_test(planar_body_has_mass_and_inertia),
        cmocka_unit_test(linear_follows_its_formula),
        cmocka_unit_test(linear_derivatives_agree_with_differences),
        cmocka_unit_test(linear_takes_a_diagonal),
        cmocka_unit_test(bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
