#include "rows/round_vector.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---- */

typedef struct array {
    void **at;
    size_t size; /* of one */
} array;

/* Arrays of `need` each in one piece, on lines of the cache; what they held is lost when they grow. */
static ss_status reserve(ss_round_rows *c, int which, int need, int count, const array *arrays)
{
    struct ss_round_capacity *capacity = &c->capacity[which];
    if (need <= capacity->n)
        return SS_OK;
    size_t n = (size_t)need + (size_t)need / 4, bytes = SS_LINES;
    for (int i = 0; i < count; i++)
        bytes += n * arrays[i].size + SS_LINES;
    ss_release(c->context, capacity->memory);
    *capacity = (struct ss_round_capacity){0, NULL};
    SS_TRY(ss_reallocate(c->context, bytes, 1, &capacity->memory));
    char *at = capacity->memory;
    for (int i = 0; i < count; i++) {
        at += (SS_LINES - (uintptr_t)at % SS_LINES) % SS_LINES;
        *arrays[i].at = at;
        at += n * arrays[i].size;
    }
    capacity->n = (int)n;
    return SS_OK;
}

#define ARRAY(pointer)                         \
    {                                          \
        (void **)&(pointer), sizeof *(pointer) \
    }
#define RESERVE(c, which, need, ...)                                               \
    reserve(c, which, need, (int)(sizeof((array[]){__VA_ARGS__}) / sizeof(array)), \
            (array[]){__VA_ARGS__})

ss_status ss_round_reserve(ss_round_rows *c, ss_context *context, int n_bodies, int n_contacts)
{
    c->context = context;
    SS_TRY(RESERVE(c, SS_CAPACITY_BODIES, n_bodies + 2 * SS_PARTS, ARRAY(c->bodies), ARRAY(c->free),
                   ARRAY(c->begins[0]), ARRAY(c->begins[1]), ARRAY(c->centre), ARRAY(c->used),
                   ARRAY(c->number), ARRAY(c->part)));
    SS_TRY(RESERVE(c, SS_CAPACITY_GROUPS, SS_PARTS * (SS_PARTS + 1) / 2, ARRAY(c->groups),
                   ARRAY(c->tickets)));
    SS_TRY(RESERVE(c, SS_CAPACITY_MEETING, 1, ARRAY(c->barrier)));
    return RESERVE(c, SS_CAPACITY_CONTACTS, n_contacts, ARRAY(c->contacts), ARRAY(c->order),
                   ARRAY(c->kind));
}

ss_status ss_round_reserve_packs(ss_round_rows *c, int n_packs)
{
    c->n_packs = n_packs;
    return RESERVE(c, SS_CAPACITY_PACKS, n_packs, ARRAY(c->packs), ARRAY(c->momenta),
                   ARRAY(c->drives), ARRAY(c->content), ARRAY(c->rest));
}

void ss_round_release(ss_round_rows *c)
{
    for (int i = 0; c->context && i < SS_ROUND_ROOMS; i++)
        ss_release(c->context, c->capacity[i].memory);
    *c = (ss_round_rows){0};
}

/* ---- Velocities ---- */

SS_INLINE void apply_pack(ss_round_rows *c, const ss_contact_pack *p, bool wall)
{
    ss_vec_contact t;
    ss_vec N;
    ss_vec3 T;
    ss_vec_open(c->bodies, p, wall, &t);
    ss_vec_load(p->P_N, &N);
    ss_vec_load3(p->P_T[0], &T);
    ss_vec_apply(&t, wall, &N, &T);
    ss_vec_close(&t, p, wall, c->bodies);
}

/* The first group of a part also takes its bodies to where they are without impulses; body 0 is with the first. */
SS_FOR_EVERY_MACHINE
static void apply_impulses(ss_round_rows *c, const ss_contact_group *g)
{
    if (ss_group_within(g)) {
        int part = g->part[0], idle = ss_round_idle_body(c, part);
        int from = part == 0 ? 0 : c->part_start[part], to = c->part_start[part + 1];
        memcpy(c->bodies + from, c->free + from, (size_t)(to - from) * sizeof *c->bodies);
        c->bodies[idle] = c->free[idle];
    }
    for (int i = g->from; i < g->wall; i++)
        apply_pack(c, &c->packs[i], false);
    for (int i = g->wall; i < g->to; i++)
        apply_pack(c, &c->packs[i], true);
}

static void move(ss_round_rows *c, ss_contact_group *g, const void *user)
{
    (void)user;
    apply_impulses(c, g);
}

void ss_round_motion(ss_round_rows *c)
{
    ss_round_visit(c, move, NULL);
}

