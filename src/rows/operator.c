/* operator.c: what G P + c does, block by block, in both forms. */
#include "la/small.h"
#include "rows/coupling.h"

#include <stickslip/inclusion.h>

#include <string.h>

static void factored_velocity(const ss_inclusion *inclusion, const double *u, int block,
                              double *gamma)
{
    const ss_block *B = &inclusion->blocks[block];
    for (int k = 0; k < B->dim; k++)
        gamma[k] = inclusion->b[B->offset + k];
    for (int f = inclusion->factor_start[block]; f < inclusion->factor_start[block + 1]; f++) {
        const ss_factor *F = &inclusion->factors[f];
        for (int k = 0; k < B->dim; k++)
            gamma[k] += ss_dot(F->nu, F->W + k * F->nu, u + F->u_offset);
    }
}

static void assembled_velocity(const ss_inclusion *inclusion, const double *P, int block,
                               double *gamma)
{
    const ss_block *B = &inclusion->blocks[block];
    for (int k = 0; k < B->dim; k++)
        gamma[k] = inclusion->c[B->offset + k];
    for (int e = inclusion->entry_start[block]; e < inclusion->entry_start[block + 1]; e++) {
        const ss_entry *G = &inclusion->entries[e];
        const ss_block *J = &inclusion->blocks[G->column];
        for (int k = 0; k < B->dim; k++)
            gamma[k] += ss_dot(J->dim, G->value + k * J->dim, P + J->offset);
    }
}

void ss_inclusion_velocity(const ss_inclusion *inclusion, const double *P, const double *u,
                           int block, double *gamma)
{
    if (inclusion->factor_start)
        factored_velocity(inclusion, u, block, gamma);
    else
        assembled_velocity(inclusion, P, block, gamma);
}

void ss_inclusion_free_motion(const ss_inclusion *inclusion, const double *P, double *u)
{
    if (inclusion->n_u > 0)
        memcpy(u, inclusion->u_free, (size_t)inclusion->n_u * sizeof *u);
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_inclusion_apply_impulse(inclusion, i, P + inclusion->blocks[i].offset, u);
}

void ss_inclusion_apply_impulse(const ss_inclusion *inclusion, int block, const double *dP,
                                double *u)
{
    if (!inclusion->factor_start)
        return;
    int dim = inclusion->blocks[block].dim;
    for (int f = inclusion->factor_start[block]; f < inclusion->factor_start[block + 1]; f++) {
        const ss_factor *F = &inclusion->factors[f];
        for (int k = 0; k < dim; k++)
            ss_axpy(F->nu, dP[k], F->MinvW + k * F->nu, u + F->u_offset);
    }
}

static void assembled_diagonal(const ss_inclusion *inclusion, int block, double *Gii)
{
    size_t dim = (size_t)inclusion->blocks[block].dim;
    for (int e = inclusion->entry_start[block]; e < inclusion->entry_start[block + 1]; e++)
        if (inclusion->entries[e].column == block)
            memcpy(Gii, inclusion->entries[e].value, dim * dim * sizeof *Gii);
}

void ss_inclusion_diagonal(const ss_inclusion *inclusion, int block, double *Gii)
{
    if (inclusion->factor_start)
        ss_inclusion_couple(inclusion, block, block, Gii);
    else
        assembled_diagonal(inclusion, block, Gii);
}

double ss_inclusion_scale(const ss_inclusion *inclusion, const double *P, int block)
{
    const ss_block *B = &inclusion->blocks[block];
    if (B->scale_from < 0)
        return B->scale;
    return B->scale * fabs(P[inclusion->blocks[B->scale_from].offset]);
}
