/* newton.c: semismooth Newton methods on the equations of Alart and Curnier, and of Fischer and
 * Burmeister, alone and inside proximal points. A proximal step solves the inclusion with G + α R
 * instead of G, which is regular, and with -α R P added to c, which takes back what was added once P
 * rests. With a fixed α it is the augmented Lagrangian iteration of Wösle and Pfeiffer (their 6.1):
 * the projections Π(λ, u) with λ held fixed are solved for u by Newton's method, then λ is replaced by
 * Π(λ, u); 1/α is their r. */
#include "la/small.h"

#include "base/context.h"
#include "solver/cone.h"
#include "solver/run.h"

#include <string.h>

/* ---- Two equations F(x, v) = 0, v = A x + b, that say the same as the inclusion, and their generalized derivatives ---- */

/* What a form fills for one group: F of x and v and, unless they are NULL, its derivatives. */
typedef struct rows {
    int dim;
    const double *x, *v;
    double *F, *A, *B;
} rows;

static void clear(const rows *r)
{
    if (!r->A)
        return;
    memset(r->A, 0, (size_t)(r->dim * r->dim) * sizeof *r->A);
    memset(r->B, 0, (size_t)(r->dim * r->dim) * sizeof *r->B);
}

/* F = v in row a. */
static void closed(const rows *r, int a)
{
    r->F[a] = r->v[a];
    if (r->B)
        r->B[a * r->dim + a] = 1.0;
}

/* F = x in row a. */
static void open(const rows *r, int a)
{
    r->F[a] = r->x[a];
    if (r->A)
        r->A[a * r->dim + a] = 1.0;
}

/* Friction rows first … dim - 1 against a disk of radius R: F = x - prox(x - v). With first = 1 it
 * is that of a contact, R = μ (x - v) of its row 0. */
static void friction(const rows *r, int first, double R, double mu)
{
    int dim = r->dim;
    double y[3] = {0.0}, size = 0.0, *A = r->A, *B = r->B;
    for (int a = first; a < dim; a++) {
        y[a] = r->x[a] - r->v[a];
        size += y[a] * y[a];
    }
    size = sqrt(size);
    if (size <= R) {
        for (int a = first; a < dim; a++)
            closed(r, a);
        return;
    }
    double factor = R / size;
    for (int a = first; a < dim; a++) {
        r->F[a] = r->x[a] - factor * y[a];
        for (int b = first; b < dim && A; b++) {
            double turn = factor * ((a == b) - y[a] / size * y[b] / size);
            A[a * dim + b] = (a == b) - turn;
            B[a * dim + b] = turn;
        }
        if (A && first > 0) {
            A[a * dim] = -mu * y[a] / size;
            B[a * dim] = mu * y[a] / size;
        }
    }
}

/* A block that is not part of a contact: F = x - prox(x - v). */
static void single_rows(const rows *r, ss_set_kind kind, double scale)
{
    double y = r->x[0] - r->v[0];
    if (kind == SS_SET_INTERVAL || kind == SS_SET_DISK) {
        friction(r, 0, scale, 0.0);
    } else if ((kind == SS_SET_HALF_LINE && !(y > 0.0)) ||
               (kind == SS_SET_NEGATIVE_HALF_LINE && !(y < 0.0))) {
        open(r, 0);
    } else {
        for (int a = 0; a < r->dim; a++)
            closed(r, a);
    }
}

/* Alart and Curnier: the radius of the disk is μ times the projected normal impulse. */
static void alart_curnier(const ss_gathered_group *K, double scale, const double *x,
                          const double *v, double *F, double *A, double *B)
{
    rows r = {K->dim, x, v, F, A, B};
    clear(&r);
    if (K->tangential < 0) {
        single_rows(&r, K->kind, scale);
        return;
    }
    double y = x[0] - v[0];
    if (y <= 0.0) {
        for (int a = 0; a < K->dim; a++)
            open(&r, a);
        return;
    }
    closed(&r, 0);
    friction(&r, 1, K->mu * y, K->mu);
}

/* L_z, the matrix of Jordan's product with z. */
static void arrow(int n, const double *z, double *L)
{
    memset(L, 0, 9 * sizeof *L);
    for (int k = 0; k < n; k++)
        L[k * n + k] = L[k] = L[k * n] = z[k];
    for (int k = 0; k < n; k++)
        L[k * n + k] = z[0];
}

