/* Sharing, dead code, frames, determinism and limits. */
#include "expression/graph.h"
#include "formulas.h"

#include <stdio.h>
#include <string.h>

static void test_sharing(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    assert_int_equal(length_of(&f, "sin(x) + sin(x)*sin(x)"), 2);
    assert_int_equal(length_of(&f, "x*y + y*x"), 2);
    assert_int_equal(length_of(&f, "sin(x) + cos(x)"), 2);
    assert_int_equal(length_of(&f, "exp(x + y)*exp(y + x)"), 3);
    assert_int_equal(length_of(&f, "min(x, y) + min(y, x)"), 2);
    assert_int_equal(length_of(&f, "(x - y)*(y - x)"), 2);
    assert_int_equal(length_of(&f, "(x > y) + (y < x)"), 2);
    assert_int_equal(parse(&f, "x + y"), parse(&f, "y + x"));
    assert_int_equal(parse(&f, "(x*y)*z"), parse(&f, "z*(y*x)"));
    assert_int_equal(parse(&f, "x > y"), parse(&f, "y < x"));
    close_formulas(&f);
}

static void test_simplification(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *same;
    } pairs[] = {
        {"x*0", "0"},
        {"0*x", "0"},
        {"x*1", "x"},
        {"x + 0", "x"},
        {"0 + x", "x"},
        {"x - 0", "x"},
        {"0 - x", "-x"},
        {"x - x", "0"},
        {"x^1", "x"},
        {"x^0", "1"},
        {"x^2", "x*x"},
        {"x^3", "x*x*x"},
        {"-(-x)", "x"},
        {"x/1", "x"},
        {"0/x", "0"},
        {"x^-1", "1/x"},
        {"x + x", "2*x"},
        {"x/4", "0.25*x"},
        {"0.5*(2*x)", "x"},
        {"x - -y", "x + y"},
        {"-x + y", "y - x"},
        {"-(x - y)", "y - x"},
        {"(-x)*(-y)", "x*y"},
        {"-x*y", "-(x*y)"},
        {"x*(-3)", "-(3*x)"},
        {"(-x)/(-y)", "x/y"},
        {"x*-1", "-x"},
        {"-x - y", "-(x + y)"},
        {"x - 3", "x + -3"},
        {"-(x + 3)", "-3 - x"},
        {"1^x", "1"},
        {"pow(x, 2)", "x*x"},
        {"1 ? x : y", "x"},
        {"0 ? x : y", "y"},
        {"z ? x : x", "x"},
        {"min(x, x)", "x"},
        {"1 && x > 0", "x > 0"},
        {"0 || x > 0", "x > 0"},
        {"(2*x)*(0.5*y)", "x*y"},
        {"2*pi*x", "6.283185307179586*x"},
    };
    formulas f;
    open_formulas(&f, NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (parse(&f, pairs[i].text) != parse(&f, pairs[i].same))
            fail_msg("%s is not %s", pairs[i].text, pairs[i].same);
    close_formulas(&f);
}

/* What is not finite must not vanish: neither by folding nor by a rule. */
static void test_faults_stay(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0*(1/0)", "0/0",       "1/0 - 1/0",  "0*(x + log(-1))", "x*(1/0)*0",    "inf - inf",
        "0*inf",   "0*(inf*x)", "sqrt(-1)*x", "0/(0/0 + x)",     "1e308*10 - x",
    };
    formulas f;
    open_formulas(&f, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        ss_node node = parse(&f, texts[i]);
        if (ss_graph_is_constant(f.graph, node, &value))
            fail_msg("%s became %g", texts[i], value);
        if (isfinite(value_of(&f, node, 1, 1, 1)))
            fail_msg("%s lost its fault", texts[i]);
    }
    close_formulas(&f);
}

static void test_outputs(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node nodes[] = {
        parse(&f, "5"), f.y, parse(&f, "x*z"), f.y, parse(&f, "z*x"), parse(&f, "-x"),
        parse(&f, "pi")};
    ss_program *program = compile(&f, 7, nodes);
    assert_int_equal(ss_program_input_count(program), 3);
    assert_int_equal(ss_program_output_count(program), 7);
    double *frame = new_frame(program);
    const double *out = ss_program_outputs(program, frame);
    assert_true(out[0] == 5 && out[6] == acos(-1)); /* before any run */
    frame[0] = 2, frame[1] = 3, frame[2] = 7;
    ss_program_run(program, frame);
    const double expected[] = {5, 3, 14, 3, 14, -2, acos(-1)};
    for (int i = 0; i < 7; i++)
        assert_true(out[i] == expected[i]);
    assert_true(frame[0] == 2 && frame[1] == 3 && frame[2] == 7);
    free(frame);
    ss_program_destroy(program);
    close_formulas(&f);
}

