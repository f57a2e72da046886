/* contact_solve.c: solves a step whose rows have several forms, in sweeps over all of them; and what contacts leave behind:
 * contacts of the state, sums of their rules, energies. */
#include "assembly/sources/contact_direction.h"
#include "assembly/sources/contacts.h"
#include "assembly/sources/source.h"
#include "geometry/vector.h"
#include "model/body.h"

#include "solver/kernels/sweep.h"

#include <stdio.h>
#include <string.h>

/* ---- Bodies ---- */

/* Velocities of systems, and of the bodies of the store. */
typedef struct bodies_call {
    const ss_work *work;
    const double *from;
    double *u;
    ss_row_body *bodies;
} bodies_call;

static void set_bodies(void *user, int from, int to)
{
    const bodies_call *call = user;
    const struct ss_work_contacts *c = call->work->contacts;
    for (int s = from; s < to; s++) {
        const ss_system *system = &call->work->model->systems[s];
        ss_row_body *body = &call->bodies[c->store.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        body->m_inv = 1 / system->body->mass;
        body->J_inv = system->body->Jinv[0];
        ss_copy3(call->from + system->u_offset, body->v);
        if (c->V[s])
            ss_turn(c->frames[s].A, call->from + system->u_offset + 3, body->w);
        else
            ss_copy3(call->from + system->u_offset + 3, body->w);
    }
}

void ss_work_row_bodies(const ss_work *work, const double *u, ss_row_body *bodies)
{
    ss_work_parallel_for(work, work->model->n_systems.count, set_bodies,
                         &(bodies_call){.work = work, .from = u, .bodies = bodies});
    bodies[0] = (ss_row_body){{0}};
}

static void get_velocities(void *user, int from, int to)
{
    const bodies_call *call = user;
    const ss_work *work = call->work;
    const struct ss_work_contacts *c = work->contacts;
    bool blocks = c->store.general.inclusion.n_blocks > 0;
    const double *rest =
        blocks ? c->store.bodies[0].v + ss_rows_rest_offset(&c->store) : work->inclusion.u_free;
    for (int s = from; s < to; s++) {
        const ss_row_body *body = &c->store.bodies[c->store.number[c->system_body[s]]];
        const ss_system *system = &work->model->systems[s];
        double *us = call->u + system->u_offset;
        if (c->system_body[s] == 0) {
            memcpy(us, rest + system->u_offset, (size_t)system->nu * sizeof *us);
            continue;
        }
        ss_copy3(body->v, us);
        if (c->V[s])
            ss_turn_back(c->frames[s].A, body->w, us + 3);
        else
            ss_copy3(body->w, us + 3);
    }
}

static void fetch_velocities(const ss_work *work, double *u)
{
    ss_work_parallel_for(work, work->model->n_systems.count, get_velocities,
                         &(bodies_call){.work = work, .u = u});
}

/* J⁻¹ in space: A J⁻¹ Aᵀ. */
static void set_inertia(void *user, int from, int to)
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const ss_work *work = user;
    const struct ss_work_contacts *c = work->contacts;
    for (int s = from; s < to; s++) {
        double AJ[9], *J = c->store.inertia[c->store.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        const double *A = c->frames[s].A, *Jinv = work->model->systems[s].body->Jinv;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                AJ[3 * i + j] =
                    A[3 * i] * Jinv[j] + A[3 * i + 1] * Jinv[3 + j] + A[3 * i + 2] * Jinv[6 + j];
        for (int k = 0; k < 6; k++)
            J[k < 3 ? k : k + 1] = ss_dot3(AJ + 3 * row[k], A + 3 * column[k]);
        J[3] = J[7] = 0;
    }
}

/* ---- Solving ---- */

typedef struct fetch_call {
    ss_rows *rows;
    const ss_residual *residual;
} fetch_call;

static void fetch(void *user)
{
    enum { ROUNDING = 4 };
    const fetch_call *call = user;
    ss_rows_fetch(call->rows, ROUNDING * call->residual->value);
}

void ss_work_contacts_fetch(ss_work *work, const ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    int threads = c->store.n_subdomains > 1 ? work->threads : 1;
    ss_parallel(work->model->context, threads, fetch, &(fetch_call){&c->store, &report->residual});
}

/* Does something with all rows as blocks of one inclusion, from where sweeps ended. */
static ss_status treat_as_blocks(ss_work *work, ss_blocks_fn *solve, double *u,
                                 ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_work_contacts_fetch(work, report);
    SS_TRY(ss_work_contacts_solve_blocks(work, solve, u, report));
    SS_TRY(ss_rows_arrange(&c->store, work->threads));
    ss_rows_motion(&c->store);
    return SS_OK;
}

/* Sweeps that have not converged are followed by what the solver does with blocks. */
static ss_status go_on(ss_work *work, double *u, ss_solve_report *report)
{
    const ss_solve_report swept = *report;
    SS_TRY(treat_as_blocks(work, ss_solver_solve, u, report));
    report->iterations += swept.iterations;
    char rest[sizeof report->method];
    memcpy(rest, report->method, sizeof rest);
    snprintf(report->method, sizeof report->method, "%.20s, %.50s", swept.method, rest);
    return SS_OK;
}

/* Whether contacts may be redundant in a way that the choice of forces looks at: several of two shapes, or not many in all. */
static bool may_be_redundant(const struct ss_work_contacts *c)
{
    enum { FEW = 32 };
    int count = 0;
    bool patch = false;
    for (int i = 0; i < c->n; i++) {
        count += !c->store.contacts[i].asleep;
        patch = patch || (i > 0 && !c->store.contacts[i].asleep &&
                          c->found[i].a == c->found[i - 1].a && c->found[i].b == c->found[i - 1].b);
    }
    return patch || (count > 1 && count <= FEW) ||
           (count > 0 && count <= FEW && c->store.general.inclusion.n_blocks > 0);
}

static ss_status solve_rows(ss_work *work, void *unused, double *u, ss_solve_report *report)
{
    (void)unused;
    struct ss_work_contacts *c = work->contacts;
    bool even = ss_solver_chooses(work->solver);
    SS_TRY(ss_solver_sweep_rows(work->solver, &c->store, report));
    if (!ss_outcome_accepted(report->outcome) && ss_solver_goes_on(work->solver))
        SS_TRY(go_on(work, u, report));
    else if (ss_outcome_accepted(report->outcome) && even && may_be_redundant(c))
        SS_TRY(treat_as_blocks(work, ss_solver_choose, u, report));
    fetch_velocities(work, u);
    return SS_OK;
}

ss_status ss_work_contacts_solve(ss_work *work, const ss_state *B, double *u_E,
                                 ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_work_row_bodies(work, work->inclusion.u_free, c->store.free);
    c->store.general.inclusion.n_blocks = 0;
    if (work->inclusion.n_blocks > 0)
        SS_TRY(ss_contact_blocks_map(work));
    if (c->any_body) {
        memset(c->store.inertia[0], 0, sizeof *c->store.inertia);
        ss_work_parallel_for(work, work->model->n_systems.count, set_inertia, work);
    }
    if (c->sleep && B)
        SS_TRY(ss_sleep_mark(work, c->sleep, B));
    SS_TRY(ss_rows_arrange(&c->store, work->threads));
    SS_TRY(ss_work_solve_loaded(work, solve_rows, NULL, u_E, report));
    if (c->sleep && B) {
        SS_TRY(ss_sleep_settle(work, c->sleep, B, report));
        fetch_velocities(work, u_E);
    }
    if (!ss_outcome_accepted(report->outcome))
        report->residual.worst_block = ss_rows_find_worst(&c->store);
    ss_work_contacts_fetch(work, report);
    return SS_OK;
}

/* ---- Finishing ---- */

/* What a contact adds to the sums of a step. */
typedef struct contact_sums {
    double dissipated, load_work, gain, size; /* J */
    double P[SS_RULE_GROUPS][3];              /* by groups and rows */
} contact_sums;

int ss_work_moved_at(const ss_work *work, int shape)
{
    return work->contacts->shape_body[shape] > 0
               ? work->model->systems[work->model->shapes[shape].system].u_offset
               : -1;
}

/* ---- ROUND and BODY contacts ---- */

/* Velocity at a contact, and the part of it that does not depend on impulses. */
static void velocity_at(const ss_work *work, int i, const ss_row_body *bodies, const double *u,
                        double gamma[3], double outside[3])
{
    memset(outside, 0, 3 * sizeof *outside);
    ss_work_contact_drive(work, i, u, outside);
    ss_rows_relative(&work->contacts->store, bodies, i, gamma);
    ss_add3(gamma, outside, gamma);
}

/* The part of a contact in the energy that impacts add (after/finish.c). */
static void find_gain(const ss_work *work, int i, const double gamma_B[3], const double gamma_E[3],
                      contact_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_element *rule = &work->model->elements[c->found[i].element];
    const double *P = c->store.contacts[i].P, *n = c->found[i].n;
    double gamma[3], outside[3], epsilon = 0, along = 0, normal = 0;
    for (int l = 0; l < rule->n_laws; l++)
        if (work->model->laws[rule->laws[l]].group == SS_GROUP_GAP)
            epsilon = work->model->laws[rule->laws[l]].epsilon[0];
    velocity_at(work, i, c->store.free, work->inclusion.u_free, gamma, outside);
    for (int k = 0; k < 3; k++) {
        double smooth = gamma[k] - gamma_B[k];
        sums->gain += P[k] * (gamma_B[k] + gamma_E[k] + smooth) / 2;
        sums->size += fabs(P[k]) * (fabs(gamma_B[k]) + fabs(gamma_E[k]) + fabs(smooth)) / 2;
        normal += P[k] * n[k];
        along += smooth * n[k];
    }
    /* Δ is 1 for friction, (1 - ε)/(1 + ε) along the normal. */
    sums->gain += normal * along * ((1 - epsilon) / (1 + epsilon) - 1) / 2;
}

static void account_row(const ss_work *work, int i, const double *u_B, const double *u_E,
                        contact_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const double *P = c->store.contacts[i].P;
    double gamma[2][3], outside[2][3], t[2][3];
    velocity_at(work, i, c->store.begins[0], u_B, gamma[0], outside[0]);
    velocity_at(work, i, c->store.bodies, u_E, gamma[1], outside[1]);
    ss_work_contact_tangents(work, &c->found[i], t);
    for (int k = 0; k < 3; k++) {
        sums->dissipated -= P[k] * (gamma[0][k] + gamma[1][k]) / 2;
        sums->load_work -= P[k] * (outside[0][k] + outside[1][k]) / 2;
        sums->P[SS_GROUP_GAP][0] += P[k] * c->found[i].n[k];
        sums->P[SS_GROUP_SLIP][0] += P[k] * t[0][k];
        sums->P[SS_GROUP_SLIP][1] += P[k] * t[1][k];
    }
    if (ss_work_has_gains(work))
        find_gain(work, i, gamma[0], gamma[1], sums);
}

static void finish_row(const ss_work *work, int i, const double *u_B, const double *u_E,
                       ss_contact *contact, contact_sums *sums)
{
    const ss_row_contact *row = &work->contacts->store.contacts[i];
    memcpy(contact->P, row->P, sizeof contact->P);
    contact->closed = row->normal == SS_MODE_CONSTRAINT;
    contact->slips = contact->closed && row->slip == SS_MODE_IMPRESSED;
    if (row->P[0] != 0 || row->P[1] != 0 || row->P[2] != 0)
        account_row(work, i, u_B, u_E, sums);
}

void ss_work_contacts_impulse(const ss_work *work, double *impulse)
{
    const struct ss_work_contacts *c = work->contacts;
    for (int i = 0; i < c->n; i++) {
        const ss_contact *contact = &c->found[i];
        const ss_row_contact *row = &c->store.contacts[i];
        const int shapes[2] = {contact->a, contact->b};
        for (int side = 0; row->form != SS_ROW_GENERAL && side < 2; side++) {
            int s = work->model->shapes[shapes[side]].system;
            if (c->shape_body[shapes[side]] <= 0)
                continue;
            double f[3], r[3], couple[3], own[3], *x = impulse + work->model->systems[s].u_offset;
            ss_scale3(side ? 1 : -1, row->P, f);
            ss_minus3(contact->x, c->frames[s].x, r);
            ss_cross3(r, f, couple);
            ss_turn_back(c->frames[s].A, couple, own);
            ss_add3(x, f, x);
            ss_add3(x + 3, c->V[s] ? own : couple, x + 3);
        }
    }
}

/* ---- GENERAL contacts ---- */

/* The part of γ that comes from systems whose motion is prescribed. */
static void outside_velocity(const ss_work *work, int block, int i, const double *u, double *gamma)
{
    const ss_inclusion *inclusion = &work->inclusion;
    for (int row = 0; row < work->blocks[block].dim; row++)
        gamma[row] = 0;
    for (int side = 0; side < 2; side++) {
        int s = ss_contact_system(work, &work->contacts->found[i], side);
        if (s < 0 || !work->model->systems[s].prescribed)
            continue;
        int first = work->model->systems[s].u_offset, nu = work->model->systems[s].nu;
        for (int k = inclusion->factor_start[block]; k < inclusion->factor_start[block + 1]; k++) {
            const ss_factor *F = &inclusion->factors[k];
            if (first < F->u_offset || first >= F->u_offset + F->nu)
                continue;
            for (int row = 0; row < work->blocks[block].dim; row++)
                for (int j = 0; j < nu; j++)
                    gamma[row] += F->W[row * F->nu + first - F->u_offset + j] * u[first + j];
        }
    }
}

static void account_block(const ss_work *work, int i, int block, const double *u_B,
                          const double *u_E, contact_sums *sums)
{
    const double *P = work->P + work->blocks[block].offset;
    double before[SS_SET_MAX_DIM], after[SS_SET_MAX_DIM];
    ss_work_block_velocity(work, block, u_B, before);
    ss_work_block_velocity(work, block, u_E, after);
    for (int row = 0; row < work->blocks[block].dim; row++)
        sums->dissipated -= P[row] * (before[row] + after[row]) / 2;
    if (!work->model->prescribed)
        return;
    outside_velocity(work, block, i, u_B, before);
    outside_velocity(work, block, i, u_E, after);
    for (int row = 0; row < work->blocks[block].dim; row++)
        sums->load_work -= P[row] * (before[row] + after[row]) / 2;
}

/* Impulses in space, and modes. */
static void finish_blocks(const ss_work *work, int i, const double *u_B, const double *u_E,
                          ss_contact *contact, contact_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_contact_rule *rule = ss_element_rule(&work->model->elements[contact->element]);
    uint8_t *modes[SS_RULE_GROUPS] = {&contact->closed, &contact->slips, &contact->spins,
                                      &contact->rolls, &contact->slips};
    for (int group = 0; group < SS_RULE_GROUPS; group++) {
        int block = c->blocks[i].block[group];
        if (block < 0)
            continue;
        const double *P = work->P + work->blocks[block].offset;
        account_block(work, i, block, u_B, u_E, sums);
        for (int row = 0; row < work->blocks[block].dim; row++) {
            ss_contact_direction to =
                ss_contact_row_direction(rule, group, row, contact->n, c->blocks[i].t);
            double *sum = to.couple ? contact->L : contact->P;
            sums->P[group][row] = P[row];
            for (int k = 0; k < 3; k++)
                sum[k] += P[row] * to.d[k];
        }
        bool constraint = work->modes[block] == SS_MODE_CONSTRAINT;
        *modes[group] = group == SS_GROUP_GAP ? constraint : contact->closed && !constraint;
    }
}

/* ---- Sums ---- */

/* It is closed when any of its contacts is, and slips when any closed one does. */
void ss_rule_sums_add(const ss_work *work, const ss_rule_sums *sums, ss_state *E)
{
    const ss_element *rule = &work->model->elements[sums->element];
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &work->model->laws[rule->laws[i]];
        int *mode = &ss_state_edit_mode(E)[rule->laws[i]], group = law->group;
        for (int row = 0; row < law->dim; row++)
            ss_state_edit_P(E)[law->offset + row] += sums->P[group][row];
        if (group == SS_GROUP_GAP)
            *mode = sums->closed ? 0 : *mode;
        else
            *mode = sums->slips[group]                                ? 1
                    : sums->sticks[group] && *mode == SS_MODE_UNKNOWN ? 0
                                                                      : *mode;
    }
}

