/* test_cone.c: the friction cone. */
#include "properties.h"

static ss_set *new_cone(ss_context *context, int dim, double mu)
{
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "mu", mu), SS_OK);
    assert_int_equal(ss_set_create(context, "cone", args, NULL, dim, &set), SS_OK);
    ss_args_destroy(args);
    return set;
}

static void random_points(void **state)
{
    (void)state;
    random_state r = {1};
    ss_context *context = new_context();
    for (int k = 0; k < 200; k++) {
        ss_set *set = new_cone(context, 2 + k % 2, random_log(&r, 1e-2, 10));
        double reach = random_log(&r, 1e-6, 1e6);
        for (int i = 0; i < 50; i++) {
            double x[3], y[3], w[3];
            for (int j = 0; j < 3; j++) {
                x[j] = reach * random_between(&r, -1, 1);
                w[j] = reach * random_between(&r, -1, 1);
            }
            check_nonexpansive(set, 1, x, w);
            ss_set_prox(set, 1, x, y);
            ss_set_prox(set, 1, w, w);
            check_idempotent(set, 1, x, y);
            check_membership(set, 1, x, y);
            check_variational(set->dim, x, y, w);
        }
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* Zero in the polar cone, without bound elsewhere. */
static void support_is_that_of_a_cone(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *set = new_cone(context, 3, 0.5);
    CHECK(ss_set_support(set, 1, (double[]){-1, 1.9, 0}) == 0, "%d", 1);
    CHECK(isinf(ss_set_support(set, 1, (double[]){-1, 0, 2.1})), "%d", 1);
    CHECK(isinf(ss_set_support(set, 1, (double[]){1, 0, 0})), "%d", 1);
    ss_set_destroy(set);
    ss_context_destroy(context);
}

/* Inside, in the polar cone, and on the surface: known points for μ = 1. */
static void known_points(void **state)
{
    (void)state;
    static const double cases[][4] = {
        {2, 1, 2, 1}, {-1, 0.5, 0, 0}, {0, 2, 1, 1}, {0, -2, 1, -1}, {-1, 3, 1, 1}};
    ss_context *context = new_context();
    ss_set *set = new_cone(context, 2, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double y[2];
        ss_set_prox(set, 1, cases[k], y);
        CHECK(fabs(y[0] - cases[k][2]) < 1e-15 && fabs(y[1] - cases[k][3]) < 1e-15, "%g, %g", y[0],
              y[1]);
    }
    ss_set_destroy(set);
    ss_context_destroy(context);
}

/* v = R (x - y) is in the polar cone, and vᵀy = 0: what makes y the nearest point in the metric R. */
static void nearest_in_a_metric(void **state)
{
    (void)state;
    random_state r = {5};
    ss_context *context = new_context();
    int inside = 0, tip = 0, surface = 0;
    for (int k = 0; k < 3000; k++) {
        int dim = 2 + k % 2;
        double mu = k % 50 == 0 ? 0 : random_log(&r, 1e-2, 1e2), A[9], R[9], x[3], y[3], v[3];
        ss_set *set = new_cone(context, dim, mu);
        for (int i = 0; i < 9; i++)
            A[i] = random_normal(&r);
        for (int i = 0; i < dim * dim; i++) {
            R[i] = i / dim == i % dim ? 0.1 : 0;
            for (int j = 0; j < dim; j++)
                R[i] += A[i / dim * 3 + j] * A[i % dim * 3 + j];
        }
        for (int i = 0; i < dim; i++)
            x[i] = random_normal(&r);
        assert_int_equal(ss_set_prox_metric(context, set, 1, R, x, y), SS_OK);
        assert_true(ss_set_contains(set, 1, y, 0));
        double size = 0, along = 0;
        for (int i = 0; i < dim; i++) {
            v[i] = 0;
            for (int j = 0; j < dim; j++)
                v[i] += R[i * dim + j] * (x[j] - y[j]);
            size += fabs(v[i]);
            along += v[i] * y[i];
        }
        double T = dim == 2 ? fabs(v[1]) : hypot(v[1], v[2]), most = 1e-12 * (1 + mu) * (1 + size);
        CHECK(fabs(along) <= most * (1 + norm(dim, y)), "%g", along);
        CHECK(v[0] + mu * T <= most, "mu %g: %g", mu, v[0] + mu * T);
        bool rests = distance(dim, x, y) == 0, at_tip = norm(dim, y) == 0;
        inside += rests;
        tip += at_tip;
        surface += !rests && !at_tip;
        ss_set_destroy(set);
    }
    assert_true(inside > 100 && tip > 100 && surface > 100);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_points), cmocka_unit_test(support_is_that_of_a_cone),
        cmocka_unit_test(known_points), cmocka_unit_test(nearest_in_a_metric)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
