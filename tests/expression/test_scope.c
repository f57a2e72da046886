#include "formulas.h"

#include <stdio.h>
#include <string.h>

static void test_scope(void **state)
{
    (void)state;
    ss_context *context;
    ss_scope *scope;
    double value = 0;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_scope_create(context, &scope), SS_OK);
    assert_int_equal(ss_scope_count(scope), 0);
    assert_false(ss_scope_find(scope, "m", &value));
    assert_int_equal(ss_scope_define(scope, "m", 2), SS_OK);
    assert_int_equal(ss_scope_define(scope, "length.x", INFINITY), SS_OK);
    assert_int_equal(ss_scope_define(scope, "m", 3), SS_OK);
    assert_int_equal(ss_scope_count(scope), 2);
    assert_true(ss_scope_find(scope, "m", &value) && value == 3);
    assert_string_equal(ss_scope_name(scope, 0), "m");
    assert_string_equal(ss_scope_name(scope, 1), "length.x");
    assert_true(ss_scope_value(scope, 0) == 3 && ss_scope_value(scope, 1) == INFINITY);
    assert_int_equal(ss_scope_define(scope, "sin", 1), SS_INPUT);
    assert_int_equal(ss_scope_define(scope, "pi", 3), SS_INPUT);
    assert_int_equal(ss_scope_define(scope, "a b", 3), SS_INPUT);
    assert_int_equal(ss_scope_define(scope, "n", NAN), SS_NON_FINITE);
    assert_string_equal(ss_context_message(context), "the value of 'n' is not a number");
    assert_int_equal(ss_scope_count(scope), 2);
    ss_scope_destroy(scope);
    ss_context_destroy(context);
}

static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    ss_context *context;
    ss_scope *scope;
    char name[32];
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_scope_create(context, &scope), SS_OK);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "p%d", i * 7);
        assert_int_equal(ss_scope_define(scope, name, i), SS_OK);
    }
    for (int i = 0; i < COUNT; i++) {
        double value = -1;
        snprintf(name, sizeof name, "p%d", i * 7);
        assert_true(ss_scope_find(scope, name, &value) && value == i);
        assert_string_equal(ss_scope_name(scope, (size_t)i), name);
        snprintf(name, sizeof name, "p%d", i * 7 + 1);
        assert_false(ss_scope_find(scope, name, &value));
    }
    ss_scope_destroy(scope);
    ss_context_destroy(context);
}

static void test_evaluate(void **state)
{
    (void)state;
    ss_context *context;
    ss_scope *scope;
    double value;
    assert_int_equal(ss_context_create_bare(NULL, &context), SS_OK);
    assert_int_equal(ss_scope_create(context, &scope), SS_OK);
    assert_int_equal(ss_scope_define(scope, "radius", 0.5), SS_OK);
    ss_text text = text_at("2*pi*radius^2");
    assert_int_equal(ss_evaluate(context, scope, &text, &value), SS_OK);
    assert_true(value == 2 * acos(-1) * 0.25);
    /* A new value of a name counts from then on. */
    assert_int_equal(ss_scope_define(scope, "radius", 1), SS_OK);
    assert_int_equal(ss_evaluate(context, scope, &text, &value), SS_OK);
    assert_true(value == 2 * acos(-1));
    text = text_at("radus");
    assert_int_equal(ss_evaluate(context, scope, &text, &value), SS_UNKNOWN_NAME);
    assert_string_equal(ss_context_message(context),
                        "t:1:1: unknown name 'radus'; did you mean 'radius'?");
    text = text_at("2^0.5");
    assert_int_equal(ss_evaluate(context, NULL, &text, &value), SS_OK);
    assert_true(value == pow(2, 0.5));
    ss_scope_destroy(scope);
    ss_scope_destroy(NULL);
    ss_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scope),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_evaluate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
