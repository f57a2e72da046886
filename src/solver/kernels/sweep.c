/* sweep.c: one visit of every contact (S4.37), four at a time, and of every block. */
#include "solver/kernels/sweep.h"

#include "base/parallel.h"
#include "rows/body_rows.h"
#include "rows/vector.h"
#include "solver/kernels/general.h"

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

SS_INLINE void count(const ss_vec *G_N, const ss_vec *G_T, const ss_vec *P_N, const ss_vec *dP_N,
                     const ss_vec3 *dP_T, tally *t)
{
    ss_vec size2 = *P_N * *P_N * *G_N, N2 = *dP_N * *dP_N * *G_N, T2;
    ss_vec_dot(dP_T, dP_T, &T2);
    T2 *= *G_T;
    t->change2 += N2 + T2;
    ss_vec_larger(&t->error2, &N2);
    ss_vec_larger(&t->error2, &T2);
    ss_vec_larger(&t->reference2, &size2);
}

/* How a visit goes. */
typedef struct visiting {
    pace how;
    const ss_momentum *m;
    double relaxation;
} visiting;

/* Impulses as the visit of a pack begins. */
SS_INLINE void begin(const visiting *v, ss_pack_momentum *w, ss_vec *P_N, ss_vec3 *P_T)
{
    if (v->how == MOVING)
        extrapolate(v->m, w, P_N, P_T);
    if (v->how == WATCHED)
        memcpy(w->went, w->added, sizeof w->went);
}

/* Impulses as it ends: their changes, the search direction, and whether the pack may rest. */
SS_INLINE void end(const visiting *v, ss_rows *c, int pack, bool apart, const ss_vec *P_N,
                   const ss_vec *dP_N, const ss_vec3 *dP_T)
{
    int rest = v->how == ALONE ? 0 : rest_after(c->rest[pack], apart, P_N);
    if (rest != c->rest[pack])
        c->rest[pack] = (int8_t)rest;
    if (v->how != ALONE)
        keep(dP_N, dP_T, &c->momenta[pack]);
}

/* First the normal law, then friction at the velocity that it leaves; of ROUND contacts it does not depend on the normal impulse. */
SS_INLINE void visit(ss_rows *c, int i, ss_row_form form, bool wall, const visiting *v, tally *sums)
{
    ss_pack *p = ss_rows_pack(c, form, i);
    ss_vec_contact t;
    ss_vec3 T, P_T, dP_T;
    ss_vec N, P_N, dP_N;
    ss_vec_open(c, c->bodies, i, form, wall, &t);
    ss_vec_relative(c, i, form, wall, &t, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &P_T);
    begin(v, &c->momenta[i], &P_N, &P_T);
    bool apart = is_zero(&P_N);
    dP_N = P_N;
    ss_vec_copy3(&P_T, &dP_T);
    ss_vec_project_N(&t.G_N, v->relaxation, &N, &P_N);
    dP_N = P_N - dP_N;
    if (form == SS_ROW_BODY) {
        const ss_body_pack *q = &c->body[i - c->n_round];
        ss_vec3 G_TN;
        ss_vec_load3(q->G_TN[0], &G_TN);
        ss_vec_add3(&dP_N, &G_TN, &T);
        ss_vec_body_project_T(q, v->relaxation, &P_N, &T, &P_T);
    } else {
        ss_vec mu;
        ss_vec_load(p->mu, &mu);
        ss_vec_project_T(&t.G_T, &mu, v->relaxation, &P_N, &T, &P_T);
    }
    ss_vec_store(&P_N, p->P_N);
    ss_vec_store3(&P_T, p->P_T[0]);
    ss_vec_minus3(&P_T, &dP_T, &dP_T);
    end(v, c, i, apart, &P_N, &dP_N, &dP_T);
    ss_vec_apply(c, p, form, wall, &dP_N, &dP_T, &t);
    ss_vec_close(&t, p, wall, c->bodies);
    count(&t.G_N, &t.G_T, &P_N, &dP_N, &dP_T, sums);
}

/* Bodies that will be needed soon. */
SS_INLINE void prefetch(const ss_rows *c, const ss_pack *p, bool wall)
{
    for (int k = 0; k < SS_LANES; k++) {
        ss_vec_prefetch(&c->bodies[p->b[k]]);
        if (!wall)
            ss_vec_prefetch(&c->bodies[p->a[k]]);
    }
}

/* Whether a pack is left out of this sweep. */
SS_INLINE bool rests(int8_t *rest)
{
    if (*rest <= 0)
        return false;
    *rest = *rest > 1 ? (int8_t)(*rest - 1) : WAITS;
    return true;
}

SS_INLINE void visit_batch(ss_rows *c, const ss_batch *g, const visiting *v, tally *sums)
{
    SS_EACH_PACK(g, {
        if (i + AHEAD < end_ && c->rest[i + AHEAD] <= 0)
            prefetch(c, ss_rows_pack(c, form, i + AHEAD), wall);
        if (!rests(&c->rest[i]))
            visit(c, i, form, wall, v, sums);
    });
}

