/* jorprox.c: JORprox, all blocks at once from the last iterate (S4.30). */
#include "base/parallel.h"
#include "solver/kernels/general.h"

#include <pthread.h>
#include <string.h>

enum { PARALLEL_BLOCKS = 1024 };

/* One block: its new impulse goes to s->next. */
SS_KERNEL void visit(ss_prox_solver *s, const ss_inclusion *inclusion, bool factored, int i,
                     int dim, const double *P, const double *u, ss_prox_change *change)
{
    const ss_prox_block *b = &s->blocks[i];
    int offset = inclusion->blocks[i].offset;
    double y[SS_SET_MAX_DIM], dP2 = 0.0, P2 = 0.0;
    if (factored)
        ss_kernel_factored(inclusion, b, i, dim, P, u, y);
    else
        ss_kernel_assembled(inclusion, b, i, dim, P, y);
    for (int k = 0; k < dim; k++) {
        double dP = y[k] - P[offset + k];
        dP2 += dP * dP;
        P2 += y[k] * y[k];
        s->next[offset + k] = y[k];
    }
    ss_kernel_note(b, dP2, P2, change);
}

SS_KERNEL ss_prox_change visit_form(ss_prox_solver *s, const ss_inclusion *inclusion, bool factored,
                                    int first, int end, const double *P, const double *u)
{
    ss_prox_change change = {0.0, 0.0};
    for (int i = first; i < end; i++) {
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

/* Blocks first … end - 1. */
static ss_prox_change visit_some(ss_prox_solver *s, const ss_inclusion *inclusion, int first,
                                 int end, const double *P, const double *u)
{
    return inclusion->factor_start ? visit_form(s, inclusion, true, first, end, P, u)
                                   : visit_form(s, inclusion, false, first, end, P, u);
}

typedef struct visiting {
    ss_prox_solver *s;
    const ss_inclusion *inclusion;
    const double *P, *u;
    pthread_mutex_t mutex;
    ss_prox_change all;
} visiting;

static void visit_range(void *user, int first, int end)
{
    visiting *v = user;
    ss_prox_change change = visit_some(v->s, v->inclusion, first, end, v->P, v->u);
    pthread_mutex_lock(&v->mutex);
    v->all.error2 = ss_max_nan(v->all.error2, change.error2);
    v->all.reference2 = ss_max_nan(v->all.reference2, change.reference2);
    pthread_mutex_unlock(&v->mutex);
}

/* Each block is computed from P and u alone and the maximum has no order, so that neither the number of threads nor their
 * timing shows. */
static ss_prox_change visit_all(ss_prox_solver *s, const ss_inclusion *inclusion,
                                ss_context *context, const double *P, const double *u)
{
    int n = inclusion->n_blocks, threads = s->threads;
    if (threads == 1 || n < PARALLEL_BLOCKS)
        return visit_some(s, inclusion, 0, n, P, u);
    visiting v = {s, inclusion, P, u, PTHREAD_MUTEX_INITIALIZER, {0.0, 0.0}};
    ss_parallel_for(context, threads, n, visit_range, &v);
    return v.all;
}

static ss_prox_change sweep(ss_prox_solver *s, const ss_inclusion *inclusion, ss_context *context,
                            int iteration, double *P, double *u)
{
    (void)iteration;
    ss_prox_change change = visit_all(s, inclusion, context, P, u);
    if (inclusion->n_rows > 0)
        memcpy(P, s->next, (size_t)inclusion->n_rows * sizeof *P);
    if (inclusion->factor_start)
        ss_inclusion_free_motion(inclusion, P, u);
    return change;
}

static ss_status init(void *self, ss_context *context)
{
    return ss_prox_check_options(self, context, "jorprox");
}

static ss_status solve(void *self, ss_context *context, const ss_inclusion *inclusion,
                       ss_trace_fn trace, void *trace_user, double *P, double *u,
                       ss_solve_report *report)
{
    return ss_prox_iterate(self, context, inclusion, sweep, trace, trace_user, P, u, report);
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
