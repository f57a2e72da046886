/* What a user may choose: every set, orders, relaxation, acceleration, facets of a polygon. */
#include "solver/solve.h"

#include <stdio.h>

enum { N_SETS = 11 };

static ss_set *make_set(ss_context *context, const char *name, int dim, const char *key, int rows,
                        int columns, const double *values)
{
    ss_args *args;
    ss_set *set;
    expect_ok(context, ss_args_create(context, &args));
    if (columns > 1)
        expect_ok(context, ss_args_set_matrix(args, key, rows, columns, values));
    else if (rows > 1)
        expect_ok(context, ss_args_set_reals(args, key, rows, values));
    else if (key)
        expect_ok(context, ss_args_set_real(args, key, values[0]));
    expect_ok(context, ss_set_create(context, name, args, NULL, dim, &set));
    ss_args_destroy(args);
    return set;
}

/* One block of each kind of set with a bound of its own, on a regular G: the inclusion is
 * strictly monotone, so that P is unique. */
static build *all_sets(ss_context *context, random_state *random, ss_set **own)
{
    build *p = build_create();
    own[0] = make_set(context, "interval", 1, "lower", 1, 1, (double[]){-.2});
    own[1] = make_set(context, "ellipse", 2, "axes", 2, 1, (double[]){.6, .2});
    own[2] = make_set(context, "ellipsoid", 3, "axes", 3, 1, (double[]){.5, .5, .2});
    own[3] =
        make_set(context, "polygon", 2, "vertices", 3, 2, (double[]){-.4, -.3, .5, -.2, 0, .6});
    own[4] = make_set(context, "cone", 3, "mu", 1, 1, (double[]){.4});
    const ss_set *factors[2] = {ss_set_half_line(), ss_set_disk(2)};
    expect_ok(context, ss_set_product_create(context, 2, factors, &own[5]));
    const ss_set *sets[N_SETS] = {ss_set_free(1),
                                  ss_set_half_line(),
                                  ss_set_negative_half_line(),
                                  ss_set_disk(2),
                                  ss_set_disk(3),
                                  own[0],
                                  own[1],
                                  own[2],
                                  own[3],
                                  own[4],
                                  own[5]};
    for (int s = 0; s < 16; s++) {
        double Minv[BUILD_NU * BUILD_NU];
        build_random_Minv(random, 6, 2, Minv);
        build_add_system(p, 6, Minv);
    }
    for (int k = 0; k < N_SETS; k++) {
        build_add_block(p, sets[k], 1, -1);
        build_random_factor(random, p, k);
        build_random_factor(random, p, (k + 5) % 16);
    }
    build_random_load(random, p);
    return p;
}

static void every_set(void **state)
{
    static const char *const names[] = {"exact", "auto",  "sorprox", "jorprox",
                                        "admm",  "uzawa", "nesterov"};
    random_state random = {5};
    for (int k = 0; k < 20; k++) {
        ss_set *own[6];
        double first[BUILD_ROWS], P[BUILD_ROWS], u[BUILD_U];
        build *p = all_sets(*state, &random, own);
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            ss_solve_report report;
            assert_true(
                solve_by_name(*state, names[n], 1e-11, &p->inclusion, n ? P : first, u, &report));
            if (report.outcome != SS_CONVERGED)
                fail_msg("%s, inclusion %d: %s, residual %g", names[n], k,
                         ss_outcome_name(report.outcome), report.residual.value);
            for (int i = 0; i < p->inclusion.n_rows && n > 0; i++)
                expect_near(P[i], first[i], 1e-8);
        }
        for (int i = 0; i < 6; i++)
            ss_set_destroy(own[i]);
        free(p);
    }
}

/* Spatial contacts between bodies, little coupled. */
static build *some_contacts(random_state *random, int count)
{
    build *p = build_create();
    for (int s = 0; s < 3 * count; s++) {
        double Minv[BUILD_NU * BUILD_NU];
        build_random_Minv(random, 6, 2, Minv);
        build_add_system(p, 6, Minv);
    }
    for (int k = 0; k < 2 * count; k++) {
        build_add_block(p, k % 2 ? ss_set_disk(2) : ss_set_half_line(), k % 2 ? .1 : 1,
                        k % 2 ? k - 1 : -1);
        build_random_factor(random, p, k);
        build_random_factor(random, p, (k + 1) % (3 * count));
    }
    build_random_load(random, p);
    return p;
}

static ss_solve_report solve_with(ss_context *context, const char *name, const char *keys,
                                  const ss_inclusion *A, double *P, double *u)
{
    ss_args *args;
    ss_solver *solver;
    ss_solve_report report;
    char word[64], value[64];
    expect_ok(context, ss_args_create(context, &args));
    for (int used; sscanf(keys, " %63[^=]=%63s%n", word, value, &used) == 2; keys += used)
        expect_ok(context, ss_args_set_text(args, word, value));
    expect_ok(context, ss_solver_create(context, name, args, NULL, &solver));
    memset(P, 0, (size_t)A->n_rows * sizeof *P);
    expect_ok(context, ss_solver_solve(solver, A, P, u, &report));
    ss_solver_destroy(solver);
    ss_args_destroy(args);
    return report;
}

