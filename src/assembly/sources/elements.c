/* elements.c: the elements as a source of rows: gaps and levels of their laws, W, ζ and sets, impulses back. */
#include "assembly/sources/source.h"
#include "la/small.h"

#include <math.h>
#include <string.h>

/* ---- Gaps, distances, and which laws are active ---- */

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

/* Laws of candidates have other numbers in the next step. */
static ss_slip slip_before(const ss_work *work, const ss_law *law)
{
    int l = (int)(law - work->table.laws);
    if (!work->before || l >= work->model->n_laws.count)
        return SS_SLIP_UNKNOWN;
    return work->before[l] == 0 ? SS_SLIP_STICKS : SS_SLIP_SLIDES;
}

ss_law_at ss_work_law_at(const ss_work *work, const ss_law *law, double dt, bool velocities)
{
    const ss_work_element *we = &work->elements[law->element];
    const ss_at *own = work->laws[law - work->table.laws].at;
    return (ss_law_at){
        .t = work->t,
        .dt = dt,
        .dim = law->dim,
        .g = we->g + law->row,
        .gamma = velocities ? we->gamma_B + law->row : NULL,
        .cache = own->cache,
        .size = ss_work_gap_size(work, (int)(law - work->table.laws)),
        .q = own->q,
        .u = own->u,
        .slip = slip_before(work, law),
    };
}

ss_status ss_work_find_side(ss_work *work, const ss_law *law)
{
    ss_law_at at = ss_work_law_at(work, law, 0, false);
    memcpy(work->side_g + law->offset, at.g, (size_t)law->dim * sizeof *at.g);
    return law->ops->distance(law->object.self, &at, work->side_d + law->offset);
}

ss_status ss_work_distances(ss_work *work, double *d)
{
    const ss_table *table = &work->table;
    memset(d, 0, (size_t)table->n_rows * sizeof *d);
    SS_TRY(ss_work_gaps(work));
    for (int l = 0; l < table->n_laws; l++)
        if (ss_law_has_distance(&table->laws[l])) {
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
        for (int i = law->offset; ss_law_has_distance(law) && i < law->offset + law->dim; i++)
            d[i] = work->side_d[i] + (g[i - law->offset] - work->side_g[i]);
    }
    return SS_OK;
}

static ss_status level_of(ss_work *work, const ss_law_form *form, double dt, int l)
{
    const ss_law *law = &work->table.laws[l];
    ss_work_law *wl = &work->laws[l];
    *wl = (ss_work_law){.level = SS_LEVEL_ACTIVE, .block = -1, .at = wl->at};
    wl->displaced = ss_work_is_displaced(work, form, l);
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
    if (!wl->displaced)
        SS_TRY(ss_law_level(law, &at, &wl->level));
    if (form->near > 0 && wl->level == SS_LEVEL_INACTIVE && ss_law_has_distance(law)) {
        SS_TRY(ss_work_find_side(work, law));
        for (int i = law->offset; i < law->offset + law->dim; i++)
            if (fabs(work->side_d[i]) <= form->near)
                wl->level = SS_LEVEL_ACTIVE;
    }
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

ss_status ss_work_find_restitution(ss_work *work, int l)
{
    const ss_law *law = &work->table.laws[l];
    if (!law->restitution)
        return SS_OK;
    ss_law_at at = ss_work_law_at(work, law, 0, true);
    return ss_law_restitution(work->model, law, &at, work->restitution + law->offset);
}

double ss_work_restitution(const ss_work *work, const ss_law *law, int i)
{
    return work->inelastic && work->inelastic[law - work->table.laws]
               ? 0
               : work->restitution[law->offset + i];
}

/* ---- Rows of the active laws ---- */

ss_status ss_work_element_directions(ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    ss_work_element *we = &work->elements[e];
    SS_TRY(element->ops->W(element->object.self, &we->at, we->W));
    if (element->ops->zeta)
        SS_TRY(element->ops->zeta(element->object.self, &we->at, we->zeta));
    return SS_OK;
}

void ss_work_element_velocity(const ss_work *work, int e, const double *u, double *gamma)
{
    const ss_element *element = &work->table.elements[e];
    const ss_work_element *we = &work->elements[e];
    for (int row = 0; row < element->rows; row++) {
        double sum = we->zeta[row];
        for (int k = 0; k < element->connected.count; k++) {
            const ss_system *system = &work->model->systems[element->connected.systems[k]];
            const double *w = we->W[k] + row * system->nu;
            const double *us = u + system->u_offset;
            for (int j = 0; j < system->nu; j++)
                sum += w[j] * us[j];
        }
        gamma[row] = sum;
    }
}

double ss_work_outside_velocity(const ss_work *work, int e, int row, const double *u)
{
    const ss_element *element = &work->table.elements[e];
    const ss_work_element *we = &work->elements[e];
    double sum = we->zeta[row];
    for (int k = 0; work->model->prescribed && k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        if (system->prescribed)
            sum += ss_dot(system->nu, we->W[k] + row * system->nu, u + system->u_offset);
    }
    return sum;
}

bool ss_work_element_at_work(const ss_work *work, int e)
{
    const ss_element *element = &work->table.elements[e];
    for (int i = 0; i < element->n_laws; i++)
        if (work->laws[element->laws[i]].level != SS_LEVEL_INACTIVE)
            return true;
    return false;
}

void ss_work_apply_law(const ss_work *work, const ss_law *law, const double *P, double *impulse)
{
    const ss_element *element = &work->table.elements[law->element];
    const ss_work_element *we = &work->elements[law->element];
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        for (int row = 0; row < law->dim; row++) {
            const double *w = we->W[k] + (law->row + row) * system->nu;
            for (int j = 0; j < system->nu; j++)
                impulse[system->u_offset + j] += w[j] * P[row];
        }
    }
}

