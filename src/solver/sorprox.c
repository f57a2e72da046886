/* sorprox.c: SORprox, the successive (Gauss-Seidel) solution of the blocks (S4.37). */
#include "solver/kernels/general.h"

/* One block: P_i and, in factored form, u are brought up to date at once. */
SS_KERNEL void visit(const ss_prox_solver *s, const ss_inclusion *inclusion, bool factored, int i,
                     int dim, double *P, double *u, ss_prox_change *change)
{
    const ss_prox_block *b = &s->blocks[i];
    double *Pi = P + inclusion->blocks[i].offset;
    double y[SS_SET_MAX_DIM], dP[SS_SET_MAX_DIM], dP2 = 0.0, P2 = 0.0;
    if (factored)
        ss_kernel_factored(inclusion, b, i, dim, P, u, y);
    else
        ss_kernel_assembled(inclusion, b, i, dim, P, y);
    for (int k = 0; k < dim; k++) {
        dP[k] = y[k] - Pi[k];
        dP2 += dP[k] * dP[k];
        P2 += y[k] * y[k];
        Pi[k] = y[k];
    }
    ss_kernel_note(b, dP2, P2, change);
    if (factored && dP2 != 0.0)
        ss_kernel_push(inclusion, i, dim, dP, u);
}

/* The form is known before the loop, so that the compiler makes one loop for each. */
SS_KERNEL ss_prox_change sweep_form(const ss_prox_solver *s, const ss_inclusion *inclusion,
                                    bool factored, bool backward, double *P, double *u)
{
    ss_prox_change change = {0.0, 0.0};
    int n = inclusion->n_blocks;
    for (int k = 0; k < n; k++) {
        int i = backward ? n - 1 - k : k;
        int dim = inclusion->blocks[i].dim;
        if (dim == 1)
            visit(s, inclusion, factored, i, 1, P, u, &change);
        else if (dim == 2)
            visit(s, inclusion, factored, i, 2, P, u, &change);
        else
            visit(s, inclusion, factored, i, dim, P, u, &change);
    }
    return change;
}

static ss_prox_change sweep(ss_prox_solver *s, const ss_inclusion *inclusion, ss_context *context,
                            int iteration, double *P, double *u)
{
    (void)context;
    bool backward = s->options.order == SS_ORDER_BACKWARD ||
                    (s->options.order == SS_ORDER_SYMMETRIC && iteration % 2 == 0);
    return inclusion->factor_start ? sweep_form(s, inclusion, true, backward, P, u)
                                   : sweep_form(s, inclusion, false, backward, P, u);
}

static ss_status init(void *self, ss_context *context)
{
    const ss_prox_options *options = self;
    if (options->relaxation >= 2.0)
        return ss_fail(context, SS_INPUT,
                       "solver 'sorprox': 'relaxation' must be a number > 0 and < 2, not %g",
                       options->relaxation);
    return ss_prox_check_options(options, context, "sorprox");
}

static ss_status solve(void *self, ss_context *context, const ss_inclusion *inclusion,
                       ss_trace_fn trace, void *trace_user, double *P, double *u,
                       ss_solve_report *report)
{
    return ss_prox_iterate(self, context, inclusion, sweep, trace, trace_user, P, u, report);
}

const ss_solver_ops ss_solver_type_sorprox = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "sorprox",
             .doc = "Projected Gauss-Seidel sweeps with relaxation; the default.",
             .self_size = sizeof(ss_prox_solver),
             .keys = ss_sorprox_keys},
    .init = init,
    .destroy = ss_prox_destroy,
    .refuses = ss_prox_refuses,
    .reserve = ss_prox_reserve,
    .solve = solve,
};
