/* sorprox.c: SORprox, the successive (Gauss-Seidel) solution of the blocks (S4.37). */
#include "solver/kernels/general.h"
#include "solver/kernels/sweep.h"

/* One sweep on its way. */
typedef struct pass {
    const ss_prox_solver *s;
    const ss_inclusion *inclusion;
    double *P, *u;
    ss_prox_change change;
} pass;

/* One block: P_i and, in factored form, u are brought up to date at once. */
SS_KERNEL void visit(pass *p, bool factored, int i, int dim)
{
    const ss_prox_block *b = &p->s->blocks[i];
    double *Pi = p->P + p->inclusion->blocks[i].offset;
    double y[SS_SET_MAX_DIM], dP[SS_SET_MAX_DIM], dP2 = 0.0, P2 = 0.0;
    if (factored)
        ss_kernel_factored(p->inclusion, b, i, dim, p->P, p->u, y);
    else
        ss_kernel_assembled(p->inclusion, b, i, dim, p->P, y);
    for (int k = 0; k < dim; k++) {
        dP[k] = y[k] - Pi[k];
        dP2 += dP[k] * dP[k];
        P2 += y[k] * y[k];
        Pi[k] = y[k];
    }
    ss_kernel_note(b, dP2, P2, &p->change);
    if (factored && dP2 != 0.0)
        ss_kernel_push(p->inclusion, i, dim, dP, p->u);
}

/* The form is known before the loop, so that the compiler makes one loop for each. */
SS_KERNEL ss_prox_change sweep_form(pass p, bool factored, bool backward)
{
    int n = p.inclusion->n_blocks;
    for (int k = 0; k < n; k++) {
        int i = backward ? n - 1 - k : k;
        int dim = p.inclusion->blocks[i].dim;
        if (dim == 1)
            visit(&p, factored, i, 1);
        else if (dim == 2)
            visit(&p, factored, i, 2);
        else
            visit(&p, factored, i, dim);
    }
    return p.change;
}

static ss_prox_change sweep(ss_prox_solver *s, const ss_inclusion *inclusion, ss_context *context,
                            int iteration, double *P, double *u)
{
    (void)context;
    bool backward = s->options.order == SS_ORDER_BACKWARD ||
                    (s->options.order == SS_ORDER_SYMMETRIC && iteration % 2 == 0);
    pass p = {.s = s, .inclusion = inclusion, .P = P, .u = u};
    return inclusion->factor_start ? sweep_form(p, true, backward) : sweep_form(p, false, backward);
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

/* With the options that rows of all forms know. */
static bool can_sweep(const ss_prox_options *o)
{
    return o->stop == SS_STOP_RESIDUAL && o->order == SS_ORDER_FORWARD && o->r == SS_R_DIAGONAL &&
           o->r_scale == 1.0;
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

const ss_rows_solver ss_sorprox_rows = {.accepts = can_sweep, .solve = ss_rows_solve};
