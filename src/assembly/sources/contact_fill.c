/* contact_fill.c: the contacts of a step as rows: which form each takes, and its numbers.
 *
 * A contact of rigid bodies that obeys a unilateral law and, or not, Coulomb's friction is a ROUND or a BODY row
 * (rows/rows.h); every other one is a pair of GENERAL blocks. What has infinite mass is body 0 of the store, whatever its
 * shape; its motion is in the bias.
 */
#include "assembly/sources/contacts.h"
#include "model/body.h"

#include "solver/kernels/sweep.h"

#include <math.h>
#include <string.h>

/* ---- Which form ---- */

/* A rule of a unilateral normal law and, or not, Coulomb's friction. */
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
        if (law->group == SS_GROUP_GAP)
            found.normal = law;
        if (slip)
            found.mu = set.scale;
    }
    return found;
}

/* Whether the rows of a step may be ROUND or BODY: its solver sweeps them, laws are on velocity level or have their gaps,
 * and impulses act on bodies through M alone. */
static bool may_sweep(const ss_work *work, const ss_law_form *form)
{
    bool velocities = form->kind == SS_FORM_VELOCITY || form->kind == SS_FORM_DISPLACEMENT ||
                      form->kind == SS_FORM_AVERAGE;
    return !work->contacts->general_only && velocities && !form->implicit && !work->modified &&
           ss_solver_sweeps(work->solver);
}

/* r = x - centre; whether it is along n, and then how long. */
static bool find_arm(const ss_contact *contact, int body, const double centre[3], double r[3],
                     double *along)
{
    const double *n = contact->n;
    double across2 = 0;
    *along = 0;
    r[0] = r[1] = r[2] = 0;
    if (body == 0)
        return true;
    for (int i = 0; i < 3; i++)
        r[i] = contact->x[i] - centre[i];
    *along = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
    for (int i = 0; i < 3; i++) {
        double across = r[i] - *along * n[i];
        across2 += across * across;
    }
    return across2 <= 1e-24 * *along * *along;
}

/* ---- Velocities at a contact ---- */

/* Velocity at the point of a shape that comes from a system. */
static void add_velocity(const ss_work *work, const ss_contact *contact, int s, double sign,
                         const double *u, double gamma[3])
{
    const struct ss_work_contacts *c = work->contacts;
    const double *o = c->frames[s].x, *V = c->V[s], *us = u + work->model->systems[s].u_offset;
    double r[3], w[3], turning[3];
    for (int i = 0; i < 3; i++) {
        r[i] = contact->x[i] - o[i];
        w[i] = us[3 + i];
        for (int j = 0; V && j < 6; j++)
            w[i] = (j == 0 ? 0 : w[i]) + V[6 * (3 + i) + j] * us[j];
    }
    ss_cross(w, r, turning);
    for (int i = 0; i < 3; i++)
        gamma[i] += sign * (us[i] + turning[i]);
}

void ss_work_contact_drive(const ss_work *work, int i, const double *u, double gamma[3])
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    const int shapes[2] = {contact->a, contact->b};
    if (c->store.contacts[i].a != 0 && c->store.contacts[i].b != 0)
        return;
    for (int side = 1; side >= 0; side--) {
        int s = work->model->shapes[shapes[side]].system;
        if (s >= 0 && c->shape_body[shapes[side]] == 0)
            add_velocity(work, contact, s, side ? 1 : -1, u, gamma);
    }
}

/* n γ as the step begins. Translations alone move ROUND contacts along the normal. */
static double normal_velocity(const ss_work *work, int i, const double *u_B)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_row_contact *t = &c->store.contacts[i];
    const ss_row_body *bodies = c->store.begins[0];
    const ss_contact *contact = &c->found[i];
    double gamma[3] = {0}, sum = 0;
    ss_work_contact_drive(work, i, u_B, gamma);
    if (t->form == SS_ROW_ROUND)
        for (int k = 0; k < 3; k++)
            gamma[k] += bodies[t->b].v[k] - bodies[t->a].v[k];
    else {
        if (t->b != 0)
            add_velocity(work, contact, work->model->shapes[contact->b].system, 1, u_B, gamma);
        if (t->a != 0)
            add_velocity(work, contact, work->model->shapes[contact->a].system, -1, u_B, gamma);
    }
    for (int k = 0; k < 3; k++)
        sum += t->n[k] * gamma[k];
    return sum;
}

