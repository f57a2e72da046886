/* Small kernels against plain loops: the unrolled lengths must not differ from the others. */
#include "la/small.h"
#include "support/test.h"

static const double a[9] = {1, -2, 3, 5, -7, 11, 13, -17, 19};
static const double b[9] = {2, 3, -5, 7, 11, 13, -17, 19, 23};

static void dot_of_every_length(void **state)
{
    (void)state;
    double sum = 0, absolute = 0;
    for (int n = 0; n <= 9; n++) {
        assert_true(ss_dot(n, a, b) == sum);
        assert_true(ss_dot_absolute(n, a, b) == absolute);
        if (n < 9) {
            sum += a[n] * b[n];
            absolute += fabs(a[n] * b[n]);
        }
    }
}

static void axpy_of_every_length(void **state)
{
    (void)state;
    for (int n = 0; n <= 9; n++) {
        double y[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        ss_axpy(n, -3, a, y);
        for (int k = 0; k < 9; k++)
            assert_true(y[k] == k + 1 - (k < n ? 3 * a[k] : 0));
    }
}

static void norm(void **state)
{
    (void)state;
    assert_true(ss_norm(1, (double[]){-4}) == 4);
    assert_true(ss_norm(2, (double[]){3, -4}) == 5);
    assert_true(ss_norm(4, (double[]){1, -1, 1, -1}) == 2);
}

static void maximum_keeps_what_is_not_a_number(void **state)
{
    (void)state;
    assert_true(ss_max_nan(1, 2) == 2 && ss_max_nan(2, 1) == 2);
    assert_true(isnan(ss_max_nan(NAN, 1)) && isnan(ss_max_nan(1, NAN)));
    assert_false(ss_all_finite(3, (double[]){1, INFINITY, 2}));
    assert_true(ss_all_finite(2, (double[]){1, 2}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dot_of_every_length),
        cmocka_unit_test(axpy_of_every_length),
        cmocka_unit_test(norm),
        cmocka_unit_test(maximum_keeps_what_is_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
