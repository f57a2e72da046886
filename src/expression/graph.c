/* graph.c: the expression graph: vertices, each different term once, and walks over them. */
#include "expression/graph.h"
#include "base/context.h"
#include "expression/token.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

/* Bits of the union, whatever the vertex holds. */
static void payload(const ss_graph_vertex *v, uint64_t words[2])
{
    words[0] = words[1] = 0;
    if (v->op == SS_OP_CONSTANT) {
        memcpy(&words[0], &v->value, sizeof v->value);
    } else if (v->op == SS_OP_VARIABLE) {
        words[0] = (uint64_t)v->variable;
    } else {
        words[0] = (uint64_t)v->operands[0] << 32 | (uint64_t)v->operands[1];
        words[1] = (uint64_t)v->operands[2];
    }
}

static bool same(const ss_graph_vertex *a, const ss_graph_vertex *b)
{
    uint64_t left[2], right[2];
    payload(a, left);
    payload(b, right);
    return a->op == b->op && left[0] == right[0] && left[1] == right[1];
}

/* The bucket of a vertex, or the free one where it belongs. Vertex 0 marks a free bucket and is
 * never looked up. */
static ss_node *bucket(const ss_graph *graph, const ss_graph_vertex *v)
{
    uint64_t words[2];
    payload(v, words);
    size_t mask = graph->bucket_count - 1;
    size_t i = (size_t)mix(mix(mix(0, v->op), words[0]), words[1]) & mask;
    while (graph->buckets[i] != SS_ZERO && !same(v, &graph->vertices[graph->buckets[i]]))
        i = (i + 1) & mask;
    return &graph->buckets[i];
}

static ss_status grow(ss_graph *graph)
{
    if (graph->count >= SS_GRAPH_LARGEST)
        return ss_fail(graph->context, SS_INPUT,
                       "the formulas have more than %d different terms, which is the limit",
                       (int)SS_GRAPH_LARGEST);
    int capacity = graph->capacity ? 2 * graph->capacity : 64;
    ss_node *buckets;
    SS_TRY(SS_RESIZE(graph->context, capacity, &graph->vertices));
    SS_TRY(SS_RESIZE(graph->context, capacity, &graph->seen));
    SS_TRY(SS_RESIZE(graph->context, capacity, &graph->path));
    SS_TRY(SS_RESIZE(graph->context, capacity, &graph->order));
    SS_TRY(SS_NEW(graph->context, 2 * capacity, &buckets));
    memset(graph->seen + graph->capacity, 0, (size_t)(capacity - graph->capacity));
    graph->capacity = capacity;
    ss_release(graph->context, graph->buckets);
    graph->buckets = buckets;
    graph->bucket_count = 2 * (size_t)capacity;
    for (ss_node node = 1; node < graph->count; node++)
        *bucket(graph, &graph->vertices[node]) = node;
    return SS_OK;
}

static ss_status append(ss_graph *graph, const ss_graph_vertex *vertex, ss_node *node)
{
    if (graph->count == graph->capacity)
        SS_TRY(grow(graph));
    *node = graph->count++;
    graph->vertices[*node] = *vertex;
    return SS_OK;
}

ss_status ss_graph_intern(ss_graph *graph, const ss_graph_vertex *vertex, ss_node *node)
{
    *node = *bucket(graph, vertex);
    if (*node != SS_ZERO)
        return SS_OK;
    SS_TRY(append(graph, vertex, node));
    *bucket(graph, vertex) = *node;
    return SS_OK;
}

ss_status ss_graph_check(const ss_graph *graph, ss_node node)
{
    if (node >= 0 && node < graph->count)
        return SS_OK;
    return ss_fail(graph->context, SS_INPUT, "node %d does not belong to the graph, which has %d",
                   node, graph->count);
}

static ss_status define_constants(ss_graph *graph)
{
    ss_node node;
    SS_TRY(append(graph, &(ss_graph_vertex){.op = SS_OP_CONSTANT, .value = 0}, &node));
    SS_TRY(ss_graph_constant(graph, 1, &node));
    SS_TRY(ss_graph_constant(graph, 3.14159265358979323846, &node));
    SS_TRY(ss_name_table_add(&graph->names, "pi", (ss_named){.node = node}));
    SS_TRY(ss_graph_constant(graph, INFINITY, &node));
    return ss_name_table_add(&graph->names, "inf", (ss_named){.node = node});
}

