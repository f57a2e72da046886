/* What cannot be solved is never called solved, and leaves finite numbers. */
#include "solver/solve.h"

static ss_inclusion *dense(ss_context *context, int n, const ss_set *set, const double *G,
                           const double *c)
{
    ss_block blocks[8];
    ss_inclusion *A;
    for (int i = 0; i < n; i++)
        blocks[i] = (ss_block){.set = set, .offset = i, .dim = 1, .scale_from = -1, .scale = 1};
    expect_ok(context, ss_inclusion_from_dense(context, n, blocks, G, c, &A));
    return A;
}

static void expect_honest(const ss_inclusion *inclusion, const ss_solve_report *report,
                          const double *P)
{
    for (int k = 0; k < inclusion->n_rows; k++)
        assert_true(isfinite(P[k]));
    ss_residual residual = ss_inclusion_residual(inclusion, P, NULL);
    assert_true(residual.value == report->residual.value && residual.value > 1e-10);
    assert_int_equal(residual.worst_block, report->residual.worst_block);
}

/* The best of P = 0 and the iterates whose residual is evaluated for sure: 1, 2, 4, 8 … */
static double best_residual(const ss_inclusion *inclusion, const solve_trace *trace)
{
    double best = ss_inclusion_residual(inclusion, (double[4]){0}, NULL).value;
    for (int k = 1; k < trace->count && k < 4000; k++)
        if ((k & (k - 1)) == 0)
            best = fmin(best, ss_inclusion_residual(inclusion, trace->P[k], NULL).value);
    return best;
}

/* G = .1 I + .9: the Jacobi iteration matrix of four rows has the eigenvalue -2.7. */
static void jorprox_diverges_on_coupled_problems(void **state)
{
    ss_context *context = *state;
    double G[16], c[4] = {-1, -1.1, -.9, -1};
    for (int k = 0; k < 16; k++)
        G[k] = k % 5 ? .9 : 1;
    ss_prox_options options = ss_default_prox();
    solve_trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    for (int k = 0; k < 2; k++) {
        double P[4] = {0};
        ss_inclusion *A = dense(context, 4, k ? ss_set_half_line() : ss_set_free(1), G, c);
        options.max_iterations = 3000;
        ss_solve_report report = solve_traced(context, "jorprox", &options, A, trace, P, NULL);
        assert_int_equal(report.outcome, k ? SS_MAX_ITERATIONS : SS_DIVERGED);
        if (k == 0)
            assert_true(report.iterations < 100);
        expect_honest(A, &report, P);
        assert_true(report.residual.value <= best_residual(A, trace));
        memset(P, 0, sizeof P);
        assert_int_equal(solve(context, "sorprox", &options, A, P, NULL).outcome, SS_CONVERGED);
        options.r = SS_R_ROW_SUM; /* the empiric remedy of S4.60 */
        assert_int_equal(solve(context, "jorprox", &options, A, P, NULL).outcome, SS_CONVERGED);
        options.r = SS_R_DIAGONAL;
        ss_inclusion_destroy(A);
    }
    free(trace);
}

/* From a good first guess JORprox runs away, into an oscillation between bounds: the best iterate
 * is returned. */
static void the_best_iterate_is_returned(void **state)
{
    ss_context *context = *state;
    double G[9], c[3] = {-1, -1.05, -1.1}, P[3] = {0};
    for (int k = 0; k < 9; k++)
        G[k] = k % 4 ? .8 : 1;
    ss_inclusion *A = dense(context, 3, ss_set_half_line(), G, c);
    ss_prox_options options = ss_default_prox();
    solve_trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    assert_int_equal(solve(context, "sorprox", &options, A, P, NULL).outcome, SS_CONVERGED);
    P[0] += 1e-4;
    options.max_iterations = 1000;
    ss_solve_report report = solve_traced(context, "jorprox", &options, A, trace, P, NULL);
    assert_int_equal(report.outcome, SS_MAX_ITERATIONS);
    double first = ss_inclusion_residual(A, trace->P[1], NULL).value;
    double last = ss_inclusion_residual(A, trace->P[trace->count - 1], NULL).value;
    assert_true(first < 1e-3 && last > .1);
    assert_true(report.residual.value <= first);
    expect_honest(A, &report, P);
    ss_inclusion_destroy(A);
    free(trace);
}

/* Painlevé's rod: friction in a fixed direction of sliding makes the effective G = G_NN - µ G_NT
 * negative, and a contact that is pressed has no solution. */
