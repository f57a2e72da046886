/* work_contact_round.c: touches of round bodies with Coulomb friction, in compact form.
 *
 * Grains and balls: most touches of most large models. What has infinite mass is body 0 of the form,
 * whatever its shape; its motion is in the bias.
 */
#include "model/body.h"
#include "model/work_contacts.h"

#include "base/share.h"
#include "solver/compact.h"

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
        bool normal = law->group == SS_GROUP_GAP && set.set == ss_set_half_line() &&
                      !law->ops->correction && law->ops->level;
        bool slip = law->group == SS_GROUP_SLIP && set.set == ss_set_disk(2) &&
                    law->scale_from >= 0 && law->epsilon[0] == 0 && law->epsilon[1] == 0;
        if (!asked || law->r > 0 || law->ops->added || (!normal && !slip))
            found.simple = false;
        if (normal)
            found.normal = law;
        if (slip)
            found.mu = set.scale;
    }
    return found;
}

static bool is_round(const ss_work *work, int shape)
{
    int s = work->model->shapes[shape].system;
    const ss_body *body = s < 0 ? NULL : work->model->systems[s].body;
    return s < 0 || (body && (body->still || body->round));
}

static bool moves(const ss_work *work, int shape)
{
    int s = work->model->shapes[shape].system;
    return s >= 0 && !work->model->systems[s].body->still;
}

/* r = x - centre along n; false when it is not. */
static bool find_arm(const ss_work *work, const ss_contact *contact, int shape, double *arm)
{
    *arm = 0;
    if (!moves(work, shape))
        return true;
    const double *o = work->contacts->frames[work->model->shapes[shape].system].x, *n = contact->n;
    double r[3] = {contact->x[0] - o[0], contact->x[1] - o[1], contact->x[2] - o[2]}, across2 = 0;
    *arm = r[0] * n[0] + r[1] * n[1] + r[2] * n[2];
    for (int i = 0; i < 3; i++) {
        double across = r[i] - *arm * n[i];
        across2 += across * across;
    }
    return across2 <= 1e-24 * *arm * *arm;
}

/* ---- Making it ---- */

/* Velocity at the point of a shape whose motion does not depend on the percussions. */
static void add_still_velocity(const ss_work *work, const ss_contact *contact, int shape,
                               double sign, const double *u, double bias[3])
{
    int s = work->model->shapes[shape].system;
    if (s < 0 || moves(work, shape))
        return;
    const struct ss_work_contacts *c = work->contacts;
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
    const ss_round_touch *touch = &work->contacts->compact.touches[i];
    if (touch->a != 0 && touch->b != 0)
        return;
    add_still_velocity(work, contact, contact->b, 1, u, gamma);
    add_still_velocity(work, contact, contact->a, -1, u, gamma);
}

static double normal_velocity(const ss_round_touch *t, const double *const v[2],
                              const double still[3])
{
    double gamma = 0;
    for (int i = 0; i < 3; i++)
        gamma += t->n[i] * ((v[1] ? v[1][i] : 0) - (v[0] ? v[0][i] : 0) + still[i]);
    return gamma;
}

/* Translations alone move round bodies along the normal. */
static const double *velocity_of(const ss_work *work, int shape, const double *u)
{
    int s = work->model->shapes[shape].system;
    return moves(work, shape) ? u + work->model->systems[s].u_offset : NULL;
}

/* False: the touch does not act through the centres of round bodies. */
static bool fill_touch(const ss_work *work, const ss_law_form *form, const simple_rule *rule, int i,
                       double dt, const double *u_B)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    ss_round_touch *t = &c->compact.touches[i];
    int s_a = work->model->shapes[contact->a].system, s_b = work->model->shapes[contact->b].system;
    *t = (ss_round_touch){
        .a = s_a < 0 ? 0 : c->system_body[s_a],
        .b = s_b < 0 ? 0 : c->system_body[s_b],
        .mu = rule->mu,
    };
    memcpy(t->n, contact->n, sizeof t->n);
    if (!find_arm(work, contact, contact->a, &t->r_a) ||
        !find_arm(work, contact, contact->b, &t->r_b))
        return false;
    t->r_b = -t->r_b;
    double still[3] = {0};
    ss_work_contact_drive(work, i, u_B, still);
    const double *v[2] = {velocity_of(work, contact->a, u_B), velocity_of(work, contact->b, u_B)};
    double gamma = normal_velocity(t, v, still);
    bool displaced = work->laws[rule->normal - work->model->laws].displaced;
    double b = displaced ? ss_contact_displacement(form, rule->normal, contact->gap, dt, gamma)
               : form->kind == SS_FORM_AVERAGE ? form->average * gamma
                                               : rule->normal->epsilon[0] * gamma;
    for (int k = 0; k < 3; k++)
        t->bias[k] += b * t->n[k];
    return true;
}

