/* formula.c: expressions of coordinates, velocities, the time and parameters. */
#include "model/model.h"

#include <string.h>

/* The graph's variable for one input, declared when it is new. */
static ss_status variable(ss_setup *setup, const char *name, ss_input input, ss_node *node)
{
    for (int i = 0; i < setup->n_inputs.count; i++) {
        const ss_input *known = &setup->inputs[i];
        if (known->local == input.local && known->index == input.index &&
            known->velocity == input.velocity) {
            *node = setup->nodes[i];
            return SS_OK;
        }
    }
    ss_list n_nodes = setup->n_inputs;
    SS_TRY(ss_list_grow(setup->model, &n_nodes, sizeof *setup->nodes, (void **)&setup->nodes));
    SS_TRY(ss_graph_variable(setup->graph, name, node));
    SS_TRY(ss_list_grow(setup->model, &setup->n_inputs, sizeof *setup->inputs,
                        (void **)&setup->inputs));
    setup->inputs[setup->n_inputs.count - 1] = input;
    setup->nodes[setup->n_inputs.count - 1] = *node;
    return SS_OK;
}

static ss_status resolve_in_model(ss_setup *setup, const char *name, ss_node *node)
{
    const ss_model *model = setup->model;
    ss_variable v;
    if (!ss_model_find_variable(model, name, &v))
        return SS_UNKNOWN_NAME;
    if (v.system < 0)
        return ss_fail_at(model->context, SS_INPUT, setup->object->where,
                          "%s: several systems have a coordinate '%s'; write it as 'system.%s'",
                          setup->object->owner, name, name);
    ss_text system = {model->systems[v.system].object.name, {0}};
    ss_input input = {.index = v.index, .velocity = v.velocity};
    SS_TRY(ss_setup_connect(setup, &system, &input.local));
    ss_name full = ss_system_variable_name(&model->systems[v.system], v.velocity, v.index);
    return variable(setup, full.text, input, node);
}

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    ss_setup *setup = user;
    double value;
    ss_variable v;
    if (strcmp(name, "t") == 0)
        return ss_setup_time(setup, node);
    if (ss_scope_find(setup->model->scope, name, &value))
        return ss_graph_constant(graph, value, node);
    if (setup->kind == SS_TYPE_LAW)
        return SS_UNKNOWN_NAME;
    if (!setup->system)
        return resolve_in_model(setup, name, node);
    if (ss_system_variable(setup->system, name, &v))
        return variable(setup, name, (ss_input){.index = v.index, .velocity = v.velocity}, node);
    return SS_UNKNOWN_NAME;
}

static void put_name(const char *name, size_t capacity, const char **names, size_t *count)
{
    if (*count < capacity)
        names[*count] = name;
    (*count)++;
}

/* Names that are not kept anywhere else. */
static void put_copy(ss_model *model, const char *name, size_t capacity, const char **names,
                     size_t *count)
{
    const char *copy = "";
    if (*count < capacity && ss_arena_copy_string(&model->arena, name, &copy) != SS_OK)
        return;
    put_name(copy, capacity, names, count);
}

/* The coordinates and velocities of a system: its own alone, others in full, and alone where no other system has them. */
static void put_variables(const ss_setup *setup, const ss_system *system, size_t capacity,
                          const char **names, size_t *count)
{
    ss_model *model = setup->model;
    for (int i = 0; i < system->nq + system->nu; i++) {
        bool velocity = i >= system->nq;
        int index = velocity ? i - system->nq : i, owner;
        ss_name brief = ss_system_variable_brief(system, velocity, index);
        ss_name full = ss_system_variable_name(system, velocity, index);
        if (setup->system || (ss_map_find(&model->variables, brief.text, &owner) && owner >= 0))
            put_copy(model, brief.text, capacity, names, count);
        if (!setup->system)
            put_copy(model, full.text, capacity, names, count);
    }
}

static size_t known_names(void *user, size_t capacity, const char **names)
{
    const ss_setup *setup = user;
    const ss_model *model = setup->model;
    size_t count = 0;
    put_name("t", capacity, names, &count);
    for (size_t i = 0; i < ss_scope_count(model->scope); i++)
        put_name(ss_scope_name(model->scope, i), capacity, names, &count);
    if (setup->system)
        put_variables(setup, setup->system, capacity, names, &count);
    for (int s = 0; setup->connected && s < model->n_systems.count; s++)
        put_variables(setup, &model->systems[s], capacity, names, &count);
    return count;
}

ss_status ss_setup_graph(ss_setup *setup, ss_graph **graph)
{
    if (!setup->graph) {
        ss_resolver resolver = {setup, resolve, known_names};
        SS_TRY(ss_graph_create(setup->model->context, &resolver, &setup->graph));
    }
    *graph = setup->graph;
    return SS_OK;
}

ss_status ss_setup_variable(ss_setup *setup, int local, bool velocity, int index, ss_node *node)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    const ss_model *model = setup->model;
    ss_input input = {.local = local, .index = index, .velocity = velocity};
    if (setup->system)
        return variable(setup, ss_system_variable_brief(setup->system, velocity, index).text, input,
                        node);
    const ss_system *system = &model->systems[setup->connected->systems[local]];
    return variable(setup, ss_system_variable_name(system, velocity, index).text, input, node);
}

