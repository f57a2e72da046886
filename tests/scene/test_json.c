/* test_json.c: a text in YAML as JSON says the same. */
#include "scene/scenes.h"

#include <stdlib.h>

static void check_json(const char *yaml, const char *expected)
{
    ss_context *context = make_context();
    char *json;
    check_ok(context, ss_yaml_to_json(context, "t.yaml", yaml, strlen(yaml), &json));
    assert_string_equal(json, expected);
    ss_release(context, json);
    ss_context_destroy(context);
}

static void test_values(void **state)
{
    (void)state;
    check_json("a: 1\n", "{\n  \"a\": 1\n}");
    check_json("[1e-4, -.5, 1., 007, 0, -00.50e+2, 1.e3]",
               "[\n  1e-4,\n  -0.5,\n  1,\n  7,\n  0,\n  -0.50e+2,\n  1e3\n]");
    check_json("[true, false, null, ~, ]", "[\n  true,\n  false,\n  null,\n  null\n]");
    /* Words of other programs' YAML, expressions and quoted texts are texts. */
    check_json("{on: toy, no: yes}", "{\n  \"on\": \"toy\",\n  \"no\": \"yes\"\n}");
    check_json(
        "[2*mu, '1', \"true\", +1, 0x10, 1e999, ., inf, nan, 1_000]",
        "[\n  \"2*mu\",\n  \"1\",\n  \"true\",\n  \"+1\",\n  \"0x10\",\n  \"1e999\",\n  \".\",\n"
        "  \"inf\",\n  \"nan\",\n  \"1_000\"\n]");
    check_json(
        "a: {}\nb: []\nc:\n  d: [[1, 2], [3, 4]]\n",
        "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": {\n    \"d\": [\n      [\n        1,\n        2\n"
        "      ],\n      [\n        3,\n        4\n      ]\n    ]\n  }\n}");
    check_json("a: |\n  one\n  \"two\"\n", "{\n  \"a\": \"one\\n\\\"two\\\"\\n\"\n}");
    check_json("", "null");
}

static void test_number_keeps_every_digit(void **state)
{
    (void)state;
    ss_context *context = make_context();
    static const char text[] = "0.1234567890123456789";
    char *json;
    check_ok(context, ss_yaml_to_json(context, "t.yaml", text, strlen(text), &json));
    assert_true(strtod(json, NULL) == 0.1234567890123456789);
    ss_release(context, json);
    ss_context_destroy(context);
}

static void test_says_where(void **state)
{
    (void)state;
    ss_context *context = make_context();
    static const char text[] = "a: 1\na: 2\n";
    char *json;
    assert_int_equal(ss_yaml_to_json(context, "t.yaml", text, strlen(text), &json), SS_INPUT);
    assert_non_null(strstr(ss_context_message(context), "t.yaml:2:1: "));
    ss_context_destroy(context);
}

/* A scene means the same in both. */
static void test_scene(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = load(context, "scenes/woodpecker.yaml", NULL), *again;
    const char *text = ss_scene_text(scene);
    char *json;
    check_ok(context, ss_yaml_to_json(context, "t.yaml", text, strlen(text), &json));
    check_ok(context, ss_scene_parse(context, "t.json", json, strlen(json), NULL, &again));
    advance(scene, 200);
    advance(again, 200);
    int n = ss_model_sizes(ss_scene_model(scene)).n_q;
    assert_int_equal(n, ss_model_sizes(ss_scene_model(again)).n_q);
    assert_memory_equal(positions(scene), positions(again), (size_t)n * sizeof(double));
    ss_release(context, json);
    ss_scene_destroy(again);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_number_keeps_every_digit),
        cmocka_unit_test(test_says_where),
        cmocka_unit_test(test_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
