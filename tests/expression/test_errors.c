/* Every message, word for word, with its place. */
#include "formulas.h"

#include <stdio.h>
#include <string.h>

typedef struct fault {
    const char *text;
    ss_status status;
    const char *message;
} fault;

#define FUNCTIONS                                                                                \
    "sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, sqrt, abs, sign, min, " \
    "max, step, hypot, floor, ceil, pow"

static const fault parse_faults[] = {
    {"", SS_INPUT, "t:3:7: expected a number, a name or '(' but found the end of the text"},
    {"  ", SS_INPUT, "t:3:9: expected a number, a name or '(' but found the end of the text"},
    {"x +", SS_INPUT, "t:3:10: expected a number, a name or '(' but found the end of the text"},
    {"x + * y", SS_INPUT, "t:3:11: expected a number, a name or '(' but found '*'"},
    {"* x", SS_INPUT, "t:3:7: expected a number, a name or '(' but found '*'"},
    {"()", SS_INPUT, "t:3:8: expected a number, a name or '(' but found ')'"},
    {"(x + y", SS_INPUT, "t:3:13: expected ')' but found the end of the text"},
    {"(x, y)", SS_INPUT, "t:3:9: expected ')' but found ','"},
    {"x + y)", SS_INPUT, "t:3:12: there is no '(' for this ')'"},
    {"x, y", SS_INPUT, "t:3:8: ',' may stand only between the arguments of a function"},
    {"x : y", SS_INPUT, "t:3:9: there is no '?' for this ':'"},
    {"x ? y", SS_INPUT, "t:3:12: expected ':' to go with '?' but found the end of the text"},
    {"x ? : y", SS_INPUT, "t:3:11: expected a number, a name or '(' but found ':'"},
    {"x !", SS_INPUT, "t:3:9: expected an operator but found '!'"},
    {"2pi", SS_INPUT, "t:3:8: an operator is missing; did you mean 2*pi?"},
    {"1 + 2.5 x", SS_INPUT, "t:3:15: an operator is missing; did you mean 2.5*x?"},
    {"2(x + y)", SS_INPUT, "t:3:8: an operator is missing; did you mean 2*(…)?"},
    {"2e", SS_INPUT, "t:3:8: an operator is missing; did you mean 2*e?"},
    {"x y", SS_INPUT, "t:3:9: an operator is missing before 'y'"},
    {"x 2", SS_INPUT, "t:3:9: an operator is missing before '2'"},
    {"(x)(y)", SS_INPUT, "t:3:10: an operator is missing before '('"},
    {"x(y)", SS_INPUT, "t:3:7: 'x' is not a function; did you mean x*(…)?"},
    {"pi(2)", SS_INPUT, "t:3:7: 'pi' is not a function; did you mean pi*(…)?"},
    {"1.2.3", SS_INPUT, "t:3:10: a second '.' in the number 1.2"},
    {"0x1F", SS_INPUT, "t:3:7: numbers are written in decimal, not as 0x…"},
    {"1e999", SS_INPUT, "t:3:7: the number 1e999 is out of range (about 1e-308 to 1e308)"},
    {"x + 1e-999", SS_INPUT, "t:3:11: the number 1e-999 is out of range (about 1e-308 to 1e308)"},
    {"sin()", SS_INPUT, "t:3:7: the function 'sin' takes 1 argument, but 0 are given"},
    {"sin(x, y)", SS_INPUT, "t:3:7: the function 'sin' takes 1 argument, but 2 are given"},
    {"x + atan2(y)", SS_INPUT, "t:3:11: the function 'atan2' takes 2 arguments, but 1 is given"},
    {"min(x, y, z, 1, 2)", SS_INPUT,
     "t:3:7: the function 'min' takes 2 arguments, but 5 are given"},
    {"sin(x y)", SS_INPUT, "t:3:13: an operator is missing before 'y'"},
    {"sin(x", SS_INPUT,
     "t:3:12: expected ',' or ')' after an argument but found the end of the text"},
    {"sin(x:", SS_INPUT, "t:3:12: expected ',' or ')' after an argument but found ':'"},
    {"sin x", SS_INPUT, "t:3:7: 'sin' is a function; write sin(…)"},
    {"1 + cos", SS_INPUT, "t:3:11: 'cos' is a function; write cos(…)"},
    {"sine(x)", SS_UNKNOWN_NAME, "t:3:7: unknown function 'sine'; did you mean 'sin'?"},
    {"arctan(x)", SS_UNKNOWN_NAME, "t:3:7: unknown function 'arctan'; did you mean 'atan'?"},
    {"integral(x)", SS_UNKNOWN_NAME, "t:3:7: unknown function 'integral' (known: " FUNCTIONS ")"},
    {"mas*x", SS_UNKNOWN_NAME, "t:3:7: unknown name 'mas'; did you mean 'mass'?"},
    {"phi_m'", SS_UNKNOWN_NAME, "t:3:7: unknown name 'phi_m''; did you mean 'phi_M''?"},
    {"x + sqr", SS_UNKNOWN_NAME, "t:3:11: unknown name 'sqr'; did you mean 'sqrt'?"},
    {"x + unheard", SS_UNKNOWN_NAME,
     "t:3:11: unknown name 'unheard' (known: pi, inf, x, y, z, mass, phi_M')"},
    {"x = y", SS_INPUT, "t:3:9: '=' is not an operator; did you mean '=='?"},
    {"x & y", SS_INPUT, "t:3:9: '&' is not an operator; did you mean '&&'?"},
    {"x | y", SS_INPUT, "t:3:9: '|' is not an operator; did you mean '||'?"},
    {"x ** 2", SS_INPUT, "t:3:9: '**' is not known; did you mean '^'?"},
    {"x <> y", SS_INPUT, "t:3:9: '<>' is not known; did you mean '!='?"},
    {"x => y", SS_INPUT, "t:3:9: '=>' is not known; did you mean '>='?"},
    {"x − y", SS_INPUT, "t:3:9: '−' is not known; did you mean '-'?"},
    {"2·x", SS_INPUT, "t:3:8: '·' is not known; did you mean '*'?"},
    {"x²", SS_INPUT, "t:3:8: '²' is not known; did you mean '^2'?"},
    {"x''", SS_INPUT, "t:3:9: one ' at the end of a name makes a velocity; it cannot stand here"},
    {"x < y < z", SS_INPUT, "t:3:13: comparisons cannot be chained; write a < b && b < c"},
    {"x == y != z", SS_INPUT, "t:3:14: comparisons cannot be chained; write a != b && b != c"},
    {"x % y", SS_INPUT, "t:3:9: unexpected character '%'"},
    {"x + $y", SS_INPUT, "t:3:11: unexpected character '$'"},
    {"x + \x01", SS_INPUT, "t:3:11: unexpected control character 0x01"},
    {"\"x\"", SS_INPUT, "t:3:7: unexpected character '\"'"},
    {"x;", SS_INPUT, "t:3:8: unexpected character ';'"},
    {".", SS_INPUT, "t:3:7: unexpected character '.'"},
    {"x +\n  y *\n  ?", SS_INPUT, "t:5:3: expected a number, a name or '(' but found '?'"},
    {"φφ + §", SS_UNKNOWN_NAME, "t:3:7: unknown name 'φφ' (known: pi, inf, x, y, z, mass, phi_M')"},
    {"\"φφ\" + §", SS_INPUT, "t:3:7: unexpected character '\"'"},
    {"x + φ*", SS_INPUT, "t:3:13: expected a number, a name or '(' but found the end of the text"},
    {"φ*φ + %", SS_INPUT, "t:3:13: unexpected character '%'"},
};

