/* coupling.h: which blocks of a factored inclusion share a system, and the G_ij between them. */
#ifndef SS_ROWS_COUPLING_H
#define SS_ROWS_COUPLING_H

#include <stickslip/inclusion.h>

/* G_ij = W_iᵀ M⁻¹ W_j (S3.32), dim_i × dim_j by rows, of a factored inclusion. */
void ss_inclusion_couple(const ss_inclusion *inclusion, int i, int j, double *Gij);

/* The factors of each system in a chain. The arrays belong to the caller; ss_coupling_build fills
 * them. */
typedef struct ss_coupling {
    int *head;   /* n_u: first factor whose u_offset is this, or -1 */
    int *next;   /* n_factors: next factor of the same system, or -1; ascending */
    int *owner;  /* n_factors: block of the factor */
    int *marker; /* n_blocks: the last query that met this block */
    int query;
} ss_coupling;

void ss_coupling_build(const ss_inclusion *inclusion, ss_coupling *coupling);

/* The blocks that share a system with block i, itself included, unsorted. neighbours has n_blocks
 * elements. Returns their number. */
int ss_coupling_neighbours(const ss_inclusion *inclusion, ss_coupling *coupling, int i,
                           int *neighbours);

#endif
