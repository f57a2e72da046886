/* test_metric.c: projections in the metric of a matrix R (S2.12, S4.2.5.2). */
#include "properties.h"
#include "reference.h"

/* A random rotation times diag(lambda) times its transpose. */
static void random_metric(int dim, double condition, random_state *r, double *R)
{
    double A[9], lambda[3];
    for (int i = 0; i < dim; i++) {
        double *row = A + i * dim;
        for (int j = 0; j < dim; j++)
            row[j] = random_normal(r);
        for (int k = 0; k < i; k++) {
            double along = dot(dim, row, A + k * dim);
            for (int j = 0; j < dim; j++)
                row[j] -= along * A[k * dim + j];
        }
        double length = norm(dim, row);
        for (int j = 0; j < dim; j++)
            row[j] /= length;
        lambda[i] = random_log(r, 1, condition) * 1e-3;
    }
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            R[i * dim + j] = 0;
            for (int k = 0; k < dim; k++)
                R[i * dim + j] += A[k * dim + i] * lambda[k] * A[k * dim + j];
        }
}

static double metric_dot(int dim, const double *R, const double *a, const double *b)
{
    long double sum = 0;
    for (int i = 0; i < dim * dim; i++)
        sum += (long double)a[i / dim] * (long double)R[i] * (long double)b[i % dim];
    return (double)sum;
}

/* (x - y)ᵀ R (w - y) <= 0 for w in the set. */
static void check_metric_variational(int dim, const double *R, const double *x, const double *y,
                                     const double *w)
{
    double v[3], d[3];
    for (int i = 0; i < dim; i++) {
        v[i] = x[i] - y[i];
        d[i] = w[i] - y[i];
    }
    double size = sqrt(metric_dot(dim, R, x, x)) + sqrt(metric_dot(dim, R, y, y));
    size *= size + sqrt(metric_dot(dim, R, w, w));
    CHECK(metric_dot(dim, R, v, d) <= 1e-13 * size, "%g of %g", metric_dot(dim, R, v, d), size);
}

static void check_metric(ss_context *context, const ss_set *set, double scale, const double *R,
                         const double *x, random_state *r)
{
    int dim = set->dim;
    double y[3], again[3], w[3];
    assert_int_equal(ss_set_prox_metric(context, set, scale, R, x, y), SS_OK);
    assert_true(ss_set_contains(set, scale, y, 0));
    assert_int_equal(ss_set_prox_metric(context, set, scale, R, y, again), SS_OK);
    assert_memory_equal(y, again, (size_t)dim * sizeof *y);
    memcpy(again, x, (size_t)dim * sizeof *y);
    assert_int_equal(ss_set_prox_metric(context, set, scale, R, again, again), SS_OK);
    assert_memory_equal(y, again, (size_t)dim * sizeof *y);
    for (int k = 0; k < 10; k++) {
        for (int i = 0; i < dim; i++)
            w[i] = norm(dim, x) * random_normal(r);
        ss_set_prox(set, scale, w, w);
        check_metric_variational(dim, R, x, y, w);
    }
}

static void disk_agrees_with_brute_force(void **state)
{
    (void)state;
    static const double ones[3] = {1, 1, 1};
    random_state r = {1};
    ss_context *context = new_context();
    for (int k = 0; k < 200; k++) {
        int dim = 2 + k % 2;
        double R[9], x[3], y[3], z[3], reach = random_log(&r, 1.8, 50);
        random_metric(dim, 100, &r, R);
        for (int i = 0; i < dim; i++)
            x[i] = reach * random_sign(&r) * random_between(&r, 0.7, 1);
        assert_int_equal(ss_set_prox_metric(context, ss_set_disk(dim), 1, R, x, y), SS_OK);
        assert_true(nearest_in_metric(dim, ones, R, x, z));
        CHECK(distance(dim, y, z) <= 2e-14, "dim %d: %g", dim, distance(dim, y, z));
    }
    ss_context_destroy(context);
}

