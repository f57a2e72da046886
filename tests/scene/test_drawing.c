/* test_drawing.c: shapes come out of a scene as they went in. */
#include "scene/scenes.h"

#include <math.h>

static const ss_drawn_property *find(const ss_drawn *shape, const char *key)
{
    for (int i = 0; i < shape->n_properties; i++)
        if (strcmp(shape->properties[i].key, key) == 0)
            return &shape->properties[i];
    return NULL;
}

static void check(const ss_drawn *shape, const char *key, bool expression, int rows, int columns,
                  int item, const char *text)
{
    const ss_drawn_property *property = find(shape, key);
    assert_non_null(property);
    assert_int_equal(property->expression, expression);
    assert_int_equal(property->rows, rows);
    assert_int_equal(property->columns, columns);
    assert_string_equal(property->items[item], text);
}

static const char text[] =
    "parameters: {r: 0.1}\n"
    "systems:\n"
    "  ball: {type: point, dim: 2, mass: 1}\n"
    "elements:\n"
    "  floor: {type: plane, system: ball, normal: [0, 1],\n"
    "          laws: {gap: {type: unilateral}}}\n"
    "simulation: {type: constant, step: 1e-3, end: 1}\n"
    "drawing:\n"
    "  ball: {shape: circle, on: ball, radius: r + 0*x', color: red}\n"
    "  rope: {shape: line, points: [[0, 1], [x, y], [0.5, -1e3]], hatch: true}\n"
    "  push: {shape: arrow, force: [0, floor.gap.force], law: floor.gap}\n"
    "  coil: {shape: spring, radius: .1, turns: 5, width: 3,\n"
    "         points: [[0, 0, 0], [x, y, 1]]}\n";

static void shapes_keep_what_they_were_given(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = parse(context, text, NULL);
    assert_int_equal(ss_scene_drawn_count(scene), 4);
    ss_drawn ball = ss_scene_drawn(scene, 0), rope = ss_scene_drawn(scene, 1);
    ss_drawn push = ss_scene_drawn(scene, 2), coil = ss_scene_drawn(scene, 3);
    assert_string_equal(ball.name, "ball");
    assert_string_equal(ball.kind, "circle");
    assert_int_equal(ball.n_properties, 3);
    check(&ball, "on", false, 1, 1, 0, "ball");
    check(&ball, "radius", true, 1, 1, 0, "r + 0*x'");
    check(&ball, "color", false, 1, 1, 0, "red");
    assert_string_equal(rope.kind, "line");
    check(&rope, "points", true, 3, 2, 3, "y");
    check(&rope, "points", true, 3, 2, 5, "-1e3");
    check(&rope, "hatch", false, 1, 1, 0, "true");
    check(&push, "force", true, 2, 1, 1, "floor.gap.force");
    check(&push, "law", false, 1, 1, 0, "floor.gap");
    check(&coil, "turns", false, 1, 1, 0, "5");
    check(&coil, "width", false, 1, 1, 0, "3");
    check(&coil, "points", true, 2, 3, 5, "1");
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* Every scene that users look at has a drawing, and all of its expressions are known. */
static void scenes_are_drawn(void **state)
{
    (void)state;
    static const char *const names[] = {"bar",
                                        "block",
                                        "cradle",
                                        "falling_mass",
                                        "impact_oscillator",
                                        "prestressed_spring",
                                        "sliding_mass",
                                        "slope",
                                        "train2",
                                        "train6",
                                        "woodpecker"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[128];
        snprintf(path, sizeof path, "scenes/%s.yaml", names[i]);
        ss_context *context = make_context();
        ss_scene *scene = load(context, path, NULL);
        assert_true(ss_scene_drawn_count(scene) > 0);
        assert_true(ss_scene_expectation_count(scene) > 0);
        ss_scene_destroy(scene);
        ss_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_keep_what_they_were_given),
        cmocka_unit_test(scenes_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
