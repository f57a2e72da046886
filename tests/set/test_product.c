/* test_product.c: products of sets. */
#include "properties.h"

/* half line × disk × ellipsoid × free */
static ss_set *new_product(ss_context *context, ss_set **ellipsoid)
{
    ss_set *product;
    *ellipsoid = new_set(context, "ellipsoid", "axes", 3, 1, (double[3]){1, 2, 0.5});
    const ss_set *factors[] = {ss_set_half_line(), ss_set_disk(2), *ellipsoid, ss_set_free(2)};
    assert_int_equal(ss_set_product_create(context, 4, factors, &product), SS_OK);
    assert_int_equal(product->dim, 8);
    return product;
}

static void projects_each_factor(void **state)
{
    (void)state;
    random_state r = {1};
    ss_context *context = new_context();
    ss_set *ellipsoid, *product = new_product(context, &ellipsoid);
    const ss_set *factors[] = {ss_set_half_line(), ss_set_disk(2), ellipsoid, ss_set_free(2)};
    for (int k = 0; k < 1000; k++) {
        double x[8], y[8], z[8], s = random_log(&r, 1e-3, 1e3);
        for (int i = 0; i < 8; i++)
            x[i] = 3 * random_normal(&r);
        ss_set_prox(product, s, x, y);
        for (int i = 0, offset = 0; i < 4; offset += factors[i++]->dim)
            ss_set_prox(factors[i], s, x + offset, z + offset);
        assert_memory_equal(y, z, sizeof y);
        check_projection(product, s, x, y);
    }
    check_random_points(product, 2, 20, 1000, &r);
    ss_set_destroy(product);
    ss_set_destroy(ellipsoid);
    ss_context_destroy(context);
}

/* Moreau in the orthant: x = prox_K(x) + prox_K°(x), orthogonal. */
static void orthant_decomposes(void **state)
{
    (void)state;
    random_state r = {2};
    ss_context *context = new_context();
    const ss_set *up[] = {ss_set_half_line(), ss_set_half_line(), ss_set_negative_half_line()};
    const ss_set *down[] = {ss_set_negative_half_line(), ss_set_negative_half_line(),
                            ss_set_half_line()};
    ss_set *K, *polar;
    assert_int_equal(ss_set_product_create(context, 3, up, &K), SS_OK);
    assert_int_equal(ss_set_product_create(context, 3, down, &polar), SS_OK);
    for (int k = 0; k < 1000; k++) {
        double x[3], a[3], b[3];
        for (int i = 0; i < 3; i++)
            x[i] = random_normal(&r);
        ss_set_prox(K, 1, x, a);
        ss_set_prox(polar, 1, x, b);
        for (int i = 0; i < 3; i++)
            assert_true(a[i] + b[i] == x[i]);
        assert_true(dot(3, a, b) == 0);
        ss_set_vdst(K, 1, x, a);
        assert_memory_equal(a, b, sizeof a);
        assert_true(ss_set_support(K, 1, b) == 0);
    }
    ss_set_destroy(K);
    ss_set_destroy(polar);
    ss_context_destroy(context);
}

/* The support of a product is the sum of the supports. */
static void support(void **state)
{
    (void)state;
    ss_context *context = new_context();
    const ss_set *factors[] = {ss_set_interval(), ss_set_disk(2)};
    ss_set *product;
    assert_int_equal(ss_set_product_create(context, 2, factors, &product), SS_OK);
    assert_true(ss_set_support(product, 2, (double[3]){-7, 3, 4}) == 24);
    assert_true(ss_set_support(product, 0, (double[3]){-7, 3, 4}) == 0);
    assert_true(ss_set_support(product, INFINITY, (double[3]){0, 3, 4}) == INFINITY);
    assert_true(ss_set_support(product, INFINITY, (double[3]){0}) == 0);
    ss_set_destroy(product);
    ss_context_destroy(context);
}

/* A tolerance is the distance to the whole product, not to each factor. */
static void membership(void **state)
{
    (void)state;
    ss_context *context = new_context();
    const ss_set *factors[] = {ss_set_interval(), ss_set_interval()};
    ss_set *product;
    assert_int_equal(ss_set_product_create(context, 2, factors, &product), SS_OK);
    double x[2] = {4, -5};
    assert_false(ss_set_contains(product, 1, x, 4.9999));
    assert_true(ss_set_contains(product, 1, x, 5));
    ss_set_destroy(product);
    ss_context_destroy(context);
}

