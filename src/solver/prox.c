/* prox.c: what JORprox and SORprox share: memory, the choice of r_i (S4.2.4.3), and sweep after
 * sweep until the stop criterion is met. */
#include "solver/prox.h"

#include "base/context.h"

#include "la/eigen.h"
#include "la/small.h"
#include "rows/check.h"
#include "rows/residual.h"

#include <float.h>
#include <string.h>

/* ---- The spectral r ---- */

enum { DENSE_ROWS = 192 };

/* G as an operator: the inclusion without u_free, b and c, and velocities. */
typedef struct operator_G {
    ss_inclusion inclusion;
    double *u; /* n_u */
} operator_G;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* For the operator n_u and as many zeros as it has rows or velocities, then the matrix and its work,
 * or what the Lanczos steps need. */
static size_t spectral_memory(const ss_solver_size *size)
{
    int n = size->n_rows < DENSE_ROWS ? size->n_rows : DENSE_ROWS;
    size_t dense = (size_t)n * (size_t)n + ss_eigen_dense_work(n);
    size_t lanczos = size->n_rows > DENSE_ROWS ? ss_eigen_lanczos_work(size->n_rows) : 0;
    size_t n_u = (size_t)size->n_u;
    return n_u + larger(n_u, (size_t)size->n_rows) + larger(dense, lanczos);
}

/* y = G x */
static void apply(void *user, const double *x, double *y)
{
    const operator_G *G = user;
    if (G->inclusion.factor_start)
        ss_inclusion_free_motion(&G->inclusion, x, G->u);
    for (int i = 0; i < G->inclusion.n_blocks; i++)
        ss_inclusion_velocity(&G->inclusion, x, G->u, i, y + G->inclusion.blocks[i].offset);
}

/* 2 / (μ_max + μ_min) of the whole G (S4.56), or default_value when G = 0. */
static double spectral_r(const ss_inclusion *inclusion, double default_value, double *memory)
{
    size_t n = (size_t)inclusion->n_rows,
           n_u = inclusion->factor_start ? (size_t)inclusion->n_u : 0;
    double *zeros = memory + n_u, *rest = zeros + larger(n_u, n);
    operator_G G = {*inclusion, memory};
    memset(zeros, 0, larger(n_u, n) * sizeof *zeros);
    G.inclusion.u_free = G.inclusion.b = zeros;
    G.inclusion.c = zeros;
    double min = 0.0, max = 0.0;
    bool found;
    if (n <= DENSE_ROWS) { /* of the symmetric part of G */
        ss_inclusion_dense_G(inclusion, false, rest);
        for (size_t h = 0; h < n; h++)
            for (size_t k = 0; k <= h; k++)
                rest[h * n + k] = rest[k * n + h] = 0.5 * rest[h * n + k] + 0.5 * rest[k * n + h];
        found = ss_eigen_dense(inclusion->n_rows, rest, rest + n * n, &min, &max);
    } else {
        found = ss_eigen_lanczos(inclusion->n_rows, apply, &G, rest, &min, &max);
    }
    if (!found)
        return NAN;
    double sum = max + fmax(min, 0.0);
    return sum < DBL_MIN ? default_value : 2.0 / sum;
}

/* ---- Memory ---- */

ss_status ss_prox_reserve(void *self, ss_context *context, const ss_solver_size *size)
{
    ss_prox_solver *s = self;
    ss_arena *arena = &s->scratch;
    ss_arena_release(arena);
    ss_arena_init(arena, context);
    SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->blocks));
    SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->natural_r));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->next));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->best));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->P_before));
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->u_before));
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->u_swept));
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->u_free_given));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->b_given));
    if (s->options.r == SS_R_ROW_SUM) {
        SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->coupling.head));
        SS_TRY(SS_ARENA_NEW(arena, size->n_factors, &s->coupling.next));
        SS_TRY(SS_ARENA_NEW(arena, size->n_factors, &s->coupling.owner));
        SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->coupling.marker));
        SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->neighbours));
    }
    if (s->options.r == SS_R_SPECTRAL)
        SS_TRY(SS_ARENA_NEW(arena, spectral_memory(size), &s->spectral));
    return SS_OK;
}

void ss_prox_destroy(void *self, ss_context *context)
{
    (void)context;
    ss_arena_release(&((ss_prox_solver *)self)->scratch);
}

