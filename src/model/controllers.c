/* controllers.c: outputs, controllers, and what both may ask of a state. */
#include "expression/token.h"
#include "model/model.h"
#include "options/options.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Quantities by name ---- */

/* "kinetic" of "energy.kinetic"; NULL: the name does not begin so. */
static const char *behind(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static int word_in(const char *word, int count, const char *const *words)
{
    int i = 0;
    while (i < count && strcmp(word, words[i]) != 0)
        i++;
    return i < count ? i : -1;
}

static const char *const contact_parts[SS_CONTACT_PARTS] = {"x", "y", "z", "normal", "count"};
static const char *const energy_parts[SS_ENERGY_PARTS] = {"kinetic", "potential", "dissipated",
                                                          "load"};
static const char *const law_parts[] = {"gap", "gamma", "P", "force", "mode"};

/* "beak.gap.force" → "beak.gap" and "force"; "foot.slip.P.2" → "foot.slip", "P" and row 2, else 0. */
typedef struct row_name {
    char owner[512];
    const char *part;
    int row;
} row_name;

static bool split_row(const char *name, row_name *split)
{
    int length = snprintf(split->owner, sizeof split->owner, "%s", name);
    char *dot = length < (int)sizeof split->owner ? strrchr(split->owner, '.') : NULL;
    split->row = 0;
    if (dot && dot[1] >= '1' && dot[1] <= '9' && !dot[2]) {
        split->row = dot[1] - '0';
        *dot = '\0';
        dot = strrchr(split->owner, '.');
    }
    if (!dot)
        return false;
    *dot = '\0';
    split->part = dot + 1;
    return true;
}

/* Gaps and relative velocities are those of the element's rows. */
static bool find_law(const ss_model *model, const row_name *name, ss_quantity *q)
{
    enum { PARTS = sizeof law_parts / sizeof *law_parts };
    int part = word_in(name->part, PARTS, law_parts), k = name->row ? name->row - 1 : 0, l;
    if (part < 0 || !ss_map_find(&model->names[SS_TYPE_LAW], name->owner, &l))
        return false;
    const ss_law *law = &model->laws[l];
    *q = (ss_quantity){(ss_quantity_kind)(SS_QUANTITY_GAP + part), l, k, 0};
    bool of_row = q->kind == SS_QUANTITY_GAP || q->kind == SS_QUANTITY_RELATIVE_VELOCITY;
    if (of_row) {
        q->index = law->element;
        q->part += law->row;
    }
    bool whole = law->dim == 1 || q->kind == SS_QUANTITY_MODE;
    return (whole ? name->row == 0 : name->row > 0 && name->row <= law->dim) &&
           (q->kind != SS_QUANTITY_GAP || law->kind == SS_GEOMETRIC);
}

/* "hinge.angle.gap": rows of an element that need not have a law. */
static bool find_group(const ss_model *model, row_name *name, ss_quantity *q)
{
    int part = word_in(name->part, 2, law_parts), e;
    char *dot = strchr(name->owner, '.');
    if (part < 0 || !dot)
        return false;
    *dot = '\0';
    if (!ss_map_find(&model->names[SS_TYPE_ELEMENT], name->owner, &e) || model->elements[e].rule)
        return false;
    for (int g = 0; g < model->elements[e].n_groups; g++) {
        const ss_group *group = &model->elements[e].groups[g];
        if (strcmp(group->name, dot + 1) != 0)
            continue;
        *q = (ss_quantity){(ss_quantity_kind)(SS_QUANTITY_GAP + part), e,
                           group->row + (name->row ? name->row - 1 : 0), 0};
        return (group->rows == 1 ? name->row == 0 : name->row > 0 && name->row <= group->rows) &&
               (part > 0 || group->kind == SS_GEOMETRIC);
    }
    return false;
}

/* "stone.floor.normal": names of shapes have no dots. */
static bool find_contact(const ss_model *model, const char *name, ss_quantity *q)
{
    char text[512], *dots[2];
    if (snprintf(text, sizeof text, "%s", name) >= (int)sizeof text)
        return false;
    dots[0] = strchr(text, '.');
    dots[1] = dots[0] ? strchr(dots[0] + 1, '.') : NULL;
    if (!dots[1])
        return false;
    *dots[0] = *dots[1] = '\0';
    q->kind = SS_QUANTITY_CONTACT;
    q->which = word_in(dots[1] + 1, SS_CONTACT_PARTS, contact_parts);
    return q->which >= 0 && ss_map_find(&model->names[SS_TYPE_SHAPE], text, &q->index) &&
           ss_map_find(&model->names[SS_TYPE_SHAPE], dots[0] + 1, &q->part);
}

/* "toy.y", "ball.wx": the velocity that is the rate of a coordinate, or one with a name of its own. */
static bool find_acceleration(const ss_model *model, const char *name, ss_quantity *q)
{
    ss_name primed;
    ss_variable v = {0};
    snprintf(primed.text, sizeof primed.text, "%.250s'", name);
    bool found = ss_model_find_variable(model, primed.text, &v) ||
                 (ss_model_find_variable(model, name, &v) && (v.system < 0 || v.velocity));
    *q = (ss_quantity){SS_QUANTITY_ACCELERATION, v.system, v.index, 0};
    return found;
}

static bool find_quantity(const ss_model *model, const char *name, ss_quantity *q)
{
    const char *rest;
    ss_variable v;
    *q = (ss_quantity){.kind = SS_QUANTITY_TIME_STEP};
    if (strcmp(name, "dt") == 0)
        return true;
    if (ss_model_find_variable(model, name, &v)) {
        *q = (ss_quantity){v.velocity ? SS_QUANTITY_VELOCITY : SS_QUANTITY_POSITION, v.system,
                           v.index, 0};
        return true;
    }
    if ((rest = behind(name, "acceleration.")))
        return find_acceleration(model, rest, q);
    if ((rest = behind(name, "contact.")) && find_contact(model, rest, q))
        return true;
    if ((rest = behind(name, "energy."))) {
        *q = (ss_quantity){.kind = SS_QUANTITY_ENERGY,
                           .which = word_in(rest, SS_ENERGY_PARTS, energy_parts)};
        return q->which >= 0;
    }
    row_name row;
    return split_row(name, &row) && (find_law(model, &row, q) || find_group(model, &row, q));
}

static ss_status grow(ss_model *model, size_t size, int count, int *capacity, void **array)
{
    if (count < *capacity)
        return SS_OK;
    int wanted = *capacity ? 2 * *capacity : 8;
    void *more;
    SS_TRY(ss_arena_allocate(&model->arena, (size_t)wanted, size, &more));
    if (count)
        memcpy(more, *array, (size_t)count * size);
    *array = more;
    *capacity = wanted;
    return SS_OK;
}

static ss_status add_quantity(ss_setup *setup, const char *name, const ss_quantity *q,
                              ss_node *node)
{
    ss_observer *seen = setup->seen;
    int k = 0;
    while (k < seen->n_quantities && memcmp(&seen->quantities[k], q, sizeof *q) != 0)
        k++;
    if (k == seen->n_quantities) {
        SS_TRY(
            grow(setup->model, sizeof *q, k, &seen->quantity_capacity, (void **)&seen->quantities));
        seen->quantities[seen->n_quantities++] = *q;
    }
    if (q->kind == SS_QUANTITY_ACCELERATION)
        setup->model->keeps_rates = true;
    return ss_setup_declare(setup, name, (ss_input){.local = 0, .index = k}, node);
}

/* The states of a controller, outputs by their expressions, and quantities. */
ss_status ss_setup_quantity(ss_setup *setup, ss_graph *graph, const char *name, ss_node *node)
{
    ss_model *model = setup->model;
    const ss_controller *controller = setup->controller;
    ss_quantity q;
    int output;
    for (int i = 0; controller && controller->states && i < controller->n_states; i++)
        if (strcmp(controller->states[i].text, name) == 0)
            return ss_setup_declare(setup, name, (ss_input){.local = 1, .index = i}, node);
    if (ss_map_find(&model->names[SS_KIND_OUTPUT], name, &output) &&
        setup->object != &model->outputs[output].object)
        return ss_graph_parse(graph, &model->outputs[output].value, node);
    if (!find_quantity(model, name, &q))
        return SS_UNKNOWN_NAME;
    if (q.kind <= SS_QUANTITY_ACCELERATION && q.index < 0)
        return ss_refuse(setup, "several systems have a coordinate '%s'; write it as 'system.%s'",
                         name, name);
    return add_quantity(setup, name, &q, node);
}

static void put(ss_model *model, const char *name, size_t capacity, const char **names,
                size_t *count)
{
    if (*count < capacity && ss_arena_copy_string(&model->arena, name, &name) == SS_OK)
        names[*count] = name;
    (*count)++;
}

size_t ss_setup_quantity_names(const ss_setup *setup, size_t capacity, const char **names,
                               size_t count)
{
    ss_model *model = setup->model;
    const ss_controller *controller = setup->controller;
    for (int i = 0; controller && controller->states && i < controller->n_states; i++)
        put(model, controller->states[i].text, capacity, names, &count);
    for (int i = 0; i < model->n_outputs.count; i++)
        put(model, model->outputs[i].object.name, capacity, names, &count);
    for (int l = 0; l < model->n_laws.count; l++)
        for (size_t k = 0; k < sizeof law_parts / sizeof *law_parts; k++) {
            const ss_law *law = &model->laws[l];
            ss_name name;
            bool row = law->dim > 1 && strcmp(law_parts[k], "mode") != 0;
            if (k == 0 && law->kind != SS_GEOMETRIC)
                continue;
            snprintf(name.text, sizeof name.text, "%.230s.%s%s", law->object.name, law_parts[k],
                     row ? ".1" : "");
            put(model, name.text, capacity, names, &count);
        }
    return count;
}

/* ---- Observers ---- */

ss_status ss_setup_observe(ss_setup *setup, const ss_text *expression, int *index)
{
    ss_observer *seen = setup->seen;
    ss_graph *graph;
    ss_node node;
    SS_TRY(ss_setup_graph(setup, &graph));
    SS_TRY(ss_graph_parse(graph, expression, &node));
    SS_TRY(grow(setup->model, sizeof node, seen->n_nodes, &seen->node_capacity,
                (void **)&seen->nodes));
    *index = seen->n_nodes;
    seen->nodes[seen->n_nodes++] = node;
    return SS_OK;
}

/* Observers see quantities of a state, which are not smooth functions of time: no switches are looked for. */
static ss_status finish_observer(ss_setup *setup)
{
    ss_observer *seen = setup->seen;
    return seen->n_nodes ? ss_setup_compile(setup, seen->n_nodes, seen->nodes, &seen->formula)
                         : SS_OK;
}

/* ---- Outputs ---- */

typedef struct output_options {
    ss_text value, unit;
} output_options;

const ss_key ss_output_keys[] = {
    {"value", SS_KEY_EXPRESSION, offsetof(output_options, value), NULL, 0, 0, NULL, "",
     "An expression of coordinates, velocities, inputs, t, quantities of laws and contacts, and "
     "outputs above "
     "it."},
    {"unit", SS_KEY_TEXT, offsetof(output_options, unit), "", 0, 0, NULL, "",
     "Its unit, for people: N, rad/s."},
    {NULL},
};

/* Expressions of the record must know at once what a name means. */
static ss_status check_output_name(const ss_model *model, const ss_object *object)
{
    double value;
    int input;
    ss_quantity q;
    ss_text name = {object->name, object->where};
    SS_TRY(ss_name_check(model->context, &name));
    if (ss_scope_find(model->scope, object->name, &value) ||
        ss_map_find(&model->names[SS_KIND_INPUT], object->name, &input) ||
        find_quantity(model, object->name, &q) || strcmp(object->name, "t") == 0 ||
        strcmp(object->name, "order") == 0)
        return ss_refuse_object(model, object,
                                "a parameter, an input, a coordinate or another column of the "
                                "record has that name; rename one of them");
    return SS_OK;
}

static ss_status init_output(void *opaque, ss_setup *setup)
{
    const output_options *given = opaque;
    int index;
    SS_TRY(ss_setup_observe(setup, &given->value, &index));
    return finish_observer(setup);
}

static ss_status add_output(ss_model *model, const char *name, const char *type,
                            const ss_args *args)
{
    output_options given = {0};
    ss_setup setup;
    (void)type;
    SS_TRY(ss_model_complete_laws(model));
    SS_TRY(ss_model_begin_plain(
        model, &(ss_addition){.kind = (ss_type_kind)SS_KIND_OUTPUT, .name = name, .args = args},
        ss_output_keys, &given, &setup));
    ss_named_output *output = &model->outputs[model->n_outputs.count - 1];
    SS_TRY(check_output_name(model, &output->object));
    setup.seen = &output->seen;
    output->value = given.value;
    output->unit = given.unit.text ? given.unit.text : "";
    ss_status status = init_output(&given, &setup);
    ss_setup_finish(&setup);
    return status;
}

ss_status ss_model_add_output(ss_model *model, const char *name, const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    return ss_model_add(model, add_output, name, "", args);
}

ss_output_info ss_model_output(const ss_model *model, int index)
{
    if (index < 0 || index >= model->n_outputs.count)
        return (ss_output_info){0};
    const ss_named_output *output = &model->outputs[index];
    return (ss_output_info){output->object.name, output->unit};
}

ss_status ss_model_find_output(const ss_model *model, const char *name, int *output)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, output);
    if (ss_map_find(&model->names[SS_KIND_OUTPUT], name, output))
        return SS_OK;
    const char *names[64];
    size_t count = 0;
    for (int i = 0; i < model->n_outputs.count && count < 64; i++)
        names[count++] = model->outputs[i].object.name;
    ss_hint hint = ss_hint_of(name, count, names);
    return ss_fail(model->context, SS_UNKNOWN_NAME, "there is no output '%s'%s (outputs: %s)", name,
                   hint.near, hint.all);
}

