/* test_retype.c: a section that is given another type keeps what all types have, and nothing of the
 * old type. */
#include "scene/scenes.h"

static const char ball[] = "systems:\n  ball: {type: point, dim: 1, mass: 1, velocity: [1]}\n"
                           "solver: {type: jorprox, relaxation: 5}\n"
                           "simulation: {type: constant, step: 0.25, end: 2, on_failure: warn}\n";

static void check(ss_scene *scene, double end, double first)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    ss_step step;
    assert_true(ss_simulation_settings(simulation)->end == end);
    assert_int_equal(ss_simulation_settings(simulation)->on_failure, SS_FAILURE_WARN);
    assert_int_equal(ss_simulation_advance(simulation, &step), SS_OK);
    assert_true(ss_state_time(step.state) == first);
}

static void settings_may_come_in_any_order(void **state)
{
    (void)state;
    const char *orders[][3] = {
        {"simulation.type=augmented", "simulation.step_min=0.125", "simulation.step_max=0.5"},
        {"simulation.step_min=0.125", "simulation.type=augmented", "simulation.step_max=0.5"},
        {"simulation.step_max=0.5", "simulation.step_min=0.125", "simulation.type=augmented"},
    };
    for (int i = 0; i < 3; i++) {
        ss_context *context = make_context();
        ss_scene_options options = {.n_settings = 3, .settings = orders[i]};
        ss_scene *scene = parse(context, ball, &options);
        check(scene, 2, 0.125);
        ss_scene_destroy(scene);
        ss_context_destroy(context);
    }
}

/* The same type given again changes nothing; a section without a type has the default_value's. */
static void same_type_keeps_its_keys(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *settings[] = {"simulation.type=constant", "solver.type=jorprox"};
    ss_scene_options options = {.n_settings = 2, .settings = settings};
    ss_scene *scene = parse(context, ball, &options);
    check(scene, 2, 0.25);
    ss_scene_destroy(scene);
    const char *text = "systems:\n  ball: {type: point, dim: 1, mass: 1, velocity: [1]}\n"
                       "simulation: {step: 0.25, end: 2, on_failure: warn}\n";
    scene = parse(context, text, &options);
    check(scene, 2, 0.25);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

/* sorprox refuses relaxation 5, which jorprox has in the file. */
static void other_sections_do_the_same(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *settings[] = {"solver.type=sorprox"};
    ss_scene_options options = {.n_settings = 1, .settings = settings};
    ss_scene *scene = parse(context, ball, &options);
    check(scene, 2, 0.25);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void an_including_file_may_do_it(void **state)
{
    (void)state;
    ss_context *context = make_context();
    ss_scene *scene = load(context, "scenes/falling_mass_augmented.yaml", NULL);
    ss_simulation *simulation = ss_scene_simulation(scene);
    ss_step step;
    assert_true(ss_simulation_settings(simulation)->end == 1.2);
    assert_int_equal(ss_simulation_advance(simulation, &step), SS_OK);
    assert_true(ss_state_time(step.state) == 1e-5);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void unknown_keys_are_still_refused(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *settings[] = {"simulation.type=augmented", "simulation.step=1"};
    ss_scene_options options = {.n_settings = 2, .settings = settings};
    ss_scene *scene;
    assert_int_not_equal(ss_scene_parse(context, "test.yaml", ball, strlen(ball), &options, &scene),
                         SS_OK);
    assert_non_null(strstr(ss_context_message(context), "unknown key 'step'"));
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_may_come_in_any_order),
        cmocka_unit_test(same_type_keeps_its_keys),
        cmocka_unit_test(other_sections_do_the_same),
        cmocka_unit_test(an_including_file_may_do_it),
        cmocka_unit_test(unknown_keys_are_still_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
