/* coupling.h: the Delassus matrix G of an inclusion, block by block, in whichever form it is.
 *
 * Everybody who needs numbers of G asks here: ss_inclusion_G for one block, ss_coupling_neighbours for the blocks of a row
 * that are not zero, ss_inclusion_dense_G for all of them. */
#ifndef SS_ROWS_COUPLING_H
#define SS_ROWS_COUPLING_H

#include <stickslip/inclusion.h>

/* G += W_iᵀ M⁻¹W_j of rows that act on the same nu velocities; W and M⁻¹W have nu numbers a row. */
void ss_delassus_add(int nu, int n_i, const double *W, int n_j, const double *MinvW, double *G);

/* G_ij, dim_i × dim_j by rows: what the inclusion has, or `own`, filled with it. */
const double *ss_inclusion_G(const ss_inclusion *inclusion, int i, int j, double *own);

/* All of G, or that of the blocks without scale_from, n × n by rows. Returns n; G NULL: only that. */
int ss_inclusion_dense_G(const ss_inclusion *inclusion, bool unscaled, double *G);

/* The factors of each system in a chain. The arrays belong to the caller; ss_coupling_build fills
 * them. The assembled form needs none. */
typedef struct ss_coupling {
    int *head;   /* n_u: first factor whose u_offset is this, or -1 */
    int *next;   /* n_factors: next factor of the same system, or -1; ascending */
    int *owner;  /* n_factors: block of the factor */
    int *marker; /* n_blocks: the last query that met this block */
    int query;
} ss_coupling;

void ss_coupling_build(const ss_inclusion *inclusion, ss_coupling *coupling);

/* The blocks j with a G_ij, i itself included; unsorted in factored form. neighbours has n_blocks
 * elements. Returns their number. */
int ss_coupling_neighbours(const ss_inclusion *inclusion, ss_coupling *coupling, int i,
                           int *neighbours);

#endif