/* ---- Controllers ---- */

ss_status ss_setup_control(ss_setup *setup, const ss_text *name, int *index)
{
    ss_model *model = setup->model;
    ss_controller *controller = setup->controller;
    int input;
    if (!ss_map_find(&model->names[SS_KIND_INPUT], name->text, &input)) {
        ss_status status = ss_model_find_input(model, name->text, &input);
        return ss_fail_at(model->context, status,
                          name->where.line ? name->where : setup->object->where, "%s: %s",
                          setup->object->owner, ss_context_message(model->context));
    }
    ss_named_input *taken = &model->inputs[input];
    if (taken->controller >= 0)
        return ss_fail_at(model->context, SS_INPUT,
                          name->where.line ? name->where : setup->object->where,
                          "%s: the input '%s' is set by %s already", setup->object->owner,
                          name->text, model->controllers[taken->controller].object.owner);
    SS_TRY(grow(model, sizeof *controller->inputs, controller->n_inputs,
                &controller->input_capacity, (void **)&controller->inputs));
    taken->controller = model->n_controllers.count - 1;
    *index = controller->n_inputs;
    controller->inputs[controller->n_inputs++] = input;
    return SS_OK;
}

void ss_setup_control_range(const ss_setup *setup, int index, double *min, double *max)
{
    const ss_named_input *input = &setup->model->inputs[setup->controller->inputs[index]];
    *min = input->min;
    *max = input->max;
}

