/* splitting.c: methods that take turns between G and the sets: projected gradients, Uzawa's
 * iteration and ADMM. They work in the scaled units of run.h and treat all sets. */
#include "la/small.h"
#include "rows/coulomb_cone.h"
#include "solver/anderson.h"
#include "solver/run.h"

#include <string.h>

/* Vectors of n_rows each. */
typedef struct vectors {
    double *x, *v, *z, *w, *last;
} vectors;

/* Memory and matrix; x from run->P. */
static ss_status prepare(vectors *s, ss_run *run)
{
    SS_TRY(ss_scaled_create(run, false));
    SS_TRY(ss_run_vectors(run, (double **[]){&s->x, &s->v, &s->z, &s->w, &s->last, NULL}));
    ss_scaled_take(run, s->x);
    return SS_OK;
}

/* y becomes its projection: contacts onto Coulomb's cone, other blocks onto their sets, scaled as
 * `at` tells. */
static void project(const ss_run *run, const double *at, double *y)
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

/* The largest eigenvalue of A, from above: row sums bound it; twenty power steps usually come
 * nearer, and get a margin. */
static double largest_eigenvalue(vectors *s, const ss_run *run)
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

/* ---- Projected gradients with Nesterov's extrapolation, begun anew when it leads astray (O'Donoghue
 * and Candès), on De Saxcé's form: the shift μ‖u_T‖ is that of the point where the gradient is
 * taken. ---- */

static ss_status nesterov(void *self, ss_run *run)
{
    (void)self;
    vectors s;
    int n = run->g->n_rows;
    double momentum = 1.0;
    SS_TRY(prepare(&s, run));
    double r = 1.0 / largest_eigenvalue(&s, run);
    memcpy(s.w, s.x, (size_t)n * sizeof *s.x);
    do { /* goes on from x with the extrapolated point in w */
        double astray = 0.0, before = momentum;
        ss_scaled_apply(run->scaled, s.w, s.v);
        for (int k = 0; k < run->g->n_groups; k++) { /* v_N += μ ‖v_T‖ */
            const ss_gathered_group *K = &run->g->groups[k];
            if (K->tangential >= 0)
                s.v[K->row] += K->mu * ss_norm(K->dim - 1, s.v + K->row + 1);
        }
        for (int k = 0; k < n; k++)
            s.z[k] = s.w[k] - r * s.v[k];
        project(run, s.w, s.z);
        for (int k = 0; k < n; k++)
            astray += (s.w[k] - s.z[k]) * (s.z[k] - s.x[k]);
        momentum = 0.5 * (1.0 + sqrt(1.0 + 4.0 * before * before));
        double weight = (before - 1.0) / momentum;
        if (astray > 0.0) {
            momentum = 1.0;
            weight = 0.0;
        }
        for (int k = 0; k < n; k++)
            s.w[k] = s.z[k] + weight * (s.z[k] - s.x[k]);
        memcpy(s.x, s.z, (size_t)n * sizeof *s.x);
        ss_scaled_apply(run->scaled, s.x, s.v);
        ss_scaled_judge(run, s.x, s.v);
    } while (ss_run_count(run, run->P) && !run->solved);
    return SS_OK;
}

static const ss_key nesterov_keys[] = {SS_RUN_KEYS("100000"), {.name = NULL}};

