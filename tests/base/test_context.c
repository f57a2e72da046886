/* test_context.c: messages, sources, memory, names and registered types. */

#include "base/context.h"
#include "base/map.h"
#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static ss_context *bare(void)
{
    ss_context *context;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    return context;
}

static void messages_show_the_source_line(void **state)
{
    (void)state;
    ss_context *c = bare();
    const char *text = "first: 1\nsecond: two\n", *name;
    assert_int_equal(ss_context_add_source(c, "a.yaml", text, strlen(text), &name), SS_OK);
    ss_location where = {name, 2, 9};
    assert_int_equal(ss_fail_at(c, SS_INPUT, where, "'%s' is no number", "two"), SS_INPUT);
    assert_string_equal(ss_context_message(c), "a.yaml:2:9: 'two' is no number\n"
                                               "      2 | second: two\n"
                                               "        |         ^");
    /* A place beyond the text, and a file nobody gave: the message stands alone. */
    ss_fail_at(c, SS_INPUT, (ss_location){name, 9, 1}, "x");
    assert_string_equal(ss_context_message(c), "a.yaml:9:1: x");
    ss_fail_at(c, SS_INPUT, (ss_location){"b.yaml", 1, 1}, "x");
    assert_string_equal(ss_context_message(c), "b.yaml:1:1: x");
    ss_fail_at(c, SS_INPUT, (ss_location){0}, "x");
    assert_string_equal(ss_context_message(c), "x");
    /* A message may quote the one before it. */
    ss_fail(c, SS_INPUT, "%s again", ss_context_message(c));
    assert_string_equal(ss_context_message(c), "x again");
    ss_context_destroy(c);
}

static void long_messages_are_cut(void **state)
{
    (void)state;
    ss_context *c = bare();
    char big[5000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = '\0';
    ss_fail(c, SS_INPUT, "%s", big);
    assert_int_equal(strlen(ss_context_message(c)), 2047);
    ss_context_destroy(c);
}

static void nearest_names(void **state)
{
    (void)state;
    const char *names[] = {"unilateral", "bilateral", "friction", "mu"};
    assert_string_equal(ss_nearest("unilatral", 4, names), "unilateral");
    assert_string_equal(ss_nearest("bliateral", 4, names), "bilateral");
    assert_string_equal(ss_nearest("fricton", 4, names), "friction");
    assert_null(ss_nearest("gravity", 4, names));
    assert_null(ss_nearest("x", 4, names));
    assert_null(ss_nearest("", 4, names));
}

static const ss_type first = {sizeof(ss_type), "first", "One.", 0, NULL};
static const ss_type small = {1, "small", "Of another size.", 0, NULL};
static const ss_type nameless = {sizeof(ss_type), "", "Nothing.", 0, NULL};

static void types_by_name(void **state)
{
    (void)state;
    ss_context *c = bare();
    const ss_type *found;
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &first, sizeof first), SS_OK);
    assert_int_equal(ss_type_find(c, SS_TYPE_SET, "first", (ss_location){0}, &found), SS_OK);
    assert_ptr_equal(found, &first);
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &first, sizeof first), SS_INPUT);
    assert_string_equal(ss_context_message(c), "set type 'first' is registered already");
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &small, sizeof first), SS_INPUT);
    assert_non_null(strstr(ss_context_message(c), "build it again with the headers of stickslip"));
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &nameless, sizeof first), SS_INPUT);
    assert_int_equal(ss_type_find(c, SS_TYPE_SET, "frist", (ss_location){0}, &found),
                     SS_UNKNOWN_NAME);
    assert_string_equal(ss_context_message(c),
                        "there is no set type 'frist'; did you mean 'first'? (types: first)");
    assert_int_equal(ss_type_find(c, SS_TYPE_LAW, "first", (ss_location){0}, &found),
                     SS_UNKNOWN_NAME);
    assert_null(ss_type_at(c, SS_TYPE_SET, 1));
    ss_context_destroy(c);
}

static void maps_grow(void **state)
{
    (void)state;
    ss_context *c = bare();
    ss_map map;
    char names[1000][16];
    int value;
    ss_map_init(&map, c);
    assert_false(ss_map_find(&map, "n0", &value));
    for (int i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        assert_int_equal(ss_map_set(&map, names[i], i), SS_OK);
    }
    for (int i = 0; i < 1000; i++) {
        assert_true(ss_map_find(&map, names[i], &value));
        assert_int_equal(value, i);
    }
    assert_int_equal(ss_map_set(&map, "n7", -7), SS_OK);
    assert_true(ss_map_find(&map, "n7", &value));
    assert_int_equal(value, -7);
    assert_int_equal(map.count, 1000);
    ss_map_release(&map);
    ss_context_destroy(c);
}

static void arenas_align_and_refuse(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    ss_context *c;
    assert_int_equal(ss_context_create_bare(&options, &c), SS_OK);
    ss_arena arena;
    ss_arena_init(&arena, c);
    for (size_t size = 1; size < 100000; size *= 3) {
        void *memory;
        assert_int_equal(ss_arena_allocate(&arena, size, 1, &memory), SS_OK);
        assert_int_equal((uintptr_t)memory % (size < 64 ? 16 : 64), 0);
        assert_int_equal(((char *)memory)[size - 1], 0);
    }
    void *huge;
    assert_int_equal(ss_arena_allocate(&arena, SIZE_MAX / 2, 16, &huge), SS_MEMORY);
    assert_null(huge);
    ss_arena_release(&arena);
    ss_context_destroy(c);
    assert_int_equal(counter.live, 0);
}

/* What is reset is zero again, and the third round finds all its memory there. */
static void arenas_begin_anew(void **state)
{
    (void)state;
    counting_allocator counter = {.allowed = -1};
    ss_context_options options = counting_options(&counter);
    ss_context *c;
    ss_arena arena;
    long calls = 0;
    assert_int_equal(ss_context_create_bare(&options, &c), SS_OK);
    ss_arena_init(&arena, c);
    for (int round = 0; round < 4; round++) {
        calls = round == 2 ? counter.calls : calls;
        ss_arena_reset(&arena);
        for (int i = 0; i < 10; i++) {
            double *x;
            assert_int_equal(SS_ARENA_NEW(&arena, 700, &x), SS_OK);
            for (int k = 0; k < 700; k++) {
                assert_true(x[k] == 0);
                x[k] = i + k + 1;
            }
        }
    }
    assert_int_equal(counter.calls, calls);
    ss_arena_release(&arena);
    ss_context_destroy(c);
    assert_int_equal(counter.live, 0);
}

static void bad_context_options(void **state)
{
    (void)state;
    ss_context *c;
    ss_context_options options = ss_default_context();
    options.threads = 0;
    assert_int_equal(ss_context_create_bare(&options, &c), SS_INPUT);
    assert_null(c);
}

static void names_of_statuses(void **state)
{
    (void)state;
    assert_string_equal(ss_status_name(SS_OK), "ok");
    assert_string_equal(ss_status_name(SS_NOT_CONVERGED), "not converged");
    assert_string_equal(ss_status_name((ss_status)999), "unknown status");
    assert_string_equal(ss_version(), "0.1.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_show_the_source_line),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(types_by_name),
        cmocka_unit_test(maps_grow),
        cmocka_unit_test(arenas_align_and_refuse),
        cmocka_unit_test(arenas_begin_anew),
        cmocka_unit_test(bad_context_options),
        cmocka_unit_test(names_of_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