static void nested(void **state)
{
    (void)state;
    random_state r = {3};
    ss_context *context = new_context();
    ss_set *ellipsoid, *inner = new_product(context, &ellipsoid), *outer;
    const ss_set *factors[] = {inner, ss_set_interval(), inner};
    assert_int_equal(ss_set_product_create(context, 3, factors, &outer), SS_OK);
    assert_int_equal(outer->dim, 17);
    check_random_points(outer, 1, 5, 300, &r);
    ss_set_destroy(outer);
    ss_set_destroy(inner);
    ss_set_destroy(ellipsoid);
    ss_context_destroy(context);
}

static ss_status by_names(ss_context *context, int count, const char *const *names, int dim,
                          ss_set **set)
{
    ss_text items[8];
    ss_args *args;
    for (int i = 0; i < count; i++)
        items[i] = (ss_text){names[i], {0}};
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_texts(args, "sets", (ss_location){0}, count, 1, items), SS_OK);
    ss_status status = ss_set_create(context, "product", args, NULL, dim, set);
    ss_args_destroy(args);
    return status;
}

static void from_names(void **state)
{
    (void)state;
    random_state r = {4};
    ss_context *context = new_context();
    ss_set *set;
    const char *names[] = {"half_line", "disk 2", "free  5", "interval", "disk 3"};
    assert_int_equal(by_names(context, 5, names, 12, &set), SS_OK);
    assert_int_equal(set->dim, 12);
    check_random_points(set, 1, 5, 300, &r);
    double x[12] = {-1, 3, 4, 7, 7, 7, 7, 7, -9, 0, 0, 5}, y[12];
    double expected[12] = {0, 0.6, 0.8, 7, 7, 7, 7, 7, -1, 0, 0, 1};
    ss_set_prox(set, 1, x, y);
    assert_true(distance(12, y, expected) < 1e-15);
    ss_set_destroy(set);
    ss_context_destroy(context);
}

static void bad_names(void **state)
{
    (void)state;
    static const struct {
        const char *names[2];
        ss_status status;
        const char *message;
    } cases[] = {
        {{"half_line", "disc 2"}, SS_UNKNOWN_NAME, "did you mean 'disk'"},
        {{"half_line", "disk"}, SS_INPUT, "set 'disk': its dimension must be given, 2 … 3"},
        {{"half_line", "disk 7"}, SS_INPUT, "set 'disk' has dimension 2 … 3, but 7 is wanted"},
        {{"half_line", "disk two"}, SS_INPUT, "'disk two' must be the name of a set"},
        {{"half_line", "disk -2"}, SS_INPUT, "'disk -2' must be the name of a set"},
        {{"half_line 2", "disk 2"}, SS_INPUT, "set 'half_line' has dimension 1, but 2 is wanted"},
        {{"ellipse", "disk 2"}, SS_INPUT, "set 'ellipse': 'axes' is missing"},
        {{"free 60", "free 60"}, SS_INPUT, "its dimension must not exceed 64"},
    };
    ss_context *context = new_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ss_set *set;
        ss_status status = by_names(context, 2, cases[i].names, 0, &set);
        assert_int_equal(status, cases[i].status);
        assert_null(set);
        if (!strstr(ss_context_message(context), cases[i].message))
            fail_msg("case %zu: %s", i, ss_context_message(context));
    }
    ss_context_destroy(context);
}

static void bad_products(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *set, *large;
    const char *names[] = {"half_line", "disk 2"};
    assert_int_equal(by_names(context, 2, names, 4, &set), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "set 'product' has dimension 3, but 4 is wanted");
    assert_int_equal(ss_set_product_create(context, 0, NULL, &set), SS_INPUT);
    assert_null(set);
    assert_int_equal(ss_set_create(context, "free", NULL, NULL, 64, &large), SS_OK);
    const ss_set *factors[] = {large, ss_set_half_line()};
    assert_int_equal(ss_set_product_create(context, 2, factors, &set), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "set 'product': its dimension must not exceed 64");
    ss_set_destroy(large);
    ss_context_destroy(context);
}

