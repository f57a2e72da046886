/* test_create.c: sets by name, their parameters, what is refused and how it is said. */
#include "properties.h"

typedef struct number {
    const char *key;
    int rows, columns; /* 0 × 0: a single number */
    double values[16];
} number;

static ss_status create(ss_context *context, const char *name, int count, const number *numbers,
                        int dim, ss_set **set)
{
    ss_args *args = NULL;
    *set = NULL;
    ss_status status = ss_args_create(context, &args);
    for (int i = 0; i < count && status == SS_OK; i++) {
        const number *n = &numbers[i];
        if (n->rows)
            status = ss_args_set_matrix(args, n->key, n->rows, n->columns, n->values);
        else
            status = ss_args_set_real(args, n->key, n->values[0]);
    }
    if (status == SS_OK)
        status = ss_set_create(context, name, args, NULL, dim, set);
    ss_args_destroy(args);
    return status;
}

static void every_kind_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int dim, count;
        number numbers[2];
    } cases[] = {
        {"free", 9, 0, {{0}}},
        {"half_line", 1, 0, {{0}}},
        {"negative_half_line", 1, 0, {{0}}},
        {"interval", 1, 0, {{0}}},
        {"interval", 1, 2, {{"lower", 0, 0, {-3}}, {"upper", 0, 0, {INFINITY}}}},
        {"disk", 2, 0, {{0}}},
        {"disk", 3, 0, {{0}}},
        {"ellipse", 2, 2, {{"axes", 2, 1, {1, 2}}, {"angle", 0, 0, {0.3}}}},
        {"ellipsoid", 3, 1, {{"axes", 3, 1, {1, 2, 3}}}},
        {"polygon", 2, 1, {{"vertices", 3, 2, {0, 0, 1, 0, 0, 1}}}},
        {"cone", 3, 1, {{"mu", 0, 0, {0.3}}}},
    };
    ss_context *context = new_context();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ss_set *set;
        if (create(context, cases[i].name, cases[i].count, cases[i].numbers, cases[i].dim, &set) !=
            SS_OK)
            fail_msg("%s", ss_context_message(context));
        assert_int_equal(set->dim, cases[i].dim);
        assert_string_equal(set->ops->type.name, cases[i].name);
        ss_set_destroy(set);
    }
    ss_context_destroy(context);
}

/* A dimension of 0 asks for the only one there is. */
static void dimension_by_itself(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set *set;
    assert_int_equal(ss_set_create(context, "interval", NULL, NULL, 0, &set), SS_OK);
    assert_int_equal(set->dim, 1);
    double x = -4, y;
    ss_set_prox(set, 2, &x, &y);
    assert_true(y == -2);
    ss_set_destroy(set);
    assert_int_equal(ss_set_create(context, "disk", NULL, NULL, 0, &set), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "set 'disk': its dimension must be given, 2 … 3");
    ss_set_destroy(NULL);
    ss_context_destroy(context);
}

/* Parameters may be expressions of named numbers. */
static void parameters_by_expression(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_scope *scope;
    ss_args *args;
    ss_set *set;
    assert_int_equal(ss_scope_create(context, &scope), SS_OK);
    assert_int_equal(ss_scope_define(scope, "mu", 0.3), SS_OK);
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    ss_text axes[2] = {{"2*mu", {0}}, {"mu/2", {0}}};
    assert_int_equal(ss_args_set_texts(args, "axes", (ss_location){0}, 2, 1, axes), SS_OK);
    assert_int_equal(ss_set_create(context, "ellipse", args, scope, 2, &set), SS_OK);
    double v[2] = {1, 0}, w[2] = {0, 1};
    assert_true(fabs(ss_set_support(set, 1, v) - 0.6) < 1e-15);
    assert_true(fabs(ss_set_support(set, 1, w) - 0.15) < 1e-15);
    ss_set_destroy(set);
    ss_args_destroy(args);
    ss_scope_destroy(scope);
    ss_context_destroy(context);
}

typedef struct bad_case {
    const char *name;
    int dim, count;
    number numbers[2];
    ss_status status;
    const char *message; /* a part of it */
} bad_case;