/* Impulses that are known beforehand: of impressed laws, and those added beside the set-valued
 * ones. */
static ss_status known_impulses(ss_work *work, const ss_law_form *form, int l, double dt,
                                double *impulse)
{
    const ss_law *law = &work->table.laws[l];
    ss_work_law *wl = &work->laws[l];
    ss_law_at at = ss_work_law_at(work, law, dt, true);
    double *P = work->added + law->offset;
    bool impressed = wl->level == SS_LEVEL_IMPRESSED;
    if (impressed && !(law->flags & SS_LAW_IMPRESSED))
        return ss_fail_at(work->model->context, SS_INPUT, law->object.where,
                          "%s: it is impressed, but its type has no function 'impressed'",
                          law->object.owner);
    if (!impressed && !(law->flags & SS_LAW_ADDED))
        return SS_OK;
    SS_TRY((impressed ? law->ops->impressed : law->ops->added)(law->object.self, &at, P));
    wl->added = P;
    wl->slope = 0;
    bool linearized = law->flags & SS_LAW_DERIVATIVES;
    if (linearized) {
        double dg, dgamma;
        SS_TRY(law->ops->derivatives(law->object.self, &at, &dg, &dgamma));
        P[0] += form->springs.ahead * dt * dt * dg * at.gamma[0];
        wl->slope = dt * (form->springs.moved * dt * dg + form->springs.turned * dgamma);
    }
    if (!(linearized && form->springs.in_h))
        ss_work_apply_law(work, law, P, impulse);
    return SS_OK;
}

void ss_work_law_directions(ss_work *work, const ss_law *law)
{
    const ss_element *element = &work->table.elements[law->element];
    ss_work_element *we = &work->elements[law->element];
    for (int k = 0; k < element->connected.count; k++) {
        int s = element->connected.systems[k], nu = work->model->systems[s].nu;
        if (work->modified && work->clusters[work->cluster_of[s]].modified)
            continue;
        for (int row = law->row; row < law->row + law->dim; row++) {
            double *x = we->MinvW[k] + row * nu;
            memcpy(x, we->W[k] + row * nu, (size_t)nu * sizeof *x);
            ss_work_solve_system(work, s, x);
        }
    }
    if (work->modified)
        ss_work_solve_modified(work, law);
}

static bool all_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* What neither moves nor is moved is left out: rows of a formula that is zero for now have no factors. */
static void add_factor(ss_work *work, int block, int dim, ss_factor factor)
{
    int *end = &work->factor_start[block + 1];
    if (!all_zero(factor.nu * dim, factor.W) || !all_zero(factor.nu * dim, factor.MinvW))
        work->factors[(*end)++] = factor;
}

