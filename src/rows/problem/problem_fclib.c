/* problem_fclib.c: FCLib files, read by our own reader: anybody may have made them, and libfclib ends the program on a
 * file that lacks something. */
#include "base/hdf5.h"
#include "rows/problem/problem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A sparse matrix as FCLib stores it. nz tells how: -1 by columns, -2 by rows, else the number of triplets, which may
 * have space for nzmax values. */
typedef struct matrix {
    int m, n, nz, nzmax;
    int *p, *i;
    double *x;
} matrix;

/* What one of FCLib's problems becomes, and its file. */
typedef struct reader {
    ss_problem *problem;
    ss_arena *scratch;
    ss_hdf5 *file;
    const char *group; /* fclib_local or fclib_global */
    matrix A[3];       /* W, V, R or M, H, G */
    bool bilateral;    /* whether there are V and R, or G */
    double *q, *s, *f, *mu;
    int dimension;
} reader;

static ss_status damaged(const reader *r, const char *what, const char *fault)
{
    return ss_fail(r->problem->context, SS_INPUT, "problem '%s': %s %s", r->problem->path, what,
                   fault);
}

static ss_status explain(const reader *r, ss_status status, const char *what)
{
    return status == SS_INPUT || status == SS_IO ? damaged(r, what, r->file->fault) : status;
}

/* ---- Arrays ---- */

enum { NAME_CAPACITY = 64 };

/* "fclib_local/W/m" of "W" and "m". */
static void join(const reader *r, const char *part, const char *name, char path[NAME_CAPACITY])
{
    snprintf(path, NAME_CAPACITY, "%s%s%s/%s", r->group, *part ? "/" : "", part, name);
}

static ss_status has(const reader *r, const char *part, const char *name, bool *there)
{
    char path[NAME_CAPACITY];
    ss_hdf5_kind kind;
    join(r, part, name, path);
    ss_status status = explain(r, ss_hdf5_find(r->file, path, &kind), path);
    *there = status == SS_OK && kind != SS_HDF5_NOTHING;
    return status;
}

/* A dataset with `least` to `most` numbers, those beyond `least` left out. */
static ss_status read_range(const reader *r, const char *path, ss_number number, const int range[2],
                            void **values)
{
    ss_hdf5_array array;
    const uint64_t first[2] = {0, 0};
    ss_status status = explain(r, ss_hdf5_array_open(r->file, path, NULL, &array), path);
    uint64_t count = array.extent[0] * array.extent[1];
    if (status == SS_OK &&
        (array.rank > 1 || count < (uint64_t)range[0] || count > (uint64_t)range[1]))
        status = ss_fail(r->problem->context, SS_INPUT,
                         "problem '%s': %s has %llu numbers; there should be %d", r->problem->path,
                         path, (unsigned long long)count, range[0]);
    if (status == SS_OK)
        status = ss_arena_allocate(r->scratch, (size_t)count + 1, ss_number_bytes(number), values);
    if (status == SS_OK)
        status = explain(r, ss_hdf5_array_read(&array, first, array.extent, number, *values), path);
    ss_hdf5_array_close(&array);
    return status;
}

static ss_status read_reals(const reader *r, const char *part, const char *name, int count,
                            double **values)
{
    char path[NAME_CAPACITY];
    join(r, part, name, path);
    return read_range(r, path, SS_NUMBER_REAL, (int[]){count, count}, (void **)values);
}

static ss_status read_ints(const reader *r, const char *part, const char *name, int count,
                           int **values)
{
    char path[NAME_CAPACITY];
    join(r, part, name, path);
    return read_range(r, path, SS_NUMBER_INT32, (int[]){count, count}, (void **)values);
}

static ss_status read_int(const reader *r, const char *part, const char *name, int *value)
{
    int *values;
    SS_TRY(read_ints(r, part, name, 1, &values));
    *value = *values;
    return SS_OK;
}

/* ---- Problems ---- */

