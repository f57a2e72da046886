/* test_impact.c: impact laws as maps (Leine & Baumann). */

#include "base/context.h"
#include "support/random.h"
#include "support/test.h"

#include <stickslip/impact.h>

#include <math.h>
#include <string.h>

enum { MOST = 5 };

static ss_context *context;

static int setup(void **state)
{
    (void)state;
    return ss_context_create_bare(NULL, &context) == SS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    ss_context_destroy(context);
    return 0;
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g", a, b);
}

/* G = A Aᵀ + 0.1 */
static void random_G(random_state *r, int n, double *G)
{
    double A[MOST * MOST];
    for (int i = 0; i < n * n; i++)
        A[i] = random_between(r, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            G[i * n + j] = i == j ? 0.1 : 0;
            for (int k = 0; k < n; k++)
                G[i * n + j] += A[i * n + k] * A[j * n + k];
        }
}

/* x = A⁻¹ y by elimination without pivoting; A is positive definite. */
static void divide(int n, const double *A, const double *y, double *x)
{
    double B[MOST * MOST];
    memcpy(B, A, (size_t)(n * n) * sizeof *B);
    memcpy(x, y, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = B[i * n + k] / B[k * n + k];
            for (int j = k; j < n; j++)
                B[i * n + j] -= f * B[k * n + j];
            x[i] -= f * x[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            x[i] -= B[i * n + j] * x[j];
        x[i] /= B[i * n + i];
    }
}

/* ‖x‖² in the metric G⁻¹. */
static double square(int n, const double *G, const double *x)
{
    double y[MOST], sum = 0;
    divide(n, G, x, y);
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static double growth(int n, const double *G, const double *epsilon, const double *gamma_1,
                     const double *gamma_2)
{
    double after_1[MOST], after_2[MOST], before[MOST], after[MOST];
    assert_int_equal(ss_impact_S(context, n, G, epsilon, gamma_1, after_1, NULL), SS_OK);
    assert_int_equal(ss_impact_S(context, n, G, epsilon, gamma_2, after_2, NULL), SS_OK);
    for (int i = 0; i < n; i++) {
        before[i] = gamma_1[i] - gamma_2[i];
        after[i] = after_1[i] - after_2[i];
    }
    return sqrt(square(n, G, after) / square(n, G, before));
}

/* The law itself: 0 <= Λ ⊥ γ⁺ + E γ⁻ >= 0, γ⁺ = γ⁻ + G Λ. */
static void S_obeys_the_law(void **state)
{
    (void)state;
    random_state r = {1};
    for (int k = 0; k < 500; k++) {
        int n = 1 + random_below(&r, MOST);
        double G[MOST * MOST], epsilon[MOST], gamma[MOST], after[MOST], Lambda[MOST];
        random_G(&r, n, G);
        for (int i = 0; i < n; i++) {
            epsilon[i] = random_unit(&r);
            gamma[i] = random_between(&r, -1, 1);
        }
        assert_int_equal(ss_impact_S(context, n, G, epsilon, gamma, after, Lambda), SS_OK);
        for (int i = 0; i < n; i++) {
            double xi = after[i] + epsilon[i] * gamma[i], sum = gamma[i];
            for (int j = 0; j < n; j++)
                sum += G[i * n + j] * Lambda[j];
            near(after[i], sum, 1e-12);
            assert_true(Lambda[i] >= 0 && xi >= -1e-11);
            near(Lambda[i] * xi, 0, 1e-10);
        }
    }
}

/* (25), (28): H gives the Λ of the impact that has this γ̄; Φ is half of what it takes out, and H
 * its gradient. */
static void H_and_Phi_belong_to_S(void **state)
{
    (void)state;
    random_state r = {2};
    for (int k = 0; k < 300; k++) {
        int n = 1 + random_below(&r, MOST);
        double G[MOST * MOST], epsilon[MOST], gamma[MOST], after[MOST], Lambda[MOST], mean[MOST];
        double found[MOST], e = random_between(&r, 0, 0.95), Phi, dissipated = 0;
        random_G(&r, n, G);
        for (int i = 0; i < n; i++) {
            epsilon[i] = e;
            gamma[i] = random_between(&r, -1, 1);
        }
        assert_int_equal(ss_impact_S(context, n, G, epsilon, gamma, after, Lambda), SS_OK);
        for (int i = 0; i < n; i++) {
            mean[i] = (gamma[i] + after[i]) / 2;
            dissipated -= mean[i] * Lambda[i];
        }
        assert_int_equal(ss_impact_H(context, n, G, e, mean, found), SS_OK);
        assert_int_equal(ss_impact_Phi(context, n, G, e, mean, &Phi), SS_OK);
        near(Phi, dissipated / 2, 1e-9 * (1 + dissipated));
        assert_true(dissipated >= -1e-12);
        for (int i = 0; i < n; i++) {
            double step = 1e-6, up, down, keep = mean[i];
            near(found[i], Lambda[i], 1e-8 * (1 + fabs(Lambda[i])));
            mean[i] = keep + step;
            assert_int_equal(ss_impact_Phi(context, n, G, e, mean, &up), SS_OK);
            mean[i] = keep - step;
            assert_int_equal(ss_impact_Phi(context, n, G, e, mean, &down), SS_OK);
            mean[i] = keep;
            near((up - down) / (2 * step), -Lambda[i], 1e-3 * (1 + fabs(Lambda[i])));
        }
    }
}

/* (27): with one coefficient Z(u) = (1 + ε) prox(u) - ε u, the prox to the feasible velocities in
 * the metric M. Three equal balls: (1, 0, 0) → (-1/3, 2/3, 2/3). */
static void Z_moves_three_balls(void **state)
{
    (void)state;
    const double Minv[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, W[6] = {-1, 0, 1, -1, 0, 1};
    const double u[3] = {1, 0, 0}, one[2] = {1, 1}, none[2] = {0, 0}, half[2] = {0.5, 0.5};
    double elastic[3], plastic[3], between[3];
    assert_int_equal(ss_impact_Z(context, 3, Minv, 2, W, one, u, elastic), SS_OK);
    assert_int_equal(ss_impact_Z(context, 3, Minv, 2, W, none, u, plastic), SS_OK);
    assert_int_equal(ss_impact_Z(context, 3, Minv, 2, W, half, u, between), SS_OK);
    near(elastic[0], -1.0 / 3, 1e-14);
    near(elastic[1], 2.0 / 3, 1e-14);
    near(elastic[2], 2.0 / 3, 1e-14);
    for (int i = 0; i < 3; i++) {
        near(plastic[i], 1.0 / 3, 1e-14);
        near(between[i], 1.5 * plastic[i] - 0.5 * u[i], 1e-14);
    }
}

/* (36) against a brute-force minimum over all sets of zero components. */
static void prox_in_the_metric(void **state)
{
    (void)state;
    random_state r = {3};
    for (int k = 0; k < 200; k++) {
        int n = 1 + random_below(&r, 3);
        double G[MOST * MOST], z[MOST], x[MOST], d[MOST], best = INFINITY, value = 0;
        random_G(&r, n, G);
        for (int i = 0; i < n; i++)
            z[i] = random_between(&r, -1, 1);
        assert_int_equal(ss_impact_prox(context, n, G, z, x), SS_OK);
        for (int trial = 0; trial < 2000; trial++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                d[i] = (trial == 0 ? x[i] : fmax(0, x[i] + 0.1 * random_normal(&r))) - z[i];
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    sum += d[i] * G[i * n + j] * d[j];
            if (trial == 0)
                value = sum;
            best = fmin(best, sum);
        }
        assert_true(value <= best + 1e-12);
        for (int i = 0; i < n; i++)
            assert_true(x[i] >= 0);
    }
}

/* Fig. 2: G = [[1, 0.9], [0.9, 1]]. With δ = (1 - ε)/(1 + ε), sym(ΔG) has the determinant
 * δ1 δ2 - 0.81 (δ1 + δ2)²/4; it vanishes where δ1/δ2 = q or 1/q, 0.81 q² - 2.38 q + 0.81 = 0. */
static void region_of_figure_2(void **state)
{
    (void)state;
    const double G[4] = {1, 0.9, 0.9, 1};
    double q = (2.38 + sqrt(2.38 * 2.38 - 4 * 0.81 * 0.81)) / (2 * 0.81);
    for (int k = 1; k < 40; k++)
        for (int side = 0; side < 2; side++)
            for (int out = 0; out < 2; out++) {
                double d1 = k / 40.0, d2 = d1 / (q * (out ? 1.001 : 0.999)), least;
                double e1 = (1 - d1) / (1 + d1), e2 = (1 - d2) / (1 + d2);
                double epsilon[2] = {side ? e2 : e1, side ? e1 : e2};
                ss_expansion expansion;
                assert_int_equal(ss_impact_monotonicity(context, 2, G, epsilon, &least), SS_OK);
                assert_int_equal(ss_impact_expansion(context, 2, G, epsilon, &expansion), SS_OK);
                assert_int_equal(least < 0, out);
                assert_int_equal(expansion.ratio > 1 + 1e-9, out);
                double found = growth(2, G, epsilon, expansion.gamma_1, expansion.gamma_2);
                near(found, expansion.ratio, 1e-7);
            }
}

/* Theorem 1 and 3 on random laws: monotone exactly when no pair of states grows apart; the
 * Lipschitz constant bounds every random pair, and its own pair attains it. */
static void monotone_means_non_expansive(void **state)
{
    (void)state;
    random_state r = {4};
    int expansive = 0;
    for (int k = 0; k < 200; k++) {
        int n = 2 + random_below(&r, 3);
        double G[MOST * MOST], epsilon[MOST], least;
        ss_expansion expansion;
        random_G(&r, n, G);
        for (int i = 0; i < n; i++)
            epsilon[i] = random_unit(&r);
        assert_int_equal(ss_impact_monotonicity(context, n, G, epsilon, &least), SS_OK);
        assert_int_equal(ss_impact_expansion(context, n, G, epsilon, &expansion), SS_OK);
        expansive += least < -1e-9;
        if (fabs(least) > 1e-9)
            assert_int_equal(least<0, expansion.ratio> 1 + 1e-12);
        near(growth(n, G, epsilon, expansion.gamma_1, expansion.gamma_2), expansion.ratio, 1e-6);
        for (int trial = 0; trial < 50; trial++) {
            double a[MOST], b[MOST];
            for (int i = 0; i < n; i++) {
                a[i] = random_normal(&r);
                b[i] = random_normal(&r);
            }
            assert_true(growth(n, G, epsilon, a, b) <= expansion.ratio + 1e-9);
        }
    }
    assert_true(expansive > 20 && expansive < 180);
}

/* Equal coefficients, and uncoupled contacts, are always monotone. */
static void special_cases_are_monotone(void **state)
{
    (void)state;
    random_state r = {5};
    for (int k = 0; k < 100; k++) {
        int n = 1 + random_below(&r, MOST);
        double G[MOST * MOST] = {0}, epsilon[MOST], least, e = random_unit(&r);
        bool uncoupled = k % 2;
        if (!uncoupled)
            random_G(&r, n, G);
        for (int i = 0; i < n; i++) {
            if (uncoupled)
                G[i * n + i] = random_log(&r, 0.1, 10);
            epsilon[i] = uncoupled ? random_unit(&r) : e;
        }
        assert_int_equal(ss_impact_monotonicity(context, n, G, epsilon, &least), SS_OK);
        assert_true(least >= -1e-14);
    }
}

static void faults_are_told(void **state)
{
    (void)state;
    const double singular[4] = {1, 1, 1, 1}, epsilon[2] = {0, 0}, gamma[2] = {-1, -1};
    double out[2];
    ss_expansion expansion;
    assert_int_equal(ss_impact_S(context, 2, singular, epsilon, gamma, out, NULL), SS_SINGULAR);
    assert_non_null(strstr(ss_context_message(context), "not positive definite"));
    assert_int_equal(ss_impact_expansion(context, 2, singular, epsilon, &expansion), SS_SINGULAR);
    assert_int_equal(ss_impact_expansion(context, 13, singular, epsilon, &expansion),
                     SS_UNSUPPORTED);
    const double G[1] = {1};
    assert_int_equal(ss_impact_H(context, 1, G, 1, gamma, out), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "set-valued"));
    assert_int_equal(ss_impact_S(context, 0, G, epsilon, gamma, out, NULL), SS_INPUT);
}

/* No map takes numbers that mean nothing. */
static void odd_numbers_are_refused(void **state)
{
    (void)state;
    const double G[4] = {2, 1, 1, 2}, skew[4] = {2, 1, 0, 2}, half[2] = {0.5, 0.5};
    const double gamma[2] = {-1, -1}, nan_gamma[2] = {-1, NAN}, Minv[1] = {1}, W[2] = {1, -1};
    const double wrong[][2] = {{0, 2}, {-0.1, 0}, {NAN, 0}, {0, INFINITY}};
    double out[2], Lambda[2], Phi, least;
    ss_expansion e;
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ss_impact_S(context, 2, G, wrong[i], gamma, out, Lambda), SS_INPUT);
        assert_int_equal(ss_impact_monotonicity(context, 2, G, wrong[i], &least), SS_INPUT);
        assert_int_equal(ss_impact_expansion(context, 2, G, wrong[i], &e), SS_INPUT);
        assert_non_null(strstr(ss_context_message(context), "it must be from 0 to 1"));
    }
    assert_int_equal(ss_impact_Z(context, 1, Minv, 1, W, wrong[2], gamma, out), SS_INPUT);
    assert_int_equal(ss_impact_S(context, 2, skew, half, gamma, out, NULL), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "not symmetric"));
    assert_int_equal(ss_impact_prox(context, 2, skew, gamma, out), SS_INPUT);
    assert_int_equal(ss_impact_H(context, 2, skew, 0.5, gamma, out), SS_INPUT);
    assert_int_equal(ss_impact_monotonicity(context, 2, skew, half, &least), SS_INPUT);
    assert_int_equal(ss_impact_expansion(context, 2, skew, half, &e), SS_INPUT);
    assert_int_equal(ss_impact_S(context, 2, G, half, nan_gamma, out, NULL), SS_NON_FINITE);
    assert_int_equal(ss_impact_prox(context, 2, G, nan_gamma, out), SS_NON_FINITE);
    assert_int_equal(ss_impact_H(context, 2, G, 0.5, nan_gamma, out), SS_NON_FINITE);
    assert_int_equal(ss_impact_Phi(context, 2, G, 0.5, nan_gamma, &Phi), SS_NON_FINITE);
    assert_int_equal(ss_impact_Z(context, 1, Minv, 1, W, half, &nan_gamma[1], out), SS_NON_FINITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(S_obeys_the_law),
        cmocka_unit_test(H_and_Phi_belong_to_S),
        cmocka_unit_test(Z_moves_three_balls),
        cmocka_unit_test(prox_in_the_metric),
        cmocka_unit_test(region_of_figure_2),
        cmocka_unit_test(monotone_means_non_expansive),
        cmocka_unit_test(special_cases_are_monotone),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(odd_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
