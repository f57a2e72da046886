/* compact_momentum.c: sweeps as steps of a nonlinear conjugate gradient method.
 *
 * A sweep takes P to S(P). Taking g = P - S(P) for a gradient, the method of Fletcher and Reeves goes on along
 * the former way by β = ‖g‖²/‖g_before‖², and forgets it when β > 1 (Silcowitz, Niebe & Erleben 2010). The next
 * sweep brings every percussion back into its set. Velocities depend linearly on percussions and go along.
 *
 * Sums are taken over chunks of packs, so that they do not depend on the number of threads.
 */
#include "solver/compact.h"

#include <string.h>

enum { ROWS = 4 * SS_LANES };

void ss_momentum_begin(ss_momentum *m, ss_compact *c, int threads)
{
    *m = (ss_momentum){.threads = threads};
    for (int i = 0; i < c->n_packs; i++)
        memcpy(c->before[i], c->packs[i].P, sizeof c->before[i]);
    memset(c->way, 0, (size_t)c->n_packs * sizeof *c->way);
    memcpy(c->bodies_before, c->bodies, (size_t)c->n_bodies * sizeof *c->bodies);
    memset(c->bodies_way, 0, (size_t)c->n_bodies * sizeof *c->bodies);
}

static double change2(const ss_compact *c, int i)
{
    const ss_touch_pack *p = &c->packs[i];
    double sum = 0;
    for (int k = 0; k < SS_LANES; k++) {
        double N = p->P[0][k] - c->before[i][k], T2 = 0;
        for (int row = 1; row < 4; row++) {
            double T = p->P[row][k] - c->before[i][row * SS_LANES + k];
            T2 += T * T;
        }
        sum += N * N * p->G_N[k] + T2 * p->G_T[k];
    }
    return sum;
}

static double changes2(ss_momentum *m, ss_compact *c)
{
    int chunks = (c->n_packs + SS_CHUNK - 1) / SS_CHUNK;
    double all = 0;
#pragma omp parallel for schedule(static) num_threads(m->threads) if (m->threads > 1)
    for (int chunk = 0; chunk < chunks; chunk++) {
        int end = (chunk + 1) * SS_CHUNK < c->n_packs ? (chunk + 1) * SS_CHUNK : c->n_packs;
        double sum = 0;
        for (int i = chunk * SS_CHUNK; i < end; i++)
            sum += change2(c, i);
        c->sums[chunk] = sum;
    }
    for (int chunk = 0; chunk < chunks; chunk++)
        all += c->sums[chunk];
    return all;
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

void ss_momentum_apply(ss_momentum *m, ss_compact *c)
{
    enum { NUMBERS = sizeof *c->bodies / sizeof(double) };
    double now2 = changes2(m, c), beta = m->last2 > 0 ? now2 / m->last2 : 0;
    m->last2 = now2;
    if (!(beta <= 1))
        beta = 0;
#pragma omp parallel num_threads(m->threads) if (m->threads > 1)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < c->n_packs; i++)
            go_on(ROWS, beta, c->packs[i].P[0], c->before[i], c->way[i]);
#pragma omp for schedule(static)
        for (int i = 0; i < c->n_bodies; i++)
            go_on(NUMBERS, beta, c->bodies[i].v, c->bodies_before[i].v, c->bodies_way[i].v);
    }
}