/* Its expressions must know at once what a name means. */
static ss_status check_state_name(const ss_setup *setup, const ss_text *names, int i)
{
    const ss_model *model = setup->model;
    const char *name = names[i].text;
    int other;
    double value;
    ss_quantity q;
    SS_TRY(ss_name_check(model->context, &names[i]));
    bool taken = ss_scope_find(model->scope, name, &value) ||
                 ss_map_find(&model->names[SS_KIND_INPUT], name, &other) ||
                 ss_map_find(&model->names[SS_KIND_OUTPUT], name, &other) ||
                 find_quantity(model, name, &q) || strcmp(name, "t") == 0;
    for (int k = 0; k < i; k++)
        taken = taken || strcmp(names[k].text, name) == 0;
    if (!taken)
        return SS_OK;
    return ss_fail_at(model->context, SS_INPUT, names[i].where,
                      "%s: the name '%s' of a state is in use already", setup->object->owner, name);
}

ss_status ss_setup_states(ss_setup *setup, int count, const ss_text *names, const double *initial)
{
    ss_model *model = setup->model;
    ss_controller *controller = setup->controller;
    double *kept;
    if (count < 0 || controller->n_states > 0)
        return ss_refuse(setup, "its states are declared twice, or are less than none");
    for (int i = 0; names && i < count; i++)
        SS_TRY(check_state_name(setup, names, i));
    SS_TRY(SS_ARENA_NEW(&model->arena, count, &kept));
    for (int i = 0; i < count; i++) {
        kept[i] = initial ? initial[i] : 0;
        if (!isfinite(kept[i]))
            return ss_refuse(setup, "state %d begins with %g", i + 1, kept[i]);
    }
    controller->n_states = count;
    controller->states = names;
    controller->initial = kept;
    return SS_OK;
}

