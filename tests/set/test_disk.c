/* test_disk.c: the round disk and ball. */
#include "properties.h"

/* x / |x| · a in long double. */
static void reference(int dim, double a, const double *x, double *y)
{
    long double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += (long double)x[i] * (long double)x[i];
    long double length = sqrtl(sum);
    for (int i = 0; i < dim; i++)
        y[i] =
            length > (long double)a ? (double)((long double)x[i] / length * (long double)a) : x[i];
}

static void agrees_with_the_formula(void **state)
{
    (void)state;
    random_state r = {1};
    for (int k = 0; k < 20000; k++) {
        int dim = 2 + k % 2;
        double a = random_log(&r, 1e-12, 1e12), size = a * random_log(&r, 1e-3, 1e12);
        double x[3], y[3], z[3];
        for (int i = 0; i < dim; i++)
            x[i] = size * random_normal(&r);
        ss_set_prox(ss_set_disk(dim), a, x, y);
        reference(dim, a, x, z);
        CHECK(distance(dim, y, z) <= 4 * DBL_EPSILON * norm(dim, z), "%g", distance(dim, y, z));
        check_projection(ss_set_disk(dim), a, x, y);
    }
}

/* No boundary point of a fine circle is nearer than the projection. */
static void agrees_with_brute_force(void **state)
{
    (void)state;
    random_state r = {2};
    for (int k = 0; k < 100; k++) {
        double x[2] = {random_between(&r, -3, 3), random_between(&r, -3, 3)}, y[2];
        ss_set_prox(ss_set_disk(2), 1, x, y);
        double best = distance(2, x, y);
        for (int i = 0; i < 4000; i++) {
            double radius = i % 2 ? 1 : random_unit(&r), angle = 6.283185307179586 * i / 4000;
            double w[2] = {radius * cos(angle), radius * sin(angle)};
            CHECK(distance(2, x, w) >= best - 1e-15, "%.17g < %.17g", distance(2, x, w), best);
            check_variational(2, x, y, w);
        }
    }
}

static void random_points(void **state)
{
    (void)state;
    random_state r = {3};
    for (int k = 0; k < 500; k++) {
        double a = random_log(&r, 1e-12, 1e12);
        check_random_points(ss_set_disk(2), a, a * random_log(&r, 0.5, 1e12), 20, &r);
        check_random_points(ss_set_disk(3), a, a * random_log(&r, 0.5, 1e12), 20, &r);
    }
}

/* Squares of these numbers overflow or underflow. */
static void extreme_lengths(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-200, 1e-155, 1e-12, 1, 1e12, 1e155, 1e200, 1e300};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            double x[3] = {2 * sizes[i], -3 * sizes[i], 6 * sizes[i]}, y[3], a = sizes[k];
            ss_set_prox(ss_set_disk(3), a, x, y);
            for (int j = 0; j < 3; j++) {
                double expected = i < k ? x[j] : x[j] / (7 * sizes[i]) * a;
                CHECK(fabs(y[j] - expected) <= 1e-15 * fabs(expected), "%g %g: %g", sizes[i], a,
                      y[j]);
            }
            assert_true(ss_set_contains(ss_set_disk(3), a, y, 0));
            assert_int_equal(ss_set_contains(ss_set_disk(3), a, x, 0), i < k);
        }
    }
}

static void limits_of_the_scale(void **state)
{
    (void)state;
    double x[3] = {3, -4, 12}, zero[3] = {0}, y[3];
    for (int dim = 2; dim <= 3; dim++) {
        const ss_set *set = ss_set_disk(dim);
        ss_set_prox(set, 0, x, y);
        assert_true(norm(dim, y) == 0);
        ss_set_prox(set, 0, zero, y);
        assert_true(norm(dim, y) == 0);
        ss_set_prox(set, INFINITY, x, y);
        assert_memory_equal(x, y, (size_t)dim * sizeof *x);
        assert_true(ss_set_contains(set, INFINITY, x, 0));
        assert_false(ss_set_contains(set, 0, x, 0));
        assert_true(ss_set_contains(set, 0, zero, 0));
        assert_true(ss_set_support(set, 0, x) == 0);
        assert_true(ss_set_support(set, INFINITY, zero) == 0);
        assert_true(ss_set_support(set, INFINITY, x) == INFINITY);
    }
    assert_true(ss_set_support(ss_set_disk(2), 2, x) == 10);
    assert_true(ss_set_support(ss_set_disk(3), 2, x) == 26);
}

static void only_plane_and_space(void **state)
{
    (void)state;
    assert_null(ss_set_disk(1));
    assert_null(ss_set_disk(4));
    assert_int_equal(ss_set_disk(2)->dim, 2);
    assert_int_equal(ss_set_disk(3)->dim, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_formula), cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(random_points),           cmocka_unit_test(extreme_lengths),
        cmocka_unit_test(limits_of_the_scale),     cmocka_unit_test(only_plane_and_space),
    };
    return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
