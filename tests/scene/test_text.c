/* test_text.c: the merged text of a scene stands for the scene: read again it gives itself and
 * the same motion. */
#include "scene/scenes.h"

#include <dirent.h>

enum { STEPS = 60 };

static void compare(ss_scene *scene, ss_scene *again)
{
    assert_string_equal(ss_scene_text(scene), ss_scene_text(again));
    advance(scene, STEPS);
    advance(again, STEPS);
    const ss_state *a = ss_simulation_state(ss_scene_simulation(scene));
    const ss_state *b = ss_simulation_state(ss_scene_simulation(again));
    assert_int_equal(ss_state_bytes(a), ss_state_bytes(b));
    assert_memory_equal(a, b, ss_state_bytes(a));
    assert_int_equal(ss_scene_plot_count(scene), ss_scene_plot_count(again));
    assert_int_equal(ss_scene_record_every(scene), ss_scene_record_every(again));
    assert_string_equal(ss_scene_name(scene), ss_scene_name(again));
    assert_string_equal(ss_scene_description(scene), ss_scene_description(again));
}

static void round_trip(const char *path, const ss_scene_options *options)
{
    ss_context *context = make_context();
    ss_scene *scene = load(context, path, options), *again;
    char file[1024];
    snprintf(file, sizeof file, "%s%s.yaml", ss_scene_folder(scene), ss_scene_name(scene));
    const char *text = ss_scene_text(scene);
    check_ok(context, ss_scene_parse(context, file, text, strlen(text), NULL, &again));
    compare(scene, again);
    ss_scene_destroy(again);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
}

static void round_trip_all(const char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1024];
        if (!strstr(entry->d_name, ".yaml"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder + strlen(SS_SOURCE_DIR) + 1, entry->d_name);
        print_message("%s\n", path);
        round_trip(path, NULL);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
}

static void test_shipped_scenes(void **state)
{
    (void)state;
    round_trip_all(SS_SOURCE_DIR "/scenes");
}

static void test_valid_scenes(void **state)
{
    (void)state;
    round_trip_all(SS_SOURCE_DIR "/tests/scene/valid");
}

static void test_overridden(void **state)
{
    (void)state;
    const char *parameters[] = {"mu=0.05*2", "height=3*size"};
    const char *settings[] = {"simulation.step=2.5e-4", "systems.ball.velocity=[2, -1]",
                              "elements.floor.laws.gap.restitution=0.75"};
    ss_scene_options options = {2, parameters, 3, settings, false};
    round_trip("tests/scene/valid/includes.yaml", &options);
}

/* The override must change something, or the test above says nothing. */
static void test_override_changes_motion(void **state)
{
    (void)state;
    ss_context *context = make_context();
    const char *setting = "systems.ball.velocity=[2, -1]";
    ss_scene_options options = {0, NULL, 1, &setting, false};
    ss_scene *plain = load(context, "tests/scene/valid/includes.yaml", NULL);
    ss_scene *changed = load(context, "tests/scene/valid/includes.yaml", &options);
    assert_string_not_equal(ss_scene_text(plain), ss_scene_text(changed));
    advance(plain, STEPS);
    advance(changed, STEPS);
    assert_true(positions(plain)[0] != positions(changed)[0]);
    ss_scene_destroy(changed);
    ss_scene_destroy(plain);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_scenes),
        cmocka_unit_test(test_valid_scenes),
        cmocka_unit_test(test_overridden),
        cmocka_unit_test(test_override_changes_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
