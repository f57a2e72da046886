/* problem_condense.c: a global problem without its velocities, W = Hᵀ M⁻¹ H. Of CHOLMOD only the
 * modules Core and Cholesky are used, which are under the LGPL; the others are under the GPL. */
#include "rows/problem/problem.h"

#include <suitesparse/cholmod.h>

#include <string.h>

/* What CHOLMOD made on the way. */
typedef struct products {
    const ss_problem *problem;
    ss_arena *scratch;
    cholmod_common common;
    cholmod_sparse *M, *H, *Ht, *X;
    cholmod_factor *L;
    cholmod_dense *f, *v;
} products;

static cholmod_sparse *sparse(products *c, const ss_triplets *A, int stype)
{
    cholmod_triplet *T = cholmod_allocate_triplet((size_t)A->n_rows, (size_t)A->n_columns, A->count,
                                                  stype, CHOLMOD_REAL, &c->common);
    if (!T)
        return NULL;
    T->nnz = A->count;
    if (A->count > 0) {
        memcpy(T->i, A->row, A->count * sizeof *A->row);
        memcpy(T->j, A->column, A->count * sizeof *A->column);
        memcpy(T->x, A->value, A->count * sizeof *A->value);
    }
    cholmod_sparse *S = cholmod_triplet_to_sparse(T, A->count, &c->common);
    cholmod_free_triplet(&T, &c->common);
    return S;
}

/* The lower half of M: CHOLMOD adds what it finds in the other half of a symmetric triplet
 * matrix. */
static void lower_half(ss_triplets *M)
{
    size_t kept = 0;
    for (size_t k = 0; k < M->count; k++) {
        if (M->row[k] < M->column[k])
            continue;
        M->row[kept] = M->row[k];
        M->column[kept] = M->column[k];
        M->value[kept++] = M->value[k];
    }
    M->count = kept;
}

static ss_status out_of_memory(const products *c)
{
    return ss_fail(c->problem->context, SS_MEMORY, "problem '%s': no memory to condense it",
                   c->problem->path);
}

static ss_status factor(products *c)
{
    c->L = cholmod_analyze(c->M, &c->common);
    if (!c->L || !cholmod_factorize(c->M, c->L, &c->common))
        return out_of_memory(c);
    if (c->common.status == CHOLMOD_NOT_POSDEF)
        return ss_fail(c->problem->context, SS_SINGULAR,
                       "problem '%s': the mass matrix M is not positive definite (column %d)",
                       c->problem->path, (int)c->L->minor);
    return SS_OK;
}

static ss_status add_load(products *c, const double *f, double *q)
{
    c->f = cholmod_allocate_dense(c->M->nrow, 1, c->M->nrow, CHOLMOD_REAL, &c->common);
    if (!c->f)
        return out_of_memory(c);
    memcpy(c->f->x, f, c->M->nrow * sizeof *f);
    c->v = cholmod_solve(CHOLMOD_A, c->L, c->f, &c->common);
    if (!c->v)
        return out_of_memory(c);
    const double *v = c->v->x, *H = c->H->x;
    const int *start = c->H->p, *row = c->H->i;
    for (size_t j = 0; j < c->H->ncol; j++)
        for (int e = start[j]; e < start[j + 1]; e++)
            q[j] += H[e] * v[row[e]];
    return SS_OK;
}

/* Column j of Hᵀ X: its rows in order of appearance, its values in `sum`. */
static int multiply_column(const products *c, int j, int *seen, int *rows, double *sum)
{
    const int *x_start = c->X->p, *x_row = c->X->i, *h_start = c->Ht->p, *h_row = c->Ht->i;
    const double *x = c->X->x, *h = c->Ht->x;
    int count = 0;
    for (int e = x_start[j]; e < x_start[j + 1]; e++)
        for (int f = h_start[x_row[e]]; f < h_start[x_row[e] + 1]; f++) {
            int i = h_row[f];
            if (seen[i] != j) {
                seen[i] = j;
                sum[i] = 0.0;
                rows[count++] = i;
            }
            sum[i] += h[f] * x[e];
        }
    return count;
}

/* W when it is given, else only its number of elements. */
static size_t multiply_all(const products *c, int *seen, int *rows, double *sum, ss_triplets *W)
{
    int n = (int)c->X->ncol;
    size_t total = 0;
    for (int i = 0; i < n; i++)
        seen[i] = -1;
    for (int j = 0; j < n; j++) {
        int count = multiply_column(c, j, seen, rows, sum);
        total += (size_t)count;
        for (int e = 0; e < count && W; e++, W->count++) {
            W->row[W->count] = rows[e];
            W->column[W->count] = j;
            W->value[W->count] = sum[rows[e]];
        }
    }
    return total;
}

static ss_status multiply(products *c, ss_triplets *W)
{
    int *seen, *rows;
    double *sum;
    c->X = cholmod_spsolve(CHOLMOD_A, c->L, c->H, &c->common);
    c->Ht = cholmod_transpose(c->H, 1, &c->common);
    if (!c->X || !c->Ht)
        return out_of_memory(c);
    int n = (int)c->X->ncol;
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &seen));
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &rows));
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &sum));
    SS_TRY(ss_triplets_create(c->scratch, n, n, multiply_all(c, seen, rows, sum, NULL), W));
    multiply_all(c, seen, rows, sum, W);
    return SS_OK;
}

static void release(products *c)
{
    cholmod_free_sparse(&c->M, &c->common);
    cholmod_free_sparse(&c->H, &c->common);
    cholmod_free_sparse(&c->Ht, &c->common);
    cholmod_free_sparse(&c->X, &c->common);
    cholmod_free_factor(&c->L, &c->common);
    cholmod_free_dense(&c->f, &c->common);
    cholmod_free_dense(&c->v, &c->common);
    cholmod_finish(&c->common);
}

ss_status ss_problem_condense(ss_problem *p, ss_triplets *M, const ss_triplets *H, const double *f,
                              ss_arena *scratch, double *q, ss_triplets *W)
{
    products c = {.problem = p, .scratch = scratch};
    cholmod_start(&c.common);
    c.common.print = 0;
    c.common.error_handler = NULL;
    c.common.supernodal = CHOLMOD_SIMPLICIAL;
    lower_half(M);
    c.M = sparse(&c, M, -1);
    c.H = sparse(&c, H, 0);
    ss_status status = c.M && c.H ? factor(&c) : out_of_memory(&c);
    if (status == SS_OK)
        status = add_load(&c, f, q);
    if (status == SS_OK)
        status = multiply(&c, W);
    release(&c);
    return status;
}