const ss_method ss_method_nesterov = {
    .ops.type = {.name = "nesterov",
                 .doc = "Accelerated projected gradients with restart; no factors, little memory.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = nesterov_keys},
    .iterate = nesterov,
};

/* ---- Uzawa's iteration for the saddle point of the augmented Lagrangian (Studer & Glocker 6.6): the
 * motion with the multipliers held fixed, then every multiplier replaced by its projection, friction
 * with the new normal one. ---- */

typedef struct uzawa_solver {
    ss_run_solver base;
    int acceleration; /* steps that Anderson's acceleration remembers; 0: none */
} uzawa_solver;

static ss_status uzawa(void *self, ss_run *run)
{
    uzawa_solver *o = self;
    vectors s;
    ss_anderson anderson;
    int n = run->g->n_rows;
    SS_TRY(prepare(&s, run));
    double r = 1.0 / largest_eigenvalue(&s, run);
    if (o->acceleration > 0)
        SS_TRY(ss_anderson_create(&o->base.scratch, n, o->acceleration, &anderson));
    for (int k = 0; k < n; k++)
        s.w[k] = 1.0;
    ss_anderson_start(&anderson, n, s.w);
    do {
        ss_scaled_apply(run->scaled, s.x, s.v);
        ss_scaled_judge(run, s.x, s.v);
        if (run->solved)
            break;
        for (int k = 0; k < n; k++)
            s.z[k] = s.x[k] - r * s.v[k];
        for (int k = 0; k < run->g->n_groups; k++) {
            const ss_gathered_group *K = &run->g->groups[k];
            double *z = s.z + K->row, N = z[0] > 0.0 ? z[0] : 0.0, R = K->mu * N;
            if (K->tangential < 0)
                continue;
            double size = ss_norm(K->dim - 1, z + 1), shrink = size > R ? R / size : 1.0;
            z[0] = N;
            for (int a = 1; a < K->dim; a++)
                z[a] *= shrink;
        }
        /* What is in Coulomb's cone stays where it is; the other blocks are left to project. */
        project(run, s.x, s.z);
        if (o->acceleration > 0) {
            ss_anderson_next(&anderson, s.z, s.x);
            project(run, s.x, s.x); /* what extrapolation may leave */
        } else {
            memcpy(s.x, s.z, (size_t)n * sizeof *s.x);
        }
    } while (ss_run_count(run, run->P));
    return SS_OK;
}

static const ss_key uzawa_keys[] = {
    SS_RUN_KEYS("1000000"),
    SS_OPTION_INT(uzawa_solver, acceleration, "10", 0, SS_ANDERSON_MOST,
                  "Steps that Anderson's acceleration remembers; 0: the plain iteration."),
    {.name = NULL},
};

const ss_method ss_method_uzawa = {
    .ops.type = {.name = "uzawa",
                 .doc = "Uzawa's iteration for the augmented Lagrangian, one step length for all, "
                        "accelerated.",
                 .self_size = sizeof(uzawa_solver),
                 .keys = uzawa_keys},
    .iterate = uzawa,
};

/* ---- The alternating direction method of multipliers on De Saxcé's form. One factorization of A + ρ
 * serves until the penalty ρ is adapted; A may be singular. With the scaled multipliers w, y = -ρ w is
 * the shifted velocity. ---- */

typedef struct directions {
    vectors s;
    ss_run *run;
    double rho;
} directions;

static bool factor(directions *a)
{
    ss_scaled_copy_A(a->run->scaled);
    ss_scaled_add_diagonal(a->run, a->rho);
    return ss_lu_factor(a->run->scaled->lu, a->run->scaled->K);
}

/* z = projection of x + w, w += x - z, x over-relaxed; the sizes of the primal and the dual
 * residual. */
static void set_part(directions *a, double *primal, double *dual)
{
    vectors *s = &a->s;
    int n = a->run->g->n_rows;
    memcpy(s->last, s->z, (size_t)n * sizeof *s->z);
    for (int k = 0; k < n; k++) {
        s->x[k] = 1.5 * s->x[k] - 0.5 * s->last[k];
        s->z[k] = s->x[k] + s->w[k];
    }
    project(a->run, s->last, s->z);
    *primal = *dual = 0.0;
    for (int k = 0; k < n; k++) {
        s->w[k] += s->x[k] - s->z[k];
        *primal += (s->x[k] - s->z[k]) * (s->x[k] - s->z[k]);
        *dual += a->rho * a->rho * (s->z[k] - s->last[k]) * (s->z[k] - s->last[k]);
    }
}

static ss_status admm(void *self, ss_run *run)
{
    (void)self;
    directions a = {.run = run, .rho = 1.0};
    vectors *s = &a.s;
    double primal, dual;
    int next = 10;
    SS_TRY(prepare(s, run));
    SS_TRY(ss_scaled_order(run));
    memcpy(s->z, s->x, (size_t)run->g->n_rows * sizeof *s->x);
    if (!factor(&a))
        return SS_OK;
    for (int i = 1;; i++) {
        /* x = (A + ρ)⁻¹ (ρ (z - w) - b - shift) */
        for (int k = 0; k < run->g->n_rows; k++)
            s->v[k] = a.rho * (s->z[k] - s->w[k]) - run->scaled->b[k];
        for (int k = 0; k < run->g->n_groups; k++) {
            const ss_gathered_group *K = &run->g->groups[k];
            if (K->tangential >= 0 && K->mu > 0.0)
                s->v[K->row] -= K->mu * a.rho * ss_norm(K->dim - 1, s->w + K->row + 1);
        }
        if (!ss_lu_solve(run->scaled->lu, s->v, s->x))
            return SS_OK;
        set_part(&a, &primal, &dual);
        ss_scaled_apply(run->scaled, s->z, s->v);
        ss_scaled_judge(run, s->z, s->v);
        if (run->solved || !ss_run_count(run, run->P))
            return SS_OK;
        if (i < next)
            continue;
        next = i + 10 + i / 4;
        /* Balances the two residuals. The multipliers keep their meaning: ρ w stays. */
        double change = primal > 25.0 * dual ? 4.0 : dual > 25.0 * primal ? 0.25 : 1.0;
        a.rho *= change;
        for (int k = 0; k < run->g->n_rows; k++)
            s->w[k] /= change;
        if (change != 1.0 && !factor(&a))
            return SS_OK;
    }
}

static const ss_key admm_keys[] = {SS_RUN_KEYS("10000"), {.name = NULL}};

const ss_method ss_method_admm = {
    .ops.type = {.name = "admm",
                 .doc = "Alternating directions with an adapted penalty: factors once, sets one by "
                        "one.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = admm_keys},
    .iterate = admm,
};
