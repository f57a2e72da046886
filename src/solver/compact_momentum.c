/* compact_momentum.c: sweeps as steps of a nonlinear conjugate gradient method.
 *
 * A sweep takes P to S(P). Taking g = P - S(P) for a gradient, the method of Fletcher and Reeves goes on along
 * the former way by β = ‖g‖²/‖g_before‖², and forgets it when β > 1 (Silcowitz, Niebe & Erleben 2010). The next
 * sweep brings every percussion back into its set. Velocities depend linearly on percussions and go along, here;
 * the percussions of a pack go on when the next sweep visits it.
 *
 * Sums are taken over chunks, so that they do not depend on the number of threads.
 */
#include "solver/compact.h"

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
static inline void go_on(int n, double beta, double *x, double *before, double *way)
{
    for (int k = 0; k < n; k++) {
        double further = beta * way[k];
        way[k] = further + (x[k] - before[k]);
        x[k] += further;
        before[k] = x[k];
    }
}

void ss_momentum_apply(ss_momentum *m, ss_compact *c, int threads)
{
    enum { NUMBERS = sizeof *c->bodies / sizeof(double) };
    double now2 = 0;
    for (int i = 0; i < c->n_chunks; i++)
        now2 += c->chunks[i].change2;
    m->beta = m->last2 > 0 ? now2 / m->last2 : 0;
    m->last2 = now2;
    if (!(m->beta <= 1))
        m->beta = 0;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int i = 0; i < c->n_bodies; i++)
        go_on(NUMBERS, m->beta, c->bodies[i].v, c->bodies_before[i].v, c->bodies_way[i].v);
}
