/* test_gamma.c: the γ-equations exist where G is regular, and agree there with SORprox. */
#include "solver/solve.h"

static ss_status solve_gamma(ss_context *context, const ss_inclusion *inclusion, double *P,
                             double *u, ss_solve_report *report)
{
    ss_solver *solver;
    ss_args *args;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_real(args, "tolerance", 1e-12));
    expect_ok(context, ss_solver_create(context, "gamma", args, NULL, &solver));
    ss_status status = ss_solver_solve(solver, inclusion, P, u, report);
    ss_solver_destroy(solver);
    ss_args_destroy(args);
    return status;
}

/* Bilateral rows, contacts and fixed friction bounds on one system with six velocities. */
static build *random_problem(random_state *r)
{
    build *p = build_create();
    double Minv[36];
    build_random_Minv(r, 6, 0.3, Minv);
    build_add_system(p, 6, Minv);
    build_add_block(p, ss_set_free(1), 1, -1);
    build_random_factor(r, p, 0);
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_random_factor(r, p, 0);
    build_add_block(p, ss_set_disk(2), random_between(r, 0.1, 1), -1);
    build_random_factor(r, p, 0);
    build_add_block(p, ss_set_interval(), random_between(r, 0.1, 1), -1);
    build_random_factor(r, p, 0);
    build_random_load(r, p);
    return p;
}

static void agrees_with_sorprox(void **state)
{
    ss_context *context = *state;
    random_state r = {3};
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-12;
    options.max_iterations = 1000000;
    for (int k = 0; k < 100; k++) {
        build *p = random_problem(&r);
        double P[5] = {0}, Q[5] = {0}, u[6], v[6];
        ss_solve_report report;
        expect_ok(context, solve_gamma(context, &p->inclusion, P, u, &report));
        assert_int_equal(report.outcome, SS_CONVERGED);
        solve(context, "sorprox", &options, &p->inclusion, Q, v);
        for (int i = 0; i < 5; i++)
            expect_near(P[i], Q[i], 1e-8 * (1 + fabs(Q[i])));
        for (int i = 0; i < 6; i++)
            expect_near(u[i], v[i], 1e-8 * (1 + fabs(v[i])));
        free(p);
    }
}

/* One contact with friction by hand: γ_N = 0, and the slip goes on. */
static void coulomb_by_hand(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1});
    build_add_block(p, ss_set_interval(), 0.25, 0);
    build_add_factor(p, 0, (double[]){1, 0});
    p->u_free[0] = 2;
    p->u_free[1] = -1;
    double P[2] = {0}, u[2];
    ss_solve_report report;
    expect_ok(context, solve_gamma(context, &p->inclusion, P, u, &report));
    expect_near(P[0], 1, 1e-12);
    expect_near(P[1], -0.25, 1e-12);
    expect_near(u[0], 1.75, 1e-12);
    free(p);
}

static void a_singular_G_is_refused(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 1, (double[]){1});
    for (int i = 0; i < 2; i++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, 0, (double[]){1});
    }
    p->u_free[0] = -1;
    double P[2] = {0}, u[1];
    ss_solve_report report;
    assert_int_equal(solve_gamma(context, &p->inclusion, P, u, &report), SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(context), "the γ-equations do not exist"));
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(agrees_with_sorprox, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(coulomb_by_hand, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(a_singular_G_is_refused, solve_setup, solve_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
