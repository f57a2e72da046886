/* coupling.c: which blocks of a factored inclusion share a system, and G_ij between them. */
#include "rows/coupling.h"

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

/* Whether the factors from `first` to before `end` name their systems in ascending order, each once. */
static bool ascending(const ss_factor *factors, int first, int end)
{
    for (int f = first + 1; f < end; f++)
        if (factors[f].u_offset <= factors[f - 1].u_offset)
            return false;
    return true;
}

/* Of two blocks that name systems in ascending order, as those of a large cluster do: one walk through both. */
static void couple_ascending(const ss_inclusion *inclusion, int i, int j, double *Gij)
{
    const ss_factor *factors = inclusion->factors;
    const int *start = inclusion->factor_start;
    for (int f = start[i], g = start[j]; f < start[i + 1] && g < start[j + 1];) {
        if (same_system(&factors[f], &factors[g]))
            add_shared(inclusion->blocks[i].dim, inclusion->blocks[j].dim, &factors[f], &factors[g],
                       Gij);
        int step = factors[f].u_offset - factors[g].u_offset;
        f += step <= 0;
        g += step >= 0;
    }
}

static void couple_any(const ss_inclusion *inclusion, int i, int j, double *Gij)
{
    const ss_factor *factors = inclusion->factors;
    const int *start = inclusion->factor_start;
    for (int f = start[i]; f < start[i + 1]; f++)
        for (int g = start[j]; g < start[j + 1]; g++)
            if (same_system(&factors[f], &factors[g]))
                add_shared(inclusion->blocks[i].dim, inclusion->blocks[j].dim, &factors[f],
                           &factors[g], Gij);
}

void ss_inclusion_couple(const ss_inclusion *inclusion, int i, int j, double *Gij)
{
    const ss_factor *factors = inclusion->factors;
    const int *start = inclusion->factor_start;
    memset(Gij, 0, (size_t)(inclusion->blocks[i].dim * inclusion->blocks[j].dim) * sizeof *Gij);
    if (ascending(factors, start[i], start[i + 1]) && ascending(factors, start[j], start[j + 1]))
        couple_ascending(inclusion, i, j, Gij);
    else
        couple_any(inclusion, i, j, Gij);
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
