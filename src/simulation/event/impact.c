/* impact.c: impacts of closed contacts, their friction and constraints, by Newton's law,
 * -(γ⁺ + ε γ⁻) ∈ N(P), or by Poisson's.
 *
 * Accumulation: let τ be the time since the last impact of a contact and τ' the one before. When
 * r = τ/τ' < 1, the rest of a geometric sequence lasts τ r/(1 - r). When that is less than the
 * option `accumulation`, the impact is taken without restitution: the contact closes, earlier than
 * the limit by less than `accumulation`. So is an impact that follows the last one of the same
 * contact within `accumulation`. Hybrid runs change to time-stepping instead, with `handover` as
 * the limit.
 */
#include "assembly/after/certify.h"
#include "scheme/general.h"
#include "simulation/event/event.h"

#include <math.h>
#include <string.h>

/* ---- What approaches ------------------------------------------------------------------------- */

static bool is_prescribed(const ss_event_driven *e, const ss_element *element)
{
    for (int k = 0; k < element->connected.count; k++)
        if (e->model->systems[element->connected.systems[k]].prescribed)
            return true;
    return false;
}

/* A bilateral law whose speed has jumped: a drive without a limit, a joint of a system of
 * prescribed motion, a constraint by a formula; at the start of the run any joint that the
 * velocities contradict. */
static bool has_jumped(const ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    const ss_element *element = &e->table->elements[law->element];
    bool starts = ss_state_statistics(e->found)->tries == 0;
    return (starts || law->ops->law_class == SS_LAW_DRIVE || is_prescribed(e, element) ||
            ss_element_may_jump(element)) &&
           e->laws[l].set.set->kind == SS_SET_FREE && !e->laws[l].single_valued &&
           ss_event_speed(e, l) > e->options.slip;
}

static bool approaches(const ss_event_driven *e, int l)
{
    int side = ss_event_side(e, l);
    return has_jumped(e, l) || (side != 0 && e->laws[l].in_contact &&
                                side * e->rows.gamma[e->table->laws[l].offset] < -e->options.slip);
}

static bool any_approaches(const ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (approaches(e, l))
            return true;
    return false;
}

/* Whether all further impacts last no longer than `least`. */
static bool end_within(const ss_impact_memory *memory, double t, double least)
{
    double interval = t - memory->last, r = interval / memory->interval;
    if (memory->count >= 1 && interval > 0 && interval <= least)
        return true;
    if (memory->count < 2 || !(r < 1))
        return false;
    return interval * r / (1 - r) <= least;
}

static bool accumulates(const ss_event_driven *e, int l, double t)
{
    return !e->hybrid && end_within(&e->laws[l].impacts, t, e->options.accumulation);
}

/* ---- The inclusion --------------------------------------------------------------------------- */

/* The laws that take part. */
static void set_levels(ss_event_driven *e)
{
    ss_work_law *laws = e->work->laws;
    for (int l = 0; l < e->size.n_laws; l++) {
        bool active =
            !ss_event_is_silent(e, l) && (ss_event_side(e, l) == 0 || e->laws[l].in_contact);
        laws[l] = (ss_work_law){.level = active ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE,
                                .block = -1,
                                .cache = laws[l].cache};
    }
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->table->laws[l].scale_from;
        if (from >= 0 && laws[from].level == SS_LEVEL_INACTIVE)
            laws[l].level = SS_LEVEL_INACTIVE;
    }
}

/* ε γ⁻ of row i of a law, whatever the sign of γ⁻: a closed contact that separates may be slowed down,
 * or turned round and hit next. */
static double restitution(const ss_event_driven *e, int l, int i)
{
    const ss_law *law = &e->table->laws[l];
    const ss_work_element *we = &e->work->elements[law->element];
    return we->epsilon ? ss_work_coupled_restitution(e->work, law->element, law->row + i)
                       : law->epsilon[i] * we->gamma_B[law->row + i];
}

/* Newton's law: ε γ⁻ is added to b. */
static void add_restitution(ss_event_driven *e, double t)
{
    ss_work *work = e->work;
    for (int b = 0; b < work->inclusion.n_blocks; b++) {
        int l = work->block_law[b];
        for (int i = 0; i < work->blocks[b].dim; i++)
            work->inclusion.b[work->blocks[b].offset + i] +=
                accumulates(e, l, t) ? 0 : restitution(e, l, i);
    }
}

/* An impact that is weak beside the motion cannot be solved to the solver's relative tolerance:
 * the error is accepted when its velocity counts as zero. What no impulse moves has no such velocity. */
