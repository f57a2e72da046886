/* svd.c: singular values and vectors of a square matrix, by LAPACK. */
#include "la/svd.h"

#include <lapacke.h>

enum { WORK_A_ROW = 70 };

size_t ss_svd_work(int n)
{
    return (size_t)n * WORK_A_ROW + 16;
}

bool ss_svd(int n, double *A, double *s, double *U, double *Vt, double *work)
{
    if (n == 0)
        return true;
    lapack_int info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, A, n, s, U, n, Vt, n,
                                          work, (lapack_int)ss_svd_work(n));
    return info == 0;
}
