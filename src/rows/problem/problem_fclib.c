/* problem_fclib.c: FCLib files, read by libfclib once it is sure that it can. */
#include "rows/problem/fclib_check.h"
#include "rows/problem/problem.h"

#include <fclib.h>
#include <hdf5.h>

#include <stdlib.h>
#include <string.h>

/* What one of libfclib's problems becomes. */
typedef struct reader {
    ss_problem *problem;
    ss_arena *scratch;
} reader;

static ss_status damaged(const reader *r, const char *what, const char *fault)
{
    return ss_fail(r->problem->context, SS_INPUT, "problem '%s': %s %s", r->problem->path, what,
                   fault);
}

static bool in_range(int count, const int *index, int n)
{
    for (int k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= n)
            return false;
    return true;
}

/* Triplets are written as CSparse keeps them, columns in p and rows in i; FCLib's header says
 * the reverse, and is believed where only that fits. */
static void take_triplets(const struct fclib_matrix *A, ss_triplets *T)
{
    bool swapped = !in_range(A->nz, A->p, A->n) || !in_range(A->nz, A->i, A->m);
    memcpy(swapped ? T->row : T->column, A->p, (size_t)A->nz * sizeof *A->p);
    memcpy(swapped ? T->column : T->row, A->i, (size_t)A->nz * sizeof *A->i);
    memcpy(T->value, A->x, (size_t)A->nz * sizeof *A->x);
    T->count = (size_t)A->nz;
}

/* By columns or by rows. */
static ss_status take_compressed(const reader *r, const char *name, const struct fclib_matrix *A,
                                 ss_triplets *T)
{
    bool by_columns = A->nz == -1;
    int *outer = by_columns ? T->column : T->row, *inner = by_columns ? T->row : T->column;
    for (int k = 0; k < (by_columns ? A->n : A->m); k++) {
        if (A->p[k] < 0 || A->p[k + 1] < A->p[k] || A->p[k + 1] > A->nzmax)
            return damaged(r, name, "has pointers that do not ascend");
        for (int e = A->p[k]; e < A->p[k + 1]; e++) {
            outer[T->count] = k;
            inner[T->count] = A->i[e];
            T->value[T->count++] = A->x[e];
        }
    }
    return SS_OK;
}

static ss_status take_matrix(const reader *r, const char *name, const struct fclib_matrix *A,
                             int rows, int columns, ss_triplets *T)
{
    if (A->m != rows || A->n != columns)
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %s has %d rows and %d columns; %d and %d belong to the "
                       "contacts",
                       r->problem->path, name, A->m, A->n, rows, columns);
    SS_TRY(ss_triplets_create(r->scratch, A->m, A->n, (size_t)A->nzmax, T));
    if (A->nz >= 0)
        take_triplets(A, T);
    else
        SS_TRY(take_compressed(r, name, A, T));
    for (size_t k = 0; k < T->count; k++)
        if (T->row[k] < 0 || T->row[k] >= rows || T->column[k] < 0 || T->column[k] >= columns)
            return damaged(r, name, "has an element outside");
    return SS_OK;
}

/* Adds A at (row, column) of B, or its transpose. */
static void put(const ss_triplets *A, bool transposed, int row, int column, ss_triplets *B)
{
    for (size_t k = 0; k < A->count; k++, B->count++) {
        B->row[B->count] = row + (transposed ? A->column[k] : A->row[k]);
        B->column[B->count] = column + (transposed ? A->row[k] : A->column[k]);
        B->value[B->count] = A->value[k];
    }
}

/* Counts: rows of contacts, then bilateral ones. */
static ss_status take_sizes(const reader *r, int dimension, int rows, int bilateral)
{
    r->problem->dimension = dimension;
    r->problem->n_contacts = rows / dimension;
    r->problem->n_bilateral = bilateral;
    return ss_problem_check_size(r->problem);
}

/* The vectors of contacts and of bilateral rows, one behind the other. */
static ss_status append(const reader *r, int m, const double *first, int p, const double *second,
                        double **both)
{
    SS_TRY(SS_ARENA_NEW(r->scratch, m + p, both));
    memcpy(*both, first, (size_t)m * sizeof **both);
    if (p > 0)
        memcpy(*both + m, second, (size_t)p * sizeof **both);
    return SS_OK;
}