static const bad_case bad_cases[] = {
    {"sphere", 3, 0, {{0}}, SS_UNKNOWN_NAME, "there is no set type 'sphere'"},
    {"elipse", 2, 0, {{0}}, SS_UNKNOWN_NAME, "did you mean 'ellipse'?"},
    {"half_line", 2, 0, {{0}}, SS_INPUT, "set 'half_line' has dimension 1, but 2 is wanted"},
    {"interval", 3, 0, {{0}}, SS_INPUT, "set 'interval' has dimension 1, but 3 is wanted"},
    {"disk", 1, 0, {{0}}, SS_INPUT, "set 'disk' has dimension 2 … 3, but 1 is wanted"},
    {"disk", 4, 0, {{0}}, SS_INPUT, "set 'disk' has dimension 2 … 3, but 4 is wanted"},
    {"disk", -1, 0, {{0}}, SS_INPUT, "but -1 is wanted"},
    {"free", 65, 0, {{0}}, SS_INPUT, "set 'free' has dimension 1 … 64, but 65 is wanted"},
    {"ellipse", 3, 1, {{"axes", 2, 1, {1, 2}}}, SS_INPUT, "has dimension 2, but 3 is wanted"},
    {"ellipsoid", 2, 1, {{"axes", 3, 1, {1, 2, 3}}}, SS_INPUT, "has dimension 3, but 2 is wanted"},
    {"disk", 2, 1, {{"radius", 0, 0, {1}}}, SS_INPUT, "set 'disk': unknown key 'radius'"},
    {"ellipse", 2, 1, {{"axis", 2, 1, {1, 2}}}, SS_INPUT, "did you mean 'axes'?"},
    {"interval", 1, 1, {{"uper", 0, 0, {1}}}, SS_INPUT, "did you mean 'upper'?"},
    {"ellipse", 2, 0, {{0}}, SS_INPUT, "set 'ellipse': 'axes' is missing"},
    {"polygon", 2, 0, {{0}}, SS_INPUT, "set 'polygon': 'vertices' is missing"},
    {"product", 2, 0, {{0}}, SS_INPUT, "set 'product': 'sets' is missing"},
    {"ellipse", 2, 1, {{"axes", 2, 1, {1, -2}}}, SS_INPUT, "'axes' must be a number in"},
    {"ellipse", 2, 1, {{"axes", 2, 1, {0, 2}}}, SS_INPUT, "not 0"},
    {"ellipse", 2, 1, {{"axes", 2, 1, {INFINITY, 2}}}, SS_INPUT, "not inf"},
    {"ellipse", 2, 1, {{"axes", 2, 1, {NAN, 2}}}, SS_INPUT, "nan"},
    {"ellipse",
     2,
     1,
     {{"axes", 3, 1, {1, 2, 3}}},
     SS_INPUT,
     "axes must be 2 positive numbers, not 3"},
    {"ellipse", 2, 1, {{"axes", 0, 0, {1}}}, SS_INPUT, "axes must be 2 positive numbers, not 1"},
    {"ellipsoid",
     3,
     1,
     {{"axes", 2, 1, {1, 2}}},
     SS_INPUT,
     "axes must be 3 positive numbers, not 2"},
    {"ellipse",
     2,
     2,
     {{"axes", 2, 1, {1, 2}}, {"angle", 0, 0, {INFINITY}}},
     SS_INPUT,
     "'angle' must be"},
    {"interval",
     1,
     2,
     {{"lower", 0, 0, {2}}, {"upper", 0, 0, {1}}},
     SS_INPUT,
     "lower must not exceed upper"},
    {"interval", 1, 1, {{"lower", 0, 0, {INFINITY}}}, SS_INPUT, "lower must not exceed upper"},
    {"interval",
     1,
     2,
     {{"lower", 0, 0, {INFINITY}}, {"upper", 0, 0, {INFINITY}}},
     SS_INPUT,
     "hold no number between them"},
    {"interval", 1, 1, {{"upper", 0, 0, {NAN}}}, SS_INPUT, "'upper' must be"},
    {"polygon", 2, 1, {{"vertices", 2, 2, {0, 0, 1, 0}}}, SS_INPUT, "at least three points"},
    {"polygon",
     2,
     1,
     {{"vertices", 3, 3, {0, 0, 1, 0, 2, 3, 4, 5, 6}}},
     SS_INPUT,
     "not 3 × 3 numbers"},
    {"polygon", 2, 1, {{"vertices", 3, 2, {0, 0, 0, 1, 1, 0}}}, SS_INPUT, "go clockwise"},
    {"polygon",
     2,
     1,
     {{"vertices", 5, 2, {0, 0, 4, 0, 4, 4, 3, 1, 0, 4}}},
     SS_INPUT,
     "turns right at vertex 4 (3, 1)"},
    {"polygon",
     2,
     1,
     {{"vertices", 4, 2, {0, 0, 1, 1, 1, 0, 0, 1}}},
     SS_INPUT,
     "turns right at vertex"},
    {"polygon",
     2,
     1,
     {{"vertices", 5, 2, {1, 0, -.81, .59, .31, -.95, .31, .95, -.81, -.59}}},
     SS_INPUT,
     "go around more than once"},
    {"polygon",
     2,
     1,
     {{"vertices", 3, 2, {0, 0, 1, 1, 3, 3}}},
     SS_INPUT,
     "runs back on itself at vertex 1"},
    {"polygon",
     2,
     1,
     {{"vertices", 4, 2, {0, 0, 1, 0, 1, 0, 0, 1}}},
     SS_INPUT,
     "vertices 2 and 3 are the same"},
    {"polygon",
     2,
     1,
     {{"vertices", 4, 2, {0, 0, 1, 0, 0, 1, 0, 0}}},
     SS_INPUT,
     "vertices 4 and 1 are the same"},
    {"polygon",
     2,
     1,
     {{"vertices", 3, 2, {0, 0, 1, 0, INFINITY, 1}}},
     SS_INPUT,
     "'vertices' must be"},
};

