/* operator.c: what G P + c does, block by block, and G itself, in both forms. */
#include "la/small.h"
#include "rows/coupling.h"

#include <string.h>

/* ---- G P + c ---- */

void ss_inclusion_velocity(const ss_inclusion *inclusion, const double *P, const double *u,
                           int block, double *gamma)
{
    const ss_block *B = &inclusion->blocks[block];
    const double *constant = inclusion->factor_start ? inclusion->b : inclusion->c;
    for (int k = 0; k < B->dim; k++)
        gamma[k] = constant[B->offset + k];
    if (inclusion->factor_start) {
        for (int f = inclusion->factor_start[block]; f < inclusion->factor_start[block + 1]; f++) {
            const ss_factor *F = &inclusion->factors[f];
            for (int k = 0; k < B->dim; k++)
                gamma[k] += ss_dot(F->nu, F->W + k * F->nu, u + F->u_offset);
        }
        return;
    }
    for (int e = inclusion->entry_start[block]; e < inclusion->entry_start[block + 1]; e++) {
        const ss_entry *G = &inclusion->entries[e];
        const ss_block *J = &inclusion->blocks[G->column];
        for (int k = 0; k < B->dim; k++)
            gamma[k] += ss_dot(J->dim, G->value + k * J->dim, P + J->offset);
    }
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

double ss_inclusion_scale(const ss_inclusion *inclusion, const double *P, int block)
{
    const ss_block *B = &inclusion->blocks[block];
    if (B->scale_from < 0)
        return B->scale;
    return B->scale * fabs(P[inclusion->blocks[B->scale_from].offset]);
}

/* ---- G ---- */

void ss_delassus_add(int nu, int n_i, const double *W, int n_j, const double *MinvW, double *G)
{
    for (int k = 0; k < n_i; k++)
        for (int l = 0; l < n_j; l++)
            G[k * n_j + l] += ss_dot(nu, W + k * nu, MinvW + l * nu);
}

static void add_shared(const ss_inclusion *inclusion, int i, int j, const ss_factor *Fi,
                       const ss_factor *Fj, double *Gij)
{
    if (Fi->u_offset == Fj->u_offset && Fi->nu == Fj->nu)
        ss_delassus_add(Fi->nu, inclusion->blocks[i].dim, Fi->W, inclusion->blocks[j].dim,
                        Fj->MinvW, Gij);
}

/* Whether the factors from `first` to before `end` name their systems in ascending order, each once. */
static bool ascending(const ss_factor *factors, int first, int end)
{
    for (int f = first + 1; f < end; f++)
        if (factors[f].u_offset <= factors[f - 1].u_offset)
            return false;
    return true;
}

/* G_ij = W_iᵀ M⁻¹ W_j (S3.32). Where both blocks name systems in ascending order, as those of a large cluster do, one walk
 * through both. */
static void couple(const ss_inclusion *inclusion, int i, int j, double *Gij)
{
    const ss_factor *factors = inclusion->factors;
    const int *start = inclusion->factor_start;
    memset(Gij, 0, (size_t)(inclusion->blocks[i].dim * inclusion->blocks[j].dim) * sizeof *Gij);
    if (ascending(factors, start[i], start[i + 1]) && ascending(factors, start[j], start[j + 1])) {
        for (int f = start[i], g = start[j]; f < start[i + 1] && g < start[j + 1];) {
            int step = factors[f].u_offset - factors[g].u_offset;
            add_shared(inclusion, i, j, &factors[f], &factors[g], Gij);
            f += step <= 0;
            g += step >= 0;
        }
        return;
    }
    for (int f = start[i]; f < start[i + 1]; f++)
        for (int g = start[j]; g < start[j + 1]; g++)
            add_shared(inclusion, i, j, &factors[f], &factors[g], Gij);
}

const double *ss_inclusion_G(const ss_inclusion *inclusion, int i, int j, double *own)
{
    if (inclusion->factor_start) {
        couple(inclusion, i, j, own);
        return own;
    }
    int low = inclusion->entry_start[i], high = inclusion->entry_start[i + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (inclusion->entries[middle].column < j)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < inclusion->entry_start[i + 1] && inclusion->entries[low].column == j)
        return inclusion->entries[low].value;
    memset(own, 0, (size_t)(inclusion->blocks[i].dim * inclusion->blocks[j].dim) * sizeof *own);
    return own;
}

void ss_inclusion_diagonal(const ss_inclusion *inclusion, int block, double *Gii)
{
    int dim = inclusion->blocks[block].dim;
    const double *G = ss_inclusion_G(inclusion, block, block, Gii);
    if (G != Gii)
        memcpy(Gii, G, (size_t)(dim * dim) * sizeof *Gii);
}

int ss_inclusion_dense_G(const ss_inclusion *inclusion, bool unscaled, double *G)
{
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int n = 0, row = 0;
    for (int i = 0; i < inclusion->n_blocks; i++)
        if (!unscaled || inclusion->blocks[i].scale_from < 0)
            n += inclusion->blocks[i].dim;
    for (int i = 0; G && i < inclusion->n_blocks; i++) {
        const ss_block *I = &inclusion->blocks[i];
        if (unscaled && I->scale_from >= 0)
            continue;
        for (int j = 0, column = 0; j < inclusion->n_blocks; j++) {
            const ss_block *J = &inclusion->blocks[j];
            if (unscaled && J->scale_from >= 0)
                continue;
            const double *Gij = ss_inclusion_G(inclusion, i, j, own);
            for (int k = 0; k < I->dim; k++)
                memcpy(G + (size_t)(row + k) * (size_t)n + column, Gij + k * J->dim,
                       (size_t)J->dim * sizeof *G);
            column += J->dim;
        }
        row += I->dim;
    }
    return n;
}

/* ---- Which blocks share a system ---- */

void ss_coupling_build(const ss_inclusion *inclusion, ss_coupling *coupling)
{
    coupling->query = 0;
    if (!inclusion->factor_start)
        return;
    for (int k = 0; k < inclusion->n_u; k++)
        coupling->head[k] = -1;
    for (int i = inclusion->n_blocks - 1; i >= 0; i--) {
        coupling->marker[i] = 0;
        for (int f = inclusion->factor_start[i + 1] - 1; f >= inclusion->factor_start[i]; f--) {
            coupling->owner[f] = i;
            coupling->next[f] = -1;
            if (inclusion->factors[f].nu == 0)
                continue;
            int *head = &coupling->head[inclusion->factors[f].u_offset];
            coupling->next[f] = *head;
            *head = f;
        }
    }
}

int ss_coupling_neighbours(const ss_inclusion *inclusion, ss_coupling *coupling, int i,
                           int *neighbours)
{
    int count = 0;
    if (!inclusion->factor_start) {
        for (int e = inclusion->entry_start[i]; e < inclusion->entry_start[i + 1]; e++)
            neighbours[count++] = inclusion->entries[e].column;
        return count;
    }
    coupling->query++;
    coupling->marker[i] = coupling->query;
    neighbours[count++] = i;
    for (int f = inclusion->factor_start[i]; f < inclusion->factor_start[i + 1]; f++) {
        if (inclusion->factors[f].nu == 0)
            continue;
        int g = coupling->head[inclusion->factors[f].u_offset];
        for (; g >= 0; g = coupling->next[g]) {
            int j = coupling->owner[g];
            if (coupling->marker[j] == coupling->query)
                continue;
            coupling->marker[j] = coupling->query;
            neighbours[count++] = j;
        }
    }
    return count;
}
