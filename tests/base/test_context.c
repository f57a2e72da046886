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

static const ss_type first = {SS_ABI, sizeof(ss_type), "first", "One.", 0, NULL};
static const ss_type small = {SS_ABI, 1, "small", "Of another size.", 0, NULL};
static const ss_type nameless = {SS_ABI, sizeof(ss_type), "", "Nothing.", 0, NULL};

static void types_by_name(void **state)
{
    (void)state;
    ss_context *c = bare();
    const ss_type *found;
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &first, sizeof first, NULL), SS_OK);
    assert_int_equal(ss_type_find(c, SS_TYPE_SET, "first", (ss_location){0}, &found), SS_OK);
    assert_ptr_not_equal(found, &first); /* a copy */
    assert_string_equal(found->name, "first");
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &first, sizeof first, NULL), SS_INPUT);
    assert_string_equal(ss_context_message(c), "set type 'first' is registered already");
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &small, sizeof first, NULL), SS_INPUT);
    assert_non_null(strstr(ss_context_message(c), "build it again with the headers of stickslip"));
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &nameless, sizeof first, NULL), SS_INPUT);
    assert_int_equal(ss_type_find(c, SS_TYPE_SET, "frist", (ss_location){0}, &found),
                     SS_UNKNOWN_NAME);
    assert_string_equal(ss_context_message(c),
                        "there is no set type 'frist'; did you mean 'first'? (types: first)");
    assert_int_equal(ss_type_find(c, SS_TYPE_LAW, "first", (ss_location){0}, &found),
                     SS_UNKNOWN_NAME);
    assert_null(ss_type_at(c, SS_TYPE_SET, 1));
    ss_context_destroy(c);
}

/* As an ops struct of today, and as one that a plugin was built with before it grew. */
typedef struct grown_ops {
    ss_type type;
    int a;
    int b; /* new */
} grown_ops;

static ss_status wants_b(ss_context *context, const void *opaque)
{
    const grown_ops *ops = opaque;
    return ops->b == 7 ? SS_OK : ss_fail(context, SS_INPUT, "b is %d", ops->b);
}

static ss_status zero_b(ss_context *context, const void *opaque)
{
    const grown_ops *ops = opaque;
    return ops->a == 5 && ops->b == 0 ? SS_OK : ss_fail(context, SS_INPUT, "b is %d", ops->b);
}

static void structs_grow(void **state)
{
    (void)state;
    ss_context *c = bare();
    const ss_type *found;
    grown_ops ops = {{SS_ABI, sizeof ops, "ops", "One."}, 5, 9};
    /* what the check refuses is not there, and its name is free */
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &ops.type, sizeof ops, wants_b), SS_INPUT);
    assert_null(ss_type_at(c, SS_TYPE_SET, 0));
    /* a shorter struct: what it lacks reads as zero, whatever lies behind it */
    ops.type.size = offsetof(grown_ops, b);
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &ops.type, sizeof ops, zero_b), SS_OK);
    assert_int_equal(ss_type_find(c, SS_TYPE_SET, "ops", (ss_location){0}, &found), SS_OK);
    assert_int_equal(((const grown_ops *)found)->b, 0);
    /* a longer one has members that the library does not know */
    ops.type.name = "longer";
    ops.type.size = sizeof ops + 8;
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &ops.type, sizeof ops, NULL), SS_INPUT);
    assert_non_null(strstr(ss_context_message(c), "set type 'longer': its struct has"));
    /* another interface */
    ops.type = (ss_type){SS_ABI + 1, sizeof ops, "other", "One."};
    assert_int_equal(ss_register_type(c, SS_TYPE_SET, &ops.type, sizeof ops, NULL), SS_INPUT);
    assert_non_null(strstr(ss_context_message(c), "was built for another interface than 2"));
    assert_null(ss_type_at(c, SS_TYPE_SET, 1));
    ss_context_destroy(c);
}

static void release_user(void *user)
{
    ++*(int *)user;
}

typedef struct with_user {
    double x;
    void *user;
} with_user;

static void user_data_is_released_once(void **state)
{
    (void)state;
    ss_context *c = bare();
    int released[2] = {0, 0};
    ss_type type = {.abi = SS_ABI,
                    .size = sizeof type,
                    .name = "one",
                    .doc = "One.",
                    .self_size = sizeof(with_user),
                    .user = &released[0],
                    .user_offset = offsetof(with_user, user),
                    .release = release_user};
    assert_int_equal(ss_register_type(c, SS_TYPE_LAW, &type, sizeof type, NULL), SS_OK);
    ss_type_mark mark = ss_types_mark(c);
    type.name = "two";
    type.user = &released[1];
    assert_int_equal(ss_register_type(c, SS_TYPE_LAW, &type, sizeof type, NULL), SS_OK);
    with_user self = {0};
    ss_type_start(ss_type_at(c, SS_TYPE_LAW, 1), &self);
    assert_ptr_equal(self.user, &released[1]);
    /* what a plugin that fails has registered is taken out */
    ss_types_rollback(c, &mark);
    assert_int_equal(released[1], 1);
    assert_null(ss_type_at(c, SS_TYPE_LAW, 1));
    /* the caller keeps what is refused */
    type.user_offset = sizeof(with_user) - 1;
    assert_int_equal(ss_register_type(c, SS_TYPE_LAW, &type, sizeof type, NULL), SS_INPUT);
    assert_int_equal(released[1], 1);
    assert_int_equal(released[0], 0);
    ss_context_destroy(c);
    assert_int_equal(released[0], 1);
    assert_int_equal(released[1], 1);
}

/* Names taken out in any order leave all others to be found. */
static void maps_shrink(void **state)
{
    (void)state;
    ss_context *c = bare();
    ss_map map;
    char names[1000][16];
    int value;
    ss_map_init(&map, c);
    ss_map_remove(&map, "n0");
    for (int i = 0; i < 1000; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        assert_int_equal(ss_map_set(&map, names[i], i), SS_OK);
    }
    for (int k = 0; k < 1000; k++) {
        int gone = k * 617 % 1000;
        ss_map_remove(&map, names[gone]);
        ss_map_remove(&map, "none");
        assert_int_equal(map.count, 999 - k);
        assert_false(ss_map_find(&map, names[gone], &value));
        for (int j = k + 1; j < 1000; j += 37) {
            assert_true(ss_map_find(&map, names[j * 617 % 1000], &value));
            assert_int_equal(value, j * 617 % 1000);
        }
    }
    ss_map_release(&map);
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
    assert_string_equal(ss_version(), "0.2.0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_show_the_source_line),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(types_by_name),
        cmocka_unit_test(structs_grow),
        cmocka_unit_test(user_data_is_released_once),
        cmocka_unit_test(maps_grow),
        cmocka_unit_test(maps_shrink),
        cmocka_unit_test(arenas_align_and_refuse),
        cmocka_unit_test(arenas_begin_anew),
        cmocka_unit_test(bad_context_options),
        cmocka_unit_test(names_of_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
