/* work_laws.c: the non-smooth part at a place: levels, W, ζ, sets, and the inclusion of the active laws. */
#include "model/work.h"

#include <string.h>

ss_status ss_work_element_gaps(ss_work *work, int e)
{
    const ss_element *element = &work->model->elements[e];
    ss_work_element *we = &work->elements[e];
    if (element->ops->geometry)
        SS_TRY(element->ops->geometry(element->object.self, &we->at));
    if (element->ops->gap)
        SS_TRY(element->ops->gap(element->object.self, &we->at, we->g));
    return SS_OK;
}

ss_status ss_work_element_directions(ss_work *work, int e)
{
    const ss_element *element = &work->model->elements[e];
    ss_work_element *we = &work->elements[e];
    SS_TRY(element->ops->W(element->object.self, &we->at, we->W));
    if (element->ops->zeta)
        SS_TRY(element->ops->zeta(element->object.self, &we->at, we->zeta));
    return SS_OK;
}

void ss_work_element_velocity(const ss_work *work, int e, const double *u, double *gamma)
{
    const ss_element *element = &work->model->elements[e];
    const ss_work_element *we = &work->elements[e];
    for (int row = 0; row < element->rows; row++) {
        double sum = we->zeta[row];
        for (int k = 0; k < element->touched.count; k++) {
            const ss_system *system = &work->model->systems[element->touched.systems[k]];
            const double *w = we->W[k] + row * system->nu;
            const double *us = u + system->u_offset;
            for (int j = 0; j < system->nu; j++)
                sum += w[j] * us[j];
        }
        gamma[row] = sum;
    }
}

/* What a law sees of its element's rows. */
static ss_law_at law_at(const ss_work *work, const ss_law *law, double dt, bool velocities)
{
    const ss_work_element *we = &work->elements[law->element];
    return (ss_law_at){
        .t = work->t,
        .dt = dt,
        .dim = law->dim,
        .g = we->g + law->row,
        .gamma = velocities ? we->gamma_B + law->row : NULL,
    };
}

static ss_status find_levels(ss_work *work, double dt)
{
    const ss_model *model = work->model;
    for (int e = 0; e < model->n_elements.count; e++)
        SS_TRY(ss_work_element_gaps(work, e));
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        ss_work_law *wl = &work->laws[l];
        *wl = (ss_work_law){.level = SS_LEVEL_ACTIVE, .block = -1};
        ss_law_at at = law_at(work, law, dt, false);
        if (law->ops->level)
            SS_TRY(law->ops->level(law->object.self, &at, &wl->level));
    }
    for (int l = 0; l < model->n_laws.count; l++) {
        int from = model->laws[l].scale_from;
        if (from >= 0 && work->laws[from].level == SS_LEVEL_INACTIVE)
            work->laws[l].level = SS_LEVEL_INACTIVE;
    }
    return SS_OK;
}

bool ss_work_element_at_work(const ss_work *work, int e)
{
    const ss_element *element = &work->model->elements[e];
    for (int i = 0; i < element->n_laws; i++)
        if (work->laws[element->laws[i]].level != SS_LEVEL_INACTIVE)
            return true;
    return false;
}

/* impulse += W_i P of one law. */
static void push(const ss_work *work, const ss_law *law, const double *P, double *impulse)
{
    const ss_element *element = &work->model->elements[law->element];
    const ss_work_element *we = &work->elements[law->element];
    for (int k = 0; k < element->touched.count; k++) {
        const ss_system *system = &work->model->systems[element->touched.systems[k]];
        for (int row = 0; row < law->dim; row++) {
            const double *w = we->W[k] + (law->row + row) * system->nu;
            for (int j = 0; j < system->nu; j++)
                impulse[system->u_offset + j] += w[j] * P[row];
        }
    }
}

/* Percussions that are known beforehand: of impressed laws, and those added beside the set-valued ones. */
static ss_status known_percussions(ss_work *work, int l, double dt, double *impulse)
{
    const ss_law *law = &work->model->laws[l];
    ss_work_law *wl = &work->laws[l];
    ss_law_at at = law_at(work, law, dt, true);
    double *P = work->added + law->offset;
    bool impressed = wl->level == SS_LEVEL_IMPRESSED;
    if (impressed && !law->ops->impressed)
        return ss_fail_at(work->model->context, SS_INPUT, law->object.where,
                          "%s: it is impressed, but its type has no function 'impressed'",
                          law->object.owner);
    if (!impressed && !law->ops->added)
        return SS_OK;
    SS_TRY((impressed ? law->ops->impressed : law->ops->added)(law->object.self, &at, P));
    wl->added = P;
    push(work, law, P, impulse);
    return SS_OK;
}

