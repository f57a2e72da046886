/* svd.h: singular values and vectors of a square matrix. No memory is allocated here. */
#ifndef SS_LA_SVD_H
#define SS_LA_SVD_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles of work memory. */
size_t ss_svd_work(int n);

/* A = U diag(s) Vᵀ with s descending; all n × n, by columns. A is destroyed; Vt holds Vᵀ. False
 * when LAPACK does not converge (numbers that are not finite). */
bool ss_svd(int n, double *A, double *s, double *U, double *Vt, double *work);

#endif