static void bad_parameters(void **state)
{
    (void)state;
    ss_context *context = new_context();
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case *c = &bad_cases[i];
        ss_set *set;
        ss_status status = create(context, c->name, c->count, c->numbers, c->dim, &set);
        if (status != c->status || set || !strstr(ss_context_message(context), c->message))
            fail_msg("case %zu (%s): status %d, %s", i, c->name, (int)status,
                     ss_context_message(context));
    }
    ss_context_destroy(context);
}

/* What is not a number is in no set and is not hidden by a projection. */
static void not_a_number(void **state)
{
    (void)state;
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, plane[4] = {1, 0, 0, 1};
    ss_context *context = new_context();
    ss_set *made[] = {
        new_set(context, "ellipse", "axes", 2, 1, (double[2]){1, 2}),
        new_set(context, "ellipsoid", "axes", 3, 1, (double[3]){1, 2, 3}),
        new_set(context, "polygon", "vertices", 3, 2, (double[6]){-1, -1, 1, -1, 0, 1}),
    };
    const ss_set *sets[] = {made[0],           made[1],
                            made[2],           ss_set_disk(2),
                            ss_set_disk(3),    ss_set_half_line(),
                            ss_set_interval(), ss_set_negative_half_line()};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        for (int k = 0; k < sets[i]->dim; k++) {
            double x[3] = {0.5, 0.5, 0.5}, y[3] = {0};
            x[k] = NAN;
            ss_set_prox(sets[i], 1, x, y);
            assert_true(isnan(y[0] + y[1] + y[2]));
            assert_false(ss_set_contains(sets[i], 1, x, 1));
            y[0] = y[1] = y[2] = 0;
            const double *R = sets[i]->dim == 2 ? plane : unit;
            assert_int_equal(ss_set_prox_metric(context, sets[i], 1, R, x, y), SS_OK);
            assert_true(isnan(y[0] + y[1] + y[2]));
        }
    }
    for (int i = 0; i < 3; i++)
        ss_set_destroy(made[i]);
    ss_context_destroy(context);
}

/* A message begins with the place of the arguments. */
static void message_with_place(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_args *args;
    ss_set *set;
    const double vertices[6] = {0, 0, 0, 1, 1, 0};
    assert_int_equal(ss_args_create(context, &args), SS_OK);
    ss_args_set_location(args, (ss_location){"scene.yaml", 12, 7});
    assert_int_equal(ss_args_set_matrix(args, "vertices", 3, 2, vertices), SS_OK);
    assert_int_equal(ss_set_create(context, "polygon", args, NULL, 2, &set), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "scene.yaml:12:7: set 'polygon': the vertices go clockwise; list them "
                        "counter-clockwise");
    ss_args_destroy(args);
    ss_context_destroy(context);
}

/* A set of somebody else: all x with |x_i| <= 1 in any dimension. */
static void box_prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self;
    for (int i = 0; i < dim; i++)
        y[i] = fmin(fmax(x[i], -scale), scale);
}

static bool box_contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    double y[SS_SET_MAX_DIM];
    box_prox(self, dim, scale, x, y);
    return distance(dim, x, y) <= tolerance;
}

static double box_support(const void *self, int dim, double scale, const double *v)
{
    (void)self;
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += scale * fabs(v[i]);
    return sum;
}

static const ss_set_ops box = {
    .type = {.abi = SS_ABI, .size = sizeof(ss_set_ops), .name = "box", .doc = "A box."},
    .prox = box_prox,
    .contains = box_contains,
    .support = box_support,
};