/* Well and badly conditioned metrics. */
static void disk_random(void **state)
{
    (void)state;
    random_state r = {2};
    ss_context *context = new_context();
    for (int k = 0; k < 3000; k++) {
        int dim = 2 + k % 2;
        double R[9], x[3], s = random_log(&r, 1e-12, 1e12), reach = s * random_log(&r, 0.3, 1e6);
        random_metric(dim, k % 3 ? 1e3 : 1e12, &r, R);
        for (int i = 0; i < dim; i++)
            x[i] = reach * random_normal(&r);
        check_metric(context, ss_set_disk(dim), s, R, x, &r);
    }
    ss_context_destroy(context);
}

/* S4.66, S4.67 in the plane with G = diag(1, 4): the first row of x = (G + μ I)⁻¹ G ξ gives μ,
 * and ξ follows. */
static void disk_known_values(void **state)
{
    (void)state;
    ss_context *context = new_context();
    double G[4] = {1, 0, 0, 4}, y[2];
    for (double mu = 0.125; mu < 100; mu *= 2) {
        double x[2] = {0.6 * (1 + mu), 0.8 * (4 + mu) / 4};
        assert_int_equal(ss_set_prox_metric(context, ss_set_disk(2), 1, G, x, y), SS_OK);
        CHECK(fabs(y[0] - 0.6) <= 1e-15 && fabs(y[1] - 0.8) <= 1e-15, "%.17g %.17g", y[0], y[1]);
    }
    ss_context_destroy(context);
}

/* Multiples of the unit matrix change nothing. */
static void unit_metric_is_euclidean(void **state)
{
    (void)state;
    random_state r = {3};
    ss_context *context = new_context();
    double corners[8] = {1, 0, 0, 2, -1, 0, 0, -0.5};
    ss_set *ellipse = new_set(context, "ellipse", "axes", 2, 1, (double[2]){3, 0.2});
    ss_set *ellipsoid = new_set(context, "ellipsoid", "axes", 3, 1, (double[3]){3, 0.2, 40});
    ss_set *polygon = new_set(context, "polygon", "vertices", 4, 2, corners);
    const ss_set *sets[] = {ss_set_disk(2), ss_set_disk(3), ss_set_free(2),
                            ellipse,        ellipsoid,      polygon};
    for (int k = 0; k < 6000; k++) {
        const ss_set *set = sets[k % 6];
        int dim = set->dim;
        double R[9] = {0}, x[3], y[3], z[3], factor = random_log(&r, 1e-12, 1e12);
        for (int i = 0; i < dim; i++) {
            R[i * (dim + 1)] = factor;
            x[i] = 10 * random_normal(&r);
        }
        ss_set_prox(set, 1, x, y);
        assert_int_equal(ss_set_prox_metric(context, set, 1, R, x, z), SS_OK);
        CHECK(distance(dim, y, z) <= 8 * DBL_EPSILON * norm(dim, x), "%s: %g", set->ops->type.name,
              distance(dim, y, z));
    }
    ss_set_destroy(ellipse);
    ss_set_destroy(ellipsoid);
    ss_set_destroy(polygon);
    ss_context_destroy(context);
}