static void sweeps_of_every_kind(void **state)
{
    static const struct {
        const char *solver, *keys;
    } choices[] = {{"exact", "acceleration=0"},
                   {"exact", "acceleration=1"},
                   {"exact", "acceleration=20"},
                   {"exact", "order=backward"},
                   {"exact", "order=symmetric"},
                   {"exact", "relaxation=0.7"},
                   {"exact", "relaxation=1.3"},
                   {"exact", "relaxation=1.3 acceleration=0 order=backward"},
                   {"sorprox", "order=forward relaxation=1.2"},
                   {"sorprox", "order=backward"},
                   {"sorprox", "order=symmetric"},
                   {"jorprox", "r=row_sum"},
                   {"uzawa", "acceleration=0"},
                   {"uzawa", "acceleration=20"}};
    random_state random = {17};
    for (int k = 0; k < 20; k++) {
        double first[BUILD_ROWS], P[BUILD_ROWS], u[BUILD_U];
        build *p = some_contacts(&random, 6);
        solve_with(*state, "exact", "tolerance=1e-12", &p->inclusion, first, u);
        for (size_t n = 0; n < sizeof choices / sizeof *choices; n++) {
            ss_solve_report report =
                solve_with(*state, choices[n].solver, choices[n].keys, &p->inclusion, P, u);
            assert_int_equal(report.outcome, SS_CONVERGED);
            for (int i = 0; i < p->inclusion.n_rows; i++)
                expect_near(P[i], first[i], 1e-8);
        }
        free(p);
    }
}

/* Acceleration pays, over some inclusions together. */
static void acceleration_saves_iterations(void **state)
{
    static const char *const solvers[] = {"exact", "uzawa"};
    for (size_t n = 0; n < sizeof solvers / sizeof *solvers; n++) {
        random_state random = {29};
        int plain = 0, accelerated = 0;
        for (int k = 0; k < 20; k++) {
            double P[BUILD_ROWS], u[BUILD_U];
            build *p = some_contacts(&random, 6);
            const ss_inclusion *A = &p->inclusion;
            plain += solve_with(*state, solvers[n], "acceleration=0", A, P, u).iterations;
            accelerated += solve_with(*state, solvers[n], "acceleration=5", A, P, u).iterations;
            free(p);
        }
        if (accelerated >= plain)
            fail_msg("%s: %d iterations, %d without acceleration", solvers[n], accelerated, plain);
    }
}

/* P_N = 1, and sliding in the direction θ: P_T = -μ (cos θ, sin θ). On a polygon of k corners
 * friction is at the corner whose direction is nearest, not farther than the angle π / k. */
static void facets_of_the_polygon(void **state)
{
    static const double G[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu = .5, pi = 3.14159265358979323846;
    ss_block blocks[2] = {{ss_set_half_line(), 0, 1, -1, 1, 0}, {ss_set_disk(2), 1, 2, 0, .5, 0}};
    double worst_of_4 = 0;
    for (int facets = 4; facets <= 64; facets *= 2) {
        double worst = 0;
        for (int k = 0; k < 50; k++) {
            double angle = 2 * pi * (k + .3) / 50, P[3];
            double c[3] = {-1, 3 * cos(angle), 3 * sin(angle)};
            char key[32];
            ss_inclusion *A;
            expect_ok(*state, ss_inclusion_from_dense(*state, 2, blocks, G, c, &A));
            snprintf(key, sizeof key, "disk=false facets=%d", facets);
            ss_solve_report report = solve_with(*state, "lemke", key, A, P, NULL);
            assert_true(ss_outcome_accepted(report.outcome));
            expect_near(P[0], 1, 1e-12);
            worst = fmax(worst, hypot(P[1] + mu * cos(angle), P[2] + mu * sin(angle)));
            ss_inclusion_destroy(A);
        }
        assert_true(worst <= 2 * mu * sin(pi / (2 * facets)) + 1e-12);
        worst_of_4 = facets == 4 ? worst : worst_of_4;
        assert_true(facets == 4 || worst < worst_of_4);
    }
}

/* Funk's path needs fewer changes than Lemke's has pivots, and finds the same. */
static void funk_and_lemke(void **state)
{
    random_state random = {23};
    int funk_steps = 0, lemke_steps = 0;
    for (int k = 0; k < 50; k++) {
        build *p = build_create();
        double P[BUILD_ROWS], Q[BUILD_ROWS], u[BUILD_U];
        for (int s = 0; s < 6; s++) {
            double Minv[BUILD_NU * BUILD_NU];
            build_random_Minv(&random, 3, 1, Minv);
            build_add_system(p, 3, Minv);
        }
        for (int i = 0; i < 8; i++) {
            build_add_block(p, i % 2 ? ss_set_interval() : ss_set_half_line(), i % 2 ? .1 : 1,
                            i % 2 ? i - 1 : -1);
            build_random_factor(&random, p, i % 6);
            build_random_factor(&random, p, (i + 2) % 6);
        }
        build_random_load(&random, p);
        ss_solve_report funk = solve_with(*state, "funk", "tolerance=1e-12", &p->inclusion, P, u);
        ss_solve_report lemke = solve_with(*state, "lemke", "tolerance=1e-12", &p->inclusion, Q, u);
        assert_int_equal(funk.outcome, SS_CONVERGED);
        assert_int_equal(lemke.outcome, SS_CONVERGED);
        for (int i = 0; i < p->inclusion.n_rows; i++)
            expect_near(P[i], Q[i], 1e-9);
        funk_steps += funk.iterations;
        lemke_steps += lemke.iterations;
        free(p);
    }
    assert_true(funk_steps < lemke_steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set),
        cmocka_unit_test(sweeps_of_every_kind),
        cmocka_unit_test(acceleration_saves_iterations),
        cmocka_unit_test(facets_of_the_polygon),
        cmocka_unit_test(funk_and_lemke),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
