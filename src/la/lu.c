/* lu.c: factors square matrices that share one pattern, by LAPACK or KLU. */
#include "la/lu.h"

#include "base/arena.h"
#include "la/small.h"

#include <lapacke.h>
#include <suitesparse/klu.h>

#include <string.h>

struct ss_lu {
    ss_context *context;
    bool is_dense;
    int n;
    const int *start, *column;
    const double *value;
    bool factored; /* sparse: there is a pivot order to keep */
    bool kept;     /* sparse: the last factors kept it */
    double *r;     /* n: refinement */
    double *dense; /* n × n */
    lapack_int *pivots;
    klu_common klu;
    klu_symbolic *klu_symbolic;
    klu_numeric *klu_numeric;
};

/* Below so many rows LAPACK wins whatever the pattern, up to the second number when a quarter is
 * there. */
enum { SMALL = 40, DENSE_MOST = 3000 };

/* KLU wants columns: it sees the transpose, and solves with it transposed. */
static ss_status fill(ss_lu *lu)
{
    size_t n = (size_t)lu->n;
    double density = n > 0 ? (double)lu->start[n] / ((double)n * (double)n) : 1.0;
    lu->is_dense = lu->n <= SMALL || (lu->n <= DENSE_MOST && density > 0.25);
    SS_TRY(SS_NEW(lu->context, n, &lu->r));
    if (lu->is_dense) {
        SS_TRY(SS_NEW(lu->context, n * n, &lu->dense));
        return SS_NEW(lu->context, n, &lu->pivots);
    }
    klu_defaults(&lu->klu);
    lu->klu.btf = 0;
    lu->klu_symbolic = klu_analyze(lu->n, (int *)lu->start, (int *)lu->column, &lu->klu);
    if (!lu->klu_symbolic)
        return ss_fail(lu->context, SS_MEMORY, "no memory to order a matrix of %d rows", lu->n);
    return SS_OK;
}

ss_status ss_lu_create(ss_context *context, int n, const int *start, const int *column, ss_lu **lu)
{
    SS_TRY(SS_NEW(context, 1, lu));
    **lu = (ss_lu){.context = context, .n = n, .start = start, .column = column};
    ss_status status = fill(*lu);
    if (status != SS_OK) {
        ss_lu_destroy(*lu);
        *lu = NULL;
    }
    return status;
}

void ss_lu_destroy(ss_lu *lu)
{
    if (!lu)
        return;
    if (lu->klu_numeric)
        klu_free_numeric(&lu->klu_numeric, &lu->klu);
    if (lu->klu_symbolic)
        klu_free_symbolic(&lu->klu_symbolic, &lu->klu);
    ss_release(lu->context, lu->dense);
    ss_release(lu->context, lu->pivots);
    ss_release(lu->context, lu->r);
    ss_release(lu->context, lu);
}

static bool factor_dense(ss_lu *lu)
{
    size_t n = (size_t)lu->n;
    memset(lu->dense, 0, n * n * sizeof *lu->dense);
    for (size_t i = 0; i < n; i++)
        for (int e = lu->start[i]; e < lu->start[i + 1]; e++)
            lu->dense[i * n + (size_t)lu->column[e]] = lu->value[e];
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, lu->n, lu->n, lu->dense, lu->n, lu->pivots) == 0;
}

/* `keep`: with the pivots that were found last. */
static bool factor_sparse(ss_lu *lu, bool keep)
{
    int *start = (int *)lu->start, *column = (int *)lu->column;
    double *value = (double *)lu->value;
    lu->kept = keep;
    if (keep && klu_refactor(start, column, value, lu->klu_symbolic, lu->klu_numeric, &lu->klu) &&
        lu->klu.status == KLU_OK)
        return true;
    lu->kept = lu->factored = false;
    if (lu->klu_numeric)
        klu_free_numeric(&lu->klu_numeric, &lu->klu);
    lu->klu_numeric = klu_factor(start, column, value, lu->klu_symbolic, &lu->klu);
    lu->factored = lu->klu_numeric && lu->klu.status == KLU_OK;
    return lu->factored;
}

bool ss_lu_factor(ss_lu *lu, const double *value)
{
    lu->value = value;
    if (lu->n == 0)
        return true;
    if (!ss_all_finite(lu->start[lu->n], value))
        return false;
    return lu->is_dense ? factor_dense(lu) : factor_sparse(lu, lu->factored);
}

/* The transpose was factored, hence the transposed solves. b becomes x. */
static bool solve(ss_lu *lu, double *b)
{
    if (lu->is_dense)
        return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', lu->n, 1, lu->dense, lu->n, lu->pivots, b,
                                   lu->n) == 0;
    return klu_tsolve(lu->klu_symbolic, lu->klu_numeric, lu->n, 1, b, &lu->klu);
}

/* r = b - A x; returns max |r| / max |b|. */
static double left_over(ss_lu *lu, const double *b, const double *x)
{
    double most = 0.0, load = 0.0;
    for (int i = 0; i < lu->n; i++) {
        double sum = b[i];
        for (int e = lu->start[i]; e < lu->start[i + 1]; e++)
            sum -= lu->value[e] * x[lu->column[e]];
        lu->r[i] = sum;
        most = ss_max_nan(most, fabs(sum));
        load = ss_max_nan(load, fabs(b[i]));
    }
    return load > 0.0 ? most / load : most;
}

/* x from b, refined when that is worth it; returns what is left over. */
static double refined(ss_lu *lu, const double *b, double *x)
{
    memcpy(x, b, (size_t)lu->n * sizeof *x);
    if (!solve(lu, x) || !ss_all_finite(lu->n, x))
        return INFINITY;
    double left = left_over(lu, b, x);
    if (left <= 1e-11 || !isfinite(left))
        return left;
    if (!solve(lu, lu->r))
        return left;
    for (int i = 0; i < lu->n; i++)
        x[i] += lu->r[i];
    return left_over(lu, b, x);
}

bool ss_lu_solve(ss_lu *lu, const double *b, double *x)
{
    if (lu->n == 0)
        return true;
    double left = refined(lu, b, x);
    if (!(left < 1e-8) && !lu->is_dense && lu->kept && factor_sparse(lu, false))
        left = refined(lu, b, x);
    return left < 1e-3;
}