static const fault evaluate_faults[] = {
    {"1/0", SS_NON_FINITE, "t:3:8: the value is not finite: '/' has no finite result here"},
    {"1 + 0/0", SS_NON_FINITE, "t:3:12: the value is not finite: '/' has no finite result here"},
    {"2*log(-1)", SS_NON_FINITE, "t:3:9: the value is not finite: 'log' has no finite result here"},
    {"sqrt(3 - 4)", SS_NON_FINITE,
     "t:3:7: the value is not finite: 'sqrt' has no finite result here"},
    {"asin(1 + 1)*0", SS_NON_FINITE,
     "t:3:7: the value is not finite: 'asin' has no finite result here"},
    {"exp(1000) - 1", SS_NON_FINITE,
     "t:3:7: the value is not finite: 'exp' has no finite result here"},
    {"10^400", SS_NON_FINITE, "t:3:9: the value is not finite: '^' has no finite result here"},
    {"(-8)^(1/3)", SS_NON_FINITE, "t:3:11: the value is not finite: '^' has no finite result here"},
    {"inf - inf", SS_NON_FINITE, "t:3:11: the value is not finite: '-' has no finite result here"},
    {"0*inf", SS_NON_FINITE, "t:3:8: the value is not finite: '*' has no finite result here"},
    {"(1 ? 2 : 1/0) + log(0)", SS_NON_FINITE,
     "t:3:23: the value is not finite: 'log' has no finite result here"},
    {"0 ? 1/0 : log(0)", SS_NON_FINITE,
     "t:3:17: the value is not finite: 'log' has no finite result here"},
    {"x + 1", SS_UNKNOWN_NAME, "t:3:7: unknown name 'x' (known: pi, inf)"},
};

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    (void)user;
    if (strcmp(name, "mass") == 0)
        return ss_graph_constant(graph, 2, node);
    if (strcmp(name, "φ") == 0)
        return ss_graph_constant(graph, 3, node);
    if (strcmp(name, "phi_M'") == 0)
        return ss_graph_variable(graph, name, node);
    if (strcmp(name, "refused") == 0)
        return SS_UNSUPPORTED;
    return SS_UNKNOWN_NAME;
}

