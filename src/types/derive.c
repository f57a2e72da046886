/* derive.c: formulas that types build: functions of time, and nodes with their derivatives. */
#include "types/derive.h"

#include "types/types.h"

ss_status ss_time_function_compile(ss_setup *setup, const char *key, const ss_text *text,
                                   ss_time_function *function)
{
    *function = (ss_time_function){0};
    ss_graph *graph;
    ss_node time, nodes[3];
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(ss_graph_parse(graph, text, &nodes[0]));
    if (ss_graph_is_constant(graph, nodes[0], &function->constant))
        return SS_OK;
    SS_TRY(ss_setup_time(setup, &time));
    for (int i = 0; i < ss_graph_variable_count(graph); i++) {
        ss_node variable = ss_graph_variable_node(graph, i);
        if (variable != time && !ss_setup_is_input(setup, variable) &&
            ss_graph_depends(graph, nodes[0], variable))
            return ss_fail_at(
                ss_setup_context(setup), SS_INPUT, text->where,
                "%s: '%s' may depend on the time t, inputs and parameters only, not on "
                "coordinates: %s",
                ss_setup_owner(setup), key, text->text);
    }
    SS_TRY(ss_graph_derivative(graph, nodes[0], time, &nodes[1]));
    SS_TRY(ss_graph_derivative(graph, nodes[1], time, &nodes[2]));
    return ss_setup_compile(setup, 3, nodes, &function->formula);
}

ss_time_value ss_time_function_at(const ss_time_function *function, const ss_at *at)
{
    if (!function->formula)
        return (ss_time_value){.value = function->constant};
    const double *values = ss_formula_run(function->formula, at);
    return (ss_time_value){values[0], values[1], values[2]};
}

ss_status ss_derive_nodes(ss_setup *setup, int local, ss_system_nodes *nodes)
{
    SS_TRY(ss_setup_graph(setup, &nodes->graph));
    ss_setup_connected(setup, local, &nodes->nq, &nodes->nu);
    SS_TRY(SS_SETUP_NEW(setup, nodes->nq, &nodes->q));
    SS_TRY(SS_SETUP_NEW(setup, nodes->nu, &nodes->u));
    for (int i = 0; i < nodes->nq; i++)
        SS_TRY(ss_setup_variable(setup, local, false, i, &nodes->q[i]));
    for (int i = 0; i < nodes->nu; i++)
        SS_TRY(ss_setup_variable(setup, local, true, i, &nodes->u[i]));
    return SS_OK;
}

ss_status ss_derive_names(ss_setup *setup, const ss_texts *texts, const char ***names)
{
    SS_TRY(SS_SETUP_NEW(setup, texts->rows, names));
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
    SS_TRY(SS_SETUP_NEW(setup, count * (nodes->nq + nodes->nu), &outputs));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < nodes->nq; j++)
            SS_TRY(ss_graph_derivative(nodes->graph, h[i], nodes->q[j], &outputs[n++]));
    for (int i = 0; i < count; i++)
        for (int j = 0; j < nodes->nu; j++)
            SS_TRY(ss_graph_derivative(nodes->graph, h[i], nodes->u[j], &outputs[n++]));
    return ss_setup_compile(setup, n, outputs, formula);
}
