/* run.c: one solve of a gathered inclusion: first guess, residuals, the best iterate, outcome. */
#include "solver/run.h"

#include "base/context.h"

#include "la/small.h"
#include "rows/coulomb_cone.h"
#include "rows/residual.h"
#include "solver/prox.h"

#include <stickslip/problem.h>

#include <limits.h>
#include <string.h>

/* ---- Residuals, which do not forgive rounding ---- */

static void add_block(const ss_run *run, const ss_gathered_group *K, const double *P,
                      const double *gamma, ss_residual_sum *sum)
{
    static const double exact[SS_SET_MAX_DIM] = {0};
    ss_block_at at = {.block = &run->inclusion->blocks[K->normal],
                      .number = K->normal,
                      .scale = ss_gathered_scale(run->g, run->inclusion, K->normal, P),
                      .P = P + K->row,
                      .r = K->r_N,
                      .r_N = K->kind == SS_SET_HALF_LINE ? K->r_N : 0.0,
                      .gamma = gamma,
                      .size = exact};
    ss_block_residual(&at, sum);
}

/* The same for the two blocks of a contact. */
static void add_contact(const ss_gathered_group *K, const double *P, const double *gamma,
                        ss_residual_sum *sum)
{
    double x_N = P[0] - K->r_N * gamma[0], s = K->mu * fabs(P[0]);
    double e_N = P[0] - (x_N > 0.0 ? x_N : 0.0), e2 = 0.0, size2 = 0.0, P2 = 0.0;
    double x[2] = {0.0, 0.0};
    for (int k = 1; k < K->dim; k++) {
        x[k - 1] = P[k] - K->r_T * gamma[k];
        size2 += x[k - 1] * x[k - 1];
        P2 += P[k] * P[k];
    }
    double factor = size2 > s * s ? s / sqrt(size2) : 1.0;
    for (int k = 1; k < K->dim; k++)
        e2 += (P[k] - factor * x[k - 1]) * (P[k] - factor * x[k - 1]);
    double root_N = sqrt(K->r_N), root_T = sqrt(K->r_T);
    double weight = ss_residual_weight(&sum->load, K->r_N);
    ss_residual_add(sum, fabs(e_N) / root_N, fabs(P[0]) / root_N, weight, K->normal);
    ss_residual_add(sum, sqrt(e2) / root_T, fmax(sqrt(P2), s) / root_T, weight, K->tangential);
}

static void finish_residual(ss_residual *residual)
{
    double value = residual->absolute == 0.0 ? 0.0 : residual->absolute / residual->reference;
    bool sound = isfinite(value) && isfinite(residual->reference);
    residual->value = sound ? value : INFINITY;
}

static ss_residual inclusion_residual(const ss_run *run, const double *P, const double *gamma)
{
    const ss_gathered *g = run->g;
    ss_residual_sum sum = {.load = g->load, .weight = 1.0, .block = -1};
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        if (K->tangential >= 0)
            add_contact(K, P + K->row, gamma + K->row, &sum);
        else
            add_block(run, K, P, gamma + K->row, &sum);
    }
    return ss_residual_finish(&sum);
}

/* Relative to ‖q‖, or to the larger of ‖P‖ and ‖u‖ times a factor. */
static ss_residual cone_residual(const ss_run *run, const double *P, const double *gamma,
                                 double factor)
{
    const ss_gathered *g = run->g;
    double e2 = 0.0, P2 = 0.0, u2 = 0.0, worst2 = 0.0;
    ss_residual residual = {.worst_block = -1};
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        const double *Pk = P + K->row, *u = gamma + K->row;
        double size2 = ss_dot(K->dim, u, u);
        double own2 = K->kind == SS_SET_FREE ? size2 : ss_coulomb_error2(K->dim, K->mu, Pk, u);
        if (own2 > worst2 || own2 != own2 || residual.worst_block < 0) {
            worst2 = own2;
            residual.worst_block = K->normal;
        }
        e2 += own2;
        P2 += ss_dot(K->dim, Pk, Pk);
        u2 += size2;
    }
    residual.absolute = sqrt(e2);
    double most =
        factor < 1.0 ? 100.0 * g->c_norm : INFINITY; /* what grows without bound hides nothing */
    residual.reference = ss_max_nan(g->c_norm, fmin(factor * sqrt(ss_max_nan(P2, u2)), most));
    finish_residual(&residual);
    return residual;
}