static size_t names(void *user, size_t capacity, const char **all)
{
    (void)user;
    static const char *const known[] = {"mass", "phi_M'"};
    for (size_t i = 0; i < 2 && i < capacity; i++)
        all[i] = known[i];
    return 2;
}

static const ss_resolver resolver = {.resolve = resolve, .names = names};

static ss_text at_3_7(const char *text)
{
    return (ss_text){.text = text, .where = {.file = "t", .line = 3, .column = 7}};
}

static void compare(const formulas *f, const fault *expected, ss_status status)
{
    if (status != expected->status ||
        strcmp(ss_context_message(f->context), expected->message) != 0)
        fail_msg("'%s': %s\nfound:    %s\nexpected: %s", expected->text, ss_status_name(status),
                 ss_context_message(f->context), expected->message);
}

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof parse_faults / sizeof *parse_faults; i++) {
        formulas f;
        open_formulas(&f, &resolver);
        ss_node node;
        ss_text text = at_3_7(parse_faults[i].text);
        compare(&f, &parse_faults[i], ss_graph_parse(f.graph, &text, &node));
        close_formulas(&f);
    }
}

static void test_evaluate(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    for (size_t i = 0; i < sizeof evaluate_faults / sizeof *evaluate_faults; i++) {
        double value;
        ss_text text = at_3_7(evaluate_faults[i].text);
        compare(&f, &evaluate_faults[i], ss_evaluate(f.context, NULL, &text, &value));
    }
    close_formulas(&f);
}

/* Without a place the message shows the text itself. */
static void test_without_place(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node node;
    assert_int_equal(ss_graph_parse(f.graph, &(ss_text){.text = "x + 2y"}, &node), SS_INPUT);
    assert_string_equal(ss_context_message(f.context),
                        "in 'x + 2y', character 6: an operator is missing; did you mean 2*y?");
    assert_int_equal(ss_graph_parse(f.graph, &(ss_text){.text = "x +\n2y"}, &node), SS_INPUT);
    assert_string_equal(ss_context_message(f.context),
                        "in 'x +\n2y', character 6: an operator is missing; did you mean 2*y?");
    assert_int_equal(ss_graph_parse(f.graph, &(ss_text){.text = NULL}, &node), SS_INPUT);
    assert_string_equal(ss_context_message(f.context), "there is no formula");
    char text[120];
    memset(text, '+', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_int_equal(ss_graph_parse(f.graph, &(ss_text){.text = text}, &node), SS_INPUT);
    char expected[300], message[300];
    snprintf(expected, sizeof expected,
             "in '%.77s...', character 120: expected a number, a name or '(' but found the end of "
             "the text",
             text);
    assert_string_equal(ss_context_message(f.context), expected);
    /* A cut does not split a character: φ would begin at byte 76. */
    snprintf(text, sizeof text, "%.76sφφφφ", expected + 4);
    assert_int_equal(ss_graph_parse(f.graph, &(ss_text){.text = text}, &node), SS_UNKNOWN_NAME);
    snprintf(message, sizeof message, "in '%.76s...', character 77: ", text);
    assert_memory_equal(ss_context_message(f.context), message, strlen(message));
    close_formulas(&f);
}

static void refuse(const formulas *f, const char *text, const char *message)
{
    ss_node node;
    ss_text t = text_at(text);
    assert_int_equal(ss_graph_parse(f->graph, &t, &node), SS_INPUT);
    assert_string_equal(ss_context_message(f->context), message);
}

/* `count` times one text, then another. */
static char *repeated(int count, const char *one, const char *last)
{
    char *text = calloc((size_t)count * strlen(one) + strlen(last) + 1, 1);
    assert_non_null(text);
    for (int i = 0; i < count; i++)
        memcpy(text + (size_t)i * strlen(one), one, strlen(one));
    memcpy(text + (size_t)count * strlen(one), last, strlen(last) + 1);
    return text;
}

static void test_nesting(void **state)
{
    (void)state;
    static const struct {
        const char *one;
        const char *last;
        int column;
    } deep[] = {{"(", "x", 201},    {"-", "x", 201},    {"2^", "x", 401},
                {"sin(", "x", 801}, {"x?1:", "x", 799}, {"!", "x", 201},
                {"x?", "x", 401},   {"(-", "x", 201},   {"x*(", "x", 601}};
    formulas f;
    open_formulas(&f, NULL);
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        char message[100];
        char *text = repeated(20000 / (int)strlen(deep[i].one), deep[i].one, deep[i].last);
        snprintf(message, sizeof message, "t:1:%d: the formula is nested deeper than 200 levels",
                 deep[i].column);
        refuse(&f, text, message);
        free(text);
    }
    /* Just below the limit, and long without being deep. */
    char *text = repeated(199, "-", "x");
    assert_int_equal(parse(&f, text), parse(&f, "-x"));
    free(text);
    text = repeated(10000, "x*y + ", "x");
    parse(&f, text);
    free(text);
    close_formulas(&f);
}

