/* run.c: one solve of a gathered inclusion: options, residuals, the best iterate. */
#include "solver/run.h"

#include "la/small.h"
#include "rows/coulomb_cone.h"

#include <stickslip/problem.h>

#include <string.h>

/* An error of one block, as ss_inclusion_residual has it but for the rounding, which it does not
 * forgive. */
static double block_error(const ss_run *run, int block, int dim, double r, const double *P,
                          const double *Pi, const double *gamma)
{
    const ss_block *B = &run->inclusion->blocks[block];
    double x[SS_SET_MAX_DIM], e2 = 0.0;
    double scale = ss_gathered_scale(run->g, run->inclusion, block, P);
    for (int k = 0; k < dim; k++)
        x[k] = Pi[k] - r * gamma[k];
    if (!ss_all_finite(dim, x) || !isfinite(scale))
        return INFINITY;
    B->set->ops->prox(B->set->self, dim, scale, x, x);
    for (int k = 0; k < dim; k++)
        e2 += (Pi[k] - x[k]) * (Pi[k] - x[k]);
    return sqrt(e2 / r);
}

/* The same for the two blocks of a contact. */
static double contact_error(const ss_gathered_group *K, const double *P, const double *gamma)
{
    double x_N = P[0] - K->r_N * gamma[0], s = K->mu * fabs(P[0]);
    double e_N = (P[0] - (x_N > 0.0 ? x_N : 0.0)) / sqrt(K->r_N), e2 = 0.0, size2 = 0.0;
    double x[2] = {0.0, 0.0};
    for (int k = 1; k < K->dim; k++) {
        x[k - 1] = P[k] - K->r_T * gamma[k];
        size2 += x[k - 1] * x[k - 1];
    }
    double factor = size2 > s * s ? s / sqrt(size2) : 1.0;
    for (int k = 1; k < K->dim; k++)
        e2 += (P[k] - factor * x[k - 1]) * (P[k] - factor * x[k - 1]);
    return ss_max_nan(fabs(e_N), sqrt(e2 / K->r_T));
}

static void add_error(double error, int block, ss_residual *residual)
{
    if (error > residual->absolute || error != error || residual->worst_block < 0) {
        residual->absolute = error;
        residual->worst_block = block;
    }
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
    ss_residual residual = {.reference = g->load, .worst_block = -1};
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        const double *Pk = P + K->row, *u = gamma + K->row;
        if (K->tangential < 0) {
            add_error(block_error(run, K->normal, K->dim, K->r_N, P, Pk, u), K->normal, &residual);
            residual.reference = ss_max_nan(residual.reference, ss_norm(K->dim, Pk) / sqrt(K->r_N));
            continue;
        }
        add_error(contact_error(K, Pk, u), K->normal, &residual);
        residual.reference = ss_max_nan(residual.reference, fabs(Pk[0]) / sqrt(K->r_N));
        residual.reference =
            ss_max_nan(residual.reference, ss_norm(K->dim - 1, Pk + 1) / sqrt(K->r_T));
    }
    finish_residual(&residual);
    return residual;
}

/* Squares of the norms that the cone's residual is made of. */
typedef struct cone_sums {
    double e2, P2, u2, worst2;
    int worst;
} cone_sums;

static cone_sums add_cones(const ss_run *run, const double *P, const double *gamma)
{
    const ss_gathered *g = run->g;
    cone_sums sums = {.worst = -1};
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        const double *Pk = P + K->row, *u = gamma + K->row;
        double size2 = ss_dot(K->dim, u, u);
        double own2 = K->kind == SS_SET_FREE ? size2 : ss_coulomb_error2(K->dim, K->mu, Pk, u);
        if (own2 > sums.worst2 || own2 != own2 || sums.worst < 0) {
            sums.worst2 = own2;
            sums.worst = K->normal;
        }
        sums.e2 += own2;
        sums.P2 += ss_dot(K->dim, Pk, Pk);
        sums.u2 += size2;
    }
    return sums;
}

static ss_residual cone_residual(const ss_run *run, const double *P, const double *gamma)
{
    cone_sums sums = add_cones(run, P, gamma);
    double q = run->g->c_norm, size = sqrt(ss_max_nan(sums.P2, ss_max_nan(sums.u2, q * q)));
    ss_residual residual = {0.0, sqrt(sums.e2), size, sums.worst};
    finish_residual(&residual);
    return residual;
}

/* Relative to ‖q‖, unless that is so small beside P that rounding would decide. */
static ss_residual both_residuals(const ss_run *run, const double *P, const double *gamma)
{
    cone_sums sums = add_cones(run, P, gamma);
    double size = ss_max_nan(run->g->c_norm, 1e-6 * sqrt(ss_max_nan(sums.P2, sums.u2)));
    ss_residual cone = {0.0, sqrt(sums.e2), size, sums.worst};
    ss_residual inclusion = inclusion_residual(run, P, gamma);
    finish_residual(&cone);
    inclusion.value = ss_max_nan(inclusion.value, cone.value);
    return inclusion;
}

ss_residual ss_run_residual(const ss_run *run, const double *P, const double *gamma)
{
    switch (run->options->measure) {
    case SS_MEASURE_CONE:
        return cone_residual(run, P, gamma);
    case SS_MEASURE_BOTH:
        return both_residuals(run, P, gamma);
    default:
        return inclusion_residual(run, P, gamma);
    }
}

