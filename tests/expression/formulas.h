/* formulas.h: a graph with the variables x, y, z and shortcuts that fail the test with the
 * library's message. */
#ifndef SS_TESTS_EXPRESSION_FORMULAS_H
#define SS_TESTS_EXPRESSION_FORMULAS_H

#include "base/context.h"
#include "support/test.h"

#include <stickslip/expression.h>

#include <math.h>
#include <stdlib.h>

typedef struct formulas {
    ss_context *context;
    ss_graph *graph;
    ss_node x, y, z;
} formulas;

static inline void must(const formulas *f, ss_status status)
{
    if (status != SS_OK)
        fail_msg("%s: %s", ss_status_name(status), ss_context_message(f->context));
}

static inline void open_formulas_with(formulas *f, const ss_context_options *options,
                                      const ss_resolver *resolver)
{
    assert_int_equal(ss_context_create_bare(options, &f->context), SS_OK);
    must(f, ss_graph_create(f->context, resolver, &f->graph));
    must(f, ss_graph_variable(f->graph, "x", &f->x));
    must(f, ss_graph_variable(f->graph, "y", &f->y));
    must(f, ss_graph_variable(f->graph, "z", &f->z));
}

static inline void open_formulas(formulas *f, const ss_resolver *resolver)
{
    open_formulas_with(f, NULL, resolver);
}

static inline void close_formulas(formulas *f)
{
    ss_graph_destroy(f->graph);
    ss_context_destroy(f->context);
}

static inline ss_text text_at(const char *text)
{
    return (ss_text){.text = text, .where = {.file = "t", .line = 1, .column = 1}};
}

static inline ss_node parse(const formulas *f, const char *text)
{
    ss_node node;
    ss_text t = text_at(text);
    must(f, ss_graph_parse(f->graph, &t, &node));
    return node;
}

static inline ss_node derivative(const formulas *f, ss_node of, ss_node variable)
{
    ss_node node;
    must(f, ss_graph_derivative(f->graph, of, variable, &node));
    return node;
}

static inline ss_program *compile(const formulas *f, int count, const ss_node *outputs)
{
    ss_program *program;
    must(f, ss_program_compile(f->graph, count, outputs, &program));
    return program;
}

/* A frame ready to run; to be freed. */
static inline double *new_frame(const ss_program *program)
{
    double *frame = malloc((ss_program_frame(program) + 1) * sizeof *frame);
    assert_non_null(frame);
    ss_program_prepare(program, frame);
    return frame;
}

/* Number of instructions for one output. */
static inline int length_of(const formulas *f, const char *text)
{
    ss_node node = parse(f, text);
    ss_program *program = compile(f, 1, &node);
    int length = ss_program_length(program);
    ss_program_destroy(program);
    return length;
}

/* The values of nodes at (x, y, z). */
static inline void values_of(const formulas *f, int count, const ss_node *nodes, const double at[3],
                             double *values)
{
    ss_program *program = compile(f, count, nodes);
    double *frame = new_frame(program);
    for (int i = 0; i < 3; i++)
        frame[i] = at[i];
    ss_program_run(program, frame);
    for (int i = 0; i < count; i++)
        values[i] = ss_program_outputs(program, frame)[i];
    free(frame);
    ss_program_destroy(program);
}

static inline double value_of(const formulas *f, ss_node node, double x, double y, double z)
{
    double value;
    values_of(f, 1, &node, (double[]){x, y, z}, &value);
    return value;
}

#endif
