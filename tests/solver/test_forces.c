/* test_forces.c: which impulses, of the many. */
#include "solver/solve.h"
#include "support/allocator.h"

#include <stickslip/analysis.h>

/* A beam (mass 2, J = 1.5) on n supports at x_i under a load: u = (y', φ'). Balance of forces and
 * moments is all that the impulses obey: Σ P_i = F, Σ x_i P_i = F a. */
enum { MOST_SUPPORTS = 8 };
static const double m = 2, J = 1.5;

typedef struct beam {
    int n;
    const ss_set *set;
    double x[MOST_SUPPORTS], k[MOST_SUPPORTS], F, a;
} beam;

static build *build_beam(const beam *b)
{
    build *p = build_create();
    build_add_system(p, 2, (double[]){1 / m, 0, 0, 1 / J});
    for (int i = 0; i < b->n; i++) {
        build_add_block(p, b->set, 1, -1);
        build_add_factor(p, 0, (double[]){1, b->x[i]});
        p->blocks[i].rigidity = b->k[i];
    }
    p->u_free[0] = -b->F / m;
    p->u_free[1] = -b->F * b->a / J;
    return p;
}

static ss_solver *make(ss_context *context, const char *type, const char *forces, double compliance)
{
    ss_args *args;
    ss_solver *solver;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_text(args, "forces", forces));
    if (strcmp(forces, "regularized") == 0)
        expect_ok(context, ss_args_set_real(args, "compliance", compliance));
    expect_ok(context, ss_args_set_real(args, "tolerance", 1e-12));
    expect_ok(context, ss_solver_create(context, type, args, NULL, &solver));
    ss_args_destroy(args);
    return solver;
}

static ss_solve_report choose(ss_context *context, const char *type, const char *forces,
                              double compliance, const ss_inclusion *inclusion, double *P,
                              double *u)
{
    ss_solve_report report;
    ss_solver *solver = make(context, type, forces, compliance);
    expect_ok(context, ss_solver_solve(solver, inclusion, P, u, &report));
    assert_int_equal(report.outcome, SS_CONVERGED);
    ss_solver_destroy(solver);
    return report;
}

/* Least Σ P²/k with the two balances: P_i = k_i (α + β x_i). Supports with `off` carry nothing. */
static void least_norm(const beam *b, const bool *off, bool weighted, double *P)
{
    double S[4] = {0}, rhs[2] = {b->F, b->F * b->a};
    for (int i = 0; i < b->n; i++) {
        double k = off[i] ? 0 : weighted ? b->k[i] : 1;
        S[0] += k;
        S[1] += k * b->x[i];
        S[3] += k * b->x[i] * b->x[i];
    }
    double det = S[0] * S[3] - S[1] * S[1];
    double alpha = (rhs[0] * S[3] - rhs[1] * S[1]) / det;
    double beta = (S[0] * rhs[1] - S[1] * rhs[0]) / det;
    for (int i = 0; i < b->n; i++)
        P[i] = off[i] ? 0 : (weighted ? b->k[i] : 1) * (alpha + beta * b->x[i]);
}

static double norm_of(const beam *b, bool weighted, const double *P)
{
    double sum = 0;
    for (int i = 0; i < b->n; i++)
        sum += P[i] * P[i] / (weighted ? b->k[i] : 1);
    return sum;
}

static beam random_beam(random_state *r, const ss_set *set, double reach)
{
    beam b = {.n = 3 + random_below(r, 5), .set = set, .F = random_between(r, 1, 3)};
    for (int i = 0; i < b.n; i++) {
        b.x[i] = -1 + 2.0 * i / (b.n - 1);
        b.k[i] = random_log(r, 0.1, 10);
    }
    b.a = random_between(r, -reach, reach);
    return b;
}