double ss_run_judge(ss_run *run, const double *P, const double *gamma)
{
    ss_residual residual = ss_run_residual(run, P, gamma);
    if (residual.value < run->best) {
        run->found = residual;
        run->best = residual.value;
        run->solved = residual.value <= run->tolerance;
        memcpy(run->best_P, P, (size_t)run->g->n_rows * sizeof *P);
    }
    return residual.value;
}

bool ss_run_count(ss_run *run, const double *P)
{
    run->iterations++;
    if (run->trace) {
        ss_gathered_give(run->g, P, run->gamma);
        run->trace(run->trace_user, run->iterations, run->gamma);
    }
    return run->iterations < run->options->max_iterations;
}

const char *ss_run_refuses(const ss_run_options *options, const ss_inclusion *inclusion)
{
    if (inclusion->refresh)
        return "it cannot follow velocities that are refreshed; choose sorprox";
    return options->measure != SS_MEASURE_INCLUSION ? ss_inclusion_not_coulomb(inclusion) : NULL;
}

void ss_run_release(ss_run_memory *memory)
{
    ss_gathered_release(&memory->g);
    if (memory->has_arena)
        ss_arena_release(&memory->arena);
    memory->has_arena = false;
    memory->capacity = 0;
}

static ss_status reserve_capacity(ss_run_memory *m, ss_context *context, int rows)
{
    if (m->has_arena && rows <= m->capacity)
        return SS_OK;
    if (m->has_arena)
        ss_arena_release(&m->arena);
    ss_arena_init(&m->arena, context);
    m->has_arena = true;
    m->capacity = 0;
    int capacity = rows + rows / 2;
    SS_TRY(SS_ARENA_NEW(&m->arena, capacity, &m->P));
    SS_TRY(SS_ARENA_NEW(&m->arena, capacity, &m->gamma));
    SS_TRY(SS_ARENA_NEW(&m->arena, capacity, &m->best_P));
    m->capacity = capacity;
    return SS_OK;
}

static ss_status begin(ss_run *run, double *P)
{
    for (int k = 0; k < run->g->n_rows; k++) {
        if (!run->options->warm_start)
            P[k] = 0.0;
        if (!isfinite(P[k]))
            return ss_fail(run->context, SS_NON_FINITE,
                           "solver: row %d of the first guess is not finite", k);
    }
    ss_gathered_take(run->g, P, run->P);
    if (run->trace)
        run->trace(run->trace_user, 0, P);
    return SS_OK;
}

static ss_residual as_residual(ss_cone_residual cone)
{
    return (ss_residual){
        .value = cone.relative,
        .absolute = cone.absolute,
        .reference = cone.relative > 0.0 ? cone.absolute / cone.relative : 0.0,
        .worst_block = cone.worst_block,
    };
}

/* What no method could judge is judged as P = 0. */
static void finish(ss_run *run, double *P, double *u, ss_solve_report *report)
{
    const ss_inclusion *A = run->inclusion;
    if (!isfinite(run->best))
        memset(run->best_P, 0, (size_t)run->g->n_rows * sizeof *P);
    ss_gathered_give(run->g, run->best_P, P);
    if (A->factor_start)
        ss_inclusion_free_motion(A, P, u);
    report->residual = run->found;
    if (!run->solved && run->options->measure == SS_MEASURE_CONE)
        report->residual = as_residual(ss_inclusion_cone_residual(A, P, u));
    else if (!run->solved &&
             (run->options->measure == SS_MEASURE_INCLUSION || !isfinite(run->best)))
        report->residual = ss_inclusion_residual(A, P, u);
    report->iterations = run->iterations;
    memcpy(report->method, run->method, sizeof report->method);
    bool good = run->solved || report->residual.value <= run->options->tolerance;
    report->outcome = good            ? SS_CONVERGED
                      : run->settled  ? SS_SETTLED
                      : run->diverged ? SS_DIVERGED
                                      : SS_MAX_ITERATIONS;
}

ss_status ss_run_solve(ss_run_memory *memory, ss_context *context, const ss_inclusion *inclusion,
                       const ss_run_options *options, ss_method_fn method, void *self,
                       ss_trace_fn trace, void *trace_user, double *P, double *u,
                       ss_solve_report *report)
{
    if (!inclusion->gathered)
        SS_TRY(ss_gather(&memory->g, context, inclusion));
    SS_TRY(reserve_capacity(memory, context, inclusion->n_rows));
    ss_run run = {
        .context = context,
        .inclusion = inclusion,
        .g = inclusion->gathered ? inclusion->gathered : &memory->g,
        .options = options,
        /* The last digits depend on the order of the sums. */
        .tolerance = options->tolerance * (1.0 - 1e-6),
        .P = memory->P,
        .gamma = memory->gamma,
        .best_P = memory->best_P,
        .best = INFINITY,
        .trace = trace,
        .trace_user = trace_user,
    };
    SS_TRY(begin(&run, P));
    SS_TRY(method(self, &run));
    finish(&run, P, u, report);
    return SS_OK;
}