static void ellipsoid_agrees_with_brute_force(void **state)
{
    (void)state;
    random_state r = {4};
    ss_context *context = new_context();
    for (int k = 0; k < 200; k++) {
        int dim = 2 + k % 2;
        double e[3], R[9], x[3], y[3], z[3], reach = random_log(&r, 1.8, 50);
        random_metric(dim, 20, &r, R);
        for (int i = 0; i < dim; i++) {
            e[i] = random_log(&r, 0.3, 3);
            x[i] = e[i] * reach * random_sign(&r) * random_between(&r, 0.7, 1);
        }
        ss_set *set = new_set(context, dim == 2 ? "ellipse" : "ellipsoid", "axes", dim, 1, e);
        assert_int_equal(ss_set_prox_metric(context, set, 1, R, x, y), SS_OK);
        assert_true(nearest_in_metric(dim, e, R, x, z));
        CHECK(distance(dim, y, z) <= 2e-14 * norm(dim, e), "dim %d: %g", dim, distance(dim, y, z));
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void ellipsoid_random(void **state)
{
    (void)state;
    random_state r = {5};
    ss_context *context = new_context();
    for (int k = 0; k < 3000; k++) {
        int dim = 2 + k % 2;
        double e[3], R[9], x[3], s = random_log(&r, 1e-12, 1e12),
                                 reach = s * random_log(&r, 0.3, 1e6);
        double span = k % 3 ? 10 : 1e12;
        random_metric(dim, 1e3, &r, R);
        for (int i = 0; i < dim; i++) {
            e[i] = random_log(&r, 1 / span, span);
            x[i] = reach * e[i] * random_normal(&r);
        }
        ss_set *set = new_set(context, dim == 2 ? "ellipse" : "ellipsoid", "axes", dim, 1, e);
        check_metric(context, set, s, R, x, &r);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* A diagonal metric stretches the axes (S2.21): again over 24 decades. */
static void extreme_diagonal(void **state)
{
    (void)state;
    random_state r = {9};
    ss_context *context = new_context();
    for (int k = 0; k < 10000; k++) {
        double e[3], stretched[3], R[9] = {0}, x[3], xi[3], y[3], z[3];
        for (int i = 0; i < 3; i++) {
            double root = random_log(&r, 1e-6, 1e6);
            e[i] = random_log(&r, 1e-12, 1e12);
            R[4 * i] = root * root;
            stretched[i] = root * e[i];
            x[i] = random_sign(&r) * random_log(&r, 1e-12, 1e12) * (k % 2 ? e[i] * 1e-6 : 1);
            xi[i] = root * x[i];
        }
        ss_set *set = new_set(context, "ellipsoid", "axes", 3, 1, e);
        assert_int_equal(ss_set_prox_metric(context, set, 1, R, x, y), SS_OK);
        nearest_of_ellipsoid(stretched, 1, xi, z);
        for (int i = 0; i < 3; i++)
            y[i] *= sqrt(R[4 * i]);
        CHECK(distance(3, y, z) <= 1e-14 * norm(3, z), "%g", distance(3, y, z) / norm(3, z));
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* The Cholesky factor A of R = AᵀA turns the skewed projection into a Euclidean one (S2.21); for
 * a turned ellipse and R of the same axes that is again an ellipse. */
static void turned_ellipse(void **state)
{
    (void)state;
    random_state r = {6};
    ss_context *context = new_context();
    for (int k = 0; k < 1000; k++) {
        double angle = random_between(&r, -3, 3), c = cos(angle), s = sin(angle);
        double axes[2] = {random_log(&r, 0.1, 10), random_log(&r, 0.1, 10)};
        double p[2] = {random_log(&r, 0.1, 10), random_log(&r, 0.1, 10)}, y[2], z[2];
        double R[4] = {c * c * p[0] + s * s * p[1], c * s * (p[0] - p[1]), c * s * (p[0] - p[1]),
                       s * s * p[0] + c * c * p[1]};
        double x[2] = {20 * random_normal(&r), 20 * random_normal(&r)};
        ss_args *args;
        ss_set *set;
        assert_int_equal(ss_args_create(context, &args), SS_OK);
        assert_int_equal(ss_args_set_reals(args, "axes", 2, axes), SS_OK);
        assert_int_equal(ss_args_set_real(args, "angle", angle), SS_OK);
        assert_int_equal(ss_set_create(context, "ellipse", args, NULL, 2, &set), SS_OK);
        assert_int_equal(ss_set_prox_metric(context, set, 1, R, x, y), SS_OK);
        double stretched[2] = {sqrt(p[0]) * axes[0], sqrt(p[1]) * axes[1]};
        double xi[2] = {sqrt(p[0]) * (c * x[0] + s * x[1]), sqrt(p[1]) * (c * x[1] - s * x[0])};
        nearest_of_ellipse(stretched, 1, xi, z);
        z[0] /= sqrt(p[0]);
        z[1] /= sqrt(p[1]);
        double expected[2] = {c * z[0] - s * z[1], s * z[0] + c * z[1]};
        CHECK(distance(2, y, expected) <= 1e-13, "%g", distance(2, y, expected));
        check_metric(context, set, 1, R, x, &r);
        ss_args_destroy(args);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

static void polygon_random(void **state)
{
    (void)state;
    random_state r = {7};
    ss_context *context = new_context();
    double corners[12];
    for (int i = 0; i < 6; i++) {
        corners[2 * i] = 2 * cos(i) + 0.5;
        corners[2 * i + 1] = sin(i);
    }
    ss_set *set = new_set(context, "polygon", "vertices", 6, 2, corners);
    for (int k = 0; k < 3000; k++) {
        double R[4], s = random_log(&r, 1e-12, 1e12), reach = s * random_log(&r, 0.3, 1e3);
        double x[2] = {reach * random_normal(&r), reach * random_normal(&r)}, y[2];
        random_metric(2, 1e3, &r, R);
        check_metric(context, set, s, R, x, &r);
        assert_int_equal(ss_set_prox_metric(context, set, s, R, x, y), SS_OK);
        double v[2] = {x[0] - y[0], x[1] - y[1]}, best = metric_dot(2, R, v, v);
        for (int i = 0; i < 600; i++) {
            const double *a = corners + 2 * (i % 6), *b = corners + 2 * ((i + 1) % 6);
            double t = i / 600.0, w[2];
            for (int j = 0; j < 2; j++)
                w[j] = x[j] - s * ((1 - t) * a[j] + t * b[j]);
            CHECK(metric_dot(2, R, w, w) >= best * (1 - 1e-14), "a side is nearer");
        }
    }
    ss_set_destroy(set);
    ss_context_destroy(context);
}

/* A metric without weight in some direction, or none at all, still gives a point of the set. */
static void semidefinite(void **state)
{
    (void)state;
    random_state r = {8};
    ss_context *context = new_context();
    for (int k = 0; k < 1000; k++) {
        int dim = 2 + k % 2;
        double R[9], n[3], x[3], y[3];
        for (int i = 0; i < dim; i++) {
            n[i] = k % 5 ? random_normal(&r) : 0;
            x[i] = 5 * random_normal(&r);
        }
        for (int i = 0; i < dim * dim; i++)
            R[i] = n[i / dim] * n[i % dim];
        assert_int_equal(ss_set_prox_metric(context, ss_set_disk(dim), 1, R, x, y), SS_OK);
        assert_true(isfinite(norm(dim, y)) && ss_set_contains(ss_set_disk(dim), 1, y, 0));
        /* As near along n as the disk allows. */
        double wanted = dot(dim, n, x), most = norm(dim, n);
        double best = fmax(fmin(wanted, most), -most);
        if (k % 5)
            CHECK(fabs(dot(dim, n, y) - best) <= 1e-14 * most, "%g, not %g", dot(dim, n, y), best);
    }
    ss_context_destroy(context);
}

static void limits_of_the_scale(void **state)
{
    (void)state;
    ss_context *context = new_context();
    double R[9] = {2, 1, 0, 1, 3, 1, 0, 1, 4}, x[3] = {1, -2, 3}, y[3];
    ss_set *set = new_set(context, "ellipsoid", "axes", 3, 1, (double[3]){1, 2, 3});
    const ss_set *sets[] = {set, ss_set_disk(3)};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ss_set_prox_metric(context, sets[k], 0, R, x, y), SS_OK);
        assert_true(norm(3, y) == 0);
        assert_int_equal(ss_set_prox_metric(context, sets[k], INFINITY, R, x, y), SS_OK);
        assert_memory_equal(x, y, sizeof y);
    }
    ss_set_destroy(set);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_agrees_with_brute_force),
        cmocka_unit_test(disk_random),
        cmocka_unit_test(disk_known_values),
        cmocka_unit_test(unit_metric_is_euclidean),
        cmocka_unit_test(ellipsoid_agrees_with_brute_force),
        cmocka_unit_test(ellipsoid_random),
        cmocka_unit_test(extreme_diagonal),
        cmocka_unit_test(turned_ellipse),
        cmocka_unit_test(polygon_random),
        cmocka_unit_test(semidefinite),
        cmocka_unit_test(limits_of_the_scale),
    };
    return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
