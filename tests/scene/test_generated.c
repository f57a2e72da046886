/* test_generated.c: the copies of the schema and of the reference in the source tree are what
 * the library makes.
 *
 * With STICKSLIP_UPDATE set in the environment the copies are written anew. */
#include "scene/scenes.h"

#include <stdlib.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *text = calloc((size_t)length + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* The first line in which two texts differ. */
static int first_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

static void compare(ss_status (*make)(ss_context *, char **), const char *path)
{
    ss_context *context = make_context();
    char *text;
    check_ok(context, make(context, &text));
    if (getenv("STICKSLIP_UPDATE"))
        write_file(path, text);
    char *copy = read_file(path);
    if (!copy || strcmp(copy, text) != 0)
        fail_msg("%s is out of date from line %d on; run this test with STICKSLIP_UPDATE=1", path,
                 first_difference(text, copy ? copy : ""));
    free(copy);
    ss_release(context, text);
    ss_context_destroy(context);
}

static void test_schema(void **state)
{
    (void)state;
    compare(ss_scene_schema, SS_SOURCE_DIR "/schema/stickslip-scene.schema.json");
}

static void test_reference(void **state)
{
    (void)state;
    compare(ss_scene_reference, SS_SOURCE_DIR "/docs/scene-reference.md");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