ss_status ss_graph_create(ss_context *context, const ss_resolver *resolver, ss_graph **graph)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, graph);
    SS_TRY(SS_NEW(context, 1, graph));
    (*graph)->context = context;
    if (resolver)
        (*graph)->resolver = *resolver;
    ss_name_table_init(&(*graph)->names, context);
    ss_status status = define_constants(*graph);
    if (status != SS_OK) {
        ss_graph_destroy(*graph);
        *graph = NULL;
    }
    return status;
}

void ss_graph_destroy(ss_graph *graph)
{
    if (!graph)
        return;
    ss_context *context = graph->context;
    ss_name_table_release(&graph->names);
    ss_release(context, graph->vertices);
    ss_release(context, graph->seen);
    ss_release(context, graph->path);
    ss_release(context, graph->order);
    ss_release(context, graph->buckets);
    ss_release(context, graph->variables);
    ss_release(context, graph->partials);
    ss_release(context, graph);
}

ss_status ss_graph_constant(ss_graph *graph, double value, ss_node *node)
{
    *node = SS_ZERO;
    if (isnan(value))
        return ss_fail(graph->context, SS_NON_FINITE, "a constant must be a number, not NaN");
    if (value == 0) /* both zeros are one node */
        return SS_OK;
    ss_graph_vertex v = {.op = SS_OP_CONSTANT, .singular = isinf(value) != 0, .value = value};
    return ss_graph_intern(graph, &v, node);
}

bool ss_graph_is_constant(const ss_graph *graph, ss_node node, double *value)
{
    if (node < 0 || node >= graph->count || graph->vertices[node].op != SS_OP_CONSTANT)
        return false;
    *value = graph->vertices[node].value;
    return true;
}

static uint64_t bit(int variable)
{
    return (uint64_t)1 << (variable < 63 ? variable : 63);
}

ss_status ss_graph_variable(ss_graph *graph, const char *name, ss_node *node)
{
    *node = SS_ZERO;
    SS_TRY(ss_name_check(graph->context, &(ss_text){.text = name}));
    if (ss_name_table_find(&graph->names, name))
        return ss_fail(graph->context, SS_INPUT, "the name '%s' is in use already", name);
    if (graph->variable_count == graph->variable_capacity) {
        int capacity = graph->variable_capacity ? 2 * graph->variable_capacity : 16;
        SS_TRY(SS_RESIZE(graph->context, capacity, &graph->variables));
        graph->variable_capacity = capacity;
    }
    int index = graph->variable_count;
    ss_graph_vertex v = {.op = SS_OP_VARIABLE, .variables = bit(index), .variable = index};
    ss_node variable;
    SS_TRY(ss_graph_intern(graph, &v, &variable));
    SS_TRY(ss_name_table_add(&graph->names, name, (ss_named){.node = variable}));
    graph->variables[graph->variable_count++] = variable;
    *node = variable;
    return SS_OK;
}

int ss_graph_variable_count(const ss_graph *graph)
{
    return graph->variable_count;
}

int ss_graph_variable_index(const ss_graph *graph, ss_node node)
{
    if (node < 0 || node >= graph->count || graph->vertices[node].op != SS_OP_VARIABLE)
        return -1;
    return graph->vertices[node].variable;
}

ss_node ss_graph_variable_node(const ss_graph *graph, int index)
{
    return graph->variables[index];
}

uint64_t ss_graph_bit(const ss_graph *graph, ss_node variable)
{
    return bit(graph->vertices[variable].variable);
}

/* ---- Formulas built from nodes instead of text ---- */

static ss_status combine(ss_graph *graph, ss_operation op, ss_node a, ss_node b, ss_node *node)
{
    *node = SS_ZERO;
    SS_TRY(ss_graph_check(graph, a));
    SS_TRY(ss_graph_check(graph, b));
    ss_builder builder = {.graph = graph};
    *node = ss_build(&builder, op, a, b, SS_ZERO);
    return builder.status;
}

ss_status ss_graph_add(ss_graph *graph, ss_node a, ss_node b, ss_node *node)
{
    return combine(graph, SS_OP_ADD, a, b, node);
}

ss_status ss_graph_multiply(ss_graph *graph, ss_node a, ss_node b, ss_node *node)
{
    return combine(graph, SS_OP_MULTIPLY, a, b, node);
}

