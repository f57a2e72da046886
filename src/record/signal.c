/* signal.c: expressions of columns. */
#include "record/columns.h"

#include <string.h>

typedef struct scope {
    const ss_layout *layout;
    const ss_columns *columns;
    ss_signal *signal;
} scope;

static ss_status use_column(ss_signal *signal, ss_graph *graph, const char *name,
                            const ss_column *column, ss_node *node)
{
    SS_TRY(ss_graph_variable(graph, name, node));
    void *inputs = signal->inputs;
    size_t count = (size_t)signal->n_inputs + 1;
    SS_TRY(ss_reallocate(signal->context, count, sizeof *signal->inputs, &inputs));
    signal->inputs = inputs;
    signal->inputs[signal->n_inputs++] = column;
    return SS_OK;
}

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    scope *s = user;
    const ss_column *column = ss_columns_find(s->columns, name);
    if (column)
        return use_column(s->signal, graph, name, column, node);
    for (int i = 0; i < s->layout->n_parameters; i++)
        if (strcmp(s->layout->parameters[i], name) == 0)
            return ss_graph_constant(graph, s->layout->parameter_values[i], node);
    return SS_UNKNOWN_NAME;
}

static size_t known_names(void *user, size_t capacity, const char **names)
{
    const scope *s = user;
    const ss_map *map = &s->columns->names;
    size_t count = 0;
    for (size_t i = 0; i < map->capacity; i++) {
        const ss_map_slot *slot = &map->slots[i];
        if (!slot->name || slot->value < 0)
            continue;
        if (count < capacity)
            names[count] = slot->name;
        count++;
    }
    for (int i = 0; i < s->layout->n_parameters; i++, count++)
        if (count < capacity)
            names[count] = s->layout->parameters[i];
    return count;
}

static ss_status compile(ss_graph *graph, const ss_text *expression, ss_signal *signal)
{
    ss_node node;
    SS_TRY(ss_graph_parse(graph, expression, &node));
    return ss_program_compile(graph, 1, &node, &signal->program);
}

ss_status ss_signal_compile(ss_context *context, const ss_layout *layout, const ss_columns *columns,
                            const ss_text *expression, ss_signal *signal)
{
    *signal = (ss_signal){.context = context};
    scope s = {layout, columns, signal};
    ss_resolver resolver = {&s, resolve, known_names};
    ss_graph *graph;
    SS_TRY(ss_graph_create(context, &resolver, &graph));
    ss_status status = compile(graph, expression, signal);
    ss_graph_destroy(graph);
    if (status != SS_OK)
        ss_signal_release(signal);
    return status;
}

void ss_signal_release(ss_signal *signal)
{
    if (signal->program)
        ss_program_destroy(signal->program);
    ss_release(signal->context, signal->inputs);
    *signal = (ss_signal){0};
}
