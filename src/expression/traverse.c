/* traverse.c: visits the nodes that a node depends on, operands first. */
#include "expression/graph.h"

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
