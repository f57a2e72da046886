/* test_expect.c: expectations measured on a record of a motion in closed form: a ball on a line without forces between
 * two walls, x = 0.25 + 2 t at first. It hits the right wall (x = 1) at 0.375, 1.375 … s and the left one (x = 0) at
 * 0.875, 1.875 … s. The step of 1/1024 s and all these numbers are exact in binary. */
#include "scene/scenes.h"

#include <math.h>
#include <unistd.h>

static const char model[] =
    "systems:\n"
    "  ball: {type: point, dim: 1, mass: 1, position: [0.25], velocity: [2]}\n"
    "elements:\n"
    "  right: {type: expression, gap: 1 - x, laws: {gap: {type: unilateral, restitution: 1}}}\n"
    "  left: {type: expression, gap: x, laws: {gap: {type: unilateral, restitution: 1}}}\n"
    "simulation: {type: constant, step: 1/1024, end: 2}\n"
    "record: {every: 8}\n";

/* Runs the model with one expectation and measures it. */
static double measure(const char *expectation)
{
    char text[2048], path[256];
    ss_context *context = make_context();
    ss_recorder *recorder;
    ss_record *record;
    double value;
    snprintf(text, sizeof text, "%sexpect:\n  it: {%s}\n", model, expectation);
    snprintf(path, sizeof path, "%s/expect-%d.h5", SS_BINARY_DIR, (int)getpid());
    ss_scene *scene = parse(context, text, NULL);
    ss_simulation *simulation = ss_scene_simulation(scene);
    ss_recorder_options options = {.every = ss_scene_record_every(scene)};
    check_ok(context, ss_recorder_create(simulation, path, &options, &recorder));
    check_ok(context, ss_simulation_run(simulation, ss_recorder_observe, recorder));
    check_ok(context, ss_recorder_close(recorder));
    check_ok(context, ss_record_open(context, path, &record));
    check_ok(context, ss_scene_measure(scene, 0, record, &value));
    ss_record_close(record);
    unlink(path);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return value;
}

static void near(double value, double expected)
{
    const double step = 1.0 / 1024; /* an impact is seen in the step in which it happens */
    if (!(fabs(value - expected) <= 4.5 * step))
        fail_msg("%.9g instead of %.9g", value, expected);
}

static void values_at_times(void **state)
{
    (void)state;
    near(measure("value: x, at: 0.25"), 0.75);
    near(measure("value: 3*x', at: 0.5"), -6);
    near(measure("value: x, at: -1"), 0.25);
    near(measure("value: t"), 2);
    near(measure("value: t, at: 5"), 2);
}

/* Between two recorded states the value is interpolated: exactly, where it is linear. */
static void values_between_states(void **state)
{
    (void)state;
    double between = 3.5 / 1024;
    assert_true(fabs(measure("value: x, at: 3.5/1024") - (0.25 + 2 * between)) < 1e-12);
}

static void values_at_switches(void **state)
{
    (void)state;
    near(measure("value: t, event: right.gap closed"), 0.375);
    near(measure("value: t, event: right.gap closed 2"), 1.375);
    /* Interpolated over the kink between two states that are eight steps apart. */
    assert_true(fabs(measure("value: x, event: left.gap closed 2")) <= 2 * 8.0 / 1024);
    near(measure("value: t, event: left.gap closed, since: right.gap closed"), 0.5);
    near(measure("value: t, since: left.gap closed 2"), 0.125);
    assert_true(isnan(measure("value: t, event: right.gap closed 3")));
    assert_true(isnan(measure("value: t, since: right.gap closed 3")));
}

static void extremes(void **state)
{
    (void)state;
    near(measure("value: x, over: largest"), 1);
    near(measure("value: x, over: least"), 0);
    near(measure("value: x', over: least"), -2);
}

/* Four hits: right, left, right, left; each closes and opens again. */
static void orders(void **state)
{
    (void)state;
    const char right[] =
        "order: [right.gap closed, right.gap open, left.gap closed, left.gap open]";
    const char wrong[] =
        "order: [right.gap closed, right.gap open, left.gap open, left.gap closed]";
    const char long_one[] =
        "order: [left.gap closed, left.gap open, right.gap closed, right.gap open, "
        "left.gap closed, left.gap open, right.gap closed]";
    assert_true(measure(right) == 0);
    assert_true(measure(wrong) == 4);
    assert_true(isnan(measure(long_one)));
}

static void faces(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text,
             "%sexpect:\n  a: {value: x, at: 0.5, is: 1/8, within: 2*3, source: a book}\n"
             "  b: {order: [left.gap closed]}\n",
             model);
    ss_context *context = make_context();
    ss_scene *scene = parse(context, text, NULL);
    assert_int_equal(ss_scene_expectation_count(scene), 2);
    ss_expectation a = ss_scene_expectation(scene, 0), b = ss_scene_expectation(scene, 1);
    assert_string_equal(a.name, "a");
    assert_string_equal(a.what, "x at 0.5 s");
    assert_string_equal(a.source, "a book");
    assert_true(a.is == 0.125 && a.within == 6);
    assert_string_equal(b.source, "");
    assert_true(b.is == 0 && b.within == 0);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_at_times),
        cmocka_unit_test(values_between_states),
        cmocka_unit_test(values_at_switches),
        cmocka_unit_test(extremes),
        cmocka_unit_test(orders),
        cmocka_unit_test(faces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
