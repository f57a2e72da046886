/* round_sleep.c: round bodies that rest are left out of the solution, as others are (work_contact_rest.c).
 *
 * Bodies that contact each other form a island. Who sleeps keeps the impulses and modes of the step before.
 */
#include "assembly/sources/contacts.h"
#include "base/union_find.h"
#include "la/small.h"
#include "model/body.h"

#include "solver/kernels/round.h"

#include <math.h>
#include <string.h>

/* A solution is aimed at that is better than it must be by this, since what counts is the residual without its small
 * velocities; and the residual that sweeps can reach. */
static const double AIM = 0.1, LEAST = 1e-13;

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
    int n = model->n_systems.count + 1;
    SS_TRY(SS_ARENA_NEW(&work->arena, 1, &c->sleep));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->parent));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->islands));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &c->sleep->left));
    return ss_rest_create(work, &c->rest);
}

/* ---- Heaps ---- */

static ss_island *island_of(ss_sleep *s, int body)
{
    return &s->islands[ss_union_root(s->parent, body)];
}

/* Of the one of its bodies that moves. */
static ss_island *island_of_contact(ss_sleep *s, const ss_round_contact *t)
{
    return island_of(s, t->a != 0 ? t->a : t->b);
}

/* Body 0 joins nobody. */
static void join_islands(struct ss_work_contacts *c)
{
    ss_sleep *s = c->sleep;
    for (int b = 0; b < c->round_rows.n_bodies; b++)
        s->parent[b] = b;
    for (int i = 0; i < c->n; i++) {
        const ss_round_contact *t = &c->round_rows.contacts[i];
        if (t->a != 0 && t->b != 0)
            ss_union_join(s->parent, t->a, t->b);
    }
}

/* u += M⁻¹ W P of one body, with the impulse on it. */
static void apply_impulse(ss_round_body *body, double sign, double arm, const double n[3],
                          const double P[3])
{
    double turn[3];
    ss_cross(n, P, turn);
    for (int k = 0; k < 3; k++) {
        body->v[k] += sign * body->m_inv * P[k];
        body->w[k] -= arm * body->J_inv * turn[k];
    }
}

/* A vector's part along n, and the vector across it. */
static double split(const double x[3], const double n[3], double across[3])
{
    double along = ss_dot(3, x, n);
    for (int k = 0; k < 3; k++)
        across[k] = x[k] - along * n[k];
    return along;
}

/* What a contact adds to the error of its island: the residual of its laws at zero velocity, where γ is the bias. */
static void measure_contact(struct ss_work_contacts *c, const ss_round_contact *t)
{
    const ss_round_body *a = &c->round_rows.free[t->a], *b = &c->round_rows.free[t->b];
    double G_N = a->m_inv + b->m_inv;
    double G_T = G_N + t->r_a * t->r_a * a->J_inv + t->r_b * t->r_b * b->J_inv;
    double P_T[3], gamma_T[3], free[3], free_T[3], x[3], error_T[3];
    double P_N = split(t->P, t->n, P_T), gamma_N = split(t->bias, t->n, gamma_T);
    ss_island *island = island_of_contact(c->sleep, t);
    ss_round_relative(c->round_rows.free, t, free);
    for (int k = 0; k < 3; k++) {
        free[k] += t->bias[k];
        x[k] = P_T[k] - gamma_T[k] / G_T;
    }
    double free_N = split(free, t->n, free_T), bound = t->mu * fmax(P_N, 0), size = ss_norm(3, x);
    for (int k = 0; k < 3; k++)
        error_T[k] = x[k] * (size > bound ? bound / size : 1) - P_T[k];
    double error_N = fmax(P_N - gamma_N / G_N, 0) - P_N;
    island->error = ss_max_nan(island->error, sqrt(G_N) * fabs(error_N));
    island->error = ss_max_nan(island->error, sqrt(G_T) * ss_norm(3, error_T));
    island->reference =
        fmax(island->reference, fmax(sqrt(G_N) * fabs(P_N), sqrt(G_T) * ss_norm(3, P_T)));
    island->reference =
        fmax(island->reference, fmax(fabs(free_N) / sqrt(G_N), ss_norm(3, free_T) / sqrt(G_T)));
}

/* How far zero velocity with the impulses of the contacts is from a solution, for every island. Who sleeps has neither free
 * velocity nor contacts here, and rests. */
