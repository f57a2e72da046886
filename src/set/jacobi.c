/* jacobi.c: eigenvalues of small symmetric matrices, by Jacobi rotations. */
#include "set/jacobi.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_DIM = 3, MAX_SWEEPS = 30 };

/* Columns p and q of a matrix by rows: [p q] [c s; -s c]. */
static void rotate_columns(int dim, double c, double s, int p, int q, double *A)
{
    for (int i = 0; i < dim; i++) {
        double *row = A + i * dim;
        double a = row[p], b = row[q];
        row[p] = c * a - s * b;
        row[q] = s * a + c * b;
    }
}

/* One rotation that makes A[p][q] zero. */
static void annihilate(int dim, int p, int q, double *A, double *Q)
{
    double a = A[p * dim + q];
    double theta = (A[q * dim + q] - A[p * dim + p]) / (2 * a);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(1 + theta * theta));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    A[p * dim + p] -= t * a;
    A[q * dim + q] += t * a;
    A[p * dim + q] = A[q * dim + p] = 0;
    for (int i = 0; i < dim; i++) {
        if (i == p || i == q)
            continue;
        double ip = A[i * dim + p], iq = A[i * dim + q];
        A[i * dim + p] = A[p * dim + i] = c * ip - s * iq;
        A[i * dim + q] = A[q * dim + i] = s * ip + c * iq;
    }
    rotate_columns(dim, c, s, p, q, Q);
}

/* Rotates every pair whose coupling is not negligible beside its own diagonal; false: there was
 * none. */
static bool sweep(int dim, double *A, double *Q)
{
    bool rotated = false;
    for (int p = 0; p < dim; p++) {
        for (int q = p + 1; q < dim; q++) {
            double pair = sqrt(fabs(A[p * dim + p])) * sqrt(fabs(A[q * dim + q]));
            if (fabs(A[p * dim + q]) <= 0.25 * DBL_EPSILON * pair)
                continue;
            annihilate(dim, p, q, A, Q);
            rotated = true;
        }
    }
    return rotated;
}

void ss_jacobi(int dim, const double *A, double *lambda, double *Q)
{
    double B[MAX_DIM * MAX_DIM];
    memcpy(B, A, (size_t)(dim * dim) * sizeof *B);
    for (int i = 0; i < dim * dim; i++)
        Q[i] = i % (dim + 1) == 0;
    for (int i = 0; i < MAX_SWEEPS && sweep(dim, B, Q); i++)
        continue;
    for (int i = 0; i < dim; i++)
        lambda[i] = B[i * dim + i];
}
