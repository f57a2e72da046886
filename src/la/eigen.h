/* eigen.h: the ends of the spectrum of a symmetric matrix; singular values. No memory is allocated here. */
#ifndef SS_LA_EIGEN_H
#define SS_LA_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles of work memory for the two functions below. */
size_t ss_eigen_dense_work(int n);
size_t ss_eigen_lanczos_work(int n);

/* Smallest and largest eigenvalue of A, n × n, whose upper triangle is read and which is destroyed.
 * False when LAPACK does not converge (numbers that are not finite). */
bool ss_eigen_dense(int n, double *A, double *work, double *min, double *max);

/* y = A x */
typedef void (*ss_apply_fn)(void *user, const double *x, double *y);

/* Estimates by Lanczos steps for matrices too large for ss_eigen_dense. *max is the largest Ritz
 * value plus its residual and so errs on the large side, *min likewise on the small side. False as
 * above. */
bool ss_eigen_lanczos(int n, ss_apply_fn apply, void *user, double *work, double *min, double *max);

/* Bounds of the smallest eigenvalue by the same steps: the smallest Ritz value, and that less its residual. */
bool ss_eigen_least(int n, ss_apply_fn apply, void *user, double *work, double *low, double *high);

/* Doubles of work memory. */
size_t ss_svd_work(int n);

/* A = U diag(s) Vᵀ with s descending; all n × n, by columns. A is destroyed; Vt holds Vᵀ. False
 * when LAPACK does not converge (numbers that are not finite). */
bool ss_svd(int n, double *A, double *s, double *U, double *Vt, double *work);

#endif
