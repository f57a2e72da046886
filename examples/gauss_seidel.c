/* gauss_seidel.c: a solver of one's own. Projected Gauss-Seidel: go from block to block and project each impulse
 * as if the others were right, until all of them are.
 */
#include <stickslip/stickslip.h>

#include <math.h>
#include <string.h>

enum { MAX_DIM = 6 };

typedef struct gauss_seidel {
    double tolerance;
    int max_sweeps;
} gauss_seidel;

static const ss_key keys[] = {
    {.name = "tolerance",
     .kind = SS_KEY_REAL,
     .offset = offsetof(gauss_seidel, tolerance),
     .default_value = "1e-10",
     .min = 1e-15,
     .max = 1.0,
     .unit = "",
     .doc = "Relative residual at which the solution is good enough."},
    {.name = "max_sweeps",
     .kind = SS_KEY_INT,
     .offset = offsetof(gauss_seidel, max_sweeps),
     .default_value = "1000",
     .min = 1,
     .max = 1e9,
     .unit = "",
     .doc = "Sweeps over all blocks after which it gives up."},
    {.name = NULL},
};

static const char *refuses(const void *self, const ss_inclusion *inclusion)
{
    (void)self;
    for (int i = 0; i < inclusion->n_blocks; i++)
        if (inclusion->blocks[i].dim > MAX_DIM)
            return "it has a block of more than 6 rows";
    return inclusion->refresh ? "its forces depend on the velocities sought" : NULL;
}

/* P_i = prox(P_i - r (G P + c)_i) with r = 1 / max diag(G_ii). */
static void relax(const ss_inclusion *inclusion, int i, double *P, double *u)
{
    const ss_block *block = &inclusion->blocks[i];
    double G[MAX_DIM * MAX_DIM], gamma[MAX_DIM], next[MAX_DIM], dP[MAX_DIM];
    double *P_i = P + block->offset;
    double largest = 0.0;

    ss_inclusion_diagonal(inclusion, i, G);
    for (int k = 0; k < block->dim; k++)
        largest = fmax(largest, G[k * block->dim + k]);
    if (largest <= 0.0)
        return; /* this impulse moves nothing */

    ss_inclusion_velocity(inclusion, P, u, i, gamma);
    for (int k = 0; k < block->dim; k++)
        next[k] = P_i[k] - gamma[k] / largest;
    ss_set_prox(block->set, ss_inclusion_scale(inclusion, P, i), next, next);
    for (int k = 0; k < block->dim; k++)
        dP[k] = next[k] - P_i[k];
    memcpy(P_i, next, (size_t)block->dim * sizeof *P);
    ss_inclusion_apply_impulse(inclusion, i, dP, u);
}

static ss_status solve(void *self, ss_context *context, const ss_solve_call *call)
{
    (void)context;
    const gauss_seidel *options = self;
    const ss_inclusion *inclusion = call->inclusion;
    ss_solve_report *report = call->report;
    if (call->u)
        ss_inclusion_free_motion(inclusion, call->P, call->u);
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    while (report->outcome != SS_CONVERGED && report->iterations < options->max_sweeps) {
        for (int i = 0; i < inclusion->n_blocks; i++)
            relax(inclusion, i, call->P, call->u);
        report->iterations++;
        if (call->trace)
            call->trace(call->trace_user, report->iterations, call->P);
        report->residual = ss_inclusion_residual(inclusion, call->P, call->u);
        if (report->residual.value <= options->tolerance)
            report->outcome = SS_CONVERGED;
    }
    return SS_OK;
}

static double tolerance(const void *self)
{
    return ((const gauss_seidel *)self)->tolerance;
}

static const ss_solver_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "gauss_seidel",
             .doc = "Plain projected Gauss-Seidel.",
             .self_size = sizeof(gauss_seidel),
             .keys = keys},
    .refuses = refuses,
    .solve = solve,
    .tolerance = tolerance,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_solver(context, &ops);
}