/* Relative velocities of a pack in space. */
SS_INLINE void measure(const ss_round_rows *c, const ss_round_body *bodies, int i, bool wall,
                       ss_vec_contact *t, ss_vec *N, ss_vec3 *T)
{
    ss_vec_open(bodies, &c->packs[i], wall, t);
    ss_vec_relative(t, &c->packs[i], &c->drives[i], wall, N, T);
}

SS_INLINE void load_pack(const ss_round_rows *c, int i, bool wall, ss_vec *most)
{
    ss_vec_contact t;
    ss_vec N, T2;
    ss_vec3 T;
    measure(c, c->free, i, wall, &t, &N, &T);
    ss_vec_dot(&T, &T, &T2);
    N *= N / t.G_N;
    T2 /= t.G_T;
    ss_vec_larger(most, &N);
    ss_vec_larger(most, &T2);
}

SS_FOR_EVERY_MACHINE
static double load_of(const ss_round_rows *c, const ss_contact_group *g)
{
    ss_vec most = {0};
    for (int i = g->from; i < g->wall; i++)
        load_pack(c, i, false, &most);
    for (int i = g->wall; i < g->to; i++)
        load_pack(c, i, true, &most);
    return ss_vec_largest(&most);
}

/* The load goes where the first sweep does not write. */
static void move_loaded(ss_round_rows *c, ss_contact_group *g, const void *user)
{
    (void)user;
    apply_impulses(c, g);
    g->tally[1].size2 = load_of(c, g);
}

void ss_round_begin(ss_round_rows *c)
{
    ss_round_visit(c, move_loaded, NULL);
#pragma omp master
    {
        double load2 = 0;
        for (int i = 0; i < c->n_groups; i++)
            load2 = fmax(load2, c->groups[i].tally[1].size2);
        c->reference = sqrt(load2);
    }
}

/* e² of the laws of a pack, and what they count against. */
SS_INLINE void judge(const ss_round_rows *c, int i, bool wall, ss_vec *error2, ss_vec *size2)
{
    const ss_contact_pack *p = &c->packs[i];
    ss_vec_contact t;
    ss_vec N, P_N, x_N, e, P2;
    ss_vec3 T, P_T, x_T;
    measure(c, c->bodies, i, wall, &t, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &P_T);
    x_N = P_N;
    ss_vec_copy3(&P_T, &x_T);
    ss_vec_project_N(&t, 1, &N, &x_N);
    ss_vec_project_T(&t, p, 1, &P_N, &T, &x_T);
    x_N -= P_N;
    ss_vec_minus3(&x_T, &P_T, &x_T);
    *error2 = x_N * x_N * t.G_N;
    *size2 = P_N * P_N * t.G_N;
    ss_vec_dot(&x_T, &x_T, &e);
    ss_vec_dot(&P_T, &P_T, &P2);
    e *= t.G_T;
    P2 *= t.G_T;
    ss_vec_larger(error2, &e);
    ss_vec_larger(size2, &P2);
}

typedef struct verdict {
    ss_vec worst, size, sum; /* e², what it counts against, Σ e² */
} verdict;

SS_INLINE void judge_into(const ss_round_rows *c, int i, bool wall, verdict *v)
{
    ss_vec error2, size2;
    judge(c, i, wall, &error2, &size2);
    v->sum += error2;
    ss_vec_larger(&v->worst, &error2);
    ss_vec_larger(&v->size, &size2);
}

/* The largest e² of a group, or no number when one of them is none. */
SS_FOR_EVERY_MACHINE
static void residual_of(ss_round_rows *c, ss_contact_group *g, const void *user)
{
    (void)user;
    verdict v = {0};
    for (int i = g->from; i < g->wall; i++)
        judge_into(c, i, false, &v);
    for (int i = g->wall; i < g->to; i++)
        judge_into(c, i, true, &v);
    g->tally[0].size2 = ss_vec_largest(&v.size);
    double all = v.sum[0] + v.sum[1] + v.sum[2] + v.sum[3];
    g->tally[0].error2 = isfinite(all) ? ss_vec_largest(&v.worst) : (double)NAN;
}

/* The contact of a group with that error. */
static int find_contact(const ss_round_rows *c, const ss_contact_group *g, double error2)
{
    for (int i = g->from; i < g->to; i++) {
        ss_vec here, size;
        judge(c, i, i >= g->wall, &here, &size);
        for (int k = 0; k < SS_LANES; k++)
            if (!(here[k] < error2) && c->content[i][k] >= 0)
                return c->content[i][k];
    }
    return -1;
}

