/* momentum.c: sweeps as steps of a nonlinear conjugate gradient method.
 *
 * A sweep takes P to S(P). Taking g = P - S(P) for a gradient, the method of Fletcher and Reeves goes on along
 * the former way by β = ‖g‖²/‖g_before‖², and forgets it when ‖g‖ grows (Silcowitz, Niebe & Erleben 2010). The way is
 * that from the beginning of the sweep before to the beginning of the last one:
 *
 *     P_next = S(P) + β (P - P_before).
 *
 * The next sweep brings every impulse back into its set. Velocities depend linearly on impulses and go along, here;
 * the impulses of a pack go on when the next sweep visits it.
 *
 * Sums are taken over batches, so that they do not depend on the number of threads.
 */
#include "solver/kernels/sweep.h"

#include "rows/vector.h"

#include <string.h>

SS_INLINE void extrapolate_body(const ss_momentum *m, ss_rows *c, int subdomain)
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

SS_DEFINE_KERNEL(extrapolate, (const ss_momentum *m, ss_rows *c, int subdomain), (m, c, subdomain))

/* Near the solution of a heap ‖g‖ often stays the same or grows a little for a while: β is then 1.
 * Sweeps that have gone astray begin anew; what momentum has stirred up from contact to contact they calm quickly alone, and
 * as long as they do, they are left alone. */
static double weight(ss_momentum *m, double now2, double error)
{
    const double SLOW = 1.25, ASTRAY = 4, QUICK = 0.8;
    bool calming = m->beta == 0 && error < QUICK * m->error;
    double beta = m->last2 > 0 ? now2 / m->last2 : 0;
    m->least2 = m->least2 > 0 ? fmin(m->least2, now2) : now2;
    if (!(beta <= SLOW && now2 <= ASTRAY * m->least2)) {
        m->least2 = now2;
        beta = 0;
    }
    m->last2 = now2;
    m->error = error;
    return calming ? 0 : fmin(beta, 1);
}

/* Momentum may keep sweeps going round for ever, which alone would end: after some hundred it pauses for the second half of
 * every time that is as long as all before. */
static bool pauses(unsigned sweeps)
{
    const unsigned LONG = 128;
    unsigned before = LONG;
    while (2 * before <= sweeps)
        before *= 2;
    return sweeps >= before + before / 2;
}

void ss_momentum_weigh(ss_momentum *m, double change2, double error)
{
    double beta = weight(m, change2, error);
    m->parity = !m->parity;
    m->beta = pauses(++m->sweeps) ? 0 : beta;
}

void ss_momentum_apply(const ss_momentum *m, ss_rows *c, int subdomain)
{
    int from = c->subdomain_start[subdomain], n = c->subdomain_start[subdomain + 1] - from;
    if (m->beta == 0)
        memcpy(c->begins[!m->parity] + from, c->bodies + from, (size_t)n * sizeof *c->bodies);
    else
        extrapolate(m, c, subdomain);
}

void ss_momentum_apply_rest(const ss_momentum *m, ss_rows *c)
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
