/* contact_round.c: contacts of round bodies with Coulomb friction, in round form.
 *
 * Grains and balls: most contacts of most large models. What has infinite mass is body 0 of the form,
 * whatever its shape; its motion is in the bias.
 */
#include "assembly/sources/contacts.h"
#include "model/body.h"

#include "base/thread_range.h"
#include "solver/kernels/round.h"

#include <math.h>
#include <string.h>

/* ---- Whether it is possible ---- */

/* A rule of a one-sided normal law and, or not, Coulomb's round friction. */
typedef struct simple_rule {
    bool simple;
    const ss_law *normal;
    double mu;
} simple_rule;

static simple_rule look_at_rule(const ss_work *work, int element, double dt)
{
    const ss_element *rule = &work->model->elements[element];
    simple_rule found = {.simple = true};
    double gap = 0, gamma[2] = {0};
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &work->model->laws[rule->laws[i]];
        ss_law_at at = {work->t, dt, law->dim, &gap, gamma};
        ss_law_set set = {0};
        bool asked = law->ops->set(law->object.self, &at, &set) == SS_OK;
        bool normal = law->group == SS_GROUP_GAP && set.set->kind == SS_SET_HALF_LINE &&
                      !(law->flags & SS_LAW_CORRECTED) && ss_law_opens(law);
        bool slip = law->group == SS_GROUP_SLIP && set.set->kind == SS_SET_DISK &&
                    (law->flags & SS_LAW_CONSTANT_SET) && law->scale_from >= 0 &&
                    law->epsilon[0] == 0 && law->epsilon[1] == 0;
        if (!asked || law->r > 0 || (law->flags & SS_LAW_ADDED) || (!normal && !slip))
            found.simple = false;
        if (normal)
            found.normal = law;
        if (slip)
            found.mu = set.scale;
    }
    return found;
}

/* r = x - centre along n; false when it is not. */
static bool find_arm(const ss_contact *contact, int body, const double centre[3], double *arm)
{
    *arm = 0;
    if (body == 0)
        return true;
    const double *n = contact->n;
    double r[3], across2 = 0;
    for (int i = 0; i < 3; i++)
        r[i] = contact->x[i] - centre[i];
    *arm = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
    for (int i = 0; i < 3; i++) {
        double across = r[i] - *arm * n[i];
        across2 += across * across;
    }
    return across2 <= 1e-24 * *arm * *arm;
}

/* ---- Making it ---- */

/* Velocity at the point of a shape whose motion does not depend on the impulses. */
static void add_still_velocity(const ss_work *work, const ss_contact *contact, int shape,
                               double sign, const double *u, double bias[3])
{
    const struct ss_work_contacts *c = work->contacts;
    int s = work->model->shapes[shape].system;
    if (s < 0 || c->shape_body[shape] > 0)
        return;
    const double *o = c->frames[s].x, *V = c->V[s], *us = u + work->model->systems[s].u_offset;
    double r[3], w[3], turn[3];
    for (int i = 0; i < 3; i++) {
        r[i] = contact->x[i] - o[i];
        w[i] = us[3 + i];
        for (int j = 0; V && j < 6; j++)
            w[i] = (j == 0 ? 0 : w[i]) + V[6 * (3 + i) + j] * us[j];
    }
    ss_cross(w, r, turn);
    for (int i = 0; i < 3; i++)
        bias[i] += sign * (us[i] + turn[i]);
}

void ss_work_contact_drive(const ss_work *work, int i, const double *u, double gamma[3])
{
    const ss_contact *contact = &work->contacts->found[i];
    const ss_round_contact *row = &work->contacts->round_rows.contacts[i];
    if (row->a != 0 && row->b != 0)
        return;
    add_still_velocity(work, contact, contact->b, 1, u, gamma);
    add_still_velocity(work, contact, contact->a, -1, u, gamma);
}

/* Translations alone move round bodies along the normal. */
static double normal_velocity(const ss_round_contact *t, const ss_round_body *bodies,
                              const double still[3])
{
    double gamma = 0;
    for (int i = 0; i < 3; i++)
        gamma += t->n[i] * (bodies[t->b].v[i] - bodies[t->a].v[i] + still[i]);
    return gamma;
}