/* A part of the touches, at their places among all; `kind` says which are active. False: some are not
 * for the compact form. */
static ss_status fill_part(const ss_work *work, const ss_law_form *form, double dt,
                           const double *u_B, int from, int to, bool *simple)
{
    const struct ss_work_contacts *c = work->contacts;
    simple_rule rule = {0};
    int element = -1;
    *simple = true;
    for (int i = from; i < to && *simple; i++) {
        const ss_contact *contact = &c->found[i];
        bool active;
        if (contact->element != element)
            rule = look_at_rule(work, element = contact->element, dt);
        if (!rule.simple || !is_round(work, contact->a) || !is_round(work, contact->b)) {
            *simple = false;
            return SS_OK;
        }
        int normal = (int)(rule.normal - work->model->laws);
        SS_TRY(ss_contact_is_active(work, contact, normal, dt, &active));
        c->compact.kind[i] = active;
        *simple = !active || fill_touch(work, form, &rule, i, dt, u_B);
    }
    return SS_OK;
}

/* What is not active has no touch in the compact form, and is never heard of again. */
static void drop_inactive(struct ss_work_contacts *c)
{
    int kept = 0;
    for (int i = 0; i < c->n; i++) {
        if (!c->compact.kind[i])
            continue;
        if (kept < i) {
            c->found[kept] = c->found[i];
            c->compact.touches[kept] = c->compact.touches[i];
        }
        kept++;
    }
    c->n = c->compact.n_touches = kept;
}

static ss_status fill_touches(ss_work *work, const ss_law_form *form, double dt, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    int worst = SS_OK;
    bool simple = true;
#pragma omp parallel num_threads(work->threads) if (work->threads > 1) reduction(max : worst) \
    reduction(&& : simple)
    {
        int from, to;
        ss_thread_share(c->n, &from, &to);
        worst = (int)fill_part(work, form, dt, u_B, from, to, &simple);
    }
    SS_TRY((ss_status)worst);
    if (simple)
        drop_inactive(c);
    c->round = simple;
    return SS_OK;
}

void ss_work_contacts_number(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    c->compact.n_bodies = 1;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_body *body = work->model->systems[s].body;
        c->system_body[s] = body && !body->still && body->round ? c->compact.n_bodies++ : 0;
    }
}

ss_status ss_work_contacts_round(ss_work *work, const ss_law_form *form, double dt,
                                 const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    bool velocities = form->kind == SS_FORM_VELOCITY || form->kind == SS_FORM_DISPLACEMENT ||
                      form->kind == SS_FORM_AVERAGE;
    c->round = false;
    if (!c->allow_round || work->watch || work->inclusion.n_blocks > 0 || !velocities || work->modified ||
        !ss_solver_is_compact(work->solver))
        return SS_OK;
    c->dt = dt;
    c->u_B = u_B;
    SS_TRY(ss_compact_reserve(&c->compact, work->model->context, c->compact.n_bodies, c->n));
    return fill_touches(work, form, dt, u_B);
}

/* ---- Solving ---- */

static void fill_bodies(const ss_work *work, const double *u, ss_round_body *bodies)
{
    const struct ss_work_contacts *c = work->contacts;
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        ss_round_body *body = &bodies[c->system_body[s]];
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

static void place_bodies(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    for (int s = 0; s < work->model->n_systems.count; s++)
        memcpy(c->compact.centre[c->system_body[s]], c->frames[s].x, sizeof *c->compact.centre);
}

static void fetch_velocities(ss_work *work, double *u)
{
    const struct ss_work_contacts *c = work->contacts;
    memcpy(u, work->inclusion.u_free, (size_t)work->model->n_u * sizeof *u);
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_round_body *body = &c->compact.bodies[c->system_body[s]];
        double *us = u + work->model->systems[s].u_offset;
        if (c->system_body[s] == 0)
            continue;
        memcpy(us, body->v, sizeof body->v);
        if (c->V[s])
            ss_turn_back(c->frames[s].A, body->w, us + 3);
        else
            memcpy(us + 3, body->w, sizeof body->w);
    }
}

/* The first of the touches that is not before another one. */
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

