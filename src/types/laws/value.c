/* value.c: parameters of laws that may depend on the state: expressions with the law's own rows in them. */
#include "types/laws/value.h"

#include "model/refuse.h"
#include "types/types.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool in_range(const ss_law_values *values, double value)
{
    return isfinite(value) && value >= values->least;
}

/* "a number >= 0 in N" */
static void describe(const ss_law_values *values, size_t capacity, char *text)
{
    bool unit = values->unit && values->unit[0];
    char least[40] = ", finite";
    if (isfinite(values->least))
        snprintf(least, sizeof least, " >= %g", values->least);
    snprintf(text, capacity, "a number%s%s%s", least, unit ? " in " : "", unit ? values->unit : "");
}

/* What a node is worth at t = 0, at rest, where the systems are at first; NAN: unknown. */
static ss_status value_at_first(ss_setup *setup, ss_node node, double *value)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    int count = ss_graph_variable_count(graph);
    ss_node *variables, *by;
    SS_TRY(SS_SETUP_NEW(setup, count, &variables));
    SS_TRY(SS_SETUP_NEW(setup, count, &by));
    for (int i = 0; i < count; i++) {
        variables[i] = ss_graph_variable_node(graph, i);
        SS_TRY(ss_graph_constant(graph, ss_setup_variable_first(setup, variables[i]), &by[i]));
    }
    SS_TRY(ss_graph_substitute(graph, node, count, variables, by, &node));
    if (!ss_graph_is_constant(graph, node, value))
        *value = NAN;
    return SS_OK;
}

static ss_status parse(ss_setup *setup, const ss_texts *given, ss_node *nodes,
                       ss_law_values *values)
{
    ss_graph *graph;
    char range[96];
    ss_setup_know_state(setup);
    SS_TRY(ss_setup_graph(setup, &graph));
    for (int i = 0; i < given->rows; i++) {
        const ss_text *text = &given->items[i];
        unsigned depends;
        SS_TRY(ss_graph_parse(graph, text, &nodes[i]));
        SS_TRY(ss_setup_depends(setup, nodes[i], &depends));
        SS_TRY(value_at_first(setup, nodes[i], &values->first[i]));
        values->depends |= depends;
        if (depends != 0 || in_range(values, values->first[i]))
            continue;
        describe(values, sizeof range, range);
        return ss_fail_at(values->context, SS_INPUT, text->where, "%s: '%s' must be %s, not %g",
                          values->owner, values->key, range, values->first[i]);
    }
    return SS_OK;
}

ss_status ss_law_values_compile(ss_setup *setup, const ss_texts *given, ss_law_values *values)
{
    ss_node nodes[SS_LAW_VALUES];
    values->count = given->rows;
    values->context = ss_setup_context(setup);
    values->owner = ss_setup_owner(setup);
    values->where = ss_setup_key_location(setup, values->key);
    if (given->rows == 0)
        return SS_OK;
    if (given->columns != 1 || given->rows > SS_LAW_VALUES)
        return ss_refuse(setup, "'%s' wants one number, or a list of at most %d", values->key,
                         SS_LAW_VALUES);
    SS_TRY(parse(setup, given, nodes, values));
    bool same = values->one;
    for (int i = 1; i < given->rows; i++)
        same = same && nodes[i] == nodes[0];
    values->count = same ? 1 : given->rows;
    return values->depends ? ss_setup_compile(setup, values->count, nodes, &values->formula)
                           : SS_OK;
}

ss_status ss_law_value_compile(ss_setup *setup, const ss_text *given, ss_law_values *values)
{
    const ss_texts one = {given->text ? 1 : 0, 1, given};
    return ss_law_values_compile(setup, &one, values);
}

ss_status ss_law_values_at(const ss_law_values *values, const ss_law_at *at, double *numbers)
{
    char range[96];
    size_t bytes = (size_t)values->count * sizeof *numbers;
    memcpy(numbers, values->formula ? ss_law_formula_run(values->formula, at) : values->first,
           bytes);
    for (int i = 0; values->formula && i < values->count; i++) {
        if (in_range(values, numbers[i]))
            continue;
        describe(values, sizeof range, range);
        return ss_fail_at(values->context, SS_INPUT, values->where,
                          "%s: '%s' is %g at t = %.9g s; it must be %s", values->owner, values->key,
                          numbers[i], at->t, range);
    }
    return SS_OK;
}
