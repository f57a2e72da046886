/* finish.c: what follows each solution: normal loads, impacts that add energy, whether impulses are unique, energies at a state, and
 * the names of blocks for reports.
 *
 * Gains. In a step with the smooth velocity change δ = u_free - u_B, row i obeys -(γ_E + ε γ_B) ∈ N(P)
 * with γ_E = γ_B + Wᵀδ + G P. That is the impact of γ_B' = γ_B + Wᵀδ/(1 + ε) into γ_E' = γ_B' + G P
 * without smooth forces. What it takes out is
 *
 *     D = -Pᵀ (γ_B' + γ_E')/2 = -Pᵀ (γ_B + γ_E + Δ Wᵀδ)/2,   Δ = (1 - ε)/(1 + ε),
 *
 * at least ½ Pᵀ Δ G P: never negative when ΔG is positive semidefinite (Leine & Baumann,
 * theorem 3), above all for equal ε, whatever the smooth forces and the step size. */
#include "assembly/sources/candidates.h"
#include "assembly/sources/contacts.h"
#include "base/context.h"
#include "base/union_find.h"
#include "la/small.h"
#include "rows/residual.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Normal loads: laws whose sets are scaled by the impulse of a whole group (joint friction) ---- */

/* The length of the impulse of the group that presses a law. */
static double pressure(const ss_work *work, const ss_law *law)
{
    const ss_element *element = &work->table.elements[law->element];
    double square = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *other = &work->table.laws[element->laws[i]];
        const ss_work_law *wl = &work->laws[element->laws[i]];
        if (other->group != law->load_group || wl->level == SS_LEVEL_INACTIVE)
            continue;
        for (int k = 0; k < other->dim; k++) {
            double P = wl->block < 0 ? 0 : work->P[work->blocks[wl->block].offset + k];
            P += wl->added ? wl->added[k] : 0;
            square += P * P;
        }
    }
    return sqrt(square);
}

/* What a change of a block's scale changes in its impulse, √J. Nothing where the impulse is inside both sets: it solves the inclusion
 * with either. Where impulses are not unique, as at the dead centre of a crank, each solve may find other loads. */
static double misfit_of(const ss_work *work, int block, double scale)
{
    const double inside = 1 - 1e-9;
    const ss_block *b = &work->blocks[block];
    double G[SS_SET_MAX_DIM * SS_SET_MAX_DIM], largest = 0;
    double least = fmin(b->scale, scale);
    if (least > 0 && ss_set_contains(b->set, inside * least, work->P + b->offset, 0))
        return 0;
    ss_inclusion_diagonal(&work->inclusion, block, G);
    for (int i = 0; i < b->dim; i++)
        largest = fmax(largest, G[i * b->dim + i]);
    return fabs(scale - b->scale) * sqrt(largest);
}

double ss_work_apply_normal_load(ss_work *work)
{
    double misfit = 0;
    for (int i = 0; work->model->loaded && i < work->inclusion.n_blocks; i++) {
        int l = work->block_law[i];
        if (work->table.laws[l].load_group < 0)
            continue;
        double scale = work->laws[l].unit_load * pressure(work, &work->table.laws[l]);
        misfit = fmax(misfit, misfit_of(work, i, scale));
        work->blocks[i].scale = scale;
    }
    return misfit;
}

ss_status ss_work_solve_loaded(ss_work *work, ss_work_solve_fn *solve, void *user, double *u,
                               ss_solve_report *report)
{
    enum { MOST = 100 };
    const double fits = 1e-11; /* in parts of the residual's reference */
    int iterations = 0, solves = 0;
    bool fit;
    do {
        SS_TRY(solve(work, user, u, report));
        iterations += report->iterations;
        solves++;
        fit = !ss_outcome_accepted(report->outcome) ||
              ss_work_apply_normal_load(work) <= fits * report->residual.reference;
    } while (!fit && solves < MOST);
    if (!fit)
        report->outcome = SS_MAX_ITERATIONS;
    report->iterations = iterations;
    return SS_OK;
}

/* ---- Gains ---- */

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