static ss_status read_matrix(const reader *r, const char *part, matrix *A)
{
    char path[NAME_CAPACITY];
    SS_TRY(read_int(r, part, "m", &A->m));
    SS_TRY(read_int(r, part, "n", &A->n));
    SS_TRY(read_int(r, part, "nz", &A->nz));
    SS_TRY(read_int(r, part, "nzmax", &A->nzmax));
    if (A->m < 0 || A->n < 0 || A->m == INT_MAX || A->n == INT_MAX || A->nz < -2 || A->nzmax < 0 ||
        A->nz > A->nzmax)
        return damaged(r, part, "has no sensible size");
    int elements = A->nz >= 0 ? A->nz : A->nzmax;
    int pointers = A->nz >= 0 ? A->nz : (A->nz == -1 ? A->n : A->m) + 1;
    SS_TRY(read_ints(r, part, "p", pointers, &A->p));
    SS_TRY(read_ints(r, part, "i", elements, &A->i));
    join(r, part, "x", path);
    return read_range(r, path, SS_NUMBER_REAL, (int[]){elements, A->nzmax}, (void **)&A->x);
}

static ss_status read_contacts(reader *r, int rows)
{
    int dimension = r->dimension;
    if (dimension != 2 && dimension != 3)
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %d rows a contact; 2 and 3 are possible", r->problem->path,
                       dimension);
    if (rows % dimension != 0)
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %d rows do not make contacts of %d rows", r->problem->path,
                       rows, dimension);
    return read_reals(r, "vectors", "mu", rows / dimension, &r->mu);
}

static ss_status read_local(reader *r)
{
    SS_TRY(read_int(r, "", "spacedim", &r->dimension));
    SS_TRY(read_matrix(r, "W", &r->A[0]));
    SS_TRY(read_reals(r, "vectors", "q", r->A[0].m, &r->q));
    SS_TRY(read_contacts(r, r->A[0].m));
    SS_TRY(has(r, "", "V", &r->bilateral));
    if (!r->bilateral)
        return SS_OK;
    SS_TRY(read_matrix(r, "V", &r->A[1]));
    SS_TRY(read_matrix(r, "R", &r->A[2]));
    return read_reals(r, "vectors", "s", r->A[2].m, &r->s);
}

static ss_status read_global(reader *r)
{
    SS_TRY(read_int(r, "", "spacedim", &r->dimension));
    SS_TRY(read_matrix(r, "M", &r->A[0]));
    SS_TRY(read_reals(r, "vectors", "f", r->A[0].m, &r->f));
    SS_TRY(read_matrix(r, "H", &r->A[1]));
    SS_TRY(read_reals(r, "vectors", "w", r->A[1].n, &r->q));
    SS_TRY(read_contacts(r, r->A[1].n));
    SS_TRY(has(r, "", "G", &r->bilateral));
    if (!r->bilateral)
        return SS_OK;
    SS_TRY(read_matrix(r, "G", &r->A[2]));
    return read_reals(r, "vectors", "b", r->A[2].n, &r->s);
}

enum { LONGEST_TITLE = 255 };

static ss_status read_title(const reader *r)
{
    char path[NAME_CAPACITY], title[LONGEST_TITLE + 1] = "";
    bool there;
    ss_hdf5_array array;
    join(r, "info", "title", path);
    SS_TRY(has(r, "info", "title", &there));
    ss_status status =
        there ? explain(r, ss_hdf5_array_open(r->file, path, NULL, &array), path) : SS_OK;
    if (there && status == SS_OK) {
        if (array.rank == 0 && array.class == SS_HDF5_TEXT && array.bytes <= LONGEST_TITLE)
            status = explain(r, ss_hdf5_array_read_texts(&array, title), path);
        ss_hdf5_array_close(&array);
    }
    SS_TRY(status);
    return ss_arena_copy_string(&r->problem->arena, title, &r->problem->title);
}

/* ---- What was read ---- */

static bool in_range(int count, const int *index, int n)
{
    for (int k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= n)
            return false;
    return true;
}

/* Triplets are written as CSparse keeps them, columns in p and rows in i; FCLib's header says
 * the reverse, and is believed where only that fits. */
