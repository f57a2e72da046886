/* jorprox.c: JORprox, all blocks at once from the last iterate (S4.30). */
#include "base/parallel.h"
#include "solver/kernels/general.h"

#include <pthread.h>
#include <string.h>

enum { PARALLEL_BLOCKS = 1024 };

/* One sweep on its way. */
typedef struct pass {
    ss_prox_solver *s;
    const ss_inclusion *inclusion;
    const double *P, *u;
    ss_prox_change change;
} pass;

/* One block: its new impulse goes to s->next. */
SS_KERNEL void visit(pass *p, bool factored, int i, int dim)
{
    const ss_prox_block *b = &p->s->blocks[i];
    int offset = p->inclusion->blocks[i].offset;
    double y[SS_SET_MAX_DIM], dP2 = 0.0, P2 = 0.0;
    if (factored)
        ss_kernel_factored(p->inclusion, b, i, dim, p->P, p->u, y);
    else
        ss_kernel_assembled(p->inclusion, b, i, dim, p->P, y);
    for (int k = 0; k < dim; k++) {
        double dP = y[k] - p->P[offset + k];
        dP2 += dP * dP;
        P2 += y[k] * y[k];
        p->s->next[offset + k] = y[k];
    }
    ss_kernel_note(b, dP2, P2, &p->change);
}

SS_KERNEL ss_prox_change visit_form(pass p, bool factored, int first, int end)
{
    for (int i = first; i < end; i++) {
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

/* Blocks first … end - 1. */
static ss_prox_change visit_some(const pass *p, int first, int end)
{
    return p->inclusion->factor_start ? visit_form(*p, true, first, end)
                                      : visit_form(*p, false, first, end);
}

/* What threads visit together. */
typedef struct visiting {
    pass pass;
    pthread_mutex_t mutex;
    ss_prox_change all;
} visiting;

static void visit_range(void *user, int first, int end)
{
    visiting *v = user;
    ss_prox_change change = visit_some(&v->pass, first, end);
    pthread_mutex_lock(&v->mutex);
    v->all.error2 = ss_max_nan(v->all.error2, change.error2);
    v->all.reference2 = ss_max_nan(v->all.reference2, change.reference2);
    pthread_mutex_unlock(&v->mutex);
}

/* Each block is computed from P and u alone and the maximum has no order, so that neither the number of threads nor their
 * timing shows. */
static ss_prox_change sweep(ss_prox_solver *s, const ss_inclusion *inclusion, ss_context *context,
                            int iteration, double *P, double *u)
{
    (void)iteration;
    int n = inclusion->n_blocks;
    visiting v = {{s, inclusion, P, u, {0.0, 0.0}}, PTHREAD_MUTEX_INITIALIZER, {0.0, 0.0}};
    if (s->threads == 1 || n < PARALLEL_BLOCKS)
        v.all = visit_some(&v.pass, 0, n);
    else
        ss_parallel_for(context, s->threads, n, visit_range, &v);
    if (inclusion->n_rows > 0)
        memcpy(P, s->next, (size_t)inclusion->n_rows * sizeof *P);
    if (inclusion->factor_start)
        ss_inclusion_free_motion(inclusion, P, u);
    return v.all;
}

static ss_status init(void *self, ss_context *context)
{
    return ss_prox_check_options(self, context, "jorprox");
}

/* By one thread where a set may not be asked by worker threads. */
static ss_status solve(void *self, ss_context *context, const ss_solve_call *call)
{
    ss_prox_solver *s = self;
    const ss_inclusion *inclusion = call->inclusion;
    s->threads = ss_context_threads(context);
    for (int i = 0; i < inclusion->n_blocks && s->threads > 1; i++)
        if (inclusion->blocks[i].set->ops->type.flags & SS_TYPE_SERIAL)
            s->threads = 1;
    return ss_prox_iterate(s, context, call, sweep);
}

const ss_solver_ops ss_solver_type_jorprox = {
    .type =
        {.abi = SS_ABI,
         .size = sizeof(ss_solver_ops),
         .name = "jorprox",
         .doc =
             "Projected Jacobi sweeps with relaxation; converges where G is diagonally dominant or "
             "r is small.",
         .self_size = sizeof(ss_prox_solver),
         .keys = ss_jorprox_keys},
    .init = init,
    .destroy = ss_prox_destroy,
    .refuses = ss_prox_refuses,
    .reserve = ss_prox_reserve,
    .solve = solve,
};