static void test_long_texts(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    char *text = repeated(65536, "x", "x");
    refuse(&f, text, "t:1:1: the formula is longer than 65536 characters");
    free(text);
    text = repeated(300, "n", "");
    refuse(&f, text, "t:1:1: a name has at most 200 characters");
    free(text);
    text = repeated(300, "1", "");
    refuse(&f, text, "t:1:1: a number has at most 200 characters");
    free(text);
    text = repeated(32767, "x+", "xx");
    assert_int_equal(strlen(text), 65536);
    ss_node node;
    ss_text t = text_at(text);
    assert_int_equal(ss_graph_parse(f.graph, &t, &node), SS_UNKNOWN_NAME);
    assert_non_null(strstr(ss_context_message(f.context), "t:1:65535: unknown name 'xx'"));
    free(text);
    close_formulas(&f);
}

static void test_resolver(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, &resolver);
    ss_node node;
    ss_text text = text_at("refused");
    assert_int_equal(ss_graph_parse(f.graph, &text, &node), SS_UNSUPPORTED);
    /* What it says is remembered, and a variable it declares is known by its name. */
    assert_int_equal(parse(&f, "mass"), parse(&f, "2"));
    assert_int_equal(ss_graph_variable_index(f.graph, parse(&f, "phi_M'")), 3);
    assert_int_equal(ss_graph_variable_count(f.graph), 4);
    close_formulas(&f);
}

/* A list of what is known ends before it fills the screen. */
static void test_long_list(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    for (int i = 0; i < 100; i++) {
        char name[32];
        ss_node node;
        snprintf(name, sizeof name, "coordinate_%d", i);
        must(&f, ss_graph_variable(f.graph, name, &node));
    }
    ss_node node;
    ss_text text = text_at("w");
    assert_int_equal(ss_graph_parse(f.graph, &text, &node), SS_UNKNOWN_NAME);
    const char *message = ss_context_message(f.context);
    assert_non_null(strstr(message, "unknown name 'w' (known: pi, inf, x, y, z, coordinate_0, "));
    assert_non_null(strstr(message, ", …)"));
    assert_true(strlen(message) < 400);
    close_formulas(&f);
}

static void test_bad_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *message;
    } bad[] = {
        {"",
         "'' is not a name: letters first, then letters, digits, _ and ., at the end perhaps '"},
        {"2x",
         "'2x' is not a name: letters first, then letters, digits, _ and ., at the end perhaps '"},
        {"x-1", "'x-1' is not a name: letters first, then letters, digits, _ and ., at the end "
                "perhaps '"},
        {"y''", "'y''' is not a name: letters first, then letters, digits, _ and ., at the end "
                "perhaps '"},
        {"sin", "'sin' is a function and cannot name anything else"},
        {"pi", "'pi' is a constant and cannot name anything else"},
        {"x", "the name 'x' is in use already"},
    };
    formulas f;
    open_formulas(&f, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ss_node node;
        assert_int_equal(ss_graph_variable(f.graph, bad[i].name, &node), SS_INPUT);
        assert_string_equal(ss_context_message(f.context), bad[i].message);
    }
    assert_int_equal(ss_graph_variable_count(f.graph), 3);
    close_formulas(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),         cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_without_place), cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_long_texts),    cmocka_unit_test(test_resolver),
        cmocka_unit_test(test_long_list),     cmocka_unit_test(test_bad_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