static void own_kind(void **state)
{
    (void)state;
    random_state r = {1};
    ss_context *context = new_context();
    ss_set *set;
    assert_int_equal(ss_register_set(context, &box), SS_OK);
    assert_int_equal(ss_set_create(context, "box", NULL, NULL, 5, &set), SS_OK);
    check_random_points(set, 2, 5, 200, &r);
    double R[25] = {0}, x[5] = {0};
    assert_int_equal(ss_set_prox_metric(context, set, 1, R, x, x), SS_UNSUPPORTED);
    ss_set_destroy(set);
    ss_context_destroy(context);
}

static void incomplete_kinds(void **state)
{
    (void)state;
    ss_context *context = new_context();
    ss_set_ops ops = box;
    ops.prox = NULL;
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "set type 'box': the function 'prox' is missing");
    ops = box;
    ops.contains = NULL;
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "set type 'box': the function 'contains' is missing");
    ops = box;
    ops.support = NULL;
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    assert_string_equal(ss_context_message(context),
                        "set type 'box': the function 'support' is missing");
    ops = box;
    ops.type.size -= 8; /* without its last member, `support` */
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    ops = box;
    ops.type.size += 8;
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    ops = box;
    ops.kind = SS_SET_PRODUCT + 1;
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    ops = box;
    ops.type.name = NULL;
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    ops = box;
    ops.type.name = "disk";
    assert_int_equal(ss_register_set(context, &ops), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "'disk' is registered already"));
    ss_context_destroy(context);
}

static ss_set_kind kind_of(const char *name, int dim, int count, const number *numbers)
{
    ss_context *context = new_context();
    ss_set *set;
    assert_int_equal(create(context, name, count, numbers, dim, &set), SS_OK);
    ss_set_kind kind = set->kind;
    ss_set_destroy(set);
    ss_context_destroy(context);
    return kind;
}

static void sets_say_their_kind(void **state)
{
    (void)state;
    const number symmetric[2] = {{"lower", 0, 0, {-1}}, {"upper", 0, 0, {1}}};
    const number uneven[2] = {{"lower", 0, 0, {-1}}, {"upper", 0, 0, {2}}};
    const number circle = {"axes", 2, 1, {1, 1}}, ellipse = {"axes", 2, 1, {2, 2}};
    const number ball = {"axes", 3, 1, {1, 1, 1}}, ellipsoid = {"axes", 3, 1, {1, 1, 2}};
    assert_int_equal(ss_set_free(3)->kind, SS_SET_FREE);
    assert_int_equal(ss_set_half_line()->kind, SS_SET_HALF_LINE);
    assert_int_equal(ss_set_negative_half_line()->kind, SS_SET_NEGATIVE_HALF_LINE);
    assert_int_equal(ss_set_interval()->kind, SS_SET_INTERVAL);
    assert_int_equal(ss_set_disk(2)->kind, SS_SET_DISK);
    assert_int_equal(ss_set_disk(3)->kind, SS_SET_BALL);
    assert_int_equal(kind_of("free", 9, 0, NULL), SS_SET_FREE);
    assert_int_equal(kind_of("half_line", 0, 0, NULL), SS_SET_HALF_LINE);
    assert_int_equal(kind_of("interval", 0, 2, symmetric), SS_SET_INTERVAL);
    assert_int_equal(kind_of("interval", 0, 2, uneven), SS_SET_UNEVEN_INTERVAL);
    assert_int_equal(kind_of("disk", 3, 0, NULL), SS_SET_BALL);
    assert_int_equal(kind_of("ellipse", 0, 1, &circle), SS_SET_DISK);
    assert_int_equal(kind_of("ellipse", 0, 1, &ellipse), SS_SET_ELLIPSE);
    assert_int_equal(kind_of("ellipsoid", 0, 1, &ball), SS_SET_BALL);
    assert_int_equal(kind_of("ellipsoid", 0, 1, &ellipsoid), SS_SET_ELLIPSOID);
    assert_int_equal(kind_of("cone", 3, 1, &(number){"mu", 0, 0, {1}}), SS_SET_CONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_by_name),
        cmocka_unit_test(dimension_by_itself),
        cmocka_unit_test(parameters_by_expression),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(message_with_place),
        cmocka_unit_test(own_kind),
        cmocka_unit_test(sets_say_their_kind),
        cmocka_unit_test(incomplete_kinds),
        cmocka_unit_test(not_a_number),
    };
    return cmocka_run_group_tests_name("create", tests, NULL, NULL);
}
