/* Every solver that accepts an inclusion finds the same solution where there is only one, and a
 * solution where there are many. */
#include "solver/solve.h"

#include <stickslip/problem.h>

static const char *const names[] = {"sorprox",       "auto",
                                    "exact",         "interior",
                                    "alart_curnier", "fischer_burmeister",
                                    "proximal",      "woesle_pfeiffer",
                                    "admm",          "nesterov",
                                    "uzawa",         "lemke",
                                    "enumeration"};
enum { N_NAMES = sizeof names / sizeof *names };

/* What an inclusion of the test is made of. */
typedef struct recipe {
    int bilateral, half_lines, planar, spatial, elliptic, bounded;
    bool singular; /* more rows than velocities */
} recipe;

static const ss_set *ellipse;

static void add_rows(random_state *random, build *p, const ss_set *set, double scale, int from,
                     int systems)
{
    build_add_block(p, set, scale, from);
    int first = random_below(random, systems), second = random_below(random, systems);
    build_random_factor(random, p, first);
    if (second != first)
        build_random_factor(random, p, second);
}

static build *random_inclusion(random_state *random, const recipe *r)
{
    build *p = build_create();
    int rows = r->bilateral + r->half_lines + 2 * r->planar + 3 * r->spatial + 3 * r->elliptic +
               2 * r->bounded;
    int systems = r->singular ? 1 + rows / 9 : 1 + rows / 2;
    for (int s = 0; s < systems; s++) {
        double Minv[BUILD_NU * BUILD_NU];
        build_random_Minv(random, 6, 1, Minv);
        build_add_system(p, 6, Minv);
    }
    for (int k = 0; k < r->bilateral; k++)
        add_rows(random, p, ss_set_free(1), 1, -1, systems);
    for (int k = 0; k < r->half_lines; k++)
        add_rows(random, p, ss_set_half_line(), 1, -1, systems);
    for (int k = 0; k < r->bounded; k++)
        add_rows(random, p, ss_set_disk(2), random_between(random, 0, .2), -1, systems);
    for (int k = 0; k < r->planar + r->spatial + r->elliptic; k++) {
        const ss_set *set = k < r->planar                ? ss_set_interval()
                            : k < r->planar + r->spatial ? ss_set_disk(2)
                                                         : ellipse;
        add_rows(random, p, ss_set_half_line(), 1, -1, systems);
        add_rows(random, p, set, random_between(random, 0, .2), p->inclusion.n_blocks - 1, systems);
    }
    build_random_load(random, p);
    return p;
}

/* Solves with one solver; false when it refuses. */
static bool solve_with(ss_context *context, const char *name, const ss_inclusion *inclusion,
                       double tolerance, double *P, double *u, ss_solve_report *report)
{
    ss_args *args;
    ss_solver *solver;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_real(args, "tolerance", tolerance));
    expect_ok(context, ss_solver_create(context, name, args, NULL, &solver));
    memset(P, 0, BUILD_ROWS * sizeof *P);
    ss_status status = ss_solver_solve(solver, inclusion, P, u, report);
    ss_solver_destroy(solver);
    ss_args_destroy(args);
    if (status == SS_UNSUPPORTED)
        return false;
    expect_ok(context, status);
    return true;
}

/* Which solvers must solve each inclusion of a recipe, and not only agree when they do. */
static bool is_required(const char *name, const recipe *r)
{
    if (strcmp(name, "auto") == 0 || strcmp(name, "exact") == 0)
        return true;
    return strcmp(name, "proximal") == 0 && !r->singular;
}

/* An interior point method ends a little before rounding does. */
static double demand(const char *name)
{
    return strcmp(name, "interior") == 0 ? 1e-7 : INFINITY;
}

static void check_recipe(ss_context *context, const recipe *r, int count, uint64_t seed)
{
    random_state random = {seed};
    int solved[N_NAMES] = {0}, accepted[N_NAMES] = {0};
    for (int k = 0; k < count; k++) {
        build *p = random_inclusion(&random, r);
        double first[BUILD_ROWS], P[BUILD_ROWS], u[BUILD_U], u_first[BUILD_U];
        bool has_first = false;
        for (int n = 0; n < N_NAMES; n++) {
            ss_solve_report report;
            if (!solve_with(context, names[n], &p->inclusion, 1e-11, P, u, &report))
                continue;
            accepted[n]++;
            assert_true(report.residual.value <= demand(names[n]));
            if (report.outcome != SS_CONVERGED) {
                if (is_required(names[n], r))
                    fail_msg("%s, inclusion %d: %s, residual %g", names[n], k,
                             ss_outcome_words(report.outcome), report.residual.value);
                continue;
            }
            solved[n]++;
            assert_true(ss_inclusion_residual(&p->inclusion, P, u).value <= 1.001e-11);
            if (!has_first) {
                memcpy(first, P, sizeof P);
                memcpy(u_first, u, sizeof u);
                has_first = true;
            }
            for (int i = 0; i < p->inclusion.n_rows && !r->singular; i++)
                if (!(fabs(P[i] - first[i]) < 1e-8))
                    fail_msg("%s and %s differ by %g in row %d of inclusion %d", names[n], names[0],
                             fabs(P[i] - first[i]), i, k);
        }
        assert_true(has_first);
        free(p);
    }
    for (int n = 0; n < N_NAMES; n++)
        if (accepted[n])
            print_message("  %-20s %4d of %4d\n", names[n], solved[n], accepted[n]);
}

static void bilateral(void **state)
{
    check_recipe(*state, &(recipe){.bilateral = 6}, 60, 1);
}

static void unilateral(void **state)
{
    check_recipe(*state, &(recipe){.half_lines = 5, .bilateral = 1}, 60, 2);
}

static void planar(void **state)
{
    check_recipe(*state, &(recipe){.planar = 4}, 150, 3);
}

static void spatial(void **state)
{
    check_recipe(*state, &(recipe){.spatial = 5, .bilateral = 1}, 150, 4);
}

static void elliptic(void **state)
{
    ss_set *set;
    ss_args *args;
    expect_ok(*state, ss_args_create(*state, &args));
    expect_ok(*state, ss_args_set_reals(args, "axes", 2, (double[]){1.0, 0.5}));
    expect_ok(*state, ss_set_create(*state, "ellipse", args, NULL, 2, &set));
    ellipse = set;
    check_recipe(*state, &(recipe){.elliptic = 3, .bounded = 2, .bilateral = 1}, 60, 5);
    ss_set_destroy(set);
    ss_args_destroy(args);
}

static void bounded(void **state)
{
    check_recipe(*state, &(recipe){.bounded = 4, .planar = 2}, 60, 6);
}

static void singular(void **state)
{
    check_recipe(*state, &(recipe){.spatial = 9, .singular = true}, 60, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bilateral), cmocka_unit_test(unilateral), cmocka_unit_test(planar),
        cmocka_unit_test(spatial),   cmocka_unit_test(elliptic),   cmocka_unit_test(bounded),
        cmocka_unit_test(singular),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
