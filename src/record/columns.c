/* columns.c: the columns of a record by name, and expressions of them. */
#include "record/record.h"

#include <string.h>

static int count_columns(const ss_layout *layout)
{
    int count = 2 + layout->n_q + layout->n_u + layout->n_frames + layout->n_inputs +
                layout->n_outputs + layout->n_laws + 3 * layout->n_rows;
    for (int i = 0; i < layout->n_laws; i++)
        if (layout->laws[i].kind == SS_GEOMETRIC)
            count += layout->laws[i].dim;
    return count + (SS_SERIES_COUNT - SS_SERIES_KINETIC);
}

static ss_status add(ss_columns *columns, const char *name, ss_series_id series, int index)
{
    columns->items[columns->count] = (ss_column){name, series, index};
    return ss_map_set(&columns->names, name, columns->count++);
}

static ss_status add_coordinates(ss_columns *columns, int count, const char *const *names,
                                 ss_series_id series)
{
    for (int i = 0; i < count; i++)
        SS_TRY(add(columns, names[i], series, i));
    return SS_OK;
}

static ss_status add_rows(ss_arena *arena, const ss_law_info *law, const char *part,
                          ss_series_id series, ss_columns *columns)
{
    for (int k = 0; k < law->dim; k++) {
        const char *name;
        SS_TRY(ss_layout_join(arena, law->name, part, law->dim > 1 ? k + 1 : 0, &name));
        SS_TRY(add(columns, name, series, law->offset + k));
    }
    return SS_OK;
}

static ss_status add_law(ss_arena *arena, const ss_layout *layout, int index, ss_columns *columns)
{
    const ss_law_info *law = &layout->laws[index];
    if (law->kind == SS_GEOMETRIC)
        SS_TRY(add_rows(arena, law, "gap", SS_SERIES_GAP, columns));
    SS_TRY(add_rows(arena, law, "gamma", SS_SERIES_GAMMA, columns));
    SS_TRY(add_rows(arena, law, "P", SS_SERIES_IMPULSE, columns));
    SS_TRY(add_rows(arena, law, "force", SS_SERIES_FORCE, columns));
    const char *name;
    SS_TRY(ss_layout_join(arena, law->name, "mode", 0, &name));
    return add(columns, name, SS_SERIES_MODE, index);
}

/* "/energy/kinetic" → "energy.kinetic" */
static ss_status add_scalar(ss_arena *arena, ss_series_id series, ss_columns *columns)
{
    const char *copy;
    SS_TRY(ss_arena_copy_string(arena, ss_series[series].path + 1, &copy));
    char *slash = strchr(copy, '/');
    if (slash)
        *slash = '.';
    return add(columns, copy, series, 0);
}

/* Without the system's name, coordinates are known by their own when no other has it. Full names
 * come first. */
static ss_status add_aliases(ss_columns *columns)
{
    int named = columns->count;
    for (int i = 0; i < named; i++) {
        const ss_column *column = &columns->items[i];
        const char *dot = strchr(column->name, '.');
        if ((column->series != SS_SERIES_Q && column->series != SS_SERIES_U) || !dot)
            continue;
        int other;
        if (!ss_map_find(&columns->names, dot + 1, &other))
            SS_TRY(ss_map_set(&columns->names, dot + 1, i));
        else if (other >= 0 && strcmp(columns->items[other].name, dot + 1) != 0)
            SS_TRY(ss_map_set(&columns->names, dot + 1, -1));
    }
    return SS_OK;
}

ss_status ss_columns_create(ss_arena *arena, const ss_layout *layout, ss_columns *columns)
{
    *columns = (ss_columns){0};
    ss_map_init(&columns->names, arena->context);
    SS_TRY(SS_ARENA_NEW(arena, count_columns(layout), &columns->items));
    SS_TRY(add(columns, "t", SS_SERIES_TIME, 0));
    SS_TRY(add(columns, "dt", SS_SERIES_DT, 0));
    SS_TRY(add_coordinates(columns, layout->n_q, layout->q, SS_SERIES_Q));
    SS_TRY(add_coordinates(columns, layout->n_u, layout->u, SS_SERIES_U));
    SS_TRY(add_coordinates(columns, layout->n_frames, layout->frames, SS_SERIES_FRAMES));
    SS_TRY(add_coordinates(columns, layout->n_inputs, layout->inputs, SS_SERIES_INPUT));
    SS_TRY(add_coordinates(columns, layout->n_outputs, layout->outputs, SS_SERIES_OUTPUT));
    for (int i = 0; i < layout->n_laws; i++)
        SS_TRY(add_law(arena, layout, i, columns));
    for (ss_series_id id = SS_SERIES_KINETIC; id < SS_SERIES_COUNT; id++)
        SS_TRY(add_scalar(arena, id, columns));
    return add_aliases(columns);
}

void ss_columns_release(ss_columns *columns)
{
    ss_map_release(&columns->names);
}

const ss_column *ss_columns_find(const ss_columns *columns, const char *name)
{
    int index;
    if (!ss_map_find(&columns->names, name, &index) || index < 0)
        return NULL;
    return &columns->items[index];
}

/* ---- Expressions ---- */

typedef struct scope {
    const ss_layout *layout;
    const ss_columns *columns;
    ss_signal *signal;
} scope;

static ss_status use_column(ss_signal *signal, ss_graph *graph, const char *name,
                            const ss_column *column, ss_node *node)
{
    SS_TRY(ss_graph_variable(graph, name, node));
    SS_TRY(SS_RESIZE(signal->context, signal->n_inputs + 1, &signal->inputs));
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
        if (strcmp(s->layout->parameters[i].name, name) == 0)
            return ss_graph_constant(graph, s->layout->parameters[i].value, node);
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
            names[count] = s->layout->parameters[i].name;
    return count;
}

ss_status ss_signal_compile(ss_context *context, const ss_layout *layout, const ss_columns *columns,
                            const ss_text *expression, ss_signal *signal)
{
    *signal = (ss_signal){.context = context};
    scope s = {layout, columns, signal};
    ss_resolver resolver = {&s, resolve, known_names};
    ss_graph *graph;
    ss_node node;
    SS_TRY(ss_graph_create(context, &resolver, &graph));
    ss_status status = ss_graph_parse(graph, expression, &node);
    if (status == SS_OK)
        status = ss_program_compile(graph, 1, &node, &signal->program);
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

static ss_status check(ss_arena *arena, const ss_model *model, const ss_text *expression)
{
    ss_layout layout;
    SS_TRY(ss_layout_of_model(arena, model, &layout));
    ss_columns columns;
    ss_signal signal = {0};
    ss_status status = ss_columns_create(arena, &layout, &columns);
    if (status == SS_OK)
        status = ss_signal_compile(arena->context, &layout, &columns, expression, &signal);
    if (status == SS_OK)
        ss_signal_release(&signal);
    ss_columns_release(&columns);
    return status;
}

ss_status ss_record_check_expression(const ss_model *model, const ss_text *expression)
{
    ss_arena arena;
    ss_arena_init(&arena, ss_model_context(model));
    ss_status status = check(&arena, model, expression);
    ss_arena_release(&arena);
    return status;
}