/* ---- Filling ---- */

static void fill_row(const ss_work *work, const ss_law_form *form, const simple_rule *rule, int i,
                     double dt, const double *u_B)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_row_body *bodies = c->store.begins[0];
    const ss_contact *contact = &c->found[i];
    ss_row_contact *t = &c->store.contacts[i];
    double arms[6];
    *t = (ss_row_contact){
        .a = c->store.number[c->shape_body[contact->a]],
        .b = c->store.number[c->shape_body[contact->b]],
        .mu = rule->mu,
    };
    memcpy(t->n, contact->n, sizeof t->n);
    bool a = find_arm(contact, t->a, bodies[t->a].w, arms, &t->r_a) && c->round[contact->a];
    bool b = find_arm(contact, t->b, bodies[t->b].w, arms + 3, &t->r_b) && c->round[contact->b];
    t->r_b = -t->r_b;
    t->form = a && b ? SS_ROW_ROUND : SS_ROW_BODY;
    if (t->form == SS_ROW_BODY)
        memcpy(c->store.arms[i], arms, sizeof arms);
    double gamma = normal_velocity(work, i, u_B);
    bool displaced = work->laws[rule->normal - work->model->laws].displaced;
    double bias = displaced ? ss_contact_displacement(form, rule->normal, contact->gap, dt, gamma)
                  : form->kind == SS_FORM_AVERAGE ? form->average * gamma
                                                  : rule->normal->epsilon[0] * gamma;
    for (int k = 0; k < 3; k++)
        t->bias[k] += bias * t->n[k];
}

/* Bodies of a contact that will be needed soon. */
static void prefetch(const struct ss_work_contacts *c, const ss_contact *contact)
{
    const int shapes[2] = {contact->a, contact->b};
    for (int k = 0; k < 2; k++)
        if (c->shape_body[shapes[k]] >= 0)
            __builtin_prefetch(&c->store.begins[0][c->store.number[c->shape_body[shapes[k]]]]);
}

/* What a part of the contacts needs. */
typedef struct needs {
    ss_status worst;
    bool swept, body, general; /* some are ROUND or BODY, BODY, GENERAL */
} needs;

/* Contacts from … to - 1, at their places among all; `kind` says which are active. */
static needs fill_part(const ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                       int from, int to)
{
    enum { AHEAD = 8 };
    const struct ss_work_contacts *c = work->contacts;
    simple_rule rule = {0};
    int element = -1;
    needs found = {SS_OK, false, false, false};
    for (int i = from; i < to; i++) {
        const ss_contact *contact = &c->found[i];
        bool active = true;
        if (c->forms && i + AHEAD < to)
            prefetch(c, &c->found[i + AHEAD]);
        if (contact->element != element)
            rule = look_at_rule(work, element = contact->element, dt);
        ss_status status =
            rule.normal ? ss_contact_is_active(work, contact, rule.normal, dt, &active) : SS_OK;
        found.worst = status > found.worst ? status : found.worst;
        c->store.kind[i] = active;
        if (!active)
            continue;
        bool swept = c->forms && rule.simple && c->shape_body[contact->a] >= 0 &&
                     c->shape_body[contact->b] >= 0;
        if (swept)
            fill_row(work, form, &rule, i, dt, u_B);
        else
            c->store.contacts[i] = (ss_row_contact){.form = SS_ROW_GENERAL};
        found.swept = found.swept || swept;
        found.body = found.body || c->store.contacts[i].form == SS_ROW_BODY;
        found.general = found.general || !swept;
    }
    return found;
}