static void painleve(void **state)
{
    ss_context *context = *state;
    double G = 1 - 2 * .9, c = -1;
    ss_prox_options options = ss_default_prox();
    ss_inclusion *A = dense(context, 1, ss_set_half_line(), &G, &c);
    for (int k = 0; k < 2; k++) {
        double P = 0;
        ss_solve_report report = solve(context, k ? "jorprox" : "sorprox", &options, A, &P, NULL);
        assert_int_equal(report.outcome, SS_DIVERGED);
        expect_honest(A, &report, &P);
    }
    ss_inclusion_destroy(A);
}

/* Two joints that want different velocities of one body: P grows for ever, slowly. */
static void contradicting_joints(void **state)
{
    ss_context *context = *state;
    double G[] = {1, 1, 1, 1}, c[] = {0, 1}, P[2] = {0};
    ss_prox_options options = ss_default_prox();
    ss_inclusion *A = dense(context, 2, ss_set_free(1), G, c);
    ss_solve_report report = solve(context, "sorprox", &options, A, P, NULL);
    assert_int_equal(report.outcome, SS_MAX_ITERATIONS);
    assert_int_equal(report.iterations, options.max_iterations);
    expect_honest(A, &report, P);
    ss_inclusion_destroy(A);
}

/* Two immovable bodies that approach each other. */
static void immovable_bodies(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_block(p, ss_set_half_line(), 1, -1);
    p->b[0] = -1;
    double P[1] = {0};
    ss_prox_options options = ss_default_prox();
    ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, NULL);
    assert_int_equal(report.outcome, SS_MAX_ITERATIONS);
    assert_true(isfinite(P[0]));
    p->b[0] = 1;
    P[0] = 0;
    assert_int_equal(solve(context, "jorprox", &options, &p->inclusion, P, NULL).outcome,
                     SS_CONVERGED);
    free(p);
}

/* A impulse that grows beyond all numbers within a few sweeps. */
static void overflow(void **state)
{
    ss_context *context = *state;
    double G[] = {1, 1e200, 1e200, 1}, c[] = {1, 1}, P[2] = {0};
    ss_prox_options options = ss_default_prox();
    ss_inclusion *A = dense(context, 2, ss_set_free(1), G, c);
    ss_solve_report report = solve(context, "sorprox", &options, A, P, NULL);
    assert_int_equal(report.outcome, SS_DIVERGED);
    assert_true(isfinite(P[0]) && isfinite(P[1]));
    ss_inclusion_destroy(A);
}

static build *contact(void)
{
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1});
    build_add_block(p, ss_set_interval(), .3, 0);
    build_add_factor(p, 0, (double[]){1, 0});
    p->u_free[1] = -1;
    return p;
}

static void expect_not_finite(ss_context *context, const ss_inclusion *inclusion,
                              double first_guess, const char *part)
{
    for (int k = 0; k < 2; k++)
        for (int choice = 0; choice < 4; choice++) {
            ss_prox_options options = ss_default_prox();
            options.r = (ss_r_choice)choice;
            ss_solver *solver;
            ss_solve_report report;
            double P[2] = {first_guess, 0}, u[2];
            expect_ok(context,
                      ss_solver_create_prox(context, k ? "jorprox" : "sorprox", &options, &solver));
            assert_int_equal(ss_solver_solve(solver, inclusion, P, u, &report), SS_NON_FINITE);
            if (!strstr(ss_context_message(context), part))
                fail_msg("'%s' lacks '%s'", ss_context_message(context), part);
            ss_solver_destroy(solver);
        }
}

static void numbers_that_are_not_finite(void **state)
{
    ss_context *context = *state;
    build *p = contact();
#define BAD(place, part)                                    \
    do {                                                    \
        double good = (place);                              \
        (place) = NAN;                                      \
        expect_not_finite(context, &p->inclusion, 0, part); \
        (place) = INFINITY;                                 \
        expect_not_finite(context, &p->inclusion, 0, part); \
        (place) = good;                                     \
    } while (0)
    BAD(p->u_free[0], "free velocity 0");
    BAD(p->b[1], "b of block 1");
    BAD(p->W[1][1], " W of block 1");
    BAD(p->MinvW[0][0], "M⁻¹W of block 0");
    BAD(p->blocks[1].scale, "scale");
#undef BAD
    expect_not_finite(context, &p->inclusion, NAN, "first guess");
    ss_inclusion *A;
    expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
    *(double *)A->entries[1].value = NAN; /* beside the diagonal */
    expect_not_finite(context, A, 1, "G of block 0");
    ss_inclusion_destroy(A);
    free(p);
}

/* A set of one's own that is everything but must see finite numbers only. */
static void picky_prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self;
    assert_true(isfinite(scale));
    for (int k = 0; k < dim; k++) {
        assert_true(isfinite(x[k]));
        y[k] = x[k];
    }
}