ss_status ss_setup_time(ss_setup *setup, ss_node *node)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    return variable(setup, "t", (ss_input){.local = -1}, node);
}

ss_status ss_setup_find(ss_setup *setup, const ss_text *name, int *local, bool *velocity,
                        int *index)
{
    ss_graph *graph;
    ss_node node;
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(ss_graph_parse(graph, name, &node));
    for (int i = 0; i < setup->n_inputs.count; i++) {
        if (setup->nodes[i] != node || setup->inputs[i].local < 0)
            continue;
        *local = setup->inputs[i].local;
        *velocity = setup->inputs[i].velocity;
        *index = setup->inputs[i].index;
        return SS_OK;
    }
    return ss_fail_at(setup->model->context, SS_INPUT, name->where,
                      "%s: '%s' is no coordinate of a system", setup->object->owner, name->text);
}

void ss_setup_finish(ss_setup *setup)
{
    ss_graph_destroy(setup->graph);
    ss_release(setup->model->context, setup->inputs);
    ss_release(setup->model->context, setup->nodes);
    ss_release(setup->model->context, setup->switches);
    ss_release(setup->model->context, setup->locals);
    setup->graph = NULL;
    setup->inputs = NULL;
    setup->nodes = NULL;
    setup->switches = NULL;
    setup->locals = NULL;
}

static ss_status compile(ss_setup *setup, int count, const ss_node *outputs, ss_formula **formula)
{
    ss_model *model = setup->model;
    SS_TRY(ss_list_grow(model, &model->n_formulas, sizeof *model->formulas,
                        (void **)&model->formulas));
    ss_formula *made;
    SS_TRY(SS_ARENA_NEW(&model->arena, 1, &made));
    model->formulas[model->n_formulas.count - 1] = made;
    SS_TRY(ss_program_compile(setup->graph, count, outputs, &made->program));
    made->n_inputs = ss_program_input_count(made->program);
    SS_TRY(SS_ARENA_NEW(&model->arena, made->n_inputs, &made->inputs));
    if (made->n_inputs)
        memcpy(made->inputs, setup->inputs, (size_t)made->n_inputs * sizeof *made->inputs);
    size_t bytes = ss_program_frame(made->program) * sizeof(double);
    SS_TRY(ss_setup_cache(setup, bytes, &made->cache_offset));
    made->next = setup->object->formulas;
    setup->object->formulas = made;
    *formula = made;
    return SS_OK;
}

static bool is_watched(const ss_setup *setup, ss_node node)
{
    for (int i = 0; i < setup->n_switches.count; i++)
        if (setup->switches[i] == node)
            return true;
    return false;
}

/* Those of n switches that no formula of the object had yet get one of their own. */
static ss_status watch(ss_setup *setup, int n, const ss_node *switches)
{
    int known = setup->n_switches.count;
    ss_formula *made;
    for (int i = 0; i < n; i++) {
        if (is_watched(setup, switches[i]))
            continue;
        SS_TRY(ss_list_grow(setup->model, &setup->n_switches, sizeof *setup->switches,
                            (void **)&setup->switches));
        setup->switches[setup->n_switches.count - 1] = switches[i];
    }
    int fresh = setup->n_switches.count - known;
    if (fresh == 0)
        return SS_OK;
    SS_TRY(compile(setup, fresh, setup->switches + known, &made));
    made->n_switches = fresh;
    return SS_OK;
}

/* Simulations that follow the motion exactly want to know where formulas are not smooth. */
static ss_status watch_switches(ss_setup *setup, int count, const ss_node *outputs)
{
    void *capacity;
    int n;
    SS_TRY(ss_graph_switches(setup->graph, count, outputs, 0, NULL, &n));
    if (n == 0)
        return SS_OK;
    SS_TRY(ss_allocate(setup->model->context, (size_t)n, sizeof(ss_node), &capacity));
    ss_status status = ss_graph_switches(setup->graph, count, outputs, n, capacity, &n);
    if (status == SS_OK)
        status = watch(setup, n, capacity);
    ss_release(setup->model->context, capacity);
    return status;
}

ss_status ss_setup_compile(ss_setup *setup, int count, const ss_node *outputs,
                           const ss_formula **formula)
{
    ss_formula *made;
    SS_TRY(compile(setup, count, outputs, &made));
    *formula = made;
    return watch_switches(setup, count, outputs);
}

void ss_formula_destroy(ss_formula *formula)
{
    if (formula)
        ss_program_destroy(formula->program);
}

const double *ss_formula_run(const ss_formula *formula, const ss_at *at)
{
    double *frame = (double *)((char *)at->cache + formula->cache_offset);
    for (int i = 0; i < formula->n_inputs; i++) {
        const ss_input *input = &formula->inputs[i];
        frame[i] = input->local < 0  ? at->t
                   : input->velocity ? at->u[input->local][input->index]
                                     : at->q[input->local][input->index];
    }
    ss_program_run(formula->program, frame);
    return ss_program_outputs(formula->program, frame);
}