/* Solves L_w Z = X for each column; w inside the cone. */
static void divide_columns(int n, const double *w, double *X)
{
    for (int b = 0; b < n; b++) {
        double column[3] = {0.0};
        for (int a = 0; a < n; a++)
            column[a] = X[a * n + b];
        ss_cone_divide(n, w, column, column);
        for (int a = 0; a < n; a++)
            X[a * n + b] = column[a];
    }
}

static double square(double x)
{
    return x * x;
}

/* x_0² - |x_T|² without cancellation. */
static double determinant(int n, const double *x)
{
    double T = n == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : n == 2 ? fabs(x[1]) : 0.0;
    return (x[0] - T) * (x[0] + T);
}

/* Product of the eigenvalues of x² + y² as a sum of squares: their difference would lose half of
 * the digits where x and y are at the boundary of the cone, as solutions are. */
static double product_of_eigenvalues(int n, const double *x, const double *y)
{
    double turned = 0.0, across = x[0] * y[0];
    for (int k = 1; k < n; k++) {
        turned += square(x[0] * y[k] - y[0] * x[k]);
        across -= x[k] * y[k];
    }
    double area = n == 3 ? x[1] * y[2] - x[2] * y[1] : 0.0;
    return square(determinant(n, x)) + square(determinant(n, y)) +
           2.0 * (turned + square(across) + square(area));
}

/* √(x² + y²) in Jordan's algebra, a trace inside the cone so that it can be divided by. */
static void root_of_squares(int n, const double *x, const double *y, double *w)
{
    double z[3] = {0.0}, tail = 0.0;
    z[0] = ss_cone_dot(n, x, x) + ss_cone_dot(n, y, y);
    for (int k = 1; k < n; k++) {
        z[k] = 2.0 * (x[0] * x[k] + y[0] * y[k]);
        tail += z[k] * z[k];
    }
    tail = sqrt(tail);
    double trace = 1e-24 + 1e-30 * z[0], most = z[0] + tail;
    double least = most > 0.0 ? product_of_eigenvalues(n, x, y) / most : 0.0;
    double small = sqrt(least + trace), large = sqrt(most + trace);
    w[0] = 0.5 * (small + large);
    for (int k = 1; k < n; k++)
        w[k] = tail > 0.0 ? 0.5 * (large - small) * z[k] / tail : 0.0;
}

/* Fischer and Burmeister: x + y - √(x² + y²) = 0 with y = v + ‖v_T‖ e (De Saxcé), in the second-
 * order cone. */
static void fischer_burmeister(const ss_gathered_group *K, double scale, const double *x,
                               const double *v, double *F, double *A, double *B)
{
    int n = K->dim;
    rows r = {n, x, v, F, A, B};
    bool cone = K->tangential >= 0 && K->mu > 0.0;
    clear(&r);
    if (K->kind == SS_SET_FREE) {
        single_rows(&r, K->kind, scale);
        return;
    }
    for (int a = 1; a < n && !cone; a++)
        open(&r, a);
    int m = cone ? n : 1;
    double y[3] = {0.0}, w[3], slip = m == 3 ? sqrt(v[1] * v[1] + v[2] * v[2]) : fabs(v[m - 1]);
    for (int a = 0; a < m; a++)
        y[a] = v[a];
    y[0] += m > 1 ? slip : 0.0;
    root_of_squares(m, x, y, w);
    for (int a = 0; a < m; a++)
        F[a] = x[a] + y[a] - w[a];
    if (!A)
        return;
    double X[9], Y[9];
    arrow(m, x, X);
    arrow(m, y, Y);
    divide_columns(m, w, X);
    divide_columns(m, w, Y);
    for (int a = 0; a < m; a++)
        for (int b = 0; b < m; b++) {
            A[a * n + b] = (a == b) - X[a * m + b];
            B[a * n + b] = (a == b) - Y[a * m + b];
        }
    for (int a = 0; a < m && slip > 0.0; a++) /* dy = dv + e tᵀ dv */
        for (int b = 1; b < m; b++)
            B[a * n + b] += B[a * n] * v[b] / slip;
}

/* ---- Newton's method ---- */