static void measure(struct ss_work_contacts *c)
{
    ss_sleep *s = c->sleep;
    size_t n = (size_t)c->round_rows.n_bodies;
    memcpy(s->left, c->round_rows.free, n * sizeof *s->left);
    memset(s->islands, 0, n * sizeof *s->islands);
    for (int i = 0; i < c->n; i++) {
        const ss_round_contact *t = &c->round_rows.contacts[i];
        if (t->asleep)
            continue;
        apply_impulse(&s->left[t->a], -1, t->r_a, t->n, t->P);
        apply_impulse(&s->left[t->b], 1, t->r_b, t->n, t->P);
        measure_contact(c, t);
    }
    for (int b = 1; b < c->round_rows.n_bodies; b++) {
        const ss_round_body *left = &s->left[b];
        double v = ss_norm(3, left->v), w = ss_norm(3, left->w);
        ss_island *island = island_of(s, b);
        island->error = ss_max_nan(island->error, sqrt(v * v / left->m_inv + w * w / left->J_inv));
    }
}

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

/* All are awake but those that had no velocity and rest. */
static void wake(const ss_work *work, const double *u_B)
{
    const struct ss_work_contacts *c = work->contacts;
    for (int k = 0; k < work->model->n_systems.count; k++) {
        const ss_system *system = &work->model->systems[k];
        if (c->system_body[k] == 0)
            continue;
        ss_island *island = island_of(c->sleep, c->round_rows.number[c->system_body[k]]);
        island->awake =
            island->awake || !ss_island_rests(island) || !is_zero(6, u_B + system->u_offset);
    }
}

/* Modes of a contact that sleeps. New ones carry nothing. */
static void keep_modes(ss_round_contact *t, const ss_contact *old)
{
    double across[3];
    bool closed = old ? old->closed : split(t->bias, t->n, across) <= 0;
    t->normal = closed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
    t->slip = old && old->slips ? SS_MODE_IMPRESSED : SS_MODE_CONSTRAINT;
}

void ss_sleep_find(ss_work *work, const ss_state *B, const double *u_B)
{
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = B ? ss_state_contacts(B) : NULL;
    int n = B ? ss_state_contact_count(B) : 0, from = 0;
    join_islands(c);
    measure(c);
    wake(work, u_B);
    for (int i = 0; i < c->n; i++) {
        ss_round_contact *t = &c->round_rows.contacts[i];
        t->asleep = !island_of_contact(c->sleep, t)->awake;
        if (t->asleep)
            keep_modes(t, ss_contact_before(&c->found[i], before, n, &from));
    }
    for (int b = 1; b < c->round_rows.n_bodies; b++) {
        ss_round_body *free = &c->round_rows.free[b];
        if (!island_of(c->sleep, b)->awake)
            memset(free->v, 0, sizeof free->v), memset(free->w, 0, sizeof free->w);
    }
}

/* ---- Falling asleep ---- */

/* The least reference of the islands that seem to rest; INFINITY: there are none. */
static double least_slow(struct ss_work_contacts *c, const ss_solve_report *report)
{
    double least = INFINITY;
    for (int b = 1; b < c->round_rows.n_bodies; b++) {
        const ss_island *island = island_of(c->sleep, b);
        if (ss_island_seems_to_rest(island, report))
            least = fmin(least, island->reference);
    }
    return least;
}

/* Solves again, so well that the islands that seem to rest are exact. */
static ss_status solve_slow(ss_work *work, ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_solve_report once = *report;
    double share = fmin(least_slow(c, report) / report->residual.reference, 1);
    double tolerance = fmax(AIM * share * SS_REST_EXACT, LEAST);
    if (report->residual.value <= tolerance)
        return SS_OK;
    c->round_rows.tolerance = tolerance;
    ss_status status = ss_solver_solve_round(work->solver, &c->round_rows, report);
    c->round_rows.tolerance = 0;
    report->iterations += once.iterations;
    if (report->residual.value <= once.residual.value)
        report->outcome = once.outcome;
    SS_TRY(status);
    ss_work_contacts_round_fetch(work, report);
    measure(c);
    return SS_OK;
}

ss_status ss_sleep_settle(ss_work *work, uint64_t step, ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_work_contacts_round_fetch(work, report);
    measure(c);
    if (step % SS_REST_PATIENCE == 0 && isfinite(least_slow(c, report)))
        SS_TRY(solve_slow(work, report));
    for (int b = 1; b < c->round_rows.n_bodies; b++) {
        ss_round_body *body = &c->round_rows.bodies[b];
        if (ss_island_rests(island_of(c->sleep, b)))
            memset(body->v, 0, sizeof body->v), memset(body->w, 0, sizeof body->w);
    }
    return SS_OK;
}
