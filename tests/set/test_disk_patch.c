/* The friction of a round patch: force and torque against quadrature over the disk, and what every projection must fulfil. */
#include "properties.h"

static void assert_near(double a, double b, double within)
{
    CHECK(fabs(a - b) <= within, "%.17g, not %.17g", a, b);
}

static ss_set *new_patch(ss_context *context, double radius, const char *pressure)
{
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "radius", radius), SS_OK);
    assert_int_equal(ss_args_set_text(args, "pressure", pressure), SS_OK);
    assert_int_equal(ss_set_create(context, "disk_patch", args, NULL, 0, &set), SS_OK);
    ss_args_destroy(args);
    return set;
}

/* ∫ p |v e + ω × r| dA by the midpoint rule in r = R sin(α) and the angle. */
static double power(double v, double omega, double R, bool hertz)
{
    enum { N = 1500 };
    const double pi = 3.14159265358979324;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double alpha = (i + 0.5) * pi / 2 / N, r = sin(alpha), dr = cos(alpha) * pi / 2 / N;
        double p = hertz ? 1.5 / pi * cos(alpha) : 1 / pi, ring = 0;
        for (int j = 0; j < N; j++) {
            double angle = (j + 0.5) * 2 * pi / N;
            ring += hypot(v - omega * R * r * sin(angle), omega * R * r * cos(angle));
        }
        sum += p * r * dr * ring * 2 * pi / N;
    }
    return sum;
}

static void support_is_the_power_of_friction(void **state)
{
    (void)state;
    ss_context *context = new_context();
    const double cases[][2] = {{1, 0.3}, {1, 5},  {0.4, 9.9}, {1, 10.01},
                               {1, 12},  {1, 40}, {0.01, 3}};
    for (int hertz = 0; hertz < 2; hertz++) {
        ss_set *set = new_patch(context, 0.1, hertz ? "hertz" : "even");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            double v = cases[i][0], omega = cases[i][1], x[3] = {0.6 * v, 0.8 * v, -omega};
            double known = 2 * power(v, omega, 0.1, hertz);
            assert_near(ss_set_support(set, 2, x), known, 3e-7 * known);
        }
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* In closed form: sliding alone, drilling alone, and force = torque arm at v = R ω under Hertz's pressure. */
static void known_points(void **state)
{
    (void)state;
    const double pi = 3.14159265358979324;
    ss_context *context = new_context();
    ss_set *even = new_patch(context, 0.5, "even"), *hertz = new_patch(context, 0.5, "hertz");
    double y[3], slide[3] = {3, 4, 0}, drill[3] = {0, 0, -7};
    ss_set_prox(even, 10, slide, y);
    assert_near(y[0], 3, 0); /* |x| = 5 <= 10: inside */
    ss_set_prox(even, 2, slide, y);
    assert_near(y[0], 1.2, 1e-14);
    assert_near(y[1], 1.6, 1e-14);
    assert_near(y[2], 0, 1e-14);
    ss_set_prox(even, 3, drill, y);
    assert_near(y[2], -3 * 2.0 / 3 * 0.5, 1e-14);
    ss_set_prox(hertz, 3, drill, y);
    assert_near(y[2], -3 * 3 * pi / 16 * 0.5, 1e-14);
    double F = 9 * pi / 32, T = 0.5 * 9 * pi / 128; /* where v = R ω: the normal there is (1, 2) */
    double out[3] = {F + 1, 0, T + 2}, n[3] = {1, 0, 2};
    ss_set_prox(hertz, 1, out, y);
    assert_near(y[0], F, 1e-13);
    assert_near(y[2], T, 1e-13);
    assert_near(ss_set_support(hertz, 1, n), F + 2 * T, 1e-14);
    const double far[3] = {1e100, -1e100, 1e99}, none[3] = {0};
    ss_set_prox(even, 0, far, y);
    assert_near(norm(3, y), 0, 0);
    ss_set_prox(even, 1, none, y);
    assert_near(norm(3, y), 0, 0);
    ss_set_prox(even, INFINITY, far, y);
    assert_near(y[0], 1e100, 0);
    ss_set_destroy(even);
    ss_set_destroy(hertz);
    ss_context_destroy(context);
}

static void random_points(void **state)
{
    (void)state;
    ss_context *context = new_context();
    random_state r = {7};
    for (int k = 0; k < 400; k++) {
        double radius = random_log(&r, 1e-3, 1e3), scale = random_log(&r, 1e-2, 1e2), x[3], y[3];
        double reach = random_log(&r, 0.3, 100);
        ss_set *set = new_patch(context, radius, k % 2 ? "hertz" : "even");
        for (int i = 0; i < 3; i++)
            x[i] = reach * scale * (i == 2 ? radius : 1) * random_between(&r, -1, 1);
        ss_set_prox(set, scale, x, y);
        check_projection(set, scale, x, y);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(support_is_the_power_of_friction),
        cmocka_unit_test(known_points),
        cmocka_unit_test(random_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
