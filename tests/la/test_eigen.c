/* Ends of spectra that are known in closed form. */
#include "la/eigen.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* y = A x with A = tridiagonal (-1, 2, -1): eigenvalues 2 - 2 cos(kπ / (n + 1)), k = 1 … n. */
static void chain(void *user, const double *x, double *y)
{
    int n = *(const int *)user;
    for (int k = 0; k < n; k++)
        y[k] = 2 * x[k] - (k > 0 ? x[k - 1] : 0) - (k + 1 < n ? x[k + 1] : 0);
}

static double chain_eigenvalue(int n, int k)
{
    return 2 - 2 * cos(k * acos(-1) / (n + 1));
}

static double *doubles(size_t count)
{
    double *memory = calloc(count + 1, sizeof *memory);
    assert_non_null(memory);
    memory[count] = 4711; /* a guard */
    return memory;
}

static void dense_chain(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n += 13) {
        double *A = doubles((size_t)(n * n)), *work = doubles(ss_eigen_dense_work(n));
        double min, max;
        for (int k = 0; k < n; k++) {
            A[k * n + k] = 2;
            if (k + 1 < n)
                A[k * n + k + 1] = -1; /* the upper triangle is enough */
        }
        assert_true(ss_eigen_dense(n, A, work, &min, &max));
        assert_true(fabs(min - chain_eigenvalue(n, 1)) < 1e-13);
        assert_true(fabs(max - chain_eigenvalue(n, n)) < 1e-13);
        assert_true(work[ss_eigen_dense_work(n)] == 4711);
        free(A);
        free(work);
    }
}

static void lanczos(int n, ss_apply_fn apply, void *user, double *min, double *max)
{
    double *work = doubles(ss_eigen_lanczos_work(n));
    assert_true(ss_eigen_lanczos(n, apply, user, work, min, max));
    assert_true(work[ss_eigen_lanczos_work(n)] == 4711);
    free(work);
}

static void lanczos_is_exact_for_a_small_matrix(void **state)
{
    (void)state;
    for (int n = 1; n <= 20; n++) {
        double min, max;
        lanczos(n, chain, &n, &min, &max);
        assert_true(fabs(min - chain_eigenvalue(n, 1)) < 1e-9);
        assert_true(fabs(max - chain_eigenvalue(n, n)) < 1e-9);
    }
}

static void lanczos_encloses_a_large_spectrum(void **state)
{
    (void)state;
    int n = 3000;
    double min, max;
    lanczos(n, chain, &n, &min, &max);
    assert_true(max >= chain_eigenvalue(n, n) && max < 1.02 * chain_eigenvalue(n, n));
    assert_true(min <= chain_eigenvalue(n, 1) && min > -.1);
}

static void twice(void *user, const double *x, double *y)
{
    for (int k = 0; k < *(const int *)user; k++)
        y[k] = 2 * x[k];
}

static void nothing(void *user, const double *x, double *y)
{
    (void)x;
    memset(y, 0, (size_t) * (const int *)user * sizeof *y);
}

static void lanczos_ends_in_an_invariant_subspace(void **state)
{
    (void)state;
    int n = 100;
    double min, max;
    lanczos(n, twice, &n, &min, &max);
    assert_true(fabs(min - 2) < 1e-12 && fabs(max - 2) < 1e-12);
    lanczos(n, nothing, &n, &min, &max);
    assert_true(min == 0 && max == 0);
}

static void poison(void *user, const double *x, double *y)
{
    twice(user, x, y);
    y[0] = NAN;
}

static void not_a_number_is_reported(void **state)
{
    (void)state;
    int n = 50;
    double min, max, *work = doubles(ss_eigen_lanczos_work(n));
    assert_false(ss_eigen_lanczos(n, poison, &n, work, &min, &max));
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_chain),
        cmocka_unit_test(lanczos_is_exact_for_a_small_matrix),
        cmocka_unit_test(lanczos_encloses_a_large_spectrum),
        cmocka_unit_test(lanczos_ends_in_an_invariant_subspace),
        cmocka_unit_test(not_a_number_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
