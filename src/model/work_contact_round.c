/* work_contact_round.c: touches of round bodies with Coulomb friction, in compact form.
 *
 * Grains and balls: most touches of most large models. What has infinite mass is body 0 of the form,
 * whatever its shape; its motion is in the bias.
 */
#include "model/body.h"
#include "model/work_contacts.h"

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

static void add_still_velocities(const ss_work *work, const ss_contact *contact, const double *u,
                                 double bias[3])
{
    add_still_velocity(work, contact, contact->b, 1, u, bias);
    add_still_velocity(work, contact, contact->a, -1, u, bias);
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

static bool fill_touch(ss_work *work, const ss_law_form *form, const simple_rule *rule, int i,
                       double dt, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *contact = &c->found[i];
    ss_round_touch *t = &c->compact.touches[c->compact.n_touches];
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
    add_still_velocities(work, contact, u_B, still);
    const double *v[2] = {velocity_of(work, contact->a, u_B), velocity_of(work, contact->b, u_B)};
    double gamma = normal_velocity(t, v, still);
    bool displaced = work->laws[rule->normal - work->model->laws].displaced;
    double b = displaced ? ss_contact_displacement(form, rule->normal, contact->gap, dt, gamma)
               : form->kind == SS_FORM_AVERAGE ? form->average * gamma
                                               : rule->normal->epsilon[0] * gamma;
    for (int k = 0; k < 3; k++)
        t->bias[k] += b * t->n[k];
    c->compact.n_touches++;
    return true;
}

/* What is not active has no touch in the compact form. */
static ss_status fill_touches(ss_work *work, const ss_law_form *form, double dt, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    simple_rule rule = {0};
    int element = -1, kept = 0;
    c->compact.n_touches = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_contact *contact = &c->found[i];
        if (contact->element != element)
            rule = look_at_rule(work, element = contact->element, dt);
        bool active;
        if (!rule.simple || !is_round(work, contact->a) || !is_round(work, contact->b))
            return SS_OK;
        int normal = (int)(rule.normal - work->model->laws);
        SS_TRY(ss_contact_is_active(work, contact, normal, dt, &active));
        if (!active)
            continue;
        c->compact.place[kept++] = i; /* until the colours need it */
        if (!fill_touch(work, form, &rule, i, dt, u_B))
            return SS_OK;
    }
    for (int k = 0; k < kept; k++) { /* touches that are left out are never heard of again */
        int i = c->compact.place[k];
        c->found[k] = c->found[i];
    }
    c->n = kept;
    c->round = true;
    return SS_OK;
}

static int number_bodies(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    int n = 1;
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_body *body = work->model->systems[s].body;
        c->system_body[s] = body && !body->still && body->round ? n++ : 0;
    }
    return n;
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
    c->compact.n_bodies = number_bodies(work);
    SS_TRY(ss_compact_reserve(&c->compact, work->model->context, c->compact.n_bodies, c->n));
    return fill_touches(work, form, dt, u_B);
}

/* ---- Solving ---- */

static void fill_bodies(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    const double *u = work->inclusion.u_free;
    c->compact.free[0] = (ss_round_body){.m_inv = 0};
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        ss_round_body *body = &c->compact.free[c->system_body[s]];
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
    memcpy(c->compact.bodies, c->compact.free,
           (size_t)c->compact.n_bodies * sizeof *c->compact.free);
}

