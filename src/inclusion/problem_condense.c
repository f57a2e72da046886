/* problem_condense.c: a global problem without its velocities, W = Hᵀ M⁻¹ H, by SuiteSparse. */
#include "inclusion/problem.h"

#include <suitesparse/cholmod.h>

#include <string.h>

/* What CHOLMOD made on the way. */
typedef struct products {
    cholmod_common common;
    cholmod_sparse *M, *H, *Ht, *X, *W;
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

static ss_status out_of_memory(const ss_problem *p)
{
    return ss_fail(p->context, SS_MEMORY, "problem '%s': no memory to condense it", p->path);
}

static ss_status factor(const ss_problem *p, products *c)
{
    c->L = cholmod_analyze(c->M, &c->common);
    if (!c->L || !cholmod_factorize(c->M, c->L, &c->common))
        return out_of_memory(p);
    if (c->common.status == CHOLMOD_NOT_POSDEF)
        return ss_fail(p->context, SS_SINGULAR,
                       "problem '%s': the mass matrix M is not positive definite (column %d)",
                       p->path, (int)c->L->minor);
    return SS_OK;
}

static ss_status add_load(const ss_problem *p, products *c, const double *f, double *q)
{
    c->f = cholmod_allocate_dense(c->M->nrow, 1, c->M->nrow, CHOLMOD_REAL, &c->common);
    if (!c->f)
        return out_of_memory(p);
    memcpy(c->f->x, f, c->M->nrow * sizeof *f);
    c->v = cholmod_solve(CHOLMOD_A, c->L, c->f, &c->common);
    if (!c->v)
        return out_of_memory(p);
    const double *v = c->v->x, *H = c->H->x;
    const int *start = c->H->p, *row = c->H->i;
    for (size_t j = 0; j < c->H->ncol; j++)
        for (int e = start[j]; e < start[j + 1]; e++)
            q[j] += H[e] * v[row[e]];
    return SS_OK;
}

static ss_status multiply(const ss_problem *p, products *c, ss_arena *scratch, ss_triplets *W)
{
    c->X = cholmod_spsolve(CHOLMOD_A, c->L, c->H, &c->common);
    c->Ht = cholmod_transpose(c->H, 1, &c->common);
    c->W = c->X && c->Ht ? cholmod_ssmult(c->Ht, c->X, 0, true, true, &c->common) : NULL;
    if (!c->W)
        return out_of_memory(p);
    const int *start = c->W->p, *row = c->W->i;
    const double *value = c->W->x;
    int n = (int)c->W->ncol;
    SS_TRY(ss_triplets_create(scratch, n, n, (size_t)start[n], W));
    for (int j = 0; j < n; j++)
        for (int e = start[j]; e < start[j + 1]; e++, W->count++) {
            W->row[W->count] = row[e];
            W->column[W->count] = j;
            W->value[W->count] = value[e];
        }
    return SS_OK;
}

static ss_status condense(const ss_problem *p, products *c, ss_triplets *M, const ss_triplets *H,
                          const double *f, ss_arena *scratch, double *q, ss_triplets *W)
{
    lower_half(M);
    c->M = sparse(c, M, -1);
    c->H = sparse(c, H, 0);
    if (!c->M || !c->H)
        return out_of_memory(p);
    SS_TRY(factor(p, c));
    SS_TRY(add_load(p, c, f, q));
    return multiply(p, c, scratch, W);
}

static void release(products *c)
{
    cholmod_free_sparse(&c->M, &c->common);
    cholmod_free_sparse(&c->H, &c->common);
    cholmod_free_sparse(&c->Ht, &c->common);
    cholmod_free_sparse(&c->X, &c->common);
    cholmod_free_sparse(&c->W, &c->common);
    cholmod_free_factor(&c->L, &c->common);
    cholmod_free_dense(&c->f, &c->common);
    cholmod_free_dense(&c->v, &c->common);
    cholmod_finish(&c->common);
}

ss_status ss_problem_condense(ss_problem *p, ss_triplets *M, const ss_triplets *H, const double *f,
                              ss_arena *scratch, double *q, ss_triplets *W)
{
    products c = {0};
    cholmod_start(&c.common);
    c.common.print = 0;
    c.common.error_handler = NULL;
    ss_status status = condense(p, &c, M, H, f, scratch, q, W);
    release(&c);
    return status;
}
