/* test_polygon.c: projection to convex polygons. */
#include "properties.h"

enum { MOST = 40 };

/* A convex polygon: corners of an ellipse at random angles, moved and turned. */
static int random_polygon(random_state *r, double corners[2 * MOST])
{
    int n = 3 + random_below(r, MOST - 3);
    double a = random_log(r, 0.1, 10), b = random_log(r, 0.1, 10), turn = random_between(r, 0, 6);
    double centre[2] = {random_between(r, -3, 3), random_between(r, -3, 3)};
    for (int i = 0; i < n; i++) {
        double angle = 6.283185307179586 * (i + random_between(r, 0.1, 0.9)) / n;
        double p = a * cos(angle), q = b * sin(angle);
        corners[2 * i] = centre[0] + cos(turn) * p - sin(turn) * q;
        corners[2 * i + 1] = centre[1] + sin(turn) * p + cos(turn) * q;
    }
    return n;
}

/* The nearest of all points of all sides, in long double. */
static double nearest(int n, const double *corners, double scale, const double *x, double *y)
{
    long double best = INFINITY, s = (long double)scale;
    for (int i = 0; i < n; i++) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % n);
        long double e[2], d[2], along = 0, length = 0, far = 0;
        for (int k = 0; k < 2; k++) {
            e[k] = s * ((long double)b[k] - (long double)a[k]);
            d[k] = (long double)x[k] - s * (long double)a[k];
            along += e[k] * d[k];
            length += e[k] * e[k];
        }
        long double t = fminl(fmaxl(along / length, 0), 1);
        for (int k = 0; k < 2; k++)
            far += (d[k] - t * e[k]) * (d[k] - t * e[k]);
        if (far >= best)
            continue;
        best = far;
        for (int k = 0; k < 2; k++)
            y[k] = (double)(s * (long double)a[k] + t * e[k]);
    }
    return (double)sqrtl(best);
}

/* Whether x is on the left of every side. */
static bool inside(int n, const double *corners, double scale, const double *x)
{
    for (int i = 0; i < n; i++) {
        const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % n);
        double p = x[0] - scale * a[0], q = x[1] - scale * a[1];
        if ((b[0] - a[0]) * q - (b[1] - a[1]) * p < 0)
            return false;
    }
    return true;
}

