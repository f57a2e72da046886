/* evaluate.c: reads formulas into a graph and evaluates constant ones. */
#include "expression/parser.h"

ss_status ss_graph_parse(ss_graph *graph, const ss_text *text, ss_node *node)
{
    ss_parsed result;
    *node = SS_ZERO;
    SS_TRY(ss_parse(graph, text, &result));
    *node = result.node;
    return SS_OK;
}

static ss_status find(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    double value;
    if (!ss_scope_find(user, name, &value))
        return SS_UNKNOWN_NAME;
    return ss_graph_constant(graph, value, node);
}

static size_t names(void *user, size_t capacity, const char **all)
{
    const ss_scope *scope = user;
    for (size_t i = 0; i < capacity && i < ss_scope_count(scope); i++)
        all[i] = ss_scope_name(scope, i);
    return ss_scope_count(scope);
}

ss_resolver ss_scope_resolver(const ss_scope *scope)
{
    return (ss_resolver){.user = (void *)scope, .resolve = find, .names = names};
}

static ss_status fail_value(ss_graph *graph, const ss_text *text, size_t culprit)
{
    ss_token token;
    SS_TRY(ss_token_read(graph->context, text, culprit, &token));
    return ss_text_fail(graph->context, SS_NON_FINITE, text, culprit,
                        "the value is not finite: '%.*s' has no finite result here",
                        (int)token.length, text->text + token.start);
}

static ss_status evaluate(ss_graph *graph, const ss_text *text, double *value)
{
    ss_parsed result;
    SS_TRY(ss_parse(graph, text, &result));
    if (ss_graph_is_constant(graph, result.node, value))
        return SS_OK;
    return fail_value(graph, text, result.culprit);
}

ss_status ss_evaluate(ss_context *context, const ss_scope *scope, const ss_text *text,
                      double *value)
{
    ss_resolver resolver = ss_scope_resolver(scope);
    ss_graph *graph;
    *value = 0;
    SS_TRY(ss_graph_create(context, scope ? &resolver : NULL, &graph));
    ss_status status = evaluate(graph, text, value);
    ss_graph_destroy(graph);
    return status;
}