ss_status ss_graph_negate(ss_graph *graph, ss_node a, ss_node *node)
{
    return combine(graph, SS_OP_NEGATE, a, SS_ZERO, node);
}

/* ---- What a node depends on, operands first ---- */

/* The first operand that is not done and is entered, or -1. */
static ss_node next_operand(const ss_graph *graph, ss_node node, ss_enter_fn enter,
                            const void *user)
{
    const ss_graph_vertex *v = &graph->vertices[node];
    for (int i = 0; i < ss_graph_arity(graph, node); i++)
        if (!graph->seen[v->operands[i]] && enter(graph, v->operands[i], user))
            return v->operands[i];
    return -1;
}

/* Depth first, the path in graph->path instead of on the stack. A path visits no vertex twice. */
static int visit(const ss_graph *graph, ss_node root, ss_enter_fn enter, const void *user,
                 int found)
{
    int length = 0;
    graph->path[length++] = root;
    while (length > 0) {
        ss_node node = graph->path[length - 1];
        ss_node next = next_operand(graph, node, enter, user);
        if (next >= 0) {
            graph->path[length++] = next;
        } else {
            graph->seen[node] = true;
            graph->order[found++] = node;
            length--;
        }
    }
    return found;
}

int ss_graph_traverse(const ss_graph *graph, int count, const ss_node *roots, ss_enter_fn enter,
                      const void *user)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        if (!graph->seen[roots[i]] && enter(graph, roots[i], user))
            found = visit(graph, roots[i], enter, user, found);
    for (int i = 0; i < found; i++)
        graph->seen[graph->order[i]] = false;
    return found;
}

bool ss_graph_enter_masked(const ss_graph *graph, ss_node node, const void *user)
{
    return (graph->vertices[node].variables & *(const uint64_t *)user) != 0;
}

bool ss_graph_depends(const ss_graph *graph, ss_node of, ss_node variable)
{
    if (of < 0 || of >= graph->count || ss_graph_variable_index(graph, variable) < 0)
        return false;
    uint64_t bit = ss_graph_bit(graph, variable);
    if (!(graph->vertices[of].variables & bit))
        return false;
    if (graph->vertices[variable].variable < 63)
        return true;
    int found = ss_graph_traverse(graph, 1, &of, ss_graph_enter_masked, &bit);
    for (int i = 0; i < found; i++)
        if (graph->order[i] == variable)
            return true;
    return false;
}

/* ---- Variables replaced by other nodes ---- */

/* replaced[i] is 1 + what vertex i becomes, or 0 when it stays. */
static ss_node after(const ss_node *replaced, ss_node node)
{
    return replaced[node] ? replaced[node] - 1 : node;
}

static ss_status replace(ss_graph *graph, ss_node node, ss_node *replaced)
{
    if (ss_graph_operation(graph, node) == SS_OP_VARIABLE)
        return SS_OK;
    const ss_node *operands = graph->vertices[node].operands;
    ss_builder b = {.graph = graph};
    ss_node built = ss_build(&b, ss_graph_operation(graph, node), after(replaced, operands[0]),
                             after(replaced, operands[1]), after(replaced, operands[2]));
    replaced[node] = built + 1;
    return b.status;
}

ss_status ss_graph_substitute(ss_graph *graph, ss_node in, int count, const ss_node *variables,
                              const ss_node *by, ss_node *node)
{
    *node = SS_ZERO;
    SS_TRY(ss_graph_check(graph, in));
    for (int i = 0; i < count; i++) {
        SS_TRY(ss_graph_check(graph, by[i]));
        if (ss_graph_variable_index(graph, variables[i]) < 0)
            return ss_fail(graph->context, SS_INPUT,
                           "only variables can be substituted, and node %d is none", variables[i]);
    }
    ss_node *replaced;
    SS_TRY(SS_NEW(graph->context, graph->count, &replaced));
    uint64_t mask = 0;
    for (int i = 0; i < count; i++) {
        replaced[variables[i]] = by[i] + 1;
        mask |= ss_graph_bit(graph, variables[i]);
    }
    int found = ss_graph_traverse(graph, 1, &in, ss_graph_enter_masked, &mask);
    ss_status status = SS_OK;
    for (int i = 0; i < found && status == SS_OK; i++)
        status = replace(graph, graph->order[i], replaced);
    if (status == SS_OK)
        *node = after(replaced, in);
    ss_release(graph->context, replaced);
    return status;
}