/* ---- What a method asks for ---- */

double ss_run_judge(ss_run *run, const double *P, const double *gamma)
{
    /* Relative to ‖q‖, unless that is so small beside P that rounding would decide. */
    const double small = 1e-6;
    bool cone = run->solver->measure == SS_MEASURE_CONE;
    ss_residual residual =
        cone ? cone_residual(run, P, gamma, 1.0) : inclusion_residual(run, P, gamma);
    if (run->solver->measure == SS_MEASURE_BOTH)
        residual.value = ss_max_nan(residual.value, cone_residual(run, P, gamma, small).value);
    if (residual.value < run->best) {
        run->found = residual;
        run->best = residual.value;
        run->solved = residual.value <= run->tolerance;
        memcpy(run->best_P, P, (size_t)run->g->n_rows * sizeof *P);
    }
    return residual.value;
}

void ss_run_judge_P(ss_run *run)
{
    ss_gathered_velocity(run->g, run->P, run->gamma);
    ss_run_judge(run, run->P, run->gamma);
}

bool ss_run_count(ss_run *run, const double *P)
{
    run->iterations++;
    if (run->trace) {
        ss_gathered_give(run->g, P, run->gamma);
        run->trace(run->trace_user, run->iterations, run->gamma);
    }
    return run->iterations < run->solver->max_iterations && !ss_stopped(run->context);
}

bool ss_run_is_over(const ss_run *run)
{
    return run->solved || run->iterations >= run->solver->max_iterations ||
           ss_stopped(run->context);
}

void ss_run_from_best(ss_run *run)
{
    if (isfinite(run->best))
        memcpy(run->P, run->best_P, (size_t)run->g->n_rows * sizeof *run->P);
}

ss_arena *ss_run_scratch(ss_run *run)
{
    ss_lu_destroy(run->scaled->lu);
    run->scaled->lu = NULL;
    run->solver->scratch.context = run->context;
    ss_arena_reset(&run->solver->scratch);
    return &run->solver->scratch;
}

ss_status ss_run_vectors(ss_run *run, double **const vectors[])
{
    for (; *vectors; vectors++)
        SS_TRY(SS_ARENA_NEW(&run->solver->scratch, run->g->n_rows, *vectors));
    return SS_OK;
}

/* ---- The inclusion in scaled units ---- */

/* s D⁻¹ of every row in to_P, still without Q; to_u likewise. */
static void find_scales(ss_scaled *s, const ss_gathered *g, bool cones)
{
    s->n_cones = 0;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        double mean = 0.0;
        for (int a = 0; a < K->dim; a++)
            mean += g->diagonal[K->diagonal + a * K->dim + a] / K->dim;
        double size = mean > DBL_MIN ? 1.0 / sqrt(mean) : sqrt(K->r_N);
        bool friction = K->tangential >= 0 && K->mu > 0.0;
        s->cone[k] = K->kind != SS_SET_HALF_LINE ? 0 : friction ? K->dim : 1;
        s->n_cones += s->cone[k] > 0;
        for (int a = 0; a < K->dim; a++) {
            double d = cones && friction && a == 0 ? K->mu : 1.0;
            s->to_P[K->row + a] = size / d;
            s->to_u[K->row + a] = d / size;
        }
    }
}

static int put_row(ss_scaled *s, int at, int row, const ss_gathered_group *H, const double *values)
{
    for (int b = 0; b < H->dim; b++, at++) {
        s->column[at] = H->row + b;
        s->A[at] = values[b] * s->to_P[row] * s->to_P[H->row + b];
    }
    return at;
}

static void fill_row(ss_scaled *s, const ss_gathered *g, int k, int a)
{
    const ss_gathered_group *K = &g->groups[k];
    int row = K->row + a, at = s->start[row], e = g->start[k], end = g->start[k + 1];
    for (; e < end && g->column[e] < k; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        at = put_row(s, at, row, H, g->value + g->place[e] + a * H->dim);
    }
    s->diagonal[row] = at;
    at = put_row(s, at, row, K, g->diagonal + K->diagonal + a * K->dim);
    for (; e < end; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        at = put_row(s, at, row, H, g->value + g->place[e] + a * H->dim);
    }
    if (s->cone[k] == 1 && a > 0) { /* P_T = 0 */
        memset(s->A + s->start[row], 0, (size_t)(at - s->start[row]) * sizeof *s->A);
        s->A[s->diagonal[row] + a] = 1.0;
    }
    s->start[row + 1] = at;
}

