/* levels.c: gaps and distances of the laws at a place, and which of them are active there. */
#include "assembly/work.h"

#include <math.h>
#include <string.h>

ss_status ss_work_element_gaps(ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    if (element->ops->geometry)
        SS_TRY(element->ops->geometry(element->object.self, &we->at));
    if (element->ops->gap)
        SS_TRY(element->ops->gap(element->object.self, &we->at, we->g));
    return SS_OK;
}

ss_status ss_work_gaps(ss_work *work)
{
    for (int e = 0; e < work->table.n_elements; e++)
        SS_TRY(ss_work_element_gaps(work, e));
    return SS_OK;
}

ss_law_at ss_work_law_at(const ss_work *work, const ss_law *law, double dt, bool velocities)
{
    const ss_work_element *we = &work->elements[law->element];
    return (ss_law_at){
        .t = work->t,
        .dt = dt,
        .dim = law->dim,
        .g = we->g + law->row,
        .gamma = velocities ? we->gamma_B + law->row : NULL,
        .cache = work->laws[law - work->table.laws].cache,
    };
}

bool ss_law_is_elastic(const ss_element *element, const ss_law *law)
{
    if (element->ops->restitution)
        return true;
    for (int i = 0; i < element->restitution.rows * element->rows; i++)
        if (element->restitution.values[i] != 0)
            return true;
    for (int i = 0; i < law->dim; i++)
        if (law->epsilon[i] != 0)
            return true;
    return false;
}

ss_status ss_work_find_side(ss_work *work, const ss_law *law)
{
    ss_law_at at = ss_work_law_at(work, law, 0, false);
    memcpy(work->side_g + law->offset, at.g, (size_t)law->dim * sizeof *at.g);
    return law->ops->distance(law->object.self, &at, work->side_d + law->offset);
}

static bool has_distance(const ss_law *law)
{
    return law->kind == SS_GEOMETRIC && (law->flags & SS_LAW_DISTANCE);
}

ss_status ss_work_distances(ss_work *work, double *d)
{
    const ss_table *table = &work->table;
    memset(d, 0, (size_t)table->n_rows * sizeof *d);
    SS_TRY(ss_work_gaps(work));
    for (int l = 0; l < table->n_laws; l++)
        if (has_distance(&table->laws[l])) {
            const ss_law *law = &table->laws[l];
            SS_TRY(ss_work_find_side(work, law));
            memcpy(d + law->offset, work->side_d + law->offset, (size_t)law->dim * sizeof *d);
        }
    return SS_OK;
}

ss_status ss_work_distances_again(ss_work *work, double *d)
{
    const ss_table *table = &work->table;
    memset(d, 0, (size_t)table->n_rows * sizeof *d);
    SS_TRY(ss_work_gaps(work));
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        const double *g = work->elements[law->element].g + law->row;
        for (int i = law->offset; has_distance(law) && i < law->offset + law->dim; i++)
            d[i] = work->side_d[i] + (g[i - law->offset] - work->side_g[i]);
    }
    return SS_OK;
}

static bool is_displaced(const ss_work *work, const ss_law_form *form, int l)
{
    const ss_law *law = &work->table.laws[l];
    if (!has_distance(law) || (form->on_velocity && form->on_velocity[l]))
        return false;
    if (form->kind == SS_FORM_PROJECTION)
        return true;
    return form->kind == SS_FORM_DISPLACEMENT &&
           !(form->split && ss_law_is_elastic(&work->table.elements[law->element], law));
}

static ss_status activate_near(ss_work *work, const ss_law_form *form, const ss_law *law,
                               ss_work_law *wl)
{
    SS_TRY(ss_work_find_side(work, law));
    for (int i = law->offset; i < law->offset + law->dim; i++)
        if (fabs(work->side_d[i]) <= form->near)
            wl->level = SS_LEVEL_ACTIVE;
    return SS_OK;
}

static ss_status level_of(ss_work *work, const ss_law_form *form, double dt, int l)
{
    const ss_law *law = &work->table.laws[l];
    ss_work_law *wl = &work->laws[l];
    *wl = (ss_work_law){.level = SS_LEVEL_ACTIVE, .block = -1, .cache = wl->cache};
    wl->displaced = is_displaced(work, form, l);
    bool rule =
        ss_element_rule(&work->table.elements[law->element]); /* acts through its contacts */
    if (rule || (form->kind == SS_FORM_PROJECTION && !wl->displaced)) {
        wl->level = SS_LEVEL_INACTIVE;
        return SS_OK;
    }
    if (wl->displaced && form->reach > 0) {
        double nearest = INFINITY;
        SS_TRY(ss_work_find_side(work, law));
        for (int i = law->offset; i < law->offset + law->dim; i++)
            nearest = fmin(nearest, fabs(work->side_d[i]));
        wl->level = nearest < form->reach ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE;
        return SS_OK;
    }
    ss_law_at at = ss_work_law_at(work, law, dt, false);
    if (!wl->displaced && ss_law_opens(law))
        SS_TRY(law->ops->level(law->object.self, &at, &wl->level));
    if (form->near > 0 && wl->level == SS_LEVEL_INACTIVE && has_distance(law))
        SS_TRY(activate_near(work, form, law, wl));
    if (work->keep && work->keep[l])
        wl->level = SS_LEVEL_ACTIVE;
    if (form->kind == SS_FORM_IMPACT && wl->level == SS_LEVEL_IMPRESSED)
        wl->level = SS_LEVEL_INACTIVE;
    return SS_OK;
}

ss_status ss_work_levels(ss_work *work, const ss_law_form *form, double dt)
{
    const ss_table *table = &work->table;
    SS_TRY(ss_work_gaps(work));
    for (int l = 0; l < table->n_laws; l++)
        SS_TRY(level_of(work, form, dt, l));
    for (int l = 0; l < table->n_laws; l++) {
        int from = table->laws[l].scale_from;
        if (from >= 0 && work->laws[from].level == SS_LEVEL_INACTIVE)
            work->laws[l].level = SS_LEVEL_INACTIVE;
    }
    return SS_OK;
}

void ss_work_keep_active(ss_work *work, const bool *laws)
{
    work->keep = laws;
}

void ss_work_hold_inelastic(ss_work *work, const bool *laws)
{
    work->inelastic = laws;
}

double ss_work_restitution(const ss_work *work, const ss_law *law, int i)
{
    return work->inelastic && work->inelastic[law - work->table.laws] ? 0 : law->epsilon[i];
}
