/* test_memory.c: loading a scene with memory that runs out at every possible place leaks nothing
 * and says so. */
#include "scene/scenes.h"

#include <stdlib.h>

typedef struct counter {
    long calls, live;
    long allowed; /* calls that succeed; negative: all */
    bool once;    /* fail once and then work again, else fail from there on */
} counter;

static bool refuses(counter *c)
{
    long call = c->calls++;
    return call == c->allowed || (!c->once && c->allowed >= 0 && call > c->allowed);
}

static void *count_allocate(void *user, size_t size)
{
    counter *c = user;
    void *memory = refuses(c) ? NULL : malloc(size);
    c->live += memory != NULL;
    return memory;
}

static void *count_reallocate(void *user, void *memory, size_t size)
{
    return refuses(user) ? NULL : realloc(memory, size);
}

static void count_release(void *user, void *memory)
{
    counter *c = user;
    c->live -= memory != NULL;
    free(memory);
}

static ss_context_options counted(counter *c)
{
    ss_context_options options = ss_default_context();
    options.allocator = (ss_allocator){c, count_allocate, count_reallocate, count_release};
    return options;
}

/* Loads a scene; returns how many calls it took, or 0 when it failed. */
static long load_with(const char *path, const ss_scene_options *options, long allowed, bool once)
{
    counter c = {.allowed = allowed, .once = once};
    ss_context_options settings = counted(&c);
    ss_context *context;
    ss_scene *scene = NULL;
    ss_status status = ss_context_create(&settings, &context);
    if (status == SS_OK) {
        status = ss_scene_load(context, path, options, &scene);
        if (status != SS_OK)
            assert_non_null(strstr(ss_context_message(context), "out of memory"));
        ss_scene_destroy(scene);
    }
    ss_context_destroy(context);
    assert_int_equal(c.live, 0);
    assert_true(status == SS_OK || status == SS_MEMORY);
    return status == SS_OK ? c.calls : 0;
}

static void sweep(const char *path, const ss_scene_options *options)
{
    long calls = load_with(path, options, -1, false);
    assert_true(calls > 100);
    for (long allowed = 0; allowed < calls; allowed++) {
        assert_int_equal(load_with(path, options, allowed, true), 0);
        assert_int_equal(load_with(path, options, allowed, false), 0);
    }
    print_message("%s: %ld allocations\n", path + strlen(SS_SOURCE_DIR) + 1, calls);
}

static void test_full(void **state)
{
    (void)state;
    sweep(SS_SOURCE_DIR "/tests/scene/valid/full.yaml", NULL);
}

static void test_includes(void **state)
{
    (void)state;
    const char *parameter = "mu=0.2", *setting = "systems.ball.velocity=[2, -1]";
    ss_scene_options options = {1, &parameter, 1, &setting, false};
    sweep(SS_SOURCE_DIR "/tests/scene/valid/includes.yaml", &options);
}

static void test_broken(void **state)
{
    (void)state;
    /* What fails anyway must not leak either when memory runs out on the way. */
    const char path[] = SS_SOURCE_DIR "/tests/scene/broken/parameter_circle.yaml";
    for (long allowed = 0; allowed < 400; allowed++) {
        counter c = {.allowed = allowed};
        ss_context_options settings = counted(&c);
        ss_context *context;
        ss_scene *scene;
        if (ss_context_create(&settings, &context) == SS_OK)
            assert_int_not_equal(ss_scene_load(context, path, NULL, &scene), SS_OK);
        ss_context_destroy(context);
        assert_int_equal(c.live, 0);
    }
}

/* The schema and the reference are texts of the caller. */
static void test_texts(void **state)
{
    (void)state;
    ss_status (*const functions[])(ss_context *, char **) = {ss_scene_schema, ss_scene_reference};
    for (int f = 0; f < 2; f++) {
        ss_status status = SS_MEMORY;
        for (long allowed = 0; status == SS_MEMORY; allowed++) {
            counter c = {.allowed = allowed};
            ss_context_options settings = counted(&c);
            ss_context *context;
            char *text = NULL;
            status = ss_context_create(&settings, &context);
            if (status == SS_OK) {
                status = functions[f](context, &text);
                assert_true((text != NULL) == (status == SS_OK));
                ss_release(context, text);
            }
            ss_context_destroy(context);
            assert_int_equal(c.live, 0);
        }
        assert_int_equal(status, SS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_includes),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
