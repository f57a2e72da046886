/* test_bind.c: arguments → options: values, defaults, ranges and what is refused. */

#include "base/context.h"
#include "options/options.h"
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct sample {
    double mass, any, bound, ahead, many, other, up, beside;
    int count, choice;
    bool flag;
    ss_text word, formula;
    ss_matrix list, table;
    ss_texts names;
} sample;

static const ss_key keys[] = {
    {"mass", SS_KEY_REAL, offsetof(sample, mass), NULL, DBL_MIN, INFINITY, NULL, "kg", "Mass."},
    {"any", SS_KEY_REAL, offsetof(sample, any), "2*3", 0, 0, NULL, "", "Any number."},
    {"bound", SS_KEY_REAL, offsetof(sample, bound), "inf", -INFINITY, INFINITY, NULL, "", "Bound."},
    {"count", SS_KEY_INT, offsetof(sample, count), "4", 1, 10, NULL, "", "Count."},
    {"choice", SS_KEY_CHOICE, offsetof(sample, choice), "forward", 0, 0, "forward|backward", "",
     "Choice."},
    {"flag", SS_KEY_BOOL, offsetof(sample, flag), "true", 0, 0, NULL, "", "Flag."},
    {"word", SS_KEY_TEXT, offsetof(sample, word), "", 0, 0, NULL, "", "Word."},
    {"formula", SS_KEY_EXPRESSION, offsetof(sample, formula), "", 0, 0, NULL, "", "Formula."},
    {"list", SS_KEY_REALS, offsetof(sample, list), "", 0, 0, NULL, "", "List."},
    {"table", SS_KEY_MATRIX, offsetof(sample, table), "", 0, 1, NULL, "", "Table."},
    {"names", SS_KEY_TEXTS, offsetof(sample, names), "", 0, 0, NULL, "", "Names."},
    {"ahead", SS_KEY_REAL, offsetof(sample, ahead), "0", 0, 0, NULL, "", "A.", "choice=forward"},
    {"many", SS_KEY_REAL, offsetof(sample, many), "0", 0, 0, NULL, "", "B.", "count>4"},
    {"other", SS_KEY_REAL, offsetof(sample, other), "0", 0, 0, NULL, "", "C.", "count!=4"},
    {"up", SS_KEY_REAL, offsetof(sample, up), "0", 0, 0, NULL, "", "D.", "flag=true"},
    {"beside", SS_KEY_REAL, offsetof(sample, beside), "0", 0, 0, NULL, "", "E.", "word"},
    {NULL},
};
static const ss_type type = {SS_ABI, sizeof(ss_type), "sample", "A sample.", sizeof(sample), keys};

typedef struct bench {
    ss_context *context;
    ss_arena arena;
    ss_args *args;
    ss_scope *scope;
    sample s;
} bench;

static int setup(void **state)
{
    static bench b;
    memset(&b, 0, sizeof b);
    assert_int_equal(ss_context_create_bare(NULL, &b.context), SS_OK);
    ss_arena_init(&b.arena, b.context);
    assert_int_equal(ss_args_create(b.context, &b.args), SS_OK);
    assert_int_equal(ss_scope_create(b.context, &b.scope), SS_OK);
    assert_int_equal(ss_scope_define(b.scope, "m", 2.5), SS_OK);
    *state = &b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    ss_arena_release(&b->arena);
    ss_args_destroy(b->args);
    ss_scope_destroy(b->scope);
    ss_context_destroy(b->context);
    return 0;
}

static ss_status bind(bench *b)
{
    memset(&b->s, 0, sizeof b->s);
    return ss_options_bind(&b->arena, &type, b->args, b->scope, "sample 's'", &b->s);
}

static void refused(bench *b, const char *message)
{
    assert_int_not_equal(bind(b), SS_OK);
    assert_string_equal(ss_context_message(b->context), message);
}

/* A key is refused where another one makes it do nothing, and taken where it does something. */
static void keys_that_do_nothing(void **state)
{
    static const struct {
        const char *key, *other, *without, *with, *message;
    } cases[] = {
        {"ahead", "choice", "backward", "forward",
         "'choice: forward'; leave it out, or change 'choice'"},
        {"many", "count", "4", "5", "'count>4'; leave it out, or change 'count'"},
        {"other", "count", "4", "3", "'count!=4'; leave it out, or change 'count'"},
        {"up", "flag", "false", "true", "'flag: true'; leave it out, or change 'flag'"},
        {"beside", "word", NULL, "any", "'word'; leave it out, or give 'word'"},
    };
    bench *b = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[256];
        teardown(state);
        setup(state);
        assert_int_equal(ss_args_set_real(b->args, "mass", 1), SS_OK);
        assert_int_equal(ss_args_set_real(b->args, cases[i].key, 0), SS_OK);
        if (cases[i].without)
            assert_int_equal(ss_args_set_text(b->args, cases[i].other, cases[i].without), SS_OK);
        snprintf(message, sizeof message, "sample 's': '%s' does nothing here: it goes with %s",
                 cases[i].key, cases[i].message);
        refused(b, message);
        assert_int_equal(ss_args_set_text(b->args, cases[i].other, cases[i].with), SS_OK);
        assert_int_equal(bind(b), SS_OK);
    }
}