/* With M̂ a push moves all of the clusters it contacts. */
static void add_factors(ss_work *work, const ss_law *law, int block)
{
    const ss_element *element = &work->table.elements[law->element];
    const ss_work_element *we = &work->elements[law->element];
    work->factor_start[block + 1] = work->factor_start[block];
    for (int k = 0; k < element->connected.count; k++) {
        int s = element->connected.systems[k];
        const ss_system *system = &work->model->systems[s];
        if (work->modified && work->clusters[work->cluster_of[s]].modified)
            continue;
        add_factor(work, block, law->dim,
                   (ss_factor){.u_offset = system->u_offset,
                               .nu = system->nu,
                               .W = we->W[k] + law->row * system->nu,
                               .MinvW = we->MinvW[k] + law->row * system->nu});
    }
    for (int k = 0; work->modified && k < we->n_span; k++) {
        const ss_span *span = &we->span[k];
        int nu = span->piece->nu;
        if (work->clusters[span->cluster].modified)
            add_factor(work, block, law->dim,
                       (ss_factor){.u_offset = span->piece->u_offset,
                                   .nu = nu,
                                   .W = span->W + law->row * nu,
                                   .MinvW = span->MinvW + law->row * nu});
    }
}

double ss_work_coupled_restitution(const ss_work *work, int e, int row)
{
    const ss_element *element = &work->table.elements[e];
    const ss_work_element *we = &work->elements[e];
    double back = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *law = &work->table.laws[element->laws[i]];
        bool active = work->laws[element->laws[i]].level == SS_LEVEL_ACTIVE;
        for (int j = law->row; active && j < law->row + law->dim; j++)
            back += we->epsilon[row * element->rows + j] * we->gamma_B[j];
    }
    return back;
}

/* ε γ_B of row i of a law, or what a scheme has in its place. */
static double back(const ss_work *work, const ss_law_form *form, const ss_law *law,
                   const ss_law_at *at, int i)
{
    if (form->kind == SS_FORM_IMPACT)
        return 0;
    if (form->kind == SS_FORM_AVERAGE)
        return form->average * at->gamma[i];
    return work->elements[law->element].epsilon
               ? ss_work_coupled_restitution(work, law->element, law->row + i)
               : ss_work_restitution(work, law, i) * at->gamma[i];
}

/* d/Δt with d kept on the open side when the form wants it (S5.57). */
static void displacement(ss_work *work, const ss_law_form *form, const ss_law *law,
                         const ss_law_at *at, const ss_set *set, double *b)
{
    const double *d = form->distance ? form->distance : work->side_d;
    memcpy(b, d + law->offset, (size_t)law->dim * sizeof *b);
    double up[1] = {1}, down[1] = {-1};
    bool clamp = form->clamp || (form->clamp_elastic &&
                                 ss_law_is_elastic(&work->table.elements[law->element], law));
    bool one = law->dim == 1 && clamp;
    bool above = one && !ss_set_contains(set, 1, down, 0),
         below = one && !ss_set_contains(set, 1, up, 0);
    for (int i = 0; i < law->dim; i++) {
        b[i] += form->shift * at->dt * at->gamma[i];
        if ((above && b[i] < 0) || (below && b[i] > 0))
            b[i] = 0;
        if (form->kind != SS_FORM_PROJECTION)
            b[i] = b[i] / at->dt + work->elements[law->element].zeta[law->row + i];
    }
}

/* Wᵀ(u_E - u_B) + Δt (ζ̂ + 2a γ + a² g): index-1, and Baumgarte's stabilization (S5.8,
 * S5.1.3.1). */
static ss_status acceleration(ss_work *work, const ss_law_form *form, const ss_law *law,
                              const ss_law_at *at, const double *u_B, double *b)
{
    const ss_work_element *we = &work->elements[law->element];
    double a = form->baumgarte, *zeta_hat = work->row_scratch;
    SS_TRY(ss_work_element_bias(work, law->element, u_B, zeta_hat));
    for (int i = 0; i < law->dim; i++) {
        double rate = zeta_hat[law->row + i] + 2 * a * at->gamma[i] + a * a * at->g[i];
        b[i] = we->zeta[law->row + i] - at->gamma[i] + at->dt * rate;
    }
    return SS_OK;
}

/* b, so that Wᵀu_E + b = γ_E + ε γ_B + correction (S5.52, S7.3), or what the form says instead. */
static ss_status right_side(ss_work *work, const ss_law_form *form, int l, const ss_law_at *at,
                            const ss_set *set, const double *u_B, double *b)
{
    const ss_law *law = &work->table.laws[l];
    const ss_work_element *we = &work->elements[law->element];
    if (work->laws[l].displaced) {
        displacement(work, form, law, at, set, b);
        return SS_OK;
    }
    if (form->kind == SS_FORM_ACCELERATION && law->ops->law_class == SS_LAW_BILATERAL)
        return acceleration(work, form, law, at, u_B, b);
    for (int i = 0; i < law->dim; i++)
        b[i] = 0;
    bool constraint = ss_law_is_constraint(law);
    bool impact = form->kind == SS_FORM_IMPACT &&
                  law->ops->law_class != SS_LAW_DRIVE; /* takes out no drift */
    if ((law->flags & SS_LAW_CORRECTED) && !impact && !(constraint && work->uncorrected))
        SS_TRY(law->ops->correction(law->object.self, at, b));
    double share = form->kind == SS_FORM_AVERAGE ? 1 + form->average : 1; /* of the mean velocity */
    for (int i = 0; i < law->dim; i++)
        b[i] = share * b[i] + we->zeta[law->row + i] + back(work, form, law, at, i);
    return SS_OK;
}

