/* sorprox.c: SORprox, the successive (Gauss-Seidel) solution of the blocks (S4.37). */
#include "solver/kernels/general.h"

static ss_prox_change sweep(ss_prox_solver *s, const ss_inclusion *inclusion, ss_context *context,
                            int iteration, double *P, double *u)
{
    (void)context;
    bool backward = s->options.order == SS_ORDER_BACKWARD ||
                    (s->options.order == SS_ORDER_SYMMETRIC && iteration % 2 == 0);
    ss_kernel_pass p = {.s = s, .inclusion = inclusion, .P = P, .u = u, .next = P};
    return inclusion->factor_start ? ss_kernel_sweep(p, true, backward, 0, inclusion->n_blocks)
                                   : ss_kernel_sweep(p, false, backward, 0, inclusion->n_blocks);
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

static ss_status solve(void *self, ss_context *context, const ss_solve_call *call)
{
    return ss_prox_iterate(self, context, call, sweep);
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
