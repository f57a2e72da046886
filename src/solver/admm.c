/* admm.c: the alternating direction method of multipliers on De Saxcé's form. One factorization
 * of A + ρ serves until the penalty ρ is adapted; A may be singular. With the scaled multipliers
 * w, y = -ρ w is the shifted velocity. */
#include "solver/splitting.h"

#include "la/small.h"

#include <float.h>
#include <string.h>

typedef struct admm {
    ss_splitting s;
    ss_run *run;
    double rho;
} admm;

static bool factor(admm *a)
{
    ss_scaled_copy_A(a->run->scaled);
    ss_scaled_add_diagonal(a->run, a->rho);
    return ss_lu_factor(a->run->scaled->lu, a->run->scaled->K);
}

/* x = (A + ρ)⁻¹ (ρ (z - w) - b - shift) */
static bool smooth_part(admm *a)
{
    ss_splitting *s = &a->s;
    for (int k = 0; k < a->run->g->n_rows; k++)
        s->v[k] = a->rho * (s->z[k] - s->w[k]) - a->run->scaled->b[k];
    for (int k = 0; k < a->run->g->n_groups; k++) {
        const ss_gathered_group *K = &a->run->g->groups[k];
        if (K->tangential >= 0 && K->mu > 0.0)
            s->v[K->row] -= K->mu * a->rho * ss_norm(K->dim - 1, s->w + K->row + 1);
    }
    return ss_lu_solve(a->run->scaled->lu, s->v, s->x);
}

/* z = projection of x + w, w += x - z, x over-relaxed; the sizes of the primal and the dual
 * residual. */
static void set_part(admm *a, double *primal, double *dual)
{
    ss_splitting *s = &a->s;
    int n = a->run->g->n_rows;
    memcpy(s->last, s->z, (size_t)n * sizeof *s->z);
    for (int k = 0; k < n; k++) {
        s->x[k] = 1.5 * s->x[k] - 0.5 * s->last[k];
        s->z[k] = s->x[k] + s->w[k];
    }
    ss_splitting_project(a->run, s->last, s->z);
    *primal = *dual = 0.0;
    for (int k = 0; k < n; k++) {
        s->w[k] += s->x[k] - s->z[k];
        *primal += (s->x[k] - s->z[k]) * (s->x[k] - s->z[k]);
        *dual += a->rho * a->rho * (s->z[k] - s->last[k]) * (s->z[k] - s->last[k]);
    }
}

/* Balances the two residuals. The multipliers keep their meaning: ρ w stays. */
static bool adapt(admm *a, double primal, double dual)
{
    double factor_of = primal > 25.0 * dual ? 4.0 : dual > 25.0 * primal ? 0.25 : 1.0;
    if (factor_of == 1.0)
        return true;
    a->rho *= factor_of;
    for (int k = 0; k < a->run->g->n_rows; k++)
        a->s.w[k] /= factor_of;
    return factor(a);
}

static ss_status iterate(void *self, ss_run *run)
{
    (void)self;
    admm a = {.run = run, .rho = 1.0};
    ss_splitting *s = &a.s;
    double primal, dual;
    int next = 10;
    SS_TRY(ss_splitting_prepare(s, run));
    SS_TRY(ss_scaled_order(run));
    memcpy(s->z, s->x, (size_t)run->g->n_rows * sizeof *s->x);
    if (!factor(&a))
        return SS_OK;
    for (int i = 1;; i++) {
        if (!smooth_part(&a))
            return SS_OK;
        set_part(&a, &primal, &dual);
        ss_scaled_apply(run->scaled, s->z, s->v);
        ss_scaled_judge(run, s->z, s->v);
        if (run->solved || !ss_run_count(run, run->P))
            return SS_OK;
        if (i < next)
            continue;
        next = i + 10 + i / 4;
        if (!adapt(&a, primal, dual))
            return SS_OK;
    }
}

static const ss_key keys[] = {SS_RUN_KEYS("10000"), {.name = NULL}};

const ss_method ss_method_admm = {
    .ops.type = {.name = "admm",
                 .doc = "Alternating directions with an adapted penalty: factors once, sets one by "
                        "one.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = keys},
    .iterate = iterate,
};
