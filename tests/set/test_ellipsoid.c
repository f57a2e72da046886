/* test_ellipsoid.c: projection to the ellipsoid: three axes, Coulomb-Contensou, plates and
 * needles. */
#include "properties.h"
#include "reference.h"

static ss_set *new_ellipsoid(ss_context *context, const double e[3])
{
    return new_set(context, "ellipsoid", "axes", 3, 1, e);
}

/* Grid search and Newton's method on the sphere: knows nothing of the secular equation. */
static void agrees_with_brute_force(void **state)
{
    (void)state;
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    random_state r = {1};
    ss_context *context = new_context();
    for (int k = 0; k < 100; k++) {
        double e[3], x[3], y[3], z[3], reach = random_log(&r, 1, 100);
        for (int i = 0; i < 3; i++) {
            e[i] = random_log(&r, 0.2, 5);
            x[i] = reach * e[i] * random_sign(&r) * random_between(&r, 0.6, 1);
        }
        ss_set *set = new_ellipsoid(context, e);
        ss_set_prox(set, 1, x, y);
        assert_true(nearest_in_metric(3, e, unit, x, z));
        CHECK(distance(3, y, z) <= 1e-14 * norm(3, z), "%g", distance(3, y, z) / norm(3, z));
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void random_points(void **state)
{
    (void)state;
    random_state r = {2};
    ss_context *context = new_context();
    for (int k = 0; k < 500; k++) {
        double e[3], s = random_log(&r, 1e-3, 1e3);
        for (int i = 0; i < 3; i++)
            e[i] = random_log(&r, 0.01, 100);
        ss_set *set = new_ellipsoid(context, e);
        check_random_points(set, s, s * norm(3, e) * random_log(&r, 0.1, 1e3), 20, &r);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void extreme_scales(void **state)
{
    (void)state;
    random_state r = {3};
    ss_context *context = new_context();
    double worst = 0;
    for (int k = 0; k < 20000; k++) {
        double e[3], x[3], y[3], z[3], s = random_log(&r, 1e-12, 1e12);
        for (int i = 0; i < 3; i++) {
            e[i] = random_log(&r, 1e-12, 1e12);
            x[i] = random_sign(&r) * random_log(&r, 1e-12, 1e12) * (k % 2 ? s * e[i] * 1e-6 : 1);
            if (random_below(&r, 8) == 0)
                x[i] = 0;
        }
        ss_set *set = new_ellipsoid(context, e);
        ss_set_prox(set, s, x, y);
        nearest_of_ellipsoid(e, s, x, z);
        double error = distance(3, y, z);
        CHECK(error <= 1e-14 * norm(3, z),
              "axes %.17g %.17g %.17g, scale %.17g, x %.17g %.17g %.17g: %g", e[0], e[1], e[2], s,
              x[0], x[1], x[2], error / norm(3, z));
        worst = fmax(worst, error > 0 ? error / norm(3, z) : 0);
        check_projection(set, s, x, y);
        ss_set_destroy(set);
    }
    print_message("           worst error %.2g |y|\n", worst);
    ss_context_destroy(context);
}

/* Axes (c, c, d): the multiplier fulfils the book's polynomial (S B.8), and the plane through
 * the third axis shows an ellipse. */
static void coulomb_contensou(void **state)
{
    (void)state;
    random_state r = {4};
    ss_context *context = new_context();
    for (int k = 0; k < 1000; k++) {
        double c = random_log(&r, 0.1, 10), d = random_log(&r, 0.1, 10), y[3], z[2];
        double x[3] = {c * random_between(&r, 0.1, 9), c * random_between(&r, 0.1, 9),
                       d * random_between(&r, 1, 9)};
        ss_set *set = new_ellipsoid(context, (double[3]){c, c, d});
        ss_set_prox(set, 1, x, y);
        double radius = hypot(x[0], x[1]), flat[2] = {radius, x[2]};
        nearest_of_ellipse((double[2]){c, d}, 1, flat, z);
        double expected[3] = {z[0] * x[0] / radius, z[0] * x[1] / radius, z[1]};
        CHECK(distance(3, y, expected) <= 1e-14 * norm(3, y), "%g", distance(3, y, expected));
        real c2 = (real)c * (real)c, d2 = (real)d * (real)d, q = (real)x[2] * (real)x[2];
        real p = (real)x[0] * (real)x[0] + (real)x[1] * (real)x[1];
        real alpha = d2 / 2 * ((real)x[2] / (real)y[2] - 1);
        real a[5] = {c2 * c2 * d2 * d2 - c2 * d2 * d2 * p - c2 * c2 * d2 * q,
                     4 * (c2 * c2 * d2 + c2 * d2 * d2 - c2 * d2 * p - c2 * d2 * q),
                     4 * (c2 * c2 + 4 * c2 * d2 + d2 * d2 - c2 * p - d2 * q), 16 * (c2 + d2), 16};
        real sum = 0, size = 0, power = 1;
        for (int i = 0; i < 5; i++, power *= alpha) {
            sum += a[i] * power;
            size += fabsl(a[i] * power);
        }
        CHECK(alpha > 0 && fabsl(sum) <= 1e-13L * size, "%Lg of %Lg", sum, size);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void round_ellipsoid_is_a_ball(void **state)
{
    (void)state;
    random_state r = {5};
    ss_context *context = new_context();
    ss_set *set = new_ellipsoid(context, (double[3]){2, 2, 2});
    for (int k = 0; k < 2000; k++) {
        double s = random_log(&r, 1e-12, 1e12), x[3], y[3], z[3];
        for (int i = 0; i < 3; i++)
            x[i] = 3 * s * random_normal(&r);
        ss_set_prox(set, s, x, y);
        ss_set_prox(ss_set_disk(3), 2 * s, x, z);
        CHECK(distance(3, y, z) <= 4 * DBL_EPSILON * s, "%g", distance(3, y, z) / s);
    }
    ss_set_destroy(set);
    ss_context_destroy(context);
}

static void support(void **state)
{
    (void)state;
    random_state r = {6};
    ss_context *context = new_context();
    for (int k = 0; k < 500; k++) {
        double e[3], v[3], far[3], y[3], sampled = 0;
        for (int i = 0; i < 3; i++) {
            e[i] = random_log(&r, 0.1, 10);
            v[i] = random_normal(&r);
            far[i] = 1e9 * v[i];
        }
        ss_set *set = new_ellipsoid(context, e);
        double value = ss_set_support(set, 0.5, v);
        for (int i = 0; i < 2000; i++) {
            double w[3] = {random_normal(&r), random_normal(&r), random_normal(&r)};
            double length = norm(3, w), sum = 0;
            for (int j = 0; j < 3; j++)
                sum += 0.5 * e[j] * w[j] / length * v[j];
            sampled = fmax(sampled, sum);
        }
        CHECK(sampled <= value * (1 + 1e-14) && sampled >= 0.98 * value, "%g %g", value, sampled);
        ss_set_prox(set, 0.5, far, y);
        CHECK(fabs(dot(3, y, v) - value) <= 1e-13 * value, "%.17g %.17g", dot(3, y, v), value);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void limits_of_the_scale(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *set = new_ellipsoid(context, (double[3]){1, 1e-6, 1e6});
    double x[3] = {1, 2, -3}, zero[3] = {0}, y[3];
    ss_set_prox(set, 0, x, y);
    assert_true(norm(3, y) == 0);
    ss_set_prox(set, 0, zero, y);
    assert_true(norm(3, y) == 0);
    ss_set_prox(set, INFINITY, x, y);
    assert_memory_equal(x, y, sizeof x);
    assert_true(ss_set_support(set, 0, x) == 0);
    assert_true(ss_set_support(set, INFINITY, zero) == 0);
    ss_set_destroy(set);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(random_points),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(coulomb_contensou),
        cmocka_unit_test(round_ellipsoid_is_a_ball),
        cmocka_unit_test(support),
        cmocka_unit_test(limits_of_the_scale),
    };
    return cmocka_run_group_tests_name("ellipsoid", tests, NULL, NULL);
}
