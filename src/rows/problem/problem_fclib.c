/* problem_fclib.c: FCLib files, read by libfclib once it is sure that it can: libfclib ends the program on a file that
 * lacks something, or holds more than it announces. */
#include "base/hdf5_check.h"
#include "rows/problem/problem.h"

#include <fclib.h>
#include <hdf5.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one of libfclib's problems becomes, and its file. */
typedef struct reader {
    ss_problem *problem;
    ss_arena *scratch;
    hid_t file;
    const char *group; /* fclib_local or fclib_global */
    bool local;
    size_t title_size; /* bytes of info/title, which need not end with a zero; 0: none */
} reader;

static ss_status damaged(const reader *r, const char *what, const char *fault)
{
    return ss_fail(r->problem->context, SS_INPUT, "problem '%s': %s %s", r->problem->path, what,
                   fault);
}

/* ---- What libfclib would end the program on ---- */

enum { NAME_CAPACITY = 64 };

/* "fclib_local/W/m" of "W" and "m". */
static void join(const reader *r, const char *part, const char *name, char path[NAME_CAPACITY])
{
    snprintf(path, NAME_CAPACITY, "%s%s%s/%s", r->group, *part ? "/" : "", part, name);
}

/* Whether there is a link of this name; the group must be there. */
static bool has(const reader *r, const char *part, const char *name)
{
    char path[NAME_CAPACITY];
    join(r, part, name, path);
    return H5Lexists(r->file, path, H5P_DEFAULT) > 0;
}

static herr_t begins_with(hid_t group, const char *name, const H5L_info_t *info, void *wanted)
{
    (void)group;
    (void)info;
    return strncmp(name, wanted, strlen(wanted)) == 0;
}

/* Whether a group lists a name that begins so: thus libfclib looks for what may be missing, and
 * ends when a damaged group lists what cannot be found. */
static bool lists(const reader *r, const char *part, const char *name)
{
    char path[NAME_CAPACITY], wanted[NAME_CAPACITY];
    join(r, "", part, path);
    snprintf(wanted, sizeof wanted, "%s", name);
    hid_t group = H5Gopen2(r->file, path, H5P_DEFAULT);
    bool listed =
        group >= 0 && H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, begins_with, wanted) != 0;
    if (group >= 0)
        H5Gclose(group);
    return listed;
}

/* Reads all of an open dataset as `type`, which takes `size` bytes. */
static ss_status read_open(const reader *r, const char *path, hid_t data, hid_t type, size_t size,
                           const int range[2], void **values)
{
    hid_t space = H5Dget_space(data);
    hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (space >= 0)
        H5Sclose(space);
    if (count < range[0] || count > range[1])
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %s has %lld numbers; there should be %d", r->problem->path,
                       path, (long long)count, range[0]);
    SS_TRY(ss_arena_allocate(r->scratch, (size_t)count + 1, size, values));
    if (count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
        return damaged(r, path, "cannot be read as numbers");
    return SS_OK;
}

/* A dataset with `least` to `most` numbers. */
static ss_status check_range(const reader *r, const char *part, const char *name, hid_t type,
                             int least, int most, void **values)
{
    char path[NAME_CAPACITY];
    join(r, part, name, path);
    hid_t data = H5Dopen2(r->file, path, H5P_DEFAULT);
    if (data < 0)
        return damaged(r, path, "is missing");
    size_t size = type == H5T_NATIVE_INT ? sizeof(int) : sizeof(double);
    ss_status status = read_open(r, path, data, type, size, (int[]){least, most}, values);
    H5Dclose(data);
    return status;
}

static ss_status check_reals(const reader *r, const char *part, const char *name, int count)
{
    void *values;
    return check_range(r, part, name, H5T_NATIVE_DOUBLE, count, count, &values);
}

static ss_status check_ints(const reader *r, const char *part, const char *name, int count)
{
    void *values;
    return check_range(r, part, name, H5T_NATIVE_INT, count, count, &values);
}

