/* test_load.c: what a scene says arrives in the model. */
#include "scene/scenes.h"

#include "scene/scene.h"

#include <math.h>

#define BALL       "systems:\n  ball: {type: point, dim: 2, mass: 1, position: [1, 2]}\n"
#define SIMULATION "simulation: {step: 0.5, end: 1}\n"

static void check_q(ss_scene *scene, int index, const char *name, double value)
{
    assert_string_equal(ss_model_q_name(ss_scene_model(scene), index).text, name);
    assert_true(positions(scene)[index] == value);
}

static void test_minimal(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = load(context, "tests/scene/valid/minimal.yaml", NULL);
    assert_string_equal(ss_scene_name(scene), "minimal");
    assert_string_equal(ss_scene_description(scene), "");
    assert_int_equal(ss_scene_record_every(scene), 1);
    assert_int_equal(ss_scene_plot_count(scene), 0);
    ss_model_size size = ss_model_sizes(ss_scene_model(scene));
    assert_int_equal(size.n_systems, 1);
    assert_int_equal(size.n_q, 1);
    assert_int_equal(size.n_laws, 0);
    check_q(scene, 0, "ball.x", 0);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void check_full_plots(const ss_scene *scene)
{
    assert_int_equal(ss_scene_plot_count(scene), 2);
    ss_plot path = ss_scene_plot(scene, 0), speeds = ss_scene_plot(scene, 1);
    assert_string_equal(path.name, "path");
    assert_string_equal(path.title, "Path: of the block");
    assert_string_equal(path.x_label, "x in m");
    assert_string_equal(path.x, "x");
    assert_int_equal(path.n_y, 1);
    assert_string_equal(path.y[0], "block.y");
    assert_false(path.modes);
    assert_string_equal(speeds.x, "t");
    assert_string_equal(speeds.title, "");
    assert_int_equal(speeds.n_y, 3);
    assert_string_equal(speeds.y[1], "a'");
    assert_true(speeds.modes);
}

static void test_full(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = load(context, "tests/scene/valid/full.yaml", NULL);
    assert_string_equal(ss_scene_name(scene), "full");
    assert_string_equal(
        ss_scene_description(scene),
        "A block on a moving belt, a pendulum\nand a \"quoted\" word: # no comment.\n");
    assert_int_equal(ss_scene_record_every(scene), 10);
    ss_model_size size = ss_model_sizes(ss_scene_model(scene));
    assert_int_equal(size.n_systems, 3);
    assert_int_equal(size.n_elements, 3);
    assert_int_equal(size.n_laws, 5);
    assert_int_equal(size.n_forces, 2);
    check_q(scene, 1, "block.y", 0.05);
    check_q(scene, 3, "pendulum.angle", acos(-1.0) / 4);
    check_q(scene, 4, "cart.a", 0.1);
    assert_true(velocities(scene)[0] == 0.2);
    assert_string_equal(ss_model_law(ss_scene_model(scene), 3).name, "right.slip");
    double weight;
    assert_true(ss_scope_find(ss_model_scope(ss_scene_model(scene)), "weight", &weight));
    assert_true(weight == 2 * 9.81);
    const ss_simulation_options *options = ss_simulation_settings(ss_scene_simulation(scene));
    assert_true(options->end == 0.3);
    assert_int_equal(options->on_failure, SS_FAILURE_WARN);
    check_full_plots(scene);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* mu: given anew by the including file, so twice_mu of the included file follows it. */
static void test_includes(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = load(context, "tests/scene/valid/includes.yaml", NULL);
    const ss_scope *scope = ss_model_scope(ss_scene_model(scene));
    double value;
    assert_string_equal(ss_scene_name(scene), "includes");
    assert_true(ss_scope_find(scope, "twice_mu", &value) && value == 0.2);
    assert_true(ss_scope_find(scope, "mass", &value) && value == 0.0625);
    check_q(scene, 1, "ball.y", 0.5);
    assert_true(ss_simulation_settings(ss_scene_simulation(scene))->end == 1.5);
    assert_non_null(strstr(ss_scene_text(scene), "tolerance: 1e-11"));
    assert_non_null(strstr(ss_scene_text(scene), "order: symmetric"));
    assert_null(strstr(ss_scene_text(scene), "include"));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void test_parameters_and_settings(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *parameters[] = {"mu=0.2", "height=3*size"};
    const char *settings[] = {"simulation.step=0.25",
                              "systems.ball.velocity=[2, -1]",
                              "elements.floor.laws.gap.restitution=0.75",
                              "record.every=7",
                              "parameters.mass=4",
                              "solver.type=nothing",
                              "name=other"};
    ss_scene_options options = {2, parameters, 6, settings, false};
    ss_scene *scene;
    char path[] = SS_SOURCE_DIR "/tests/scene/valid/includes.yaml";
    assert_int_equal(ss_scene_load(context, path, &options, &scene), SS_UNKNOWN_NAME);
    assert_non_null(strstr(ss_context_message(context),
                           "command line:1:13: there is no solver type 'nothing'"));
    settings[5] = "solver.order=forward";
    options.n_settings = 7;
    scene = load(context, "tests/scene/valid/includes.yaml", &options);
    check_q(scene, 1, "ball.y", 0.75);
    assert_true(velocities(scene)[0] == 2 && velocities(scene)[1] == -1);
    assert_int_equal(ss_scene_record_every(scene), 7);
    assert_string_equal(ss_scene_name(scene), "other");
    double value;
    const ss_scope *scope = ss_model_scope(ss_scene_model(scene));
    assert_true(ss_scope_find(scope, "twice_mu", &value) && value == 0.4);
    assert_true(ss_scope_find(scope, "mass", &value) && value == 4);
    assert_non_null(strstr(ss_scene_text(scene), "restitution: 0.75"));
    advance(scene, 1);
    assert_true(ss_state_time(ss_simulation_state(ss_scene_simulation(scene))) == 0.25);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* A setting changes one of two elements that share a law by an alias. */
static void test_setting_behind_alias(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *setting = "elements.right.laws.gap.restitution=0.9";
    ss_scene_options options = {0, NULL, 1, &setting, false};
    ss_scene *scene = load(context, "tests/scene/valid/full.yaml", &options);
    const char *text = ss_scene_text(scene);
    const char *left = strstr(text, "  left:"), *right = strstr(text, "  right:");
    const char *first = strstr(left, "restitution:"), *second = strstr(right, "restitution:");
    assert_memory_equal(first, "restitution: 0.2\n", 17);
    assert_memory_equal(second, "restitution: 0.9\n", 17);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void test_line_ends_and_mark(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char text[] = "\xEF\xBB\xBF"
                        "systems:\r\n  ball: {type: point, dim: 2, mass: 1}\r\n"
                        "simulation:\r\n  step: 0.5\r\n  end: unknown_word\r\n";
    ss_scene *scene;
    assert_int_equal(ss_scene_parse(context, "a.yaml", text, sizeof text - 1, NULL, &scene),
                     SS_UNKNOWN_NAME);
    assert_string_equal(ss_context_message(context),
                        "a.yaml:5:8: unknown name 'unknown_word' (known: pi, inf)\n"
                        "      5 |   end: unknown_word\n"
                        "        |        ^");
    ss_context_destroy(context);
}

static void test_self_contained(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene_options options = {.self_contained = true};
    ss_scene *scene;
    const char include[] = "include: [x.yaml]\n" BALL SIMULATION;
    assert_int_equal(ss_scene_parse(context, "a.yaml", include, strlen(include), &options, &scene),
                     SS_INPUT);
    assert_non_null(
        strstr(ss_context_message(context), "a.yaml:1:1: 'include' is not allowed here"));
    const char plugin[] = "plugins: [x.so]\n" BALL SIMULATION;
    assert_int_equal(ss_scene_parse(context, "a.yaml", plugin, strlen(plugin), &options, &scene),
                     SS_INPUT);
    assert_non_null(
        strstr(ss_context_message(context), "a.yaml:1:1: 'plugins' is not allowed here"));
    scene = parse(context, BALL SIMULATION, &options);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* The message for an unknown type names every type there is. */
static void test_unknown_type_lists_all(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char text[] = "systems:\n  ball: {type: ?}\n" SIMULATION;
    ss_scene *scene;
    assert_int_equal(ss_scene_parse(context, "a.yaml", text, strlen(text), NULL, &scene),
                     SS_UNKNOWN_NAME);
    const ss_type *type;
    for (size_t i = 0; (type = ss_type_at(context, SS_TYPE_SYSTEM, i)); i++)
        assert_non_null(strstr(ss_context_message(context), type->name));
    ss_context_destroy(context);
}

/* The message for an unknown section names every section there is. */
static void test_unknown_section_lists_all(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char text[] = BALL SIMULATION "nothing: 1\n";
    ss_scene *scene;
    assert_int_equal(ss_scene_parse(context, "a.yaml", text, strlen(text), NULL, &scene),
                     SS_UNKNOWN_NAME);
    for (int i = 0; i < SS_SECTION_COUNT; i++)
        assert_non_null(strstr(ss_context_message(context), ss_sections[i].name));
    ss_context_destroy(context);
}

static void test_file_too_large(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene;
    char path[] = SS_BINARY_DIR "/large.yaml";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fseek(file, 5 << 20, SEEK_SET), 0);
    fputc('\n', file);
    fclose(file);
    assert_int_equal(ss_scene_load(context, path, NULL, &scene), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "is larger than 4 MB: no scene file"));
    remove(path);
    assert_int_equal(ss_scene_load(context, "/dev/zero", NULL, &scene), SS_IO);
    assert_string_equal(ss_context_message(context),
                        "cannot read '/dev/zero': it is no regular file");
    ss_context_destroy(context);
}

static void test_folder(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene;
    const char text[] = BALL SIMULATION;
    check_ok(context, ss_scene_parse(context, "/a/b/c.d.yaml", text, strlen(text), NULL, &scene));
    assert_string_equal(ss_scene_folder(scene), "/a/b/");
    assert_string_equal(ss_scene_name(scene), "c.d");
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_includes),
        cmocka_unit_test(test_parameters_and_settings),
        cmocka_unit_test(test_setting_behind_alias),
        cmocka_unit_test(test_line_ends_and_mark),
        cmocka_unit_test(test_self_contained),
        cmocka_unit_test(test_unknown_type_lists_all),
        cmocka_unit_test(test_unknown_section_lists_all),
        cmocka_unit_test(test_file_too_large),
        cmocka_unit_test(test_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
