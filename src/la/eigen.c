/* eigen.c: the ends of the spectrum of a symmetric matrix, and singular values, by LAPACK. */
#include "la/eigen.h"

#include "la/small.h"

#include <lapacke.h>
#include <stdint.h>
#include <string.h>

enum { LANCZOS_STEPS = 48, DENSE_BLOCK = 34, SVD_BLOCK = 70 };

size_t ss_eigen_dense_work(int n)
{
    return (size_t)n * (DENSE_BLOCK + 1);
}

bool ss_eigen_dense(int n, double *A, double *work, double *min, double *max)
{
    double *values = work;
    lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'L', n, A, n, values, work + n,
                                         (lapack_int)DENSE_BLOCK * n);
    *min = values[0];
    *max = values[n - 1];
    return info == 0 && isfinite(*min) && isfinite(*max);
}

/* The tridiagonal matrix of the Lanczos steps, and space for its eigenvectors. */
typedef struct tridiagonal {
    int size;
    double diagonal[LANCZOS_STEPS];
    double
        beside[LANCZOS_STEPS]; /* beside[k] couples k and k + 1; the last one leaves the matrix */
    double vectors[LANCZOS_STEPS * LANCZOS_STEPS];
    double work[2 * LANCZOS_STEPS];
} tridiagonal;

size_t ss_eigen_lanczos_work(int n)
{
    return 3 * (size_t)n + (sizeof(tridiagonal) + sizeof(double) - 1) / sizeof(double);
}

/* A fixed vector of length one without structure: it must not miss an eigenvector by symmetry. */
static void start_vector(int n, double *v)
{
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < n; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        v[k] = (double)(state >> 11) * 0x1p-53 - 0.5;
    }
    double scale = 1.0 / ss_norm(n, v);
    for (int k = 0; k < n; k++)
        v[k] *= scale;
}

/* v_old, v, w: three vectors of length n. */
static void lanczos_steps(int n, ss_apply_fn apply, void *user, double *v_old, double *v, double *w,
                          tridiagonal *T)
{
    double beta = 0.0, largest = 0.0;
    memset(v_old, 0, (size_t)n * sizeof *v_old);
    start_vector(n, v);
    T->size = 0;
    while (T->size < LANCZOS_STEPS && T->size < n) {
        apply(user, v, w);
        double alpha = ss_dot(n, v, w);
        ss_axpy(n, -alpha, v, w);
        ss_axpy(n, -beta, v_old, w);
        beta = ss_norm(n, w);
        T->diagonal[T->size] = alpha;
        T->beside[T->size++] = beta;
        largest = fmax(largest, fabs(alpha) + beta);
        if (!(beta > 1e-14 * largest)) /* an invariant subspace: its eigenvalues are exact */
            return;
        double *next = v_old;
        for (int k = 0; k < n; k++)
            next[k] = w[k] / beta;
        v_old = v;
        v = next;
    }
}

bool ss_eigen_least(int n, ss_apply_fn apply, void *user, double *work, double *low, double *high)
{
    const tridiagonal *T = (const tridiagonal *)(work + 3 * (size_t)n);
    double max;
    bool found = ss_eigen_lanczos(n, apply, user, work, low, &max);
    *high = T->diagonal[0];
    return found;
}

bool ss_eigen_lanczos(int n, ss_apply_fn apply, void *user, double *work, double *min, double *max)
{
    double *vectors = work;
    tridiagonal *T = (tridiagonal *)(work + 3 * (size_t)n);
    lanczos_steps(n, apply, user, vectors, vectors + n, vectors + 2 * (size_t)n, T);
    int k = T->size;
    double outside = T->beside[k - 1];
    lapack_int info = LAPACKE_dstev_work(LAPACK_COL_MAJOR, 'V', k, T->diagonal, T->beside,
                                         T->vectors, LANCZOS_STEPS, T->work);
    /* |A y - θ y| = outside · |last component of the eigenvector of T| */
    *min = T->diagonal[0] - outside * fabs(T->vectors[k - 1]);
    *max = T->diagonal[k - 1] + outside * fabs(T->vectors[(k - 1) * LANCZOS_STEPS + k - 1]);
    return info == 0 && isfinite(*min) && isfinite(*max);
}

size_t ss_svd_work(int n)
{
    return (size_t)n * SVD_BLOCK + 16;
}

bool ss_svd(int n, double *A, double *s, double *U, double *Vt, double *work)
{
    if (n == 0)
        return true;
    lapack_int info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, A, n, s, U, n, Vt, n,
                                          work, (lapack_int)ss_svd_work(n));
    return info == 0;
}