static ss_status read_int(const reader *r, const char *part, const char *name, int *value)
{
    void *values;
    SS_TRY(check_range(r, part, name, H5T_NATIVE_INT, 1, 1, &values));
    *value = *(int *)values;
    return SS_OK;
}

/* A text that may be there: one, of fixed size. libfclib has space for one, and takes a pointer to
 * one of variable size for the text itself. */
static ss_status check_text(const reader *r, const char *part, const char *name, size_t *size)
{
    char path[NAME_CAPACITY];
    *size = 0;
    if (!lists(r, part, name))
        return SS_OK;
    join(r, part, name, path);
    hid_t data = H5Dopen2(r->file, path, H5P_DEFAULT);
    if (data < 0)
        return damaged(r, path, "is no text");
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    size_t bytes = H5Tget_size(type);
    void *text;
    bool one = H5Sget_simple_extent_ndims(space) <= 1 && bytes > 0;
    bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
    H5Sclose(space);
    ss_status status = one && fixed ? read_open(r, path, data, type, bytes, (int[]){1, 1}, &text)
                                    : damaged(r, path, "is no text of fixed size");
    H5Tclose(type);
    H5Dclose(data);
    *size = bytes;
    return status;
}

/* nz tells the storage: -1 by columns, -2 by rows, else the number of triplets, which may have
 * space for nzmax values. */
static ss_status check_matrix(const reader *r, const char *part, int *m, int *n)
{
    int nz, nzmax;
    void *values;
    SS_TRY(read_int(r, part, "m", m));
    SS_TRY(read_int(r, part, "n", n));
    SS_TRY(read_int(r, part, "nz", &nz));
    SS_TRY(read_int(r, part, "nzmax", &nzmax));
    if (*m < 0 || *n < 0 || *m == INT_MAX || *n == INT_MAX || nz < -2 || nzmax < 0 || nz > nzmax)
        return damaged(r, part, "has no sensible size");
    int elements = nz >= 0 ? nz : nzmax;
    SS_TRY(check_ints(r, part, "p", nz >= 0 ? nz : (nz == -1 ? *n : *m) + 1));
    SS_TRY(check_ints(r, part, "i", elements));
    SS_TRY(check_range(r, part, "x", H5T_NATIVE_DOUBLE, elements, nzmax, &values));
    if (!lists(r, part, "conditioning"))
        return SS_OK;
    size_t size; /* what may be known of a matrix: all of it, or nothing */
    SS_TRY(check_text(r, part, "comment", &size));
    SS_TRY(check_reals(r, part, "conditioning", 1));
    SS_TRY(check_reals(r, part, "determinant", 1));
    return check_ints(r, part, "rank", 1);
}

static ss_status check_contacts(const reader *r, int rows, int dimension)
{
    if (dimension != 2 && dimension != 3)
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %d rows a contact; 2 and 3 are possible", r->problem->path,
                       dimension);
    if (rows % dimension != 0)
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %d rows do not make contacts of %d rows", r->problem->path,
                       rows, dimension);
    return check_reals(r, "vectors", "mu", rows / dimension);
}

static ss_status check_local(const reader *r)
{
    int dimension, m, n, p;
    SS_TRY(read_int(r, "", "spacedim", &dimension));
    SS_TRY(check_matrix(r, "W", &m, &n));
    SS_TRY(check_reals(r, "vectors", "q", m));
    SS_TRY(check_contacts(r, m, dimension));
    if (!has(r, "", "V"))
        return SS_OK;
    SS_TRY(check_matrix(r, "V", &m, &n));
    SS_TRY(check_matrix(r, "R", &p, &n));
    return check_reals(r, "vectors", "s", p);
}

