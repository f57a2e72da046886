/* Elementary functions against the C library's of long double, and at the ends of their ranges. */
#include "la/elementary.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Difference in units of the last place of what is right. */
static double ulps(double value, long double right)
{
    double rounded = (double)right;
    if (isnan(rounded) || isinf(rounded) || rounded == 0)
        return (isnan(rounded) && isnan(value)) || value == rounded ? 0 : INFINITY;
    int e;
    frexp(rounded, &e);
    double unit = fmax(ldexp(1, e - 53), DBL_TRUE_MIN);
    return (double)(fabsl((long double)value - right) / (long double)unit);
}

typedef struct one {
    const char *name;
    double (*ours)(double);
    long double (*right)(long double);
    double low, high; /* of |x|, drawn by decades; both signs unless low < 0 */
    bool positive;
    double most; /* ulp */
} one;

static void functions_of_one_argument(void **state)
{
    static const one list[] = {
        {"sin", ss_sin, sinl, 1e-9, 1e6, false, 1},
        {"sin", ss_sin, sinl, 1e5, 4e15, false, 1},
        {"cos", ss_cos, cosl, 1e-9, 1e6, false, 1},
        {"cos", ss_cos, cosl, 1e5, 4e15, false, 1},
        {"tan", ss_tan, tanl, 1e-9, 1e6, false, 3},
        {"exp", ss_exp, expl, 1e-12, 745, false, 1},
        {"log", ss_logarithm, logl, 1e-300, 1e300, true, 1},
        {"log", ss_logarithm, logl, 0.5, 2, true, 1},
        {"atan", ss_atan, atanl, 1e-9, 1e9, false, 2},
        {"asin", ss_asin, asinl, 1e-9, 1, false, 3},
        {"acos", ss_acos, acosl, 1e-9, 1, false, 3},
        {"sinh", ss_sinh, sinhl, 1e-9, 710, false, 3},
        {"cosh", ss_cosh, coshl, 1e-9, 710, false, 3},
        {"tanh", ss_tanh, tanhl, 1e-9, 40, false, 3},
    };
    (void)state;
    random_state random = {11};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        double worst = 0, where = 0;
        for (int i = 0; i < 100000; i++) {
            double x = random_log(&random, list[k].low, list[k].high);
            if (!list[k].positive && random_below(&random, 2))
                x = -x;
            double off = ulps(list[k].ours(x), list[k].right((long double)x));
            if (!(off <= worst)) {
                worst = off;
                where = x;
            }
        }
        if (!(worst <= list[k].most))
            fail_msg("%s(%.17g) is %.2f units off", list[k].name, where, worst);
    }
}

static void functions_of_two_arguments(void **state)
{
    (void)state;
    random_state random = {12};
    double worst[3] = {0};
    for (int i = 0; i < 100000; i++) {
        double x = random_log(&random, 1e-6, 1e6), y = random_between(&random, -40, 40);
        double whole = random_below(&random, 70) - 20;
        worst[0] = fmax(worst[0], ulps(ss_pow(x, y), powl((long double)x, (long double)y)));
        worst[0] =
            fmax(worst[0], ulps(ss_pow(-x, whole), powl((long double)-x, (long double)whole)));
        double a = random_between(&random, -1, 1), b = random_between(&random, -1, 1) * x;
        worst[1] = fmax(worst[1], ulps(ss_atan2(a, b), atan2l((long double)a, (long double)b)));
        worst[2] = fmax(worst[2], ulps(ss_hypot(a, b), hypotl((long double)a, (long double)b)));
    }
    assert_true(worst[0] <= 1);
    assert_true(worst[1] <= 3);
    assert_true(worst[2] <= 1.5);
}

/* Near multiples of π/2, where the reduction cancels most. */
static void near_multiples_of_a_right_angle(void **state)
{
    (void)state;
    for (int k = 1; k < 20000; k++) {
        double x = (double)(k * (3.14159265358979323846264338328L / 2));
        for (int side = -1; side <= 1; side++) {
            double y = side ? nextafter(x, side > 0 ? INFINITY : 0) : x;
            assert_true(ulps(ss_sin(y), sinl((long double)y)) <= 1);
            assert_true(ulps(ss_cos(y), cosl((long double)y)) <= 1);
        }
    }
}

static void same(double a, double b)
{
    if (isnan(b) ? !isnan(a) : !(a == b && !signbit(a) == !signbit(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static void ends_of_ranges(void **state)
{
    static const double ends[] = {
        0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN,
        2, -2,   3, -3, 0.5,      -0.5,      2.5, 709.78,  710,      -745.2,  -746};
    enum { N = sizeof ends / sizeof *ends };
    (void)state;
    for (int i = 0; i < N; i++) {
        double x = ends[i], s, c;
        bool huge = fabs(x) > 0x1p52 && !isinf(x);
        ss_sin_cos(x, &s, &c);
        same(s, ss_sin(x));
        same(c, ss_cos(x));
        assert_true(!huge || (fabs(s) <= 1 && fabs(c) <= 1));
        if (x == 0 || !isfinite(x)) {
            same(s, sin(x));
            same(c, cos(x));
            same(ss_tan(x), tan(x));
        }
        if (x == 0 || !isfinite(x) || fabs(x) >= 709) {
            same(ss_exp(x) < DBL_MAX && ss_exp(x) > 0 ? 1 : ss_exp(x),
                 exp(x) < DBL_MAX && exp(x) > 0 ? 1 : exp(x));
            same(ss_tanh(x), tanh(x));
            assert_true(isinf(sinh(x)) == isinf(ss_sinh(x)) && isinf(cosh(x)) == isinf(ss_cosh(x)));
        }
        if (!(x > 0) || x > DBL_MAX)
            same(ss_logarithm(x), log(x));
        if (!(fabs(x) <= 1)) {
            same(ss_asin(x), NAN);
            same(ss_acos(x), NAN);
        }
        if (x == 0 || isinf(x) || isnan(x))
            same(ss_atan(x), atan(x));
        for (int j = 0; j < N; j++) {
            double y = ends[j], p = pow(x, y);
            if (p == 0 || !isfinite(p) || fabs(p) == 1)
                same(ss_pow(x, y), p);
            if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
                same(ss_atan2(x, y), atan2(x, y));
            if (!isfinite(hypot(x, y)) || hypot(x, y) == 0)
                same(ss_hypot(x, y), hypot(x, y));
        }
    }
    same(ss_exp(0), 1);
    same(ss_logarithm(1), 0);
    same(ss_cos(0), 1);
    same(ss_pow(2, 10), 1024);
    same(ss_pow(2, -1074), DBL_TRUE_MIN);
    same(ss_atan2(1, 1), atan(1));
    same(ss_hypot(3, 4), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_one_argument),
        cmocka_unit_test(functions_of_two_arguments),
        cmocka_unit_test(near_multiples_of_a_right_angle),
        cmocka_unit_test(ends_of_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