/* What is not active has no row. */
static void drop_inactive(struct ss_work_contacts *c)
{
    int kept = 0;
    for (int i = 0; i < c->n; i++) {
        if (!c->store.kind[i])
            continue;
        if (kept < i) {
            c->found[kept] = c->found[i];
            c->store.contacts[kept] = c->store.contacts[i];
            if (c->store.contacts[i].form == SS_ROW_BODY)
                memcpy(c->store.arms[kept], c->store.arms[i], sizeof *c->store.arms);
        }
        kept++;
    }
    c->n = c->store.n_contacts = kept;
}

void ss_work_contacts_count_bodies(ss_work *work)
{
    const ss_model *model = work->model;
    struct ss_work_contacts *c = work->contacts;
    c->store.n_bodies = 1;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_body *body = model->systems[s].body;
        c->system_body[s] = body && !body->still ? c->store.n_bodies++ : 0;
    }
    for (int i = 0; i < model->n_shapes.count; i++) {
        int s = model->shapes[i].system;
        const ss_body *body = s < 0 ? NULL : model->systems[s].body;
        bool still = s < 0 || (body && body->still);
        c->shape_body[i] = still ? 0 : c->system_body[s] > 0 ? c->system_body[s] : -1;
        c->round[i] = still || (body && body->round);
    }
}

static void take_centres(void *user, int from, int to)
{
    struct ss_work_contacts *c = user;
    for (int s = from; s < to; s++)
        if (c->system_body[s])
            memcpy(c->store.centre[c->system_body[s]], c->frames[s].x, sizeof *c->store.centre);
}

static void take_beginnings(void *user, int from, int to)
{
    const ss_work *work = user;
    struct ss_work_contacts *c = work->contacts;
    for (int s = from; s < to; s++) {
        ss_row_body *body = &c->store.begins[0][c->store.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        memcpy(body->v, c->u_B + work->model->systems[s].u_offset, sizeof body->v);
        memcpy(body->w, c->frames[s].x, sizeof body->w);
    }
}

/* Numbers for this step, by position; the bodies as the step begins, with their centres for w: one line of the cache
 * each, for all that contacts ask of them. */
static void number_bodies(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    int n_systems = work->model->n_systems.count;
    ss_work_parallel_for(work, n_systems, take_centres, c);
    ss_rows_divide(&c->store, c->n);
    c->store.begins[0][0] = (ss_row_body){{0}};
    ss_work_parallel_for(work, n_systems, take_beginnings, work);
}

typedef struct fill_call {
    const ss_work *work;
    atomic_int worst; /* status */
    atomic_bool swept, body, general;
} fill_call;

static void fill_some(void *user, int from, int to)
{
    fill_call *call = user;
    const struct ss_work_contacts *c = call->work->contacts;
    needs found = fill_part(call->work, &c->form, c->dt, c->u_B, from, to);
    if (found.worst != SS_OK)
        atomic_store(&call->worst, (int)found.worst);
    if (found.swept)
        atomic_store(&call->swept, true);
    if (found.body)
        atomic_store(&call->body, true);
    if (found.general)
        atomic_store(&call->general, true);
}

ss_status ss_contacts_fill(ss_work *work, const ss_law_form *form, double dt, const double *u_B,
                           double *impulse)
{
    struct ss_work_contacts *c = work->contacts;
    fill_call call = {.work = work, .worst = SS_OK};
    c->form = *form;
    c->dt = dt;
    c->u_B = u_B;
    c->forms = c->store.n_bodies > 1 && may_sweep(work, form);
    SS_TRY(ss_rows_reserve(&c->store, work->model->context, c->store.n_bodies, work->model->n_u,
                           c->n));
    if (c->forms)
        number_bodies(work);
    ss_work_parallel_for(work, c->n, fill_some, &call);
    SS_TRY((ss_status)atomic_load(&call.worst));
    c->forms = call.swept;
    c->any_body = call.body;
    drop_inactive(c);
    return call.general ? ss_work_contacts_add(work, impulse) : SS_OK;
}