SS_INLINE void sweep_body(ss_rows *c, const ss_batch *g, const ss_momentum *m, double relaxation,
                          ss_tally *found)
{
    tally sums = {0};
    if (!m)
        visit_batch(c, g, &(visiting){ALONE, NULL, relaxation}, &sums);
    else if (m->beta == 0)
        visit_batch(c, g, &(visiting){WATCHED, m, relaxation}, &sums);
    else
        visit_batch(c, g, &(visiting){MOVING, m, relaxation}, &sums);
    found->change2 = sums.change2[0] + sums.change2[1] + sums.change2[2] + sums.change2[3];
    found->error2 = ss_vec_largest(&sums.error2);
    found->size2 = ss_vec_largest(&sums.reference2);
}

SS_DEFINE_KERNEL(sweep,
                 (ss_rows * c, const ss_batch *g, const ss_momentum *m, double relaxation,
                  ss_tally *found),
                 (c, g, m, relaxation, found))

SS_INLINE void extrapolate_bodies_body(const ss_momentum *m, ss_rows *c, int subdomain)
{
    const ss_row_body *last = c->begins[m->parity];
    ss_row_body *before = c->begins[!m->parity];
    for (int i = c->subdomain_start[subdomain]; i < c->subdomain_start[subdomain + 1]; i++) {
        ss_vec v, w;
        ss_vec_load(c->bodies[i].v, &v);
        ss_vec_load(c->bodies[i].w, &w);
        ss_vec_extrapolate(m->beta, last[i].v, before[i].v, &v);
        ss_vec_extrapolate(m->beta, last[i].w, before[i].w, &w);
        ss_vec_store(&v, c->bodies[i].v);
        ss_vec_store(&w, c->bodies[i].w);
    }
}

SS_DEFINE_KERNEL(extrapolate_bodies, (const ss_momentum *m, ss_rows *c, int subdomain),
                 (m, c, subdomain))

/* To the velocities of a subdomain. */
static void apply_momentum(const ss_momentum *m, ss_rows *c, int subdomain)
{
    int from = c->subdomain_start[subdomain], n = c->subdomain_start[subdomain + 1] - from;
    if (m->beta == 0)
        memcpy(c->begins[!m->parity] + from, c->bodies + from, (size_t)n * sizeof *c->bodies);
    else
        extrapolate_bodies(m, c, subdomain);
}

/* To those of systems that are no bodies. */
static void apply_momentum_rest(const ss_momentum *m, ss_rows *c)
{
    int offset = ss_rows_rest_offset(c);
    double *u = c->bodies[0].v + offset, *before = c->begins[!m->parity][0].v + offset;
    const double *last = c->begins[m->parity][0].v + offset;
    for (int i = 0; i < c->general.n_rest; i++) {
        if (m->beta != 0)
            u[i] += m->beta * (last[i] - before[i]);
        before[i] = u[i];
    }
}

void ss_rows_sweep(ss_rows *c, ss_batch *batch, const void *user)
{
    const ss_sweep *pass = user;
    if (!ss_region_has(pass->region, batch))
        return;
    if (pass->momentum && ss_batch_within(batch))
        apply_momentum(pass->momentum, c, batch->subdomain[0]);
    sweep(c, batch, pass->momentum, pass->relaxation, &batch->tally[pass->parity]);
}

/* ---- Blocks ---- */

/* P of a row goes on as that of packs does. */
static void extrapolate_row(const ss_momentum *m, double *P, double *went, double added)
{
    double direction = m->beta == 0 ? 0 : m->beta * *went; /* at first it is none */
    *P += direction;
    *went = added + direction;
}

static void visit_block(const ss_prox_solver *s, ss_rows *c, int i, const ss_momentum *m,
                        ss_tally *sums)
{
    ss_general_rows *g = &c->general;
    const ss_block *B = &g->inclusion.blocks[i];
    const ss_prox_block *b = &s->blocks[i];
    double *P = g->P + B->offset;
    double x[SS_SET_MAX_DIM], y[SS_SET_MAX_DIM], dP[SS_SET_MAX_DIM], dP2 = 0, P2 = 0;
    for (int k = 0; m && k < B->dim; k++)
        extrapolate_row(m, &P[k], &g->went[B->offset + k], g->added[B->offset + k]);
    ss_rows_block_velocity(g, c->bodies, i, x);
    for (int k = 0; k < B->dim; k++)
        x[k] = P[k] - b->r * x[k];
    ss_kernel_prox(B, b, B->dim, g->P, x, y);
    for (int k = 0; k < B->dim; k++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): it has a row */
        dP[k] = y[k] - P[k];
        dP2 += dP[k] * dP[k];
        P2 += y[k] * y[k];
        P[k] = y[k];
        g->added[B->offset + k] = dP[k];
    }
    sums->change2 += dP2 * b->reference_weight;
    sums->error2 = ss_max_nan(sums->error2, dP2 * b->error_weight);
    sums->size2 = ss_max_nan(sums->size2, P2 * b->reference_weight);
    if (dP2 != 0)
        ss_rows_block_apply(g, c->inertia, i, dP, c->bodies);
}

void ss_rows_sweep_general(const ss_prox_solver *s, ss_rows *c, const ss_sweep *pass)
{
    ss_general_rows *g = &c->general;
    if (g->inclusion.n_blocks == 0)
        return;
    if (ss_thread_number() == 0) {
        ss_tally sums = {0};
        if (pass->momentum)
            apply_momentum_rest(pass->momentum, c);
        for (int i = 0; i < g->inclusion.n_blocks; i++)
            if (!g->asleep[i])
                visit_block(s, c, i, pass->momentum, &sums);
        g->tally[pass->parity] = sums;
    }
    ss_thread_barrier();
}