static ss_status add_block(ss_work *work, const ss_law_form *form, int l, double dt,
                           const double *u_B)
{
    const ss_law *law = &work->table.laws[l];
    ss_inclusion *inclusion = &work->inclusion;
    ss_law_at at = ss_work_law_at(work, law, dt, true);
    ss_law_set set = {0};
    if (work->laws[l].displaced && !form->distance)
        SS_TRY(ss_work_find_side(work, law));
    if (work->laws[l].displaced)
        at.g = work->side_g + law->offset;
    SS_TRY(law->ops->set(law->object.self, &at, &set));
    if (set.set->dim != law->dim || !(set.scale >= 0))
        return ss_fail_at(
            work->model->context, SS_INPUT, law->object.where,
            "%s: its set has dimension %d and scale %g; wanted are %d and a number >= 0",
            law->object.owner, set.set->dim, set.scale, law->dim);
    int block = inclusion->n_blocks++;
    work->laws[l].block = block;
    work->laws[l].unit_load = set.scale;
    work->block_law[block] = l;
    work->blocks[block] = (ss_block){
        .set = set.set,
        .offset = inclusion->n_rows,
        .dim = law->dim,
        .scale_from = -1,
        .scale = law->load_group < 0 ? set.scale : 0,
        .r = law->r,
        .rigidity = law->rigidity,
    };
    SS_TRY(right_side(work, form, l, &at, set.set, u_B, inclusion->b + inclusion->n_rows));
    inclusion->n_rows += law->dim;
    ss_work_law_directions(work, law);
    add_factors(work, law, block);
    return SS_OK;
}

static ss_status fill(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                      double *impulse)
{
    const ss_table *table = &work->table;
    if (form->keep_levels)
        SS_TRY(ss_work_gaps(work));
    else
        SS_TRY(ss_work_levels(work, form, dt));
    for (int e = 0; e < table->n_elements; e++) { /* W, ζ and γ_B of those that matter */
        const ss_element *element = &table->elements[e];
        ss_work_element *we = &work->elements[e];
        if (!ss_work_element_at_work(work, e))
            continue;
        SS_TRY(ss_work_element_directions(work, e));
        ss_work_element_velocity(work, e, u_B, we->gamma_B);
        if (element->ops->restitution)
            SS_TRY(element->ops->restitution(element->object.self, &we->at, we->epsilon));
    }
    for (int l = 0; l < table->n_laws; l++) {
        work->laws[l].block = -1;
        work->laws[l].added = NULL;
        if (work->laws[l].level == SS_LEVEL_ACTIVE)
            SS_TRY(ss_work_find_restitution(work, l));
        if (work->laws[l].level != SS_LEVEL_INACTIVE && impulse)
            SS_TRY(known_impulses(work, form, l, dt, impulse));
        if (work->laws[l].level == SS_LEVEL_ACTIVE)
            SS_TRY(add_block(work, form, l, dt, u_B));
    }
    work->n_element_blocks = work->inclusion.n_blocks;
    for (int i = 0; i < work->n_element_blocks;
         i++) { /* radii that depend on other laws: on a block, */
        int from = table->laws[work->block_law[i]].scale_from;
        if (from >= 0 && work->laws[from].block >= 0)
            work->blocks[i].scale_from = work->laws[from].block;
        else if (from >= 0) /* or on an impulse that is known */
            work->blocks[i].scale *= fabs(work->laws[from].added[0]);
    }
    return SS_OK;
}

/* ---- Impulses: the first guess, and back to their laws ---- */

