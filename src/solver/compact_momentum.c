/* compact_momentum.c: sweeps as steps of a nonlinear conjugate gradient method.
 *
 * A sweep takes P to S(P). Taking g = P - S(P) for a gradient, the method of Fletcher and Reeves goes on along
 * the former way by β = ‖g‖²/‖g_before‖², and forgets it when ‖g‖ grows (Silcowitz, Niebe & Erleben 2010). The next
 * sweep brings every percussion back into its set. Velocities depend linearly on percussions and go along, here;
 * the percussions of a pack go on when the next sweep visits it.
 *
 * Sums are taken over chunks, so that they do not depend on the number of threads.
 */
#include "solver/compact.h"

#include "base/share.h"
#include "inclusion/compact_vector.h"

#include <string.h>

void ss_momentum_begin(ss_momentum *m, ss_compact *c)
{
    *m = (ss_momentum){0};
    for (int i = 0; i < c->n_packs; i++) {
        ss_pack_way *w = &c->ways[i];
        memset(w, 0, sizeof *w);
        memcpy(w->before_N, c->packs[i].P_N, sizeof w->before_N);
        memcpy(w->before_T, c->packs[i].P_T, sizeof w->before_T);
    }
    memcpy(c->bodies_before, c->bodies, (size_t)c->n_bodies * sizeof *c->bodies);
    memset(c->bodies_way, 0, (size_t)c->n_bodies * sizeof *c->bodies);
}

/* x += β way, way = β way + (x - before), before = x. */
SS_FOR_EVERY_MACHINE
static void go_on(ss_compact *c, int from, int to, double beta)
{
    for (int i = from; i < to; i++) {
        double *x = c->bodies[i].v, *before = c->bodies_before[i].v, *way = c->bodies_way[i].v;
        for (int half = 0; half < 2; half++, x += SS_LANES, before += SS_LANES, way += SS_LANES) {
            ss_vec now, last, further, on;
            ss_vec_load(x, &now);
            ss_vec_load(before, &last);
            ss_vec_load(way, &further);
            further *= beta;
            on = further + (now - last);
            now += further;
            ss_vec_store(&on, way);
            ss_vec_store(&now, x);
            ss_vec_store(&now, before);
        }
    }
}

/* Near the solution of a heap ‖g‖ often stays the same or grows a little for a while: β is then 1.
 * Sweeps that have gone astray begin anew. */
static double weight(ss_momentum *m, double now2)
{
    const double SLOW = 1.25, ASTRAY = 4;
    double beta = m->last2 > 0 ? now2 / m->last2 : 0;
    m->least2 = m->least2 > 0 ? fmin(m->least2, now2) : now2;
    if (!(beta <= SLOW && now2 <= ASTRAY * m->least2)) {
        m->least2 = now2;
        beta = 0;
    }
    m->last2 = now2;
    return fmin(beta, 1);
}

void ss_momentum_weigh(ss_momentum *m, const ss_compact *c)
{
    double now2 = 0;
    for (int i = 0; i < c->n_chunks; i++)
        now2 += c->chunks[i].change2;
    m->beta = weight(m, now2);
}

void ss_momentum_apply(const ss_momentum *m, ss_compact *c)
{
    int from, to;
    ss_thread_share(c->n_bodies, &from, &to);
    go_on(c, from, to, m->beta);
}