static void defaults(void **state)
{
    bench *b = *state;
    ss_args_set_real(b->args, "mass", 3);
    assert_int_equal(bind(b), SS_OK);
    assert_true(b->s.mass == 3 && b->s.any == 6 && isinf(b->s.bound));
    assert_int_equal(b->s.count, 4);
    assert_int_equal(b->s.choice, 0);
    assert_true(b->s.flag);
    assert_null(b->s.word.text);
    assert_int_equal(b->s.list.rows, 0);
}

static void values(void **state)
{
    bench *b = *state;
    const double numbers[] = {1, 0, 0.5, 1};
    const ss_text words[] = {{"a", {0}}, {"b", {0}}};
    ss_args_set_text(b->args, "mass", "2*m");
    ss_args_set_text(b->args, "choice", "backward");
    ss_args_set_text(b->args, "flag", "false");
    ss_args_set_text(b->args, "word", "hello");
    ss_args_set_real(b->args, "formula", 0.1);
    ss_args_set_real(b->args, "list", 7);
    ss_args_set_matrix(b->args, "table", 2, 2, numbers);
    ss_args_set_texts(b->args, "names", (ss_location){0}, 2, 1, words);
    assert_int_equal(bind(b), SS_OK);
    assert_true(b->s.mass == 5);
    assert_int_equal(b->s.choice, 1);
    assert_false(b->s.flag);
    assert_string_equal(b->s.word.text, "hello");
    assert_string_equal(b->s.formula.text, "0.10000000000000001");
    assert_int_equal(b->s.list.rows, 1);
    assert_true(b->s.list.values[0] == 7);
    assert_int_equal(b->s.table.columns, 2);
    assert_true(b->s.table.values[2] == 0.5);
    assert_string_equal(b->s.names.items[1].text, "b");
    /* Given again: the last one counts. */
    ss_args_set_real(b->args, "mass", 1);
    assert_int_equal(bind(b), SS_OK);
    assert_true(b->s.mass == 1);
}

static void missing_and_unknown(void **state)
{
    bench *b = *state;
    refused(b, "sample 's': 'mass' is missing: Mass.");
    ss_args_set_real(b->args, "mas", 1);
    refused(b, "sample 's': unknown key 'mas'; did you mean 'mass'? (keys: mass, any, bound, "
               "count, choice, "
               "flag, word, formula, list, table, names, ahead, many, other, up, beside)");
}

static void ranges(void **state)
{
    bench *b = *state;
    ss_args_set_real(b->args, "mass", 0);
    refused(b, "sample 's': 'mass' must be a number > 0 in kg, not 0");
    ss_args_set_real(b->args, "mass", INFINITY);
    refused(b, "sample 's': 'mass' must be a number > 0 in kg, not inf");
    ss_args_set_real(b->args, "mass", NAN);
    assert_int_equal(bind(b), SS_INPUT);
    ss_args_set_real(b->args, "mass", 1);
    ss_args_set_real(b->args, "count", 11);
    refused(b, "sample 's': 'count' must be a whole number in [1, 10], not 11");
    ss_args_set_real(b->args, "count", 2.5);
    refused(b, "sample 's': 'count' must be a whole number, not 2.5");
    ss_args_set_real(b->args, "count", 2);
    ss_args_set_real(b->args, "table", 1.5);
    refused(b, "sample 's': 'table' must be a number in [0, 1], not 1.5");
    ss_args_set_real(b->args, "table", 1);
    ss_args_set_real(b->args, "any", INFINITY);
    refused(b, "sample 's': 'any' must be a number, finite, not inf");
}

static void kinds(void **state)
{
    bench *b = *state;
    const double two[] = {1, 2};
    ss_args_set_reals(b->args, "mass", 2, two);
    refused(b, "sample 's': 'mass' wants a single value, not a list");
    ss_args_set_real(b->args, "mass", 1);
    ss_args_set_text(b->args, "flag", "maybe");
    refused(b, "sample 's': 'flag' wants true or false");
    ss_args_set_text(b->args, "flag", "true");
    ss_args_set_text(b->args, "choice", "backwards");
    refused(b,
            "sample 's': 'choice' must be one of forward|backward, not 'backwards'; did you mean "
            "'backward'?");
    ss_args_set_text(b->args, "choice", "forward");
    ss_args_set_matrix(b->args, "list", 1, 2, two);
    refused(b, "sample 's': 'list' wants a list of numbers");
    ss_args_set_real(b->args, "list", 1);
    ss_args_set_text(b->args, "word", "");
    refused(b, "sample 's': 'word' has no value");
}

static void places(void **state)
{
    bench *b = *state;
    const char *text = "mass: -1\n", *file;
    assert_int_equal(ss_context_add_source(b->context, "s.yaml", text, strlen(text), &file), SS_OK);
    ss_text item = {"-1", {file, 1, 7}};
    ss_args_set_texts(b->args, "mass", (ss_location){file, 1, 1}, 0, 0, &item);
    refused(b, "s.yaml:1:7: sample 's': 'mass' must be a number > 0 in kg, not -1\n"
               "      1 | mass: -1\n"
               "        |       ^");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(keys_that_do_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(values, setup, teardown),
        cmocka_unit_test_setup_teardown(missing_and_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(ranges, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(places, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