static ss_status guess(ss_work *work, const ss_state *B)
{
    int n_blocks = work->n_element_blocks;
    for (int i = 0; i < n_blocks; i++) {
        const ss_law *law = &work->table.laws[work->block_law[i]];
        const ss_work_element *we = &work->elements[law->element];
        double *P = work->P + work->blocks[i].offset;
        if (!B) {
            memset(P, 0, (size_t)law->dim * sizeof *P);
            continue;
        }
        const double *before = ss_state_P(B) + law->offset,
                     *added = work->laws[work->block_law[i]].added;
        for (int k = 0; k < law->dim; k++)
            P[k] = before[k] - (added ? added[k] : 0);
        ss_law_at at = {.t = work->t,
                        .dt = ss_state_dt(B),
                        .dim = law->dim,
                        .g = we->g + law->row,
                        .gamma = we->gamma_B + law->row};
        if (law->ops->guess)
            SS_TRY(law->ops->guess(law->object.self, &at, P));
    }
    return SS_OK;
}

/* Mode of a law: 0 constraint; ±1 impressed, with the direction of sliding for one kinematic row: that of what a motor misses its
 * speed by. */
static ss_status find_mode(const ss_work *work, int l, double dt, const double *gamma_E, int *mode)
{
    const ss_law *law = &work->table.laws[l];
    int block = work->laws[l].block;
    bool holds = block >= 0 && work->modes[block] == SS_MODE_CONSTRAINT;
    bool directed = law->dim == 1 && law->kind == SS_KINEMATIC && block >= 0;
    double v = 0, a;
    *mode = holds ? 0 : 1;
    if (holds || !directed)
        return SS_OK;
    if (law->ops->law_class == SS_LAW_DRIVE) {
        ss_law_at at = ss_work_law_at(work, law, dt, true);
        SS_TRY(law->ops->drive(law->object.self, &at, &v, &a));
    }
    *mode = gamma_E[0] - v < 0 ? -1 : 1;
    return SS_OK;
}

/* Impulse and mode of one law, and what its work Pᵀγ̄ is: dissipated, but for what its type says itself and for springs; ζ and
 * prescribed motions are from outside. */
static ss_status finish_law(ss_work *work, int l, double dt, const double *u_B, ss_state *E)
{
    const ss_law *law = &work->table.laws[l];
    const ss_work_law *wl = &work->laws[l];
    ss_statistics *sums = ss_state_edit_statistics(E);
    const ss_work_element *we = &work->elements[law->element];
    const double *gamma_B = we->gamma_B + law->row, *gamma_E = we->gamma_E + law->row;
    double *P = ss_state_edit_P(E) + law->offset, middle[SS_SET_MAX_DIM], used[SS_SET_MAX_DIM];
    double load = 0, lost = 0;
    memset(P, 0, (size_t)law->dim * sizeof *P);
    if (wl->level == SS_LEVEL_INACTIVE)
        return find_mode(work, l, dt, gamma_E, ss_state_edit_mode(E) + l);
    if (wl->block >= 0)
        memcpy(P, work->P + work->blocks[wl->block].offset, (size_t)law->dim * sizeof *P);
    for (int i = 0; i < law->dim; i++) {
        int row = law->row + i;
        double outside = (ss_work_outside_velocity(work, law->element, row, u_B) +
                          ss_work_outside_velocity(work, law->element, row, ss_state_u(E))) /
                         2;
        P[i] += wl->added ? wl->added[i] + wl->slope * (gamma_E[i] - gamma_B[i]) : 0;
        middle[i] = (gamma_B[i] + gamma_E[i]) / 2;
        used[i] = gamma_B[i] + (wl->added ? work->turned * (gamma_E[i] - gamma_B[i]) : 0);
        sums->load_work -= P[i] * outside;
    }
    if (law->flags & SS_LAW_WORK) {
        ss_law_at at = ss_work_law_at(work, law, dt, true);
        at.t = work->law_time;
        at.gamma = used;
        SS_TRY(law->ops->work(law->object.self, &at, P, middle, &load, &lost));
        sums->load_work += load;
        sums->dissipated += lost;
    } else if (!(wl->level == SS_LEVEL_IMPRESSED && (law->flags & SS_LAW_STORES_ENERGY))) {
        for (int i = 0; i < law->dim; i++)
            sums->dissipated -= P[i] * middle[i];
    }
    return find_mode(work, l, dt, gamma_E, ss_state_edit_mode(E) + l);
}

static ss_status finish(ss_work *work, double dt, const double *u_B, ss_state *E)
{
    for (int e = 0; e < work->table.n_elements; e++)
        if (ss_work_element_at_work(work, e))
            ss_work_element_velocity(work, e, ss_state_u(E), work->elements[e].gamma_E);
    for (int l = 0; l < work->table.n_laws; l++)
        SS_TRY(finish_law(work, l, dt, u_B, E));
    return SS_OK;
}

const ss_row_source ss_source_elements = {fill, guess, finish};