void ss_work_join_systems(ss_work *work)
{
    const ss_inclusion *inclusion = &work->inclusion;
    const struct ss_work_contacts *c = work->contacts;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        int first = work->model->systems[s].u_offset;
        if (work->model->systems[s].nu == 0)
            continue;
        work->group[first] = first;
        work->gain[first] = work->size[first] = 0;
    }
    for (int i = 0; c && c->forms && i < c->n; i++) { /* ROUND and BODY contacts */
        int a = ss_work_moved_at(work, c->found[i].a), b = ss_work_moved_at(work, c->found[i].b);
        if (c->store.contacts[i].form != SS_ROW_GENERAL && a >= 0 && b >= 0)
            ss_union_join(work->group, a, b);
    }
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
        if (matrix || (law->flags & SS_LAW_CORRECTED))
            work->gain[group] -= fabs(P * (matrix ? smooth : stabilizing));
    }
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
    for (int s = 0; s < work->model->n_systems.count; s++) {
        if (work->model->systems[s].nu == 0)
            continue;
        int group = ss_union_root(work->group, work->model->systems[s].u_offset);
        ss_count_gain(work->gain[group], work->size[group], residual, sums);
        work->gain[group] = 0; /* counted once */
    }
}

/* ---- Uniqueness ---- */

/* Held rows, and rows at all, up to which rank and capacity are looked at in every change of modes. */
enum { MOST_HELD = 48, MOST_ROWS = 192 };

ss_status ss_work_reserve_freedom(ss_work *work)
{
    const ss_model *model = work->model;
    int laws = work->table.n_laws, rows = work->table.n_rows;
    bool many = work->contacts != NULL; /* as many contacts as are looked at */
    return ss_freedom_reserve(&work->freedom, model->context,
                              many || laws > MOST_ROWS ? MOST_ROWS : laws,
                              many || rows > MOST_ROWS ? MOST_ROWS : rows, model->n_u,
                              many || rows > MOST_HELD ? MOST_HELD : rows);
}

ss_status ss_work_examine_freedom(ss_work *work, const double *u_E, double tolerance,
                                  ss_freedom_look *look)
{
    const double least = 1e-9;
    int held = work->contacts && work->contacts->forms ? work->contacts->closed : 0;
    for (int i = 0; i < work->inclusion.n_blocks; i++)
        held += work->modes[i] == SS_MODE_CONSTRAINT ? work->blocks[i].dim : 0;
    uint64_t seen = ss_candidates_hash(work) + (uint64_t)held;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        seen = ss_hash_number(seen, (uint64_t)work->block_law[i]);
        seen = ss_hash_number(seen, (uint64_t)work->modes[i]);
    }
    if (seen == look->seen) /* laws and modes are those of the last look */
        return SS_OK;
    /* More rows than velocities are never independent. */
    bool dependent = held > work->model->n_u;
    bool many = held > MOST_HELD || work->inclusion.n_rows > MOST_ROWS;
    *look = (ss_freedom_look){
        .seen = seen, .indeterminate = dependent, .unexamined = many && !dependent};
    if (dependent || many || held < 2)
        return SS_OK;
    double loose = 100 * tolerance > least ? 100 * tolerance : least;
    SS_TRY(ss_freedom_find(&work->freedom, work->model->context, &work->inclusion, work->P, u_E,
                           loose));
    look->indeterminate = work->freedom.nullity > 0 &&
                          ss_freedom_has_capacity(&work->freedom, &work->inclusion, work->P);
    return SS_OK;
}

/* ---- Energies at a state ---- */

