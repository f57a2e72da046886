/* Implicit treatment: u_free and b follow the velocities at the end of the step. */
#include "solver/solve.h"

/* Body 0: x and y, above a belt; damped in x and y. Body 1: damped, contacts nothing. */
static const double m = 2, dt = .01, g = 9.81, damping = 60, bound = .5, lift = .1;
static const double u_B[3] = {3, -1, 5};

typedef struct damper {
    double kappa; /* damping · Δt / m */
    int calls;
    ss_status status;
} damper;

static ss_status refresh(void *user, const double *u, double *u_free, double *b)
{
    damper *d = user;
    d->calls++;
    for (int k = 0; k < 3; k++)
        u_free[k] = u_B[k] - d->kappa * u[k];
    u_free[1] -= g * dt;
    if (b)
        b[0] = -lift * u[0]; /* the belt's surface rises with the speed of the body */
    return d->status;
}

static build *damped(damper *d)
{
    build *p = build_create();
    build_add_system(p, 2, (double[]){1 / m, 0, 0, 1 / m});
    build_add_system(p, 1, (double[]){1 / m});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1});
    build_add_block(p, ss_set_interval(), bound, -1);
    build_add_factor(p, 0, (double[]){1, 0});
    p->inclusion.refresh = refresh;
    p->inclusion.refresh_user = d;
    refresh(d, u_B, p->u_free, p->b); /* explicit, as a scheme would begin */
    d->calls = 0;
    return p;
}

static void the_implicit_solution_is_found(void **state)
{
    ss_context *context = *state;
    static const ss_stop stops[] = {SS_STOP_RESIDUAL, SS_STOP_IMPULSE, SS_STOP_VELOCITY};
    for (int k = 0; k < 6; k++) {
        damper d = {.kappa = damping * dt / m, .status = SS_OK};
        build *p = damped(&d);
        ss_prox_options options = ss_default_prox();
        options.tolerance = 1e-12;
        options.stop = stops[k % 3];
        if (options.stop != SS_STOP_RESIDUAL)
            options.relative = 1e-13;
        double P[2] = {0}, u[3];
        ss_solve_report report =
            solve(context, k < 3 ? "sorprox" : "jorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        /* It slides: (1 + κ) u_x = u_Bx - bound / m; the contact stays closed: u_y = lift u_x. */
        double u_x = (u_B[0] - bound / m) / (1 + d.kappa);
        expect_near(u[0], u_x, 1e-10);
        expect_near(u[1], lift * u_x, 1e-10);
        expect_near(u[2], u_B[2] / (1 + d.kappa), 1e-10);
        expect_near(P[1], -bound, 1e-12);
        expect_near(P[0], m * ((1 + d.kappa) * lift * u_x - u_B[1] + g * dt), 1e-9);
        assert_int_equal(d.calls, report.iterations);
        ss_residual residual = ss_inclusion_residual(&p->inclusion, P, u);
        assert_true(residual.value == report.residual.value);
        assert_true(residual.absolute == report.residual.absolute);
        assert_int_equal(residual.worst_block, report.residual.worst_block);
        free(p);
    }
}

static void bodies_without_a_block_are_iterated_too(void **state)
{
    ss_context *context = *state;
    damper d = {.kappa = .5, .status = SS_OK};
    build *p = damped(&d);
    p->inclusion.n_blocks = p->inclusion.n_rows = 0;
    p->inclusion.b = NULL;
    ss_prox_options options = ss_default_prox();
    double u[3];
    ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, NULL, u);
    assert_int_equal(report.outcome, SS_CONVERGED);
    for (int k = 0; k < 3; k++)
        expect_near(u[k], (u_B[k] - (k == 1 ? g * dt : 0)) / 1.5, 1e-9);
    free(p);
}

/* κ > 1: the fixed point repels. */
static void too_stiff_a_damper_diverges_and_everything_stays_finite(void **state)
{
    ss_context *context = *state;
    for (int k = 0; k < 2; k++) {
        damper d = {.kappa = 1.5, .status = SS_OK};
        build *p = damped(&d);
        double given[3], P[2] = {0}, u[3];
        if (k) {
            p->inclusion.n_blocks = p->inclusion.n_rows = 0;
            p->inclusion.b = NULL;
        }
        memcpy(given, p->u_free, sizeof given);
        ss_prox_options options = ss_default_prox();
        ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_DIVERGED);
        assert_true(isfinite(P[0]) && isfinite(P[1]));
        for (int i = 0; i < 3; i++)
            assert_true(isfinite(u[i]) && p->u_free[i] == given[i]);
        free(p);
    }
}

static void a_failing_refresh_is_passed_on(void **state)
{
    ss_context *context = *state;
    damper d = {.kappa = .5, .status = SS_OK};
    build *p = damped(&d);
    d.status = SS_STOPPED;
    ss_prox_options options = ss_default_prox();
    ss_solver *solver;
    ss_solve_report report;
    double P[2] = {0}, u[3];
    expect_ok(context, ss_solver_create_prox(context, "sorprox", &options, &solver));
    assert_int_equal(ss_solver_solve(solver, &p->inclusion, P, u, &report), SS_STOPPED);
    assert_int_equal(d.calls, 1);
    ss_solver_destroy(solver);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_implicit_solution_is_found),
        cmocka_unit_test(bodies_without_a_block_are_iterated_too),
        cmocka_unit_test(too_stiff_a_damper_diverges_and_everything_stays_finite),
        cmocka_unit_test(a_failing_refresh_is_passed_on),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