/* PRP (29): constraints that never open, against the closed form. */
static void joints_have_least_norm(void **state)
{
    ss_context *context = *state;
    random_state r = {11};
    const bool off[MOST_SUPPORTS] = {false};
    for (int k = 0; k < 50; k++) {
        beam b = random_beam(&r, ss_set_free(1), 3);
        build *p = build_beam(&b);
        double P[MOST_SUPPORTS] = {0}, u[2], expected[MOST_SUPPORTS];
        bool weighted = k % 2;
        for (int i = 0; i < b.n; i++)
            P[i] = random_between(&r, -5, 5);
        ss_solve_report report =
            choose(context, k % 4 < 2 ? "sorprox" : "auto", weighted ? "weighted" : "minimum_norm",
                   1, &p->inclusion, P, u);
        assert_true(report.chosen);
        assert_int_equal(report.freedom, b.n - 2);
        least_norm(&b, off, weighted, expected);
        for (int i = 0; i < b.n; i++)
            expect_near(P[i], expected[i], 1e-9);
        free(p);
    }
}

/* PRP (35): contacts, against the best of all sets of contacts that carry nothing. */
static void contacts_have_least_norm(void **state)
{
    ss_context *context = *state;
    random_state r = {12};
    int bounded = 0;
    for (int k = 0; k < 100; k++) {
        beam b = random_beam(&r, ss_set_half_line(), 0.95);
        build *p = build_beam(&b);
        double P[MOST_SUPPORTS] = {0}, u[2], best[MOST_SUPPORTS] = {0}, least = INFINITY;
        bool weighted = k % 2;
        for (unsigned set = 0; set < 1u << b.n; set++) {
            bool off[MOST_SUPPORTS], good = true;
            double trial[MOST_SUPPORTS];
            int on = 0;
            for (int i = 0; i < b.n; i++) {
                off[i] = set >> i & 1u;
                on += !off[i];
            }
            if (on < 2)
                continue;
            least_norm(&b, off, weighted, trial);
            for (int i = 0; i < b.n; i++)
                good = good && trial[i] >= -1e-12;
            if (good && norm_of(&b, weighted, trial) < least) {
                least = norm_of(&b, weighted, trial);
                memcpy(best, trial, sizeof best);
                bounded += set != 0;
            }
        }
        ss_solve_report report = choose(context, "sorprox", weighted ? "weighted" : "minimum_norm",
                                        1, &p->inclusion, P, u);
        assert_true(report.chosen);
        for (int i = 0; i < b.n; i++)
            expect_near(P[i], best[i], 1e-8);
        free(p);
    }
    assert_true(bounded > 20);
}

/* Theorem 4.1: G + s D converges to the weighted minimum norm, with an error in proportion to s. */
static void springs_converge_to_the_weighted_norm(void **state)
{
    ss_context *context = *state;
    random_state r = {13};
    for (int k = 0; k < 10; k++) {
        beam b = random_beam(&r, ss_set_half_line(), 0.9);
        build *p = build_beam(&b);
        double limit[MOST_SUPPORTS] = {0}, u[2], error[3];
        choose(context, "sorprox", "weighted", 1, &p->inclusion, limit, u);
        for (int i = 0; i < 3; i++) {
            double P[MOST_SUPPORTS] = {0}, s = 1e-3 * pow(10, -i);
            choose(context, "auto", "regularized", s, &p->inclusion, P, u);
            error[i] = 0;
            for (int j = 0; j < b.n; j++)
                error[i] = fmax(error[i], fabs(P[j] - limit[j]));
        }
        assert_true(error[2] < 1e-3);
        expect_near(error[0] / error[1], 10, 1);
        expect_near(error[1] / error[2], 10, 1);
        free(p);
    }
}