typedef struct newton {
    /* F of one group, and a generalized derivative dF = A dx + B dv, dim × dim by rows each; A =
     * NULL: F alone. scale is that of the group's set when it is a single block. */
    void (*rows)(const ss_gathered_group *group, double scale, const double *x, const double *v,
                 double *F, double *A, double *B);
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
        s->rows(K, scale_of(run, K, x), x + K->row, v + K->row, F + K->row, NULL, NULL);
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
static ss_status prepare(newton *s, ss_run *run)
{
    s->alpha = 0.0;
    /* Fischer and Burmeister's equation wants Coulomb's cone to be the second-order cone. */
    SS_TRY(ss_scaled_create(run, s->rows == fischer_burmeister));
    SS_TRY(ss_scaled_order(run));
    SS_TRY(ss_run_vectors(run, (double **[]){&s->x, &s->v, &s->F, &s->dx, &s->trial_x, &s->trial_v,
                                             &s->trial_F, &s->centre, NULL}));
    restart(s, run);
    return SS_OK;
}

/* Factors K = B (A + compliance) + the groups' own A. */
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
        s->rows(K, scale_of(run, K, s->x), s->x + K->row, s->v + K->row, F, A, B);
        int d = K->dim, row = K->row, length = M->start[row + 1] - M->start[row];
        for (int a = 0; a < d; a++) {
            double *to = M->K + M->start[row + a], *diagonal = M->K + M->diagonal[row + a];
            memset(to, 0, (size_t)length * sizeof *to);
            for (int b = 0; b < d; b++)
                if (B[a * d + b] != 0.0)
                    ss_axpy(length, B[a * d + b], M->A + M->start[row + b], to);
            for (int b = 0; b < d; b++)
                diagonal[b] += A[a * d + b] + compliance * B[a * d + b];
        }
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

/* Proximal steps x → solution with A + alpha, b - alpha x. alpha shrinks down to `least` while they
 * succeed and grows when one does not; about `most` Newton steps in all. */
static void proximal_steps(newton *s, ss_run *run, double alpha, double shrink, double least,
                           int most)
{
    int failures = 0, successes = PATIENCE, end = run->iterations + most;
    while (run->iterations < end && !run->solved && !ss_stopped(run->context)) {
        int before = run->iterations;
        bool good = proximal_step(s, run, alpha, failures < WHOLE);
        if (good && run->iterations == before)
            break; /* at rest: the equations hold to rounding */
        failures = good ? 0 : failures + 1;
        if (failures == 20 || ss_run_is_over(run))
            break;
        /* The load has the size 1 in these units: what is so large belongs to an inclusion without a
         * solution. */
        bool grew = false;
        for (int k = 0; k < run->g->n_rows && !grew; k++)
            grew = !(fabs(s->x[k]) < 1e8);
        if (grew) {
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
    newton s = {.rows = alart_curnier, .line_search = true, .regularization = 1e-4};
    if (ss_run_is_over(run))
        return SS_OK;
    ss_run_from_best(run);
    SS_TRY(prepare(&s, run));
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

static ss_status iterate(void *self, ss_run *run)
{
    const newton_solver *options = self;
    int most = options->base.max_iterations;
    bool cone = options->base.method == &ss_method_fischer_burmeister;
    newton s = {.rows = cone ? fischer_burmeister : alart_curnier,
                .line_search = options->line_search,
                .regularization = options->regularization};
    SS_TRY(prepare(&s, run));
    newton_steps(&s, run, most, 0.0);
    if (options->proximal)
        go_on(&s, run, most);
    return SS_OK;
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
    .iterate = iterate,
};

const ss_method ss_method_fischer_burmeister = {
    .ops.type = {.name = "fischer_burmeister",
                 .doc =
                     "Semismooth Newton method on Fischer and Burmeister's equation in the cone.",
                 .self_size = sizeof(newton_solver),
                 .keys = keys},
    .refuses = ss_inclusion_not_coulomb,
    .iterate = iterate,
};

typedef struct proximal_solver {
    ss_run_solver base;
    double alpha;
    double shrink; /* 0: alpha is fixed */
} proximal_solver;

static ss_status iterate_proximal(void *self, ss_run *run)
{
    const proximal_solver *o = self;
    newton s = {.rows = alart_curnier, .line_search = true};
    bool fixed = o->shrink == 0.0; /* grown after a failure, alpha shrinks back to what it was */
    SS_TRY(prepare(&s, run));
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