void ss_work_law_directions(ss_work *work, const ss_law *law)
{
    const ss_element *element = &work->model->elements[law->element];
    ss_work_element *we = &work->elements[law->element];
    for (int k = 0; k < element->touched.count; k++) {
        int s = element->touched.systems[k], nu = work->model->systems[s].nu;
        for (int row = law->row; row < law->row + law->dim; row++) {
            double *x = we->MinvW[k] + row * nu;
            memcpy(x, we->W[k] + row * nu, (size_t)nu * sizeof *x);
            ss_work_solve_system(work, s, x);
        }
    }
}

static void add_factors(ss_work *work, const ss_law *law, int block)
{
    const ss_element *element = &work->model->elements[law->element];
    const ss_work_element *we = &work->elements[law->element];
    int n = work->factor_start[block];
    for (int k = 0; k < element->touched.count; k++) {
        const ss_system *system = &work->model->systems[element->touched.systems[k]];
        work->factors[n++] = (ss_factor){
            .u_offset = system->u_offset,
            .nu = system->nu,
            .W = we->W[k] + law->row * system->nu,
            .MinvW = we->MinvW[k] + law->row * system->nu,
        };
    }
    work->factor_start[block + 1] = n;
}

/* Row `row` of ε γ_B with the element's full matrix; an open contact has no part in an impact. */
static double coupled_back(const ss_work *work, int e, int row)
{
    const ss_element *element = &work->model->elements[e];
    const ss_work_element *we = &work->elements[e];
    double back = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *law = &work->model->laws[element->laws[i]];
        if (work->laws[element->laws[i]].level != SS_LEVEL_ACTIVE)
            continue;
        for (int j = law->row; j < law->row + law->dim; j++)
            back += we->epsilon[row * element->rows + j] * we->gamma_B[j];
    }
    return back;
}

/* b = ζ + ε γ_B + correction, so that Wᵀu_E + b = γ_E + ε γ_B + correction (S5.52, S7.3). */
static ss_status right_side(ss_work *work, const ss_law *law, const ss_law_at *at, double *b)
{
    const ss_work_element *we = &work->elements[law->element];
    for (int i = 0; i < law->dim; i++)
        b[i] = 0;
    if (law->ops->correction)
        SS_TRY(law->ops->correction(law->object.self, at, b));
    for (int i = 0; i < law->dim; i++) {
        double back = we->epsilon ? coupled_back(work, law->element, law->row + i)
                                  : law->epsilon[i] * at->gamma[i];
        b[i] += we->zeta[law->row + i] + back;
    }
    return SS_OK;
}

static ss_status add_block(ss_work *work, int l, double dt)
{
    const ss_law *law = &work->model->laws[l];
    ss_inclusion *inclusion = &work->inclusion;
    ss_law_at at = law_at(work, law, dt, true);
    ss_law_set set = {0};
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    if (set.set->dim != law->dim || !(set.scale >= 0))
        return ss_fail_at(work->model->context, SS_INPUT, law->object.where,
                          "%s: its set has dimension %d and scale %g; wanted are %d and a number >= 0",
                          law->object.owner, set.set->dim, set.scale, law->dim);
    int block = inclusion->n_blocks++;
    work->laws[l].block = block;
    work->block_law[block] = l;
    work->blocks[block] = (ss_block){
        .set = set.set,
        .offset = inclusion->n_rows,
        .dim = law->dim,
        .scale_from = -1,
        .scale = set.scale,
        .r = law->r,
    };
    SS_TRY(right_side(work, law, &at, inclusion->b + inclusion->n_rows));
    inclusion->n_rows += law->dim;
    ss_work_law_directions(work, law);
    add_factors(work, law, block);
    return SS_OK;
}

/* Radii that depend on other laws: on a block of the inclusion, or on a percussion that is known. */
static void couple_blocks(ss_work *work)
{
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        int from = work->model->laws[work->block_law[i]].scale_from;
        if (from < 0)
            continue;
        const ss_work_law *source = &work->laws[from];
        if (source->block >= 0)
            work->blocks[i].scale_from = source->block;
        else
            work->blocks[i].scale *= source->added[0] < 0 ? -source->added[0] : source->added[0];
    }
}

ss_status ss_work_laws(ss_work *work, double dt, const double *u_B, double *impulse)
{
    const ss_model *model = work->model;
    SS_TRY(find_levels(work, dt));
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_element *element = &model->elements[e];
        ss_work_element *we = &work->elements[e];
        if (!ss_work_element_at_work(work, e))
            continue;
        SS_TRY(ss_work_element_directions(work, e));
        ss_work_element_velocity(work, e, u_B, we->gamma_B);
        if (element->ops->restitution)
            SS_TRY(element->ops->restitution(element->object.self, &we->at, we->epsilon));
    }
    work->inclusion.n_blocks = work->inclusion.n_rows = 0;
    for (int l = 0; l < model->n_laws.count; l++) {
        if (work->laws[l].level != SS_LEVEL_INACTIVE)
            SS_TRY(known_percussions(work, l, dt, impulse));
        if (work->laws[l].level == SS_LEVEL_ACTIVE)
            SS_TRY(add_block(work, l, dt));
    }
    couple_blocks(work);
    return SS_OK;
}
