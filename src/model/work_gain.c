/* work_gain.c: impacts that add energy.
 *
 * In a step with the smooth velocity change δ = u_free - u_B, row i obeys -(γ_E + ε γ_B) ∈ N(P)
 * with γ_E = γ_B + Wᵀδ + G P. That is the impact of γ_B' = γ_B + Wᵀδ/(1 + ε) into γ_E' = γ_B' + G P
 * without smooth forces. What it takes out is
 *
 *     D = -Pᵀ (γ_B' + γ_E')/2 = -Pᵀ (γ_B + γ_E + Δ Wᵀδ)/2,   Δ = (1 - ε)/(1 + ε),
 *
 * at least ½ Pᵀ Δ G P: never negative when ΔG is positive semidefinite (Leine & Baumann,
 * theorem 3), above all for equal ε, whatever the smooth forces and the step size. */
#include "model/work_contacts.h"

#include <math.h>

void ss_count_gain(double gain, double size, const ss_residual *residual, ss_statistics *sums)
{
    /* In parts of Σ |P| |γ|; and what the error of the solve makes of the energy of the load. */
    const double noticeable = 1e-6;
    double error = (100 * residual->absolute + 1e-12 * residual->reference) * residual->reference;
    if (!(gain > noticeable * size + error))
        return;
    sums->gains++;
    sums->gained += gain;
}

static int group_of(const ss_work *work, int system)
{
    while (work->group[system] != system)
        system = work->group[system];
    return system;
}

/* The systems that a block pushes. */
typedef struct pushed {
    int count;
    const int *systems;
    int two[2];
} pushed;

static pushed systems_of(const ss_work *work, int block)
{
    const ss_model *model = work->model;
    const ss_element *element = &model->elements[model->laws[work->block_law[block]].element];
    pushed p = {element->touched.count, element->touched.systems, {0}};
    if (!ss_element_rule(element))
        return p;
    const ss_contact *contact = &work->contacts->found[work->contacts->block_contact[block]];
    int a = model->shapes[contact->a].system, b = model->shapes[contact->b].system;
    if (a >= 0)
        p.two[p.count++] = a;
    if (b >= 0)
        p.two[p.count++] = b;
    return p;
}

static const int *list_of(const pushed *p)
{
    return p->systems ? p->systems : p->two;
}

/* Systems that percussions join share an impact. */
static void join_systems(ss_work *work)
{
    const ss_model *model = work->model;
    for (int s = 0; s < model->n_systems.count; s++) {
        work->group[s] = s;
        work->gain[s] = work->size[s] = 0;
    }
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        pushed p = systems_of(work, i);
        int first = group_of(work, list_of(&p)[0]);
        for (int k = 1; k < p.count; k++) {
            int other = group_of(work, list_of(&p)[k]);
            if (other < first) {
                work->group[first] = other;
                first = other;
            } else {
                work->group[other] = first;
            }
        }
    }
}

/* One law's part of -D. What cannot be told from an impact counts as noise: smooth forces where a
 * full restitution matrix takes the place of Δ, and the stabilization of constraints. */
static void add_block(ss_work *work, int i, const double *u_B, const double *u_E)
{
    const ss_law *law = &work->model->laws[work->block_law[i]];
    const ss_work_element *we = &work->elements[law->element];
    const ss_block *B = &work->blocks[i];
    pushed p = systems_of(work, i);
    int group = group_of(work, list_of(&p)[0]);
    double before[SS_SET_MAX_DIM], after[SS_SET_MAX_DIM], free[SS_SET_MAX_DIM];
    ss_inclusion_velocity(&work->inclusion, NULL, work->inclusion.u_free, i, free);
    ss_inclusion_velocity(&work->inclusion, NULL, u_B, i, before);
    ss_inclusion_velocity(&work->inclusion, NULL, u_E, i, after);
    for (int k = 0; k < B->dim; k++) {
        double P = work->P[B->offset + k], zeta = we->zeta[law->row + k];
        double b = work->inclusion.b[B->offset + k] - zeta;
        double gamma_B = before[k] - b, gamma_E = after[k] - b, smooth = free[k] - before[k];
        double Delta = we->epsilon ? 0 : (1 - law->epsilon[k]) / (1 + law->epsilon[k]);
        work->gain[group] += P * (gamma_B + gamma_E + Delta * smooth) / 2;
        work->size[group] += fabs(P) * (fabs(gamma_B) + fabs(gamma_E) + fabs(smooth)) / 2;
        double stabilizing = b - (we->epsilon ? 0 : law->epsilon[k] * gamma_B);
        if (we->epsilon || law->ops->correction)
            work->gain[group] -= fabs(P * (we->epsilon ? smooth : stabilizing));
    }
}

void ss_work_count_gain(ss_work *work, const double *u_B, const double *u_E,
                        const ss_residual *residual, ss_statistics *sums)
{
    if (!work->any_elastic || work->form != SS_FORM_VELOCITY)
        return;
    join_systems(work);
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        add_block(work, i, u_B, u_E);
    for (int s = 0; s < work->model->n_systems.count; s++)
        ss_count_gain(work->gain[s], work->size[s], residual, sums);
}