void ss_rule_sums_take(ss_rule_sums *sums, const ss_contact *contact, double P[SS_RULE_GROUPS][3])
{
    const bool slips[SS_RULE_GROUPS] = {false, contact->slips, contact->spins, contact->rolls,
                                        contact->slips};
    sums->closed |= contact->closed;
    for (int group = 0; group < SS_RULE_GROUPS; group++) {
        for (int k = 0; k < 3; k++)
            sums->P[group][k] += P[group][k];
        sums->slips[group] |= contact->closed && slips[group];
        sums->sticks[group] |= contact->closed && !slips[group];
    }
}

/* Contacts that follow each other, added up by one thread: the sums do not depend on how many there are, and little goes
 * from one to the other. */
enum { BLOCK = 64, BLOCKS = 64, AHEAD = 8 };
typedef struct block_sums {
    int closed, n_rules;
    double dissipated, load_work;         /* J */
    double gain[BLOCK], gain_size[BLOCK]; /* per contact, J */
    ss_rule_sums rules[BLOCK];
} block_sums;

/* Bodies of a contact that will be needed soon. */
static void prefetch(const struct ss_work_contacts *c, const ss_row_contact *contact)
{
    const int bodies[2] = {contact->a, contact->b};
    for (int k = 0; k < 2; k++) {
        __builtin_prefetch(&c->store.begins[0][bodies[k]]);
        __builtin_prefetch(&c->store.bodies[bodies[k]]);
    }
}

