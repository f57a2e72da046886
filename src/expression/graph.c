/* graph.c: creates the vertices of the expression graph, each different term once. */
#include "expression/graph.h"
#include "expression/name.h"

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

static ss_status grow_buckets(ss_graph *graph, size_t count)
{
    void *buckets;
    SS_TRY(ss_allocate(graph->context, count, sizeof *graph->buckets, &buckets));
    ss_release(graph->context, graph->buckets);
    graph->buckets = buckets;
    graph->bucket_count = count;
    for (ss_node node = 1; node < graph->count; node++)
        *bucket(graph, &graph->vertices[node]) = node;
    return SS_OK;
}

#define GROW(graph, field, capacity)                                                              \
    do {                                                                                          \
        void *grown = (graph)->field;                                                             \
        SS_TRY(                                                                                   \
            ss_reallocate((graph)->context, (size_t)(capacity), sizeof *(graph)->field, &grown)); \
        (graph)->field = grown;                                                                   \
    } while (0)

static ss_status grow(ss_graph *graph)
{
    if (graph->count >= SS_GRAPH_LARGEST)
        return ss_fail(graph->context, SS_INPUT,
                       "the formulas have more than %d different terms, which is the limit",
                       (int)SS_GRAPH_LARGEST);
    int capacity = graph->capacity ? 2 * graph->capacity : 64;
    GROW(graph, vertices, capacity);
    GROW(graph, seen, capacity);
    GROW(graph, path, capacity);
    GROW(graph, order, capacity);
    SS_TRY(grow_buckets(graph, 2 * (size_t)capacity));
    memset(graph->seen + graph->capacity, 0, (size_t)(capacity - graph->capacity));
    graph->capacity = capacity;
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
    *graph = NULL;
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof **graph, &memory));
    ss_graph *g = memory;
    g->context = context;
    if (resolver)
        g->resolver = *resolver;
    ss_name_table_init(&g->names, context);
    ss_status status = define_constants(g);
    if (status != SS_OK)
        ss_graph_destroy(g);
    else
        *graph = g;
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
        GROW(graph, variables, capacity);
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
