/* residual.h: the residual for callers that know the r_i already. */
#ifndef SS_ROWS_RESIDUAL_H
#define SS_ROWS_RESIDUAL_H

#include <stickslip/inclusion.h>

/* 1 / max diag(G_ii) of every block, in r (n_blocks elements). */
void ss_inclusion_natural_r(const ss_inclusion *inclusion, double *r);

/* max_i √r_i ‖c_i‖, the part of the reference that does not depend on P. */
double ss_inclusion_load(const ss_inclusion *inclusion, const double *r);

/* ss_inclusion_residual with r from ss_inclusion_natural_r and the load that belongs to it. */
ss_residual ss_inclusion_residual_given(const ss_inclusion *inclusion, const double *r, double load,
                                        const double *P, const double *u);

/* The part of one block in it: its error, and what the reference owes to it, √J. */
void ss_inclusion_block_residual(const ss_inclusion *inclusion, const double *P, const double *u,
                                 int block, double r, double *error, double *size);

/* ss_inclusion_modes; marginal[i] says that block i is in constraint mode with its impulse at
 * the boundary of its set, held there by a projection within rounding: it may as well be
 * impressed. */
void ss_inclusion_modes_marginal(const ss_inclusion *inclusion, const double *P, const double *u,
                                 double tolerance, ss_mode *modes, bool *marginal);

#endif
