/* control.c: inputs and controllers between two steps. */
#include "simulation/simulation.h"

#include "base/context.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The memory of a controller in the current state. */
static double *memory_of(const ss_simulation *s, const ss_controller *c)
{
    return ss_state_edit_control(s->state) + c->offset;
}

static double *waiting_samples(const ss_controller *c, double *memory)
{
    return memory + SS_CONTROL_STATES + c->n_states;
}

/* ---- Inputs take values ---- */

/* Values of one sample: held or ramped from t on. What a controller wants beyond the range ends at the range. */
static void apply(ss_simulation *s, const ss_controller *c, double t, double until,
                  const double *values)
{
    double *inputs = ss_state_edit_control(s->state);
    for (int i = 0; i < c->n_inputs; i++) {
        const ss_named_input *of = &s->model->inputs[c->inputs[i]];
        double *input = inputs + c->inputs[i] * SS_INPUT_NUMBERS;
        double value = fmax(of->min, fmin(values[2 * i], of->max)), end = values[2 * i + 1];
        if (isnan(end))
            ss_input_hold(input, t, value);
        else
            ss_input_ramp(input, t, value, until, fmax(of->min, fmin(end, of->max)));
    }
}

/* Ramps that have reached their ends, and samples whose delay is over. */
static void apply_due(ss_simulation *s, double t)
{
    double *inputs = ss_state_edit_control(s->state);
    for (int i = 0; i < s->model->n_inputs.count; i++) {
        double *input = inputs + i * SS_INPUT_NUMBERS;
        if (ss_time_is_due(input[SS_INPUT_UNTIL], t))
            ss_input_hold(input, t, input[SS_INPUT_END]);
    }
    for (int i = 0; i < s->model->n_controllers.count; i++) {
        const ss_controller *c = &s->model->controllers[i];
        double *memory = memory_of(s, c), *sample = waiting_samples(c, memory);
        size_t size = ss_controller_sample(c);
        while (memory[SS_CONTROL_WAITING] > 0 && ss_time_is_due(sample[0], t)) {
            apply(s, c, t, sample[1], sample + 2);
            size_t left = (size_t)--memory[SS_CONTROL_WAITING];
            memmove(sample, sample + size, left * size * sizeof *sample);
            memset(sample + left * size, 0, size * sizeof *sample);
        }
    }
}

/* ---- Controllers sample ---- */

/* The instant after the one that is due at t. Multiples of the period are not sums. */
static double next_instant(const ss_controller *c, double t)
{
    if (c->ops->next)
        return c->ops->next(c->object.self, t + 8 * DBL_EPSILON * fabs(t));
    double k = floor(t / c->period);
    while (ss_time_is_due(k * c->period, t))
        k++;
    return k * c->period;
}

static ss_status check_sample(const ss_simulation *s, const ss_controller *c, double t,
                              const double *x, const double *values)
{
    const ss_object *object = &c->object;
    for (int i = 0; i < c->n_states; i++)
        if (!isfinite(x[i]))
            return ss_fail_at(s->context, SS_NON_FINITE, object->where,
                              "%s: its state %d is not finite at t = %.9g s", object->owner, i + 1,
                              t);
    for (int i = 0; i < c->n_inputs; i++)
        if (!isfinite(values[2 * i]) || isinf(values[2 * i + 1]))
            return ss_fail_at(s->context, SS_NON_FINITE, object->where,
                              "%s: it sets the input '%s' to a number that is not finite at t = "
                              "%.9g s",
                              object->owner, s->model->inputs[c->inputs[i]].object.name, t);
    return SS_OK;
}

/* One sample at t, into s->sample: its times, then value and end of every input. */
static ss_status sample(ss_simulation *s, int index, double t, double *into)
{
    const ss_controller *c = &s->model->controllers[index];
    double *memory = memory_of(s, c), *value = s->sample_value, *end = value + c->n_inputs;
    ss_sample at = {.t = t,
                    .next = next_instant(c, t),
                    .x = memory + SS_CONTROL_STATES,
                    .value = value,
                    .end = end,
                    .cache = s->work->controllers[index].cache};
    if (!(at.next > t))
        return ss_fail_at(s->context, SS_INPUT, c->object.where,
                          "%s: the instant after t = %.9g s is %.9g s, which is not later",
                          c->object.owner, t, at.next);
    for (int i = 0; i < c->n_inputs; i++) {
        const double *inputs = ss_state_control(s->state);
        value[i] = ss_input_at(inputs + c->inputs[i] * SS_INPUT_NUMBERS, t);
        end[i] = (double)NAN;
    }
    SS_TRY(ss_work_observe(s->work, index, s->state, &at.y));
    SS_TRY(c->ops->sample(c->object.self, &at));
    memory[SS_CONTROL_NEXT] = at.next;
    into[0] = t + c->delay;
    into[1] = at.next + c->delay;
    for (int i = 0; i < c->n_inputs; i++) {
        into[2 + 2 * i] = value[i];
        into[3 + 2 * i] = end[i];
    }
    return check_sample(s, c, t, at.x, into + 2);
}

