/* formula.c: expressions of coordinates, velocities, the time and parameters. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Coordinates and velocities by name ----
 *
 * Models may have millions of them: only names without the system's are kept, and only once.
 */

ss_name ss_system_variable_brief(const ss_system *system, bool velocity, int index)
{
    ss_name name;
    bool primed = velocity && !system->u_names;
    snprintf(name.text, sizeof name.text, "%.50s%s",
             velocity && !primed ? system->u_names[index] : system->q_names[index],
             primed ? "'" : "");
    return name;
}

ss_name ss_system_variable_name(const ss_system *system, bool velocity, int index)
{
    ss_name name;
    snprintf(name.text, sizeof name.text, "%.200s.%.52s", system->object.name,
             ss_system_variable_brief(system, velocity, index).text);
    return name;
}

ss_name ss_system_variable_at(const ss_system *system, int i)
{
    bool velocity = i >= system->nq;
    return ss_system_variable_brief(system, velocity, velocity ? i - system->nq : i);
}

/* Everything that can fail comes first, so that a system enters with all its names or none. */
ss_status ss_model_add_variables(ss_model *model, int index)
{
    const ss_system *system = &model->systems[index];
    int count = system->nq + system->nu, other;
    size_t bytes = 0;
    double value;
    char *copy;
    for (int i = 0; i < count; i++) {
        ss_name name = ss_system_variable_at(system, i);
        if (ss_scope_find(model->scope, name.text, &value))
            return ss_fail_at(
                model->context, SS_INPUT, system->object.where,
                "%s: the coordinate '%s' has the name of a parameter; rename one of them",
                system->object.owner, name.text);
        if (ss_map_find(&model->names[SS_KIND_INPUT], name.text, &other))
            return ss_fail_at(
                model->context, SS_INPUT, system->object.where,
                "%s: the coordinate '%s' has the name of an input; rename one of them",
                system->object.owner, name.text);
        if (!ss_map_find(&model->variables, name.text, &other))
            bytes += strlen(name.text) + 1;
    }
    SS_TRY(SS_ARENA_NEW(&model->arena, bytes + 1, &copy));
    SS_TRY(ss_map_reserve(&model->variables, (size_t)count));
    for (int i = 0; i < count; i++) {
        ss_name name = ss_system_variable_at(system, i);
        bool taken = ss_map_find(&model->variables, name.text, &other);
        if (taken && other < 0)
            continue;
        const char *kept = name.text; /* the map has its own copy when it is taken */
        if (!taken) {
            size_t length = strlen(name.text) + 1;
            kept = memcpy(copy, name.text, length);
            copy += length;
        }
        SS_TRY(ss_map_set(&model->variables, kept, taken ? -1 : index));
    }
    return SS_OK;
}

bool ss_system_variable(const ss_system *system, const char *name, ss_variable *v)
{
    for (int i = 0; i < system->nq + system->nu; i++) {
        v->velocity = i >= system->nq;
        v->index = v->velocity ? i - system->nq : i;
        if (strcmp(name, ss_system_variable_at(system, i).text) == 0)
            return true;
    }
    return false;
}

bool ss_model_find_variable(const ss_model *model, const char *name, ss_variable *v)
{
    if (ss_map_find(&model->variables, name, &v->system))
        return v->system < 0 || ss_system_variable(&model->systems[v->system], name, v);
    const char *dot = strrchr(name, '.');
    ss_name system;
    if (!dot || (size_t)(dot - name) >= sizeof system.text)
        return false;
    snprintf(system.text, sizeof system.text, "%.*s", (int)(dot - name), name);
    return ss_map_find(&model->names[SS_TYPE_SYSTEM], system.text, &v->system) &&
           ss_system_variable(&model->systems[v->system], dot + 1, v);
}

/* ---- The graph of a setup ---- */

ss_status ss_setup_declare(ss_setup *setup, const char *name, ss_input input, ss_node *node)
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

