/* test_ellipse.c: projection to the ellipse, from round to needle. */
#include "la/elementary.h"
#include "properties.h"
#include "reference.h"

static ss_set *new_ellipse(ss_context *context, double a, double b)
{
    double axes[2] = {a, b};
    return new_set(context, "ellipse", "axes", 2, 1, axes);
}

static ss_set *new_turned_ellipse(ss_context *context, const double axes[2], double angle)
{
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_reals(args, "axes", 2, axes), SS_OK);
    assert_int_equal(ss_args_set_real(args, "angle", angle), SS_OK);
    assert_int_equal(ss_set_create(context, "ellipse", args, NULL, 2, &set), SS_OK);
    ss_args_destroy(args);
    return set;
}

/* Distance to the reference in units of |y|. */
static double error_of(const double e[2], double scale, const double x[2], const double y[2])
{
    double z[2];
    nearest_of_ellipse(e, scale, x, z);
    return distance(2, y, z) / norm(2, z);
}

static void agrees_with_reference(void **state)
{
    (void)state;
    random_state r = {1};
    ss_context *context = new_context();
    for (int k = 0; k < 2000; k++) {
        double e[2] = {random_log(&r, 0.01, 100), random_log(&r, 0.01, 100)};
        double s = random_log(&r, 1e-3, 1e3), reach = s * (e[0] + e[1]) * random_log(&r, 0.1, 1e3);
        double x[2] = {reach * random_normal(&r), reach * random_normal(&r)}, y[2];
        ss_set *set = new_ellipse(context, e[0], e[1]);
        ss_set_prox(set, s, x, y);
        double error = error_of(e, s, x, y);
        CHECK(error <= 1e-14, "axes %.17g %.17g, scale %.17g, x %.17g %.17g: %g", e[0], e[1], s,
              x[0], x[1], error);
        check_random_points(set, s, reach, 5, &r);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* No point of a finely sampled boundary, nor of the inside, is nearer. */
static void agrees_with_brute_force(void **state)
{
    (void)state;
    random_state r = {2};
    ss_context *context = new_context();
    for (int k = 0; k < 200; k++) {
        double e[2] = {random_log(&r, 0.1, 10), random_log(&r, 0.1, 10)}, y[2];
        double x[2] = {20 * random_normal(&r), 20 * random_normal(&r)};
        ss_set *set = new_ellipse(context, e[0], e[1]);
        ss_set_prox(set, 1, x, y);
        double best = distance(2, x, y), found = INFINITY;
        for (int i = 0; i < 20000; i++) {
            double angle = 6.283185307179586 * i / 20000, radius = i % 8 ? 1 : random_unit(&r);
            double w[2] = {radius * e[0] * cos(angle), radius * e[1] * sin(angle)};
            found = fmin(found, distance(2, x, w));
        }
        CHECK(best <= found * (1 + 4 * DBL_EPSILON) && found <= best + 1e-5, "%.17g, sampled %.17g",
              best, found);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* Axes, scales and points over 24 decades each. */
static void extreme_scales(void **state)
{
    (void)state;
    random_state r = {3};
    ss_context *context = new_context();
    double worst = 0;
    for (int k = 0; k < 20000; k++) {
        double e[2] = {random_log(&r, 1e-12, 1e12), random_log(&r, 1e-12, 1e12)};
        double s = random_log(&r, 1e-12, 1e12), y[2], b[2];
        double x[2] = {random_sign(&r) * random_log(&r, 1e-12, 1e12),
                       random_sign(&r) * random_log(&r, 1e-12, 1e12)};
        if (k % 2)
            for (int i = 0; i < 2; i++)
                x[i] *= s * e[i] * 1e-6;
        ss_set *set = new_ellipse(context, e[0], e[1]);
        ss_set_prox(set, s, x, y);
        double error = error_of(e, s, x, y);
        worst = fmax(worst, error);
        CHECK(error <= 1e-14, "axes %.17g %.17g, scale %.17g, x %.17g %.17g: %g", e[0], e[1], s,
              x[0], x[1], error);
        check_projection(set, s, x, y);
        for (int i = 0; i < 2; i++)
            b[i] = x[i] * random_between(&r, 0, 2);
        check_nonexpansive(set, s, x, b);
        ss_set_prox(set, s, b, b);
        check_variational(2, x, y, b);
        ss_set_destroy(set);
    }
    print_message("           worst error %.2g |y|\n", worst);
    ss_context_destroy(context);
}

/* The multiplier of the solution is a positive root of the book's fourth order polynomial (S
 * B.3). */
static void fulfils_the_quartic(void **state)
{
    (void)state;
    random_state r = {4};
    ss_context *context = new_context();
    for (int k = 0; k < 1000; k++) {
        double axes[2] = {random_log(&r, 0.1, 10), random_log(&r, 0.1, 10)}, y[2];
        double x[2] = {axes[0] * random_between(&r, 1, 9), axes[1] * random_between(&r, 0.1, 9)};
        ss_set *set = new_ellipse(context, axes[0], axes[1]);
        ss_set_prox(set, 1, x, y);
        real c2 = (real)axes[0] * (real)axes[0], d2 = (real)axes[1] * (real)axes[1];
        real p = (real)x[0] * (real)x[0], q = (real)x[1] * (real)x[1];
        real alpha = c2 / 2 * ((real)x[0] / (real)y[0] - 1);
        real a[5] = {c2 * c2 * d2 * d2 - c2 * d2 * d2 * p - c2 * c2 * d2 * q,
                     4 * (c2 * c2 * d2 + c2 * d2 * d2 - c2 * d2 * p - c2 * d2 * q),
                     4 * (c2 * c2 + 4 * c2 * d2 + d2 * d2 - c2 * p - d2 * q), 16 * (c2 + d2), 16};
        real sum = 0, size = 0, power = 1;
        for (int i = 0; i < 5; i++, power *= alpha) {
            sum += a[i] * power;
            size += fabsl(a[i] * power);
        }
        assert_true(alpha > 0);
        CHECK(fabsl(sum) <= 1e-13L * size, "%Lg of %Lg", sum, size);
        CHECK(fabs(y[1] * (double)(1 + 2 * alpha / d2) - x[1]) <= 1e-13 * x[1], "S B.5");
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* On an axis of the ellipse the answer is known, also in the evolute where the symmetry of the
 * long axis breaks for inner points (which stay). */
static void points_on_axes(void **state)
{
    (void)state;
    random_state r = {5};
    ss_context *context = new_context();
    for (int k = 0; k < 2000; k++) {
        double e[2] = {random_log(&r, 1e-12, 1e12), random_log(&r, 1e-12, 1e12)};
        double far = random_log(&r, 1 + 1e-12, 1e12), y[2];
        ss_set *set = new_ellipse(context, e[0], e[1]);
        for (int i = 0; i < 2; i++) {
            double x[2] = {0, 0};
            x[i] = random_sign(&r) * e[i] * far;
            ss_set_prox(set, 1, x, y);
            assert_true(y[1 - i] == 0);
            CHECK(fabs(y[i] - copysign(e[i], x[i])) <= 2 * DBL_EPSILON * e[i], "%.17g", y[i]);
            x[i] = e[i] * random_unit(&r);
            ss_set_prox(set, 1, x, y);
            assert_memory_equal(x, y, sizeof x);
        }
        double centre[2] = {0, 0};
        ss_set_prox(set, 1, centre, y);
        assert_memory_equal(centre, y, sizeof y);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* Points the last few bits away from the boundary move by no more than that. */
static void points_near_the_boundary(void **state)
{
    (void)state;
    random_state r = {6};
    ss_context *context = new_context();
    for (int k = 0; k < 20000; k++) {
        double e[2] = {random_log(&r, 1e-12, 1e12), random_log(&r, 1e-12, 1e12)}, y[2];
        double angle = random_between(&r, 0, 6.3),
               off = random_sign(&r) * random_log(&r, 1e-17, 1e-3);
        double x[2] = {(1 + off) * e[0] * cos(angle), (1 + off) * e[1] * sin(angle)};
        ss_set *set = new_ellipse(context, e[0], e[1]);
        ss_set_prox(set, 1, x, y);
        double moved = distance(2, x, y);
        CHECK(moved <= (fmax(off, 0) + 4 * DBL_EPSILON) * norm(2, x), "off %g moved %g of %g", off,
              moved, norm(2, x));
        CHECK(error_of(e, 1, x, y) <= 1e-14, "off %g: %g", off, error_of(e, 1, x, y));
        check_projection(set, 1, x, y);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* A nearly round ellipse, down to one bit: the disk. */
static void round_ellipse_is_a_disk(void **state)
{
    (void)state;
    random_state r = {7};
    ss_context *context = new_context();
    for (int k = 0; k < 2000; k++) {
        double s = random_log(&r, 1e-12, 1e12), y[2], z[2];
        double x[2] = {3 * s * random_normal(&r), 3 * s * random_normal(&r)};
        ss_set *set = new_ellipse(context, 1, k % 2 ? 1 : 1 + DBL_EPSILON);
        ss_set_prox(set, s, x, y);
        ss_set_prox(ss_set_disk(2), s, x, z);
        CHECK(distance(2, y, z) <= 8 * DBL_EPSILON * s, "%g", distance(2, y, z) / s);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* Turning the ellipse is turning the point the other way. */
static void turned(void **state)
{
    (void)state;
    random_state r = {8};
    ss_context *context = new_context();
    for (int k = 0; k < 3000; k++) {
        double angle = random_between(&r, -7, 7), c = ss_cos(angle), s = ss_sin(angle), y[2], z[2];
        double e[2] = {random_log(&r, 1e-6, 1e6), random_log(&r, 1e-6, 1e6)};
        double reach = (e[0] + e[1]) * random_log(&r, 0.1, 1e6);
        double x[2] = {reach * random_normal(&r), reach * random_normal(&r)};
        ss_set *set = new_turned_ellipse(context, e, angle),
               *straight = new_ellipse(context, e[0], e[1]);
        ss_set_prox(set, 1, x, y);
        double xi[2] = {c * x[0] + s * x[1], c * x[1] - s * x[0]};
        ss_set_prox(straight, 1, xi, z);
        double back[2] = {c * z[0] - s * z[1], s * z[0] + c * z[1]};
        assert_true(distance(2, y, back) <= 8 * DBL_EPSILON * norm(2, y));
        check_projection(set, 1, x, y);
        check_random_points(set, 1, reach, 3, &r);
        ss_set_destroy(set);
        ss_set_destroy(straight);
    }
    /* A quarter turn exchanges the axes. */
    ss_set *set = new_turned_ellipse(context, (double[2]){3, 1}, 1.5707963267948966);
    double x[2] = {0, 7}, y[2];
    ss_set_prox(set, 1, x, y);
    assert_true(fabs(y[0]) < 1e-15 && fabs(y[1] - 3) < 1e-15);
    ss_set_destroy(set);
    ss_context_destroy(context);
}

/* The support function against samples, and against the projection of a far point. */
static void support(void **state)
{
    (void)state;
    random_state r = {9};
    ss_context *context = new_context();
    for (int k = 0; k < 200; k++) {
        double e[2] = {random_log(&r, 0.1, 10), random_log(&r, 0.1, 10)}, sampled = 0;
        double angle = random_between(&r, -3, 3), c = cos(angle), s = sin(angle), y[2];
        double v[2] = {random_normal(&r), random_normal(&r)}, far[2] = {1e9 * v[0], 1e9 * v[1]};
        ss_set *set = new_turned_ellipse(context, e, angle);
        double value = ss_set_support(set, 2, v);
        for (int i = 0; i < 20000; i++) {
            double a = e[0] * cos(i * 3.141592653589793e-4),
                   b = e[1] * sin(i * 3.141592653589793e-4);
            sampled = fmax(sampled, 2 * ((c * a - s * b) * v[0] + (s * a + c * b) * v[1]));
        }
        CHECK(sampled <= value * (1 + 1e-14) && sampled >= value * (1 - 1e-6), "%g %g", value,
              sampled);
        ss_set_prox(set, 2, far, y);
        CHECK(fabs(dot(2, y, v) - value) <= 1e-13 * value, "%.17g %.17g", dot(2, y, v), value);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void limits_of_the_scale(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *set = new_ellipse(context, 1e-12, 1e12);
    static const double points[][2] = {{0, 0}, {1, 2}, {0, -3}, {1e150, -1e150}, {1e-150, 0}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const double *x = points[i];
        double y[2];
        ss_set_prox(set, 0, x, y);
        assert_true(y[0] == 0 && y[1] == 0);
        assert_true(ss_set_support(set, 0, x) == 0);
        assert_int_equal(ss_set_contains(set, 0, x, 0), i == 0);
        ss_set_prox(set, INFINITY, x, y);
        assert_memory_equal(x, y, sizeof y);
        assert_true(ss_set_contains(set, INFINITY, x, 0));
        assert_true(ss_set_support(set, INFINITY, x) == (i == 0 ? 0 : INFINITY));
        for (double s = 1e-300; s < 1e300; s *= 1e20) {
            ss_set_prox(set, s, x, y);
            double inside = fmax(fabs(y[0]) / (s * 1e-12), fabs(y[1]) / (s * 1e12));
            assert_true(isfinite(y[0]) && isfinite(y[1]) && inside <= 1 + 4 * DBL_EPSILON);
        }
    }
    ss_set_destroy(set);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_reference),
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(fulfils_the_quartic),
        cmocka_unit_test(points_on_axes),
        cmocka_unit_test(points_near_the_boundary),
        cmocka_unit_test(round_ellipse_is_a_disk),
        cmocka_unit_test(turned),
        cmocka_unit_test(support),
        cmocka_unit_test(limits_of_the_scale),
    };
    return cmocka_run_group_tests_name("ellipse", tests, NULL, NULL);
}