/* Of the first elements and laws of the table. */
static ss_status measure(ss_work *work, const ss_state *state, const ss_table *part, double *gap,
                         double *gamma)
{
    SS_TRY(ss_work_evaluate(work, ss_state_time(state), ss_state_q(state)));
    for (int e = 0; e < part->n_elements; e++) {
        SS_TRY(ss_work_element_gaps(work, e));
        SS_TRY(ss_work_element_directions(work, e));
        ss_work_element_velocity(work, e, ss_state_u(state), work->elements[e].gamma_B);
    }
    for (int l = 0; l < part->n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        const ss_work_element *we = &work->elements[law->element];
        bool has_gap =
            law->kind == SS_GEOMETRIC && !ss_element_rule(&work->table.elements[law->element]);
        for (int i = 0; i < law->dim; i++) {
            gap[law->offset + i] = has_gap ? we->g[law->row + i] : 0;
            gamma[law->offset + i] = we->gamma_B[law->row + i];
        }
    }
    return SS_OK;
}

ss_status ss_work_measure(ss_work *work, const ss_state *state, double *gap, double *gamma)
{
    SS_GIVEN(NULL, work);
    SS_GIVEN(work->model->context, state);
    SS_GIVEN(work->model->context, gap);
    SS_GIVEN(work->model->context, gamma);
    const ss_table model = {.n_elements = work->model->n_elements.count,
                            .n_laws = work->model->n_laws.count};
    return measure(work, state, &model, gap, gamma);
}

ss_status ss_work_measure_all(ss_work *work, const ss_state *state, double *gap, double *gamma)
{
    return measure(work, state, &work->table, gap, gamma);
}

ss_status ss_work_energy(ss_work *work, const ss_state *state, ss_energy *energy)
{
    SS_GIVEN(NULL, work);
    SS_GIVEN(work->model->context, state);
    SS_GIVEN(work->model->context, energy);
    const ss_model *model = work->model;
    const ss_statistics *sums = ss_state_statistics(state);
    double V = 0;
    *energy = (ss_energy){.dissipated = sums->dissipated, .load_work = sums->load_work};
    SS_TRY(ss_work_evaluate(work, ss_state_time(state), ss_state_q(state)));
    memcpy(work->u, ss_state_u(state), (size_t)model->n_u * sizeof *work->u);
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        double part = 0;
        energy->kinetic += ss_work_kinetic(work, s, ss_state_u(state) + system->u_offset);
        if (system->ops->potential)
            SS_TRY(system->ops->potential(system->object.self, &work->systems[s], &part));
        V += part;
    }
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_force *force = &model->forces[f];
        double part = 0;
        if (force->ops->potential)
            SS_TRY(force->ops->potential(force->object.self, &work->forces[f], &part));
        V += part;
    }
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        double part = 0;
        if (!(law->flags & SS_LAW_STORES_ENERGY))
            continue;
        SS_TRY(ss_work_element_gaps(work, law->element));
        SS_TRY(law->ops->potential(law->object.self, law->dim,
                                   work->elements[law->element].g + law->row, &part));
        V += part;
    }
    energy->potential = V;
    return SS_OK;
}

/* ---- Names ---- */

/* A law of one contact. */
static ss_name contact_name(const ss_work *work, int a, int b, int law)
{
    const ss_model *model = work->model;
    ss_name name;
    snprintf(name.text, sizeof name.text, "%s of %s and %s", work->table.laws[law].object.name,
             model->shapes[a].object.name, model->shapes[b].object.name);
    return name;
}

enum { NAMES = 4 }; /* that are listed */

/* The law of a block of the inclusion. */
static ss_name name_of(const ss_work *work, int block)
{
    const struct ss_work_contacts *c = work->contacts;
    int law = work->block_law[block], element = work->table.laws[law].element,
        candidate = element - work->model->n_elements.count;
    if (candidate >= 0) {
        const ss_candidate *pair = &work->candidates->pairs[candidate];
        return contact_name(work, pair->a, pair->b, law);
    }
    if (c && ss_element_rule(&work->table.elements[element])) {
        const ss_contact *contact = &c->found[c->block_contact[block]];
        return contact_name(work, contact->a, contact->b, law);
    }
    ss_name name;
    snprintf(name.text, sizeof name.text, "%s", work->table.laws[law].object.name);
    return name;
}