/* What the formulas of a law call its own rows. */
static const struct {
    const char *name;
    ss_own what;
} geometric_rows[] = {{"gap", SS_OWN_GAP}, {"speed", SS_OWN_SLIP}, {"approach", SS_OWN_APPROACH}};

static bool own_name(const ss_setup *setup, const char *name, ss_own *what, int *row)
{
    const ss_law *law = setup->law;
    int length = 0;
    *row = 0;
    if (law->kind == SS_GEOMETRIC) {
        for (int i = 0; i < 3; i++) {
            *what = geometric_rows[i].what;
            if (strcmp(name, geometric_rows[i].name) == 0)
                return true;
        }
        return false;
    }
    *what = law->dim == 1 ? SS_OWN_SLIP : SS_OWN_SPEED;
    if (strcmp(name, "slip") == 0)
        return true;
    *what = SS_OWN_SLIP;
    bool numbered = sscanf(name, "slip_%2d%n", row, &length) == 1 && name[length] == 0;
    (*row)--;
    return numbered && law->dim > 1 && *row >= 0 && *row < law->dim;
}

static ss_status resolve(void *user, ss_graph *graph, const char *name, ss_node *node)
{
    ss_setup *setup = user;
    const ss_model *model = setup->model;
    double value;
    int found;
    ss_variable v = {0}; /* of a name that several systems have, only that is known */
    ss_own what;
    int row;
    if (strcmp(name, "t") == 0)
        return ss_setup_time(setup, node);
    if (ss_scope_find(model->scope, name, &value))
        return ss_graph_constant(graph, value, node);
    if (ss_map_find(&model->names[SS_KIND_INPUT], name, &found))
        return ss_setup_input_node(setup, found, name, node);
    if (setup->seen)
        return ss_setup_quantity(setup, graph, name, node);
    if (setup->law && setup->of_state && own_name(setup, name, &what, &row))
        return ss_setup_own(setup, what, row, node);
    if (setup->law && !(setup->of_state && setup->connected))
        return SS_UNKNOWN_NAME;
    if (setup->system ? !ss_system_variable(setup->system, name, &v)
                      : !ss_model_find_variable(model, name, &v))
        return SS_UNKNOWN_NAME;
    ss_input input = {.index = v.index, .velocity = v.velocity};
    if (setup->system)
        return ss_setup_declare(setup, name, input, node);
    if (v.system < 0)
        return ss_refuse(setup, "several systems have a coordinate '%s'; write it as 'system.%s'",
                         name, name);
    ss_text system = {model->systems[v.system].object.name, {0}};
    SS_TRY(ss_setup_connect(setup, &system, &input.local));
    ss_name full = ss_system_variable_name(&model->systems[v.system], v.velocity, v.index);
    return ss_setup_declare(setup, full.text, input, node);
}

/* A name for the list of what is known; `copy`: it is kept nowhere else. */
static void put_name(ss_model *model, const char *name, bool copy, size_t capacity,
                     const char **names, size_t *count)
{
    if (*count < capacity && copy && ss_arena_copy_string(&model->arena, name, &name) != SS_OK)
        return;
    if (*count < capacity)
        names[*count] = name;
    (*count)++;
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
            put_name(model, brief.text, true, capacity, names, count);
        if (!setup->system)
            put_name(model, full.text, true, capacity, names, count);
    }
}

static size_t known_names(void *user, size_t capacity, const char **names)
{
    const ss_setup *setup = user;
    ss_model *model = setup->model;
    size_t count = 0;
    put_name(model, "t", false, capacity, names, &count);
    for (size_t i = 0; i < ss_scope_count(model->scope); i++)
        put_name(model, ss_scope_name(model->scope, i), false, capacity, names, &count);
    for (int i = 0; i < model->n_inputs.count; i++)
        put_name(model, model->inputs[i].object.name, false, capacity, names, &count);
    bool own = setup->law && setup->of_state;
    for (int i = 0; own && i < (setup->law->kind == SS_GEOMETRIC ? 3 : 1); i++)
        put_name(model, setup->law->kind == SS_GEOMETRIC ? geometric_rows[i].name : "slip", false,
                 capacity, names, &count);
    if (setup->system)
        put_variables(setup, setup->system, capacity, names, &count);
    bool all = setup->seen || (setup->connected && (!setup->law || setup->of_state));
    for (int s = 0; all && s < model->n_systems.count; s++)
        put_variables(setup, &model->systems[s], capacity, names, &count);
    return setup->seen ? ss_setup_quantity_names(setup, capacity, names, count) : count;
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
        return ss_setup_declare(
            setup, ss_system_variable_brief(setup->system, velocity, index).text, input, node);
    const ss_system *system = &model->systems[setup->connected->systems[local]];
    return ss_setup_declare(setup, ss_system_variable_name(system, velocity, index).text, input,
                            node);
}

