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

/* Blocks of elements that know their systems; those of touches come behind. */
static int n_blocks(const ss_work *work)
{
    return work->contacts ? work->contacts->first_block : work->inclusion.n_blocks;
}

/* Systems that percussions join share an impact. */
static void join_systems(ss_work *work)
{
    const ss_model *model = work->model;
    for (int s = 0; s < model->n_systems.count; s++) {
        work->group[s] = s;
        work->gain[s] = work->size[s] = 0;
    }
    for (int i = 0; i < n_blocks(work); i++) {
        const ss_element *element = &model->elements[model->laws[work->block_law[i]].element];
        int first = group_of(work, element->touched.systems[0]);
        for (int k = 1; k < element->touched.count; k++) {
            int other = group_of(work, element->touched.systems[k]);
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
static void add_block(ss_work *work, int i)
{
    const ss_law *law = &work->model->laws[work->block_law[i]];
    const ss_element *element = &work->model->elements[law->element];
    const ss_work_element *we = &work->elements[law->element];
    const ss_block *B = &work->blocks[i];
    int group = group_of(work, element->touched.systems[0]);
    double free[SS_SET_MAX_DIM];
    ss_inclusion_velocity(&work->inclusion, NULL, work->inclusion.u_free, i, free);
    for (int k = 0; k < B->dim; k++) {
        int row = law->row + k;
        double P = work->P[B->offset + k], gamma_B = we->gamma_B[row], gamma_E = we->gamma_E[row];
        double smooth = free[k] - work->inclusion.b[B->offset + k] - (gamma_B - we->zeta[row]);
        double Delta = we->epsilon ? 0 : (1 - law->epsilon[k]) / (1 + law->epsilon[k]);
        work->gain[group] += P * (gamma_B + gamma_E + Delta * smooth) / 2;
        work->size[group] += fabs(P) * (fabs(gamma_B) + fabs(gamma_E) + fabs(smooth)) / 2;
        double stabilizing = work->inclusion.b[B->offset + k] - we->zeta[row] -
                             (we->epsilon ? 0 : law->epsilon[k] * gamma_B);
        if (we->epsilon || law->ops->correction)
            work->gain[group] -= fabs(P * (we->epsilon ? smooth : stabilizing));
    }
}

void ss_work_count_gain(ss_work *work, const ss_residual *residual, ss_statistics *sums)
{
    if (!work->any_elastic || work->form != SS_FORM_VELOCITY)
        return;
    join_systems(work);
    for (int i = 0; i < n_blocks(work); i++)
        add_block(work, i);
    for (int s = 0; s < work->model->n_systems.count; s++)
        ss_count_gain(work->gain[s], work->size[s], residual, sums);
}
