/* problem_fclib.c: FCLib's HDF5 layout, read with HDF5 itself: libfclib ends the program when a
 * file is damaged. */
#include "inclusion/problem.h"

#include <hdf5.h>

#include <limits.h>
#include <string.h>

typedef struct reader {
    ss_problem *problem;
    hid_t file;
    ss_arena *scratch;
} reader;

static ss_status damaged(const reader *r, const char *what, const char *fault)
{
    return ss_fail(r->problem->context, SS_INPUT, "problem '%s': %s %s", r->problem->path, what,
                   fault);
}

/* True when every group on the way is there, too. */
static bool exists(const reader *r, const char *name)
{
    char part[128];
    for (size_t k = 0; name[k] && k < sizeof part - 1; k++) {
        part[k] = name[k];
        if (name[k + 1] != '/' && name[k + 1] != '\0')
            continue;
        part[k + 1] = '\0';
        if (H5Lexists(r->file, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return H5Oexists_by_name(r->file, name, H5P_DEFAULT) > 0;
}

static ss_status read_open(const reader *r, hid_t data, const char *name, hid_t type, size_t size,
                           hssize_t *count, void **values)
{
    hid_t space = H5Dget_space(data);
    *count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    if (space >= 0)
        H5Sclose(space);
    if (*count < 0 || *count > INT_MAX)
        return damaged(r, name, "has no size that can be read");
    SS_TRY(ss_arena_allocate(r->scratch, (size_t)*count, size, values));
    if (*count > 0 && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
        return damaged(r, name, "cannot be read as numbers");
    return SS_OK;
}

/* A whole dataset; count < 0: whatever it has, else just so many. */
static ss_status read_data(const reader *r, const char *name, hid_t type, size_t size, int expected,
                           int *count, void **values)
{
    hssize_t n = 0;
    hid_t data = exists(r, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    if (data < 0)
        return damaged(r, name, "is missing");
    ss_status status = read_open(r, data, name, type, size, &n, values);
    H5Dclose(data);
    if (status == SS_OK && expected >= 0 && n < expected)
        return ss_fail(r->problem->context, SS_INPUT,
                       "problem '%s': %s has %d numbers; there should be %d", r->problem->path,
                       name, (int)n, expected);
    if (count)
        *count = (int)n;
    return status;
}

static ss_status read_int(const reader *r, const char *group, const char *name, int *value)
{
    char path[256];
    int *values;
    snprintf(path, sizeof path, "%s/%s", group, name);
    SS_TRY(read_data(r, path, H5T_NATIVE_INT, sizeof(int), 1, NULL, (void **)&values));
    *value = values[0];
    return SS_OK;
}

static ss_status read_reals(const reader *r, const char *group, const char *name, int expected,
                            int *count, double **values)
{
    char path[128];
    snprintf(path, sizeof path, "%s/vectors/%s", group, name);
    return read_data(r, path, H5T_NATIVE_DOUBLE, sizeof(double), expected, count, (void **)values);
}

/* m, n, and nz, whose sign tells the storage: -1 by columns, -2 by rows, else the number of
 * triplets. */
typedef struct shape {
    int m, n, nz;
    int n_pointers, n_elements; /* lengths of p and of i and x */
} shape;

static ss_status read_shape(const reader *r, const char *group, shape *s)
{
    int nzmax;
    SS_TRY(read_int(r, group, "m", &s->m));
    SS_TRY(read_int(r, group, "n", &s->n));
    SS_TRY(read_int(r, group, "nz", &s->nz));
    SS_TRY(read_int(r, group, "nzmax", &nzmax));
    if (s->m < 0 || s->n < 0 || s->m == INT_MAX || s->n == INT_MAX || s->nz < -2 || nzmax < 0)
        return damaged(r, group, "has no sensible size");
    s->n_elements = s->nz >= 0 ? s->nz : nzmax;
    s->n_pointers = s->nz >= 0 ? s->nz : (s->nz == -1 ? s->n : s->m) + 1;
    return SS_OK;
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
static ss_status expand(const reader *r, const char *group, const shape *s, const int *p,
                        const int *i, const double *x, ss_triplets *T)
{
    if (s->nz >= 0) {
        bool swapped = !in_range(s->nz, p, s->n) || !in_range(s->nz, i, s->m);
        memcpy(swapped ? T->row : T->column, p, (size_t)s->nz * sizeof *p);
        memcpy(swapped ? T->column : T->row, i, (size_t)s->nz * sizeof *i);
        memcpy(T->value, x, (size_t)s->nz * sizeof *x);
        T->count = (size_t)s->nz;
        return SS_OK;
    }
    int *outer = s->nz == -1 ? T->column : T->row, *inner = s->nz == -1 ? T->row : T->column;
    for (int k = 0; k + 1 < s->n_pointers; k++) {
        if (p[k] < 0 || p[k + 1] < p[k] || p[k + 1] > s->n_elements)
            return damaged(r, group, "has pointers that do not ascend");
        for (int e = p[k]; e < p[k + 1]; e++) {
            outer[T->count] = k;
            inner[T->count] = i[e];
            T->value[T->count++] = x[e];
        }
    }
    return SS_OK;
}

static ss_status check_range(const reader *r, const char *group, const ss_triplets *T)
{
    for (size_t k = 0; k < T->count; k++)
        if (T->row[k] < 0 || T->row[k] >= T->n_rows || T->column[k] < 0 ||
            T->column[k] >= T->n_columns)
            return damaged(r, group, "has an element outside");
    return SS_OK;
}

static ss_status read_matrix(const reader *r, const char *group, const char *name, ss_triplets *T)
{
    char base[128], path[160];
    shape s = {0};
    int *p, *i;
    double *x;
    snprintf(base, sizeof base, "%s/%s", group, name);
    SS_TRY(read_shape(r, base, &s));
    snprintf(path, sizeof path, "%s/p", base);
    SS_TRY(read_data(r, path, H5T_NATIVE_INT, sizeof(int), s.n_pointers, NULL, (void **)&p));
    snprintf(path, sizeof path, "%s/i", base);
    SS_TRY(read_data(r, path, H5T_NATIVE_INT, sizeof(int), s.n_elements, NULL, (void **)&i));
    snprintf(path, sizeof path, "%s/x", base);
    SS_TRY(read_data(r, path, H5T_NATIVE_DOUBLE, sizeof(double), s.n_elements, NULL, (void **)&x));
    SS_TRY(ss_triplets_create(r->scratch, s.m, s.n, (size_t)s.n_elements, T));
    SS_TRY(expand(r, base, &s, p, i, x, T));
    return check_range(r, base, T);
}

static bool has_matrix(const reader *r, const char *group, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s/x", group, name);
    return exists(r, path);
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

static ss_status check_shape(const reader *r, const char *name, const ss_triplets *A, int rows,
                             int columns)
{
    if (A->n_rows == rows && A->n_columns == columns)
        return SS_OK;
    return ss_fail(r->problem->context, SS_INPUT,
                   "problem '%s': %s has %d rows and %d columns; %d and %d belong to the contacts",
                   r->problem->path, name, A->n_rows, A->n_columns, rows, columns);
}

static ss_status read_sizes(reader *r, const char *group, double **mu)
{
    ss_problem *p = r->problem;
    SS_TRY(read_int(r, group, "spacedim", &p->dimension));
    SS_TRY(read_reals(r, group, "mu", -1, &p->n_contacts, mu));
    return ss_problem_check_size(p);
}

/* u = W r + V λ + q, and the bilateral rows 0 = Vᵀ r + R λ + s. */
static ss_status read_local(reader *r)
{
    static const char group[] = "fclib_local";
    ss_problem *p = r->problem;
    ss_triplets W, V = {0}, R = {0}, all;
    double *mu, *q, *s = NULL, *c;
    SS_TRY(read_sizes(r, group, &mu));
    int m = ss_problem_rows(p);
    SS_TRY(read_matrix(r, group, "W", &W));
    SS_TRY(check_shape(r, "W", &W, m, m));
    SS_TRY(read_reals(r, group, "q", m, NULL, &q));
    if (has_matrix(r, group, "V")) {
        SS_TRY(read_matrix(r, group, "V", &V));
        SS_TRY(check_shape(r, "V", &V, m, V.n_columns));
        SS_TRY(read_matrix(r, group, "R", &R));
        SS_TRY(check_shape(r, "R", &R, V.n_columns, V.n_columns));
        SS_TRY(read_reals(r, group, "s", V.n_columns, NULL, &s));
    }
    p->n_bilateral = V.n_columns;
    SS_TRY(ss_problem_check_size(p));
    int n = ss_problem_rows(p);
    SS_TRY(ss_triplets_create(r->scratch, n, n, W.count + 2 * V.count + R.count, &all));
    put(&W, false, 0, 0, &all);
    put(&V, false, 0, m, &all);
    put(&V, true, m, 0, &all);
    put(&R, false, m, m, &all);
    SS_TRY(SS_ARENA_NEW(r->scratch, n, &c));
    for (int k = 0; k < n; k++)
        c[k] = k < m ? q[k] : s[k - m];
    return ss_problem_build(p, &all, c, mu);
}

/* M v = H r + G λ + f, u = Hᵀ v + w, and the bilateral rows 0 = Gᵀ v + b. */
static ss_status read_global(reader *r)
{
    static const char group[] = "fclib_global";
    ss_problem *p = r->problem;
    ss_triplets M, H, G = {0}, all, W;
    double *mu, *f, *w, *b = NULL, *q;
    SS_TRY(read_sizes(r, group, &mu));
    int m = ss_problem_rows(p);
    SS_TRY(read_matrix(r, group, "M", &M));
    SS_TRY(check_shape(r, "M", &M, M.n_rows, M.n_rows));
    SS_TRY(read_matrix(r, group, "H", &H));
    SS_TRY(check_shape(r, "H", &H, M.n_rows, m));
    SS_TRY(read_reals(r, group, "f", M.n_rows, NULL, &f));
    SS_TRY(read_reals(r, group, "w", m, NULL, &w));
    if (has_matrix(r, group, "G")) {
        SS_TRY(read_matrix(r, group, "G", &G));
        SS_TRY(check_shape(r, "G", &G, M.n_rows, G.n_columns));
        SS_TRY(read_reals(r, group, "b", G.n_columns, NULL, &b));
    }
    p->n_bilateral = G.n_columns;
    SS_TRY(ss_problem_check_size(p));
    int n = ss_problem_rows(p);
    SS_TRY(ss_triplets_create(r->scratch, M.n_rows, n, H.count + G.count, &all));
    put(&H, false, 0, 0, &all);
    put(&G, false, 0, m, &all);
    SS_TRY(SS_ARENA_NEW(r->scratch, n, &q));
    for (int k = 0; k < n; k++)
        q[k] = k < m ? w[k] : b[k - m];
    SS_TRY(ss_problem_condense(p, &M, &all, f, r->scratch, q, &W));
    return ss_problem_build(p, &W, q, mu);
}

/* The title, when there is one that can be read. */
static ss_status read_title(reader *r, const char *group)
{
    char path[128], title[256] = "";
    snprintf(path, sizeof path, "%s/info/title", group);
    hid_t data = exists(r, path) ? H5Dopen2(r->file, path, H5P_DEFAULT) : -1;
    if (data < 0)
        return SS_OK;
    hid_t type = H5Dget_type(data), space = H5Dget_space(data);
    size_t size = H5Tget_size(type);
    bool fits = H5Tget_class(type) == H5T_STRING && !H5Tis_variable_str(type) && size > 0 &&
                size < sizeof title && H5Sget_simple_extent_npoints(space) == 1;
    if (fits && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, title) < 0)
        title[0] = '\0';
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
    return ss_arena_copy_string(&r->problem->arena, title, &r->problem->title);
}

static ss_status read_either(reader *r)
{
    if (exists(r, "fclib_local")) {
        SS_TRY(read_title(r, "fclib_local"));
        return read_local(r);
    }
    if (exists(r, "fclib_global")) {
        SS_TRY(read_title(r, "fclib_global"));
        return read_global(r);
    }
    return damaged(r, "the group fclib_local or fclib_global", "is missing");
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
    reader r = {problem, H5Fopen(problem->path, H5F_ACC_RDONLY, H5P_DEFAULT), &scratch};
    ss_status status = SS_OK;
    if (r.file < 0)
        status =
            ss_fail(problem->context, SS_IO, "problem '%s': HDF5 cannot open it", problem->path);
    else
        status = read_either(&r);
    if (r.file >= 0)
        H5Fclose(r.file);
    ss_arena_release(&scratch);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print, print_user);
    return status;
}
