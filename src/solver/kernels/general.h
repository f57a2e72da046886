/* general.h: the visit of one block, S4.30 and S4.37. It is written once for any number of rows; the
 * sweeps call it with the constants 1 and 2, for which the compiler unrolls it. */
#ifndef SS_SOLVER_KERNELS_GENERAL_H
#define SS_SOLVER_KERNELS_GENERAL_H

#include "la/small.h"
#include "solver/prox.h"

#if defined(__GNUC__)
#define SS_KERNEL static inline __attribute__((always_inline))
#else
#define SS_KERNEL static inline
#endif

/* y = prox(x) by the set's own function, which wants finite numbers. */
SS_KERNEL void ss_kernel_prox_other(const ss_block *B, int dim, double scale, const double *x,
                                    double *y)
{
    if (ss_all_finite(dim, x) && isfinite(scale))
        B->set->ops->prox(B->set->self, dim, scale, x, y);
    else
        for (int k = 0; k < dim; k++)
            y[k] = NAN;
}

/* A block has one row at least, which the analyzer does not know.
 * NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult) */
SS_KERNEL void ss_kernel_prox_disk(double s, const double *x, double *y)
{
    double square = x[0] * x[0] + x[1] * x[1];
    double factor = square > s * s ? s / sqrt(square) : 1.0;
    y[0] = factor * x[0];
    y[1] = factor * x[1];
}

SS_KERNEL void ss_kernel_prox(const ss_block *B, const ss_prox_block *b, int dim, const double *P,
                              const double *x, double *y)
{
    double s = b->scale_row < 0 ? B->scale : B->scale * fabs(P[b->scale_row]);
    switch (b->kind) {
    case SS_SET_FREE:
        for (int k = 0; k < dim; k++)
            y[k] = x[k];
        break;
    case SS_SET_HALF_LINE:
        y[0] = x[0] < 0.0 ? 0.0 : x[0];
        break;
    case SS_SET_NEGATIVE_HALF_LINE:
        y[0] = x[0] > 0.0 ? 0.0 : x[0];
        break;
    case SS_SET_INTERVAL:
        y[0] = x[0] < -s ? -s : (x[0] > s ? s : x[0]);
        break;
    case SS_SET_DISK:
        ss_kernel_prox_disk(s, x, y);
        break;
    default:
        ss_kernel_prox_other(B, dim, s, x, y);
        break;
    }
}
/* NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult) */

/* y = prox(P_i - r_i γ_i), γ_i from u. */
SS_KERNEL void ss_kernel_factored(const ss_inclusion *inclusion, const ss_prox_block *b, int i,
                                  int dim, const double *P, const double *u, double *y)
{
    const ss_block *B = &inclusion->blocks[i];
    const ss_factor *end = inclusion->factors + inclusion->factor_start[i + 1];
    double x[SS_SET_MAX_DIM];
    for (int k = 0; k < dim; k++)
        x[k] = inclusion->b[B->offset + k];
    for (const ss_factor *F = inclusion->factors + inclusion->factor_start[i]; F < end; F++)
        for (int k = 0; k < dim; k++)
            x[k] += ss_dot(F->nu, F->W + k * F->nu, u + F->u_offset);
    for (int k = 0; k < dim; k++)
        x[k] = P[B->offset + k] - b->r * x[k];
    ss_kernel_prox(B, b, dim, P, x, y);
}

/* The same, γ_i from P. */
SS_KERNEL void ss_kernel_assembled(const ss_inclusion *inclusion, const ss_prox_block *b, int i,
                                   int dim, const double *P, double *y)
{
    const ss_block *B = &inclusion->blocks[i];
    const ss_entry *end = inclusion->entries + inclusion->entry_start[i + 1];
    double x[SS_SET_MAX_DIM];
    for (int k = 0; k < dim; k++)
        x[k] = inclusion->c[B->offset + k];
    for (const ss_entry *G = inclusion->entries + inclusion->entry_start[i]; G < end; G++) {
        const ss_block *J = &inclusion->blocks[G->column];
        for (int k = 0; k < dim; k++)
            x[k] += ss_dot(J->dim, G->value + k * J->dim, P + J->offset);
    }
    for (int k = 0; k < dim; k++)
        x[k] = P[B->offset + k] - b->r * x[k];
    ss_kernel_prox(B, b, dim, P, x, y);
}

/* u += M⁻¹W_i ΔP_i */
SS_KERNEL void ss_kernel_push(const ss_inclusion *inclusion, int i, int dim, const double *dP,
                              double *u)
{
    const ss_factor *end = inclusion->factors + inclusion->factor_start[i + 1];
    for (const ss_factor *F = inclusion->factors + inclusion->factor_start[i]; F < end; F++)
        for (int k = 0; k < dim; k++)
            ss_axpy(F->nu, dP[k], F->MinvW + k * F->nu, u + F->u_offset);
}

/* Takes notice of ‖ΔP_i‖² and ‖P_i‖². */
SS_KERNEL void ss_kernel_note(const ss_prox_block *b, double dP2, double P2, ss_prox_change *change)
{
    change->error2 = ss_max_nan(change->error2, dP2 * b->error_weight);
    change->reference2 = ss_max_nan(change->reference2, P2 * b->reference_weight);
}

/* A sweep over blocks, on its way. */
typedef struct ss_kernel_pass {
    const ss_prox_solver *s;
    const ss_inclusion *inclusion;
    double *P, *u;
    double *next; /* P itself: each block sees those before it; else new impulses wait there */
    ss_prox_change change;
} ss_kernel_pass;

/* One block. When the others are to see its P_i, u is brought up to date at once, too. */
SS_KERNEL void ss_kernel_visit(ss_kernel_pass *p, bool factored, int i, int dim)
{
    const ss_prox_block *b = &p->s->blocks[i];
    int offset = p->inclusion->blocks[i].offset;
    double y[SS_SET_MAX_DIM], dP[SS_SET_MAX_DIM], dP2 = 0.0, P2 = 0.0;
    if (factored)
        ss_kernel_factored(p->inclusion, b, i, dim, p->P, p->u, y);
    else
        ss_kernel_assembled(p->inclusion, b, i, dim, p->P, y);
    for (int k = 0; k < dim; k++) {
        dP[k] = y[k] - p->P[offset + k];
        dP2 += dP[k] * dP[k];
        P2 += y[k] * y[k];
        p->next[offset + k] = y[k];
    }
    ss_kernel_note(b, dP2, P2, &p->change);
    if (factored && p->next == p->P && dP2 != 0.0)
        ss_kernel_push(p->inclusion, i, dim, dP, p->u);
}

/* Blocks first … end - 1. The form is known before the loop, so that the compiler makes one loop for
 * each. */
SS_KERNEL ss_prox_change ss_kernel_sweep(ss_kernel_pass p, bool factored, bool backward, int first,
                                         int end)
{
    for (int k = first; k < end; k++) {
        int i = backward ? first + end - 1 - k : k;
        int dim = p.inclusion->blocks[i].dim;
        if (dim == 1)
            ss_kernel_visit(&p, factored, i, 1);
        else if (dim == 2)
            ss_kernel_visit(&p, factored, i, 2);
        else
            ss_kernel_visit(&p, factored, i, dim);
    }
    return p.change;
}

#endif
