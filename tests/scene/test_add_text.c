/* test_add_text.c: objects added to a model by text, and scenes around a model that was built in C. */
#include "scene/scenes.h"

#include <stdlib.h>

#define PARAMETERS "parameters: {mu: 0.3, m: 2}\n"
#define SYSTEMS                                                   \
    "systems:\n"                                                  \
    "  block: {type: point, dim: 2, mass: m, velocity: [3, 0]}\n" \
    "  wheel: {type: lagrange, coordinates: [phi], kinetic: \"0.5*phi'^2\", velocity: 1}\n"
#define ELEMENTS                                                                     \
    "elements:\n"                                                                    \
    "  floor: {type: expression, gap: y, slip: x', laws: {gap: {type: unilateral}, " \
    "slip: {type: friction, mu: mu}}}\n"                                             \
    "  brake: {type: expression, slip: phi', laws: {slip: {type: friction, bound: 0.1}}}\n"
#define FORCES     "forces: {weight: {type: gravity, on: block, acceleration: [0, -9.81]}}\n"
#define OBJECTS    PARAMETERS SYSTEMS ELEMENTS FORCES
#define SIMULATION "simulation: {step: 1e-3, end: 1}\n"

enum { STEPS = 1000 };

/* The motion of the whole scene, read at once. */
static void expected(double q[3], double u[3])
{
    ss_context *context = make_context();
    ss_scene *scene = parse(context, OBJECTS SIMULATION, NULL);
    advance(scene, STEPS);
    memcpy(q, positions(scene), 3 * sizeof *q);
    memcpy(u, velocities(scene), 3 * sizeof *u);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* Seals a model, runs it, and compares with the scene bit by bit. */
static void check_motion(ss_context *context, ss_model *model)
{
    ss_scene *scene;
    double q[3], u[3];
    expected(q, u);
    check_ok(context, ss_model_seal(model));
    check_ok(context, ss_scene_create(model, "run", SIMULATION, &scene));
    advance(scene, STEPS);
    assert_memory_equal(positions(scene), q, sizeof q);
    assert_memory_equal(velocities(scene), u, sizeof u);
    assert_true(u[0] < 3 && u[2] < 1); /* the laws act */
    ss_scene_destroy(scene);
}

static ss_model *make_model(ss_context *context)
{
    ss_model *model;
    check_ok(context, ss_model_create(context, &model));
    return model;
}

static void test_whole(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model = make_model(context);
    check_ok(context, ss_model_add_text(model, "objects", OBJECTS));
    check_motion(context, model);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

/* Text in pieces, among parameters and objects from C; a piece may use all that came before. */
static void test_pieces(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model = make_model(context);
    ss_args *args;
    check_ok(context, ss_model_define(model, "mu", 0.3));
    check_ok(context, ss_model_add_text(model, "parameters", "parameters: {m: mu/0.15}"));
    check_ok(context, ss_model_add_text(model, "systems", SYSTEMS));
    check_ok(context, ss_model_add_text(model, "elements", ELEMENTS));
    check_ok(context, ss_args_create(context, &args));
    check_ok(context, ss_args_set_reals(args, "acceleration", 2, (double[]){0, -9.81}));
    check_ok(context, ss_args_set_text(args, "on", "block"));
    check_ok(context, ss_model_add_force(model, "weight", "gravity", args));
    ss_args_destroy(args);
    check_motion(context, model);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

/* What fails, and the message it gives. */
static const struct wrong {
    const char *text, *message;
} wrongs[] = {
    {"", "text:1:1: the text is empty"},
    {"systems: [", "text:1:"},
    {"simulation: {end: 1}",
     "text:1:1: 'simulation' is no part of a model that is built in C "
     "(sections: parameters, inputs, systems, elements, forces, shapes, outputs, controllers)"},
    {"include: [a.yaml]", "text:1:1: 'include' is no part of a model"},
    {"plugins: [a.so]", "text:1:1: 'plugins' is no part of a model"},
    {"system: {}", "text:1:1: a scene has no section 'system'; did you mean 'systems'?"},
    {"parameters: {mu: 1, k: 1}", "text:1:14: there is a parameter 'mu' already"},
    {"parameters:\n  k: 1\n  l: nothing", "text:3:6: unknown name 'nothing'"},
    {"systems:\n  a: {type: point, dim: 1, mass: 1}\n  b: {type: point, dim: 1, mass: -1}",
     "text:3:34: "},
    {"systems:\n  a: {type: point, dim: 2, mass: 1}\nelements:\n"
     "  e: {type: expression, gap: a.x, laws: {gap: {type: unilateral}}}\n"
     "  f: {type: expression, gap: a.y, slip: a.x', laws: {gap: {type: unilateral}, "
     "slip: {type: unilateral}}}\n",
     "text:5:79: "},
    {"systems:\n  a: {type: lagrange, coordinates: [s], kinetic: \"0.5*s'^2\"}\nforces:\n"
     "  f: {type: gravity, on: block, acceleration: [0, 0]}\n  h: {type: spring, between: [a, c], "
     "stiffness: 1}\n",
     "text:5:"},
    {"systems:\n  a: {type: body, mass: 1, inertia: [1, 1, 1]}\nshapes:\n"
     "  s: {type: sphere, radius: 1, on: a}\n  t: {type: sphere, radius: 0, on: a}\n",
     "text:5:29: "},
};

/* Every failure leaves the model as it was: names are free again, coordinates that several systems had belong to one
 * again, and the motion is that of a model to which nothing else was added. */
static void test_transaction(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model = make_model(context);
    check_ok(context, ss_model_add_text(model, "first", PARAMETERS SYSTEMS));
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        assert_int_not_equal(ss_model_add_text(model, "text", wrongs[i].text), SS_OK);
        if (strncmp(ss_context_message(context), wrongs[i].message, strlen(wrongs[i].message)) != 0)
            fail_msg("'%s' does not begin with '%s'", ss_context_message(context),
                     wrongs[i].message);
        double value;
        assert_int_equal(ss_scope_count(ss_model_scope(model)), 2);
        assert_false(ss_scope_find(ss_model_scope(model), "k", &value));
    }
    check_ok(context, ss_model_add_text(model, "last", ELEMENTS FORCES));
    check_motion(context, model);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

/* Names that a failed text had used are free. */
static void test_names_are_free(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model = make_model(context);
    const char wrong[] = OBJECTS "shapes: {s: {type: plane, on: nobody}}\n";
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ss_model_add_text(model, "text", wrong), SS_UNKNOWN_NAME);
        assert_int_not_equal(ss_model_seal(model), SS_OK); /* there is no system */
    }
    check_ok(context, ss_model_add_text(model, "text", OBJECTS));
    check_motion(context, model);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

static void expect_failure(const ss_context *context, ss_status status, const char *message)
{
    assert_int_not_equal(status, SS_OK);
    assert_non_null(strstr(ss_context_message(context), message));
}

static void test_order_of_calls(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model = make_model(context);
    ss_scene *scene;
    check_ok(context, ss_model_add_text(model, "text", OBJECTS));
    expect_failure(context, ss_scene_create(model, "run", SIMULATION, &scene),
                   "the model is not sealed yet");
    assert_null(scene);
    check_ok(context, ss_model_seal(model));
    expect_failure(context, ss_model_add_text(model, "text", FORCES), "the model is sealed");
    expect_failure(context, ss_scene_create(model, "run", FORCES SIMULATION, &scene),
                   "run:1:1: 'forces' is no part of a scene whose model was built in C");
    expect_failure(context, ss_scene_create(model, "run", "solver: {type: exact}", &scene),
                   "the section 'simulation' is missing");
    ss_model_destroy(model);
    ss_context_destroy(context);
}

/* The other sections work as in a scene; two scenes may share a model. */
static void test_scene_around(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_model *model = make_model(context);
    ss_scene *one, *two;
    check_ok(context, ss_model_add_text(model, "text", OBJECTS));
    check_ok(context, ss_model_seal(model));
    check_ok(context, ss_scene_create(model, "one", SIMULATION, &one));
    check_ok(context, ss_scene_create(model, "two",
                                      "name: plotted\nsolver: {type: jorprox}\n"
                                      "simulation: {step: 1e-3, end: 10*mu}\n"
                                      "plots: {x: {y: [block.x]}}\n",
                                      &two));
    assert_string_equal(ss_scene_name(one), "one");
    assert_string_equal(ss_scene_name(two), "plotted");
    assert_int_equal(ss_scene_plot_count(two), 1);
    assert_true(ss_simulation_settings(ss_scene_simulation(two))->end == 3);
    assert_ptr_equal(ss_scene_model(one), model);
    assert_string_equal(ss_scene_text(one), "");
    ss_scene_destroy(one);
    advance(two, 10);
    ss_scene_destroy(two);
    ss_model_destroy(model);
    ss_context_destroy(context);
}

/* ---- Memory that runs out ---- */

typedef struct counter {
    long calls, live;
    long refused; /* this call fails; negative: none */
} counter;

static void *count_allocate(void *user, size_t size)
{
    counter *c = user;
    void *memory = c->calls++ == c->refused ? NULL : malloc(size);
    c->live += memory != NULL;
    return memory;
}

static void *count_reallocate(void *user, void *memory, size_t size)
{
    counter *c = user;
    c->live += memory == NULL;
    return c->calls++ == c->refused ? (c->live -= memory == NULL, NULL) : realloc(memory, size);
}

static void count_release(void *user, void *memory)
{
    counter *c = user;
    c->live -= memory != NULL;
    free(memory);
}

/* Refuses one allocation of the addition, then adds again. Returns whether there was such an allocation. */
static bool try_without(long allocation)
{
    counter c = {.refused = -1};
    ss_context_options options = ss_default_context();
    ss_context *context;
    options.allocator = (ss_allocator){&c, count_allocate, count_reallocate, count_release};
    assert_int_equal(ss_context_create(&options, &context), SS_OK);
    ss_model *model = make_model(context);
    check_ok(context, ss_model_add_text(model, "first", PARAMETERS SYSTEMS));
    c.refused = c.calls + allocation;
    bool failed = ss_model_add_text(model, "last", ELEMENTS FORCES) != SS_OK;
    c.refused = -1;
    if (failed) {
        assert_non_null(strstr(ss_context_message(context), "out of memory"));
        check_ok(context, ss_model_add_text(model, "last", ELEMENTS FORCES));
    }
    check_ok(context, ss_model_seal(model));
    assert_int_equal(ss_model_sizes(model).n_laws, 3);
    ss_model_destroy(model);
    ss_context_destroy(context);
    assert_int_equal(c.live, 0);
    return failed;
}

static void test_memory(void **state)
{
    (void)state;
    long n = 0;
    while (try_without(n))
        n++;
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),          cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_transaction),    cmocka_unit_test(test_names_are_free),
        cmocka_unit_test(test_order_of_calls), cmocka_unit_test(test_scene_around),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
