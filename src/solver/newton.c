/* newton.c: semismooth Newton methods on the equations of Alart and Curnier, and of Fischer and
 * Burmeister, alone and inside proximal points. A proximal step solves the inclusion with G + α R
 * instead of G, which is regular, and with -α R P added to c, which takes back what was added once P
 * rests. With a fixed α it is the augmented Lagrangian iteration of Wösle and Pfeiffer (their 6.1):
 * the projections Π(λ, u) with λ held fixed are solved for u by Newton's method, then λ is replaced by
 * Π(λ, u); 1/α is their r. */
#include "solver/newton.h"

#include "la/small.h"
#include "solver/methods.h"

#include <string.h>

typedef struct newton {
    ss_newton_form form;
    bool line_search;
    double regularization; /* compliance added to A, in parts of its diagonal */
    double *x, *v, *F, *dx, *trial_x, *trial_v, *trial_F; /* n_rows each, in scratch memory */
    double *centre; /* of a proximal step: v = A x + b + alpha (x - centre) */
    double alpha;
} newton;

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
static double evaluate(const newton *s, const ss_run *run, const double *x, double *v, double *F)
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

/* ‖F‖ at x. */
static double merit_of(const newton *s, const ss_run *run)
{
    return ss_norm(run->g->n_rows, s->F);
}

/* Takes x from run->P. */
static void restart(newton *s, const ss_run *run)
{
    ss_scaled_take(run, s->x);
    evaluate(s, run, s->x, s->v, s->F);
}