static void agrees_with_brute_force(void **state)
{
    (void)state;
    random_state r = {1};
    ss_context *context = new_context();
    for (int k = 0; k < 500; k++) {
        double corners[2 * MOST], size = 0;
        int n = random_polygon(&r, corners);
        for (int i = 0; i < 2 * n; i++)
            size = fmax(size, fabs(corners[i]));
        ss_set *set = new_set(context, "polygon", "vertices", n, 2, corners);
        for (int i = 0; i < 50; i++) {
            double s = random_log(&r, 1e-12, 1e12), reach = s * size * random_log(&r, 0.3, 100);
            double x[2] = {reach * random_normal(&r), reach * random_normal(&r)}, y[2], z[2];
            ss_set_prox(set, s, x, y);
            nearest(n, corners, s, x, z);
            if (inside(n, corners, s, x))
                assert_memory_equal(x, y, sizeof x);
            else
                CHECK(distance(2, y, z) <= 4 * DBL_EPSILON * (s * size + norm(2, x)), "%g",
                      distance(2, y, z));
        }
        check_random_points(set, 1, 20 * size, 50, &r);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* The unit square, by hand. */
static void square(void **state)
{
    (void)state;
    ss_context *context = new_context();
    double corners[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
    static const struct {
        double s, x[2], y[2];
    } cases[] = {
        {1, {3, 0.5}, {1, 0.5}},      {1, {3, 4}, {1, 1}},         {1, {-0.25, -9}, {-0.25, -1}},
        {1, {0.5, 0.5}, {0.5, 0.5}},  {2, {3, 0.5}, {2, 0.5}},     {2, {-1e12, 1e12}, {-2, 2}},
        {1, {1, 1}, {1, 1}},          {0, {3, 4}, {0, 0}},         {0, {0, 0}, {0, 0}},
        {INFINITY, {3, -4}, {3, -4}}, {1e-12, {3, 0}, {1e-12, 0}}, {1e12, {3e12, 5}, {1e12, 5}},
    };
    ss_set *set = new_set(context, "polygon", "vertices", 4, 2, corners);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double y[2];
        ss_set_prox(set, cases[i].s, cases[i].x, y);
        CHECK(y[0] == cases[i].y[0] && y[1] == cases[i].y[1], "case %zu: %g %g", i, y[0], y[1]);
    }
    assert_true(ss_set_support(set, 3, (double[2]){2, -5}) == 21);
    assert_true(ss_set_support(set, 0, (double[2]){2, -5}) == 0);
    assert_true(ss_set_support(set, INFINITY, (double[2]){0, 0}) == 0);
    assert_true(ss_set_support(set, INFINITY, (double[2]){2, -5}) == INFINITY);
    assert_true(ss_set_contains(set, 1, (double[2]){4, 5}, 5));
    assert_false(ss_set_contains(set, 1, (double[2]){4, 5}, 4.999));
    ss_set_destroy(set);
    ss_context_destroy(context);
}

/* A corner at the origin makes a cone of infinite scale. */
static void infinite_scale(void **state)
{
    (void)state;
    ss_context *context = new_context();
    double corners[6] = {0, 0, 2, 0, 0, 3}, y[2];
    ss_set *set = new_set(context, "polygon", "vertices", 3, 2, corners);
    ss_set_prox(set, INFINITY, (double[2]){5, -7}, y);
    assert_true(y[0] == 5 && y[1] == 0);
    ss_set_prox(set, INFINITY, (double[2]){-5, -7}, y);
    assert_true(y[0] == 0 && y[1] == 0);
    ss_set_prox(set, INFINITY, (double[2]){5e20, 7}, y);
    assert_true(y[0] == 5e20 && y[1] == 7);
    ss_set_destroy(set);
    ss_context_destroy(context);
}

/* Far away the nearest side is told by directions, not by distances that agree to rounding. */
static void far_points(void **state)
{
    (void)state;
    random_state r = {2};
    ss_context *context = new_context();
    double corners[2 * MOST];
    for (int k = 0; k < 200; k++) {
        int n = random_polygon(&r, corners);
        ss_set *set = new_set(context, "polygon", "vertices", n, 2, corners);
        for (double reach = 1e3; reach < 1e40; reach *= 1e3) {
            double v[2] = {random_normal(&r), random_normal(&r)}, y[2];
            double x[2] = {reach * v[0], reach * v[1]};
            double value = ss_set_support(set, 1, v), size = norm(2, v) * 20;
            ss_set_prox(set, 1, x, y);
            /* The support is reached in the limit; |y|² / reach is what is missing. */
            CHECK(fabs(dot(2, v, y) - value) <= size * (1e-14 + 1e3 / reach),
                  "reach %g: %g, not %g", reach, dot(2, v, y), value);
            check_idempotent(set, 1, x, y);
        }
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* Vertices on a straight side, exactly or to rounding, change nothing. */
static void collinear_vertices(void **state)
{
    (void)state;
    random_state r = {3};
    ss_context *context = new_context();
    double corners[2 * MOST], more[6 * MOST];
    for (int k = 0; k < 200; k++) {
        int n = random_polygon(&r, corners), m = 0;
        for (int i = 0; i < n; i++) {
            const double *a = corners + 2 * i, *b = corners + 2 * ((i + 1) % n);
            for (int j = 0; j < 3; j++, m++) {
                more[2 * m] = a[0] + (b[0] - a[0]) * j / 3;
                more[2 * m + 1] = a[1] + (b[1] - a[1]) * j / 3;
            }
        }
        ss_set *few = new_set(context, "polygon", "vertices", n, 2, corners);
        ss_set *many = new_set(context, "polygon", "vertices", m, 2, more);
        for (int i = 0; i < 50; i++) {
            double x[2] = {10 * random_normal(&r), 10 * random_normal(&r)}, y[2], z[2];
            ss_set_prox(few, 1, x, y);
            ss_set_prox(many, 1, x, z);
            CHECK(distance(2, y, z) <= 1e-14, "%g", distance(2, y, z));
        }
        ss_set_destroy(few);
        ss_set_destroy(many);
    }
    ss_context_destroy(context);
}

/* A regular polygon of many sides is nearly a disk. */
static void many_sides(void **state)
{
    (void)state;
    enum { SIDES = 1000 };
    static double corners[2 * SIDES];
    random_state r = {4};
    ss_context *context = new_context();
    for (int i = 0; i < SIDES; i++) {
        corners[2 * i] = cos(6.283185307179586 * i / SIDES);
        corners[2 * i + 1] = sin(6.283185307179586 * i / SIDES);
    }
    ss_set *set = new_set(context, "polygon", "vertices", SIDES, 2, corners);
    for (int k = 0; k < 1000; k++) {
        double x[2] = {3 * random_normal(&r), 3 * random_normal(&r)}, y[2], z[2];
        ss_set_prox(set, 1, x, y);
        ss_set_prox(ss_set_disk(2), 1, x, z);
        CHECK(distance(2, y, z) <= 0.01 && norm(2, y) <= 1 + 1e-15, "%g", distance(2, y, z));
    }
    ss_set_destroy(set);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force), cmocka_unit_test(square),
        cmocka_unit_test(infinite_scale),          cmocka_unit_test(far_points),
        cmocka_unit_test(collinear_vertices),      cmocka_unit_test(many_sides),
    };
    return cmocka_run_group_tests_name("polygon", tests, NULL, NULL);
}
