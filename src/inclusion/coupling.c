#include "inclusion/coupling.h"

#include "la/small.h"

#include <string.h>

static bool same_system(const ss_factor *Fi, const ss_factor *Fj)
{
    return Fi->u_offset == Fj->u_offset && Fi->nu == Fj->nu;
}

static void add_shared(int dim_i, int dim_j, const ss_factor *Fi, const ss_factor *Fj, double *Gij)
{
    for (int k = 0; k < dim_i; k++)
        for (int l = 0; l < dim_j; l++)
            Gij[k * dim_j + l] += ss_dot(Fi->nu, Fi->W + k * Fi->nu, Fj->MinvW + l * Fj->nu);
}

void ss_inclusion_couple(const ss_inclusion *inclusion, int i, int j, double *Gij)
{
    int dim_i = inclusion->blocks[i].dim, dim_j = inclusion->blocks[j].dim;
    const int *start = inclusion->factor_start;
    memset(Gij, 0, (size_t)(dim_i * dim_j) * sizeof *Gij);
    for (int f = start[i]; f < start[i + 1]; f++)
        for (int g = start[j]; g < start[j + 1]; g++)
            if (same_system(&inclusion->factors[f], &inclusion->factors[g]))
                add_shared(dim_i, dim_j, &inclusion->factors[f], &inclusion->factors[g], Gij);
}

void ss_coupling_build(const ss_inclusion *inclusion, ss_coupling *coupling)
{
    coupling->query = 0;
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