/* Springs stiffer than the tolerance can tell: what comes out is any solution, and is called so. */
static void too_stiff_springs_are_noticed(void **state)
{
    ss_context *context = *state;
    beam b = {.n = 4, .set = ss_set_half_line(), .x = {-1, -.3, .4, 1}, .k = {1, 2, 3, 4}, .F = 2};
    build *p = build_beam(&b);
    double limit[4] = {0}, u[2];
    choose(context, "sorprox", "weighted", 1, &p->inclusion, limit, u);
    for (int i = 0; i < 16; i++) {
        double P[4] = {0}, s = pow(10, -i), error = 0;
        ss_solve_report report = choose(context, "auto", "regularized", s, &p->inclusion, P, u);
        for (int j = 0; j < b.n; j++)
            error = fmax(error, fabs(P[j] - limit[j]));
        assert_true(i > 6 || report.chosen);
        assert_true(i < 14 || !report.chosen);
        assert_true(!report.chosen || error < fmax(10 * s, 0.02));
    }
    free(p);
}

/* One spring, closed form: P = m v / (1 + s m / k). In factored and assembled form. */
static void a_spring_gives_way(void **state)
{
    ss_context *context = *state;
    beam b = {.n = 1, .set = ss_set_half_line(), .k = {4}, .F = 2 * m};
    build *p = build_beam(&b);
    ss_inclusion *assembled;
    expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &assembled));
    for (int form = 0; form < 2; form++) {
        double P[1] = {0}, u[2] = {0};
        choose(context, "sorprox", "regularized", 0.5, form ? assembled : &p->inclusion, P,
               form ? NULL : u);
        double expected = 2 * m / (1 + 0.5 * m / 4);
        expect_near(P[0], expected, 1e-10);
        if (!form)
            expect_near(u[0], -2 + expected / m, 1e-10);
    }
    ss_inclusion_destroy(assembled);
    free(p);
}

/* A slab of unit mass that moves and is pressed onto two contacts. */
static build *slab_on_two(double mu1, double mu2, double speed)
{
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    for (int i = 0; i < 2; i++) {
        build_add_block(p, ss_set_half_line(), 1, -1);
        build_add_factor(p, 0, (double[]){0, 1});
        build_add_block(p, ss_set_interval(), i ? mu2 : mu1, 2 * i);
        build_add_factor(p, 0, (double[]){1, 0});
    }
    p->u_free[0] = speed;
    p->u_free[1] = -1;
    return p;
}

/* Two contacts that stick share what friction must hold; without a choice they do not. */
static void friction_is_shared(void **state)
{
    ss_context *context = *state;
    build *p = slab_on_two(1, 0.1, 0.3);
    double P[4] = {0}, u[2];
    ss_solve_report report = choose(context, "sorprox", "minimum_norm", 1, &p->inclusion, P, u);
    assert_true(report.chosen);
    assert_int_equal(report.freedom, 2);
    /* min N1² + N2² + T1² + T2² with N1 + N2 = 1, T1 + T2 = -0.3, |T2| <= 0.1 N2: the bound is
     * active, T2 = -0.1 N2, and (1 - N2)² + N2² + (0.3 - 0.1 N2)² + (0.1 N2)² is least at 4.04 N2 = 2.06. */
    double N2 = 2.06 / 4.04;
    expect_near(P[2], N2, 1e-9);
    expect_near(P[0], 1 - N2, 1e-9);
    expect_near(P[3], -0.1 * N2, 1e-9);
    expect_near(P[1], -0.3 + 0.1 * N2, 1e-9);
    free(p);
}

/* A slab slides on two contacts with different friction: the energy after the step lies between the
 * bounds for every share of the load, and the bounds are those of all on one contact. */
static void energy_has_bounds(void **state)
{
    ss_context *context = *state;
    build *p = slab_on_two(0.5, 0.2, 3);
    static const struct {
        const char *forces;
        double speed, N1;
    } cases[] = {{"energy_min", 2.5, 1}, {"energy_max", 2.8, 0}, {"minimum_norm", 2.65, 0.5}};
    for (size_t k = 0; k < 3; k++)
        for (int first = 0; first < 5; first++) {
            double P[4] = {0.25 * first, 0, 1 - 0.25 * first, 0}, u[2];
            ss_solve_report report =
                choose(context, "sorprox", cases[k].forces, 1, &p->inclusion, P, u);
            assert_true(report.chosen);
            expect_near(u[0], cases[k].speed, 1e-10);
            expect_near(P[0], cases[k].N1, 1e-10);
        }
    free(p);
}

