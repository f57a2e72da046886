/* solve.h: a context with sets and solvers, a solve in one call, and what a solution must
 * fulfil. */
#ifndef SS_TESTS_SOLVER_SOLVE_H
#define SS_TESTS_SOLVER_SOLVE_H

#include "base/context.h"
#include "support/build.h"
#include "support/test.h"

#include <stickslip/solver.h>

static inline int solve_setup(void **state)
{
    ss_context *context;
    if (ss_context_create_bare(NULL, &context) != SS_OK ||
        ss_register_builtin_sets(context) != SS_OK || ss_register_builtin_solvers(context) != SS_OK)
        return -1;
    *state = context;
    return 0;
}

static inline int solve_teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

static inline void expect_ok(ss_context *context, ss_status status)
{
    if (status != SS_OK)
        fail_msg("%s: %s", ss_status_name(status), ss_context_message(context));
}

static inline void expect_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

/* Planar contacts with friction in a row of bodies, the first one on the ground; a load that presses and pushes. */
static inline build *row_of_contacts(int count)
{
    build *p = build_create();
    for (int s = 0; s < count; s++) {
        build_add_system(p, 3, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 4});
        p->u_free[3 * s + 1] = -1;
        p->u_free[3 * s] = .1 * s;
    }
    for (int s = 0; s < count; s++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, s, (double[]){0, 1, .1});
        if (s > 0)
            build_add_factor(p, s - 1, (double[]){0, -1, .1});
        build_add_block(p, ss_set_interval(), .3, 2 * s);
        build_add_factor(p, s, (double[]){1, 0, .5});
        if (s > 0)
            build_add_factor(p, s - 1, (double[]){-1, 0, .5});
    }
    return p;
}

/* Every iterate of a solve. */
typedef struct solve_trace {
    int count, n_rows;
    double P[4000][8];
} solve_trace;

static inline void solve_record(void *user, int iteration, const double *P)
{
    solve_trace *trace = user;
    assert_int_equal(iteration, trace->count);
    if (trace->count < 4000)
        memcpy(trace->P[trace->count], P, (size_t)trace->n_rows * sizeof *P);
    trace->count++;
}

/* With any solver and its defaults, from zero; false when it refuses. */
static inline bool solve_by_name(ss_context *context, const char *name, double tolerance,
                                 const ss_inclusion *inclusion, double *P, double *u,
                                 ss_solve_report *report)
{
    ss_args *args;
    ss_solver *solver;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_real(args, "tolerance", tolerance));
    if (strcmp(name, "jorprox") == 0) { /* the choice that is sure to converge, singular or not */
        expect_ok(context, ss_args_set_text(args, "r", "spectral"));
        expect_ok(context, ss_args_set_real(args, "relaxation", 0.9));
    }
    expect_ok(context, ss_solver_create(context, name, args, NULL, &solver));
    memset(P, 0, (size_t)inclusion->n_rows * sizeof *P);
    ss_status status = ss_solver_solve(solver, inclusion, P, u, report);
    ss_solver_destroy(solver);
    ss_args_destroy(args);
    if (status == SS_UNSUPPORTED)
        return false;
    expect_ok(context, status);
    return true;
}

/* trace may be NULL. */
static inline ss_solve_report solve_traced(ss_context *context, const char *name,
                                           const ss_prox_options *options,
                                           const ss_inclusion *inclusion, solve_trace *trace,
                                           double *P, double *u)
{
    ss_solver *solver;
    ss_solve_report report;
    expect_ok(context, ss_solver_create_prox(context, name, options, &solver));
    if (trace) {
        trace->count = 0;
        trace->n_rows = inclusion->n_rows;
        assert_true(trace->n_rows <= 8);
        ss_solver_set_trace(solver, solve_record, trace);
    }
    expect_ok(context, ss_solver_solve(solver, inclusion, P, u, &report));
    ss_solver_destroy(solver);
    return report;
}

static inline ss_solve_report solve(ss_context *context, const char *name,
                                    const ss_prox_options *options, const ss_inclusion *inclusion,
                                    double *P, double *u)
{
    return solve_traced(context, name, options, inclusion, NULL, P, u);
}

/* x with A x = y, n × n by rows, by elimination; false when A is singular. A and y are
 * destroyed. */
static inline bool solve_dense(int n, double *A, double *y, double *x)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int h = k + 1; h < n; h++)
            if (fabs(A[h * n + k]) > fabs(A[pivot * n + k]))
                pivot = h;
        if (fabs(A[pivot * n + k]) < 1e-11)
            return false;
        for (int l = 0; l < n; l++) {
            double swap = A[k * n + l];
            A[k * n + l] = A[pivot * n + l];
            A[pivot * n + l] = swap;
        }
        double swap = y[k];
        y[k] = y[pivot];
        y[pivot] = swap;
        for (int h = k + 1; h < n; h++) {
            double factor = A[h * n + k] / A[k * n + k];
            for (int l = k; l < n; l++)
                A[h * n + l] -= factor * A[k * n + l];
            y[h] -= factor * y[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        x[k] = y[k];
        for (int l = k + 1; l < n; l++)
            x[k] -= A[k * n + l] * x[l];
        x[k] /= A[k * n + k];
    }
    return true;
}

#endif