static ss_status check_global(const reader *r)
{
    int dimension, m, n;
    SS_TRY(read_int(r, "", "spacedim", &dimension));
    SS_TRY(check_matrix(r, "M", &m, &n));
    SS_TRY(check_reals(r, "vectors", "f", m));
    SS_TRY(check_matrix(r, "H", &m, &n));
    SS_TRY(check_reals(r, "vectors", "w", n));
    SS_TRY(check_contacts(r, n, dimension));
    if (!has(r, "", "G"))
        return SS_OK;
    SS_TRY(check_matrix(r, "G", &m, &n));
    return check_reals(r, "vectors", "b", n);
}

static ss_status check_info(const reader *r, size_t *title_size)
{
    char path[NAME_CAPACITY];
    size_t other;
    *title_size = 0;
    if (!has(r, "", "info"))
        return SS_OK;
    join(r, "", "info", path);
    hid_t group = H5Gopen2(r->file, path, H5P_DEFAULT);
    if (group < 0)
        return damaged(r, path, "is no group");
    H5Gclose(group);
    SS_TRY(check_text(r, "info", "title", title_size));
    SS_TRY(check_text(r, "info", "description", &other));
    return check_text(r, "info", "math_info", &other);
}

/* Every dataset that libfclib will read exists, has the size that it will expect, and can be read; else a message. */
static ss_status check_file(reader *r)
{
    r->local = H5Lexists(r->file, "fclib_local", H5P_DEFAULT) > 0;
    if (!r->local && H5Lexists(r->file, "fclib_global", H5P_DEFAULT) <= 0)
        return damaged(r, "the group fclib_local or fclib_global", "is missing");
    r->group = r->local ? "fclib_local" : "fclib_global";
    SS_TRY(r->local ? check_local(r) : check_global(r));
    return check_info(r, &r->title_size);
}

/* ---- What it has read ---- */

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

static ss_status take_title(const reader *r, const struct fclib_info *info)
{
    char title[256] = "";
    if (info && info->title && r->title_size < sizeof title)
        memcpy(title, info->title, r->title_size);
    return ss_arena_copy_string(&r->problem->arena, title, &r->problem->title);
}

static ss_status read_local(const reader *r)
{
    struct fclib_local *l = fclib_read_local(r->problem->path);
    if (!l)
        return damaged(r, "fclib_local", "cannot be read");
    ss_status status = take_title(r, l->info);
    if (status == SS_OK)
        status = take_local(r, l);
    fclib_delete_local(l);
    free(l);
    return status;
}

static ss_status read_global(const reader *r)
{
    struct fclib_global *g = fclib_read_global(r->problem->path);
    if (!g)
        return damaged(r, "fclib_global", "cannot be read");
    ss_status status = take_title(r, g->info);
    if (status == SS_OK)
        status = take_global(r, g);
    fclib_delete_global(g);
    free(g);
    return status;
}

/* HDF5 would print its errors. */
ss_status ss_problem_read_fclib(ss_problem *problem)
{
    ss_silence silence = ss_silence_begin();
    ss_arena scratch;
    ss_arena_init(&scratch, problem->context);
    reader r = {.problem = problem,
                .scratch = &scratch,
                .file = H5Fopen(problem->path, H5F_ACC_RDONLY, H5P_DEFAULT)};
    ss_status status = SS_OK;
    if (r.file < 0) {
        status =
            ss_fail(problem->context, SS_IO, "problem '%s': HDF5 cannot open it", problem->path);
    } else {
        const char *fault = ss_hdf5_file_fault(r.file);
        status = fault ? ss_fail(problem->context, SS_INPUT, "problem '%s': a part of it %s",
                                 problem->path, fault)
                       : check_file(&r);
        H5Fclose(r.file);
        ss_arena_reset(&scratch);
    }
    if (status == SS_OK)
        status = r.local ? read_local(&r) : read_global(&r);
    ss_arena_release(&scratch);
    H5Eclear2(H5E_DEFAULT);
    ss_silence_end(silence);
    return status;
}