ss_status ss_scaled_create(ss_run *run, bool cones)
{
    const ss_gathered *g = run->g;
    ss_scaled *s = run->scaled;
    ss_arena *arena = ss_run_scratch(run);
    size_t numbers = (size_t)g->n_numbers;
    double Q = 0.0;
    for (int k = 0; k < g->n_groups; k++)
        numbers += (size_t)(g->groups[k].dim * g->groups[k].dim);
    if (numbers > INT_MAX)
        return ss_fail(run->context, SS_UNSUPPORTED, "inclusion: G has more than %d elements",
                       INT_MAX);
    SS_TRY(SS_ARENA_NEW(arena, g->n_groups, &s->cone));
    SS_TRY(SS_ARENA_NEW(arena, g->n_rows + 1, &s->start));
    SS_TRY(SS_ARENA_NEW(arena, numbers, &s->column));
    SS_TRY(SS_ARENA_NEW(arena, g->n_rows, &s->diagonal));
    SS_TRY(SS_ARENA_NEW(arena, numbers, &s->A));
    SS_TRY(SS_ARENA_NEW(arena, numbers, &s->K));
    SS_TRY(ss_run_vectors(run, (double **[]){&s->b, &s->to_P, &s->to_u, NULL}));
    s->n_rows = g->n_rows;
    find_scales(s, g, cones);
    for (int k = 0; k < g->n_rows; k++)
        Q = fmax(Q, fabs(g->c[k]) * s->to_P[k]);
    Q = Q > DBL_MIN ? Q : 1.0;
    for (int k = 0; k < g->n_groups; k++)
        for (int a = 0; a < g->groups[k].dim; a++) {
            int row = g->groups[k].row + a;
            fill_row(s, g, k, a);
            s->b[row] = s->cone[k] == 1 && a > 0 ? 0.0 : g->c[row] * s->to_P[row] / Q;
        }
    for (int k = 0; k < g->n_rows; k++) {
        s->to_P[k] *= Q;
        s->to_u[k] *= Q;
    }
    return SS_OK;
}

ss_status ss_scaled_order(ss_run *run)
{
    ss_scaled *s = run->scaled;
    return ss_lu_create(run->context, s->n_rows, s->start, s->column, &s->lu);
}

void ss_scaled_apply(const ss_scaled *s, const double *x, double *v)
{
    for (int i = 0; i < s->n_rows; i++) {
        double sum = s->b[i];
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            sum += s->A[e] * x[s->column[e]];
        v[i] = sum;
    }
}

void ss_scaled_copy_A(ss_scaled *s)
{
    memcpy(s->K, s->A, (size_t)s->start[s->n_rows] * sizeof *s->K);
}

void ss_scaled_add_diagonal(ss_run *run, double compliance)
{
    for (int k = 0; k < run->g->n_groups; k++)
        for (int a = 0; a < run->g->groups[k].dim; a++)
            run->scaled->K[run->scaled->diagonal[run->g->groups[k].row + a] + a] += compliance;
}

void ss_scaled_take(const ss_run *run, double *x)
{
    for (int k = 0; k < run->g->n_rows; k++)
        x[k] = run->P[k] / run->scaled->to_P[k];
}

void ss_scaled_judge(ss_run *run, const double *x, const double *v)
{
    for (int k = 0; k < run->g->n_rows; k++) {
        run->P[k] = run->scaled->to_P[k] * x[k];
        run->gamma[k] = run->scaled->to_u[k] * v[k];
    }
    ss_run_judge(run, run->P, run->gamma);
}

/* ---- The solver around a method ---- */

static double tolerance(const void *self)
{
    return ((const ss_run_solver *)self)->tolerance;
}

ss_status ss_method_register(ss_context *context, const ss_method *method)
{
    ss_solver_ops ops = method->ops;
    ops.type.abi = SS_ABI;
    ops.type.size = sizeof ops;
    ops.type.user = (void *)method;
    ops.type.user_offset = offsetof(ss_run_solver, method);
    ops.refuses = ops.refuses ? ops.refuses : ss_run_refuses;
    ops.destroy = ops.destroy ? ops.destroy : ss_run_destroy;
    ops.solve = ops.solve ? ops.solve : ss_run_solve;
    ops.tolerance = tolerance;
    return ss_register_solver(context, &ops);
}