static void only_finite_numbers_reach_a_set(void **state)
{
    ss_context *context = *state;
    const ss_set_ops picky = {.type = {.name = "picky"}, .prox = picky_prox};
    const ss_set set = {&picky, NULL, 2};
    ss_block blocks[2] = {{.set = ss_set_free(1), .dim = 1, .scale_from = -1, .scale = 1},
                          {.set = &set, .offset = 1, .dim = 2, .scale_from = 0, .scale = 1}};
    double G[9] = {1, 1e308, 1e308, 1e308, 1, 0, 1e308, 0, 1}, c[3] = {1e10, 1, 1};
    ss_inclusion *A;
    expect_ok(context, ss_inclusion_from_dense(context, 2, blocks, G, c, &A));
    ss_prox_options options = ss_default_prox();
    for (int k = 0; k < 2; k++) {
        double P[3] = {0};
        ss_solve_report report = solve(context, k ? "jorprox" : "sorprox", &options, A, P, NULL);
        assert_int_equal(report.outcome, SS_DIVERGED);
        for (int h = 0; h < 3; h++)
            assert_true(isfinite(P[h]));
    }
    ss_inclusion_destroy(A);
}

/* ---- Without a solution ---- */

static const char *const all_solvers[] = {"sorprox",
                                          "jorprox",
                                          "auto",
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

/* Every solver that takes the inclusion says that it did not solve it. */
static void expect_unsolved(ss_context *context, const build *p)
{
    int asked = 0;
    for (size_t k = 0; k < sizeof all_solvers / sizeof *all_solvers; k++) {
        double P[BUILD_ROWS] = {0}, u[BUILD_U];
        ss_solver *solver;
        ss_solve_report report;
        expect_ok(context, ss_solver_create(context, all_solvers[k], NULL, NULL, &solver));
        ss_status status = ss_solver_solve(solver, &p->inclusion, P, u, &report);
        asked += status == SS_OK;
        if (status == SS_OK && ss_outcome_accepted(report.outcome))
            fail_msg("%s: %s with residual %g, P = %g, %g", all_solvers[k],
                     ss_outcome_name(report.outcome), report.residual.value, P[0], P[1]);
        ss_solver_destroy(solver);
    }
    assert_true(asked >= 8);
}

/* A body between two walls that approach each other. */
static build *vise(const ss_set *set, double mu, bool friction)
{
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    for (int side = 0; side < 2; side++) {
        build_add_block(p, set, 1, -1);
        build_add_factor(p, 0, (double[]){0, side ? -1 : 1});
        p->b[p->inclusion.n_rows - 1] = -1;
        if (!friction)
            continue;
        build_add_block(p, ss_set_interval(), mu, p->inclusion.n_blocks - 1);
        build_add_factor(p, 0, (double[]){1, 0});
    }
    return p;
}

static void walls_that_approach(void **state)
{
    for (int friction = 0; friction < 2; friction++) {
        build *p = vise(ss_set_half_line(), 0.3, friction);
        expect_unsolved(*state, p);
        free(p);
    }
}

/* A joint and a drive that ask for different velocities. */
static void a_joint_against_a_drive(void **state)
{
    build *p = vise(ss_set_free(1), 0, false);
    expect_unsolved(*state, p);
    free(p);
}

/* An island without a solution fails; the other one, a thousand times heavier, is solved all the same. */
static void islands_fail_alone(void **state)
{
    build *p = vise(ss_set_half_line(), 0, false);
    build_add_system(p, 1, (double[]){1e-3});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 1, (double[]){1});
    p->u_free[2] = -1e6;
    expect_unsolved(*state, p);
    double P[3] = {0}, u[3];
    ss_prox_options options = ss_default_prox();
    ss_solve_report report = solve(*state, "sorprox", &options, &p->inclusion, P, u);
    assert_false(ss_outcome_accepted(report.outcome));
    assert_true(report.residual.worst_block < 2);
    expect_near(P[2], 1e9, 1);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jorprox_diverges_on_coupled_problems),
        cmocka_unit_test(the_best_iterate_is_returned),
        cmocka_unit_test(painleve),
        cmocka_unit_test(contradicting_joints),
        cmocka_unit_test(immovable_bodies),
        cmocka_unit_test(overflow),
        cmocka_unit_test(numbers_that_are_not_finite),
        cmocka_unit_test(only_finite_numbers_reach_a_set),
        cmocka_unit_test(walls_that_approach),
        cmocka_unit_test(a_joint_against_a_drive),
        cmocka_unit_test(islands_fail_alone),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
