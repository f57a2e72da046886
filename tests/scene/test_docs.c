/* test_docs.c: the scenes printed in the manual work as they stand. */
#include "scene/scenes.h"

#include <stdlib.h>

enum { LONGEST = 100000 };

/* A block of YAML that has both required sections is a whole scene. */
static bool is_scene(const char *block)
{
    return strstr(block, "\nsystems:") && strstr(block, "\nsimulation:");
}

static int run_scenes(const char *path)
{
    static char text[LONGEST];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    int count = 0;
    for (char *begin = strstr(text, "```yaml\n"); begin; begin = strstr(begin, "```yaml\n")) {
        begin += strlen("```yaml\n");
        char *end = strstr(begin, "```");
        assert_non_null(end);
        *end = '\0';
        if (is_scene(begin)) {
            ss_context *context = make_context();
            ss_scene *scene = parse(context, begin, NULL);
            advance(scene, 1000);
            ss_scene_destroy(scene);
            ss_context_destroy(context);
            count++;
        }
        begin = end + 3;
    }
    return count;
}

static void test_manual(void **state)
{
    (void)state;
    assert_int_equal(run_scenes(SS_SOURCE_DIR "/docs/scene.md"), 3);
    assert_int_equal(run_scenes(SS_SOURCE_DIR "/docs/tutorial.md"), 3);
    assert_int_equal(run_scenes(SS_SOURCE_DIR "/docs/bodies.md"), 3);
}

static void test_readme(void **state)
{
    (void)state;
    assert_true(run_scenes(SS_SOURCE_DIR "/README.md") >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_readme),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