const char *ss_run_refuses(const void *self, const ss_inclusion *inclusion)
{
    const ss_run_solver *s = self;
    const char *reason = NULL;
    if (inclusion->refresh)
        return "it cannot follow velocities that are refreshed; choose sorprox";
    if (s->measure != SS_MEASURE_INCLUSION)
        reason = ss_inclusion_not_coulomb(inclusion);
    return reason || !s->method->refuses ? reason : s->method->refuses(inclusion);
}

void ss_run_destroy(void *self, ss_context *context)
{
    (void)context;
    ss_run_solver *s = self;
    ss_gathered_release(&s->g);
    ss_lu_destroy(s->scaled.lu);
    ss_arena_release(&s->scratch);
    ss_arena_release(&s->arena);
}

static bool has_disks(const ss_inclusion *A)
{
    for (int i = 0; i < A->n_blocks; i++)
        if (A->blocks[i].set->kind == SS_SET_DISK)
            return true;
    return false;
}

/* What no method could judge is judged as P = 0. What ends by itself has solved the inclusion up to rounding, or that with
 * polygons in the place of disks, or there is no solution. */
static void finish(ss_run *run, const ss_solve_call *call)
{
    const ss_inclusion *A = run->inclusion;
    int measure = run->solver->measure;
    ss_residual residual = run->found;
    if (!isfinite(run->best))
        memset(run->best_P, 0, (size_t)run->g->n_rows * sizeof *run->best_P);
    ss_gathered_give(run->g, run->best_P, call->P);
    if (A->factor_start)
        ss_inclusion_free_motion(A, call->P, call->u);
    if (!run->solved && measure == SS_MEASURE_CONE) {
        ss_cone_residual cone = ss_inclusion_cone_residual(A, call->P, call->u);
        double reference = cone.relative > 0.0 ? cone.absolute / cone.relative : 0.0;
        residual = (ss_residual){cone.relative, cone.absolute, reference, cone.worst_block};
    } else if (!run->solved && (measure == SS_MEASURE_INCLUSION || !isfinite(run->best))) {
        residual = ss_inclusion_residual(A, call->P, call->u);
    }
    call->report->residual = residual;
    call->report->iterations = run->iterations;
    memcpy(call->report->method, run->method, sizeof run->method);
    bool good = run->solved || residual.value <= run->solver->tolerance;
    double most = has_disks(A) ? 0.99 : sqrt(run->solver->tolerance);
    bool settled = run->settled && residual.value <= most;
    call->report->outcome = good            ? SS_CONVERGED
                            : settled       ? SS_SETTLED
                            : run->diverged ? SS_DIVERGED
                                            : SS_MAX_ITERATIONS;
}

ss_status ss_run_solve(void *self, ss_context *context, const ss_solve_call *call)
{
    ss_run_solver *s = self;
    const ss_inclusion *A = call->inclusion;
    if (!A->gathered)
        SS_TRY(ss_gather(&s->g, context, A));
    if (!s->P || A->n_rows > s->capacity) {
        s->P = NULL;
        s->capacity = A->n_rows + A->n_rows / 2;
        ss_arena_release(&s->arena);
        ss_arena_init(&s->arena, context);
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity, &s->gamma));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity, &s->best_P));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity, &s->P));
    }
    ss_run run = {
        .context = context,
        .inclusion = A,
        .g = A->gathered ? A->gathered : &s->g,
        .solver = s,
        .scaled = &s->scaled,
        /* The last digits depend on the order of the sums. */
        .tolerance = s->tolerance * (1.0 - 1e-6),
        .P = s->P,
        .gamma = s->gamma,
        .best_P = s->best_P,
        .best = INFINITY,
        .trace = call->trace,
        .trace_user = call->trace_user,
    };
    SS_TRY(ss_first_guess(context, s->method->cold || s->warm_start, run.g->n_rows, call->P));
    ss_gathered_take(run.g, call->P, run.P);
    if (call->trace)
        call->trace(call->trace_user, 0, call->P);
    SS_TRY(s->method->iterate(self, &run));
    finish(&run, call);
    return SS_OK;
}
