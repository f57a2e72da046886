/* gain.c: impacts that add energy.
 *
 * In a step with the smooth velocity change δ = u_free - u_B, row i obeys -(γ_E + ε γ_B) ∈ N(P)
 * with γ_E = γ_B + Wᵀδ + G P. That is the impact of γ_B' = γ_B + Wᵀδ/(1 + ε) into γ_E' = γ_B' + G P
 * without smooth forces. What it takes out is
 *
 *     D = -Pᵀ (γ_B' + γ_E')/2 = -Pᵀ (γ_B + γ_E + Δ Wᵀδ)/2,   Δ = (1 - ε)/(1 + ε),
 *
 * at least ½ Pᵀ Δ G P: never negative when ΔG is positive semidefinite (Leine & Baumann,
 * theorem 3), above all for equal ε, whatever the smooth forces and the step size. */
#include "assembly/sources/contacts.h"
#include "base/union_find.h"

#include <float.h>
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

/* Whether a factor's system is moved at all. */
static bool is_moved(const ss_factor *F, int dim)
{
    for (int k = 0; k < F->nu * dim; k++)
        if (F->MinvW[k] != 0)
            return true;
    return false;
}

static void leave_alone(ss_work *work, int u)
{
    work->group[u] = u;
    work->gain[u] = work->size[u] = 0;
}

static void begin(ss_work *work)
{
    for (int s = 0; s < work->model->n_systems.count; s++)
        if (work->model->systems[s].nu > 0)
            leave_alone(work, work->model->systems[s].u_offset);
}

/* ROUND and BODY contacts. */
static void join_contacts(ss_work *work)
{
    const struct ss_work_contacts *c = work->contacts;
    for (int i = 0; i < c->n; i++) {
        int a = ss_work_moved_at(work, c->found[i].a), b = ss_work_moved_at(work, c->found[i].b);
        if (c->store.contacts[i].form != SS_ROW_GENERAL && a >= 0 && b >= 0)
            ss_union_join(work->group, a, b);
    }
}

void ss_work_join_systems(ss_work *work)
{
    const ss_inclusion *inclusion = &work->inclusion;
    begin(work);
    if (work->contacts && work->contacts->forms)
        join_contacts(work);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int first = -1;
        for (int k = inclusion->factor_start[i]; k < inclusion->factor_start[i + 1]; k++) {
            const ss_factor *F = &inclusion->factors[k];
            if (!is_moved(F, inclusion->blocks[i].dim))
                continue;
            first = first < 0 ? F->u_offset : first;
            ss_union_join(work->group, first, F->u_offset);
        }
    }
}

bool ss_work_has_gains(const ss_work *work)
{
    return work->any_elastic && work->form == SS_FORM_VELOCITY;
}

int ss_work_block_group(const ss_work *work, int i)
{
    const ss_inclusion *inclusion = &work->inclusion;
    for (int k = inclusion->factor_start[i]; k < inclusion->factor_start[i + 1]; k++)
        if (is_moved(&inclusion->factors[k], inclusion->blocks[i].dim))
            return ss_union_root(work->group, inclusion->factors[k].u_offset);
    return -1;
}

/* Rounding of γ of row k of a block, a difference of velocities that may be much larger. */
static double rounding_of(const ss_inclusion *inclusion, int i, int k, const double *u)
{
    double sum = 0;
    for (int f = inclusion->factor_start[i]; f < inclusion->factor_start[i + 1]; f++) {
        const ss_factor *F = &inclusion->factors[f];
        for (int j = 0; j < F->nu; j++)
            sum += fabs(F->W[k * F->nu + j] * u[F->u_offset + j]);
    }
    return 4 * DBL_EPSILON * sum;
}

/* One law's part of -D. What cannot be told from an impact counts as noise: rounding, smooth forces where a
 * full restitution matrix takes the place of Δ, and the stabilization of constraints. */
static void add_block(ss_work *work, int i, const double *u_B, const double *u_E)
{
    const ss_law *law = &work->table.laws[work->block_law[i]];
    const ss_work_element *we = &work->elements[law->element];
    bool contact = ss_element_rule(&work->table.elements[law->element]) != NULL;
    bool matrix = !contact && we->epsilon;
    const ss_block *B = &work->blocks[i];
    int group = ss_work_block_group(work, i);
    double free[SS_SET_MAX_DIM], before[SS_SET_MAX_DIM], after[SS_SET_MAX_DIM];
    if (group < 0)
        return;
    ss_inclusion_velocity(&work->inclusion, NULL, work->inclusion.u_free, i, free);
    ss_inclusion_velocity(&work->inclusion, NULL, u_B, i, before);
    ss_inclusion_velocity(&work->inclusion, NULL, u_E, i, after);
    for (int k = 0; k < B->dim; k++) {
        double b = work->inclusion.b[B->offset + k], zeta = contact ? 0 : we->zeta[law->row + k];
        double P = work->P[B->offset + k], smooth = free[k] - before[k];
        double gamma_B = before[k] - b + zeta, gamma_E = after[k] - b + zeta;
        double epsilon = ss_work_restitution(work, law, k);
        double Delta = matrix ? 0 : (1 - epsilon) / (1 + epsilon);
        double stabilizing = b - zeta - epsilon * gamma_B;
        work->gain[group] += P * (gamma_B + gamma_E + Delta * smooth) / 2;
        work->size[group] += fabs(P) * (fabs(gamma_B) + fabs(gamma_E) + fabs(smooth)) / 2;
        work->gain[group] -= fabs(P) * (rounding_of(&work->inclusion, i, k, u_B) +
                                        rounding_of(&work->inclusion, i, k, u_E));
        if (matrix || (law->ops->flags & SS_LAW_CORRECTED))
            work->gain[group] -= fabs(P * (matrix ? smooth : stabilizing));
    }
}

/* Counts a group once. */
static void count_group(ss_work *work, int group, const ss_residual *residual, ss_statistics *sums)
{
    ss_count_gain(work->gain[group], work->size[group], residual, sums);
    work->gain[group] = 0;
}

void ss_work_add_gain(ss_work *work, int a, int b, double gain, double size)
{
    if (a < 0 && b < 0)
        return;
    int group = ss_union_root(work->group, a < 0 ? b : a);
    work->gain[group] += gain;
    work->size[group] += size;
}

void ss_work_count_gain(ss_work *work, const double *u_B, const double *u_E,
                        const ss_residual *residual, ss_statistics *sums)
{
    if (!ss_work_has_gains(work))
        return;
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        add_block(work, i, u_B, u_E);
    for (int s = 0; s < work->model->n_systems.count; s++)
        if (work->model->systems[s].nu > 0)
            count_group(work, ss_union_root(work->group, work->model->systems[s].u_offset),
                        residual, sums);
}