static void test_constant_program(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node node = parse(&f, "3*4 + x*0");
    ss_program *program = compile(&f, 1, &node);
    assert_int_equal(ss_program_length(program), 0);
    double *frame = new_frame(program);
    ss_program_run(program, frame);
    assert_true(ss_program_outputs(program, frame)[0] == 12);
    free(frame);
    ss_program_destroy(program);
    program = compile(&f, 0, NULL);
    assert_int_equal(ss_program_length(program), 0);
    ss_program_destroy(program);
    close_formulas(&f);
}

/* A long sum needs capacity for a few terms, not for all. */
static void test_places_are_reused(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node sum = parse(&f, "0"), one = parse(&f, "x + y");
    for (int i = 1; i <= 500; i++) { /* t (t + 1), t = i (x + y): t is read twice */
        ss_node factor, term, next;
        must(&f, ss_graph_constant(f.graph, i, &factor));
        must(&f, ss_graph_multiply(f.graph, factor, one, &term));
        must(&f, ss_graph_add(f.graph, term, parse(&f, "1"), &next));
        must(&f, ss_graph_multiply(f.graph, term, next, &term));
        must(&f, ss_graph_add(f.graph, sum, term, &sum));
    }
    ss_program *program = compile(&f, 1, &sum);
    size_t constants = 500;
    assert_true(ss_program_frame(program) <= 3 + 1 + constants + 4);
    double *frame = new_frame(program);
    frame[0] = 0.5, frame[1] = 0.5;
    ss_program_run(program, frame);
    assert_true(ss_program_outputs(program, frame)[0] == 500.0 * 501 * 502 / 3);
    free(frame);
    ss_program_destroy(program);
    close_formulas(&f);
}

/* Nothing but the inputs decides: not what ran before, nor where. */
static void test_pure(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node root = parse(&f, "sin(x*y)^3/(1 + exp(z)) + hypot(x, z)*(x < y ? cos(x*y) : tan(y))");
    ss_node nodes[] = {root, derivative(&f, root, f.x), derivative(&f, root, f.z)};
    ss_program *program = compile(&f, 3, nodes);
    double *one = new_frame(program), *other = new_frame(program);
    const double first[] = {0.3, 0.4, 0.5}, second[] = {-7, 1e5, 33};
    double kept[3];
    memcpy(one, first, sizeof first);
    ss_program_run(program, one);
    memcpy(kept, ss_program_outputs(program, one), sizeof kept);
    memcpy(one, second, sizeof second);
    ss_program_run(program, one);
    memcpy(one, first, sizeof first);
    ss_program_run(program, one);
    memcpy(other, first, sizeof first);
    ss_program_run(program, other);
    assert_memory_equal(kept, ss_program_outputs(program, one), sizeof kept);
    assert_memory_equal(kept, ss_program_outputs(program, other), sizeof kept);
    free(one);
    free(other);
    ss_program_destroy(program);
    close_formulas(&f);
}

/* The program outlives its graph. */
static void test_independent_of_graph(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node node = parse(&f, "x + 2*y");
    ss_program *program = compile(&f, 1, &node);
    ss_graph_destroy(f.graph);
    f.graph = NULL;
    double *frame = new_frame(program);
    frame[0] = 1, frame[1] = 2;
    ss_program_run(program, frame);
    assert_true(ss_program_outputs(program, frame)[0] == 5);
    free(frame);
    ss_program_destroy(program);
    close_formulas(&f);
}

static void test_many_variables(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    formulas f;
    open_formulas(&f, NULL);
    ss_node v[COUNT], sum = f.x;
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        must(&f, ss_graph_variable(f.graph, name, &v[i]));
    }
    for (int i = 0; i < COUNT; i += 3) {
        ss_node square;
        must(&f, ss_graph_multiply(f.graph, v[i], v[i], &square));
        must(&f, ss_graph_add(f.graph, sum, square, &sum));
    }
    assert_int_equal(ss_graph_variable_count(f.graph), COUNT + 3);
    for (int i = 0; i < COUNT; i++) {
        ss_node twice, two = parse(&f, "2");
        assert_int_equal(ss_graph_depends(f.graph, sum, v[i]), i % 3 == 0);
        must(&f, ss_graph_multiply(f.graph, two, v[i], &twice));
        assert_int_equal(derivative(&f, sum, v[i]), i % 3 == 0 ? twice : parse(&f, "0"));
    }
    assert_false(ss_graph_depends(f.graph, sum, sum));
    assert_false(ss_graph_depends(f.graph, -1, f.x));
    close_formulas(&f);
}

