/* jorprox.c: JORprox, all blocks at once from the last iterate (S4.30). */
#include "base/parallel.h"
#include "solver/kernels/general.h"

#include <pthread.h>
#include <string.h>

enum { PARALLEL_BLOCKS = 1024 };

/* Blocks first … end - 1; their new impulses go to s->next. */
static ss_prox_change visit_some(const ss_kernel_pass *p, int first, int end)
{
    return p->inclusion->factor_start ? ss_kernel_sweep(*p, true, false, first, end)
                                      : ss_kernel_sweep(*p, false, false, first, end);
}

/* What threads visit together. */
typedef struct visiting {
    ss_kernel_pass pass;
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
    visiting v = {{s, inclusion, P, u, s->next}, PTHREAD_MUTEX_INITIALIZER};
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