static bool is_solved(const ss_event_driven *e)
{
    const ss_solve_report *report = &e->effort.report;
    const ss_residual *residual = &report->residual;
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], largest = 0;
    if (ss_outcome_accepted(report->outcome) || residual->worst_block < 0)
        return true;
    int dim = e->work->blocks[residual->worst_block].dim;
    ss_inclusion_diagonal(&e->work->inclusion, residual->worst_block, G);
    for (int i = 0; i < dim; i++)
        largest = fmax(largest, G[i * dim + i]);
    return largest > 0 && residual->absolute * sqrt(largest) < 0.1 * e->options.slip;
}

/* Velocities after the impact in reduced.a, from the velocities u. */
static ss_status solve_inclusion(ss_event_driven *e, const ss_state *state, const double *u)
{
    ss_event_effort *effort = &e->effort;
    SS_TRY(ss_work_solve(e->work, NULL, u, e->reduced.a, &effort->report));
    effort->iterations += (uint64_t)effort->report.iterations;
    if (is_solved(e)) {
        effort->report.outcome = SS_CONVERGED;
        return SS_OK;
    }
    effort->failures++;
    return ss_simulation_fail(e->simulation, state, 0, &effort->report);
}

/* What hits comes back with ε; frictions and joints, whose impulses may be bounded, are certified as rows. */
static void certify_restitution(ss_event_driven *e, double t)
{
    ss_work *work = e->work;
    for (int b = 0; work->certificate && b < work->inclusion.n_blocks; b++) {
        int l = work->block_law[b];
        const ss_law *law = &e->table->laws[l];
        const ss_work_element *we = &work->elements[law->element];
        if (ss_event_side(e, l) != 0 && !we->epsilon)
            ss_work_certify_row(work, b, 0, accumulates(e, l, t) ? 0 : law->epsilon[0],
                                we->gamma_B[law->row], e->reduced.a);
    }
}

/* Poisson's law after the compression: the expansion, and the impulses of both. */
static ss_status expand(ss_event_driven *e, const ss_state *state)
{
    ss_work *work = e->work;
    double *compression = work->lag, *u = work->u_scratch;
    size_t rows = (size_t)work->inclusion.n_rows;
    for (int l = 0; l < e->size.n_laws; l++)
        e->inelastic[l] = accumulates(e, l, ss_state_time(state));
    memcpy(compression, work->P, rows * sizeof *compression);
    if (!ss_impact_begin_expansion(work, ss_state_u(state), 0, e->inelastic))
        return SS_OK;
    memcpy(u, e->reduced.a, (size_t)e->size.n_u * sizeof *u);
    SS_TRY(solve_inclusion(e, state, u));
    for (size_t k = 0; k < rows; k++)
        work->P[k] += compression[k];
    return SS_OK;
}

/* ---- Its results ----------------------------------------------------------------------------- */

/* A contact that was hit at time t is closed. */
static void close_contact(ss_event_driven *e, int l, double t, ss_state *state)
{
    ss_event_law *law = &e->laws[l];
    ss_impact_memory *impacts = &law->impacts;
    ss_state_edit_mode(state)[l] = 0;
    ss_event_keep_distance(e, l);
    law->phase = SS_PHASE_CLOSED;
    law->was_closed = true;
    if (t > impacts->last || impacts->count == 0)
        *impacts =
            (ss_impact_memory){impacts->count + 1, t, impacts->count > 0 ? t - impacts->last : 0};
}

