/* switches.c: where formulas of the model jump or have a kink. */
#include "assembly/work.h"

#include <math.h>
#include <string.h>

static int count_of(const ss_object *object)
{
    int n = 0;
    for (const ss_formula *f = object->formulas; f; f = f->next)
        n += f->n_switches;
    return n;
}

bool ss_element_may_jump(const ss_element *element)
{
    return count_of(&element->object) > 0;
}

/* Of systems and forces, whose terms come first. */
static int count_smooth(const ss_model *model)
{
    int n = 0;
    for (int i = 0; i < model->n_systems.count; i++)
        n += count_of(&model->systems[i].object);
    for (int i = 0; i < model->n_forces.count; i++)
        n += count_of(&model->forces[i].object);
    return n;
}

int ss_work_switch_count(const ss_work *work)
{
    int n = count_smooth(work->model);
    for (int i = 0; i < work->table.n_elements; i++)
        n += count_of(&work->table.elements[i].object);
    for (int i = 0; i < work->table.n_laws; i++)
        n += count_of(&work->table.laws[i].object);
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

/* Laws look at gaps and velocities of their elements. An element that cannot be evaluated keeps what it has. */
static double *read_law(ss_work *work, int l, double t, double *values)
{
    const ss_law *law = &work->table.laws[l];
    ss_work_element *we = &work->elements[law->element];
    if (count_of(&law->object) == 0)
        return values;
    we->at.t = t;
    if (ss_work_element_gaps(work, law->element) == SS_OK &&
        ss_work_element_directions(work, law->element) == SS_OK)
        ss_work_element_velocity(work, law->element, work->u, we->gamma_B);
    ss_law_at at = ss_work_law_at(work, law, 0, true);
    at.t = t;
    for (const ss_formula *f = law->object.formulas; f; f = f->next) {
        if (f->n_switches > 0)
            memcpy(values, ss_law_formula_run(f, &at), (size_t)f->n_switches * sizeof *values);
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
    for (int i = 0; i < work->table.n_elements; i++)
        values = read(&work->table.elements[i].object, work->elements[i].at, t, values);
    for (int l = 0; l < work->table.n_laws; l++)
        values = read_law(work, l, t, values);
}

/* The same, a time s along the motion with the velocities of now. */
static ss_status switches_along(ss_work *work, double t, double s, const double *q, const double *u,
                                double *values)
{
    SS_TRY(ss_work_predict(work, t, q, u, s, work->q_moved));
    ss_work_switches(work, t + s, work->q_moved, u, values);
    return SS_OK;
}

ss_status ss_work_switch_sizes(ss_work *work, double *sizes)
{
    const double apart = 0.61; /* no zero of a scene is there but by chance */
    int n = ss_work_switch_count(work), n_u = work->model->n_u;
    double *u = work->u_lag;
    if (n == 0)
        return SS_OK;
    SS_TRY(ss_work_initial(work, work->q_scratch, u));
    for (int j = 0; j < n_u; j++)
        u[j] = (u[j] < 0 ? -1 : 1) * fmax(fabs(u[j]), apart * work->sizes.u[j]);
    ss_work_switches(work, 0, work->q_scratch, u, work->switches[0]);
    SS_TRY(
        switches_along(work, 0, apart * work->sizes.time, work->q_scratch, u, work->switches[1]));
    for (int i = 0; i < n; i++) {
        double size = fmax(fabs(work->switches[0][i]), fabs(work->switches[1][i]));
        sizes[i] = size > 0 && isfinite(size) ? size : 1;
    }
    return SS_OK;
}

bool ss_switches_differ(int n, const double *from, const double *to)
{
    for (int i = 0; i < n; i++)
        if ((from[i] < 0) != (to[i] < 0))
            return true;
    return false;
}

/* Whether the next n terms have changed; *first: the first of them, then the one after them. */
static bool any_changed(const ss_work *work, int n, int *first)
{
    int from = *first;
    *first += n;
    return ss_switches_differ(n, work->switches[0] + from, work->switches[1] + from);
}

ss_status ss_work_leave_out_jumps(ss_work *work, double t, double from, double to, const double *q,
                                  const double *u, ss_role *roles)
{
    if (ss_work_switch_count(work) == 0)
        return SS_OK;
    SS_TRY(switches_along(work, t, from, q, u, work->switches[0]));
    SS_TRY(switches_along(work, t, to, q, u, work->switches[1]));
    int first = count_smooth(work->model);
    for (int e = 0; e < work->table.n_elements; e++) {
        const ss_element *element = &work->table.elements[e];
        bool changed = any_changed(work, count_of(&element->object), &first);
        for (int i = 0; changed && i < element->n_laws; i++)
            roles[element->laws[i]] = SS_ROLE_NONE;
    }
    for (int l = 0; l < work->table.n_laws; l++)
        if (any_changed(work, count_of(&work->table.laws[l].object), &first))
            roles[l] = SS_ROLE_NONE;
    return SS_OK;
}