/* Impulse and load of a block, counted as ss_work_block_name does, √J. */
static void block_sizes(const ss_work *work, int block, double *impulse, double *load)
{
    const struct ss_work_contacts *c = work->contacts;
    int swept = c && c->forms ? c->n : 0;
    *impulse = *load = 0;
    if (block >= swept) {
        ss_inclusion_block_sizes(&work->inclusion, work->P, block - swept, impulse, load);
        return;
    }
    const ss_row_contact *t = &c->store.contacts[block];
    double G_N, G_T, free[3];
    if (t->form == SS_ROW_GENERAL) /* counts as blocks */
        return;
    ss_rows_contact_G(&c->store, block, &G_N, &G_T);
    ss_rows_relative(&c->store, c->store.free, block, free);
    for (int k = 0; k < 3; k++)
        free[k] += t->bias[k];
    *impulse = sqrt(G_N) * ss_norm(3, t->P);
    *load = G_N > 0 ? ss_norm(3, free) / sqrt(G_N) : 0;
}

/* Names those with the largest impulses, where they are far beyond the load. */
static void name_runaway(const ss_work *work, size_t capacity, char *text)
{
    const double many = 50, share = 0.1; /* times the load; of the largest impulse */
    const struct ss_work_contacts *c = work->contacts;
    int n = work->inclusion.n_blocks + (c && c->forms ? c->n : 0), named = 0;
    double most = 0, load = 0, impulse, own;
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        block_sizes(work, i, &impulse, &own);
        most = fmax(most, impulse);
        load = fmax(load, own);
    }
    if (!(most > many * load))
        return;
    for (int i = 0; i < n && used < capacity; i++) {
        block_sizes(work, i, &impulse, &own);
        if (impulse < share * most || ++named > NAMES)
            continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s '%s'",
                                 named > 1 ? "," : "; impulses run away along",
                                 ss_work_block_name(work, i).text);
    }
    if (named > NAMES && used < capacity)
        snprintf(text + used, capacity - used, " and %d more", named - NAMES);
}

typedef struct contradiction {
    ss_work *work;
    int blocks[NAMES], count;
} contradiction;

static ss_status find_contradiction(void *user, const ss_inclusion *inclusion, const double *P,
                                    const ss_solve_report *report)
{
    contradiction *call = user;
    (void)report;
    return ss_inclusion_contradiction(call->work->model->context, inclusion, P, NAMES, call->blocks,
                                      &call->count);
}

static void name_contradiction(const contradiction *found, size_t capacity, char *text)
{
    int n = found->count < NAMES ? found->count : NAMES;
    size_t used = (size_t)snprintf(text, capacity, "; there is no solution: no %s",
                                   found->count > 1 ? "impulses satisfy" : "impulse satisfies");
    for (int i = 0; i < n && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s '%s'", i > 0 ? "," : "",
                                 name_of(found->work, found->blocks[i]).text);
    if (found->count > n && used < capacity)
        used += (size_t)snprintf(text + used, capacity - used, " and %d more", found->count - n);
    if (found->count > 1 && used < capacity)
        snprintf(text + used, capacity - used, " together");
}

ss_status ss_work_explain_failure(ss_work *work, size_t capacity, char *text, bool *proved)
{
    const struct ss_work_contacts *c = work->contacts;
    contradiction found = {.work = work};
    text[0] = '\0';
    SS_TRY(c && c->forms ? ss_work_contacts_show(work, find_contradiction, &found, NULL)
                         : find_contradiction(&found, &work->inclusion, work->P, NULL));
    *proved = found.count > 0;
    if (*proved)
        name_contradiction(&found, capacity, text);
    else
        name_runaway(work, capacity, text);
    return SS_OK;
}

ss_name ss_work_block_name(const ss_work *work, int block)
{
    const struct ss_work_contacts *c = work->contacts;
    if (c && c->forms && block >= 0 && block < c->n) {
        const ss_contact *contact = &c->found[block];
        return contact_name(work, contact->a, contact->b,
                            work->table.elements[contact->element].laws[0]);
    }
    block -= c && c->forms ? c->n : 0; /* as ss_rows_residual counts */
    if (block < 0 || block >= work->inclusion.n_blocks)
        return (ss_name){"none"};
    return name_of(work, block);
}