static void fetch_velocities(ss_work *work, double *u)
{
    const struct ss_work_contacts *c = work->contacts;
    memcpy(u, work->inclusion.u_free, (size_t)work->model->n_u * sizeof *u);
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

/* Percussions of the last step, turned with the normal. */
static void guess(ss_work *work, const ss_state *B)
{
    struct ss_work_contacts *c = work->contacts;
    int n = B ? ss_state_contact_count(B) : 0, from = 0;
    for (int i = 0; i < c->n; i++) {
        const ss_contact *old =
            ss_contact_before(&c->found[i], B ? ss_state_contacts(B) : NULL, n, &from);
        if (old)
            memcpy(c->compact.touches[i].P, old->P, sizeof old->P);
    }
}

ss_status ss_work_contacts_round_solve(ss_work *work, const ss_state *B, double *u_E,
                                       ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    fill_bodies(work);
    for (int i = 0; i < c->n; i++) /* driven bodies move as they do at the end of the step */
        add_still_velocities(work, &c->found[i], work->inclusion.u_free,
                             c->compact.touches[i].bias);
    guess(work, B);
    SS_TRY(ss_compact_colour(&c->compact));
    SS_TRY(ss_solver_solve_compact(work->solver, &c->compact, report));
    ss_compact_fetch(&c->compact);
    fetch_velocities(work, u_E);
    return SS_OK;
}

/* ---- Results ---- */

/* Relative velocity at the common point. */
static void point_velocity(const ss_work *work, const ss_contact *contact, int shape, double sign,
                           const double *u, double gamma[3])
{
    int s = work->model->shapes[shape].system;
    if (s < 0)
        return;
    const struct ss_work_contacts *c = work->contacts;
    const double *us = u + work->model->systems[s].u_offset, *o = c->frames[s].x;
    double r[3] = {contact->x[0] - o[0], contact->x[1] - o[1], contact->x[2] - o[2]}, w[3], turn[3];
    memcpy(w, us + 3, sizeof w);
    if (c->V[s])
        ss_turn(c->frames[s].A, us + 3, w);
    ss_cross(w, r, turn);
    for (int i = 0; i < 3; i++)
        gamma[i] += sign * (us[i] + turn[i]);
}

static void account(ss_work *work, const ss_contact *contact, const double *u_B, const double *u_E,
                    ss_statistics *sums)
{
    double all[3] = {0}, outside[3] = {0};
    const double *u[2] = {u_B, u_E};
    for (int k = 0; k < 2; k++)
        for (int side = 0; side < 2; side++) {
            int shape = side ? contact->b : contact->a;
            point_velocity(work, contact, shape, side ? 0.5 : -0.5, u[k], all);
            if (!moves(work, shape))
                point_velocity(work, contact, shape, side ? 0.5 : -0.5, u[k], outside);
        }
    for (int i = 0; i < 3; i++) {
        sums->dissipated -= contact->P[i] * all[i];
        sums->load_work -= contact->P[i] * outside[i];
    }
}

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
static void add_gain(ss_work *work, const ss_contact *contact, const double *u_B,
                     const double *u_E)
{
    const ss_element *rule = &work->model->elements[contact->element];
    const double *u[3] = {u_B, u_E, work->inclusion.u_free};
    double gamma[3][3] = {{0}}, epsilon = 0, along = 0, normal = 0, gain = 0, size = 0;
    for (int i = 0; i < rule->n_laws; i++)
        if (work->model->laws[rule->laws[i]].group == SS_GROUP_GAP)
            epsilon = work->model->laws[rule->laws[i]].epsilon[0];
    for (int k = 0; k < 3; k++) {
        point_velocity(work, contact, contact->a, -1, u[k], gamma[k]);
        point_velocity(work, contact, contact->b, 1, u[k], gamma[k]);
    }
    for (int i = 0; i < 3; i++) {
        double smooth = gamma[2][i] - gamma[0][i];
        gain += contact->P[i] * (gamma[0][i] + gamma[1][i] + smooth) / 2;
        size += fabs(contact->P[i]) * (fabs(gamma[0][i]) + fabs(gamma[1][i]) + fabs(smooth)) / 2;
        normal += contact->P[i] * contact->n[i];
        along += smooth * contact->n[i];
    }
    /* Δ is 1 for friction, (1 - ε)/(1 + ε) along the normal. */
    gain += normal * along * ((1 - epsilon) / (1 + epsilon) - 1) / 2;
    ss_work_add_gain(work, moved_at(work, contact->a), moved_at(work, contact->b), gain, size);
}

static void sum_up(ss_work *work, const ss_contact *contact, double t[2][3], ss_state *E)
{
    const ss_element *rule = &work->model->elements[contact->element];
    for (int i = 0; i < rule->n_laws; i++) {
        const ss_law *law = &work->model->laws[rule->laws[i]];
        int *mode = &ss_state_mode(E)[rule->laws[i]];
        for (int row = 0; row < law->dim; row++)
            for (int k = 0; k < 3; k++)
                ss_state_P(E)[law->offset + row] +=
                    contact->P[k] * (law->group == SS_GROUP_GAP ? contact->n[k] : t[row][k]);
        if (!contact->closed)
            continue;
        if (law->group == SS_GROUP_GAP)
            *mode = 0;
        else
            *mode = contact->slips ? 1 : *mode == 2 ? 0 : *mode;
    }
}

void ss_work_contacts_round_finish(ss_work *work, const ss_solve_report *report, const double *u_B,
                                   ss_state *E)
{
    enum { ROUNDING = 4 };
    struct ss_work_contacts *c = work->contacts;
    ss_contact *contacts = ss_state_contacts(E);
    bool gains = work->any_elastic && work->form == SS_FORM_VELOCITY;
    c->held = 0;
    if (gains)
        join_gains(work);
    ss_work_contacts_settle_modes(work, 1, 2, E);
    for (int i = 0; i < c->n; i++) {
        ss_contact *contact = &contacts[i];
        ss_mode normal, slip;
        double t[2][3];
        *contact = c->found[i];
        memcpy(contact->P, c->compact.touches[i].P, sizeof contact->P);
        ss_compact_modes(&c->compact, i, ROUNDING * report->residual.value,
                         report->residual.reference, &normal, &slip);
        contact->closed = normal == SS_MODE_CONSTRAINT;
        contact->slips = contact->closed && slip == SS_MODE_IMPRESSED;
        c->held += contact->closed ? 1 + 2 * (slip == SS_MODE_CONSTRAINT) : 0;
        ss_work_contact_tangents(work, contact, t);
        account(work, contact, u_B, ss_state_u(E), ss_state_statistics(E));
        if (gains)
            add_gain(work, contact, u_B, ss_state_u(E));
        sum_up(work, contact, t, E);
    }
    ss_work_contacts_settle_modes(work, 2, 1, E);
    ss_state_set_contact_count(E, c->n);
    if (gains)
        ss_work_end_gains(work, &report->residual, ss_state_statistics(E));
}