/* The worst of all groups. */
static ss_residual find_worst(const ss_round_rows *c)
{
    double worst = 0, reference2 = c->reference * c->reference;
    int where = -1;
    for (int i = 0; i < c->n_groups; i++) {
        reference2 = fmax(reference2, c->groups[i].tally[0].size2);
        if (!isnan(worst) && !(c->groups[i].tally[0].error2 <= worst)) {
            worst = c->groups[i].tally[0].error2;
            where = i;
        }
    }
    ss_residual residual = {
        .absolute = sqrt(worst), .reference = sqrt(reference2), .worst_block = -1};
    if (where >= 0)
        residual.worst_block = find_contact(c, &c->groups[where], worst);
    residual.value = worst == 0 ? 0 : residual.absolute / residual.reference;
    if (!isfinite(residual.value))
        residual.value = INFINITY;
    return residual;
}

ss_residual ss_round_residual(ss_round_rows *c)
{
    ss_round_visit(c, residual_of, NULL);
    ss_residual residual = find_worst(c);
    ss_round_barrier(c);
    return residual;
}

void ss_round_clear(ss_round_rows *c)
{
    for (int i = 0; i < c->n_packs; i++) {
        memset(c->packs[i].P_N, 0, sizeof c->packs[i].P_N);
        memset(c->packs[i].P_T, 0, sizeof c->packs[i].P_T);
    }
}

/* ---- Results ---- */

void ss_round_relative(const ss_round_body *bodies, const ss_round_contact *contact,
                       double gamma[3])
{
    const ss_round_body *A = &bodies[contact->a], *B = &bodies[contact->b];
    const double *n = contact->n;
    double s[3];
    for (int i = 0; i < 3; i++)
        s[i] = contact->r_b * B->w[i] + contact->r_a * A->w[i];
    gamma[0] = B->v[0] - A->v[0] - (s[1] * n[2] - s[2] * n[1]);
    gamma[1] = B->v[1] - A->v[1] - (s[2] * n[0] - s[0] * n[2]);
    gamma[2] = B->v[2] - A->v[2] - (s[0] * n[1] - s[1] * n[0]);
}

/* How far P_N - r γ_N is from opening, and P_T - r γ_T from slipping; counted in √J. */
SS_INLINE void distances(const ss_round_rows *c, int i, bool wall, ss_vec *from_open,
                         ss_vec *from_slip)
{
    const ss_contact_pack *p = &c->packs[i];
    ss_vec_contact t;
    ss_vec N, P_N, mu, r;
    ss_vec3 T, x;
    measure(c, c->bodies, i, wall, &t, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &x);
    ss_vec_load(p->mu, &mu);
    r = -1 / t.G_T;
    ss_vec_add3(&r, &T, &x);
    ss_vec_dot(&x, &x, from_slip);
    ss_vec_root(from_slip);
    *from_open = P_N - N / t.G_N;
    *from_slip = mu * P_N - *from_slip;
    ss_vec_root(&t.G_N);
    ss_vec_root(&t.G_T);
    *from_open *= t.G_N;
    *from_slip *= t.G_T;
}

SS_INLINE void fetch_pack(ss_round_rows *c, int i, bool wall, double allowed)
{
    const ss_contact_pack *p = &c->packs[i];
    const int *contact = c->content[i];
    ss_vec open, slip;
    distances(c, i, wall, &open, &slip);
    for (int k = 0; k < SS_LANES && contact[k] >= 0; k++) {
        ss_round_contact *t = &c->contacts[contact[k]];
        double sign = ss_contact_sense(t);
        for (int j = 0; j < 3; j++)
            t->P[j] = sign * (p->P_N[k] * p->n[j][k] + p->P_T[j][k]);
        t->normal = open[k] >= -allowed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
        t->slip = slip[k] >= -allowed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
    }
}

/* Contacts and bodies that will be needed soon. */
SS_INLINE void prefetch(const ss_round_rows *c, int i)
{
    const ss_contact_pack *p = &c->packs[i];
    for (int k = 0; k < SS_LANES; k++) {
        const char *contact =
            (const char *)&c->contacts[c->content[i][k] < 0 ? 0 : c->content[i][k]];
        __builtin_prefetch(contact + offsetof(ss_round_contact, P), 1);
        __builtin_prefetch(contact + offsetof(ss_round_contact, normal), 1);
        __builtin_prefetch(&c->bodies[p->a[k]]);
        __builtin_prefetch(&c->bodies[p->b[k]]);
    }
}

SS_FOR_EVERY_MACHINE
static void fetch(ss_round_rows *c, ss_contact_group *g, const void *user)
{
    enum { AHEAD = 2 };
    double allowed = *(const double *)user;
    for (int i = g->from; i < g->to; i++) {
        if (i + AHEAD < g->to)
            prefetch(c, i + AHEAD);
        if (i < g->wall)
            fetch_pack(c, i, false, allowed);
        else
            fetch_pack(c, i, true, allowed);
    }
}

void ss_round_fetch(ss_round_rows *c, double tolerance, double reference)
{
    double allowed = tolerance * reference;
    ss_round_visit(c, fetch, &allowed);
}
