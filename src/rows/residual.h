/* residual.h: the residual for callers that know the r_i already. */
#ifndef SS_ROWS_RESIDUAL_H
#define SS_ROWS_RESIDUAL_H

#include <stickslip/inclusion.h>

#include <float.h>

/* 1 / diagonal; the default where that is zero. */
static inline double ss_inverse(double diagonal, double default_value)
{
    return diagonal < DBL_MIN ? default_value : 1.0 / diagonal;
}

/* 1 / max diag(G_ii) of every block, in r (n_blocks elements). */
void ss_inclusion_natural_r(const ss_inclusion *inclusion, double *r);

/* r from the max diag(G_ii) that it holds: blocks that move nothing have the smallest of all. */
void ss_inclusion_invert_diagonals(int n_blocks, double *r);

/* What the errors of an island count against: the load max_i √r_i ‖c_i‖, and the r of the contact that has it along its
 * normal; r = 0: it is no contact. */
typedef struct ss_load {
    double value, r; /* √J; kg */
} ss_load;

ss_load ss_inclusion_load(const ss_inclusion *inclusion, const double *r);
/* Takes notice of the load √r_i ‖c_i‖ of one block; r_N: of its contact, 0: it is none. */
void ss_load_add(const ss_inclusion *inclusion, int block, double r, double r_N, ss_load *load);

/* The half line that a block is, or that scales its friction; -1: none. */
int ss_inclusion_normal(const ss_inclusion *inclusion, int block);

/* Impulses this many times larger than what the load asks for have run away: rounding of γ hides any error. 64 rounding units
 * of them are a thousandth of the load. */
#define SS_RESIDUAL_RUNAWAY 7e10

/* A residual on its way. */
typedef struct ss_residual_sum {
    ss_load load;
    double own;   /* the largest impulse, √J */
    double error; /* the largest error, √J; that of a light contact counts more */
    double weight;
    int block;
} ss_residual_sum;

/* What the error of a light contact counts more than that of the load's. */
double ss_residual_weight(const ss_load *load, double r_N);
void ss_residual_add(ss_residual_sum *sum, double error, double own, double weight, int block);
/* Relative to the load, or to the largest impulse up to a hundred times the load: one that grows without bound hides nothing,
 * and from SS_RESIDUAL_RUNAWAY on the residual is at least 1. */
ss_residual ss_residual_finish(const ss_residual_sum *sum);

/* ‖P‖ / √r of a block, and its load √r ‖c‖, with its own r; both 0 where it moves nothing, √J. */
void ss_inclusion_block_sizes(const ss_inclusion *inclusion, const double *P, int block,
                              double *impulse, double *load);

/* ss_inclusion_residual with r from ss_inclusion_natural_r and the load that belongs to it. */
ss_residual ss_inclusion_residual_given(const ss_inclusion *inclusion, const double *r,
                                        const ss_load *load, const double *P, const double *u);

/* The numbers that were added up to form row k of γ: Σ|W||u| + |b|, or Σ|G||P| + |c|. */
double ss_inclusion_row_size(const ss_inclusion *inclusion, const double *P, const double *u,
                             int block, int k);

/* A block with the scale of its set and its impulse, at γ, which was formed of numbers as large as `size`. */
typedef struct ss_block_at {
    const ss_block *block;
    int number; /* for the report */
    double scale;
    const double *P;
    double r, r_N; /* r_N: of its contact, 0: it is none */
    const double *gamma, *size;
} ss_block_at;

/* Takes notice of its error e_i = ‖P_i - prox(P_i - r γ)‖ / √r, zero below rounding. */
void ss_block_residual(const ss_block_at *at, ss_residual_sum *sum);

/* The part of one block alone: its error, and the size of its load and impulse, √J. */
void ss_inclusion_block_residual(const ss_inclusion *inclusion, const double *P, const double *u,
                                 int block, double r, double *error, double *size);

/* ss_inclusion_modes; marginal[i] says that block i is in constraint mode with its impulse at
 * the boundary of its set, held there by a projection within rounding: it may as well be
 * impressed. */
void ss_inclusion_modes_marginal(const ss_inclusion *inclusion, const double *P, const double *u,
                                 double tolerance, ss_mode *modes, bool *marginal);

#endif
