#include "la/lu.h"

#include "la/small.h"

#include <lapacke.h>
#include <suitesparse/klu.h>
#include <suitesparse/umfpack.h>

#include <string.h>

typedef enum kind { DENSE, THIN, FILLED } kind;

struct ss_lu {
    ss_context *context;
    kind kind;
    int n;
    const int *start, *column;
    const double *value;
    bool factored; /* THIN: there is a pivot order to keep */
    bool kept;     /* THIN: the last factors kept it */
    double *r, *x; /* n each: refinement */
    double *dense; /* n × n */
    lapack_int *pivots;
    klu_common klu;
    klu_symbolic *klu_symbolic;
    klu_numeric *klu_numeric;
    double control[UMFPACK_CONTROL];
    void *umf_symbolic, *umf_numeric;
};

/* Below so many rows LAPACK wins whatever the pattern, up to the second number when a quarter is
 * there. */
enum { SMALL = 40, DENSE_MOST = 3000 };

/* Operations of KLU's factors from which on UMFPACK's dense kernels are faster. */
static const double filled_flops = 2e7;

static bool is_dense(int n, const int *start)
{
    double density = n > 0 ? (double)start[n] / ((double)n * (double)n) : 1.0;
    return n <= SMALL || (n <= DENSE_MOST && density > 0.25);
}

static ss_status create_dense(ss_lu *lu)
{
    size_t n = (size_t)lu->n;
    lu->kind = DENSE;
    SS_TRY(ss_allocate(lu->context, n * n, sizeof(double), (void **)&lu->dense));
    return ss_allocate(lu->context, n, sizeof(lapack_int), (void **)&lu->pivots);
}

/* KLU and UMFPACK want columns: they see the transpose, and solve with it transposed. */
static ss_status create_sparse(ss_lu *lu)
{
    klu_defaults(&lu->klu);
    lu->klu.btf = 0;
    lu->kind = THIN;
    lu->klu_symbolic = klu_analyze(lu->n, (int *)lu->start, (int *)lu->column, &lu->klu);
    if (!lu->klu_symbolic)
        return ss_fail(lu->context, SS_MEMORY, "no memory to order a matrix of %d rows", lu->n);
    if (lu->klu_symbolic->est_flops < filled_flops)
        return SS_OK;
    lu->kind = FILLED;
    umfpack_di_defaults(lu->control);
    lu->control[UMFPACK_IRSTEP] = 0;
    lu->control[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    if (umfpack_di_symbolic(lu->n, lu->n, lu->start, lu->column, NULL, &lu->umf_symbolic,
                            lu->control, NULL) != UMFPACK_OK)
        return ss_fail(lu->context, SS_MEMORY, "no memory to order a matrix of %d rows", lu->n);
    return SS_OK;
}

static ss_status fill(ss_lu *lu)
{
    SS_TRY(ss_allocate(lu->context, (size_t)lu->n, sizeof(double), (void **)&lu->r));
    SS_TRY(ss_allocate(lu->context, (size_t)lu->n, sizeof(double), (void **)&lu->x));
    return is_dense(lu->n, lu->start) ? create_dense(lu) : create_sparse(lu);
}

ss_status ss_lu_create(ss_context *context, int n, const int *start, const int *column, ss_lu **lu)
{
    void *memory;
    *lu = NULL;
    SS_TRY(ss_allocate(context, 1, sizeof **lu, &memory));
    ss_lu *made = memory;
    made->context = context;
    made->n = n;
    made->start = start;
    made->column = column;
    ss_status status = fill(made);
    if (status != SS_OK) {
        ss_lu_destroy(made);
        return status;
    }
    *lu = made;
    return SS_OK;
}

void ss_lu_destroy(ss_lu *lu)
{
    if (!lu)
        return;
    if (lu->klu_numeric)
        klu_free_numeric(&lu->klu_numeric, &lu->klu);
    if (lu->klu_symbolic)
        klu_free_symbolic(&lu->klu_symbolic, &lu->klu);
    if (lu->umf_numeric)
        umfpack_di_free_numeric(&lu->umf_numeric);
    if (lu->umf_symbolic)
        umfpack_di_free_symbolic(&lu->umf_symbolic);
    ss_release(lu->context, lu->dense);
    ss_release(lu->context, lu->pivots);
    ss_release(lu->context, lu->r);
    ss_release(lu->context, lu->x);
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
static bool factor_thin(ss_lu *lu, bool keep)
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

static bool factor_filled(ss_lu *lu)
{
    if (lu->umf_numeric)
        umfpack_di_free_numeric(&lu->umf_numeric);
    return umfpack_di_numeric(lu->start, lu->column, lu->value, lu->umf_symbolic, &lu->umf_numeric,
                              lu->control, NULL) == UMFPACK_OK;
}

bool ss_lu_factor(ss_lu *lu, const double *value)
{
    lu->value = value;
    if (lu->n == 0)
        return true;
    if (!ss_all_finite(lu->start[lu->n], value))
        return false;
    switch (lu->kind) {
    case DENSE:
        return factor_dense(lu);
    case THIN:
        return factor_thin(lu, lu->factored);
    case FILLED:
        return factor_filled(lu);
    }
    return false;
}

/* The transpose was factored, hence the transposed solves. b becomes x. */
static bool solve(ss_lu *lu, double *b)
{
    switch (lu->kind) {
    case DENSE:
        return LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', lu->n, 1, lu->dense, lu->n, lu->pivots, b,
                                   lu->n) == 0;
    case THIN:
        return klu_tsolve(lu->klu_symbolic, lu->klu_numeric, lu->n, 1, b, &lu->klu);
    case FILLED:
        memcpy(lu->x, b, (size_t)lu->n * sizeof *b);
        return umfpack_di_solve(UMFPACK_At, lu->start, lu->column, lu->value, b, lu->x,
                                lu->umf_numeric, lu->control, NULL) == UMFPACK_OK;
    }
    return false;
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
    if (!(left < 1e-8) && lu->kind == THIN && lu->kept && factor_thin(lu, false))
        left = refined(lu, b, x);
    return left < 1e-3;
}
