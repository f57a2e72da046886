/* freedom_sets.c: the sets that the free impulses of freedom.h stay in. */
#include "la/small.h"
#include "rows/freedom.h"
#include "rows/kind.h"

#include <string.h>

/* Nearest point of { |T| <= mu N } (m components of T); N counts along `sign`. */
static void project_cone(int m, double mu, double sign, double *N, double *T)
{
    double n = sign * *N, t = ss_norm(m, T);
    if (t <= mu * n)
        return;
    if (mu * t <= -n) {
        *N = 0.0;
        memset(T, 0, (size_t)m * sizeof *T);
        return;
    }
    double along = (mu * t + n) / (1.0 + mu * mu);
    *N = sign * along;
    for (int k = 0; k < m; k++)
        T[k] *= mu * along / t;
}

static double side_of(const ss_set *set)
{
    return set->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0;
}

bool ss_freedom_shares_cone(const ss_inclusion *inclusion, int block)
{
    return inclusion->blocks[block].scale_from >= 0 &&
           ss_set_is_round(inclusion->blocks[block].set);
}

/* A friction that sticks and does not share a cone with its normal impulse: its radius is taken
 * as that stands. */
static void project_scaled(const ss_freedom *f, const ss_inclusion *inclusion, const double *P,
                           int block, double *x)
{
    const ss_block *B = &inclusion->blocks[block];
    int normal = f->first[B->scale_from];
    double N = normal >= 0 ? x[normal] : P[inclusion->blocks[B->scale_from].offset];
    double *T = x + f->first[block];
    ss_set_prox(B->set, B->scale * fabs(N), T, T);
}

void ss_freedom_project(const ss_freedom *f, const ss_inclusion *inclusion, const double *P,
                        double *x)
{
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        double *xi = x + f->first[i];
        int partner = f->cone[i];
        if (f->first[i] < 0 || B->scale_from >= 0)
            continue;
        if (partner >= 0)
            project_cone(inclusion->blocks[partner].dim, inclusion->blocks[partner].scale,
                         side_of(B->set), xi, x + f->first[partner]);
        else
            ss_set_prox(B->set, B->scale, xi, xi);
    }
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int from = inclusion->blocks[i].scale_from;
        if (f->first[i] >= 0 && from >= 0 && f->cone[from] != i)
            project_scaled(f, inclusion, P, i, x);
    }
}
