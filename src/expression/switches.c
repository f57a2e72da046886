/* switches.c: where a formula is not smooth. */
#include "expression/graph.h"

static bool enter_varying(const ss_graph *graph, ss_node node, const void *user)
{
    (void)user;
    return graph->vertices[node].variables != 0;
}

/* What changes its sign where a vertex jumps or has a kink. */
typedef enum kind { NONE, DIFFERENCE, OPERAND, WHOLE_NUMBER } kind;

static kind kind_of(ss_operation op)
{
    switch (op) {
    case SS_OP_LESS:
    case SS_OP_LESS_EQUAL:
    case SS_OP_MIN:
    case SS_OP_MAX:
        return DIFFERENCE;
    case SS_OP_ABS:
    case SS_OP_SIGN:
    case SS_OP_STEP:
        return OPERAND;
    case SS_OP_FLOOR:
    case SS_OP_CEIL:
        return WHOLE_NUMBER;
    default:
        return NONE;
    }
}

static ss_node switch_of(ss_builder *b, ss_node node)
{
    const double pi = 3.14159265358979323846;
    const ss_graph_vertex v = b->graph->vertices[node];
    switch (kind_of((ss_operation)v.op)) {
    case DIFFERENCE:
        return ss_build(b, SS_OP_SUBTRACT, v.operands[0], v.operands[1], SS_ZERO);
    case WHOLE_NUMBER:
        node = ss_build(b, SS_OP_MULTIPLY, ss_build_constant(b, pi), v.operands[0], SS_ZERO);
        return ss_build(b, SS_OP_SIN, node, SS_ZERO, SS_ZERO);
    default:
        return v.operands[0];
    }
}

static bool is_known(int count, const ss_node *nodes, ss_node node)
{
    for (int i = 0; i < count; i++)
        if (nodes[i] == node)
            return true;
    return false;
}

ss_status ss_graph_switches(ss_graph *graph, int count, const ss_node *of, int capacity,
                            ss_node *switches, int *found)
{
    ss_builder b = {graph, SS_OK};
    int n = ss_graph_traverse(graph, count, of, enter_varying, NULL), places = 0;
    for (int i = 0; i < n; i++)
        if (kind_of(ss_graph_operation(graph, graph->order[i])) != NONE && places++ < capacity)
            switches[places - 1] = graph->order[i];
    *found = places;
    if (places > capacity)
        return SS_OK;
    *found = 0; /* building terms makes the order invalid: their vertices have been copied */
    for (int i = 0; i < places; i++) {
        ss_node node = switch_of(&b, switches[i]);
        if (node != SS_ZERO && !is_known(*found, switches, node))
            switches[(*found)++] = node;
    }
    return b.status;
}