/* PRP 4.4: with the friction cone a sliding point lifts off, γ_N = μ γ_T: closed form. */
static void cones_lift_off(void **state)
{
    ss_context *context = *state;
    const double mu = 0.4, v = 2, fall = 0.1;
    for (int form = 0; form < 2; form++)
        for (int dim = 2; dim < 4; dim++) {
            build *p = build_create();
            build_add_system(p, 3, (double[]){0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5});
            build_add_block(p, ss_set_half_line(), 1, -1);
            build_add_factor(p, 0, (double[]){0, 0, 1});
            build_add_block(p, dim == 3 ? ss_set_disk(2) : ss_set_interval(), mu, 0);
            build_add_factor(p, 0, (double[]){1, 0, 0, 0, 1, 0});
            p->u_free[0] = v;
            p->u_free[2] = -fall;
            ss_inclusion *assembled;
            expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &assembled));
            double P[3] = {0}, u[3] = {0};
            choose(context, "sorprox", "cone_complementarity", 1, form ? assembled : &p->inclusion,
                   P, form ? NULL : u);
            double N = 2 * (fall + mu * v) / (1 + mu * mu);
            expect_near(P[0], N, 1e-10);
            expect_near(P[1], -mu * N, 1e-10);
            if (!form) {
                expect_near(u[2], mu * u[0], 1e-10);
                assert_true(u[2] > 0.5);
            }
            memset(P, 0, sizeof P);
            ss_solve_report report = choose(context, "sorprox", "any", 1, &p->inclusion, P, u);
            expect_near(u[2], 0, 1e-10); /* Coulomb's law does not */
            assert_int_equal(report.freedom, -1);
            ss_inclusion_destroy(assembled);
            free(p);
        }
}

static void cones_refuse_other_sets(void **state)
{
    ss_context *context = *state;
    build *p = build_create();
    build_add_system(p, 2, (double[]){1, 0, 0, 1});
    build_add_block(p, ss_set_free(1), 1, -1);
    build_add_factor(p, 0, (double[]){0, 1});
    build_add_block(p, ss_set_interval(), 0.3, 0);
    build_add_factor(p, 0, (double[]){1, 0});
    ss_solver *solver = make(context, "sorprox", "cone_complementarity", 1);
    ss_solve_report report;
    double P[2] = {0}, u[2];
    assert_int_equal(ss_solver_solve(solver, &p->inclusion, P, u, &report), SS_UNSUPPORTED);
    assert_non_null(strstr(ss_context_message(context), "half lines with one planar or round"));
    ss_solver_destroy(solver);
    free(p);
}

/* A unique solution is left as it is, and said to be so. */
static void unique_forces_stay(void **state)
{
    ss_context *context = *state;
    beam b = {.n = 2, .set = ss_set_half_line(), .x = {-1, 1}, .k = {1, 1}, .F = 2, .a = 0.5};
    build *p = build_beam(&b);
    double P[2] = {0}, u[2];
    ss_solve_report report = choose(context, "exact", "energy_max", 1, &p->inclusion, P, u);
    assert_int_equal(report.freedom, 0);
    assert_true(report.chosen);
    expect_near(P[0], 0.5, 1e-10);
    expect_near(P[1], 1.5, 1e-10);
    free(p);
}