/* Impulses, energies and contacts of the impact; velocities in reduced.a become the state's. */
static void finish(ss_event_driven *e, ss_state *state)
{
    ss_work *work = e->work;
    ss_statistics *sums = ss_state_edit_statistics(state);
    double gain = 0, size = 0; /* Σ P γ̄ and Σ |P| |γ|, J */
    for (int i = 0; i < e->table->n_elements; i++)
        ss_work_element_velocity(work, i, e->reduced.a, work->elements[i].gamma_E);
    for (int b = 0; b < work->inclusion.n_blocks; b++) {
        int l = work->block_law[b];
        const ss_law *law = &e->table->laws[l];
        const double *P = work->P + work->blocks[b].offset;
        for (int i = 0; i < law->dim; i++) { /* a drive does work, else it is dissipated */
            int row = law->row + i;
            double before = work->elements[law->element].gamma_B[row],
                   after = work->elements[law->element].gamma_E[row];
            ss_state_edit_P(state)[law->offset + i] += P[i];
            e->impact[law->offset + i] += P[i];
            if (law->ops->law_class == SS_LAW_DRIVE) {
                sums->load_work += P[i] * (before + after) / 2;
            } else {
                sums->dissipated -= P[i] * (before + after) / 2;
                gain += P[i] * (before + after) / 2;
                size += fabs(P[i]) * (fabs(before) + fabs(after)) / 2;
            }
            sums->load_work -=
                P[i] * ((ss_work_outside_velocity(work, law->element, row, ss_state_u(state)) +
                         ss_work_outside_velocity(work, law->element, row, e->reduced.a)) /
                        2);
        }
        if (ss_event_side(e, l) != 0 && P[0] != 0)
            close_contact(e, l, ss_state_time(state), state);
    }
    ss_count_gain(gain, size, &e->effort.report.residual, sums);
    memcpy(ss_state_edit_u(state), e->reduced.a, (size_t)e->size.n_u * sizeof(double));
}

/* ---- Impacts --------------------------------------------------------------------------------- */

static const ss_law_form impact_form = {.kind = SS_FORM_IMPACT, .keep_levels = true};

/* Prescribed velocities may jump: γ⁻ has those of the state, before the jump, γ⁺ those in point.u,
 * after it. */
static ss_status solve(ss_event_driven *e, ss_state *state)
{
    set_levels(e);
    for (int l = 0; e->hybrid && l < e->size.n_laws; l++) /* whether time-stepping follows */
        if (approaches(e, l) &&
            end_within(&e->laws[l].impacts, ss_state_time(state), e->options.handover))
            e->hand_over = true;
    SS_TRY(ss_work_laws_as(e->work, &impact_form, 0, ss_state_u(state), NULL));
    if (e->options.impact == SS_EVENT_NEWTON)
        add_restitution(e, ss_state_time(state));
    SS_TRY(solve_inclusion(e, state, e->point.u));
    if (e->options.impact == SS_EVENT_POISSON)
        SS_TRY(expand(e, state));
    else
        certify_restitution(e, ss_state_time(state));
    finish(e, state);
    return SS_OK;
}

/* Whether the velocities in reduced.a jump, beside what the forces of an instant do. */
static bool jumps(const ss_event_driven *e, const double *u, const double *u_free)
{
    for (int i = 0; i < e->size.n_u; i++)
        if (fabs(e->reduced.a[i] - u[i]) > 1e3 * fabs(u_free[i] - u[i]) + e->options.slip)
            return true;
    return false;
}

/* Beside a fast motion a solver may not see what an instant of 1e-12 s changes: the shortest one in
 * which velocities jump is taken. */
ss_status ss_event_jam(ss_event_driven *e, ss_state *state, bool *hit)
{
    const double shortest = 1e-12, longest = 1e-4, longer = 10;
    const double *u = ss_state_u(state);
    double *u_free = e->work->u_lag, *a = u_free + e->size.n_u;
    ss_status status = SS_OK;
    *hit = false;
    SS_TRY(ss_event_evaluate(e, ss_state_time(state), ss_state_q(state), u));
    ss_event_free_accelerations(e, a);
    set_levels(e);
    for (double instant = shortest; !*hit && instant <= longest; instant *= longer) {
        for (int i = 0; i < e->size.n_u; i++)
            u_free[i] = u[i] + instant * a[i];
        SS_TRY(ss_work_laws_as(e->work, &impact_form, 0, u, NULL));
        status = solve_inclusion(e, state, u_free);
        if (status != SS_OK && status != SS_NOT_CONVERGED)
            return status;
        *hit = status == SS_OK && jumps(e, u, u_free);
    }
    if (*hit)
        finish(e, state);
    return *hit ? SS_OK : status;
}

ss_status ss_event_impact(ss_event_driven *e, ss_state *state, bool *hit)
{
    enum { MOST_IMPACTS = 100 };
    double t = ss_state_time(state);
    *hit = false;
    for (int k = 0; k < MOST_IMPACTS; k++) {
        SS_TRY(ss_event_evaluate(e, t, ss_state_q(state), ss_state_u(state)));
        if (!any_approaches(e))
            return SS_OK;
        *hit = true;
        SS_TRY(solve(e, state));
    }
    return ss_fail(e->model->context, SS_NOT_CONVERGED,
                   "contacts still approach each other after %d impacts at t = %.9g s",
                   MOST_IMPACTS, t);
}
