/* splitting.c: what projected gradients and ADMM share. */
#include "solver/splitting.h"

#include "la/small.h"
#include "rows/coulomb_cone.h"

ss_status ss_splitting_prepare(ss_splitting *s, ss_run *run)
{
    SS_TRY(ss_scaled_create(run, false));
    SS_TRY(ss_run_vectors(run, (double **[]){&s->x, &s->v, &s->z, &s->w, &s->last, NULL}));
    ss_scaled_take(run, s->x);
    return SS_OK;
}

void ss_splitting_project(const ss_run *run, const double *at, double *y)
{
    const ss_gathered *g = run->g;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        double *yk = y + K->row;
        if (K->tangential >= 0) {
            ss_coulomb_project(K->dim, K->mu, yk);
            continue;
        }
        if (K->kind == SS_SET_FREE || !ss_all_finite(K->dim, yk))
            continue;
        const ss_block *B = &run->inclusion->blocks[K->normal];
        double scale = B->scale / run->scaled->to_P[K->row];
        if (B->scale_from >= 0) {
            int row = g->row_of[B->scale_from];
            scale *= fabs(at[row]) * run->scaled->to_P[row];
        }
        B->set->ops->prox(B->set->self, B->dim, scale, yk, yk);
    }
}

/* Row sums bound it from above; twenty power steps usually come nearer, and get a margin. */
double ss_splitting_largest(ss_splitting *s, const ss_run *run)
{
    const ss_scaled *M = run->scaled;
    int n = M->n_rows;
    double bound = 0.0, estimate = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int e = M->start[i]; e < M->start[i + 1]; e++)
            sum += fabs(M->A[e]);
        bound = fmax(bound, sum);
        s->z[i] = 1.0 + (double)(i % 7) / 7.0;
    }
    for (int step = 0; step < 20; step++) {
        ss_scaled_apply(M, s->z, s->w);
        double before = 0.0, after = 0.0;
        for (int i = 0; i < n; i++) {
            s->w[i] -= M->b[i];
            before += s->z[i] * s->z[i];
            after += s->w[i] * s->w[i];
        }
        if (!(after > 0.0) || !(before > 0.0))
            return fmax(bound, 1.0);
        estimate = sqrt(after / before);
        for (int i = 0; i < n; i++)
            s->z[i] = s->w[i] / sqrt(after);
    }
    return fmax(fmin(bound, 1.1 * estimate), 1e-300);
}