static ss_status every_choice(counting_allocator *counter)
{
    static const char *const names[] = {"minimum_norm", "energy_min", "regularized",
                                        "cone_complementarity"};
    ss_context_options options = counting_options(counter);
    ss_context *context;
    SS_TRY(ss_context_create_bare(&options, &context));
    ss_status status = ss_register_builtin_sets(context);
    if (status == SS_OK)
        status = ss_register_builtin_solvers(context);
    beam b = {.n = 4, .set = ss_set_half_line(), .x = {-1, -.3, .4, 1}, .k = {1, 2, 3, 4}, .F = 2};
    build *p = build_beam(&b);
    for (size_t k = 0; status == SS_OK && k < sizeof names / sizeof *names; k++) {
        ss_args *args = NULL;
        ss_solver *solver = NULL;
        ss_solve_report report;
        double P[4] = {0}, u[2];
        status = ss_args_create(context, &args);
        if (status == SS_OK)
            status = ss_args_set_text(args, "forces", names[k]);
        if (status == SS_OK)
            status = ss_solver_create(context, "sorprox", args, NULL, &solver);
        if (status == SS_OK)
            status = ss_solver_solve(solver, &p->inclusion, P, u, &report);
        ss_solver_destroy(solver);
        if (args)
            ss_args_destroy(args);
    }
    free(p);
    ss_context_destroy(context);
    return status;
}

/* Springs and cones take the memory of the solve before. */
static void substitutes_use_their_memory_again(void **state)
{
    (void)state;
    static const char *const names[] = {"regularized", "cone_complementarity"};
    for (int k = 0; k < 2; k++) {
        counting_allocator counter = {.allowed = -1};
        ss_context_options options = counting_options(&counter);
        ss_context *context;
        ss_args *args;
        ss_solver *solver;
        ss_solve_report report;
        double P[1024] = {0}, u[64];
        long calls = 0;
        beam b = {.n = MOST_SUPPORTS, .set = ss_set_half_line(), .F = 2};
        for (int j = 0; j < b.n; j++) {
            b.x[j] = j - b.n / 2.0;
            b.k[j] = 1 + j;
        }
        build *p = build_beam(&b);
        assert_int_equal(ss_context_create_bare(&options, &context), SS_OK);
        assert_int_equal(ss_register_builtin_sets(context), SS_OK);
        assert_int_equal(ss_register_builtin_solvers(context), SS_OK);
        assert_int_equal(ss_args_create(context, &args), SS_OK);
        assert_int_equal(ss_args_set_text(args, "forces", names[k]), SS_OK);
        assert_int_equal(ss_solver_create(context, "sorprox", args, NULL, &solver), SS_OK);
        for (int i = 0; i < 5; i++) {
            calls = i == 2 ? counter.calls : calls;
            assert_int_equal(ss_solver_solve(solver, &p->inclusion, P, u, &report), SS_OK);
        }
        assert_int_equal(counter.calls, calls);
        ss_solver_destroy(solver);
        ss_args_destroy(args);
        ss_context_destroy(context);
        assert_int_equal(counter.live, 0);
        free(p);
    }
}

static void allocations_fail(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    assert_int_equal(every_choice(&counter), SS_OK);
    assert_int_equal(counter.live, 0);
    long calls = counter.calls;
    for (long k = 0; k < calls; k++) {
        counter = (counting_allocator){.allowed = k};
        assert_int_equal(every_choice(&counter), SS_MEMORY);
        assert_int_equal(counter.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(joints_have_least_norm, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(contacts_have_least_norm, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(springs_converge_to_the_weighted_norm, solve_setup,
                                        solve_teardown),
        cmocka_unit_test_setup_teardown(too_stiff_springs_are_noticed, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(a_spring_gives_way, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(friction_is_shared, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(energy_has_bounds, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(cones_lift_off, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(cones_refuse_other_sets, solve_setup, solve_teardown),
        cmocka_unit_test_setup_teardown(unique_forces_stay, solve_setup, solve_teardown),
        cmocka_unit_test(substitutes_use_their_memory_again),
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