static ss_status read_period(const ss_setup *setup, const ss_controller_common *given,
                             ss_controller *controller)
{
    enum { MOST_PENDING = 10000 };
    bool own = controller->ops->next != NULL;
    if (own && (given->period > 0 || given->delay > 0))
        return ss_refuse(setup, "'%s' is not for this type, which has instants of its own",
                         given->period > 0 ? "period" : "delay");
    if (own)
        return SS_OK;
    if (!(given->period > 0))
        return ss_refuse(setup, "'period' is missing: the time between two samples, in s");
    if (given->delay > MOST_PENDING * given->period)
        return ss_refuse(setup, "'delay' is more than %d periods", MOST_PENDING);
    controller->period = given->period;
    controller->delay = given->delay;
    controller->pending = given->delay > 0 ? (int)ceil(given->delay / given->period) + 1 : 0;
    return SS_OK;
}

static ss_status add_controller(ss_model *model, const char *name, const char *type,
                                const ss_args *args)
{
    ss_controller_common common = {0};
    ss_setup setup;
    void *self;
    SS_TRY(ss_model_complete_laws(model));
    SS_TRY(ss_model_begin(model, &(ss_addition){SS_TYPE_CONTROLLER, name, type, args, &common},
                          &setup, &self));
    ss_controller *controller = &model->controllers[model->n_controllers.count - 1];
    controller->ops = (const ss_controller_ops *)setup.type;
    setup.controller = controller;
    setup.seen = &controller->seen;
    SS_TRY(read_period(&setup, &common, controller));
    ss_status status = controller->ops->init(self, &setup);
    if (status == SS_OK)
        status = finish_observer(&setup);
    ss_setup_finish(&setup);
    controller->states = NULL; /* the names are those of init */
    SS_TRY(status);
    controller->object.self = self;
    controller->object.destroy = controller->ops->destroy;
    return SS_OK;
}

