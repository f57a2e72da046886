/* gather.h: an inclusion gathered for solvers that want G itself. Blocks that belong together
 * stand together: a half line and the interval or disk that it scales are one group, a Coulomb
 * contact; every other block is a group of its own. The numbers of a group row follow each other
 * in memory. */
#ifndef SS_ROWS_GATHER_H
#define SS_ROWS_GATHER_H

#include "base/arena.h"
#include "rows/coupling.h"
#include "rows/kind.h"
#include "rows/residual.h"

#include <stickslip/problem.h>

typedef struct ss_gathered_group {
    int row, dim;     /* gathered rows */
    int normal;       /* its block, or the normal block of a contact */
    int tangential;   /* -1: not a contact */
    int diagonal;     /* where G_gg begins in ss_gathered.diagonal */
    ss_set_kind kind; /* of `normal` */
    double mu;        /* of a contact */
    double r_N, r_T;  /* 1 / max diag of the blocks' own G_ii, as in the residual */
} ss_gathered_group;

/* What arrays are as long as. */
enum {
    SS_GATHER_BLOCKS,
    SS_GATHER_GROUPS,
    SS_GATHER_ROWS,
    SS_GATHER_ENTRIES,
    SS_GATHER_NUMBERS,
    SS_GATHER_DIAGONAL,
    SS_GATHER_VELOCITIES, /* this and the next: factored form */
    SS_GATHER_FACTORS,
    SS_GATHER_SIZES
};

typedef struct ss_gathered {
    int n_groups, n_rows;
    int n_entries, n_numbers; /* beside the diagonal */
    ss_gathered_group *groups;
    int *home;     /* n_rows: row of the inclusion */
    int *group_of; /* n_blocks */
    int *row_of;   /* n_blocks: first gathered row */
    int *start;    /* n_groups + 1: entries of a row beside the diagonal; columns ascend */
    int *column;   /* group */
    int *place;    /* where the numbers of an entry begin in `value`, dim × dim by rows */
    double *value;
    double *diagonal; /* every G_gg, dim × dim by rows */
    double *c;        /* n_rows */
    ss_load load;
    double c_norm; /* ‖c‖ */
    bool coulomb;  /* contacts, half lines and free blocks only */
    int uniform;   /* rows of every group when all are contacts of one kind, 2 or 3; else 0 */

    ss_context *context;
    ss_arena arena; /* all arrays; grows, never shrinks */
    bool has_arena;
    int capacity[SS_GATHER_SIZES];
    ss_coupling coupling;
    int *neighbours; /* n_blocks */
} ss_gathered;

/* Gathers an inclusion of either form (what refresh would change is taken as it stands).
 * Allocates only when it is larger than all before. SS_NON_FINITE when a number is not finite.
 * Zero-initialize before the first call. */
ss_status ss_gather(ss_gathered *gathered, ss_context *context, const ss_inclusion *inclusion);
void ss_gathered_release(ss_gathered *gathered);

/* gamma = G P + c, both in gathered rows. */
void ss_gathered_velocity(const ss_gathered *g, const double *P, double *gamma);
/* sum += G x for one entry of dim × dim, dim 2 or 3. The products are added up before they meet
 * the sum: additions that wait for each other are what a sweep's time is made of. */
static inline void ss_gathered_add(int dim, const double *G, const double *x, double *sum)
{
    if (dim == 3) {
        sum[0] += (G[0] * x[0] + G[1] * x[1]) + G[2] * x[2];
        sum[1] += (G[3] * x[0] + G[4] * x[1]) + G[5] * x[2];
        sum[2] += (G[6] * x[0] + G[7] * x[1]) + G[8] * x[2];
    } else {
        sum[0] += G[0] * x[0] + G[1] * x[1];
        sum[1] += G[2] * x[0] + G[3] * x[1];
    }
}

/* From the inclusion's order to the gathered one, and back. */
void ss_gathered_take(const ss_gathered *g, const double *P, double *gathered);
void ss_gathered_give(const ss_gathered *g, const double *gathered, double *P);
/* The scale of a group's block at P: scale, or scale · |P_j|. */
double ss_gathered_scale(const ss_gathered *g, const ss_inclusion *inclusion, int block,
                         const double *P);

#endif
