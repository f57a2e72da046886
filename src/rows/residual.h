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

/* max_i √r_i ‖c_i‖, the part of the reference that does not depend on P. */
double ss_inclusion_load(const ss_inclusion *inclusion, const double *r);

/* ss_inclusion_residual with r from ss_inclusion_natural_r and the load that belongs to it. */
ss_residual ss_inclusion_residual_given(const ss_inclusion *inclusion, const double *r, double load,
                                        const double *P, const double *u);

/* The numbers that were added up to form row k of γ: Σ|W||u| + |b|, or Σ|G||P| + |c|. */
double ss_inclusion_row_size(const ss_inclusion *inclusion, const double *P, const double *u,
                             int block, int k);

/* A block with the scale and the impulse P_i of its set, at γ, which was formed of numbers as large as `size`: its error
 * e_i = ‖P_i - prox(P_i - r γ)‖ / √r, zero below rounding, √J. */
double ss_block_error(const ss_block *block, double scale, const double *Pi, double r,
                      const double *gamma, const double *size);

/* The part of one block in it: its error, and what the reference owes to it, √J. */
void ss_inclusion_block_residual(const ss_inclusion *inclusion, const double *P, const double *u,
                                 int block, double r, double *error, double *size);

/* ss_inclusion_modes; marginal[i] says that block i is in constraint mode with its impulse at
 * the boundary of its set, held there by a projection within rounding: it may as well be
 * impressed. */
void ss_inclusion_modes_marginal(const ss_inclusion *inclusion, const double *P, const double *u,
                                 double tolerance, ss_mode *modes, bool *marginal);

#endif
