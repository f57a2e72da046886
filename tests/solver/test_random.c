/* Random problems: against enumeration of all cases, against the laws themselves, and one form
 * against the other. */
#include "solver/solve.h"

static build *random_bodies(random_state *random, int count, int nu)
{
    build *p = build_create();
    double Minv[BUILD_NU * BUILD_NU];
    for (int s = 0; s < count; s++) {
        build_random_Minv(random, nu, .3, Minv);
        build_add_system(p, nu, Minv);
    }
    return p;
}

/* A block on one or two random systems. */
static int random_block(random_state *random, build *p, const ss_set *set, double scale,
                        int scale_from)
{
    int i = build_add_block(p, set, scale, scale_from);
    int s = random_below(random, p->n_systems);
    build_random_factor(random, p, s);
    if (p->n_systems > 1 && random_below(random, 2))
        build_random_factor(random, p, (s + 1) % p->n_systems);
    return i;
}

/* γ = G P + c */
static void gamma_of(int n, const double *G, const double *c, const double *P, double *gamma)
{
    for (int k = 0; k < n; k++) {
        gamma[k] = c[k];
        for (int l = 0; l < n; l++)
            gamma[k] += G[k * n + l] * P[l];
    }
}

/* Solves the rows in `active` for γ = 0, the others P = 0. */
static bool solve_active(int n, const double *G, const double *c, unsigned active, double *P)
{
    double A[36], y[6];
    for (int k = 0; k < n; k++) {
        bool on = active >> k & 1;
        y[k] = on ? -c[k] : 0;
        for (int l = 0; l < n; l++)
            A[k * n + l] = on ? G[k * n + l] : (k == l);
    }
    return solve_dense(n, A, y, P);
}

/* All 2ⁿ cases of unilateral contacts. */
static void enumerate_contacts(int n, const double *G, const double *c, double *P)
{
    double gamma[6];
    for (unsigned active = 0; active < 1u << n; active++) {
        if (!solve_active(n, G, c, active, P))
            continue;
        gamma_of(n, G, c, P, gamma);
        bool good = true;
        for (int k = 0; k < n; k++)
            good = good && (active >> k & 1 ? P[k] >= 0 : gamma[k] >= 0);
        if (good)
            return;
    }
    fail_msg("no case fits");
}

static void unilateral_contacts_by_enumeration(void **state)
{
    ss_context *context = *state;
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-13;
    options.max_iterations = 1000000; /* one of them has nearly parallel contacts */
    for (uint64_t seed = 1; seed <= 300; seed++) {
        random_state random = {seed};
        build *p = random_bodies(&random, 2, 4);
        int n = 1 + (int)(seed % 6);
        for (int i = 0; i < n; i++)
            random_block(&random, p, ss_set_half_line(), 1, -1);
        build_random_load(&random, p);
        double G[36], c[6], expected[6], P[6] = {0}, u[BUILD_U];
        build_dense(p, G, c);
        enumerate_contacts(n, G, c, expected);
        ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        for (int k = 0; k < n; k++)
            expect_near(P[k], expected[k], 1e-9 * (1 + fabs(expected[k])));
        free(p);
    }
}

/* More contacts than velocities: impulses are not unique, what they do is. The enumeration meets
 * a regular subset first. */
static void singular_contacts_by_enumeration(void **state)
{
    ss_context *context = *state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        random_state random = {seed};
        build *p = random_bodies(&random, 1, 3);
        for (int i = 0; i < 6; i++) {
            random_block(&random, p, ss_set_half_line(), 1, -1);
            p->W[i][1] = fabs(p->W[i][1]) + .5; /* all push up, so that there is a solution */
            p->factor_start[i + 1] = p->factor_start[i];
            build_add_factor(p, 0, (double[]){p->W[i][0], p->W[i][1], p->W[i][2]});
        }
        build_random_load(&random, p);
        double G[36], c[6], expected[6], P[6] = {0}, u[BUILD_U], gamma[6], gamma_expected[6];
        build_dense(p, G, c);
        enumerate_contacts(6, G, c, expected);
        ss_prox_options options = ss_default_prox();
        options.tolerance = 1e-12;
        ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        gamma_of(6, G, c, P, gamma);
        gamma_of(6, G, c, expected, gamma_expected);
        for (int k = 0; k < 6; k++)
            expect_near(gamma[k], gamma_expected[k], 1e-8);
        solved += expected[0] + expected[1] + expected[2] > 0;
        free(p);
    }
    assert_true(solved > 50);
}

/* Planar contacts with friction, rows N T N T …: 4ⁿ cases, open, sticking, sliding one way or the
 * other. */
