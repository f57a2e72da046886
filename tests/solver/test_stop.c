/* When the sweeps end: tolerances, stop criteria, least and most sweeps, warm start. */
#include "solver/solve.h"

/* Four bodies in a row, pressed together: slow enough to watch. */
static build *row_of_bodies(void)
{
    build *p = build_create();
    for (int s = 0; s < 4; s++)
        build_add_system(p, 1, (double[]){1});
    for (int s = 0; s < 3; s++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, s, (double[]){-1});
        build_add_factor(p, s + 1, (double[]){1});
    }
    p->u_free[0] = 3;
    p->u_free[1] = 2;
    p->u_free[3] = -4;
    return p;
}

static solve_trace *new_trace(void)
{
    solve_trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    return trace;
}

static void tighter_tolerances_take_longer(void **state)
{
    ss_context *context = *state;
    int last = 0;
    for (double tolerance = 1e-2; tolerance > 1e-15; tolerance *= 1e-3) {
        build *p = row_of_bodies();
        ss_prox_options options = ss_default_prox();
        options.tolerance = tolerance;
        double P[3] = {0}, u[4];
        ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        assert_true(report.residual.value <= tolerance);
        assert_true(report.iterations > last);
        last = report.iterations;
        for (int k = 0; k < 4; k++) /* in the end they move as one */
            expect_near(u[k], .25, 30 * tolerance);
        free(p);
    }
}

/* |ΔP| <= absolute + relative |P| for all rows, between iterates k - 1 and k. */
static bool rests(int n, const double *before, const double *now, double absolute, double relative)
{
    for (int h = 0; h < n; h++)
        if (!(fabs(now[h] - before[h]) <= absolute + relative * fabs(now[h])))
            return false;
    return true;
}

static void stop_in_impulses(void **state)
{
    ss_context *context = *state;
    solve_trace *trace = new_trace();
    build *p = row_of_bodies();
    ss_prox_options options = ss_default_prox();
    options.stop = SS_STOP_IMPULSE;
    options.absolute = 1e-7;
    options.relative = 1e-4;
    for (int k = 0; k < 2; k++) {
        double P[3] = {0}, u[4];
        options.tolerance = k ? 1e-2 : 1e-10;
        ss_solve_report report =
            solve_traced(context, "sorprox", &options, &p->inclusion, trace, P, u);
        int n = report.iterations;
        assert_int_equal(report.outcome, k ? SS_CONVERGED : SS_SETTLED);
        assert_true(report.residual.value > 1e-10 && report.residual.value < 1e-2);
        assert_true(n > 3);
        assert_true(rests(3, trace->P[n - 1], trace->P[n], 1e-7, 1e-4));
        assert_false(rests(3, trace->P[n - 2], trace->P[n - 1], 1e-7, 1e-4));
    }
    free(p);
    free(trace);
}

static void stop_in_velocities(void **state)
{
    ss_context *context = *state;
    solve_trace *trace = new_trace();
    build *p = row_of_bodies();
    ss_prox_options options = ss_default_prox();
    options.stop = SS_STOP_VELOCITY;
    options.absolute = 1e-6;
    options.relative = 1e-5;
    double P[3] = {0}, u[4], before[4], last[4], now[4];
    ss_solve_report report = solve_traced(context, "sorprox", &options, &p->inclusion, trace, P, u);
    int n = report.iterations;
    assert_int_equal(report.outcome, SS_SETTLED);
    assert_true(n > 3);
    ss_inclusion_free_motion(&p->inclusion, trace->P[n - 2], before);
    ss_inclusion_free_motion(&p->inclusion, trace->P[n - 1], last);
    ss_inclusion_free_motion(&p->inclusion, trace->P[n], now);
    assert_true(rests(4, last, now, 1e-6, 1e-5));
    assert_false(rests(4, before, last, 1e-6, 1e-5));
    assert_memory_equal(now, u, sizeof u);
    free(p);
    free(trace);
}

static void the_stop_in_velocities_wants_velocities(void **state)
{
    ss_context *context = *state;
    build *p = row_of_bodies();
    ss_inclusion *A;
    ss_solver *solver;
    ss_solve_report report;
    ss_prox_options options = ss_default_prox();
    options.stop = SS_STOP_VELOCITY;
    double P[3] = {0};
    expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
    expect_ok(context, ss_solver_create_prox(context, "sorprox", &options, &solver));
    assert_int_equal(ss_solver_solve(solver, A, P, NULL, &report), SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(context), "factored form"));
    ss_solver_destroy(solver);
    ss_inclusion_destroy(A);
    free(p);
}

