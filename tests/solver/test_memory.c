/* A solve allocates nothing; every allocation before it may fail. */
#include "solver/solve.h"
#include "support/allocator.h"

static const char *const names[] = {"sorprox", "jorprox"};

static ss_status registered_context(counting_allocator *counter, ss_context **context)
{
    ss_context_options options = counting_options(counter);
    SS_TRY(ss_context_create_bare(&options, context));
    SS_TRY(ss_register_builtin_sets(*context));
    return ss_register_builtin_solvers(*context);
}

static void a_solve_allocates_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        counting_allocator counter = {.allowed = -1};
        ss_context *context;
        ss_solver *solver;
        ss_solve_report report;
        build *large = row_of_contacts(20), *small = row_of_contacts(3);
        ss_prox_options options = ss_default_prox();
        options.r = (ss_r_choice)(k / 2);
        options.r_scale = k % 2 ? .3 : 1;
        double P[BUILD_ROWS] = {0}, u[BUILD_U];
        assert_int_equal(registered_context(&counter, &context), SS_OK);
        expect_ok(context, ss_solver_create_prox(context, names[k % 2], &options, &solver));
        ss_solver_size size = {large->inclusion.n_blocks, large->inclusion.n_rows,
                               large->inclusion.n_u,
                               large->factor_start[large->inclusion.n_blocks]};
        expect_ok(context, ss_solver_reserve(solver, &size));
        long calls = counter.calls;
        expect_ok(context, ss_solver_solve(solver, &large->inclusion, P, u, &report));
        assert_true(report.iterations > 1);
        expect_ok(context, ss_solver_solve(solver, &small->inclusion, P, u, &report));
        expect_ok(context, ss_solver_solve(solver, &large->inclusion, P, u, &report));
        assert_int_equal(counter.calls, calls);
        ss_solver_destroy(solver);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
        free(large);
        free(small);
    }
}

/* Without a reservation the first solve makes capacity; a growing number of contacts does not do so
 * each time. */
static void capacity_grows_by_more_than_what_is_needed(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context *context;
    ss_solver *solver;
    ss_solve_report report;
    ss_prox_options options = ss_default_prox();
    assert_int_equal(registered_context(&counter, &context), SS_OK);
    expect_ok(context, ss_solver_create_prox(context, "sorprox", &options, &solver));
    int growths = 0;
    for (int n = 1; n <= 30; n++) {
        build *p = row_of_contacts(n);
        double P[BUILD_ROWS] = {0}, u[BUILD_U];
        long calls = counter.calls;
        expect_ok(context, ss_solver_solve(solver, &p->inclusion, P, u, &report));
        assert_int_equal(report.outcome, SS_CONVERGED);
        growths += counter.calls > calls;
        free(p);
    }
    assert_true(growths >= 5 && growths <= 16);
    ss_solver_destroy(solver);
    ss_context_destroy(context);
}

/* What a solver of the factored form asks for n planar contacts between n + 1 bodies. */
static double memory_for(const char *name, int n)
{
    counting_allocator counter = {.allowed = -1};
    ss_context *context;
    ss_solver *solver;
    ss_prox_options options = ss_default_prox();
    ss_solver_size size = {2 * n, 2 * n, 3 * (n + 1), 4 * n};
    assert_int_equal(registered_context(&counter, &context), SS_OK);
    expect_ok(context, ss_solver_create_prox(context, name, &options, &solver));
    size_t before = counter.bytes;
    expect_ok(context, ss_solver_reserve(solver, &size));
    double bytes = (double)(counter.bytes - before);
    ss_solver_destroy(solver);
    ss_context_destroy(context);
    return bytes;
}

/* Linear in the contacts; bench_sweep measures time as well. */
static void memory_is_linear(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int n = 1000; n <= 100000; n *= 10)
            assert_true(memory_for(names[k], 2 * n) <= 2.01 * memory_for(names[k], n));
}

static ss_status create_and_solve(ss_context *context, int k, const build *small,
                                  const build *large)
{
    ss_solver *solver;
    ss_solve_report report;
    ss_prox_options options = ss_default_prox();
    double P[BUILD_ROWS] = {0}, u[BUILD_U];
    options.r = (ss_r_choice)(k / 2);
    options.max_iterations = 20;
    SS_TRY(ss_solver_create_prox(context, names[k % 2], &options, &solver));
    ss_status status = ss_solver_solve(solver, &small->inclusion, P, u, &report);
    if (status == SS_OK)
        status = ss_solver_solve(solver, &large->inclusion, P, u, &report);
    ss_solver_destroy(solver);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    build *small = row_of_contacts(3), *large = row_of_contacts(30);
    for (int k = 0; k < 8; k++) {
        ss_status status = SS_MEMORY;
        for (long allowed = 0; status == SS_MEMORY; allowed++) {
            counting_allocator counter = {.allowed = allowed};
            ss_context *context = NULL;
            status = registered_context(&counter, &context);
            if (status == SS_OK)
                status = create_and_solve(context, k, small, large);
            ss_context_destroy(context);
            assert_int_equal(counter.live, 0);
            assert_true(allowed < 1000);
        }
        assert_int_equal(status, SS_OK);
    }
    free(small);
    free(large);
}

/* After a failure to make capacity the solver is still good. */
static void a_solver_survives_a_failed_reservation(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context *context;
    ss_solver *solver;
    ss_solve_report report;
    build *small = row_of_contacts(3), *large = row_of_contacts(30);
    double P[BUILD_ROWS] = {0}, u[BUILD_U];
    assert_int_equal(registered_context(&counter, &context), SS_OK);
    expect_ok(context, ss_solver_create(context, "sorprox", NULL, NULL, &solver));
    expect_ok(context, ss_solver_solve(solver, &small->inclusion, P, u, &report));
    counter.allowed = counter.calls;
    assert_int_equal(ss_solver_solve(solver, &large->inclusion, P, u, &report), SS_MEMORY);
    assert_int_equal(ss_solver_solve(solver, &small->inclusion, P, u, &report), SS_MEMORY);
    counter.allowed = -1;
    expect_ok(context, ss_solver_solve(solver, &small->inclusion, P, u, &report));
    assert_int_equal(report.outcome, SS_CONVERGED);
    ss_solver_destroy(solver);
    ss_context_destroy(context);
    assert_int_equal(counter.live, 0);
    free(small);
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_linear),
        cmocka_unit_test(a_solve_allocates_nothing),
        cmocka_unit_test(capacity_grows_by_more_than_what_is_needed),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_solver_survives_a_failed_reservation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
