/* round_sweep.c: one visit of every contact (S4.37), four at a time. */
#include "solver/kernels/round.h"

#include "rows/round_vector.h"

/* What a sweep is told, and what it tells. */
typedef struct tally {
    ss_vec error2, reference2, change2;
} tally;

/* Sweeps that leave out a pack of contacts that were apart in two visits, after the first of which it WAITS: its way
 * is zero then. The residual is that of all contacts. */
enum { WAITS = -1, REST = 3, AHEAD = 3 };

/* Without momentum, with one that has no weight yet and only keeps the way, and with all of it. */
typedef enum pace { ALONE, WATCHED, MOVING } pace;

SS_INLINE bool is_zero(const ss_vec *x)
{
    ss_vec zero = {0};
    ss_vec_mask m = *x != zero;
    return (m[0] | m[1] | m[2] | m[3]) == 0;
}

/* x + β times the way it went; it then went as much farther as was added since, and that. */
SS_INLINE void extrapolate_along(double beta, float *went, const float *added, ss_vec *x)
{
    ss_vec direction, more;
    ss_vec_load_single(went, &direction);
    ss_vec_load_single(added, &more);
    direction *= beta;
    *x += direction;
    more += direction;
    ss_vec_store_single(&more, went);
}

/* P goes on. */
SS_INLINE void extrapolate(const ss_momentum *m, ss_pack_momentum *w, ss_vec *P_N, ss_vec3 *P_T)
{
    extrapolate_along(m->beta, w->went[0], w->added[0], P_N);
    extrapolate_along(m->beta, w->went[1], w->added[1], &P_T->x);
    extrapolate_along(m->beta, w->went[2], w->added[2], &P_T->y);
    extrapolate_along(m->beta, w->went[3], w->added[3], &P_T->z);
}

/* What a visit has added. */
SS_INLINE void keep(const ss_vec *dP_N, const ss_vec3 *dP_T, ss_pack_momentum *w)
{
    ss_vec_store_single(dP_N, w->added[0]);
    ss_vec_store_single(&dP_T->x, w->added[1]);
    ss_vec_store_single(&dP_T->y, w->added[2]);
    ss_vec_store_single(&dP_T->z, w->added[3]);
}

/* After a visit that began with all four apart, or not. */
SS_INLINE int rest_after(int rest, bool apart, const ss_vec *P_N)
{
    if (!apart || !is_zero(P_N))
        return 0;
    return rest == WAITS ? REST : WAITS;
}

SS_INLINE void count(const ss_vec_contact *contact, const ss_vec *P_N, const ss_vec *dP_N,
                     const ss_vec3 *dP_T, tally *t)
{
    ss_vec size2 = *P_N * *P_N * contact->G_N, N2 = *dP_N * *dP_N * contact->G_N, T2;
    ss_vec_dot(dP_T, dP_T, &T2);
    T2 *= contact->G_T;
    t->change2 += N2 + T2;
    ss_vec_larger(&t->error2, &N2);
    ss_vec_larger(&t->error2, &T2);
    ss_vec_larger(&t->reference2, &size2);
}

SS_INLINE void visit(ss_round_rows *c, int i, bool wall, pace pass, const ss_momentum *m,
                     double relaxation, tally *sums)
{
    ss_contact_pack *p = &c->packs[i];
    ss_vec_contact t;
    ss_vec3 T, P_T, dP_T;
    ss_vec N, P_N, dP_N;
    ss_vec_open(c->bodies, p, wall, &t);
    ss_vec_relative(&t, p, &c->drives[i], wall, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &P_T);
    if (pass == MOVING)
        extrapolate(m, &c->momenta[i], &P_N, &P_T);
    if (pass == WATCHED)
        memcpy(c->momenta[i].went, c->momenta[i].added, sizeof c->momenta[i].went);
    bool apart = is_zero(&P_N);
    dP_N = P_N;
    ss_vec_copy3(&P_T, &dP_T);
    ss_vec_project_N(&t, relaxation, &N, &P_N);
    ss_vec_project_T(&t, p, relaxation, &P_N, &T, &P_T);
    ss_vec_store(&P_N, p->P_N);
    ss_vec_store3(&P_T, p->P_T[0]);
    int rest = pass == ALONE ? 0 : rest_after(c->rest[i], apart, &P_N);
    if (rest != c->rest[i])
        c->rest[i] = (int8_t)rest;
    dP_N = P_N - dP_N;
    ss_vec_minus3(&P_T, &dP_T, &dP_T);
    if (pass != ALONE)
        keep(&dP_N, &dP_T, &c->momenta[i]);
    ss_vec_apply(&t, wall, &dP_N, &dP_T);
    ss_vec_close(&t, p, wall, c->bodies);
    count(&t, &P_N, &dP_N, &dP_T, sums);
}

/* Bodies that will be needed soon. */
SS_INLINE void prefetch(const ss_round_rows *c, const ss_contact_pack *p, bool wall)
{
    for (int k = 0; k < SS_LANES; k++) {
        ss_vec_prefetch(&c->bodies[p->b[k]]);
        if (!wall)
            ss_vec_prefetch(&c->bodies[p->a[k]]);
    }
}

SS_INLINE void visit_all(ss_round_rows *c, int from, int to, bool wall, pace pass,
                         const ss_momentum *m, double relaxation, tally *sums)
{
    for (int i = from; i < to; i++) {
        if (i + AHEAD < to && c->rest[i + AHEAD] <= 0)
            prefetch(c, &c->packs[i + AHEAD], wall);
        if (c->rest[i] > 0)
            c->rest[i] = c->rest[i] > 1 ? (int8_t)(c->rest[i] - 1) : WAITS;
        else
            visit(c, i, wall, pass, m, relaxation, sums);
    }
}

SS_INLINE void visit_group(ss_round_rows *c, const ss_contact_group *g, pace pass,
                           const ss_momentum *m, double relaxation, tally *sums)
{
    visit_all(c, g->from, g->wall, false, pass, m, relaxation, sums);
    visit_all(c, g->wall, g->to, true, pass, m, relaxation, sums);
}

SS_FOR_EVERY_MACHINE
static void sweep(ss_round_rows *c, const ss_contact_group *g, const ss_momentum *m,
                  double relaxation, ss_tally *found)
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

void ss_round_sweep(ss_round_rows *c, ss_contact_group *group, const void *user)
{
    const ss_sweep *pass = user;
    if (!ss_region_has(pass->region, group))
        return;
    if (pass->momentum && ss_group_within(group))
        ss_momentum_apply(pass->momentum, c, group->part[0]);
    sweep(c, group, pass->momentum, pass->relaxation, &group->tally[pass->parity]);
}
