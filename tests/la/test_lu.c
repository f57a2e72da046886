/* Factors: the solution of random systems put back into them. */
#include "base/context.h"
#include "la/lu.h"
#include "support/random.h"
#include "support/test.h"

#include <stdlib.h>

static int setup(void **state)
{
    return ss_context_create_bare(NULL, (ss_context **)state) == SS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    ss_context_destroy(*state);
    return 0;
}

/* A band with random elements, wide enough to fill when asked to, and a few far couplings. */
typedef struct band {
    int n, *start, *column;
    double *value;
} band;

static band band_create(int n, int width)
{
    band A = {n, malloc((size_t)(n + 1) * sizeof(int)),
              malloc((size_t)n * (size_t)(2 * width + 2) * sizeof(int)),
              malloc((size_t)n * (size_t)(2 * width + 2) * sizeof(double))};
    int at = 0;
    for (int i = 0; i < n; i++) {
        A.start[i] = at;
        int low = i - width > 0 ? i - width : 0, high = i + width < n - 1 ? i + width : n - 1;
        for (int j = low; j <= high; j++)
            A.column[at++] = j;
        int far = (i * 37 + 11) % n;
        if (far > high)
            A.column[at++] = far;
    }
    A.start[n] = at;
    return A;
}

static void band_fill(band *A, random_state *random, double diagonal)
{
    for (int i = 0; i < A->n; i++)
        for (int e = A->start[i]; e < A->start[i + 1]; e++)
            A->value[e] = random_between(random, -1, 1) + (A->column[e] == i ? diagonal : 0.0);
}

static void band_free(band *A)
{
    free(A->start);
    free(A->column);
    free(A->value);
}

static void check_solution(ss_lu *lu, const band *A, random_state *random)
{
    double *x = malloc((size_t)A->n * sizeof *x), *b = malloc((size_t)A->n * sizeof *b),
           *y = malloc((size_t)A->n * sizeof *y);
    for (int i = 0; i < A->n; i++)
        x[i] = random_between(random, -1, 1);
    for (int i = 0; i < A->n; i++) {
        b[i] = 0.0;
        for (int e = A->start[i]; e < A->start[i + 1]; e++)
            b[i] += A->value[e] * x[A->column[e]];
    }
    assert_true(ss_lu_solve(lu, b, y));
    for (int i = 0; i < A->n; i++)
        assert_true(fabs(y[i] - x[i]) < 1e-8);
    free(x);
    free(b);
    free(y);
}

/* Dense, thin and filled factors; each pattern is factored several times with other numbers. */
static void solves_what_it_factored(void **state)
{
    static const int sizes[][2] = {{1, 0}, {8, 3}, {60, 30}, {300, 3}, {1200, 120}};
    random_state random = {5};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        band A = band_create(sizes[k][0], sizes[k][1]);
        ss_lu *lu;
        assert_int_equal(ss_lu_create(*state, A.n, A.start, A.column, &lu), SS_OK);
        for (int times = 0; times < 4; times++) {
            band_fill(&A, &random, times == 3 ? 0.0 : 4.0);
            if (times == 3) /* pivots must change: the diagonal vanishes */
                for (int i = 0; i < A.n; i++)
                    for (int e = A.start[i]; e < A.start[i + 1]; e++)
                        A.value[e] = A.column[e] == i           ? 1e-14
                                     : A.column[e] / 2 == i / 2 ? 3.0
                                                                : A.value[e] * 0.1;
            if (times == 3 && A.n % 2)
                continue;
            if (times == 3 && sizes[k][1] == 0)
                continue;
            assert_true(ss_lu_factor(lu, A.value));
            check_solution(lu, &A, &random);
        }
        ss_lu_destroy(lu);
        band_free(&A);
    }
}

static void says_when_singular(void **state)
{
    static const int sizes[][2] = {{6, 2}, {300, 2}};
    random_state random = {6};
    for (int k = 0; k < 2; k++) {
        band A = band_create(sizes[k][0], sizes[k][1]);
        ss_lu *lu;
        assert_int_equal(ss_lu_create(*state, A.n, A.start, A.column, &lu), SS_OK);
        band_fill(&A, &random, 4.0);
        for (int e = A.start[3]; e < A.start[4]; e++)
            A.value[e] = 0.0;
        assert_false(ss_lu_factor(lu, A.value));
        band_fill(&A, &random, 4.0);
        A.value[0] = NAN;
        assert_false(ss_lu_factor(lu, A.value));
        band_fill(&A, &random, 4.0);
        assert_true(ss_lu_factor(lu, A.value));
        check_solution(lu, &A, &random);
        ss_lu_destroy(lu);
        band_free(&A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(solves_what_it_factored, setup, teardown),
        cmocka_unit_test_setup_teardown(says_when_singular, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
