/* splitting.c: what projected gradients and ADMM share. */
#include "solver/splitting.h"

#include "la/small.h"
#include "rows/coulomb_cone.h"

#include <string.h>

ss_status ss_splitting_prepare(ss_splitting *s, ss_run *run)
{
    double **const vectors[] = {&s->x, &s->v, &s->z, &s->w, &s->last};
    if (s->has_arena)
        ss_arena_release(&s->arena);
    ss_arena_init(&s->arena, run->context);
    s->has_arena = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, run->g->n_rows, vectors[k]));
    SS_TRY(ss_scaled_create(&s->scaled, run, false));
    for (int k = 0; k < run->g->n_rows; k++)
        s->x[k] = run->P[k] / s->scaled.to_P[k];
    return SS_OK;
}

void ss_splitting_destroy(void *self, ss_context *context)
{
    (void)context;
    ss_splitting *s = self;
    ss_scaled_release(&s->scaled);
    ss_run_release(&s->memory);
    if (s->has_arena)
        ss_arena_release(&s->arena);
    s->has_arena = false;
}

ss_status ss_splitting_solve(void *self, ss_context *context, const ss_inclusion *inclusion,
                             ss_trace_fn trace, void *trace_user, double *P, double *u,
                             ss_solve_report *report)
{
    ss_splitting *s = self;
    return ss_run_solve(&s->memory, context, inclusion, &s->options, s->iterate, s, trace,
                        trace_user, P, u, report);
}

const char *ss_splitting_refuses(const void *self, const ss_inclusion *inclusion)
{
    return ss_run_refuses(self, inclusion);
}

void ss_splitting_project(const ss_splitting *s, const ss_run *run, const double *at, double *y)
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
        double scale = B->scale / s->scaled.to_P[K->row];
        if (B->scale_from >= 0) {
            int row = g->row_of[B->scale_from];
            scale *= fabs(at[row]) * s->scaled.to_P[row];
        }
        B->set->ops->prox(B->set->self, B->dim, scale, yk, yk);
    }
}

void ss_splitting_shift(const ss_run *run, double *v)
{
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        double *vk = v + K->row;
        if (K->tangential >= 0)
            vk[0] += K->mu * ss_norm(K->dim - 1, vk + 1);
    }
}

void ss_splitting_judge(const ss_splitting *s, ss_run *run, const double *x, const double *v)
{
    for (int k = 0; k < run->g->n_rows; k++) {
        run->P[k] = s->scaled.to_P[k] * x[k];
        run->gamma[k] = s->scaled.to_u[k] * v[k];
    }
    ss_run_judge(run, run->P, run->gamma);
}

/* Row sums bound it from above; twenty power steps usually come nearer, and get a margin. */
double ss_splitting_largest(ss_splitting *s)
{
    int n = s->scaled.n_rows;
    double bound = 0.0, estimate = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int e = s->scaled.start[i]; e < s->scaled.start[i + 1]; e++)
            sum += fabs(s->scaled.A[e]);
        bound = fmax(bound, sum);
        s->z[i] = 1.0 + (double)(i % 7) / 7.0;
    }
    for (int step = 0; step < 20; step++) {
        ss_scaled_apply(&s->scaled, s->z, s->w);
        double before = 0.0, after = 0.0;
        for (int i = 0; i < n; i++) {
            s->w[i] -= s->scaled.b[i];
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
