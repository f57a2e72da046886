/* test_map.c: a map against a plain table, with names that come and go. */
#include "support/test.h"

#include "base/context.h"
#include "base/map.h"

#include <stdio.h>

enum { NAMES = 500, ROUNDS = 20000 };

static void test_add_and_remove(void **state)
{
    (void)state;
    static char names[NAMES][16];
    int values[NAMES], value;
    size_t count = 0;
    unsigned random = 1;
    ss_context *context;
    ss_map map;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    ss_map_init(&map, context);
    ss_map_remove(&map, "nothing");
    for (int i = 0; i < NAMES; i++) {
        snprintf(names[i], sizeof names[i], "name%d", i);
        values[i] = -1;
    }
    for (int round = 0; round < ROUNDS; round++) {
        random = random * 1664525u + 1013904223u;
        int i = (int)(random >> 8) % NAMES;
        if (random >> 31) {
            assert_int_equal(ss_map_set(&map, names[i], round), SS_OK);
            count += values[i] < 0;
            values[i] = round;
        } else {
            ss_map_remove(&map, names[i]);
            count -= values[i] >= 0;
            values[i] = -1;
        }
        assert_int_equal(map.count, count);
        for (int k = 0; k < NAMES; k += round % 100 ? 37 : 1) {
            bool found = ss_map_find(&map, names[k], &value);
            assert_int_equal(found, values[k] >= 0);
            assert_true(!found || value == values[k]);
        }
    }
    ss_map_release(&map);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_add_and_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