/* Memory and the matrix; x from run->P. */
static ss_status prepare(newton *s, const ss_newton_form *form, ss_run *run)
{
    s->form = *form;
    s->alpha = 0.0;
    SS_TRY(ss_scaled_create(run, form->cones));
    SS_TRY(ss_scaled_order(run));
    SS_TRY(ss_run_vectors(run, (double **[]){&s->x, &s->v, &s->F, &s->dx, &s->trial_x, &s->trial_v,
                                             &s->trial_F, &s->centre, NULL}));
    restart(s, run);
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

static bool factor(const newton *s, const ss_run *run, double compliance)
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

static void judge(const newton *s, ss_run *run)
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
static bool advance(newton *s, const ss_run *run, double merit)
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

/* Up to `most` steps from x. Ends when run->solved, when ‖F‖ <= goal, or when no step makes ‖F‖
 * smaller: false then. The compliance shrinks with F, so that it does not slow down the last
 * steps. */
static bool newton_steps(newton *s, ss_run *run, int most, double goal)
{
    int n = run->g->n_rows;
    judge(s, run);
    for (int i = 0; i < most && !run->solved; i++) {
        double merit = merit_of(s, run);
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
    return run->solved || merit_of(s, run) <= goal;
}

/* ---- Proximal points ---- */

/* α shrinks down to it. */
static const double least_alpha = 1e-13;
/* Successes in a row after which α shrinks; failures in a row after which Newton's steps are shortened;
 * Newton steps that one proximal step may take. */
enum { PATIENCE = 4, WHOLE = 3, MOST_NEWTON = 10 };

/* One step from x; true when Newton's method solved it well enough. Whole steps are better: on the way
 * to a solution many contacts change their state, and ‖F‖ grows for a while. When they lead nowhere x
 * stays; shortened ones may go on from where they end. */
static bool proximal_step(newton *s, ss_run *run, double alpha, bool whole)
{
    memcpy(s->centre, s->x, (size_t)run->g->n_rows * sizeof *s->x);
    s->alpha = alpha;
    restart(s, run);
    double goal = fmax(1e-3 * merit_of(s, run), 1e-14);
    s->line_search = !whole;
    bool good = newton_steps(s, run, MOST_NEWTON, goal);
    if (!good && whole)
        memcpy(s->x, s->centre, (size_t)run->g->n_rows * sizeof *s->x);
    return good;
}

/* The load has the size 1 in these units: what is so large belongs to an inclusion without a
 * solution. */
static bool grew(int n, const double *x)
{
    for (int k = 0; k < n; k++)
        if (!(fabs(x[k]) < 1e8))
            return true;
    return false;
}

/* Proximal steps x → solution with A + alpha, b - alpha x. alpha shrinks down to `least` while they
 * succeed and grows when one does not; about `most` Newton steps in all. */
static void proximal_steps(newton *s, ss_run *run, double alpha, double shrink, double least,
                           int most)
{
    int failures = 0, successes = PATIENCE, end = run->iterations + most;
    while (run->iterations < end && !run->solved) {
        int before = run->iterations;
        bool good = proximal_step(s, run, alpha, failures < WHOLE);
        if (good && run->iterations == before)
            break; /* at rest: the equations hold to rounding */
        failures = good ? 0 : failures + 1;
        if (failures == 20 || ss_run_is_over(run))
            break;
        if (grew(run->g->n_rows, s->x)) {
            run->diverged = true;
            break;
        }
        successes = good ? successes + 1 : 0;
        if (good && successes >= PATIENCE)
            alpha = fmax(alpha * shrink, least);
        else if (!good)
            alpha = fmin(alpha * 4.0, 10.0);
        for (int k = 0; k < run->g->n_rows; k++)
            run->P[k] = run->scaled->to_P[k] * s->x[k];
    }
    s->alpha = 0.0;
}

/* Proximal steps from the best P so far, where Newton's own steps have ended; about `most` Newton
 * steps. */
static void go_on(newton *s, ss_run *run, int most)
{
    if (ss_run_is_over(run))
        return;
    ss_run_from_best(run);
    restart(s, run);
    s->regularization = 0.0;
    int end = run->iterations + most;
    proximal_steps(s, run, 0.01, 0.5, least_alpha, most);
    if (!ss_run_is_over(run) && !run->diverged && run->iterations < end) { /* stuck: from rest */
        memset(run->P, 0, (size_t)run->g->n_rows * sizeof *run->P);
        restart(s, run);
        proximal_steps(s, run, 0.1, 0.1, least_alpha, end - run->iterations);
    }
}

ss_status ss_newton_cross_over(ss_run *run, int most)
{
    newton s = {.line_search = true, .regularization = 1e-4};
    if (ss_run_is_over(run))
        return SS_OK;
    ss_run_from_best(run);
    SS_TRY(prepare(&s, &ss_newton_alart_curnier, run));
    newton_steps(&s, run, 30, 0.0);
    go_on(&s, run, most);
    return SS_OK;
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
    newton s = {.line_search = options->line_search, .regularization = options->regularization};
    SS_TRY(prepare(&s, form, run));
    newton_steps(&s, run, most, 0.0);
    if (options->proximal)
        go_on(&s, run, most);
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

typedef struct proximal_solver {
    ss_run_solver base;
    double alpha;
    double shrink; /* 0: alpha is fixed */
} proximal_solver;

static ss_status iterate_proximal(void *self, ss_run *run)
{
    const proximal_solver *o = self;
    newton s = {.line_search = true};
    bool fixed = o->shrink == 0.0; /* grown after a failure, alpha shrinks back to what it was */
    SS_TRY(prepare(&s, &ss_newton_alart_curnier, run));
    proximal_steps(&s, run, o->alpha, fixed ? 0.5 : o->shrink, fixed ? o->alpha : least_alpha,
                   o->base.max_iterations);
    return SS_OK;
}

#define ALPHA_KEY(default_)                                                                   \
    SS_OPTION_REAL(                                                                           \
        proximal_solver, alpha, default_, DBL_MIN, 1e6, "",                                   \
        "Compliance of a proximal step, in parts of the diagonal of G; its inverse is the r " \
        "of the augmented Lagrangian.")

static const ss_key proximal_keys[] = {
    SS_RUN_KEYS("2000"),
    ALPHA_KEY("0.1"),
    SS_OPTION_REAL(proximal_solver, shrink, "0.1", DBL_MIN, 1, "",
                   "alpha is multiplied by it after each step that succeeded."),
    {.name = NULL},
};

static const ss_key fixed_keys[] = {SS_RUN_KEYS("2000"), ALPHA_KEY("1e-4"), {.name = NULL}};

const ss_method ss_method_proximal = {
    .ops.type = {.name = "proximal",
                 .doc = "Proximal points with Newton's method inside, for hyperstatic problems.",
                 .self_size = sizeof(proximal_solver),
                 .keys = proximal_keys},
    .refuses = ss_newton_refuses,
    .iterate = iterate_proximal,
};

const ss_method ss_method_woesle_pfeiffer = {
    .ops.type = {.name = "woesle_pfeiffer",
                 .doc = "Augmented Lagrangian: projected equations solved by Newton's method, then "
                        "the multipliers replaced by their projections, again and again.",
                 .self_size = sizeof(proximal_solver),
                 .keys = fixed_keys},
    .refuses = ss_newton_refuses,
    .iterate = iterate_proximal,
};
