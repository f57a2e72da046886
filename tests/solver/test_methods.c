/* What all solvers of gathered inclusions have in common: memory, refusals, odd inclusions,
 * reports. */
#include "solver/solve.h"
#include "support/allocator.h"

#include <stdio.h>

static const char *const names[] = {"auto",
                                    "exact",
                                    "interior",
                                    "alart_curnier",
                                    "fischer_burmeister",
                                    "proximal",
                                    "woesle_pfeiffer",
                                    "admm",
                                    "nesterov",
                                    "uzawa",
                                    "lemke",
                                    "funk",
                                    "enumeration"};
enum { N_NAMES = sizeof names / sizeof *names };

static ss_status solve_once(counting_allocator *counter, const char *name, const build *p)
{
    ss_context_options options = counting_options(counter);
    ss_context *context;
    ss_solver *solver = NULL;
    ss_solve_report report;
    double P[BUILD_ROWS] = {0}, u[BUILD_U];
    SS_TRY(ss_context_create_bare(&options, &context));
    ss_status status = ss_register_builtin_sets(context);
    if (status == SS_OK)
        status = ss_register_builtin_solvers(context);
    if (status == SS_OK)
        status = ss_solver_create(context, name, NULL, NULL, &solver);
    if (status == SS_OK)
        status = ss_solver_solve(solver, &p->inclusion, P, u, &report);
    ss_solver_destroy(solver);
    ss_context_destroy(context);
    return status;
}

static void survive_failing_memory(void **state)
{
    (void)state;
    build *p = row_of_contacts(4);
    for (int n = 0; n < N_NAMES; n++)
        for (long allowed = 0;; allowed++) {
            counting_allocator counter = {.allowed = allowed};
            ss_status status = solve_once(&counter, names[n], p);
            assert_int_equal(counter.live, 0);
            if (status == SS_OK)
                break;
            assert_int_equal(status, SS_MEMORY);
            assert_true(allowed < 2000);
        }
    free(p);
}

/* After the first solve of a size, sweeps need no memory. Factored forms need a scratch to be
 * gathered. */
static void warm_sweeps_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    ss_context *context;
    ss_solver *solver;
    ss_solve_report report;
    ss_inclusion *A;
    build *p = row_of_contacts(10);
    double P[BUILD_ROWS] = {0}, u[BUILD_U];
    assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
    expect_ok(context, ss_register_builtin_sets(context));
    expect_ok(context, ss_register_builtin_solvers(context));
    expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
    for (int n = 0; n < 2; n++) {
        expect_ok(context, ss_solver_create(context, names[n], NULL, NULL, &solver));
        memset(P, 0, sizeof P);
        expect_ok(context, ss_solver_solve(solver, A, P, NULL, &report));
        memset(P, 0, sizeof P);
        expect_ok(context, ss_solver_solve(solver, &p->inclusion, P, u, &report));
        long calls = counter.calls;
        memset(P, 0, sizeof P);
        expect_ok(context, ss_solver_solve(solver, A, P, NULL, &report));
        memset(P, 0, sizeof P);
        expect_ok(context, ss_solver_solve(solver, &p->inclusion, P, u, &report));
        assert_int_equal(report.outcome, SS_CONVERGED);
        assert_int_equal(counter.calls, calls);
        ss_solver_destroy(solver);
    }
    ss_inclusion_destroy(A);
    ss_context_destroy(context);
    free(p);
}

static ss_status solve_named(ss_context *context, const char *name, const ss_inclusion *inclusion,
                             double *P, double *u, ss_solve_report *report)
{
    ss_solver *solver;
    expect_ok(context, ss_solver_create(context, name, NULL, NULL, &solver));
    ss_status status = ss_solver_solve(solver, inclusion, P, u, report);
    ss_solver_destroy(solver);
    return status;
}

static void solve_nothing_at_all(void **state)
{
    build *p = build_create();
    double P[1] = {0}, u[1];
    for (int n = 0; n < N_NAMES; n++) {
        ss_solve_report report;
        expect_ok(*state, solve_named(*state, names[n], &p->inclusion, P, u, &report));
        assert_int_equal(report.outcome, SS_CONVERGED);
        assert_int_equal(report.residual.worst_block, -1);
    }
    free(p);
}

static void refuse_numbers_that_are_not_finite(void **state)
{
    for (int n = 0; n < N_NAMES; n++)
        for (int what = 0; what < 3; what++) {
            build *p = row_of_contacts(2);
            ss_solve_report report;
            double P[BUILD_ROWS] = {0}, u[BUILD_U];
            if (what == 0)
                P[1] = NAN;
            else if (what == 1)
                p->b[2] = INFINITY;
            else
                p->W[1][0] = NAN;
            assert_int_equal(solve_named(*state, names[n], &p->inclusion, P, u, &report),
                             SS_NON_FINITE);
            free(p);
        }
}

