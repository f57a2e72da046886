/* work_switches.c: where formulas of the model jump or have a kink. */
#include "model/work.h"

#include <string.h>

static int count_of(const ss_object *object)
{
    int n = 0;
    for (const ss_formula *f = object->formulas; f; f = f->next)
        n += f->n_switches;
    return n;
}

int ss_model_switch_count(const ss_model *model)
{
    int n = 0;
    for (int i = 0; i < model->n_systems.count; i++)
        n += count_of(&model->systems[i].object);
    for (int i = 0; i < model->n_forces.count; i++)
        n += count_of(&model->forces[i].object);
    for (int i = 0; i < model->n_elements.count; i++)
        n += count_of(&model->elements[i].object);
    for (int i = 0; i < model->n_laws.count; i++)
        n += count_of(&model->laws[i].object);
    return n;
}

/* The values of one object; returns where those of the next one begin. */
static double *read(const ss_object *object, ss_at at, double t, double *values)
{
    at.t = t;
    for (const ss_formula *f = object->formulas; f; f = f->next) {
        if (f->n_switches > 0)
            memcpy(values, ss_formula_run(f, &at), (size_t)f->n_switches * sizeof *values);
        values += f->n_switches;
    }
    return values;
}

void ss_work_switches(ss_work *work, double t, const double *q, const double *u, double *values)
{
    const ss_model *model = work->model;
    if (q != work->q)
        memcpy(work->q, q, (size_t)model->n_q * sizeof *q);
    if (u != work->u)
        memcpy(work->u, u, (size_t)model->n_u * sizeof *u);
    for (int i = 0; i < model->n_systems.count; i++)
        values = read(&model->systems[i].object, work->systems[i], t, values);
    for (int i = 0; i < model->n_forces.count; i++)
        values = read(&model->forces[i].object, work->forces[i], t, values);
    for (int i = 0; i < model->n_elements.count; i++)
        values = read(&model->elements[i].object, work->elements[i].at, t, values);
    for (int i = 0; i < model->n_laws.count; i++)
        values = read(&model->laws[i].object, (ss_at){.cache = work->laws[i].cache}, t, values);
}
