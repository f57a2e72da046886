/* observe.c: what outputs and controllers see of a state. */
#include "assembly/work.h"

#include "base/context.h"
#include "la/small.h"

#include <math.h>

/* ---- Quantities ---- */

static double per_time(const ss_state *state, double impulse)
{
    double dt = ss_state_dt(state);
    return dt > 0 ? impulse / dt : 0;
}

/* The force on shape b from shape a, of all their contacts. */
static double contact_part(const ss_state *state, const ss_quantity *q)
{
    const ss_contact *contacts = ss_state_contacts(state);
    double sum = 0;
    for (int i = 0; i < ss_state_contact_count(state); i++) {
        const ss_contact *c = &contacts[i];
        bool straight = c->a == q->index && c->b == q->part;
        if (!straight && (c->a != q->part || c->b != q->index))
            continue;
        if (q->which == SS_CONTACT_COUNT)
            sum += c->closed;
        else if (q->which == SS_CONTACT_NORMAL)
            sum += ss_dot(3, c->P, c->n);
        else
            sum += straight ? c->P[q->which] : -c->P[q->which];
    }
    return q->which == SS_CONTACT_COUNT ? sum : per_time(state, sum);
}

static ss_status energy_part(ss_work *work, const ss_state *state, int which, double *value)
{
    ss_energy e;
    SS_TRY(ss_work_energy(work, state, &e));
    const double parts[SS_ENERGY_PARTS] = {e.kinetic, e.potential, e.dissipated, e.load_work};
    *value = parts[which];
    return SS_OK;
}

static double law_part(const ss_work *work, const ss_state *state, const ss_quantity *q)
{
    const ss_model *model = work->model;
    switch (q->kind) {
    case SS_QUANTITY_GAP: /* after ss_work_measure, as the next one */
        return work->elements[q->index].g[q->part];
    case SS_QUANTITY_RELATIVE_VELOCITY:
        return work->elements[q->index].gamma_B[q->part];
    case SS_QUANTITY_IMPULSE:
        return ss_state_P(state)[model->laws[q->index].offset + q->part];
    case SS_QUANTITY_FORCE:
        return per_time(state, ss_state_P(state)[model->laws[q->index].offset + q->part]);
    default:
        return ss_state_mode(state)[q->index];
    }
}

static ss_status find(ss_work *work, const ss_state *state, const ss_quantity *q, double *value)
{
    const ss_model *model = work->model;
    int place = q->part;
    switch (q->kind) {
    case SS_QUANTITY_TIME_STEP:
        *value = ss_state_dt(state);
        return SS_OK;
    case SS_QUANTITY_POSITION:
        *value = ss_state_q(state)[model->systems[q->index].q_offset + place];
        return SS_OK;
    case SS_QUANTITY_VELOCITY:
        *value = ss_state_u(state)[model->systems[q->index].u_offset + place];
        return SS_OK;
    case SS_QUANTITY_ACCELERATION:
        place += model->systems[q->index].u_offset;
        *value = ss_state_control(state)[model->rates_offset + (size_t)place];
        return SS_OK;
    case SS_QUANTITY_CONTACT:
        *value = contact_part(state, q);
        return SS_OK;
    case SS_QUANTITY_ENERGY:
        return energy_part(work, state, q->which, value);
    default:
        *value = law_part(work, state, q);
        return SS_OK;
    }
}

static ss_status find_all(ss_work *work, const ss_state *state, const ss_observer *seen,
                          double *values)
{
    bool measured = false;
    for (int i = 0; i < seen->n_quantities; i++) {
        const ss_quantity *q = &seen->quantities[i];
        bool rows = q->kind == SS_QUANTITY_GAP || q->kind == SS_QUANTITY_RELATIVE_VELOCITY;
        if (rows && !measured)
            SS_TRY(ss_work_measure(work, state, work->seen_rows,
                                   work->seen_rows + work->model->n_rows));
        measured = measured || rows;
        SS_TRY(find(work, state, q, &values[i]));
    }
    return SS_OK;
}

/* ---- Outputs and controllers ---- */

ss_status ss_work_outputs(ss_work *work, const ss_state *state, double *values)
{
    SS_GIVEN(NULL, work);
    SS_GIVEN(work->model->context, state);
    SS_GIVEN(work->model->context, values);
    ss_work_take_inputs(work, state);
    for (int i = 0; i < work->model->n_outputs.count; i++) {
        const ss_named_output *output = &work->model->outputs[i];
        SS_TRY(find_all(work, state, &output->seen, work->observed[i]));
        work->outputs[i].t = ss_state_time(state);
        values[i] = ss_formula_run(output->seen.formula, &work->outputs[i])[0];
    }
    return SS_OK;
}

ss_status ss_work_observe(ss_work *work, int index, const ss_state *state, const double **y)
{
    const ss_controller *controller = &work->model->controllers[index];
    ss_at *at = &work->controllers[index];
    const double **q = (const double **)at->q;
    *y = NULL;
    if (!controller->seen.formula)
        return SS_OK;
    ss_work_take_inputs(work, state);
    SS_TRY(find_all(work, state, &controller->seen,
                    work->observed[work->model->n_outputs.count + index]));
    q[1] = ss_state_control(state) + controller->offset + SS_CONTROL_STATES;
    at->t = ss_state_time(state);
    *y = ss_formula_run(controller->seen.formula, at);
    return SS_OK;
}