/* Each says why: sets it does not know, several blocks on one half line, too many combinations. */
static void refusals_give_reasons(void **state)
{
    double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, c[3] = {0}, P[3] = {0};
    ss_block ball = {ss_set_disk(3), 0, 3, -1, 1, 0};
    ss_inclusion *A;
    expect_ok(*state, ss_inclusion_from_dense(*state, 1, &ball, G, c, &A));
    static const char *const refusing[] = {"interior",   "alart_curnier", "fischer_burmeister",
                                           "proximal",   "lemke",         "funk",
                                           "enumeration"};
    for (size_t n = 0; n < sizeof refusing / sizeof *refusing; n++) {
        ss_solve_report report;
        assert_int_equal(solve_named(*state, refusing[n], A, P, NULL, &report), SS_UNSUPPORTED);
        assert_non_null(strstr(ss_context_message(*state), refusing[n]));
        assert_true(strstr(ss_context_message(*state), "only") ||
                    strstr(ss_context_message(*state), "neither a half line"));
    }
    ss_inclusion_destroy(A);
    build *many = row_of_contacts(12);
    double Q[BUILD_ROWS] = {0}, u[BUILD_U];
    ss_solve_report report;
    assert_int_equal(solve_named(*state, "enumeration", &many->inclusion, Q, u, &report),
                     SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(*state), "million"));
    free(many);
}

static void auto_says_what_it_did(void **state)
{
    build *p = row_of_contacts(6);
    double P[BUILD_ROWS] = {0}, u[BUILD_U];
    ss_solve_report report;
    expect_ok(*state, solve_named(*state, "auto", &p->inclusion, P, u, &report));
    assert_int_equal(report.outcome, SS_CONVERGED);
    char expected[80];
    snprintf(expected, sizeof expected, "sorprox 20, exact %d", report.iterations - 20);
    assert_string_equal(report.method, expected);
    ss_inclusion *A;
    expect_ok(*state, ss_inclusion_assemble(*state, &p->inclusion, &A));
    memset(P, 0, sizeof P);
    expect_ok(*state, solve_named(*state, "auto", A, P, NULL, &report));
    snprintf(expected, sizeof expected, "exact %d", report.iterations);
    assert_string_equal(report.method, expected);
    ss_inclusion_destroy(A);
    free(p);
}

/* A wall that nothing moves, driven against: no impulse helps. Everybody must end, finite,
 * and say so; the residual is relative to P, so that a impulse beyond all measure may count
 * as a solution. */
static void an_unsolvable_inclusion_is_reported(void **state)
{
    double G[1] = {0}, c[1] = {-1};
    ss_block wall = {ss_set_half_line(), 0, 1, -1, 1, 0};
    ss_inclusion *A;
    expect_ok(*state, ss_inclusion_from_dense(*state, 1, &wall, G, c, &A));
    for (int n = 0; n < N_NAMES; n++) {
        ss_solver *solver;
        ss_args *args;
        double P[1] = {0};
        ss_solve_report report;
        expect_ok(*state, ss_args_create(*state, &args));
        expect_ok(*state, ss_args_set_real(args, "max_iterations", 300));
        expect_ok(*state, ss_solver_create(*state, names[n], args, NULL, &solver));
        expect_ok(*state, ss_solver_solve(solver, A, P, NULL, &report));
        assert_true(isfinite(P[0]));
        assert_true(report.outcome != SS_CONVERGED || P[0] > 1e9);
        ss_solver_destroy(solver);
        ss_args_destroy(args);
    }
    ss_inclusion_destroy(A);
}

static void traces_begin_with_the_guess(void **state)
{
    build *p = row_of_contacts(2);
    for (int n = 0; n < N_NAMES; n++) {
        if (strcmp(names[n], "lemke") == 0)
            continue; /* its pivots are no impulses */
        solve_trace trace = {.n_rows = 4};
        ss_solver *solver;
        ss_solve_report report;
        double P[BUILD_ROWS] = {.1, .02, .3, -.05}, u[BUILD_U], guess[4];
        memcpy(guess, P, sizeof guess);
        expect_ok(*state, ss_solver_create(*state, names[n], NULL, NULL, &solver));
        ss_solver_set_trace(solver, solve_record, &trace);
        expect_ok(*state, ss_solver_solve(solver, &p->inclusion, P, u, &report));
        assert_memory_equal(trace.P[0], guess, sizeof guess);
        ss_solver_destroy(solver);
    }
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survive_failing_memory),
        cmocka_unit_test(warm_sweeps_allocate_nothing),
        cmocka_unit_test(solve_nothing_at_all),
        cmocka_unit_test(refuse_numbers_that_are_not_finite),
        cmocka_unit_test(refusals_give_reasons),
        cmocka_unit_test(auto_says_what_it_did),
        cmocka_unit_test(an_unsolvable_inclusion_is_reported),
        cmocka_unit_test(traces_begin_with_the_guess),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
