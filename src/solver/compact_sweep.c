/* compact_sweep.c: one visit of every touch (S4.37), four at a time. */
#include "solver/compact.h"

#include "inclusion/compact_vector.h"

/* What a sweep is told, and what it tells. */
typedef struct tally {
    ss_vec error2, reference2, change2;
} tally;

/* Sweeps that leave out a pack of touches that are apart. The residual is that of all touches. */
enum { REST = 3 };

/* P and its way, on from where the last sweep left them (compact_momentum.c). */
SS_INLINE void go_on(const double beta, double *before, double *way, ss_vec *P, ss_vec *new_way)
{
    ss_vec from, further;
    ss_vec_load(before, &from);
    ss_vec_load(way, &further);
    further *= beta;
    *new_way = further + (*P - from);
    *P += further;
    ss_vec_store(new_way, way);
    ss_vec_store(P, before);
}

SS_INLINE bool is_zero(const ss_vec *x)
{
    ss_vec zero = {0};
    ss_vec_mask m = *x != zero;
    return (m[0] | m[1] | m[2] | m[3]) == 0;
}

/* Whether all four touches are apart, and nothing is on the way. */
SS_INLINE bool go_on_all(ss_pack_way *w, double beta, ss_vec *P_N, ss_vec3 *P_T)
{
    ss_vec way_N, way_T;
    go_on(beta, w->before_N, w->way_N, P_N, &way_N);
    go_on(beta, w->before_T[0], w->way_T[0], &P_T->x, &way_T);
    go_on(beta, w->before_T[1], w->way_T[1], &P_T->y, &way_T);
    go_on(beta, w->before_T[2], w->way_T[2], &P_T->z, &way_T);
    way_N = (ss_vec)((ss_vec_mask)way_N | (ss_vec_mask)*P_N);
    return is_zero(&way_N);
}

SS_INLINE void count(const ss_touch_pack *p, const ss_vec *P_N, const ss_vec *dP_N,
                     const ss_vec3 *dP_T, tally *t)
{
    ss_vec G, size2, N2, T2;
    ss_vec_load(p->G_N, &G);
    N2 = *dP_N * *dP_N * G;
    size2 = *P_N * *P_N * G;
    ss_vec_load(p->G_T, &G);
    ss_vec_dot(dP_T, dP_T, &T2);
    T2 *= G;
    t->change2 += N2 + T2;
    ss_vec_larger(&t->error2, &N2);
    ss_vec_larger(&t->error2, &T2);
    ss_vec_larger(&t->reference2, &size2);
}

SS_INLINE void visit(ss_compact *c, int i, bool wall, const ss_momentum *m, double relaxation,
                     tally *t)
{
    ss_touch_pack *p = &c->packs[i];
    ss_vec_body A, B;
    ss_vec3 n, T, P_T, dP_T;
    ss_vec r[2], N, P_N, dP_N;
    bool apart = false;
    if (!wall)
        ss_vec_gather(c->bodies, p->a, &A);
    ss_vec_gather(c->bodies, p->b, &B);
    ss_vec_load3(p->n[0], &n);
    ss_vec_load(p->r_a, &r[0]);
    ss_vec_load(p->r_b, &r[1]);
    ss_vec_relative(p, &n, r, wall ? NULL : &A, &B, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &P_T);
    if (m)
        apart = go_on_all(&c->ways[i], m->beta, &P_N, &P_T);
    dP_N = P_N;
    ss_vec_copy3(&P_T, &dP_T);
    ss_vec_project_N(p, relaxation, &N, &P_N);
    ss_vec_project_T(p, relaxation, &P_N, &T, &P_T);
    ss_vec_store(&P_N, p->P_N);
    ss_vec_store3(&P_T, p->P_T[0]);
    if (m)
        p->rest = apart && is_zero(&P_N) ? REST : 0;
    dP_N = P_N - dP_N;
    ss_vec_minus3(&P_T, &dP_T, &dP_T);
    ss_vec_push(&n, r, &dP_N, &dP_T, wall ? NULL : &A, &B);
    if (!wall)
        ss_vec_scatter(&A, p->a, c->bodies);
    ss_vec_scatter(&B, p->b, c->bodies);
    count(p, &P_N, &dP_N, &dP_T, t);
}

SS_INLINE void visit_all(ss_compact *c, const ss_touch_chunk *chunk, bool wall,
                         const ss_momentum *m, double relaxation, tally *t)
{
    for (int i = chunk->from; i < chunk->to; i++) {
        if (c->packs[i].rest > 0)
            c->packs[i].rest--;
        else
            visit(c, i, wall, m, relaxation, t);
    }
}

SS_FOR_EVERY_MACHINE
static void sweep(ss_compact *c, ss_touch_chunk *chunk, const ss_momentum *m, double relaxation,
                  ss_prox_change *change)
{
    tally t = {0};
    if (chunk->wall && m)
        visit_all(c, chunk, true, m, relaxation, &t);
    else if (chunk->wall)
        visit_all(c, chunk, true, NULL, relaxation, &t);
    else if (m)
        visit_all(c, chunk, false, m, relaxation, &t);
    else
        visit_all(c, chunk, false, NULL, relaxation, &t);
    chunk->change2 = t.change2[0] + t.change2[1] + t.change2[2] + t.change2[3];
    *change = (ss_prox_change){ss_vec_largest(&t.error2), ss_vec_largest(&t.reference2)};
}

ss_prox_change ss_compact_sweep(ss_compact *c, int chunk, const ss_momentum *momentum,
                                double relaxation)
{
    ss_prox_change change;
    sweep(c, &c->chunks[chunk], momentum, relaxation, &change);
    return change;
}
