/* expression.h: formulas as text, their exact derivatives, and fast evaluation.
 *
 * A graph holds expressions in which equal subexpressions are one node. Derivatives are nodes of
 * the same graph, so second derivatives are derivatives of derivatives. A program evaluates a set
 * of nodes.
 *
 * Grammar: numbers (1, .5, 2e-3), names (letters, digits, _ and . inside, UTF-8 letters; a trailing
 * ' makes the name of a velocity), + - * / ^ (right associative; unary minus binds looser than ^),
 * comparisons < <= > >= == != (value 1 or 0; they do not chain), && || !, c ? a : b, parentheses,
 * functions sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max step hypot
 * floor ceil pow, constants pi and inf. step(x) is 1 for x >= 0, else 0.
 *
 * A text may also be a number with a unit, "500 mm", "2 kN/m" (docs/scene.md): its value is that in SI.
 *
 * Terms are simplified as they are built. That keeps their values, but for the last bits of x^3 and
 * other small powers and for points where a part is not finite: x*0, 0/x and x-x are 0. A constant
 * part that is not finite, such as 1/0, stays in the formula and shows when it is evaluated.
 */
#ifndef STICKSLIP_EXPRESSION_H
#define STICKSLIP_EXPRESSION_H

#include <stickslip/options.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_graph ss_graph;
typedef int ss_node; /* index of a node in its graph */

/* Finds the node of a name the graph does not know yet (typically by ss_graph_variable or
 * ss_graph_constant), or returns SS_UNKNOWN_NAME without setting a message. The graph remembers what
 * it finds. */
typedef ss_status (*ss_resolve_fn)(void *user, ss_graph *graph, const char *name, ss_node *node);

/* Writes up to `capacity` known names for "did you mean"; returns how many there are. */
typedef size_t (*ss_names_fn)(void *user, size_t capacity, const char **names);

typedef struct ss_resolver {
    void *user;
    ss_resolve_fn resolve;
    ss_names_fn names; /* may be NULL */
} ss_resolver;

/* Knows the names of a scope, as constants. */
SS_API ss_resolver ss_scope_resolver(const ss_scope *scope);

/* resolver may be NULL: only pi, inf and declared variables are known. It is copied. */
SS_API ss_status ss_graph_create(ss_context *context, const ss_resolver *resolver,
                                 ss_graph **graph);
SS_API void ss_graph_destroy(ss_graph *graph);

/* Declares a variable: the next input of every program. Texts may use the name from then on. */
SS_API ss_status ss_graph_variable(ss_graph *graph, const char *name, ss_node *node);
SS_API int ss_graph_variable_count(const ss_graph *graph);
/* Position of a variable's node among the inputs, or -1 when the node is no variable. */
SS_API int ss_graph_variable_index(const ss_graph *graph, ss_node node);
/* The variable at a position, 0 <= index < ss_graph_variable_count(). */
SS_API ss_node ss_graph_variable_node(const ss_graph *graph, int index);

SS_API ss_status ss_graph_constant(ss_graph *graph, double value, ss_node *node);
/* True when the node is a constant; *value receives it. */
SS_API bool ss_graph_is_constant(const ss_graph *graph, ss_node node, double *value);

/* Parses a text; errors name file:line:column inside the text. */
SS_API ss_status ss_graph_parse(ss_graph *graph, const ss_text *text, ss_node *node);

/* a + b, a · b, -a: for building formulas from nodes. */
SS_API ss_status ss_graph_add(ss_graph *graph, ss_node a, ss_node b, ss_node *node);
SS_API ss_status ss_graph_multiply(ss_graph *graph, ss_node a, ss_node b, ss_node *node);
SS_API ss_status ss_graph_negate(ss_graph *graph, ss_node a, ss_node *node);

/* The partial derivative with respect to a variable. abs, sign, step, floor, ceil, min, max,
 * comparisons and ?: are differentiated piecewise; at 0 the derivatives of abs and hypot are 0. */
SS_API ss_status ss_graph_derivative(ss_graph *graph, ss_node of, ss_node variable, ss_node *node);
/* `in` with variables[i] replaced by the node by[i], all at once; e.g. a velocity set to zero. */
SS_API ss_status ss_graph_substitute(ss_graph *graph, ss_node in, int count,
                                     const ss_node *variables, const ss_node *by, ss_node *node);
/* Whether the value of `of` depends on the variable. */
SS_API bool ss_graph_depends(const ss_graph *graph, ss_node of, ss_node variable);

/* The places where nodes jump or have a kink: terms that change their sign there, x - y of comparisons, min and max, x of abs,
 * sign and step, sin(πx) of floor and ceil, each once. `capacity` is what `switches` has space for; when there may be more, *found
 * is the capacity that is needed and nothing else is done. */
SS_API ss_status ss_graph_switches(ss_graph *graph, int count, const ss_node *of, int capacity,
                                   ss_node *switches, int *found);

/* Bytecode for a set of outputs. Independent of the graph once compiled, and never changed: threads
 * may share it, each with a frame of its own. */
typedef struct ss_program ss_program;

SS_API ss_status ss_program_compile(ss_graph *graph, int count, const ss_node *outputs,
                                    ss_program **program);
SS_API void ss_program_destroy(ss_program *program);
SS_API int ss_program_input_count(const ss_program *program);
SS_API int ss_program_output_count(const ss_program *program);
/* Number of instructions, for benchmarks and tests. */
SS_API int ss_program_length(const ss_program *program);

/* A frame is the memory a program works in: this many doubles, the inputs first, in the order of
 * the variables. */
SS_API size_t ss_program_frame(const ss_program *program);
/* Once for each frame, before its first run: puts the constants in place. All inputs become 0. */
SS_API void ss_program_prepare(const ss_program *program, double *frame);
/* Computes the outputs from the inputs frame[0] … and from nothing else: the same inputs give the
 * same bits. Inputs keep their values. */
SS_API void ss_program_run(const ss_program *program, double *frame);
/* Where the outputs are in a frame; those that are constant are there as soon as it is prepared. */
SS_API const double *ss_program_outputs(const ss_program *program, const double *frame);

/* The value of a text in a scope of named numbers: constants in scene files. scope may be NULL. The
 * value may be infinite only by way of `inf`; anything else that is not finite fails at its place. */
SS_API ss_status ss_evaluate(ss_context *context, const ss_scope *scope, const ss_text *text,
                             double *value);

#ifdef __cplusplus
}
#endif
#endif
