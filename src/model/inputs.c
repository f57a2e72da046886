/* inputs.c: named values that formulas use and that change between steps. */
#include "expression/token.h"
#include "model/model.h"
#include "options/options.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Adding ---- */

typedef struct input_options {
    double value;
    ss_matrix range;
    ss_text unit;
} input_options;

const ss_key ss_input_keys[] = {
    {"value", SS_KEY_REAL, offsetof(input_options, value), "0", 0, 0, NULL, "",
     "Its value at the start."},
    {"range", SS_KEY_REALS, offsetof(input_options, range), "", -INFINITY, INFINITY, NULL, "",
     "Its least and its largest value; any unless given. Values beyond are refused, those of "
     "controllers set to the nearer end."},
    {"unit", SS_KEY_TEXT, offsetof(input_options, unit), "", 0, 0, NULL, "",
     "Its unit, for people: N, rad/s."},
    {NULL},
};

static ss_status read_range(const ss_setup *setup, const input_options *given,
                            ss_named_input *input)
{
    input->min = -INFINITY;
    input->max = INFINITY;
    if (given->range.rows > 0) {
        if (given->range.rows != 2 || !(given->range.values[0] < given->range.values[1]))
            return ss_refuse(setup, "'range' wants two numbers, the smaller one first");
        input->min = given->range.values[0];
        input->max = given->range.values[1];
    }
    if (given->value >= input->min && given->value <= input->max)
        return SS_OK;
    return ss_refuse(setup, "'value' is %g, its range is %g … %g", given->value, input->min,
                     input->max);
}

/* A formula must know at once what a name means. */
static ss_status check_name(const ss_model *model, const ss_object *object)
{
    double value;
    ss_variable v;
    ss_text name = {object->name, object->where};
    SS_TRY(ss_name_check(model->context, &name));
    if (ss_scope_find(model->scope, object->name, &value))
        return ss_refuse_object(model, object, "a parameter has that name; rename one of them");
    bool column = strcmp(object->name, "t") == 0 || strcmp(object->name, "dt") == 0 ||
                  strcmp(object->name, "order") == 0;
    if (column || ss_model_find_variable(model, object->name, &v))
        return ss_refuse_object(model, object,
                                "a coordinate or another column of the record has that name; "
                                "rename one of them");
    return SS_OK;
}

static ss_status add_input(ss_model *model, const char *name, const char *type, const ss_args *args)
{
    input_options given = {0};
    ss_setup setup;
    (void)type;
    SS_TRY(ss_model_begin_plain(
        model, &(ss_addition){.kind = (ss_type_kind)SS_KIND_INPUT, .name = name, .args = args},
        ss_input_keys, &given, &setup));
    ss_named_input *input = &model->inputs[model->n_inputs.count - 1];
    SS_TRY(check_name(model, &input->object));
    SS_TRY(read_range(&setup, &given, input));
    input->value = given.value;
    input->unit = given.unit.text ? given.unit.text : "";
    input->controller = -1;
    return SS_OK;
}

ss_status ss_model_add_input(ss_model *model, const char *name, const ss_args *args)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    return ss_model_add(model, add_input, name, "", args);
}

/* ---- Looking at them ---- */

ss_input_info ss_model_input(const ss_model *model, int index)
{
    if (index < 0 || index >= model->n_inputs.count)
        return (ss_input_info){0};
    const ss_named_input *input = &model->inputs[index];
    return (ss_input_info){
        .name = input->object.name,
        .unit = input->unit,
        .value = input->value,
        .min = input->min,
        .max = input->max,
        .controller =
            input->controller < 0 ? NULL : model->controllers[input->controller].object.name,
    };
}

ss_status ss_model_find_input(const ss_model *model, const char *name, int *input)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, name);
    SS_GIVEN(model->context, input);
    if (ss_map_find(&model->names[SS_KIND_INPUT], name, input))
        return SS_OK;
    const char *names[64];
    size_t count = 0;
    for (int i = 0; i < model->n_inputs.count && count < 64; i++)
        names[count++] = model->inputs[i].object.name;
    ss_hint hint = ss_hint_of(name, count, names);
    return ss_fail(model->context, SS_UNKNOWN_NAME, "there is no input '%s'%s (inputs: %s)", name,
                   hint.near, hint.all);
}

/* ---- In formulas ---- */