static bool planar_case(int n, const double *G, const double *c, double mu, int number, double *P)
{
    double A[64] = {0}, y[8], gamma[8];
    int m = 2 * n;
    for (int i = 0, rest = number; i < n; i++, rest /= 4) {
        int N = 2 * i, T = N + 1, kind = rest % 4;
        y[N] = kind == 0 ? 0 : -c[N];
        y[T] = kind == 1 ? -c[T] : 0;
        for (int l = 0; l < m; l++) {
            A[N * m + l] = kind == 0 ? (l == N) : G[N * m + l];
            A[T * m + l] = kind == 1 ? G[T * m + l] : (l == T);
        }
        if (kind >= 2) /* P_T = ∓ µ P_N */
            A[T * m + N] = kind == 2 ? mu : -mu;
    }
    if (!solve_dense(m, A, y, P))
        return false;
    gamma_of(m, G, c, P, gamma);
    const double slack = 1e-9;
    for (int i = 0, rest = number; i < n; i++, rest /= 4) {
        int N = 2 * i, T = N + 1, kind = rest % 4;
        bool good = kind == 0   ? gamma[N] >= -slack
                    : kind == 1 ? P[N] >= -slack && fabs(P[T]) <= mu * P[N] + slack
                    : kind == 2 ? P[N] >= -slack && gamma[T] >= -slack
                                : P[N] >= -slack && gamma[T] <= slack;
        if (!good)
            return false;
    }
    return true;
}

static void planar_friction_by_enumeration(void **state)
{
    ss_context *context = *state;
    ss_prox_options options = ss_default_prox();
    options.tolerance = 1e-13;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        random_state random = {seed};
        build *p = random_bodies(&random, 2, 6);
        int n = 1 + (int)(seed % 3), cases = n == 1 ? 4 : n == 2 ? 16 : 64;
        double mu = .3, G[64], c[8], P[8] = {0}, u[BUILD_U], other[8];
        for (int i = 0; i < n; i++) {
            int N = random_block(&random, p, ss_set_half_line(), 1, -1);
            random_block(&random, p, ss_set_interval(), mu, N);
        }
        build_random_load(&random, p);
        build_dense(p, G, c);
        ss_solve_report report = solve(context, "sorprox", &options, &p->inclusion, P, u);
        assert_int_equal(report.outcome, SS_CONVERGED);
        double nearest =
            INFINITY; /* Coulomb friction may have several solutions: ours must be one of them */
        for (int k = 0; k < cases; k++) {
            if (!planar_case(n, G, c, mu, k, other))
                continue;
            double distance = 0;
            for (int l = 0; l < 2 * n; l++)
                distance = fmax(distance, fabs(P[l] - other[l]));
            nearest = fmin(nearest, distance);
        }
        expect_near(nearest, 0, 1e-9);
        free(p);
    }
}

/* The same contact with its normal turned round: P <= 0, the friction's bound is µ |P|. */
static void contacts_with_the_normal_turned_round(void **state)
{
    ss_context *context = *state;
    ss_prox_options options = ss_default_prox();
    int pressed = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double P[2][4] = {{0}}, u[BUILD_U];
        for (int turned = 0; turned < 2; turned++) {
            random_state random = {seed};
            build *p = random_bodies(&random, 2, 6);
            for (int i = 0; i < 2; i++) {
                int N = random_block(
                    &random, p, turned ? ss_set_negative_half_line() : ss_set_half_line(), 1, -1);
                random_block(&random, p, ss_set_interval(), .3, N);
            }
            build_random_load(&random, p);
            for (int N = 0; turned && N < 4; N += 2) {
                p->b[N] = -p->b[N];
                for (int f = p->factor_start[N]; f < p->factor_start[N + 1]; f++)
                    for (int k = 0; k < 6; k++) {
                        p->W[f][k] = -p->W[f][k];
                        p->MinvW[f][k] = -p->MinvW[f][k];
                    }
            }
            ss_solve_report report =
                solve(context, "sorprox", &options, &p->inclusion, P[turned], u);
            assert_int_equal(report.outcome, SS_CONVERGED);
            free(p);
        }
        for (int k = 0; k < 4; k++)
            expect_near(P[1][k], k % 2 ? P[0][k] : -P[0][k], 1e-15);
        pressed += P[0][0] > 0 && P[0][1] != 0;
    }
    assert_true(pressed > 10);
}

/* Whether -γ is in the normal cone of the set at P, told without any projection. */
static void check_law(const ss_block *B, double s, const double *axes, const double *P,
                      const double *gamma, double slack)
{
    const char *name = B->set->ops->type.name;
    if (strcmp(name, "half_line") == 0) {
        assert_true(P[0] >= 0 && gamma[0] >= -slack && fmin(P[0], gamma[0]) <= slack);
    } else if (strcmp(name, "free") == 0) {
        for (int k = 0; k < B->dim; k++)
            expect_near(gamma[k], 0, slack);
    } else if (strcmp(name, "interval") == 0) {
        assert_true(fabs(P[0]) <= s + slack);
        if (fabs(gamma[0]) > slack)
            expect_near(P[0], gamma[0] > 0 ? -s : s, slack);
    } else { /* disk and ellipse: Σ (P_k / (s a_k))² <= 1, -γ along the outer normal P_k / a_k² */
        double level = 0, n[2], length = 0, along = 0, g = 0;
        for (int k = 0; k < 2; k++) {
            level += P[k] * P[k] / (axes[k] * axes[k]);
            n[k] = P[k] / (axes[k] * axes[k]);
            length += n[k] * n[k];
            along -= n[k] * gamma[k];
            g += gamma[k] * gamma[k];
        }
        assert_true(sqrt(level) <= s + slack);
        if (sqrt(g) > slack && s > slack) {
            expect_near(sqrt(level), s, slack);
            expect_near(along / sqrt(length), sqrt(g), slack);
        }
    }
}