const char *ss_prox_refuses(const void *self, const ss_inclusion *inclusion)
{
    const ss_prox_solver *s = self;
    if (inclusion->factor_start)
        return NULL;
    if (s->options.stop == SS_STOP_VELOCITY)
        return "the stop 'velocity' needs an inclusion in factored form";
    return inclusion->refresh ? "an inclusion that is refreshed must be in factored form" : NULL;
}

/* ---- The choice of r_i ---- */

/* max_h Σ_k |G_hk| over the rows of block i */
static double max_row_sum(ss_prox_solver *s, const ss_inclusion *inclusion, int i)
{
    double sums[SS_SET_MAX_DIM] = {0}, own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int count = ss_coupling_neighbours(inclusion, &s->coupling, i, s->neighbours);
    int rows = inclusion->blocks[i].dim;
    for (int n = 0; n < count; n++) {
        int columns = inclusion->blocks[s->neighbours[n]].dim;
        const double *G = ss_inclusion_G(inclusion, i, s->neighbours[n], own);
        for (int k = 0; k < rows; k++)
            for (int l = 0; l < columns; l++)
                sums[k] += fabs(G[k * columns + l]);
    }
    double largest = sums[0];
    for (int k = 1; k < rows; k++)
        largest = ss_max_nan(largest, sums[k]);
    return largest;
}

/* r of every block by the solver's choice. Blocks that move nothing have the smallest r of the
 * diagonal choice. */
static void choose(ss_prox_solver *s, const ss_inclusion *inclusion)
{
    int n = inclusion->n_blocks;
    double smallest = n > 0 ? s->natural_r[0] : 1.0;
    for (int i = 1; i < n; i++)
        smallest = fmin(smallest, s->natural_r[i]);
    double spectral = smallest;
    if (s->options.r == SS_R_SPECTRAL && n > 0)
        spectral = spectral_r(inclusion, smallest, s->spectral);
    if (s->options.r == SS_R_ROW_SUM)
        ss_coupling_build(inclusion, &s->coupling);
    for (int i = 0; i < n; i++) {
        double r = s->natural_r[i]; /* S4.59 */
        if (s->options.r == SS_R_ROW_SUM)
            r = ss_inverse(max_row_sum(s, inclusion, i), smallest); /* S4.60 */
        else if (s->options.r == SS_R_SPECTRAL)
            r = spectral;
        else if (s->options.r == SS_R_MEAN) {
            double Gii[SS_SET_MAX_DIM * SS_SET_MAX_DIM], sum = 0.0;
            int dim = inclusion->blocks[i].dim;
            ss_inclusion_diagonal(inclusion, i, Gii);
            for (int k = 0; k < dim; k++)
                sum += Gii[k * dim + k];
            r = ss_inverse(sum / dim, smallest);
        }
        s->blocks[i].r = r * s->options.relaxation * s->options.r_scale;
    }
}

static bool usable(double r)
{
    return r > 0.0 && isfinite(r);
}

ss_status ss_prox_relax(ss_prox_solver *solver, ss_context *context, const ss_inclusion *inclusion)
{
    ss_inclusion_natural_r(inclusion, solver->natural_r);
    return ss_prox_relax_from(solver, context, inclusion);
}

ss_status ss_prox_relax_from(ss_prox_solver *solver, ss_context *context,
                             const ss_inclusion *inclusion)
{
    choose(solver, inclusion);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        ss_prox_block *block = &solver->blocks[i];
        const ss_block *B = &inclusion->blocks[i];
        if (B->r > 0.0)
            block->r = B->r;
        if (!usable(solver->natural_r[i]) || !usable(block->r) || !isfinite(B->scale)) {
            SS_TRY(ss_inclusion_check_numbers(context, inclusion));
            return ss_fail(context, SS_NON_FINITE,
                           "inclusion: G of block %d is so large or small that r = %g", i,
                           block->r);
        }
        /* With r below the residual's own, a change ‖ΔP‖ means an error of up to ‖ΔP‖ · (natural r) / r. */
        double natural = solver->natural_r[i], ratio = fmax(1.0, natural / block->r);
        block->reference_weight = 1.0 / natural;
        block->error_weight = ratio * ratio / natural;
        block->kind = B->set->kind;
        block->scale_row = B->scale_from < 0 ? -1 : inclusion->blocks[B->scale_from].offset;
    }
    return SS_OK;
}