static void test_substitute(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node node, in = parse(&f, "x*y + sin(z)*x");
    ss_node variables[] = {f.x, f.y}, by[] = {parse(&f, "y + 1"), parse(&f, "x^2")};
    must(&f, ss_graph_substitute(f.graph, in, 2, variables, by, &node));
    assert_int_equal(node, parse(&f, "(y + 1)*x^2 + sin(z)*(y + 1)"));
    ss_node zero = parse(&f, "0");
    must(&f, ss_graph_substitute(f.graph, in, 1, &f.x, &zero, &node));
    assert_int_equal(node, zero);
    must(&f, ss_graph_substitute(f.graph, f.x, 1, &f.x, &f.z, &node));
    assert_int_equal(node, f.z);
    must(&f, ss_graph_substitute(f.graph, f.y, 1, &f.x, &f.z, &node));
    assert_int_equal(node, f.y);
    assert_int_equal(ss_graph_substitute(f.graph, in, 1, &in, &zero, &node), SS_INPUT);
    close_formulas(&f);
}

/* A formula may be as deep as it likes once it is in the graph: nothing recurses over it. */
static void test_deep(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node node = f.x;
    for (int i = 0; i < 200000; i++) {
        must(&f, ss_graph_add(f.graph, node, f.y, &node));
        must(&f, ss_graph_multiply(f.graph, node, f.z, &node));
    }
    ss_node nodes[] = {node, derivative(&f, node, f.z)};
    double values[2];
    values_of(&f, 2, nodes, (double[]){1, 0, 1}, values);
    assert_true(values[0] == 1 && values[1] == 200000);
    ss_node zero = parse(&f, "0");
    must(&f, ss_graph_substitute(f.graph, node, 1, &f.z, &zero, &node));
    assert_int_equal(node, zero);
    close_formulas(&f);
}

static void test_limits(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_program *program;
    assert_int_equal(ss_program_compile(f.graph, SS_GRAPH_LARGEST + 1, &f.x, &program), SS_INPUT);
    assert_string_equal(ss_context_message(f.context),
                        "a program has 0 to 4194304 outputs, not 4194305");
    assert_null(program);
    ss_node node = f.x;
    ss_status status = SS_OK;
    for (int i = 0; i <= SS_GRAPH_LARGEST && status == SS_OK; i++)
        status = ss_graph_add(f.graph, node, i % 2 ? f.y : f.z, &node);
    assert_int_equal(status, SS_INPUT);
    assert_string_equal(ss_context_message(f.context),
                        "the formulas have more than 4194304 different terms, which is the limit");
    close_formulas(&f);
}

/* Nodes that do not belong to the graph. */
static void test_bad_nodes(void **state)
{
    (void)state;
    formulas f;
    open_formulas(&f, NULL);
    ss_node node;
    ss_program *program;
    double value;
    assert_int_equal(ss_graph_add(f.graph, f.x, 999, &node), SS_INPUT);
    assert_int_equal(ss_graph_multiply(f.graph, -1, f.x, &node), SS_INPUT);
    assert_int_equal(ss_graph_negate(f.graph, 999, &node), SS_INPUT);
    assert_int_equal(ss_graph_derivative(f.graph, 999, f.x, &node), SS_INPUT);
    assert_int_equal(ss_program_compile(f.graph, 1, &(ss_node){999}, &program), SS_INPUT);
    assert_string_equal(ss_context_message(f.context),
                        "node 999 does not belong to the graph, which has 7");
    node = parse(&f, "x + 1");
    assert_int_equal(ss_graph_derivative(f.graph, f.x, node, &node), SS_INPUT);
    assert_string_equal(ss_context_message(f.context),
                        "a derivative is taken with respect to a variable, and node 7 is none");
    assert_int_equal(ss_graph_constant(f.graph, NAN, &node), SS_NON_FINITE);
    assert_false(ss_graph_is_constant(f.graph, 999, &value));
    assert_int_equal(ss_graph_variable_index(f.graph, 999), -1);
    assert_int_equal(ss_graph_variable_index(f.graph, parse(&f, "1")), -1);
    close_formulas(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_simplification),
        cmocka_unit_test(test_faults_stay),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_constant_program),
        cmocka_unit_test(test_places_are_reused),
        cmocka_unit_test(test_pure),
        cmocka_unit_test(test_independent_of_graph),
        cmocka_unit_test(test_many_variables),
        cmocka_unit_test(test_substitute),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_bad_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
