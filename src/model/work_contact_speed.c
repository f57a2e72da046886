/* work_contact_speed.c: warns of shapes that are too fast for laws on velocity level.
 *
 * Such laws see a touch only once shapes overlap. What moves in a step by more than half of its own
 * thickness may be on the other side of something thin before that, or be pushed out there.
 * Laws with gaps look ahead and need no warning; of schemes that keep those with restitution on velocity
 * level only these are warned of.
 */
#include "model/body.h"
#include "model/work_contacts.h"

#include "base/context.h"

#include <math.h>

/* Speed of the middle of a shape's box. */
static double speed_of(const ss_work *work, int shape, const double *u)
{
    const struct ss_work_contacts *c = work->contacts;
    int s = work->model->shapes[shape].system;
    const ss_system *system = &work->model->systems[s];
    double twist[6] = {0}, r[3], turn[3], speed2 = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < system->nu; j++)
            twist[i] += (c->V[s] ? c->V[s][i * system->nu + j] : i == j) * u[system->u_offset + j];
    for (int i = 0; i < 3; i++)
        r[i] = (c->boxes[shape].high[i] + c->boxes[shape].low[i]) / 2 - c->frames[s].x[i];
    ss_cross(twist + 3, r, turn);
    for (int i = 0; i < 3; i++)
        speed2 += (twist[i] + turn[i]) * (twist[i] + turn[i]);
    return sqrt(speed2);
}

static double half_thickness(const ss_bounds *box)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = fmin(least, (box->high[i] - box->low[i]) / 2);
    return least;
}

static bool is_elastic(const ss_model *model, int element)
{
    const ss_element *rule = &model->elements[element];
    for (int k = 0; k < rule->n_laws; k++) {
        const ss_law *law = &model->laws[rule->laws[k]];
        if (law->kind == SS_GEOMETRIC && law->epsilon[0] != 0)
            return true;
    }
    return false;
}

/* Whether some law of its touches is on velocity level. */
static bool is_blind(const ss_model *model, const ss_law_form *form, const ss_placed *placed)
{
    if (form->kind != SS_FORM_DISPLACEMENT)
        return true;
    for (int j = 0; form->split && j < model->n_materials; j++) {
        int rule = model->rule[placed->material_index * model->n_materials + j];
        if (rule >= 0 && is_elastic(model, rule))
            return true;
    }
    return false;
}

void ss_work_contacts_watch(ss_work *work, const ss_law_form *form, double dt, const double *u)
{
    struct ss_work_contacts *c = work->contacts;
    if (form->kind == SS_FORM_DISPLACEMENT && !(form->split && c->elastic))
        return;
    for (int i = 0; i < work->model->n_shapes.count; i++) {
        const ss_placed *placed = &work->model->shapes[i];
        if (placed->system < 0)
            continue;
        double way = dt * speed_of(work, i, u), half = half_thickness(&c->boxes[i]) - c->reach[i];
        if (!(way > half) || !is_blind(work->model, form, placed))
            continue;
        if (c->too_fast++ == 0)
            ss_log(work->model->context, SS_LOG_WARNING,
                   "t = %.9g s: %s moves by %.3g m in a step of %.3g s, more than half of its "
                   "thickness (%.3g m): it may pass through others; choose a smaller step%s",
                   work->t, placed->object.owner, way, dt, half,
                   form->kind == SS_FORM_DISPLACEMENT
                       ? ", or no restitution"
                       : ", or a scheme that looks ahead, e.g. moreau_stabilized");
    }
}

void ss_work_contacts_report_speed(const ss_work *work)
{
    if (work->contacts->too_fast > 1)
        ss_log(work->model->context, SS_LOG_WARNING,
               "shapes moved by more than half of their thickness in a step %ld times",
               work->contacts->too_fast);
}
