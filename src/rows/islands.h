/* islands.h: an inclusion cut into islands: blocks that are connected through the systems they move, or through G, and
 * through the impulses that scale their sets. Each is an inclusion of its own. */
#ifndef SS_ROWS_ISLANDS_H
#define SS_ROWS_ISLANDS_H

#include "base/arena.h"

#include <stickslip/inclusion.h>

typedef struct ss_islands {
    int count;
    int *start;  /* count + 1 */
    int *blocks; /* by islands, in ascending order */

    /* The island at hand, as an inclusion with its own numbering. */
    ss_inclusion part;
    double *P, *u; /* of the island */
    int n_systems;

    int *parent;  /* n_u + n_blocks: union-find over systems, by their first velocity, and blocks */
    int *label;   /* as many: scratch */
    int *number;  /* n_blocks: of a block in its island */
    int *offset;  /* n_u: where a system begins in the island; -1: it is not in it */
    int *systems; /* n_u: systems of the island, by their first velocity */
    int *sizes;   /* n_u: their velocities */
    ss_block *part_blocks;
    int *part_start;
    ss_factor *factors;
    ss_entry *entries;
    double *u_free, *b, *c;
    ss_arena arena;
    bool has_arena;
    int capacity_blocks, capacity_rows, capacity_u, capacity_parts; /* factors or entries */
} ss_islands;

/* Memory for inclusions of up to so many blocks, rows, velocities, and factors or entries. */
ss_status ss_islands_reserve(ss_islands *islands, ss_context *context, int n_blocks, int n_rows,
                             int n_u, int n_parts);
/* Finds the islands. Allocates only when the inclusion is larger than all before. Zero-initialize before the first call. */
ss_status ss_islands_find(ss_islands *islands, ss_context *context, const ss_inclusion *inclusion);
/* Island k as islands->part, with its impulses in islands->P. */
void ss_islands_take(ss_islands *islands, const ss_inclusion *inclusion, int k, const double *P);
/* Impulses of the island at hand among those of all. */
void ss_islands_show(const ss_islands *islands, const ss_inclusion *inclusion, int k,
                     const double *part, double *P);
/* Its impulses and velocities back to where they belong; u is NULL for an assembled inclusion. */
void ss_islands_give(ss_islands *islands, const ss_inclusion *inclusion, int k, double *P,
                     double *u);
void ss_islands_release(ss_islands *islands);

#endif