/* u = W r + V λ + q, and the bilateral rows 0 = Vᵀ r + R λ + s. */
static ss_status take_local(const reader *r, const struct fclib_local *l)
{
    ss_triplets W, V = {0}, R = {0}, all;
    double *c;
    int m = l->W->m, p = l->V ? l->V->n : 0;
    SS_TRY(take_sizes(r, l->spacedim, m, p));
    SS_TRY(take_matrix(r, "W", l->W, m, m, &W));
    if (l->V) {
        SS_TRY(take_matrix(r, "V", l->V, m, p, &V));
        SS_TRY(take_matrix(r, "R", l->R, p, p, &R));
    }
    SS_TRY(ss_triplets_create(r->scratch, m + p, m + p, W.count + 2 * V.count + R.count, &all));
    put(&W, false, 0, 0, &all);
    put(&V, false, 0, m, &all);
    put(&V, true, m, 0, &all);
    put(&R, false, m, m, &all);
    SS_TRY(append(r, m, l->q, p, l->s, &c));
    return ss_problem_build(r->problem, &all, c, l->mu);
}

/* M v = H r + G λ + f, u = Hᵀ v + w, and the bilateral rows 0 = Gᵀ v + b. */
static ss_status take_global(const reader *r, const struct fclib_global *g)
{
    ss_triplets M, H, G = {0}, all, W;
    double *q;
    int n = g->M->m, m = g->H->n, p = g->G ? g->G->n : 0;
    SS_TRY(take_sizes(r, g->spacedim, m, p));
    SS_TRY(take_matrix(r, "M", g->M, n, n, &M));
    SS_TRY(take_matrix(r, "H", g->H, n, m, &H));
    if (g->G)
        SS_TRY(take_matrix(r, "G", g->G, n, p, &G));
    SS_TRY(ss_triplets_create(r->scratch, n, m + p, H.count + G.count, &all));
    put(&H, false, 0, 0, &all);
    put(&G, false, 0, m, &all);
    SS_TRY(append(r, m, g->w, p, g->b, &q));
    SS_TRY(ss_problem_condense(r->problem, &M, &all, g->f, r->scratch, q, &W));
    return ss_problem_build(r->problem, &W, q, g->mu);
}

static ss_status take_title(const reader *r, const struct fclib_info *info, size_t size)
{
    char title[256] = "";
    if (info && info->title && size < sizeof title)
        memcpy(title, info->title, size);
    return ss_arena_copy_string(&r->problem->arena, title, &r->problem->title);
}

static ss_status read_local(const reader *r, size_t title_size)
{
    struct fclib_local *l = fclib_read_local(r->problem->path);
    if (!l)
        return damaged(r, "fclib_local", "cannot be read");
    ss_status status = take_title(r, l->info, title_size);
    if (status == SS_OK)
        status = take_local(r, l);
    fclib_delete_local(l);
    free(l);
    return status;
}

static ss_status read_global(const reader *r, size_t title_size)
{
    struct fclib_global *g = fclib_read_global(r->problem->path);
    if (!g)
        return damaged(r, "fclib_global", "cannot be read");
    ss_status status = take_title(r, g->info, title_size);
    if (status == SS_OK)
        status = take_global(r, g);
    fclib_delete_global(g);
    free(g);
    return status;
}

/* HDF5 would print its errors. */
ss_status ss_problem_read_fclib(ss_problem *problem)
{
    H5E_auto2_t print;
    void *print_user;
    H5Eget_auto2(H5E_DEFAULT, &print, &print_user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    ss_arena scratch;
    ss_arena_init(&scratch, problem->context);
    ss_fclib_content content;
    ss_status status = ss_fclib_check(problem->context, &scratch, problem->path, &content);
    ss_arena_reset(&scratch);
    reader r = {problem, &scratch};
    if (status == SS_OK)
        status = content.local ? read_local(&r, content.title_size)
                               : read_global(&r, content.title_size);
    ss_arena_release(&scratch);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print, print_user);
    return status;
}
