/* work_contact_sleep.c: round bodies that rest are left out of the solution.
 *
 * Bodies that touch each other form a heap. A heap sleeps when its step would be the step before over
 * again: all velocities are exactly zero, the free velocities are the same, and so are the touches, each
 * at its place and none with a body that is driven. Then the percussions are those of the step before, and
 * nothing moves.
 *
 * Sweeps come near to zero velocities without ever reaching them. Heaps that seem to rest are therefore
 * solved from time to time until nearly the last digit; where nothing is left that moves, zero is the
 * solution and takes its place.
 */
#include "base/context.h"
#include "base/joined.h"
#include "model/work_contact_rest.h"
#include "model/work_contacts.h"

#include "solver/compact.h"

#include <string.h>

/* Residual of a solution that may be called exact, and how often it is looked for (steps). */
static const double EXACT = 1e-9;
enum { PATIENCE = 16, NEAR = 16 };

ss_status ss_sleep_create(ss_work *work)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_model *model = work->model;
    bool on = false;
    for (int e = 0; e < model->n_elements.count; e++) {
        const ss_contact_rule *rule = ss_element_rule(&model->elements[e]);
        on = on || (rule && rule->sleep);
    }
    if (!on)
        return SS_OK;
    if (model->pressed)
        ss_log(model->context, SS_LOG_WARNING,
               "nobody sleeps: 'joint_friction' depends on forces that a sleeper would not ask for");
    int n = model->n_systems.count + 1;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &c->sleep));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->parent));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->touches));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->awake));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->free));
    return ss_rest_create(work, &c->rest);
}

/* ---- Heaps ---- */

static int heap_of(ss_sleep *s, int body)
{
    return ss_joined(s->parent, body);
}

static void join(ss_sleep *s, int a, int b)
{
    if (a != 0 && b != 0)
        ss_join(s->parent, a, b);
}

/* Body 0 rests, whoever wakes. */
static void wake(ss_sleep *s, int a, int b)
{
    s->awake[a] = s->awake[b] = true;
    s->awake[0] = false;
}

static int body_of(const ss_work *work, int shape)
{
    int system = work->model->shapes[shape].system;
    return system < 0 ? 0 : work->contacts->system_body[system];
}

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* Bodies that move, or on which other forces act than before. */
static void wake_bodies(ss_work *work, double dt, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    ss_sleep *s = c->sleep;
    for (int b = 0; b < c->compact.n_bodies; b++) {
        const ss_round_body *now = &c->compact.free[b];
        s->parent[b] = b;
        s->touches[b] = 0;
        s->awake[b] = b > 0 && (dt != s->dt || memcmp(now, &s->free[b], sizeof *now) != 0);
    }
    for (int k = 0; k < work->model->n_systems.count; k++)
        if (!is_zero(6, u_B + work->model->systems[k].u_offset))
            wake(s, c->system_body[k], 0);
    memcpy(s->free, c->compact.free, (size_t)c->compact.n_bodies * sizeof *s->free);
    s->dt = dt;
}

/* Touches that are new or elsewhere, or with a body that moves of itself; and those that are no more. */
static void wake_touches(ss_work *work, const ss_contact *before, int n)
{
    struct ss_work_contacts *c = work->contacts;
    ss_sleep *s = c->sleep;
    int from = 0;
    for (int i = 0; i < n; i++) {
        s->touches[body_of(work, before[i].a)]++;
        s->touches[body_of(work, before[i].b)]++;
    }
    for (int i = 0; i < c->n; i++) {
        const ss_contact *now = &c->found[i], *old = ss_contact_before(now, before, n, &from);
        ss_round_touch *t = &c->compact.touches[i];
        double drive[3] = {0};
        ss_work_contact_drive(work, i, work->inclusion.u_free, drive);
        s->touches[t->a]--;
        s->touches[t->b]--;
        join(s, t->a, t->b);
        if (!old || old->gap != now->gap || memcmp(old->n, now->n, sizeof old->n) != 0 ||
            !is_zero(3, drive)) {
            wake(s, t->a, t->b);
            continue;
        }
        t->normal = old->closed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
        t->slip = old->slips ? SS_MODE_IMPRESSED : SS_MODE_CONSTRAINT;
    }
    for (int b = 1; b < c->compact.n_bodies; b++)
        if (s->touches[b] != 0)
            wake(s, b, 0);
}

void ss_sleep_find(ss_work *work, const ss_state *B, double dt, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    ss_sleep *s = c->sleep;
    wake_bodies(work, dt, u_B);
    wake_touches(work, B ? ss_state_contacts(B) : NULL, B ? ss_state_contact_count(B) : 0);
    for (int b = 1; b < c->compact.n_bodies; b++)
        if (s->awake[b])
            s->awake[heap_of(s, b)] = true;
    for (int b = 1; b < c->compact.n_bodies; b++) {
        ss_round_body *free = &c->compact.free[b];
        s->awake[b] = s->awake[heap_of(s, b)];
        if (!s->awake[b])
            memset(free->v, 0, sizeof free->v), memset(free->w, 0, sizeof free->w);
    }
    for (int i = 0; i < c->n; i++) {
        ss_round_touch *t = &c->compact.touches[i];
        t->asleep = !s->awake[t->a] && !s->awake[t->b];
    }
}

/* ---- Falling asleep ---- */

/* Marks heaps that are awake, and says whether there are any with no body faster than this (√J). */
static bool find_slow(ss_work *work, double limit)
{
    struct ss_work_contacts *c = work->contacts;
    ss_sleep *s = c->sleep;
    bool any = false;
    for (int b = 1; b < c->compact.n_bodies; b++)
        s->touches[b] = 0; /* by heaps: 1 when a body is too fast */
    for (int b = 1; b < c->compact.n_bodies; b++) {
        const ss_round_body *body = &c->compact.bodies[b];
        double v2 = 0, w2 = 0;
        for (int i = 0; i < 3; i++) {
            v2 += body->v[i] * body->v[i];
            w2 += body->w[i] * body->w[i];
        }
        if (!(v2 <= limit * limit * body->m_inv && w2 <= limit * limit * body->J_inv))
            s->touches[heap_of(s, b)] = 1;
    }
    for (int b = 1; b < c->compact.n_bodies; b++)
        any = any || (s->awake[b] && s->touches[heap_of(s, b)] == 0);
    return any;
}

ss_status ss_sleep_settle(ss_work *work, ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_sleep *s = c->sleep;
    if (s->steps++ % PATIENCE == 0 && report->residual.value > EXACT &&
        find_slow(work, NEAR * report->residual.absolute)) {
        ss_solve_report once = *report;
        c->compact.tolerance = EXACT;
        ss_status status = ss_solver_solve_compact(work->solver, &c->compact, report);
        c->compact.tolerance = 0;
        report->iterations += once.iterations;
        if (report->residual.value <= once.residual.value)
            report->outcome = once.outcome;
        SS_TRY(status);
    }
    if (report->residual.value > EXACT || !find_slow(work, EXACT * report->residual.reference))
        return SS_OK;
    for (int b = 1; b < c->compact.n_bodies; b++)
        if (s->touches[heap_of(s, b)] == 0) {
            ss_round_body *body = &c->compact.bodies[b];
            memset(body->v, 0, sizeof body->v);
            memset(body->w, 0, sizeof body->w);
        }
    return SS_OK;
}
