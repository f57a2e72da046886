/* newton.c: the iteration of the semismooth Newton methods. */
#include "solver/newton.h"

#include "la/small.h"

#include <string.h>

const char *ss_newton_refuses(const ss_newton_form *form, const ss_inclusion *inclusion)
{
    if (form->cones)
        return ss_inclusion_not_coulomb(inclusion);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        if (!ss_set_is_simple(B->set))
            return "its derivatives are known for half lines, intervals, plane disks and free "
                   "blocks only";
        if (B->scale_from >= 0 && inclusion->blocks[B->scale_from].set->kind != SS_SET_HALF_LINE)
            return "a block is scaled by one that is not a half line";
    }
    return NULL;
}

void ss_newton_release(ss_newton *s)
{
    ss_scaled_release(&s->scaled);
    if (s->has_arena)
        ss_arena_release(&s->arena);
    s->has_arena = false;
}

static ss_status reserve_capacity(ss_newton *s, const ss_run *run)
{
    double **const vectors[] = {&s->x,       &s->v,       &s->F,       &s->dx,
                                &s->trial_x, &s->trial_v, &s->trial_F, &s->centre};
    if (s->has_arena)
        ss_arena_release(&s->arena);
    ss_arena_init(&s->arena, run->context);
    s->has_arena = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, run->g->n_rows, vectors[k]));
    return SS_OK;
}

/* The scale of a single block, in the units of x. */
static double scale_of(const ss_newton *s, const ss_run *run, const ss_gathered_group *K,
                       const double *x)
{
    const ss_block *B = &run->inclusion->blocks[K->normal];
    double to_P = s->scaled.to_P[K->row];
    if (B->scale_from < 0)
        return B->scale / to_P;
    int row = run->g->row_of[B->scale_from];
    return B->scale * fabs(x[row] * s->scaled.to_P[row]) / to_P;
}

static double norm2(int n, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sum;
}

/* v and F at x; returns ‖F‖. v is that of the proximal step, F is made of it. */
static double evaluate(const ss_newton *s, const ss_run *run, const double *x, double *v, double *F)
{
    int n = run->g->n_rows;
    ss_scaled_apply(&s->scaled, x, v);
    for (int k = 0; k < n && s->alpha > 0.0; k++)
        v[k] += s->alpha * (x[k] - s->centre[k]);
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        s->form.rows(K, scale_of(s, run, K, x), x + K->row, v + K->row, F + K->row, NULL, NULL);
    }
    return sqrt(norm2(n, F));
}

double ss_newton_merit(const ss_newton *s)
{
    return sqrt(norm2(s->scaled.n_rows, s->F));
}

void ss_newton_restart(ss_newton *s, const ss_run *run)
{
    for (int k = 0; k < run->g->n_rows; k++)
        s->x[k] = run->P[k] / s->scaled.to_P[k];
    evaluate(s, run, s->x, s->v, s->F);
}

ss_status ss_newton_prepare(ss_newton *s, const ss_newton_form *form, ss_run *run)
{
    s->form = *form;
    s->alpha = 0.0;
    SS_TRY(reserve_capacity(s, run));
    SS_TRY(ss_scaled_create(&s->scaled, run, form->cones));
    SS_TRY(ss_scaled_order(&s->scaled));
    ss_newton_restart(s, run);
    return SS_OK;
}

/* Rows of group k of K = B (A + compliance) + its own A. */
static void fill_group(ss_newton *s, const ss_gathered_group *K, const double *own, const double *B,
                       double compliance)
{
    ss_scaled *M = &s->scaled;
    int d = K->dim, row = K->row, length = M->start[row + 1] - M->start[row];
    for (int a = 0; a < d; a++) {
        double *to = M->K + M->start[row + a];
        memset(to, 0, (size_t)length * sizeof *to);
        for (int b = 0; b < d; b++)
            if (B[a * d + b] != 0.0)
                ss_axpy(length, B[a * d + b], M->A + M->start[row + b], to);
        double *diagonal = M->K + M->diagonal[row + a];
        for (int b = 0; b < d; b++)
            diagonal[b] += own[a * d + b] + compliance * B[a * d + b];
    }
}

static bool factor(ss_newton *s, const ss_run *run, double compliance)
{
    double F[SS_SET_MAX_DIM], A[9], B[9];
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        double own[SS_SET_MAX_DIM];
        if (K->dim > 3) { /* free blocks only: F = v */
            for (int a = 0; a < K->dim; a++) {
                int at = s->scaled.start[K->row + a];
                int length = s->scaled.start[K->row + a + 1] - at;
                memcpy(s->scaled.K + at, s->scaled.A + at, (size_t)length * sizeof(double));
                s->scaled.K[s->scaled.diagonal[K->row + a] + a] += compliance;
            }
            continue;
        }
        memcpy(own, s->x + K->row, (size_t)K->dim * sizeof *own);
        s->form.rows(K, scale_of(s, run, K, s->x), own, s->v + K->row, F, A, B);
        fill_group(s, K, A, B, compliance);
    }
    return ss_lu_factor(s->scaled.lu, s->scaled.K);
}

static void judge(ss_newton *s, ss_run *run)
{
    for (int k = 0; k < run->g->n_rows; k++) {
        double v = s->v[k] - (s->alpha > 0.0 ? s->alpha * (s->x[k] - s->centre[k]) : 0.0);
        run->P[k] = s->scaled.to_P[k] * s->x[k];
        run->gamma[k] = s->scaled.to_u[k] * v;
    }
    ss_run_judge(run, run->P, run->gamma);
}

/* Tries the lengths 1, ½, ¼ … of the step dx; false when none makes ‖F‖ smaller. */
static bool advance(ss_newton *s, const ss_run *run, double merit)
{
    int n = run->g->n_rows, tries = s->line_search ? 12 : 1;
    double a = 1.0;
    for (int i = 0; i < tries; i++, a *= 0.5) {
        for (int k = 0; k < n; k++)
            s->trial_x[k] = s->x[k] + a * s->dx[k];
        double trial = evaluate(s, run, s->trial_x, s->trial_v, s->trial_F);
        if (!isfinite(trial) || (s->line_search && !(trial < (1.0 - 1e-4 * a) * merit)))
            continue;
        double *swap = s->x;
        s->x = s->trial_x;
        s->trial_x = swap;
        swap = s->v;
        s->v = s->trial_v;
        s->trial_v = swap;
        swap = s->F;
        s->F = s->trial_F;
        s->trial_F = swap;
        return true;
    }
    return false;
}

/* The compliance shrinks with F, so that it does not slow down the last steps. */
bool ss_newton_iterate(ss_newton *s, ss_run *run, int most, double goal)
{
    int n = run->g->n_rows;
    judge(s, run);
    for (int i = 0; i < most && !run->solved; i++) {
        double merit = ss_newton_merit(s);
        if (merit <= goal)
            return true;
        double compliance = s->alpha + fmin(s->regularization, 1e-2 * merit) + 1e-14;
        for (int k = 0; k < n; k++)
            s->trial_F[k] = -s->F[k];
        if (!factor(s, run, compliance) || !ss_lu_solve(s->scaled.lu, s->trial_F, s->dx))
            return false;
        if (!advance(s, run, merit))
            return false;
        judge(s, run);
        if (!ss_run_count(run, run->P))
            return false;
    }
    return run->solved || ss_newton_merit(s) <= goal;
}