static void finish_block(const ss_work *work, int from, int to, const double *u_B, block_sums *sums,
                         ss_state *E)
{
    const struct ss_work_contacts *c = work->contacts;
    const double *u_E = ss_state_u(E);
    sums->closed = sums->n_rules = 0;
    sums->dissipated = sums->load_work = 0;
    for (int i = from; i < to; i++) {
        ss_contact *contact = &ss_state_edit_contacts(E)[i];
        bool general = c->store.contacts[i].form == SS_ROW_GENERAL;
        contact_sums one = {0};
        if (c->forms && i + AHEAD < to)
            prefetch(c, &c->store.contacts[i + AHEAD]);
        *contact = c->found[i];
        (general ? finish_blocks : finish_row)(work, i, u_B, u_E, contact, &one);
        sums->dissipated += one.dissipated;
        sums->load_work += one.load_work;
        sums->gain[i - from] = one.gain;
        sums->gain_size[i - from] = one.size;
        sums->closed += contact->closed && !general ? 1 + 2 * !contact->slips : 0;
        if (i == from || contact->element != contact[-1].element)
            sums->rules[sums->n_rules++] = (ss_rule_sums){.element = contact->element};
        ss_rule_sums_take(&sums->rules[sums->n_rules - 1], contact, one.P);
    }
}