ss_status ss_setup_time(ss_setup *setup, ss_node *node)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    return ss_setup_declare(setup, "t", (ss_input){.local = SS_LOCAL_TIME}, node);
}

ss_status ss_setup_own(ss_setup *setup, ss_own what, int row, ss_node *node)
{
    const bool gap = setup->law->kind == SS_GEOMETRIC;
    const char *const names[] = {gap ? "speed" : "slip", "slip", "gap", "approach"};
    ss_graph *graph;
    char name[32];
    SS_TRY(ss_setup_graph(setup, &graph));
    snprintf(name, sizeof name, what == SS_OWN_SLIP && setup->law->dim > 1 ? "%s_%d" : "%s",
             names[what], row + 1);
    return ss_setup_declare(setup, name,
                            (ss_input){.local = SS_LOCAL_OWN - (int)what, .index = row}, node);
}

double ss_setup_variable_first(const ss_setup *setup, ss_node node)
{
    for (int i = 0; i < setup->n_inputs.count; i++) {
        const ss_input *input = &setup->inputs[i];
        const double *q, *u;
        if (setup->nodes[i] != node || input->local < 0 || input->velocity || setup->system)
            continue;
        ss_setup_connected_initial(setup, input->local, &q, &u);
        return q[input->index];
    }
    return 0;
}

ss_status ss_setup_depends(ss_setup *setup, ss_node node, unsigned *flags)
{
    ss_graph *graph;
    SS_TRY(ss_setup_graph(setup, &graph));
    *flags = 0;
    for (int i = 0; i < setup->n_inputs.count; i++) {
        const ss_input *input = &setup->inputs[i];
        bool gap = input->local == SS_LOCAL_OWN - (int)SS_OWN_GAP;
        bool position = input->local >= 0 && !input->velocity;
        bool fed = input->local == SS_LOCAL_INPUT; /* its term has the time, too */
        if (!fed && ss_graph_depends(graph, node, setup->nodes[i]))
            *flags |= input->local == SS_LOCAL_TIME ? SS_LAW_SET_OF_TIME
                      : gap                         ? SS_LAW_SET_OF_GAP
                      : position                    ? SS_LAW_SET_OF_POSITION
                                                    : SS_LAW_SET_OF_SPEED;
    }
    return SS_OK;
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
    setup->graph = NULL;
    void **arrays[] = {(void **)&setup->inputs, (void **)&setup->nodes, (void **)&setup->switches,
                       (void **)&setup->locals};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        ss_release(setup->model->context, *arrays[i]);
        *arrays[i] = NULL;
    }
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
    for (int i = 0; i < made->n_inputs; i++) {
        made->inputs[i] = setup->inputs[i];
        made->fed = made->fed || setup->inputs[i].local == SS_LOCAL_INPUT;
    }
    size_t bytes = ss_program_frame(made->program) * sizeof(double);
    SS_TRY(ss_setup_cache(setup, bytes, &made->cache_offset));
    made->next = setup->object->formulas;
    setup->object->formulas = made;
    *formula = made;
    return SS_OK;
}

