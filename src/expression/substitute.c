/* substitute.c: replaces variables of a graph by other nodes. */
#include "expression/graph.h"

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

static ss_status check(const ss_graph *graph, int count, const ss_node *variables,
                       const ss_node *by)
{
    for (int i = 0; i < count; i++) {
        SS_TRY(ss_graph_check(graph, by[i]));
        if (ss_graph_variable_index(graph, variables[i]) < 0)
            return ss_fail(graph->context, SS_INPUT,
                           "only variables can be substituted, and node %d is none", variables[i]);
    }
    return SS_OK;
}

ss_status ss_graph_substitute(ss_graph *graph, ss_node in, int count, const ss_node *variables,
                              const ss_node *by, ss_node *node)
{
    *node = SS_ZERO;
    SS_TRY(ss_graph_check(graph, in));
    SS_TRY(check(graph, count, variables, by));
    void *memory;
    SS_TRY(ss_allocate(graph->context, (size_t)graph->count, sizeof(ss_node), &memory));
    ss_node *replaced = memory;
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