/* Inputs of a controller that was not added are free again. */
ss_status ss_model_add_controller(ss_model *model, const char *name, const char *type,
                                  const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, type);
    ss_status status = ss_model_add(model, add_controller, name, type, args);
    for (int i = 0; i < model->n_inputs.count; i++)
        if (model->inputs[i].controller >= model->n_controllers.count)
            model->inputs[i].controller = -1;
    return status;
}

ss_object_info ss_model_controller(const ss_model *model, int index)
{
    if (index < 0 || index >= model->n_controllers.count)
        return (ss_object_info){0};
    const ss_controller *controller = &model->controllers[index];
    return (ss_object_info){controller->object.name, controller->ops->type.name};
}

/* ---- The control part of a state ---- */

static bool is_fed(const ss_object *object)
{
    bool fed = false;
    for (const ss_formula *f = object->formulas; f; f = f->next)
        fed = fed || f->fed;
    return fed;
}

/* Kinetic and potential energies that formulas with inputs give, and those of springs along such rows. */
static bool find_stores(const ss_model *model)
{
    bool any = false;
    for (int i = 0; i < model->n_systems.count; i++)
        any = any || is_fed(&model->systems[i].object);
    for (int i = 0; i < model->n_forces.count; i++)
        any = any || (model->forces[i].ops->potential && is_fed(&model->forces[i].object));
    for (int i = 0; i < model->n_laws.count; i++)
        any = any || ((model->laws[i].flags & SS_LAW_STORES_ENERGY) &&
                      is_fed(&model->elements[model->laws[i].element].object));
    return any;
}

void ss_control_lay_out(ss_model *model)
{
    model->inputs_store = find_stores(model);
    model->control_size = (size_t)model->n_inputs.count * SS_INPUT_NUMBERS;
    for (int i = 0; i < model->n_controllers.count; i++) {
        ss_controller *c = &model->controllers[i];
        c->offset = model->control_size;
        model->control_size +=
            SS_CONTROL_STATES + (size_t)c->n_states + (size_t)c->pending * ss_controller_sample(c);
    }
    model->rates_offset = model->control_size;
    model->control_size += model->keeps_rates ? (size_t)model->n_u : 0;
}

void ss_control_start(const ss_model *model, double *control)
{
    for (int i = 0; i < model->n_inputs.count; i++) {
        double *input = control + i * SS_INPUT_NUMBERS;
        ss_input_hold(input, 0, model->inputs[i].value);
        input[SS_INPUT_LAST] = model->inputs[i].value;
    }
    for (int i = 0; model->sealed && i < model->n_controllers.count; i++) {
        const ss_controller *c = &model->controllers[i];
        double *memory = control + c->offset;
        memory[SS_CONTROL_NEXT] =
            c->ops->next ? c->ops->next(c->object.self, -(double)INFINITY) : 0;
        if (c->n_states)
            memcpy(memory + SS_CONTROL_STATES, c->initial, (size_t)c->n_states * sizeof *memory);
    }
}

bool ss_control_is_sound(const ss_model *model, const double *control)
{
    for (int i = 0; i < model->n_inputs.count; i++) {
        const double *input = control + i * SS_INPUT_NUMBERS;
        for (int k = 0; k < SS_INPUT_NUMBERS; k++)
            if (!isfinite(input[k]) && (k != SS_INPUT_UNTIL || input[k] != (double)INFINITY))
                return false;
    }
    for (int i = 0; i < model->n_controllers.count; i++) {
        const double *memory = control + model->controllers[i].offset;
        double waiting = memory[SS_CONTROL_WAITING];
        if (isnan(memory[SS_CONTROL_NEXT]) || !(waiting >= 0) ||
            waiting > model->controllers[i].pending || waiting != floor(waiting))
            return false;
    }
    return true;
}