typedef struct finishing {
    const ss_work *work;
    int from, to; /* contacts */
    const double *u_B;
    block_sums *sums;
    ss_state *E;
} finishing;

static void finish_range(void *user, int first, int end)
{
    const finishing *f = user;
    for (int block = first; block < end; block++) {
        int at = f->from + block * BLOCK, to = at + BLOCK < f->to ? at + BLOCK : f->to;
        finish_block(f->work, at, to, f->u_B, &f->sums[block], f->E);
    }
}

/* Some blocks side by side, which are then added to the state in their order. */
static void finish_some(ss_work *work, int from, int to, const double *u_B, ss_state *E)
{
    block_sums sums[BLOCKS];
    const ss_contact *contacts = ss_state_contacts(E);
    ss_statistics *all = ss_state_edit_statistics(E);
    finishing call = {work, from, to, u_B, sums, E};
    ss_work_parallel_for(work, (to - from + BLOCK - 1) / BLOCK, finish_range, &call);
    for (const block_sums *block = sums; from < to; from += BLOCK, block++) {
        all->dissipated += block->dissipated;
        all->load_work += block->load_work;
        work->contacts->closed += block->closed;
        for (int r = 0; r < block->n_rules; r++)
            ss_rule_sums_add(work, &block->rules[r], E);
        for (int i = from; ss_work_has_gains(work) && i < to && i < from + BLOCK; i++)
            ss_work_add_gain(work, ss_work_moved_at(work, contacts[i].a),
                             ss_work_moved_at(work, contacts[i].b), block->gain[i - from],
                             block->gain_size[i - from]);
    }
}