/* Contacts with disks and ellipses, joints, dry friction with a fixed bound. */
static build *mixed_problem(random_state *random, int bodies, int groups, const ss_set *ellipse)
{
    build *p = random_bodies(random, bodies, 6);
    for (int i = 0; i < groups; i++) {
        int N = random_block(random, p, ss_set_half_line(), 1, -1);
        if (i % 2)
            random_block(random, p, ss_set_disk(2), .3, N);
        else
            random_block(random, p, ellipse, .3, N);
        if (i % 3 == 0)
            random_block(random, p, ss_set_free(1 + i % 2), 1, -1);
        if (i % 3 == 1)
            random_block(random, p, ss_set_interval(), .2, -1);
    }
    build_random_load(random, p);
    return p;
}

static const double ellipse_axes[2] = {1.5, .6}, unit_axes[2] = {1, 1};

static ss_set *make_ellipse(ss_context *context)
{
    ss_args *args;
    ss_set *ellipse;
    expect_ok(context, ss_args_create(context, &args));
    expect_ok(context, ss_args_set_reals(args, "axes", 2, ellipse_axes));
    expect_ok(context, ss_set_create(context, "ellipse", args, NULL, 2, &ellipse));
    ss_args_destroy(args);
    return ellipse;
}

static void check_laws(const build *p, const double *G, const double *c, const double *P)
{
    int m = p->inclusion.n_rows;
    double gamma[BUILD_ROWS];
    gamma_of(m, G, c, P, gamma);
    double size = 1; /* the residual is relative to the impulses, and G is about 1 here */
    for (int k = 0; k < m; k++)
        size = fmax(size, fabs(P[k]));
    for (int i = 0; i < p->inclusion.n_blocks; i++) {
        const ss_block *B = &p->blocks[i];
        double s = B->scale_from < 0 ? B->scale : B->scale * P[p->blocks[B->scale_from].offset];
        bool ellipse = strcmp(B->set->ops->type.name, "ellipse") == 0;
        check_law(B, s, ellipse ? ellipse_axes : unit_axes, P + B->offset, gamma + B->offset,
                  1e-10 * size);
    }
}

/* Few rows on many velocities (regular) and many rows on few (singular), in both forms. */
static void mixed_problems(ss_context *context, int bodies, int groups, const char *name,
                           double r_scale)
{
    ss_set *ellipse = make_ellipse(context);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_state random = {seed};
        build *p = mixed_problem(&random, bodies, groups, ellipse);
        int m = p->inclusion.n_rows;
        double *G = calloc((size_t)(m * m), sizeof *G);
        double c[BUILD_ROWS], P[BUILD_ROWS] = {0}, Q[BUILD_ROWS] = {0}, u[BUILD_U];
        assert_non_null(G);
        build_dense(p, G, c);
        ss_prox_options options = ss_default_prox();
        options.tolerance = 1e-12;
        options.max_iterations = 200000;
        options.r_scale = r_scale;
        ss_inclusion *A;
        expect_ok(context, ss_inclusion_assemble(context, &p->inclusion, &A));
        ss_solve_report factored = solve(context, name, &options, &p->inclusion, P, u);
        ss_solve_report assembled = solve(context, name, &options, A, Q, NULL);
        assert_int_equal(factored.outcome, SS_CONVERGED);
        assert_int_equal(assembled.outcome, SS_CONVERGED);
        assert_true(ss_inclusion_residual(&p->inclusion, P, u).value <= 1e-12);
        assert_true(ss_inclusion_residual(A, P, NULL).value <= 2e-12);
        for (int k = 0; k < m; k++)
            expect_near(P[k], Q[k], 1e-9);
        check_laws(p, G, c, P);
        ss_inclusion_destroy(A);
        free(G);
        free(p);
    }
    ss_set_destroy(ellipse);
}

static void regular_mixed_problems(void **state)
{
    mixed_problems(*state, 6, 5, "sorprox", 1);
}

static void singular_mixed_problems(void **state)
{
    mixed_problems(*state, 2, 5, "sorprox", 1);
}

static void regular_mixed_problems_with_jorprox(void **state)
{
    mixed_problems(*state, 6, 5, "jorprox", .3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unilateral_contacts_by_enumeration),
        cmocka_unit_test(singular_contacts_by_enumeration),
        cmocka_unit_test(planar_friction_by_enumeration),
        cmocka_unit_test(contacts_with_the_normal_turned_round),
        cmocka_unit_test(regular_mixed_problems),
        cmocka_unit_test(singular_mixed_problems),
        cmocka_unit_test(regular_mixed_problems_with_jorprox),
    };
    return cmocka_run_group_tests(tests, solve_setup, solve_teardown);
}