/* A graph's variable may not have a name that anything else could have: "speed.rate" could be a coordinate of a system. */
ss_status ss_setup_input_node(ss_setup *setup, int index, const char *name, ss_node *node)
{
    static const char *const parts[] = {
        [SS_INPUT_VALUE] = "value", [SS_INPUT_RATE] = "rate", [SS_INPUT_SINCE] = "since"};
    ss_node of[3], time;
    ss_graph *graph = setup->graph;
    for (int k = SS_INPUT_VALUE; k <= SS_INPUT_SINCE; k++) {
        ss_name full;
        snprintf(full.text, sizeof full.text, "input.%.200s.%s", name, parts[k]);
        ss_input input = {.local = SS_LOCAL_INPUT, .index = index * SS_INPUT_NUMBERS + k};
        SS_TRY(ss_setup_declare(setup, full.text, input, &of[k]));
    }
    SS_TRY(ss_setup_time(setup, &time));
    SS_TRY(ss_graph_negate(graph, of[SS_INPUT_SINCE], node));
    SS_TRY(ss_graph_add(graph, time, *node, node));
    SS_TRY(ss_graph_multiply(graph, of[SS_INPUT_RATE], *node, node));
    return ss_graph_add(graph, of[SS_INPUT_VALUE], *node, node);
}

bool ss_setup_is_input(const ss_setup *setup, ss_node variable)
{
    for (int i = 0; i < setup->n_inputs.count; i++)
        if (setup->nodes[i] == variable)
            return setup->inputs[i].local == SS_LOCAL_INPUT;
    return false;
}

void ss_formula_feed(const ss_formula *formula, void *cache, const double *control)
{
    double *frame = (double *)(void *)((char *)cache + formula->cache_offset);
    for (int i = 0; i < formula->n_inputs && formula->fed; i++)
        if (formula->inputs[i].local == SS_LOCAL_INPUT)
            frame[i] = control[formula->inputs[i].index];
}

/* ---- In a state ---- */

bool ss_time_is_due(double due, double t)
{
    return due - t <= 8 * DBL_EPSILON * fabs(t);
}

void ss_input_hold(double *input, double t, double value)
{
    input[SS_INPUT_VALUE] = input[SS_INPUT_END] = value;
    input[SS_INPUT_RATE] = 0;
    input[SS_INPUT_SINCE] = t;
    input[SS_INPUT_UNTIL] = INFINITY;
}

void ss_input_ramp(double *input, double t, double value, double until, double end)
{
    ss_input_hold(input, t, value);
    if (!isfinite(until))
        return;
    input[SS_INPUT_RATE] = (end - value) / (until - t);
    input[SS_INPUT_UNTIL] = until;
    input[SS_INPUT_END] = end;
}

double ss_input_at(const double *input, double t)
{
    if (t >= input[SS_INPUT_UNTIL])
        return input[SS_INPUT_END];
    return input[SS_INPUT_VALUE] + input[SS_INPUT_RATE] * (t - input[SS_INPUT_SINCE]);
}

double ss_state_input(const ss_state *state, int index)
{
    return ss_input_at(ss_state_control(state) + index * SS_INPUT_NUMBERS, ss_state_time(state));
}

static ss_status check_value(const ss_model *model, int index, double value)
{
    ss_context *context = model->context;
    if (index < 0 || index >= model->n_inputs.count)
        return ss_fail(context, SS_INPUT, "there is no input %d; the model has %d", index,
                       model->n_inputs.count);
    const ss_named_input *input = &model->inputs[index];
    if (!isfinite(value))
        return ss_fail(context, SS_INPUT, "%s: %g is not a finite number", input->object.owner,
                       value);
    if (value < input->min || value > input->max)
        return ss_fail(context, SS_INPUT, "%s: %g is not in its range, %g … %g",
                       input->object.owner, value, input->min, input->max);
    if (input->controller >= 0)
        return ss_fail(context, SS_INPUT, "%s: the controller '%s' sets it", input->object.owner,
                       model->controllers[input->controller].object.name);
    return SS_OK;
}

ss_status ss_state_set_input(const ss_model *model, ss_state *state, int index, double value)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, state);
    SS_TRY(check_value(model, index, value));
    double *input = ss_state_edit_control(state) + index * SS_INPUT_NUMBERS;
    if (input[SS_INPUT_RATE] == 0 && input[SS_INPUT_VALUE] == value &&
        input[SS_INPUT_UNTIL] == (double)INFINITY)
        return SS_OK;
    ss_input_hold(input, ss_state_time(state), value);
    ss_state_set_inputs_jumped(state, true);
    return SS_OK;
}

ss_status ss_state_ramp_input(const ss_model *model, ss_state *state, int index, double value,
                              double until)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, state);
    SS_TRY(check_value(model, index, value));
    double t = ss_state_time(state),
           *input = ss_state_edit_control(state) + index * SS_INPUT_NUMBERS;
    if (!isfinite(until) || ss_time_is_due(until, t))
        return ss_fail(model->context, SS_INPUT,
                       "%s: it cannot reach a value at t = %g s, as it is t = %g s now",
                       model->inputs[index].object.owner, until, t);
    ss_input_ramp(input, t, ss_input_at(input, t), until, value);
    ss_state_set_inputs_jumped(state, true);
    return SS_OK;
}