void ss_rules_reset(const ss_work *work, int mode, ss_state *state)
{
    const ss_model *model = work->model;
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        if (!ss_element_rule(&model->elements[law->element]))
            continue;
        ss_state_edit_mode(state)[l] = mode;
        memset(ss_state_edit_P(state) + law->offset, 0, (size_t)law->dim * sizeof(double));
    }
}

void ss_rules_settle(const ss_work *work, ss_state *state)
{
    for (int l = 0; l < work->model->n_laws.count; l++)
        if (ss_state_mode(state)[l] == SS_MODE_UNKNOWN)
            ss_state_edit_mode(state)[l] = 1;
}

static ss_status finish(ss_work *work, double dt, const double *u_B, ss_state *E)
{
    enum { STRIDE = BLOCK * BLOCKS };
    struct ss_work_contacts *c = work->contacts;
    (void)dt;
    c->closed = 0;
    if (c->forms)
        ss_work_row_bodies(work, u_B, c->store.begins[0]);
    ss_rules_reset(work, SS_MODE_UNKNOWN, E);
    for (int from = 0; from < c->n; from += STRIDE)
        finish_some(work, from, from + STRIDE < c->n ? from + STRIDE : c->n, u_B, E);
    ss_rules_settle(work, E);
    ss_state_set_contact_count(E, c->n);
    return SS_OK;
}

const ss_row_source ss_source_contacts = {ss_contacts_fill, ss_contacts_guess, finish};