/* ---- The iteration ---- */

/* A sweep that changes the impulses by so much more than the load or the first sweep did has
 * diverged. */
static const double divergence = 1e8;

/* One solve. */
typedef struct run {
    ss_prox_solver *s;
    ss_context *context;
    const ss_inclusion *inclusion;
    double *P, *u;
    int iteration;
    ss_load load;
    double first2;         /* size of the problem, squared: load, or what the first sweep did */
    ss_prox_change change; /* of the last sweep */
    bool resting;          /* the last refresh moved nothing */
    ss_residual residual;  /* the last that was evaluated */
    bool evaluated;        /* it belongs to P */
    bool has_best;
    double best; /* residual of s->best */
} run;

static void copy(int n, const double *from, double *to)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

static void motion(run *r)
{
    if (r->inclusion->factor_start)
        ss_inclusion_free_motion(r->inclusion, r->P, r->u);
}

/* The residual, of velocities that are free of the rounding of many small pushes. */
static void evaluate(run *r)
{
    const ss_inclusion *inclusion = r->inclusion;
    motion(r);
    if (inclusion->refresh)
        r->load = ss_inclusion_load(inclusion, r->s->natural_r);
    r->residual = ss_inclusion_residual_given(inclusion, r->s->natural_r, &r->load, r->P, r->u);
    r->evaluated = true;
    if (r->residual.value < r->best || !r->has_best) {
        r->best = r->residual.value;
        r->has_best = isfinite(r->best);
        copy(inclusion->n_rows, r->P, r->s->best);
    }
}

ss_status ss_first_guess(ss_context *context, bool warm_start, int n_rows, double *P)
{
    for (int k = 0; k < n_rows; k++) {
        if (!warm_start)
            P[k] = 0.0;
        if (!isfinite(P[k]))
            return ss_fail(context, SS_NON_FINITE,
                           "solver: row %d of the first guess is not finite", k);
    }
    return SS_OK;
}

/* Whether a number changed by more than absolute + relative · |number|, or is not finite. */
static bool moved(int n, const double *before, const double *now, double absolute, double relative)
{
    for (int k = 0; k < n; k++)
        if (!(fabs(now[k] - before[k]) <= absolute + relative * fabs(now[k])))
            return true;
    return false;
}

/* One sweep, then h and ζ at the velocities just found (implicit treatment, S5.3.9.2). */
static ss_status step(run *r, ss_sweep_fn sweep)
{
    ss_prox_solver *s = r->s;
    const ss_inclusion *A = r->inclusion;
    if (s->options.stop == SS_STOP_IMPULSE)
        copy(A->n_rows, r->P, s->P_before);
    if (s->options.stop == SS_STOP_VELOCITY)
        copy(A->n_u, r->u, s->u_before);
    r->evaluated = false;
    r->change = sweep(s, A, r->context, r->iteration, r->P, r->u);
    if (A->refresh) {
        copy(A->n_u, r->u, s->u_swept);
        SS_TRY(A->refresh(A->refresh_user, r->u, A->u_free, A->b));
        motion(r);
        r->resting = !moved(A->n_u, s->u_swept, r->u, s->options.absolute, s->options.tolerance);
    }
    if (r->iteration == 1)
        r->first2 =
            fmax(r->load.value * r->load.value, fmax(r->change.error2, r->change.reference2));
    return SS_OK;
}

/* Of the last evaluation. */
static bool solved(const run *r)
{
    return r->resting && r->residual.value <= r->s->options.tolerance;
}

static bool stop(run *r)
{
    const ss_prox_solver *s = r->s;
    const ss_prox_options *o = &s->options;
    if (r->iteration < o->min_iterations)
        return false;
    if (o->stop == SS_STOP_VELOCITY)
        return !moved(r->inclusion->n_u, s->u_before, r->u, o->absolute, o->relative);
    if (o->stop == SS_STOP_IMPULSE)
        return r->resting &&
               !moved(r->inclusion->n_rows, s->P_before, r->P, o->absolute, o->relative);
    /* Evaluating the residual costs about as much as a sweep: it waits until the last change is as
     * small as it must become. Rounding may keep the change above that for ever, hence also after 1,
     * 2, 4, 8 … sweeps. */
    double reference2 = fmax(r->load.value * r->load.value, r->change.reference2);
    bool promising = r->change.error2 <= o->tolerance * o->tolerance * reference2 ||
                     (r->iteration & (r->iteration - 1)) == 0;
    if (!r->resting || !promising)
        return false;
    evaluate(r);
    return solved(r);
}