/* Percussions of the last step. Driven bodies move as they do at the end of the step. */
static void guess(ss_work *work, const ss_state *B, int begin, int end)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = B ? ss_state_contacts(B) : NULL;
    int n = B ? ss_state_contact_count(B) : 0;
    int from = begin < end ? first_from(before, n, &c->found[begin]) : 0;
    for (int i = begin; i < end; i++) {
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        if (old)
            memcpy(c->compact.touches[i].P, old->P, sizeof old->P);
        ss_work_contact_drive(work, i, work->inclusion.u_free, c->compact.touches[i].bias);
    }
}

ss_status ss_work_contacts_round_solve(ss_work *work, const ss_state *B, double *u_E,
                                       ss_solve_report *report)
{
    enum { ROUNDING = 4 };
    struct ss_work_contacts *c = work->contacts;
    fill_bodies(work, work->inclusion.u_free, c->compact.free);
    place_bodies(work);
#pragma omp parallel num_threads(work->threads) if (work->threads > 1)
    {
        int from, to;
        ss_thread_share(c->n, &from, &to);
        guess(work, B, from, to);
    }
    if (c->sleep)
        ss_sleep_find(work, B, c->dt, c->u_B);
    SS_TRY(ss_compact_arrange(&c->compact, work->threads));
    SS_TRY(ss_solver_solve_compact(work->solver, &c->compact, report));
    if (c->sleep)
        SS_TRY(ss_sleep_settle(work, report));
#pragma omp parallel num_threads(work->threads) if (work->threads > 1)
    ss_compact_fetch(&c->compact, ROUNDING * report->residual.value, report->residual.reference);
    fetch_velocities(work, u_E);
    return SS_OK;
}

/* ---- Results ---- */

/* Velocity at a touch, and the part of it that does not depend on percussions. */
static void velocity_at(const ss_work *work, int i, const ss_round_body *bodies, const double *u,
                        double gamma[3], double outside[3])
{
    const struct ss_work_contacts *c = work->contacts;
    memset(outside, 0, 3 * sizeof *outside);
    ss_work_contact_drive(work, i, u, outside);
    ss_compact_relative(bodies, &c->compact.touches[i], gamma);
    for (int k = 0; k < 3; k++)
        gamma[k] += outside[k];
}

/* What a touch adds to the sums of a step. */
typedef struct touch_sums {
    double dissipated, load_work, gain, size; /* J */
    double P[3];                              /* along the normal and the tangents, N s */
} touch_sums;

/* Where the velocities begin that a shape's percussions change; -1: it does not move. */
static int moved_at(const ss_work *work, int shape)
{
    return moves(work, shape) ? work->model->systems[work->model->shapes[shape].system].u_offset
                              : -1;
}

static void join_gains(ss_work *work)
{
    const struct ss_work_contacts *c = work->contacts;
    ss_work_begin_gains(work);
    for (int i = 0; i < c->n; i++)
        ss_work_join_gains(work, moved_at(work, c->found[i].a), moved_at(work, c->found[i].b));
}

/* The part of a touch in the energy that impacts add (work_gain.c). */
static void find_gain(const ss_work *work, int i, const double gamma_B[3], const double gamma_E[3],
                      touch_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_element *rule = &work->model->elements[c->found[i].element];
    const double *P = c->compact.touches[i].P, *n = c->found[i].n;
    double gamma[3], outside[3], epsilon = 0, along = 0, normal = 0;
    for (int l = 0; l < rule->n_laws; l++)
        if (work->model->laws[rule->laws[l]].group == SS_GROUP_GAP)
            epsilon = work->model->laws[rule->laws[l]].epsilon[0];
    velocity_at(work, i, c->compact.free, work->inclusion.u_free, gamma, outside);
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
                    touch_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const double *P = c->compact.touches[i].P;
    double gamma[2][3], outside[2][3], t[2][3];
    velocity_at(work, i, c->compact.begins[0], u_B, gamma[0], outside[0]);
    velocity_at(work, i, c->compact.bodies, u_E, gamma[1], outside[1]);
    ss_work_contact_tangents(work, &c->found[i], t);
    for (int k = 0; k < 3; k++) {
        sums->dissipated -= P[k] * (gamma[0][k] + gamma[1][k]) / 2;
        sums->load_work -= P[k] * (outside[0][k] + outside[1][k]) / 2;
        sums->P[0] += P[k] * c->found[i].n[k];
        sums->P[1] += P[k] * t[0][k];
        sums->P[2] += P[k] * t[1][k];
    }
    if (work->any_elastic && work->form == SS_FORM_VELOCITY)
        find_gain(work, i, gamma[0], gamma[1], sums);
}