static void take_triplets(const matrix *A, ss_triplets *T)
{
    bool swapped = !in_range(A->nz, A->p, A->n) || !in_range(A->nz, A->i, A->m);
    memcpy(swapped ? T->row : T->column, A->p, (size_t)A->nz * sizeof *A->p);
    memcpy(swapped ? T->column : T->row, A->i, (size_t)A->nz * sizeof *A->i);
    memcpy(T->value, A->x, (size_t)A->nz * sizeof *A->x);
    T->count = (size_t)A->nz;
}

/* By columns or by rows. */
static ss_status take_compressed(const reader *r, const char *name, const matrix *A, ss_triplets *T)
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

static ss_status take_matrix(const reader *r, const char *name, const matrix *A, int rows,
                             int columns, ss_triplets *T)
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
static ss_status take_local(const reader *r)
{
    ss_triplets W, V = {0}, R = {0}, all;
    double *c;
    int m = r->A[0].m, p = r->bilateral ? r->A[1].n : 0;
    SS_TRY(take_sizes(r, r->dimension, m, p));
    SS_TRY(take_matrix(r, "W", &r->A[0], m, m, &W));
    if (r->bilateral) {
        SS_TRY(take_matrix(r, "V", &r->A[1], m, p, &V));
        SS_TRY(take_matrix(r, "R", &r->A[2], p, p, &R));
    }
    SS_TRY(ss_triplets_create(r->scratch, m + p, m + p, W.count + 2 * V.count + R.count, &all));
    put(&W, false, 0, 0, &all);
    put(&V, false, 0, m, &all);
    put(&V, true, m, 0, &all);
    put(&R, false, m, m, &all);
    SS_TRY(append(r, m, r->q, p, r->s, &c));
    return ss_problem_build(r->problem, &all, c, r->mu);
}

/* M v = H r + G λ + f, u = Hᵀ v + w, and the bilateral rows 0 = Gᵀ v + b. */
static ss_status take_global(const reader *r)
{
    ss_triplets M, H, G = {0}, all, W;
    double *q;
    int n = r->A[0].m, m = r->A[1].n, p = r->bilateral ? r->A[2].n : 0;
    SS_TRY(take_sizes(r, r->dimension, m, p));
    SS_TRY(take_matrix(r, "M", &r->A[0], n, n, &M));
    SS_TRY(take_matrix(r, "H", &r->A[1], n, m, &H));
    if (r->bilateral)
        SS_TRY(take_matrix(r, "G", &r->A[2], n, p, &G));
    SS_TRY(ss_triplets_create(r->scratch, n, m + p, H.count + G.count, &all));
    put(&H, false, 0, 0, &all);
    put(&G, false, 0, m, &all);
    SS_TRY(append(r, m, r->q, p, r->s, &q));
    SS_TRY(ss_problem_condense(r->problem, &M, &all, r->f, r->scratch, q, &W));
    return ss_problem_build(r->problem, &W, q, r->mu);
}

static ss_status read_file(reader *r)
{
    ss_hdf5_kind local, global;
    const char *path = "the group fclib_local or fclib_global";
    SS_TRY(explain(r, ss_hdf5_find(r->file, "fclib_local", &local), path));
    SS_TRY(explain(r, ss_hdf5_find(r->file, "fclib_global", &global), path));
    if (local != SS_HDF5_GROUP && global != SS_HDF5_GROUP)
        return damaged(r, path, "is missing");
    r->group = local == SS_HDF5_GROUP ? "fclib_local" : "fclib_global";
    SS_TRY(read_title(r));
    SS_TRY(local == SS_HDF5_GROUP ? read_local(r) : read_global(r));
    return local == SS_HDF5_GROUP ? take_local(r) : take_global(r);
}

ss_status ss_problem_read_fclib(ss_problem *problem)
{
    ss_hdf5 file;
    ss_arena scratch;
    ss_arena_init(&scratch, problem->context);
    reader r = {.problem = problem, .scratch = &scratch, .file = &file};
    ss_status status =
        explain(&r, ss_hdf5_open(&file, problem->context, problem->path, false), "it");
    if (status == SS_OK) {
        status = read_file(&r);
        ss_hdf5_close(&file);
    }
    ss_arena_release(&scratch);
    return status;
}
