/* test_repeat.c: one object of a scene that stands for many. */
#include "scene/scenes.h"

#define SIMULATION "simulation: {step: 0.5, end: 1}\n"

static void test_names_and_numbers(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = parse(context,
                            "parameters: {n: 3}\n"
                            "systems:\n"
                            "  node:\n"
                            "    repeat: {i: n}\n"
                            "    type: point\n"
                            "    dim: 2\n"
                            "    mass: 1 + i\n"
                            "    position: [10*i, -i^2]\n"
                            "  last: {type: point, dim: 1, mass: 1}\n" SIMULATION,
                            NULL);
    const ss_model *model = ss_scene_model(scene);
    assert_int_equal(ss_model_sizes(model).n_systems, 4);
    assert_string_equal(ss_model_system(model, 0).name, "node_0");
    assert_string_equal(ss_model_system(model, 2).name, "node_2");
    assert_string_equal(ss_model_system(model, 3).name, "last");
    const double expected[7] = {0, 0, 10, -1, 20, -4, 0};
    for (int i = 0; i < 7; i++)
        assert_true(positions(scene)[i] == expected[i]);
    assert_non_null(strstr(ss_scene_text(scene), "repeat"));
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void test_several_indices(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = parse(context,
                            "systems:\n"
                            "  b: {repeat: {i: 2, j: 3, k: 2}, type: point, dim: 1, mass: 1, "
                            "position: 100*i + 10*j + k}\n" SIMULATION,
                            NULL);
    const ss_model *model = ss_scene_model(scene);
    assert_int_equal(ss_model_sizes(model).n_systems, 12);
    assert_string_equal(ss_model_system(model, 0).name, "b_0_0_0");
    assert_string_equal(ss_model_system(model, 1).name, "b_0_0_1");
    assert_string_equal(ss_model_system(model, 11).name, "b_1_2_1");
    assert_true(positions(scene)[11] == 121);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* Braces in names, words and expressions; laws inside of an element; a count of zero. */
static void test_braces(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene =
        parse(context,
              "systems:\n"
              "  p: {repeat: {i: 3}, type: point, dim: 1, mass: 1, position: i}\n"
              "elements:\n"
              "  e:\n"
              "    repeat: {i: 2}\n"
              "    type: expression\n"
              "    gap: p_{i+1}.x - p_{i}.x - (1 + i)/10\n"
              "    slip: p_{i}.x'\n"
              "    laws:\n"
              "      gap: {type: unilateral, restitution: i/2}\n"
              "      slip: {type: friction, mu: 0.1}\n"
              "forces:\n"
              "  s: {repeat: {i: 2}, type: spring, system: \"p_{i}\", to: \"p_{i+1}\", "
              "stiffness: 1}\n"
              "  none: {repeat: {i: 0}, type: nothing}\n"
              "plots:\n"
              "  x: {repeat: {i: 3}, y: \"p_{i}.x*i\", title: \"i of p_{i}\"}\n"
              "drawing:\n"
              "  disk: {repeat: {i: 3}, shape: circle, x: i, y: 0, radius: 0.1}\n" SIMULATION,
              NULL);
    const ss_model *model = ss_scene_model(scene);
    assert_int_equal(ss_model_sizes(model).n_elements, 2);
    assert_int_equal(ss_model_sizes(model).n_forces, 2);
    assert_string_equal(ss_model_law(model, 2).name, "e_1.gap");
    assert_int_equal(ss_scene_plot_count(scene), 3);
    assert_string_equal(ss_scene_plot(scene, 2).name, "x_2");
    assert_string_equal(ss_scene_plot(scene, 2).y[0], "p_2.x*2");
    assert_string_equal(ss_scene_plot(scene, 2).title, "i of p_2");
    assert_int_equal(ss_scene_drawn_count(scene), 3);
    assert_string_equal(ss_scene_drawn(scene, 1).name, "disk_1");
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void refused(const char *repeat, const char *rest, const char *message)
{
    char text[1024];
    ss_context *context = make_context();
    ss_scene *scene;
    snprintf(text, sizeof text,
             "parameters: {n: 2}\nsystems:\n  p:\n    repeat: %s\n    type: point\n    dim: "
             "1\n%s" SIMULATION,
             repeat, rest);
    assert_int_not_equal(ss_scene_parse(context, "s.yaml", text, strlen(text), NULL, &scene),
                         SS_OK);
    const char *said = ss_context_message(context);
    if (strncmp(said, message, strlen(message)) != 0)
        fail_msg("'%s' does not begin with '%s'", said, message);
    ss_context_destroy(context);
}

static void test_refused(void **state)
{
    (void)state;
    const char *mass = "    mass: 1\n";
    refused(
        "3", mass,
        "s.yaml:4:13: system 'p': 'repeat' wants a map of one to three indices and how often each "
        "counts, such as {i: 10}");
    refused("{i: -1}", mass,
            "s.yaml:4:17: system 'p': 'repeat' wants a whole number from 0 to 10000000 for the "
            "index 'i', "
            "not -1");
    refused("{i: 2.5}", mass, "s.yaml:4:17: system 'p': 'repeat' wants a whole number");
    refused("{i: [1]}", mass,
            "s.yaml:4:17: system 'p': 'repeat' wants a number for the index 'i', not a list");
    refused(
        "{n: 2}", mass,
        "s.yaml:4:14: system 'p': the index 'n' has the name of a parameter; rename one of them");
    refused("{t: 2}", mass, "s.yaml:4:14: system 'p': 't' cannot be an index of 'repeat'");
    refused("{sin: 2}", mass, "s.yaml:4:14: 'sin' is a function");
    refused("{i: 1e4, j: 1e4}", mass,
            "s.yaml:4:13: system 'p': 'repeat' makes 100000000 of it; 10000000 are the most");
    refused("{i: 2}", "    mass: 1 + j\n", "s.yaml:7:15: unknown name 'j'");
    refused("{i: 2}", "    mass: p_{(i+1)/2}\n",
            "s.yaml:7:11: system 'p': {(i+1)/2} in 'p_{(i+1)/2}' is 0.5, not a whole number");
    refused("{i: 2}", "    mass: p_{i\n", "s.yaml:7:11: system 'p': '{' without '}' in 'p_{i'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_numbers),
        cmocka_unit_test(test_several_indices),
        cmocka_unit_test(test_braces),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
