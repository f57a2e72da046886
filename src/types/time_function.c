/* time_function.c: a parameter that may change with time, with its rate and acceleration. */
#include "types/time_function.h"

static ss_status check_variables(const ss_setup *setup, const ss_graph *graph, ss_node time,
                                 const char *key, const ss_text *text, ss_node node)
{
    for (int i = 0; i < ss_graph_variable_count(graph); i++) {
        ss_node variable = ss_graph_variable_node(graph, i);
        if (variable != time && ss_graph_depends(graph, node, variable))
            return ss_fail_at(ss_setup_context(setup), SS_INPUT, text->where,
                              "%s: '%s' may depend on the time t and parameters only, not on "
                              "coordinates: %s",
                              ss_setup_owner(setup), key, text->text);
    }
    return SS_OK;
}

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
    SS_TRY(check_variables(setup, graph, time, key, text, nodes[0]));
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