/* False: the row does not act through the centres of round bodies. */
static bool fill_contact(const ss_work *work, const ss_law_form *form, const simple_rule *rule,
                         int i, double dt, const double *u_B)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_round_body *bodies = c->round_rows.begins[0];
    const ss_contact *contact = &c->found[i];
    ss_round_contact *t = &c->round_rows.contacts[i];
    *t = (ss_round_contact){
        .a = c->round_rows.number[c->shape_body[contact->a]],
        .b = c->round_rows.number[c->shape_body[contact->b]],
        .mu = rule->mu,
    };
    memcpy(t->n, contact->n, sizeof t->n);
    if (!find_arm(contact, t->a, bodies[t->a].w, &t->r_a) ||
        !find_arm(contact, t->b, bodies[t->b].w, &t->r_b))
        return false;
    t->r_b = -t->r_b;
    double still[3] = {0};
    ss_work_contact_drive(work, i, u_B, still);
    double gamma = normal_velocity(t, bodies, still);
    bool displaced = work->laws[rule->normal - work->model->laws].displaced;
    double b = displaced ? ss_contact_displacement(form, rule->normal, contact->gap, dt, gamma)
               : form->kind == SS_FORM_AVERAGE ? form->average * gamma
                                               : rule->normal->epsilon[0] * gamma;
    for (int k = 0; k < 3; k++)
        t->bias[k] += b * t->n[k];
    return true;
}

/* Bodies of a row that will be needed soon. */
static void prefetch(const struct ss_work_contacts *c, const ss_contact *contact)
{
    const int shapes[2] = {contact->a, contact->b};
    for (int k = 0; k < 2; k++)
        if (c->shape_body[shapes[k]] >= 0)
            __builtin_prefetch(
                &c->round_rows.begins[0][c->round_rows.number[c->shape_body[shapes[k]]]]);
}

/* A part of the contacts, at their places among all; `kind` says which are active. False: some are not
 * for the round form. */
static ss_status fill_part(const ss_work *work, const ss_law_form *form, double dt,
                           const double *u_B, int from, int to, bool *simple)
{
    enum { AHEAD = 8 };
    const struct ss_work_contacts *c = work->contacts;
    simple_rule rule = {0};
    int element = -1;
    *simple = true;
    for (int i = from; i < to && *simple; i++) {
        const ss_contact *contact = &c->found[i];
        bool active;
        if (i + AHEAD < to)
            prefetch(c, &c->found[i + AHEAD]);
        if (contact->element != element)
            rule = look_at_rule(work, element = contact->element, dt);
        if (!rule.simple || c->shape_body[contact->a] < 0 || c->shape_body[contact->b] < 0) {
            *simple = false;
            return SS_OK;
        }
        int normal = (int)(rule.normal - work->model->laws);
        SS_TRY(ss_contact_is_active(work, contact, normal, dt, &active));
        c->round_rows.kind[i] = active;
        *simple = !active || fill_contact(work, form, &rule, i, dt, u_B);
    }
    return SS_OK;
}

/* What is not active has no row in the round form, and is never heard of again. */
static void drop_inactive(struct ss_work_contacts *c)
{
    int kept = 0;
    for (int i = 0; i < c->n; i++) {
        if (!c->round_rows.kind[i])
            continue;
        if (kept < i) {
            c->found[kept] = c->found[i];
            c->round_rows.contacts[kept] = c->round_rows.contacts[i];
        }
        kept++;
    }
    c->n = c->round_rows.n_contacts = kept;
}

static ss_status fill_contacts(ss_work *work, const ss_law_form *form, double dt, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    int worst = SS_OK;
    bool simple = true;
#pragma omp parallel num_threads(work->threads) if (work->threads > 1) reduction(max : worst) \
    reduction(&& : simple)
    {
        int from, to;
        ss_thread_range(c->n, &from, &to);
        worst = (int)fill_part(work, form, dt, u_B, from, to, &simple);
    }
    SS_TRY((ss_status)worst);
    if (simple)
        drop_inactive(c);
    c->round = simple;
    return SS_OK;
}

void ss_work_contacts_count_bodies(ss_work *work)
{
    const ss_model *model = work->model;
    struct ss_work_contacts *c = work->contacts;
    c->round_rows.n_bodies = 1;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_body *body = model->systems[s].body;
        c->system_body[s] = body && !body->still && body->round ? c->round_rows.n_bodies++ : 0;
    }
    for (int i = 0; i < model->n_shapes.count; i++) {
        int s = model->shapes[i].system;
        const ss_body *body = s < 0 ? NULL : model->systems[s].body;
        bool still = s < 0 || (body && body->still);
        c->shape_body[i] = still ? 0 : c->system_body[s] > 0 ? c->system_body[s] : -1;
    }
}

/* Numbers for this step, by place; the bodies as the step begins, with their centres for w: one line of the cache each, for all
 * that contacts ask of them. */