/* The slip of friction: where it vanishes friction begins to stick, or slides on. */
static bool is_own_slip(const ss_setup *setup, ss_node node)
{
    for (int i = 0; setup->law && i < setup->n_inputs.count; i++)
        if (setup->nodes[i] == node)
            return setup->law->ops->law_class == SS_LAW_FRICTION &&
                   (setup->inputs[i].local == SS_LOCAL_OWN - (int)SS_OWN_SPEED ||
                    (setup->inputs[i].local == SS_LOCAL_OWN - (int)SS_OWN_SLIP &&
                     setup->law->dim == 1));
    return false;
}

/* Those of n switches that no formula of the object had yet get one of their own. */
static ss_status watch(ss_setup *setup, int n, const ss_node *switches)
{
    int known = setup->n_switches.count;
    ss_formula *made;
    for (int i = 0, k; i < n; i++) {
        for (k = 0; k < setup->n_switches.count && setup->switches[k] != switches[i]; k++)
            continue;
        if (k < setup->n_switches.count || is_own_slip(setup, switches[i]))
            continue;
        SS_TRY(ss_list_grow(setup->model, &setup->n_switches, sizeof *setup->switches,
                            (void **)&setup->switches));
        setup->switches[k] = switches[i];
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
    ss_node *capacity;
    int n;
    SS_TRY(ss_graph_switches(setup->graph, count, outputs, 0, NULL, &n));
    if (n == 0)
        return SS_OK;
    SS_TRY(SS_NEW(setup->model->context, n, &capacity));
    ss_status status = ss_graph_switches(setup->graph, count, outputs, n, capacity, &n);
    if (status == SS_OK)
        status = watch(setup, n, capacity);
    ss_release(setup->model->context, capacity);
    return status;
}

ss_status ss_setup_compile_plain(ss_setup *setup, int count, const ss_node *outputs,
                                 const ss_formula **formula)
{
    ss_formula *made;
    SS_TRY(compile(setup, count, outputs, &made));
    *formula = made;
    return SS_OK;
}

ss_status ss_setup_compile(ss_setup *setup, int count, const ss_node *outputs,
                           const ss_formula **formula)
{
    ss_formula *made;
    SS_TRY(compile(setup, count, outputs, &made));
    *formula = made;
    return setup->seen ? SS_OK : watch_switches(setup, count, outputs);
}

const double *ss_formula_run(const ss_formula *formula, const ss_at *at)
{
    double *frame = (double *)((char *)at->cache + formula->cache_offset);
    for (int i = 0; i < formula->n_inputs; i++) {
        const ss_input *input = &formula->inputs[i];
        if (input->local == SS_LOCAL_INPUT) /* is there already: ss_formula_feed */
            continue;
        frame[i] = input->local < 0  ? at->t
                   : input->velocity ? at->u[input->local][input->index]
                                     : at->q[input->local][input->index];
    }
    ss_program_run(formula->program, frame);
    return ss_program_outputs(formula->program, frame);
}

static double own_input(ss_own what, int row, const ss_law_at *at)
{
    double sum = 0;
    switch (what) {
    case SS_OWN_SLIP:
        return at->gamma[row];
    case SS_OWN_GAP:
        return at->g[row];
    case SS_OWN_APPROACH:
        return fmax(0, -at->gamma[row]);
    default:
        for (int i = 0; i < at->dim; i++)
            sum += at->gamma[i] * at->gamma[i];
        return sqrt(sum);
    }
}

const double *ss_law_formula_run(const ss_formula *formula, const ss_law_at *at)
{
    double *frame = (double *)((char *)at->cache + formula->cache_offset);
    for (int i = 0; i < formula->n_inputs; i++) {
        const ss_input *input = &formula->inputs[i];
        if (input->local == SS_LOCAL_INPUT)
            continue;
        frame[i] = input->local == SS_LOCAL_TIME ? at->t
                   : input->local < 0
                       ? own_input((ss_own)(SS_LOCAL_OWN - input->local), input->index, at)
                   : input->velocity ? at->u[input->local][input->index]
                                     : at->q[input->local][input->index];
    }
    ss_program_run(formula->program, frame);
    return ss_program_outputs(formula->program, frame);
}
