/* event_impact.c: impacts by Newton's law, -(γ⁺ + ε γ⁻) ∈ N(P), or by Poisson's, for closed contacts, their friction and
 * constraints.
 *
 * Accumulation: let τ be the time since the last impact of a contact and τ' the one before it. When r = τ/τ' < 1, what is
 * left of a geometric sequence lasts τ r/(1 - r). As soon as that is less than the option `accumulation` the impact is
 * taken without restitution: the contact closes at once, earlier than the limit by less than `accumulation`. So is an
 * impact that follows the last one of the same contact within `accumulation`, whatever the sequence. Hybrid runs hand over to
 * time-stepping instead, with `handover` in the place of `accumulation`.
 */
#include "scheme/impact.h"
#include "simulation/event/event_driven.h"

#include <math.h>
#include <string.h>

static bool is_prescribed(const ss_event_driven *e, const ss_element *element)
{
    for (int k = 0; k < element->connected.count; k++)
        if (e->model->systems[element->connected.systems[k]].prescribed)
            return true;
    return false;
}

/* A motor without a limit, a joint of a body of prescribed motion, or a constraint by a formula, whose speed has jumped; or any
 * joint that the velocities of the start contradict. */
static bool is_behind(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    const ss_element *element = &e->model->elements[law->element];
    bool starts = ss_state_statistics(e->found)->tries == 0;
    return (starts || law->ops->drive || is_prescribed(e, element) ||
            ss_element_may_jump(element)) &&
           e->set[l].set->kind == SS_SET_FREE && !e->plain[l] && ss_event_speed(e, l) > e->slip;
}

static bool approaches(const ss_event_driven *e, int l)
{
    int side = ss_event_side(e, l);
    return is_behind(e, l) ||
           (side != 0 && e->touching[l] && side * e->gamma[e->model->laws[l].offset] < -e->slip);
}

static bool any_approaches(const ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (approaches(e, l))
            return true;
    return false;
}

/* Whether all impacts to come last no longer than `least`. */
static bool end_within(const ss_impact_memory *memory, double t, double least)
{
    double interval = t - memory->last, r = interval / memory->interval;
    if (memory->count >= 1 && interval > 0 && interval <= least)
        return true;
    if (memory->count < 2 || !(r < 1))
        return false;
    return interval * r / (1 - r) <= least;
}

static bool accumulates(const ss_event_driven *e, const ss_impact_memory *memory, double t)
{
    return !e->hybrid && end_within(memory, t, e->accumulation);
}

/* Hybrid runs: whether time-stepping takes over after this impact. */
static void find_handover(ss_event_driven *e, const ss_impact_memory *memory, double t)
{
    for (int l = 0; e->hybrid && l < e->size.n_laws; l++)
        if (approaches(e, l) && end_within(&memory[l], t, e->handover))
            e->hand_over = true;
}

/* Which laws take part. */
static void set_levels(ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        bool active = ss_event_side(e, l) == 0 || e->touching[l];
        e->work->laws[l] = (ss_work_law){.level = active ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE,
                                         .block = -1,
                                         .cache = e->work->laws[l].cache};
    }
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->model->laws[l].scale_from;
        if (from >= 0 && e->work->laws[from].level == SS_LEVEL_INACTIVE)
            e->work->laws[l].level = SS_LEVEL_INACTIVE;
    }
}

/* ε γ⁻ of row i of a law. A contact that already separates is not thrown back. */
static double back(const ss_event_driven *e, int l, int i)
{
    const ss_law *law = &e->model->laws[l];
    const ss_element *element = &e->model->elements[law->element];
    const ss_work_element *we = &e->work->elements[law->element];
    int side = ss_event_side(e, l);
    double sum = 0;
    if (side != 0 && !we->epsilon && side * we->gamma_B[law->row] >= 0)
        return 0;
    if (!we->epsilon)
        return law->epsilon[i] * we->gamma_B[law->row + i];
    for (int k = 0; k < element->n_laws; k++) {
        const ss_law *other = &e->model->laws[element->laws[k]];
        if (e->work->laws[element->laws[k]].level != SS_LEVEL_ACTIVE)
            continue;
        for (int j = other->row; j < other->row + other->dim; j++)
            sum += we->epsilon[(law->row + i) * element->rows + j] * we->gamma_B[j];
    }
    return sum;
}

