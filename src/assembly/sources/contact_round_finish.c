/* contact_round_finish.c: what the contacts of the round form leave behind: contacts of the state, sums of their rules, energies. */
#include "assembly/sources/contacts.h"
#include "model/body.h"

#include <math.h>
#include <string.h>

/* Velocity at a row, and the part of it that does not depend on impulses. */
static void velocity_at(const ss_work *work, int i, const ss_round_body *bodies, const double *u,
                        double gamma[3], double outside[3])
{
    const struct ss_work_contacts *c = work->contacts;
    memset(outside, 0, 3 * sizeof *outside);
    ss_work_contact_drive(work, i, u, outside);
    ss_round_relative(bodies, &c->round_rows.contacts[i], gamma);
    for (int k = 0; k < 3; k++)
        gamma[k] += outside[k];
}

/* What a row adds to the sums of a step. */
typedef struct contact_sums {
    double dissipated, load_work, gain, size; /* J */
    double P[3];                              /* along the normal and the tangents, N s */
} contact_sums;

/* Where the velocities begin that a shape's impulses change; -1: it does not move. */
static int moved_at(const ss_work *work, int shape)
{
    return work->contacts->shape_body[shape] > 0
               ? work->model->systems[work->model->shapes[shape].system].u_offset
               : -1;
}

/* Whether impacts may add energy. */
static bool has_gains(const ss_work *work)
{
    return work->any_elastic && work->form == SS_FORM_VELOCITY;
}

static void join_gains(ss_work *work)
{
    const struct ss_work_contacts *c = work->contacts;
    ss_work_begin_gains(work);
    for (int i = 0; i < c->n; i++)
        ss_work_join_gains(work, moved_at(work, c->found[i].a), moved_at(work, c->found[i].b));
}

/* The part of a row in the energy that impacts add (work_gain.c). */
static void find_gain(const ss_work *work, int i, const double gamma_B[3], const double gamma_E[3],
                      contact_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_element *rule = &work->model->elements[c->found[i].element];
    const double *P = c->round_rows.contacts[i].P, *n = c->found[i].n;
    double gamma[3], outside[3], epsilon = 0, along = 0, normal = 0;
    for (int l = 0; l < rule->n_laws; l++)
        if (work->model->laws[rule->laws[l]].group == SS_GROUP_GAP)
            epsilon = work->model->laws[rule->laws[l]].epsilon[0];
    velocity_at(work, i, c->round_rows.free, work->inclusion.u_free, gamma, outside);
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

static void account(const ss_work *work, int i, const double *u_B, const double *u_E,
                    contact_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const double *P = c->round_rows.contacts[i].P;
    double gamma[2][3], outside[2][3], t[2][3];
    velocity_at(work, i, c->round_rows.begins[0], u_B, gamma[0], outside[0]);
    velocity_at(work, i, c->round_rows.bodies, u_E, gamma[1], outside[1]);
    ss_work_contact_tangents(work, &c->found[i], t);
    for (int k = 0; k < 3; k++) {
        sums->dissipated -= P[k] * (gamma[0][k] + gamma[1][k]) / 2;
        sums->load_work -= P[k] * (outside[0][k] + outside[1][k]) / 2;
        sums->P[0] += P[k] * c->found[i].n[k];
        sums->P[1] += P[k] * t[0][k];
        sums->P[2] += P[k] * t[1][k];
    }
    if (has_gains(work))
        find_gain(work, i, gamma[0], gamma[1], sums);
}

/* The contact of the state, and what it adds. */
static void finish_contact(const ss_work *work, int i, const double *u_B, const double *u_E,
                           ss_contact *contact, contact_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_round_contact *row = &c->round_rows.contacts[i];
    *contact = c->found[i];
    memcpy(contact->P, row->P, sizeof contact->P);
    contact->closed = row->normal == SS_MODE_CONSTRAINT;
    contact->slips = contact->closed && row->slip == SS_MODE_IMPRESSED;
    *sums = (contact_sums){0};
    if (row->P[0] != 0 || row->P[1] != 0 || row->P[2] != 0)
        account(work, i, u_B, u_E, sums);
}

/* What contacts of one rule that follow each other add to the state. */
typedef struct rule_sums {
    int element;
    bool closed, slips, sticks;
    double P[3]; /* along the normal and the tangents, N s */
} rule_sums;

static void add_rule(const ss_work *work, const rule_sums *sums, ss_state *E)
{
    const ss_element *rule = &work->model->elements[sums->element];
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &work->model->laws[rule->laws[i]];
        bool gap = law->group == SS_GROUP_GAP;
        int *mode = &ss_state_edit_mode(E)[rule->laws[i]];
        for (int row = 0; row < law->dim; row++)
            ss_state_edit_P(E)[law->offset + row] += sums->P[gap ? 0 : 1 + row];
        if (gap)
            *mode = sums->closed ? 0 : *mode;
        else
            *mode = sums->slips ? 1 : sums->sticks && *mode == 2 ? 0 : *mode;
    }
}