/* Sweeps; *outcome says what ended them. */
static ss_status sweeps(run *r, ss_sweep_fn sweep, const ss_solve_call *call, ss_outcome *outcome)
{
    while (r->iteration < r->s->options.max_iterations && !ss_stopped(r->context)) {
        r->iteration++;
        SS_TRY(step(r, sweep));
        if (call->trace)
            call->trace(call->trace_user, r->iteration, r->P);
        *outcome = SS_DIVERGED;
        if (!isfinite(r->change.error2) || !isfinite(r->change.reference2) ||
            r->change.error2 > divergence * divergence * r->first2 ||
            (r->inclusion->refresh && !ss_all_finite(r->inclusion->n_u, r->u)))
            return SS_OK;
        *outcome = SS_SETTLED;
        if (stop(r))
            return SS_OK;
    }
    *outcome = SS_MAX_ITERATIONS;
    return SS_OK;
}

/* Back to what is finite, and P = 0 as one more candidate. Numbers of the inclusion that are not
 * finite are the user's fault, not a divergence. */
static ss_status retreat(run *r)
{
    const ss_inclusion *inclusion = r->inclusion;
    if (inclusion->refresh) {
        copy(inclusion->n_u, r->s->u_free_given, inclusion->u_free);
        copy(inclusion->n_rows, r->s->b_given, inclusion->b);
        r->resting = false;
    }
    for (int k = 0; k < inclusion->n_rows; k++)
        r->P[k] = 0.0;
    SS_TRY(ss_inclusion_check_numbers(r->context, inclusion));
    evaluate(r);
    return SS_OK;
}

/* Sweeps take long to come back from impulses of another step that are far larger than this one asks for. */
static void drop_far_guess(run *r)
{
    const double far = 1e4;
    const ss_inclusion *A = r->inclusion;
    double most = far * r->load.value;
    bool drop = false;
    for (int i = 0; i < A->n_blocks && !drop && !A->refresh; i++)
        drop =
            ss_norm(A->blocks[i].dim, r->P + A->blocks[i].offset) > most * sqrt(r->s->natural_r[i]);
    for (int k = 0; k < A->n_rows && drop; k++)
        r->P[k] = 0.0;
}

ss_status ss_prox_iterate(ss_prox_solver *solver, ss_context *context, const ss_solve_call *call,
                          ss_sweep_fn sweep)
{
    const ss_inclusion *A = call->inclusion;
    run r = {.s = solver, .context = context, .inclusion = A, .P = call->P, .u = call->u};
    ss_outcome outcome = SS_SETTLED;
    r.resting = true;
    SS_TRY(ss_prox_relax(solver, context, A));
    r.load = ss_inclusion_load(A, solver->natural_r);
    if (!isfinite(r.load.value)) {
        SS_TRY(ss_inclusion_check_numbers(context, A));
        return ss_fail(context, SS_NON_FINITE, "inclusion: its velocities overflow");
    }
    SS_TRY(ss_first_guess(context, solver->options.warm_start, A->n_rows, r.P));
    drop_far_guess(&r);
    if (A->refresh) {
        copy(A->n_u, A->u_free, solver->u_free_given);
        copy(A->n_rows, A->b, solver->b_given);
    }
    motion(&r);
    if (call->trace)
        call->trace(call->trace_user, 0, r.P);
    bool try_guess = solver->options.min_iterations == 0 && !A->refresh;
    if (try_guess)
        evaluate(&r);
    if (!try_guess || !solved(&r))
        SS_TRY(sweeps(&r, sweep, call, &outcome));
    if (outcome == SS_DIVERGED)
        SS_TRY(retreat(&r));
    else if (!r.evaluated)
        evaluate(&r);
    if (!solved(&r) && outcome != SS_SETTLED && r.has_best) {
        copy(A->n_rows, solver->best, r.P);
        evaluate(&r);
    }
    *call->report = (ss_solve_report){solved(&r) ? SS_CONVERGED : outcome, r.iteration, r.residual};
    return SS_OK;
}