/* All controllers whose instant it is see the same inputs. */
static ss_status sample_due(ss_simulation *s, double t)
{
    double *into = s->samples;
    for (int i = 0; i < s->model->n_controllers.count; i++) {
        const ss_controller *c = &s->model->controllers[i];
        double *memory = memory_of(s, c), *waiting = waiting_samples(c, memory);
        size_t size = ss_controller_sample(c);
        into[0] = (double)NAN; /* not sampled */
        if (ss_time_is_due(memory[SS_CONTROL_NEXT], t))
            SS_TRY(sample(s, i, t, into));
        if (c->delay > 0 && !isnan(into[0])) {
            memcpy(waiting + (size_t)memory[SS_CONTROL_WAITING]++ * size, into,
                   size * sizeof *into);
            into[0] = (double)NAN;
        }
        into += size;
    }
    into = s->samples;
    for (int i = 0; i < s->model->n_controllers.count; i++) {
        const ss_controller *c = &s->model->controllers[i];
        if (!isnan(into[0]))
            apply(s, c, t, into[1], into + 2);
        into += ss_controller_sample(c);
    }
    return SS_OK;
}

/* ---- Around a step ---- */

ss_status ss_simulation_reserve_control(ss_simulation *s)
{
    size_t samples = 0;
    int most = 0;
    for (int i = 0; i < s->model->n_controllers.count; i++) {
        const ss_controller *c = &s->model->controllers[i];
        samples += ss_controller_sample(c);
        most = c->n_inputs > most ? c->n_inputs : most;
    }
    s->next_break = (double)INFINITY;
    SS_TRY(SS_ARENA_NEW(&s->arena, samples, &s->samples));
    return SS_ARENA_NEW(&s->arena, 2 * most, &s->sample_value);
}

static double find_break(const ss_simulation *s)
{
    const double *inputs = ss_state_control(s->state);
    double next = (double)INFINITY;
    for (int i = 0; i < s->model->n_inputs.count; i++)
        next = fmin(next, inputs[i * SS_INPUT_NUMBERS + SS_INPUT_UNTIL]);
    for (int i = 0; i < s->model->n_controllers.count; i++) {
        const ss_controller *c = &s->model->controllers[i];
        double *memory = memory_of(s, c);
        next = fmin(next, memory[SS_CONTROL_NEXT]);
        if (memory[SS_CONTROL_WAITING] > 0)
            next = fmin(next, waiting_samples(c, memory)[0]);
    }
    return next;
}

/* Whether a formula sees something else than in the last step: a value or a slope. */
static bool any_changed(const ss_simulation *s, double t)
{
    const double *old = ss_state_control(s->before), *new = ss_state_control(s->state);
    bool changed = false;
    for (int i = 0; i < s->model->n_inputs.count * SS_INPUT_NUMBERS; i += SS_INPUT_NUMBERS)
        changed = changed || ss_input_at(new + i, t) != new[i + SS_INPUT_LAST] ||
                  old[i + SS_INPUT_RATE] != new[i + SS_INPUT_RATE];
    return changed;
}

/* Whoever moves the end of a spring at once does the work that it stores. */
static ss_status add_work(ss_simulation *s, double t)
{
    ss_energy before, after;
    double *inputs = ss_state_edit_control(s->next);
    ss_state_copy(s->next, s->state);
    for (int i = 0; i < s->model->n_inputs.count; i++, inputs += SS_INPUT_NUMBERS)
        ss_input_hold(inputs, t, inputs[SS_INPUT_LAST]);
    SS_TRY(ss_work_energy(s->work, s->next, &before));
    SS_TRY(ss_work_energy(s->work, s->state, &after));
    ss_state_edit_statistics(s->state)->load_work +=
        after.kinetic + after.potential - before.kinetic - before.potential;
    return SS_OK;
}

/* Everything that is due at the current state. */
static ss_status control_now(ss_simulation *s, double t)
{
    apply_due(s, t);
    SS_TRY(sample_due(s, t));
    if (!any_changed(s, t))
        return SS_OK;
    ss_state_set_inputs_jumped(s->state, true);
    return s->model->inputs_store ? add_work(s, t) : SS_OK;
}

ss_status ss_simulation_control(ss_simulation *s)
{
    s->next_break = (double)INFINITY;
    if (s->model->n_inputs.count + s->model->n_controllers.count == 0)
        return SS_OK;
    ss_status status = control_now(s, ss_state_time(s->state));
    if (status != SS_OK) {
        ss_state_copy(s->state, s->before);
        return status;
    }
    s->next_break = find_break(s);
    ss_work_take_inputs(s->work, s->state);
    return SS_OK;
}

/* Accelerations are means over the last step that took time, impacts included. */
static void find_rates(ss_simulation *s)
{
    double dt = ss_state_time(s->state) - ss_state_time(s->before);
    double *rates = ss_state_edit_control(s->state) + s->model->rates_offset;
    const double *from = ss_state_u(s->before), *to = ss_state_u(s->state);
    for (int i = 0; dt > 0 && i < s->model->n_u; i++)
        rates[i] = (to[i] - from[i]) / dt;
}

ss_status ss_simulation_end_control(ss_simulation *s)
{
    double t = ss_state_time(s->state), *inputs = ss_state_edit_control(s->state);
    ss_state_set_inputs_jumped(s->state, false);
    for (int i = 0; i < s->model->n_inputs.count; i++, inputs += SS_INPUT_NUMBERS)
        inputs[SS_INPUT_LAST] = ss_input_at(inputs, t);
    if (s->model->keeps_rates)
        find_rates(s);
    if (!(t > s->next_break) || ss_time_is_due(t, s->next_break))
        return SS_OK;
    return ss_fail(
        s->context, SS_INPUT,
        "simulation '%s': a step went to t = %.9g s, beyond t = %.9g s where an input or a "
        "controller changes; steps of its type must end at ss_simulation_next_break",
        s->ops->type.name, t, s->next_break);
}

double ss_simulation_next_break(const ss_simulation *simulation)
{
    return simulation->next_break;
}

bool ss_simulation_inputs_jumped(const ss_simulation *simulation)
{
    return ss_state_inputs_jumped(simulation->state);
}
