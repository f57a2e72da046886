/* fuzz_expression.c: any bytes as a formula. It is parsed, differentiated twice, compiled and run,
 * and evaluated as a constant; nothing of this may crash, leak or hang.
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz/fuzz_expression.c \
 *         $(ls src/{base,expression}/[a-z_]*[a-z].c) -lm -o fuzz_expression
 *   ./fuzz_expression -max_total_time=120 -dict=tests/fuzz/expression.dict
 */
#include "base/context.h"

#include <stickslip/expression.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    (void)user;
    if (strcmp(name, "m") == 0)
        return ss_graph_constant(graph, 2.5, node);
    if (strcmp(name, "late'") == 0)
        return ss_graph_variable(graph, name, node);
    return SS_UNKNOWN_NAME;
}

static size_t names(void *user, size_t capacity, const char **all)
{
    (void)user;
    if (capacity > 0)
        all[0] = "m";
    if (capacity > 1)
        all[1] = "late'";
    return 2;
}

static ss_status derive(ss_graph *graph, const ss_text *text, ss_node out[7])
{
    ss_node x, y;
    SS_TRY(ss_graph_variable(graph, "x", &x));
    SS_TRY(ss_graph_variable(graph, "y'", &y));
    SS_TRY(ss_graph_parse(graph, text, &out[0]));
    SS_TRY(ss_graph_derivative(graph, out[0], x, &out[1]));
    SS_TRY(ss_graph_derivative(graph, out[0], y, &out[2]));
    SS_TRY(ss_graph_derivative(graph, out[1], x, &out[3]));
    SS_TRY(ss_graph_derivative(graph, out[1], y, &out[4]));
    SS_TRY(ss_graph_derivative(graph, out[2], y, &out[5]));
    return ss_graph_substitute(graph, out[0], 1, &x, &y, &out[6]);
}

static void run(const ss_program *program)
{
    static const double inputs[] = {0.3, -1.7, 1e200};
    double *frame = malloc((ss_program_frame(program) + 1) * sizeof *frame);
    if (!frame)
        return;
    ss_program_prepare(program, frame);
    memcpy(frame, inputs, (size_t)ss_program_input_count(program) * sizeof *frame);
    ss_program_run(program, frame);
    free(frame);
}

static void try_text(ss_context *context, const ss_text *text)
{
    const ss_resolver resolver = {.resolve = resolve, .names = names};
    ss_graph *graph;
    ss_program *program;
    ss_node out[7];
    double value;
    ss_evaluate(context, NULL, text, &value);
    if (ss_graph_create(context, &resolver, &graph) != SS_OK)
        return;
    if (derive(graph, text, out) == SS_OK && ss_program_compile(graph, 7, out, &program) == SS_OK) {
        run(program);
        ss_program_destroy(program);
    }
    ss_graph_destroy(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ss_context *context;
    char *text = malloc(size + 1);
    if (!text || ss_context_create_bare(NULL, &context) != SS_OK) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    /* With and without a place: the two kinds of message. */
    try_text(context,
             &(ss_text){.text = text, .where = {size % 2 ? "f" : NULL, (int)(size % 2), 1}});
    ss_context_destroy(context);
    free(text);
    return 0;
}