/* Σ P γ̄ and Σ |P| |γ| of an impact. */
typedef struct impact_work {
    double gain, size;
} impact_work;

/* Work of one row of an impact: a motor brings it in, else it is lost. */
static void account_row(const ss_event_driven *e, int l, int i, double P, ss_statistics *sums,
                        impact_work *all)
{
    const ss_law *law = &e->model->laws[l];
    const ss_work_element *we = &e->work->elements[law->element];
    double before = we->gamma_B[law->row + i], after = we->gamma_E[law->row + i];
    if (law->ops->drive) {
        sums->load_work += P * (before + after) / 2;
        return;
    }
    sums->dissipated -= P * (before + after) / 2;
    all->gain += P * (before + after) / 2;
    all->size += fabs(P) * (fabs(before) + fabs(after)) / 2;
}

/* The part of γ of row i from outside, between the velocities u before and e->a after the impact. */
static double mean_outside(const ss_event_driven *e, const ss_law *law, int i, const double *u)
{
    int row = law->row + i;
    return (ss_work_outside_velocity(e->work, law->element, row, u) +
            ss_work_outside_velocity(e->work, law->element, row, e->a)) /
           2;
}

/* Impulses, dissipation, and what the laws remember. */
static void account(ss_event_driven *e, ss_state *state, ss_impact_memory *memory)
{
    ss_work *work = e->work;
    ss_statistics *sums = ss_state_edit_statistics(state);
    double t = ss_state_time(state);
    impact_work all = {0};
    for (int b = 0; b < work->inclusion.n_blocks; b++) {
        int l = work->block_law[b];
        const ss_law *law = &e->model->laws[l];
        const double *P = work->P + work->blocks[b].offset;
        for (int i = 0; i < law->dim; i++) {
            ss_state_edit_P(state)[law->offset + i] += P[i];
            account_row(e, l, i, P[i], sums, &all);
            sums->load_work -= P[i] * mean_outside(e, law, i, ss_state_u(state));
        }
        if (ss_event_side(e, l) == 0 || P[0] == 0)
            continue;
        ss_state_edit_mode(state)[l] = 0;
        ss_event_keep_distance(e, l);
        e->phase[l] = SS_PHASE_CLOSED;
        e->was_closed[l] = true;
        if (t > memory[l].last || memory[l].count == 0)
            memory[l] = (ss_impact_memory){memory[l].count + 1, t,
                                           memory[l].count ? t - memory[l].last : 0};
    }
    ss_count_gain(all.gain, all.size, &e->report.residual, sums);
}

/* Impacts that are weak beside the motion cannot be solved to the solver's relative tolerance: what is left is nothing
 * when its velocity counts as zero. */
static bool is_solved(const ss_event_driven *e)
{
    const ss_residual *residual = &e->report.residual;
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], largest = 0;
    if (ss_outcome_accepted(e->report.outcome) || residual->worst_block < 0)
        return true;
    int dim = e->work->blocks[residual->worst_block].dim;
    ss_inclusion_diagonal(&e->work->inclusion, residual->worst_block, G);
    for (int i = 0; i < dim; i++)
        largest = fmax(largest, G[i * dim + i]);
    return residual->absolute * sqrt(largest) < 0.1 * e->slip;
}

/* Newton's law: ε γ⁻ joins b. */
static void give_back(ss_event_driven *e, const ss_impact_memory *memory, double t)
{
    ss_work *work = e->work;
    for (int b = 0; b < work->inclusion.n_blocks; b++) {
        int l = work->block_law[b];
        for (int i = 0; i < work->blocks[b].dim; i++)
            work->inclusion.b[work->blocks[b].offset + i] +=
                accumulates(e, &memory[l], t) ? 0 : back(e, l, i);
    }
}

static ss_status solve_inclusion(ss_event_driven *e, const ss_state *state, const double *u)
{
    SS_TRY(ss_work_solve(e->work, NULL, u, e->a, &e->report));
    e->iterations += (uint64_t)e->report.iterations;
    if (is_solved(e)) {
        e->report.outcome = SS_CONVERGED;
        return SS_OK;
    }
    e->failures++;
    return ss_simulation_fail(e->simulation, state, 0, &e->report);
}