/* The contact of the state, and what it adds. */
static void finish_touch(const ss_work *work, int i, const double *u_B, const double *u_E,
                         ss_contact *contact, touch_sums *sums)
{
    const struct ss_work_contacts *c = work->contacts;
    const ss_round_touch *touch = &c->compact.touches[i];
    *contact = c->found[i];
    memcpy(contact->P, touch->P, sizeof contact->P);
    contact->closed = touch->normal == SS_MODE_CONSTRAINT;
    contact->slips = contact->closed && touch->slip == SS_MODE_IMPRESSED;
    *sums = (touch_sums){0};
    if (touch->P[0] != 0 || touch->P[1] != 0 || touch->P[2] != 0)
        account(work, i, u_B, u_E, sums);
}

/* What the touches of one rule add to the state, one after the other. */
typedef struct rule_sums {
    int element; /* -1: none yet */
    bool closed, slips, sticks;
    double P[3]; /* along the normal and the tangents, N s */
} rule_sums;

static void add_rule(const ss_work *work, const rule_sums *sums, ss_state *E)
{
    const ss_element *rule = sums->element < 0 ? NULL : &work->model->elements[sums->element];
    for (int i = 0; rule && i < rule->n_laws; i++) {
        const ss_law *law = &work->model->laws[rule->laws[i]];
        bool gap = law->group == SS_GROUP_GAP;
        int *mode = &ss_state_mode(E)[rule->laws[i]];
        for (int row = 0; row < law->dim; row++)
            ss_state_P(E)[law->offset + row] += sums->P[gap ? 0 : 1 + row];
        if (gap)
            *mode = sums->closed ? 0 : *mode;
        else
            *mode = sums->slips ? 1 : sums->sticks && *mode == 2 ? 0 : *mode;
    }
}

static void sum_up(const ss_work *work, const ss_contact *contact, const double P[3],
                   rule_sums *sums, ss_state *E)
{
    if (contact->element != sums->element) {
        add_rule(work, sums, E);
        *sums = (rule_sums){.element = contact->element};
    }
    for (int k = 0; k < 3; k++)
        sums->P[k] += P[k];
    sums->closed |= contact->closed;
    sums->slips |= contact->slips;
    sums->sticks |= contact->closed && !contact->slips;
}

/* Touches in groups: each may be done by another thread, and they are added up in their order. */
static void finish_group(ss_work *work, int from, int to, const double *u_B, touch_sums *sums,
                         ss_state *E)
{
    ss_contact *contacts = ss_state_contacts(E);
    const double *u_E = ss_state_u(E);
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int i = from; i < to; i++)
        finish_touch(work, i, u_B, u_E, &contacts[i], &sums[i - from]);
}

void ss_work_contacts_round_finish(ss_work *work, const ss_solve_report *report, const double *u_B,
                                   ss_state *E)
{
    enum { GROUP = 2048 };
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contacts = ss_state_contacts(E);
    ss_statistics *all = ss_state_statistics(E);
    bool gains = work->any_elastic && work->form == SS_FORM_VELOCITY;
    touch_sums sums[GROUP];
    rule_sums of_rule = {.element = -1};
    c->held = 0;
    if (gains)
        join_gains(work);
    fill_bodies(work, u_B, c->compact.begins[0]);
    ss_work_contacts_settle_modes(work, 1, 2, E);
    for (int from = 0; from < c->n; from += GROUP) {
        int to = from + GROUP < c->n ? from + GROUP : c->n;
        finish_group(work, from, to, u_B, sums, E);
        for (int i = from; i < to; i++) {
            all->dissipated += sums[i - from].dissipated;
            all->load_work += sums[i - from].load_work;
            if (gains)
                ss_work_add_gain(work, moved_at(work, contacts[i].a), moved_at(work, contacts[i].b),
                                 sums[i - from].gain, sums[i - from].size);
            c->held += contacts[i].closed ? 1 + 2 * !contacts[i].slips : 0;
            sum_up(work, &contacts[i], sums[i - from].P, &of_rule, E);
        }
    }
    add_rule(work, &of_rule, E);
    ss_work_contacts_settle_modes(work, 2, 1, E);
    ss_state_set_contact_count(E, c->n);
    if (gains)
        ss_work_end_gains(work, &report->residual, all);
}
