/* compact_sweep.c: one visit of every touch (S4.37), four at a time. */
#include "solver/compact.h"

#include "inclusion/compact_vector.h"

/* What a sweep is told, and what it tells. */
typedef struct tally {
    ss_vec error2, reference2, change2;
} tally;

/* Sweeps that leave out a pack of touches that were apart in two visits, after the first of which it WAITS: both places of
 * its way are zero then. The residual is that of all touches. */
enum { WAITS = -1, REST = 3, AHEAD = 3 };

/* Without momentum, with one that has no weight yet and only keeps where the sweep begins, and with all of it. */
typedef enum pace { ALONE, WATCHED, MOVING } pace;

SS_INLINE bool is_zero(const ss_vec *x)
{
    ss_vec zero = {0};
    ss_vec_mask m = *x != zero;
    return (m[0] | m[1] | m[2] | m[3]) == 0;
}

/* P goes on. */
SS_INLINE void go_on(const ss_momentum *m, const ss_pack_way *last, ss_pack_way *before,
                     ss_vec *P_N, ss_vec3 *P_T)
{
    ss_vec_go_on(m->beta, last->P_N, before->P_N, P_N);
    ss_vec_go_on(m->beta, last->P_T[0], before->P_T[0], &P_T->x);
    ss_vec_go_on(m->beta, last->P_T[1], before->P_T[1], &P_T->y);
    ss_vec_go_on(m->beta, last->P_T[2], before->P_T[2], &P_T->z);
}

SS_INLINE void keep(ss_pack_way *begin, const ss_vec *P_N, const ss_vec3 *P_T)
{
    ss_vec_store(P_N, begin->P_N);
    ss_vec_store3(P_T, begin->P_T[0]);
}

/* After a visit that began with all four apart, or not. */
SS_INLINE int rest_after(int rest, bool apart, const ss_vec *P_N)
{
    if (!apart || !is_zero(P_N))
        return 0;
    return rest == WAITS ? REST : WAITS;
}

SS_INLINE void count(const ss_vec_touch *touch, const ss_vec *P_N, const ss_vec *dP_N,
                     const ss_vec3 *dP_T, tally *t)
{
    ss_vec size2 = *P_N * *P_N * touch->G_N, N2 = *dP_N * *dP_N * touch->G_N, T2;
    ss_vec_dot(dP_T, dP_T, &T2);
    T2 *= touch->G_T;
    t->change2 += N2 + T2;
    ss_vec_larger(&t->error2, &N2);
    ss_vec_larger(&t->error2, &T2);
    ss_vec_larger(&t->reference2, &size2);
}

SS_INLINE void visit(ss_compact *c, int i, bool wall, pace how, const ss_momentum *m,
                     double relaxation, tally *sums)
{
    ss_touch_pack *p = &c->packs[i];
    ss_vec_touch t;
    ss_vec3 T, P_T, dP_T;
    ss_vec N, P_N, dP_N;
    ss_vec_open(c->bodies, p, wall, &t);
    ss_vec_relative(&t, p, &c->drives[i], wall, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &P_T);
    if (how == MOVING)
        go_on(m, &c->ways[m->turn][i], &c->ways[!m->turn][i], &P_N, &P_T);
    if (how == WATCHED)
        keep(&c->ways[!m->turn][i], &P_N, &P_T);
    bool apart = is_zero(&P_N);
    dP_N = P_N;
    ss_vec_copy3(&P_T, &dP_T);
    ss_vec_project_N(&t, relaxation, &N, &P_N);
    ss_vec_project_T(&t, p, relaxation, &P_N, &T, &P_T);
    ss_vec_store(&P_N, p->P_N);
    ss_vec_store3(&P_T, p->P_T[0]);
    int rest = how == ALONE ? 0 : rest_after(c->rest[i], apart, &P_N);
    if (rest != c->rest[i])
        c->rest[i] = (int8_t)rest;
    dP_N = P_N - dP_N;
    ss_vec_minus3(&P_T, &dP_T, &dP_T);
    ss_vec_push(&t, wall, &dP_N, &dP_T);
    ss_vec_close(&t, p, wall, c->bodies);
    count(&t, &P_N, &dP_N, &dP_T, sums);
}

/* Bodies that will be needed soon. */
SS_INLINE void call(const ss_compact *c, const ss_touch_pack *p, bool wall)
{
    for (int k = 0; k < SS_LANES; k++) {
        ss_vec_call(&c->bodies[p->b[k]]);
        if (!wall)
            ss_vec_call(&c->bodies[p->a[k]]);
    }
}

SS_INLINE void visit_all(ss_compact *c, int from, int to, bool wall, pace how,
                         const ss_momentum *m, double relaxation, tally *sums)
{
    for (int i = from; i < to; i++) {
        if (i + AHEAD < to && c->rest[i + AHEAD] <= 0)
            call(c, &c->packs[i + AHEAD], wall);
        if (c->rest[i] > 0)
            c->rest[i] = c->rest[i] > 1 ? (int8_t)(c->rest[i] - 1) : WAITS;
        else
            visit(c, i, wall, how, m, relaxation, sums);
    }
}

SS_INLINE void visit_group(ss_compact *c, const ss_touch_group *g, pace how, const ss_momentum *m,
                           double relaxation, tally *sums)
{
    visit_all(c, g->from, g->wall, false, how, m, relaxation, sums);
    visit_all(c, g->wall, g->to, true, how, m, relaxation, sums);
}

SS_FOR_EVERY_MACHINE
static void sweep(ss_compact *c, const ss_touch_group *g, const ss_momentum *m, double relaxation,
                  ss_tally *found)
{
    tally sums = {0};
    if (!m)
        visit_group(c, g, ALONE, NULL, relaxation, &sums);
    else if (m->beta == 0)
        visit_group(c, g, WATCHED, m, relaxation, &sums);
    else
        visit_group(c, g, MOVING, m, relaxation, &sums);
    found->change2 = sums.change2[0] + sums.change2[1] + sums.change2[2] + sums.change2[3];
    found->error2 = ss_vec_largest(&sums.error2);
    found->size2 = ss_vec_largest(&sums.reference2);
}

void ss_compact_sweep(ss_compact *c, ss_touch_group *group, const void *user)
{
    const ss_sweep *how = user;
    if (!ss_region_has(how->region, group))
        return;
    if (how->momentum && ss_group_within(group))
        ss_momentum_apply(how->momentum, c, group->part[0]);
    sweep(c, group, how->momentum, how->relaxation, &group->tally[how->turn]);
}
