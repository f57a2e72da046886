/* test_jacobi.c: eigenvalues of small symmetric matrices. */
#include "properties.h"

#include "set/set.h"

/* A = Q diag(lambda) Qᵀ and Qᵀ Q = 1, each entry beside √(a_ii a_jj): what graded matrices
 * deserve. */
static void check(int dim, const double *A)
{
    double lambda[3], Q[9];
    ss_jacobi(dim, A, lambda, Q);
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < dim; j++) {
            double sum = 0, unit = 0;
            for (int k = 0; k < dim; k++) {
                sum += Q[i * dim + k] * lambda[k] * Q[j * dim + k];
                unit += Q[k * dim + i] * Q[k * dim + j];
            }
            double size = sqrt(A[i * dim + i] * A[j * dim + j]);
            CHECK(fabs(sum - A[i * dim + j]) <= 1e-14 * size, "entry %d %d: %g, not %g", i, j, sum,
                  A[i * dim + j]);
            CHECK(fabs(unit - (i == j)) <= 1e-15 * 8, "%g", unit);
        }
        CHECK(lambda[i] > 0, "%g", lambda[i]);
    }
}

static void random_matrices(void **state)
{
    (void)state;
    random_state r = {1};
    for (int k = 0; k < 20000; k++) {
        int dim = 1 + k % 3;
        double B[12], A[9], grade[3], span = k % 2 ? 1 : 1e12;
        for (int i = 0; i < 12; i++)
            B[i] = random_normal(&r);
        for (int i = 0; i < dim; i++)
            grade[i] = random_log(&r, 1 / span, span * 1.01);
        /* (B Bᵀ + 1/10) between the grades: well conditioned but for them. */
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++) {
                double sum = i == j ? 0.1 : 0;
                for (int l = 0; l < 4; l++)
                    sum += B[4 * i + l] * B[4 * j + l];
                A[i * dim + j] = grade[i] * sum * grade[j];
            }
        check(dim, A);
    }
}

/* Small eigenvalues to full relative accuracy: trace and determinant of a graded matrix. */
static void graded_plane(void **state)
{
    (void)state;
    double A[4] = {2, 1e-12, 1e-12, 2e-24}, lambda[2], Q[4];
    ss_jacobi(2, A, lambda, Q);
    double small = fmin(lambda[0], lambda[1]), large = fmax(lambda[0], lambda[1]);
    assert_true(fabs(large - 2) <= 1e-15);
    assert_true(fabs(small - 1.5e-24) <= 1e-39);
}

static void equal_and_diagonal(void **state)
{
    (void)state;
    double unit[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3}, lambda[3], Q[9];
    ss_jacobi(3, unit, lambda, Q);
    for (int i = 0; i < 9; i++)
        assert_true(Q[i] == (i % 4 == 0));
    for (int i = 0; i < 3; i++)
        assert_true(lambda[i] == 3);
    double ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    ss_jacobi(3, ones, lambda, Q);
    double largest = fmax(lambda[0], fmax(lambda[1], lambda[2]));
    assert_true(fabs(largest - 3) <= 1e-15 && fabs(lambda[0] + lambda[1] + lambda[2] - 3) <= 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(graded_plane),
        cmocka_unit_test(equal_and_diagonal),
    };
    return cmocka_run_group_tests_name("jacobi", tests, NULL, NULL);
}
