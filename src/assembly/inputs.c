/* inputs.c: formulas of a work take the inputs of a state. */
#include "assembly/work.h"

#include <string.h>

static void feed(const ss_work *work, const ss_object *object, void *cache)
{
    for (const ss_formula *f = object->formulas; f; f = f->next)
        ss_formula_feed(f, cache, work->control);
}

void ss_work_take_inputs(ss_work *work, const ss_state *state)
{
    const ss_model *model = work->model;
    const double *control = ss_state_control(state);
    size_t bytes = (size_t)model->n_inputs.count * SS_INPUT_NUMBERS * sizeof *control;
    if (bytes == 0 || memcmp(work->control, control, bytes) == 0)
        return;
    memcpy(work->control, control, bytes);
    for (int i = 0; i < model->n_systems.count; i++)
        feed(work, &model->systems[i].object, work->systems[i].cache);
    for (int i = 0; i < model->n_forces.count; i++)
        feed(work, &model->forces[i].object, work->forces[i].cache);
    for (int i = 0; i < work->table.n_elements; i++)
        feed(work, &work->table.elements[i].object, work->elements[i].at.cache);
    for (int i = 0; i < work->table.n_laws; i++)
        feed(work, &work->table.laws[i].object, work->laws[i].at->cache);
    for (int i = 0; i < model->n_outputs.count; i++)
        feed(work, &model->outputs[i].object, work->outputs[i].cache);
    for (int i = 0; i < model->n_controllers.count; i++)
        feed(work, &model->controllers[i].object, work->controllers[i].cache);
}
