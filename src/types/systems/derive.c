/* derive.c: nodes of formulas that the expression types build. */
#include "types/systems/derive.h"

ss_status ss_derive_reserve(ss_setup *setup, int count, ss_node **nodes)
{
    return ss_setup_allocate(setup, (size_t)count, sizeof **nodes, (void **)nodes);
}

ss_status ss_derive_nodes(ss_setup *setup, int local, ss_system_nodes *nodes)
{
    SS_TRY(ss_setup_graph(setup, &nodes->graph));
    ss_setup_connected(setup, local, &nodes->nq, &nodes->nu);
    SS_TRY(ss_derive_reserve(setup, nodes->nq, &nodes->q));
    SS_TRY(ss_derive_reserve(setup, nodes->nu, &nodes->u));
    for (int i = 0; i < nodes->nq; i++)
        SS_TRY(ss_setup_variable(setup, local, false, i, &nodes->q[i]));
    for (int i = 0; i < nodes->nu; i++)
        SS_TRY(ss_setup_variable(setup, local, true, i, &nodes->u[i]));
    return SS_OK;
}

ss_status ss_derive_names(ss_setup *setup, const ss_texts *texts, const char ***names)
{
    SS_TRY(ss_setup_allocate(setup, (size_t)texts->rows, sizeof **names, (void **)names));
    for (int i = 0; i < texts->rows; i++)
        (*names)[i] = texts->items[i].text;
    return SS_OK;
}

ss_status ss_derive_coordinates(ss_setup *setup, const ss_texts *texts)
{
    const char **names;
    SS_TRY(ss_derive_names(setup, texts, &names));
    return ss_setup_coordinates(setup, texts->rows, names);
}

ss_status ss_derive_add_product(ss_graph *graph, ss_node a, ss_node b, ss_node *sum)
{
    ss_node product;
    SS_TRY(ss_graph_multiply(graph, a, b, &product));
    return ss_graph_add(graph, *sum, product, sum);
}

ss_status ss_derive_parse(ss_setup *setup, const char *key, const ss_texts *texts, int count,
                          ss_node *nodes)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    int given = texts->rows * texts->columns;
    if (given != count) {
        ss_location where = given ? texts->items[0].where : ss_setup_location(setup);
        return ss_fail_at(ss_setup_context(setup), SS_INPUT, where,
                          "%s: '%s' has %d expressions, %d are wanted", ss_setup_owner(setup), key,
                          given, count);
    }
    for (int i = 0; i < count; i++)
        SS_TRY(ss_graph_parse(graph, &texts->items[i], &nodes[i]));
    return SS_OK;
}

bool ss_derive_has_velocity(const ss_system_nodes *nodes, ss_node formula)
{
    for (int i = 0; i < nodes->nu; i++)
        if (ss_graph_depends(nodes->graph, formula, nodes->u[i]))
            return true;
    return false;
}

ss_status ss_derive_jacobians(ss_setup *setup, const ss_system_nodes *nodes, int count,
                              const ss_node *h, const ss_formula **formula)
{
    ss_node *outputs;
    int n = 0;
    SS_TRY(ss_derive_reserve(setup, count * (nodes->nq + nodes->nu), &outputs));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < nodes->nq; j++)
            SS_TRY(ss_graph_derivative(nodes->graph, h[i], nodes->q[j], &outputs[n++]));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < nodes->nu; j++)
            SS_TRY(ss_graph_derivative(nodes->graph, h[i], nodes->u[j], &outputs[n++]));
    return ss_setup_compile(setup, n, outputs, formula);
}
