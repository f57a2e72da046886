/* jacobi.h: eigenvalues of small symmetric matrices. */
#ifndef SS_SET_JACOBI_H
#define SS_SET_JACOBI_H

/* A = Q diag(lambda) Qᵀ for symmetric A, dim 1 … 3, Q by rows with the eigenvectors in its
 * columns. Jacobi rotations, unlike tridiagonalization, find also the small eigenvalues of a
 * graded positive definite matrix to nearly full relative accuracy, and graded is what axes of
 * different lengths make it. */
void ss_jacobi(int dim, const double *A, double *lambda, double *Q);

#endif
