/* element_finish.c: impulses of elements: the first guess, and back to their laws. */
#include "assembly/sources/source.h"

#include <string.h>

ss_status ss_elements_guess(ss_work *work, const ss_state *B)
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
        ss_law_at at = {work->t, ss_state_dt(B), law->dim, we->g + law->row,
                        we->gamma_B + law->row};
        if (law->ops->guess)
            SS_TRY(law->ops->guess(law->object.self, &at, P));
    }
    return SS_OK;
}

static int sign_of(double x)
{
    return x < 0 ? -1 : 1;
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
    if (law->ops->drive) {
        ss_law_at at = ss_work_law_at(work, law, dt, true);
        SS_TRY(law->ops->drive(law->object.self, &at, &v, &a));
    }
    *mode = sign_of(gamma_E[0] - v);
    return SS_OK;
}

/* Mean velocity of a row that comes from outside. */
static double outside(const ss_work *work, const ss_law *law, int i, const double *u_B,
                      const double *u_E)
{
    return (ss_work_outside_velocity(work, law->element, law->row + i, u_B) +
            ss_work_outside_velocity(work, law->element, law->row + i, u_E)) /
           2;
}

/* What the impulse's work Pᵀγ̄ is. */
static ss_status account(const ss_work *work, int l, double dt, const double *P,
                         const double *middle, ss_statistics *sums)
{
    const ss_law *law = &work->table.laws[l];
    if (law->ops->work) {
        double load = 0, lost = 0;
        ss_law_at at = ss_work_law_at(work, law, dt, true);
        SS_TRY(law->ops->work(law->object.self, &at, P, middle, &load, &lost));
        sums->load_work += load;
        sums->dissipated += lost;
        return SS_OK;
    }
    if (work->laws[l].level == SS_LEVEL_IMPRESSED && law->ops->potential)
        return SS_OK;
    for (int i = 0; i < law->dim; i++)
        sums->dissipated -= P[i] * middle[i];
    return SS_OK;
}

/* Impulse, mode and dissipation of one law. P γ̄ is what the law takes out; ζ and prescribed motions are from outside. */
static ss_status finish_law(ss_work *work, int l, double dt, const double *u_B, ss_state *E)
{
    const ss_law *law = &work->table.laws[l];
    const ss_work_law *wl = &work->laws[l];
    ss_statistics *sums = ss_state_edit_statistics(E);
    const ss_work_element *we = &work->elements[law->element];
    const double *gamma_B = we->gamma_B + law->row, *gamma_E = we->gamma_E + law->row;
    double *P = ss_state_edit_P(E) + law->offset;
    memset(P, 0, (size_t)law->dim * sizeof *P);
    if (wl->level != SS_LEVEL_INACTIVE) {
        if (wl->block >= 0)
            memcpy(P, work->P + work->blocks[wl->block].offset, (size_t)law->dim * sizeof *P);
        double middle[SS_SET_MAX_DIM];
        for (int i = 0; i < law->dim; i++) {
            P[i] += wl->added ? wl->added[i] : 0;
            middle[i] = (gamma_B[i] + gamma_E[i]) / 2;
            sums->load_work -= P[i] * outside(work, law, i, u_B, ss_state_u(E));
        }
        SS_TRY(account(work, l, dt, P, middle, sums));
    }
    return find_mode(work, l, dt, gamma_E, ss_state_edit_mode(E) + l);
}

ss_status ss_elements_finish(ss_work *work, double dt, const double *u_B, ss_state *E)
{
    const ss_table *table = &work->table;
    for (int e = 0; e < table->n_elements; e++)
        if (ss_work_element_at_work(work, e))
            ss_work_element_velocity(work, e, ss_state_u(E), work->elements[e].gamma_E);
    for (int l = 0; l < table->n_laws; l++)
        SS_TRY(finish_law(work, l, dt, u_B, E));
    return SS_OK;
}
