/* newton.c: semismooth Newton methods on the equations of Alart and Curnier, and of Fischer and
 * Burmeister. Where no step makes the equations' norm smaller, as happens with singular G, the same
 * method goes on inside proximal points. */
#include "solver/newton.h"

#include "la/small.h"

#include <string.h>

const char *ss_newton_refuses(const ss_inclusion *inclusion)
{
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

/* The scale of a single block, in the units of x. */
static double scale_of(const ss_run *run, const ss_gathered_group *K, const double *x)
{
    const ss_block *B = &run->inclusion->blocks[K->normal];
    double to_P = run->scaled->to_P[K->row];
    if (B->scale_from < 0)
        return B->scale / to_P;
    int row = run->g->row_of[B->scale_from];
    return B->scale * fabs(x[row] * run->scaled->to_P[row]) / to_P;
}

/* v and F at x; returns ‖F‖. v is that of the proximal step, F is made of it. */
static double evaluate(const ss_newton *s, const ss_run *run, const double *x, double *v, double *F)
{
    int n = run->g->n_rows;
    ss_scaled_apply(run->scaled, x, v);
    for (int k = 0; k < n && s->alpha > 0.0; k++)
        v[k] += s->alpha * (x[k] - s->centre[k]);
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        s->form.rows(K, scale_of(run, K, x), x + K->row, v + K->row, F + K->row, NULL, NULL);
    }
    return ss_norm(n, F);
}

double ss_newton_merit(const ss_newton *s, const ss_run *run)
{
    return ss_norm(run->g->n_rows, s->F);
}

void ss_newton_restart(ss_newton *s, const ss_run *run)
{
    ss_scaled_take(run, s->x);
    evaluate(s, run, s->x, s->v, s->F);
}

ss_status ss_newton_prepare(ss_newton *s, const ss_newton_form *form, ss_run *run)
{
    s->form = *form;
    s->alpha = 0.0;
    SS_TRY(ss_scaled_create(run, form->cones));
    SS_TRY(ss_scaled_order(run));
    SS_TRY(ss_run_vectors(run, (double **[]){&s->x, &s->v, &s->F, &s->dx, &s->trial_x, &s->trial_v,
                                             &s->trial_F, &s->centre, NULL}));
    ss_newton_restart(s, run);
    return SS_OK;
}

/* Rows of group k of K = B (A + compliance) + its own A. */
static void fill_group(ss_scaled *M, const ss_gathered_group *K, const double *own, const double *B,
                       double compliance)
{
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

static bool factor(const ss_newton *s, const ss_run *run, double compliance)
{
    ss_scaled *M = run->scaled;
    double F[SS_SET_MAX_DIM], A[9], B[9];
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        for (int a = 0; a < K->dim && K->dim > 3; a++) { /* free blocks only: F = v */
            int at = M->start[K->row + a], length = M->start[K->row + a + 1] - at;
            memcpy(M->K + at, M->A + at, (size_t)length * sizeof *M->K);
            M->K[M->diagonal[K->row + a] + a] += compliance;
        }
        if (K->dim > 3)
            continue;
        s->form.rows(K, scale_of(run, K, s->x), s->x + K->row, s->v + K->row, F, A, B);
        fill_group(M, K, A, B, compliance);
    }
    return ss_lu_factor(M->lu, M->K);
}

static void judge(const ss_newton *s, ss_run *run)
{
    for (int k = 0; k < run->g->n_rows; k++) {
        double v = s->v[k] - (s->alpha > 0.0 ? s->alpha * (s->x[k] - s->centre[k]) : 0.0);
        run->P[k] = run->scaled->to_P[k] * s->x[k];
        run->gamma[k] = run->scaled->to_u[k] * v;
    }
    ss_run_judge(run, run->P, run->gamma);
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
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
        swap(&s->x, &s->trial_x);
        swap(&s->v, &s->trial_v);
        swap(&s->F, &s->trial_F);
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
        double merit = ss_newton_merit(s, run);
        if (merit <= goal)
            return true;
        double compliance = s->alpha + fmin(s->regularization, 1e-2 * merit) + 1e-14;
        for (int k = 0; k < n; k++)
            s->trial_F[k] = -s->F[k];
        if (!factor(s, run, compliance) || !ss_lu_solve(run->scaled->lu, s->trial_F, s->dx) ||
            !advance(s, run, merit))
            return false;
        judge(s, run);
        if (!ss_run_count(run, run->P))
            return false;
    }
    return run->solved || ss_newton_merit(s, run) <= goal;
}

/* ---- As solvers ---- */

typedef struct newton_solver {
    ss_run_solver base;
    bool line_search;
    double regularization;
    bool proximal;
} newton_solver;

static ss_status iterate(const newton_solver *options, const ss_newton_form *form, ss_run *run)
{
    int most = options->base.max_iterations;
    ss_newton s = {.line_search = options->line_search, .regularization = options->regularization};
    SS_TRY(ss_newton_prepare(&s, form, run));
    ss_newton_iterate(&s, run, most, 0.0);
    if (options->proximal)
        ss_newton_continue(&s, run, most);
    return SS_OK;
}

static ss_status iterate_ac(void *self, ss_run *run)
{
    return iterate(self, &ss_newton_alart_curnier, run);
}

static ss_status iterate_fb(void *self, ss_run *run)
{
    return iterate(self, &ss_newton_fischer_burmeister, run);
}

static const ss_key keys[] = {
    SS_RUN_KEYS("2000"),
    SS_OPTION_BOOL(
        newton_solver, line_search, "true",
        "Shorten steps until the equations' norm falls; else every step is taken whole."),
    SS_OPTION_REAL(newton_solver, regularization, "1e-4", 0, 1, "",
                   "Most compliance that is added to G in the linear systems, in parts of its "
                   "diagonal; it vanishes with the residual."),
    SS_OPTION_BOOL(
        newton_solver, proximal, "true",
        "Goes on with proximal points where Newton's own steps end; else it gives up there."),
    {.name = NULL},
};

const ss_method ss_method_alart_curnier = {
    .ops.type = {.name = "alart_curnier",
                 .doc = "Semismooth Newton method on the projected equations of Alart and Curnier.",
                 .self_size = sizeof(newton_solver),
                 .keys = keys},
    .refuses = ss_newton_refuses,
    .iterate = iterate_ac,
};

const ss_method ss_method_fischer_burmeister = {
    .ops.type = {.name = "fischer_burmeister",
                 .doc =
                     "Semismooth Newton method on Fischer and Burmeister's equation in the cone.",
                 .self_size = sizeof(newton_solver),
                 .keys = keys},
    .refuses = ss_inclusion_not_coulomb,
    .iterate = iterate_fb,
};