static void sum_up(const ss_contact *contact, const double P[3], rule_sums *sums)
{
    for (int k = 0; k < 3; k++)
        sums->P[k] += P[k];
    sums->closed |= contact->closed;
    sums->slips |= contact->slips;
    sums->sticks |= contact->closed && !contact->slips;
}

/* Contacts that follow each other, added up by one thread: the sums do not depend on how many there are, and little goes from one
 * to the other. */
enum { BLOCK = 64, BLOCKS = 64, AHEAD = 8 };
typedef struct block_sums {
    int held, n_rules;
    double dissipated, load_work;         /* J */
    double gain[BLOCK], gain_size[BLOCK]; /* per row, J */
    rule_sums rules[BLOCK];
} block_sums;

/* Bodies of a row that will be needed soon. */
static void prefetch(const struct ss_work_contacts *c, const ss_round_contact *row)
{
    const int bodies[2] = {row->a, row->b};
    for (int k = 0; k < 2; k++) {
        __builtin_prefetch(&c->round_rows.begins[0][bodies[k]]);
        __builtin_prefetch(&c->round_rows.bodies[bodies[k]]);
    }
}

static void finish_block(const ss_work *work, int from, int to, const double *u_B, block_sums *sums,
                         ss_state *E)
{
    sums->held = sums->n_rules = 0;
    sums->dissipated = sums->load_work = 0;
    for (int i = from; i < to; i++) {
        ss_contact *contact = &ss_state_edit_contacts(E)[i];
        contact_sums one;
        if (i + AHEAD < to)
            prefetch(work->contacts, &work->contacts->round_rows.contacts[i + AHEAD]);
        finish_contact(work, i, u_B, ss_state_u(E), contact, &one);
        sums->dissipated += one.dissipated;
        sums->load_work += one.load_work;
        sums->gain[i - from] = one.gain;
        sums->gain_size[i - from] = one.size;
        sums->held += contact->closed ? 1 + 2 * !contact->slips : 0;
        if (i == from || contact->element != contact[-1].element)
            sums->rules[sums->n_rules++] = (rule_sums){.element = contact->element};
        sum_up(contact, one.P, &sums->rules[sums->n_rules - 1]);
    }
}

/* What a block adds to the state. */
static void add_block(ss_work *work, int from, int to, const block_sums *sums, ss_state *E)
{
    const ss_contact *contacts = ss_state_contacts(E);
    ss_statistics *all = ss_state_edit_statistics(E);
    all->dissipated += sums->dissipated;
    all->load_work += sums->load_work;
    work->contacts->held += sums->held;
    for (int r = 0; r < sums->n_rules; r++)
        add_rule(work, &sums->rules[r], E);
    for (int i = from; has_gains(work) && i < to; i++)
        ss_work_add_gain(work, moved_at(work, contacts[i].a), moved_at(work, contacts[i].b),
                         sums->gain[i - from], sums->gain_size[i - from]);
}

/* Some blocks side by side, which are then added in their order. */
static void finish_blocks(ss_work *work, int from, int to, const double *u_B, ss_state *E)
{
    block_sums sums[BLOCKS];
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int at = from; at < to; at += BLOCK)
        finish_block(work, at, at + BLOCK < to ? at + BLOCK : to, u_B, &sums[(at - from) / BLOCK],
                     E);
    for (int at = from; at < to; at += BLOCK)
        add_block(work, at, at + BLOCK < to ? at + BLOCK : to, &sums[(at - from) / BLOCK], E);
}

void ss_work_contacts_round_finish(ss_work *work, const ss_solve_report *report, const double *u_B,
                                   ss_state *E)
{
    enum { STRIDE = BLOCK * BLOCKS };
    struct ss_work_contacts *c = work->contacts;
    c->held = 0;
    if (has_gains(work))
        join_gains(work);
    ss_work_round_bodies(work, u_B, c->round_rows.begins[0]);
    ss_work_contacts_settle_modes(work, 1, 2, E);
    for (int from = 0; from < c->n; from += STRIDE)
        finish_blocks(work, from, from + STRIDE < c->n ? from + STRIDE : c->n, u_B, E);
    ss_work_contacts_settle_modes(work, 2, 1, E);
    ss_state_set_contact_count(E, c->n);
    if (has_gains(work))
        ss_work_end_gains(work, &report->residual, ss_state_edit_statistics(E));
}
