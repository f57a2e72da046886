/* test_broken.c: every scene of broken/ is refused with exactly the message of its .expected
 * file.
 *
 * "(types: …)" and the like in an expected message stand for any list. Lines of a scene that
 * begin with "#! parameter" or "#! setting" give what the command line would add. */

#include "support/test.h"

#include <stickslip/stickslip.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char folder[] = SS_SOURCE_DIR "/tests/scene/broken/";

enum { LONGEST = 65536, MOST_OPTIONS = 4 };

static void read_file(const char *name, char *text)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("cannot open %s", name);
    size_t length = fread(text, 1, LONGEST - 1, file);
    fclose(file);
    text[length] = '\0';
}

/* What stands behind `mark` in each line that begins with it. */
static int read_options(char *text, const char *mark, const char **options)
{
    int count = 0;
    for (char *at = strstr(text, mark); at && count < MOST_OPTIONS; at = strstr(at, mark)) {
        at += strlen(mark);
        options[count++] = at;
        char *end = strchr(at, '\n');
        if (!end)
            break;
        *end = '\0';
        at = end + 1;
    }
    return count;
}

/* Messages of the system's loader hold whole paths. */
static void remove_folder(char *text)
{
    for (char *at = strstr(text, folder); at; at = strstr(at, folder))
        memmove(at, at + strlen(folder), strlen(at + strlen(folder)) + 1);
}

/* Shortens a list of what would be valid to "…" where the expected message does so. */
static void shorten_list(char *text, const char *expected, const char *begin)
{
    char shortened[64];
    snprintf(shortened, sizeof shortened, "%s…)", begin);
    char *list = strstr(text, begin);
    char *end = list ? strchr(list, ')') : NULL;
    if (!strstr(expected, shortened) || !end || (size_t)(end - list) <= strlen(shortened))
        return;
    memmove(list + strlen(shortened), end + 1, strlen(end));
    memcpy(list, shortened, strlen(shortened));
}

static bool is_fault_of_user(ss_status status)
{
    return status == SS_INPUT || status == SS_UNKNOWN_NAME || status == SS_NON_FINITE ||
           status == SS_SINGULAR || status == SS_IO;
}

/* Loads the scene; returns whether it fails as expected. */
static bool check(const char *scene_name)
{
    static char text[LONGEST], again[LONGEST], expected[LONGEST], got[LONGEST];
    char expected_name[256];
    snprintf(expected_name, sizeof expected_name, "%.*s.expected", (int)strlen(scene_name) - 5,
             scene_name);
    read_file(scene_name, text);
    memcpy(again, text, sizeof again);
    read_file(expected_name, expected);
    expected[strlen(expected) - 1] = '\0'; /* the last line feed */

    const char *parameters[MOST_OPTIONS], *settings[MOST_OPTIONS];
    ss_scene_options options = {.parameters = parameters, .settings = settings};
    options.n_parameters = read_options(text, "#! parameter ", parameters);
    options.n_settings = read_options(again, "#! setting ", settings);

    options.allow_plugins = strstr(text, "#! allow plugins") != NULL;

    ss_context *context;
    ss_scene *scene;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    ss_status status = ss_scene_load(context, scene_name, &options, &scene);
    snprintf(got, sizeof got, "%s",
             status == SS_OK ? "(the scene was accepted)" : ss_context_message(context));
    remove_folder(got);
    shorten_list(got, expected, "(types: ");
    shorten_list(got, expected, "(keys: ");
    shorten_list(got, expected, "(known: ");
    shorten_list(got, expected, "(sections: ");
    bool same = strcmp(got, expected) == 0 && is_fault_of_user(status) && !scene;
    if (!same)
        print_error("---- %s (%s)\nexpected: %s\ngot:      %s\n", scene_name,
                    ss_status_name(status), expected, got);
    ss_scene_destroy(scene);
    ss_context_destroy(context);
    return same;
}

static void test_messages(void **state)
{
    (void)state;
    assert_int_equal(chdir(folder), 0);
    DIR *directory = opendir(".");
    assert_non_null(directory);
    int count = 0, wrong = 0;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0)
            continue;
        count++;
        wrong += !check(entry->d_name);
    }
    closedir(directory);
    print_message("%d broken scenes, %d with another message than expected\n", count, wrong);
    assert_true(count >= 60);
    assert_int_equal(wrong, 0);
}

static void test_missing_file(void **state)
{
    (void)state;
    ss_context *context;
    ss_scene *scene;
    assert_int_equal(ss_context_create(NULL, &context), SS_OK);
    assert_int_equal(ss_scene_load(context, "/nowhere/ball.yaml", NULL, &scene), SS_IO);
    assert_null(scene);
    assert_string_equal(ss_context_message(context),
                        "cannot read '/nowhere/ball.yaml': No such file or directory");
    assert_int_equal(ss_scene_load(context, "/", NULL, &scene), SS_IO);
    assert_string_equal(ss_context_message(context), "cannot read '/': Is a directory");
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
