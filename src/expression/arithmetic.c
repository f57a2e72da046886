/* arithmetic.c: formulas built from nodes instead of text. */
#include "expression/graph.h"

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