/* A factor without projections in a metric. */
static void no_metric(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *product, *patch;
    ss_args *args;
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    assert_int_equal(ss_args_set_real(args, "radius", 1), SS_OK);
    assert_int_equal(ss_set_create(context, "disk_patch", args, NULL, 0, &patch), SS_OK);
    ss_args_destroy(args);
    const ss_set *factors[] = {ss_set_half_line(), patch};
    double R[16] = {0}, x[4] = {0}, y[4];
    assert_int_equal(ss_set_product_create(context, 2, factors, &product), SS_OK);
    assert_int_equal(ss_set_prox_metric(context, product, 1, R, x, y), SS_UNSUPPORTED);
    assert_non_null(
        strstr(ss_context_message(context), "set 'product' has no projection in a metric"));
    ss_set_destroy(product);
    ss_set_destroy(patch);
    ss_context_destroy(context);
}

/* R = A Aᵀ + 0.1, in blocks of 1, 2 and 3 rows if `blocks`. */
static void new_metric(bool blocks, random_state *r, double R[36])
{
    static const int block[6] = {0, 1, 1, 2, 2, 2};
    double A[36];
    for (int i = 0; i < 36; i++)
        A[i] = !blocks || block[i / 6] == block[i % 6] ? random_normal(r) : 0;
    for (int i = 0; i < 36; i++) {
        R[i] = i / 6 == i % 6 ? 0.1 : 0;
        for (int k = 0; k < 6; k++)
            R[i] += A[i / 6 * 6 + k] * A[i % 6 * 6 + k];
    }
}

/* With blocks it is that of each factor; without, (x - y)ᵀ R (w - y) <= 0 for w in the set. */
static void projects_in_a_metric(void **state)
{
    (void)state;
    random_state r = {3};
    ss_context *context = new_context();
    ss_set *product,
        *ellipsoid = new_set(context, "ellipsoid", "axes", 3, 1, (double[3]){1, 2, 0.5});
    const ss_set *factors[] = {ss_set_half_line(), ss_set_disk(2), ellipsoid};
    assert_int_equal(ss_set_product_create(context, 3, factors, &product), SS_OK);
    for (int k = 0; k < 300; k++) {
        double R[36], x[6], y[6], z[6], w[6], v[6], d[6];
        bool blocks = k % 2 == 0;
        new_metric(blocks, &r, R);
        for (int i = 0; i < 6; i++)
            x[i] = 3 * random_normal(&r);
        assert_int_equal(ss_set_prox_metric(context, product, 1.5, R, x, y), SS_OK);
        assert_true(ss_set_contains(product, 1.5, y, 1e-14));
        for (int i = 0, at = 0; i < 3 && blocks; at += factors[i++]->dim) {
            double own[9];
            int dim = factors[i]->dim;
            for (int j = 0; j < dim * dim; j++)
                own[j] = R[(at + j / dim) * 6 + at + j % dim];
            assert_int_equal(ss_set_prox_metric(context, factors[i], 1.5, own, x + at, z), SS_OK);
            assert_memory_equal(z, y + at, (size_t)dim * sizeof *z);
        }
        for (int j = 0; j < 20; j++) {
            double left = 0;
            for (int i = 0; i < 6; i++)
                w[i] = 3 * random_normal(&r);
            ss_set_prox(product, 1.5, w, w);
            for (int i = 0; i < 6; i++) {
                v[i] = x[i] - y[i];
                d[i] = w[i] - y[i];
            }
            for (int i = 0; i < 36; i++)
                left += v[i / 6] * R[i] * d[i % 6];
            CHECK(left <= 1e-10, "%g", left);
        }
    }
    ss_set_destroy(product);
    ss_set_destroy(ellipsoid);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projects_each_factor),
        cmocka_unit_test(orthant_decomposes),
        cmocka_unit_test(support),
        cmocka_unit_test(membership),
        cmocka_unit_test(nested),
        cmocka_unit_test(from_names),
        cmocka_unit_test(bad_names),
        cmocka_unit_test(bad_products),
        cmocka_unit_test(no_metric),
        cmocka_unit_test(projects_in_a_metric),
    };
    return cmocka_run_group_tests_name("product", tests, NULL, NULL);
}
