/* A bar on two bearings (S4.2.7.1): JORprox and SORprox, step by step. */
#include "solver/solve.h"

static const double a = .5, b = .1, m = 1, Theta = 1. / 12;
static const double loads[4][2] = {{-.6, .2}, {-1.2, -1}, {.6, 0}, {-1.2, -.15}};

static build *bar(const double *F)
{
    build *p = build_create();
    build_add_system(p, 2, (double[]){1 / m, 0, 0, 1 / Theta});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1, a});
    build_add_block(p, ss_set_half_line(), 1, -1);
    build_add_factor(p, 0, (double[]){1, b});
    p->u_free[0] = F[0] / m;
    p->u_free[1] = F[1] / Theta;
    return p;
}

/* S4.70 */
static void matrices(const double *F, double *G, double *c)
{
    double s = 1 / (m * Theta);
    G[0] = s * (Theta + m * a * a);
    G[1] = G[2] = s * (Theta + m * a * b);
    G[3] = s * (Theta + m * b * b);
    c[0] = s * (Theta * F[0] + m * a * F[1]);
    c[1] = s * (Theta * F[0] + m * b * F[1]);
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

/* The four cases of two unilateral contacts, each in closed form. */
static void closed_form(const double *G, const double *c, bool *open, double *P)
{
    double det = G[0] * G[3] - G[1] * G[2];
    double both[2] = {(-c[0] * G[3] + c[1] * G[1]) / det, (-c[1] * G[0] + c[0] * G[2]) / det};
    int found = 0;
    if (c[0] >= 0 && c[1] >= 0)
        found++, P[0] = P[1] = 0, open[0] = open[1] = true;
    if (c[0] < 0 && c[1] - G[2] * c[0] / G[0] > 0)
        found++, P[0] = -c[0] / G[0], P[1] = 0, open[0] = false, open[1] = true;
    if (c[1] < 0 && c[0] - G[1] * c[1] / G[3] > 0)
        found++, P[1] = -c[1] / G[3], P[0] = 0, open[1] = false, open[0] = true;
    if (both[0] > 0 && both[1] > 0)
        found++, P[0] = both[0], P[1] = both[1], open[0] = open[1] = false;
    assert_int_equal(found, 1);
}

static void matrices_are_those_of_the_system(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        build *p = bar(loads[k]);
        double G[4], c[2], G_dense[4], c_dense[2];
        matrices(loads[k], G, c);
        build_dense(p, G_dense, c_dense);
        for (int h = 0; h < 4; h++)
            expect_near(G_dense[h], G[h], 1e-14);
        for (int h = 0; h < 2; h++)
            expect_near(c_dense[h], c[h], 1e-14);
        free(p);
    }
}

static void four_loads(void **state)
{
    static const bool opens[4][2] = {{true, false}, {false, true}, {true, true}, {false, false}};
    ss_context *context = *state;
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-14;
    for (int k = 0; k < 8; k++) {
        build *p = bar(loads[k % 4]);
        double G[4], c[2], expected[2], P[2] = {0, 0}, u[2];
        bool open[2];
        ss_mode modes[2];
        matrices(loads[k % 4], G, c);
        closed_form(G, c, open, expected);
        ss_solve_report report =
            solve(context, k < 4 ? "sorprox" : "jorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        assert_true(report.residual.value <= 1e-14);
        ss_inclusion_modes(&p->inclusion, P, u, 1e-10, modes);
        for (int h = 0; h < 2; h++) {
            expect_near(P[h], expected[h], 1e-13);
            assert_int_equal(open[h], opens[k % 4][h]);
            assert_int_equal(modes[h], open[h] ? SS_MODE_IMPRESSED : SS_MODE_CONSTRAINT);
        }
        expect_near(u[0], (loads[k % 4][0] + P[0] + P[1]) / m, 1e-14);
        expect_near(u[1], (loads[k % 4][1] + a * P[0] + b * P[1]) / Theta, 1e-14);
        free(p);
    }
}

/* Iterates by hand: S4.30 and S4.37 with r = ω / G_hh. */
static void by_hand(bool jacobi, bool backward, double omega, const double *G, const double *c,
                    double *P)
{
    double old[2] = {P[0], P[1]};
    for (int k = 0; k < 2; k++) {
        int h = backward ? 1 - k : k;
        const double *from = jacobi ? old : P;
        double gamma = G[2 * h] * from[0] + G[2 * h + 1] * from[1] + c[h];
        P[h] = larger(0, old[h] - omega / G[3 * h] * gamma);
    }
}

static void check_trace(const solve_trace *trace, bool jacobi, ss_sweep_order order, double omega,
                        const double *F)
{
    double G[4], c[2], P[2] = {trace->P[0][0], trace->P[0][1]};
    matrices(F, G, c);
    for (int k = 1; k < trace->count; k++) {
        bool backward = order == SS_ORDER_BACKWARD || (order == SS_ORDER_SYMMETRIC && k % 2 == 0);
        by_hand(jacobi, backward, omega, G, c, P);
        for (int h = 0; h < 2; h++)
            expect_near(trace->P[k][h], P[h], 1e-13);
    }
}

static void iterates_are_those_of_the_book(void **state)
{
    ss_context *context = *state;
    solve_trace *trace = calloc(1, sizeof *trace);
    assert_non_null(trace);
    for (int k = 0; k < 4; k++)
        for (int kind = 0; kind < 4; kind++) /* JORprox, then SORprox in three orders */
            for (int form = 0; form < 2; form++) {
                build *p = bar(loads[k]);
                ss_prox_options options = ss_default_prox();
                options.relaxation = kind == 0 ? .8 : 1.2;
                options.order = kind == 0 ? SS_ORDER_FORWARD : (ss_sweep_order)(kind - 1);
                double P[2] = {1, .5}, u[2];
                ss_inclusion *A;
                expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
                ss_solve_report report =
                    solve_traced(context, kind == 0 ? "jorprox" : "sorprox", &options,
                                 form == 0 ? &p->inclusion : A, trace, P, u);
                assert_int_equal(report.outcome, SS_CONVERGED);
                assert_int_equal(trace->count, report.iterations + 1);
                assert_true(trace->count >= (k == 2 ? 2 : 3) && trace->count < 4000);
                assert_true(trace->P[0][0] == 1 && trace->P[0][1] == .5);
                assert_memory_equal(trace->P[trace->count - 1], P, sizeof P);
                check_trace(trace, kind == 0, options.order, options.relaxation, loads[k]);
                ss_inclusion_destroy(A);
                free(p);
            }
    free(trace);
}

static void every_solver_finds_the_four_cases(void **state)
{
    ss_context *context = *state;
    const ss_type *type;
    int solvers = 0;
    for (size_t n = 0; (type = ss_type_at(context, SS_TYPE_SOLVER, n)); n++)
        for (int k = 0; k < 4; k++) {
            build *p = bar(loads[k]);
            double G[4], c[2], expected[2], P[2], u[2];
            bool open[2];
            ss_solve_report report;
            matrices(loads[k], G, c);
            closed_form(G, c, open, expected);
            assert_true(solve_by_name(context, type->name, 1e-9, &p->inclusion, P, u, &report));
            assert_int_equal(report.outcome, SS_CONVERGED);
            for (int h = 0; h < 2; h++)
                expect_near(P[h], expected[h], 1e-8);
            solvers += k == 0;
            free(p);
        }
    assert_true(solvers >= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_those_of_the_system),
        cmocka_unit_test(four_loads),
        cmocka_unit_test(every_solver_finds_the_four_cases),
        cmocka_unit_test(iterates_are_those_of_the_book),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