static void least_and_most_sweeps(void **state)
{
    ss_context *context = *state;
    build *p = row_of_bodies();
    ss_prox_options options = ss_default_prox();
    double P[3] = {0}, u[4];
    options.max_iterations = 3;
    ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
    assert_int_equal(report.outcome, SS_MAX_ITERATIONS);
    assert_int_equal(report.iterations, 3);
    assert_true(report.residual.value > 1e-10);
    options = ss_default_prox();
    int plain = solve(context, "sorprox", &options, &p->inclusion, P, u).iterations;
    options.min_iterations = plain + 7;
    report = solve(context, "sorprox", &options, &p->inclusion, P, u);
    assert_int_equal(report.outcome, SS_CONVERGED);
    assert_int_equal(report.iterations, plain + 7);
    options.min_iterations = 0; /* P is the solution already */
    report = solve(context, "sorprox", &options, &p->inclusion, P, u);
    assert_int_equal(report.outcome, SS_CONVERGED);
    assert_int_equal(report.iterations, 0);
    options.min_iterations = 1;
    assert_int_equal(solve(context, "sorprox", &options, &p->inclusion, P, u).iterations, 1);
    free(p);
}

static void a_warm_start_saves_sweeps(void **state)
{
    ss_context *context = *state;
    for (int k = 0; k < 2; k++) {
        const char *name = k ? "jorprox" : "sorprox";
        build *p = row_of_bodies();
        ss_prox_options options = ss_default_prox();
        options.r_scale = k ? .5 : 1;
        double P[3] = {0}, u[4];
        int cold = solve(context, name, &options, &p->inclusion, P, u).iterations;
        for (int s = 0; s < 4; s++)
            p->u_free[s] += 1e-6 * s;
        double Q[3] = {P[0], P[1], P[2]};
        int warm = solve(context, name, &options, &p->inclusion, P, u).iterations;
        assert_true(warm < cold);
        options.warm_start = false;
        assert_true(solve(context, name, &options, &p->inclusion, Q, u).iterations >= cold - 1);
        free(p);
    }
}

/* A body that moves with a belt of 1000 m/s: the load is rounding, and so is every change. */
static void rounding_does_not_keep_the_sweeps_going(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){.3, .1, .1, .7});
    build_add_block(p, ss_set_disk(2), 1, -1);
    build_add_factor(p, 0, (double[]){.3, .9, -.8, .4});
    build_add_block(p, ss_set_interval(), 1, -1);
    build_add_factor(p, 0, (double[]){.5, .6});
    p->u_free[0] = 1000.1;
    p->u_free[1] = -333.3;
    ss_inclusion_velocity(&p->inclusion, NULL, p->u_free, 0, p->b);
    ss_inclusion_velocity(&p->inclusion, NULL, p->u_free, 1, p->b + 2);
    for (int k = 0; k < 3; k++)
        p->b[k] = -p->b[k] * (1 + 3e-16);
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-12;
    double P[3] = {0}, u[2];
    ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
    assert_int_equal(report.outcome, SS_CONVERGED);
    assert_int_equal(report.iterations, 1);
    free(p);
}

static void nothing_to_solve(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    p->u_free[1] = 5;
    double u[2] = {0, 0};
    ss_prox_options options = ss_default_prox();
    for (int k = 0; k < 2; k++) {
        ss_solve_report report =
            solve(context, k ? "jorprox" : "sorprox", &options, &p->inclusion, NULL, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        assert_int_equal(report.residual.worst_block, -1);
        assert_true(u[0] == 0 && u[1] == 5);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tighter_tolerances_take_longer),
        cmocka_unit_test(stop_in_impulses),
        cmocka_unit_test(stop_in_velocities),
        cmocka_unit_test(the_stop_in_velocities_wants_velocities),
        cmocka_unit_test(least_and_most_sweeps),
        cmocka_unit_test(a_warm_start_saves_sweeps),
        cmocka_unit_test(rounding_does_not_keep_the_sweeps_going),
        cmocka_unit_test(nothing_to_solve),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
