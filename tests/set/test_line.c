/* test_line.c: the sets of a line, and the whole space. */
#include "properties.h"

static void half_line_values(void **state)
{
    (void)state;
    static const double x[] = {-1e300, -2, -1e-300, 0, 1e-300, 3, 1e300};
    static const double plus[] = {0, 0, 0, 0, 1e-300, 3, 1e300};
    static const double minus[] = {-1e300, -2, -1e-300, 0, 0, 0, 0};
    static const double scales[] = {0, 1e-12, 1, 1e12, INFINITY};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
            double y;
            ss_set_prox(ss_set_half_line(), scales[s], &x[i], &y);
            assert_true(y == plus[i]);
            ss_set_prox(ss_set_negative_half_line(), scales[s], &x[i], &y);
            assert_true(y == minus[i]);
        }
    }
}

static void half_line_support(void **state)
{
    (void)state;
    double up = 1e-9, down = -1e-9, zero = 0;
    assert_true(ss_set_support(ss_set_half_line(), 1, &up) == INFINITY);
    assert_true(ss_set_support(ss_set_half_line(), 1, &down) == 0);
    assert_true(ss_set_support(ss_set_half_line(), INFINITY, &zero) == 0);
    assert_true(ss_set_support(ss_set_negative_half_line(), 1, &up) == 0);
    assert_true(ss_set_support(ss_set_negative_half_line(), 1, &down) == INFINITY);
}

/* Moreau: x = prox_K(x) + prox_K°(x), the two orthogonal, K° the polar cone. */
static void cones_decompose(void **state)
{
    (void)state;
    random_state r = {1};
    for (int k = 0; k < 1000; k++) {
        double x = random_sign(&r) * random_log(&r, 1e-12, 1e12), a, b;
        ss_set_prox(ss_set_half_line(), 1, &x, &a);
        ss_set_prox(ss_set_negative_half_line(), 1, &x, &b);
        assert_true(a + b == x);
        assert_true(a * b == 0);
    }
}

static void half_lines_project(void **state)
{
    (void)state;
    random_state r = {2};
    check_random_points(ss_set_half_line(), 1, 10, 1000, &r);
    check_random_points(ss_set_negative_half_line(), 1, 10, 1000, &r);
}

static void free_projects(void **state)
{
    (void)state;
    random_state r = {3};
    for (int dim = 1; dim <= 6; dim++) {
        const ss_set *set = ss_set_free(dim);
        double zero[6] = {0}, v[6] = {0};
        assert_int_equal(set->dim, dim);
        check_random_points(set, 1, 1e6, 100, &r);
        check_random_points(set, 0, 1e6, 100, &r);
        v[dim - 1] = -1e-300;
        assert_true(ss_set_support(set, 1, zero) == 0);
        assert_true(ss_set_support(set, 1, v) == INFINITY);
    }
    assert_null(ss_set_free(0));
    assert_null(ss_set_free(7));
}

static void unit_interval(void **state)
{
    (void)state;
    random_state r = {4};
    for (int k = 0; k < 1000; k++) {
        double a = random_log(&r, 1e-12, 1e12), x = a * random_between(&r, -3, 3), y;
        ss_set_prox(ss_set_interval(), a, &x, &y);
        assert_true(y == fmax(-a, fmin(x, a)));
        assert_true(ss_set_support(ss_set_interval(), a, &x) == a * fabs(x));
        check_random_points(ss_set_interval(), a, 3 * a, 10, &r);
    }
}

static ss_set *new_interval(ss_context *context, double lower, double upper)
{
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "lower", lower), SS_OK);
    assert_int_equal(ss_args_set_real(args, "upper", upper), SS_OK);
    assert_int_equal(ss_set_create(context, "interval", args, NULL, 1, &set), SS_OK);
    ss_args_destroy(args);
    return set;
}

static void any_interval(void **state)
{
    (void)state;
    random_state r = {5};
    ss_context *context = new_context();
    for (int k = 0; k < 200; k++) {
        double a = random_between(&r, -5, 5), b = random_between(&r, -5, 5);
        double lower = fmin(a, b), upper = fmax(a, b), s = random_log(&r, 1e-3, 1e3);
        ss_set *set = new_interval(context, lower, upper);
        check_random_points(set, s, 10 * s, 100, &r);
        double x = s * random_between(&r, -10, 10), y;
        ss_set_prox(set, s, &x, &y);
        assert_true(y == fmin(fmax(x, s * lower), s * upper));
        assert_true(ss_set_support(set, s, &x) == fmax(s * lower * x, s * upper * x) ||
                    fabs(ss_set_support(set, s, &x) / fmax(s * lower * x, s * upper * x) - 1) <
                        1e-15);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* One end at infinity, and the limits of the scale: never NaN. */
static void unbounded_interval(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *up = new_interval(context, -1, INFINITY), *down = new_interval(context, -INFINITY, 2);
    ss_set *all = new_interval(context, -INFINITY, INFINITY),
           *touching = new_interval(context, 0, 1);
    static const struct {
        double scale, x, up, down, all, touching;
    } cases[] = {
        {1, -5, -1, -5, -5, 0},        {1, 5, 5, 2, 5, 1},        {3, -5, -3, -5, -5, 0},
        {3, 50, 50, 6, 50, 3},         {0, -5, 0, -5, -5, 0},     {0, 5, 5, 0, 5, 0},
        {INFINITY, -5, -5, -5, -5, 0}, {INFINITY, 5, 5, 5, 5, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ss_set *sets[] = {up, down, all, touching};
        double expected[] = {cases[i].up, cases[i].down, cases[i].all, cases[i].touching};
        for (int k = 0; k < 4; k++) {
            double y, zero = 0;
            ss_set_prox(sets[k], cases[i].scale, &cases[i].x, &y);
            CHECK(y == expected[k], "case %zu, set %d: %g, not %g", i, k, y, expected[k]);
            assert_true(ss_set_contains(sets[k], cases[i].scale, &y, 0));
            assert_true(ss_set_support(sets[k], cases[i].scale, &zero) == 0);
        }
    }
    double v = 2, w = -2;
    assert_true(ss_set_support(up, 3, &v) == INFINITY);
    assert_true(ss_set_support(up, 3, &w) == 6);
    assert_true(ss_set_support(down, 3, &v) == 12);
    assert_true(ss_set_support(down, 3, &w) == INFINITY);
    ss_set_destroy(up);
    ss_set_destroy(down);
    ss_set_destroy(all);
    ss_set_destroy(touching);
    ss_context_destroy(context);
}

/* In one dimension every metric is the same. */
static void metric_of_a_line(void **state)
{
    (void)state;
    ss_context *context = new_context();
    const ss_set *sets[] = {ss_set_free(1), ss_set_half_line(), ss_set_negative_half_line(),
                            ss_set_interval()};
    random_state r = {6};
    for (int k = 0; k < 400; k++) {
        double x = random_between(&r, -3, 3), R = random_log(&r, 1e-9, 1e9), y, z;
        ss_set_prox(sets[k % 4], 1, &x, &y);
        assert_int_equal(ss_set_prox_metric(context, sets[k % 4], 1, &R, &x, &z), SS_OK);
        assert_true(y == z);
    }
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_line_values), cmocka_unit_test(half_line_support),
        cmocka_unit_test(cones_decompose),  cmocka_unit_test(half_lines_project),
        cmocka_unit_test(free_projects),    cmocka_unit_test(unit_interval),
        cmocka_unit_test(any_interval),     cmocka_unit_test(unbounded_interval),
        cmocka_unit_test(metric_of_a_line),
    };
    return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
