/* test_switches.c: where formulas jump or have a kink. */
#include "formulas.h"

#include <math.h>

enum { CAPACITY = 8 };

/* The switches of a text; returns how many. */
static int switches_of(formulas *f, const char *text, ss_node nodes[CAPACITY])
{
    ss_node node = parse(f, text);
    int needed, found;
    must(f, ss_graph_switches(f->graph, 1, &node, 0, NULL, &needed));
    must(f, ss_graph_switches(f->graph, 1, &node, CAPACITY, nodes, &found));
    assert_true(found <= needed && needed <= CAPACITY);
    return found;
}

/* A text, and the only term that decides on which side of its switch it is. */
static const struct {
    const char *text, *term;
} cases[] = {
    {"x < y ? sin(z) : 2", "x - y"},
    {"3*(x <= 2)", "x - 2"},
    {"abs(x*y) + z", "x*y"},
    {"max(x, y*z)", "x - y*z"},
    {"min(0, z)", "0 - z"},
    {"sign(x - z)", "x - z"},
    {"step(x)*y", "x"},
    {"floor(x)", "sin(pi*x)"},
};

static void each_has_its_term(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        formulas f;
        ss_node nodes[CAPACITY];
        open_formulas(&f, NULL);
        assert_int_equal(switches_of(&f, cases[i].text, nodes), 1);
        double found = value_of(&f, nodes[0], 0.7, -1.3, 2.9);
        double wanted = value_of(&f, parse(&f, cases[i].term), 0.7, -1.3, 2.9);
        if (fabs(fabs(found) - fabs(wanted)) > 1e-15)
            fail_msg("%s: %g instead of ±%g", cases[i].text, found, wanted);
        close_formulas(&f);
    }
}

static void smooth_formulas_have_none(void **state)
{
    (void)state;
    formulas f;
    ss_node nodes[CAPACITY];
    open_formulas(&f, NULL);
    assert_int_equal(switches_of(&f, "sin(x)*y^3 + exp(z)/(2 + x)", nodes), 0);
    assert_int_equal(switches_of(&f, "x*(2 < 3) + max(1, 2)", nodes), 0); /* no variable decides */
    close_formulas(&f);
}

static void several_are_found_once_each(void **state)
{
    (void)state;
    formulas f;
    ss_node nodes[CAPACITY];
    open_formulas(&f, NULL);
    assert_int_equal(switches_of(&f, "x < 1 && y < 2 ? x : abs(z)", nodes), 3);
    assert_int_equal(switches_of(&f, "(x < 1 ? y : z)*(x < 1 ? z : 2)", nodes), 1);
    close_formulas(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_term),
        cmocka_unit_test(smooth_formulas_have_none),
        cmocka_unit_test(several_are_found_once_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
