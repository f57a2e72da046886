/* lu.h: A = L U of square matrices that share one pattern and are factored again and again.
 * Small and full ones go to LAPACK, sparse ones to KLU. */
#ifndef SS_LA_LU_H
#define SS_LA_LU_H

#include <stickslip/base.h>

typedef struct ss_lu ss_lu;

/* The pattern of A by rows, columns ascending: start has n + 1 elements, column start[n]. Both
 * are borrowed. */
ss_status ss_lu_create(ss_context *context, int n, const int *start, const int *column, ss_lu **lu);
/* lu may be NULL. */
void ss_lu_destroy(ss_lu *lu);

/* Factors A, whose elements are borrowed until the next factorization. False when A is singular,
 * not finite, or too large for the memory. */
bool ss_lu_factor(ss_lu *lu, const double *value);

/* Solves A x = b with the last factors, improved by one step of refinement; x and b may not be
 * the same. False when x is not finite or leaves a residual that makes it worthless. */
bool ss_lu_solve(ss_lu *lu, const double *b, double *x);

#endif