static void number_bodies(ss_work *work, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    ss_round_body *begin = c->round_rows.begins[0];
    int n_systems = work->model->n_systems.count;
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < n_systems; s++)
        if (c->system_body[s])
            memcpy(c->round_rows.centre[c->system_body[s]], c->frames[s].x,
                   sizeof *c->round_rows.centre);
    ss_round_divide(&c->round_rows, c->n);
    begin[0] = (ss_round_body){{0}};
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < n_systems; s++) {
        ss_round_body *body = &begin[c->round_rows.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        memcpy(body->v, u_B + work->model->systems[s].u_offset, sizeof body->v);
        memcpy(body->w, c->frames[s].x, sizeof body->w);
    }
}

ss_status ss_work_contacts_round(ss_work *work, const ss_law_form *form, double dt,
                                 const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    bool velocities = form->kind == SS_FORM_VELOCITY || form->kind == SS_FORM_DISPLACEMENT ||
                      form->kind == SS_FORM_AVERAGE;
    c->round = false;
    if (!c->allow_round || work->watch || work->inclusion.n_blocks > 0 || !velocities ||
        form->implicit || work->modified || !ss_solver_is_round(work->solver))
        return SS_OK;
    c->u_B = u_B;
    SS_TRY(ss_round_reserve(&c->round_rows, work->model->context, c->round_rows.n_bodies, c->n));
    number_bodies(work, u_B);
    return fill_contacts(work, form, dt, u_B);
}

/* ---- Solving ---- */

void ss_work_round_bodies(const ss_work *work, const double *u, ss_round_body *bodies)
{
    const struct ss_work_contacts *c = work->contacts;
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        ss_round_body *body = &bodies[c->round_rows.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        body->m_inv = 1 / system->body->mass;
        body->J_inv = system->body->Jinv[0];
        memcpy(body->v, u + system->u_offset, sizeof body->v);
        if (c->V[s])
            ss_turn(c->frames[s].A, u + system->u_offset + 3, body->w);
        else
            memcpy(body->w, u + system->u_offset + 3, sizeof body->w);
    }
    bodies[0] = (ss_round_body){{0}};
}

static void fetch_velocities(ss_work *work, double *u)
{
    const struct ss_work_contacts *c = work->contacts;
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_round_body *body = &c->round_rows.bodies[c->round_rows.number[c->system_body[s]]];
        const ss_system *system = &work->model->systems[s];
        double *us = u + system->u_offset;
        if (c->system_body[s] == 0) {
            memcpy(us, work->inclusion.u_free + system->u_offset, (size_t)system->nu * sizeof *us);
            continue;
        }
        memcpy(us, body->v, sizeof body->v);
        if (c->V[s])
            ss_turn_back(c->frames[s].A, body->w, us + 3);
        else
            memcpy(us + 3, body->w, sizeof body->w);
    }
}

/* The first of the contacts that is not before another one. */
static int first_from(const ss_contact *contacts, int n, const ss_contact *wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const ss_contact *k = &contacts[middle];
        if (k->a < wanted->a || (k->a == wanted->a && k->b < wanted->b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Impulses of the last step. Driven bodies move as they do at the end of the step. */
static void guess(ss_work *work, const ss_state *B, int begin, int end)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = B ? ss_state_contacts(B) : NULL;
    int n = B ? ss_state_contact_count(B) : 0;
    int from = begin < end ? first_from(before, n, &c->found[begin]) : 0;
    for (int i = begin; i < end; i++) {
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        if (old)
            memcpy(c->round_rows.contacts[i].P, old->P, sizeof old->P);
        ss_work_contact_drive(work, i, work->inclusion.u_free, c->round_rows.contacts[i].bias);
    }
}

void ss_work_contacts_round_fetch(ss_work *work, const ss_solve_report *report)
{
    enum { ROUNDING = 4 };
#pragma omp parallel num_threads(work->threads) if (work->threads > 1)
    ss_round_fetch(&work->contacts->round_rows, ROUNDING * report->residual.value,
                   report->residual.reference);
}

ss_status ss_work_contacts_round_solve(ss_work *work, const ss_state *B, double *u_E,
                                       ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_work_round_bodies(work, work->inclusion.u_free, c->round_rows.free);
#pragma omp parallel num_threads(work->threads) if (work->threads > 1)
    {
        int from, to;
        ss_thread_range(c->n, &from, &to);
        guess(work, B, from, to);
    }
    if (c->sleep)
        ss_sleep_find(work, B, c->u_B);
    SS_TRY(ss_round_arrange(&c->round_rows, work->threads));
    SS_TRY(ss_solver_solve_round(work->solver, &c->round_rows, report));
    if (c->sleep)
        SS_TRY(ss_sleep_settle(work, B ? ss_state_statistics(B)->steps : 0, report));
    ss_work_contacts_round_fetch(work, report);
    fetch_velocities(work, u_E);
    return SS_OK;
}