/* Poisson's law after the compression: the expansion, and the impulses of both together. */
static ss_status expand(ss_event_driven *e, const ss_state *state, const ss_impact_memory *memory)
{
    ss_work *work = e->work;
    double *compression = work->lag, *u = work->u_scratch;
    size_t rows = (size_t)work->inclusion.n_rows;
    for (int l = 0; l < e->size.n_laws; l++)
        e->hold[l] = accumulates(e, &memory[l], ss_state_time(state));
    memcpy(compression, work->P, rows * sizeof *compression);
    if (!ss_impact_begin_expansion(work, ss_state_u(state), 0, e->hold))
        return SS_OK;
    memcpy(u, e->a, (size_t)e->size.n_u * sizeof *u);
    SS_TRY(solve_inclusion(e, state, u));
    for (size_t k = 0; k < rows; k++)
        work->P[k] += compression[k];
    return SS_OK;
}

/* The velocities after the impact, in e->a, become those of the state. */
static void finish(ss_event_driven *e, ss_state *state, ss_impact_memory *memory)
{
    for (int i = 0; i < e->model->n_elements.count; i++)
        ss_work_element_velocity(e->work, i, e->a, e->work->elements[i].gamma_E);
    account(e, state, memory);
    memcpy(ss_state_edit_u(state), e->a, (size_t)e->size.n_u * sizeof *e->a);
}

static const ss_law_form impact_form = {.kind = SS_FORM_IMPACT, .keep_levels = true};

/* Prescribed velocities may jump: γ⁻ is with those of the state, before the jump, γ⁺ with those in e->u, after it. */
static ss_status solve(ss_event_driven *e, ss_state *state, ss_impact_memory *memory)
{
    set_levels(e);
    find_handover(e, memory, ss_state_time(state));
    SS_TRY(ss_work_laws_as(e->work, &impact_form, 0, ss_state_u(state), NULL));
    if (e->impact == SS_EVENT_NEWTON)
        give_back(e, memory, ss_state_time(state));
    SS_TRY(solve_inclusion(e, state, e->u));
    if (e->impact == SS_EVENT_POISSON)
        SS_TRY(expand(e, state, memory));
    finish(e, state, memory);
    return SS_OK;
}

ss_status ss_event_jam(ss_event_driven *e, ss_state *state, ss_impact_memory *memory, bool *hit)
{
    const double instant = 1e-12;
    const double *u = ss_state_u(state);
    double *u_free = e->a_free;
    int n_u = e->size.n_u;
    SS_TRY(ss_event_evaluate(e, ss_state_time(state), ss_state_q(state), u));
    ss_event_free_accelerations(e, u_free);
    for (int i = 0; i < n_u; i++)
        u_free[i] = u[i] + instant * u_free[i];
    set_levels(e);
    SS_TRY(ss_work_laws_as(e->work, &impact_form, 0, u, NULL));
    SS_TRY(solve_inclusion(e, state, u_free));
    *hit = false;
    for (int i = 0; i < n_u; i++) /* a impulse, and not the forces of an instant */
        *hit = *hit || fabs(e->a[i] - u[i]) > 1e3 * fabs(u_free[i] - u[i]) + e->slip;
    if (*hit)
        finish(e, state, memory);
    return SS_OK;
}

ss_status ss_event_impact(ss_event_driven *e, ss_state *state, ss_impact_memory *memory, bool *hit)
{
    enum { MOST_IMPACTS = 100 };
    double t = ss_state_time(state);
    *hit = false;
    for (int k = 0; k < MOST_IMPACTS; k++) {
        SS_TRY(ss_event_evaluate(e, t, ss_state_q(state), ss_state_u(state)));
        if (!any_approaches(e))
            return SS_OK;
        *hit = true;
        SS_TRY(solve(e, state, memory));
    }
    return ss_fail(e->model->context, SS_NOT_CONVERGED,
                   "contacts still approach each other after %d impacts at t = %.9g s",
                   MOST_IMPACTS, t);
}
