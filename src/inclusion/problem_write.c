/* problem_write.c: an inclusion of contacts as a local problem in FCLib's HDF5 layout. */
#include "inclusion/problem.h"

#include <hdf5.h>

#include <string.h>

/* What will be written, rows in FCLib's order: contacts, then bilateral rows. */
typedef struct local {
    int dimension, n_contacts, n_bilateral;
    int *row_of; /* row of the inclusion → row of the file */
    double *mu, *q;
    ss_triplets W; /* all rows */
} local;

static bool is_half_line(const ss_block *B)
{
    return B->scale_from < 0 && B->set->ops == ss_set_half_line()->ops;
}

static ss_status refuse(ss_context *context, int block, const char *reason)
{
    return ss_fail(context, SS_UNSUPPORTED,
                   "an FCLib file holds Coulomb contacts and bilateral rows only; block %d: %s",
                   block, reason);
}

/* Every contact must have the same number of rows; without any friction that is 2. */
static ss_status find_dimension(ss_context *context, const ss_inclusion *A, local *l)
{
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        if (B->scale_from < 0)
            continue;
        if (l->dimension && l->dimension != B->dim + 1)
            return refuse(context, i, "planar and spatial contacts are mixed");
        l->dimension = B->dim + 1;
    }
    int scaled = 0;
    for (int i = 0; i < A->n_blocks; i++) {
        l->n_contacts += is_half_line(&A->blocks[i]);
        scaled += A->blocks[i].scale_from >= 0;
    }
    if (scaled != 0 && scaled != l->n_contacts)
        return refuse(context, 0, "contacts with and without friction rows are mixed");
    if (scaled == 0 && l->n_contacts > 0)
        return refuse(context, 0, "there are no friction rows");
    l->dimension = l->dimension ? l->dimension : 3;
    return SS_OK;
}

static ss_status order_rows(ss_arena *arena, const ss_inclusion *A, local *l)
{
    int contact = 0, row = l->n_contacts * l->dimension;
    SS_TRY(SS_ARENA_NEW(arena, A->n_rows, &l->row_of));
    SS_TRY(SS_ARENA_NEW(arena, l->n_contacts, &l->mu));
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        if (is_half_line(B))
            l->row_of[B->offset] = l->dimension * contact++;
        else if (B->scale_from < 0)
            for (int k = 0; k < B->dim; k++)
                l->row_of[B->offset + k] = row++;
    }
    l->n_bilateral = row - l->n_contacts * l->dimension;
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        if (B->scale_from < 0)
            continue;
        int first = l->row_of[A->blocks[B->scale_from].offset];
        l->mu[first / l->dimension] = B->scale;
        for (int k = 0; k < B->dim; k++)
            l->row_of[B->offset + k] = first + 1 + k;
    }
    return SS_OK;
}

static ss_status take_numbers(ss_arena *arena, const ss_inclusion *A, local *l)
{
    size_t numbers = 0;
    for (int i = 0; i < A->n_blocks; i++)
        for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++)
            numbers += (size_t)(A->blocks[i].dim * A->blocks[A->entries[e].column].dim);
    SS_TRY(ss_triplets_create(arena, A->n_rows, A->n_rows, numbers, &l->W));
    SS_TRY(SS_ARENA_NEW(arena, A->n_rows, &l->q));
    for (int k = 0; k < A->n_rows; k++)
        l->q[l->row_of[k]] = A->c[k];
    for (int i = 0; i < A->n_blocks; i++)
        for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
            const ss_block *I = &A->blocks[i], *J = &A->blocks[A->entries[e].column];
            for (int k = 0; k < I->dim * J->dim; k++, l->W.count++) {
                l->W.row[l->W.count] = l->row_of[I->offset + k / J->dim];
                l->W.column[l->W.count] = l->row_of[J->offset + k % J->dim];
                l->W.value[l->W.count] = A->entries[e].value[k];
            }
        }
    return SS_OK;
}

/* True when it was written. */
static bool put(hid_t at, const char *name, hid_t type, size_t count, const void *values)
{
    hsize_t size = count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t data = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = data >= 0 &&
                (count == 0 || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (data >= 0)
        H5Dclose(data);
    H5Sclose(space);
    return good;
}

static bool put_int(hid_t at, const char *name, int value)
{
    return put(at, name, H5T_NATIVE_INT, 1, &value);
}

static bool put_text(hid_t at, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text) + 1);
    hid_t data = H5Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    if (data >= 0)
        H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

/* The part of W with rows and columns in the two ranges, by columns. */
static bool put_matrix(ss_arena *arena, hid_t at, const char *name, const ss_triplets *W, int row0,
                       int rows, int column0, int columns)
{
    int *start, *row, count = 0;
    double *value;
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0 || SS_ARENA_NEW(arena, columns + 2, &start) != SS_OK ||
        SS_ARENA_NEW(arena, W->count, &row) != SS_OK ||
        SS_ARENA_NEW(arena, W->count, &value) != SS_OK)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < W->count; k++) {
            int i = W->row[k] - row0, j = W->column[k] - column0;
            if (i < 0 || i >= rows || j < 0 || j >= columns)
                continue;
            if (pass == 0) {
                start[j + 2]++;
                count++;
                continue;
            }
            row[start[j + 1]] = i;
            value[start[j + 1]++] = W->value[k];
        }
        for (int j = 0; j < columns && pass == 0; j++)
            start[j + 2] += start[j + 1];
    }
    bool good = put_int(group, "nzmax", count) && put_int(group, "m", rows) &&
                put_int(group, "n", columns) && put_int(group, "nz", -1) &&
                put(group, "p", H5T_NATIVE_INT, (size_t)columns + 1, start) &&
                put(group, "i", H5T_NATIVE_INT, (size_t)count, row) &&
                put(group, "x", H5T_NATIVE_DOUBLE, (size_t)count, value);
    H5Gclose(group);
    return good;
}

static bool put_vectors(hid_t at, const local *l)
{
    int m = l->n_contacts * l->dimension;
    hid_t group = H5Gcreate2(at, "vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && put(group, "q", H5T_NATIVE_DOUBLE, (size_t)m, l->q) &&
                put(group, "mu", H5T_NATIVE_DOUBLE, (size_t)l->n_contacts, l->mu);
    if (good && l->n_bilateral > 0)
        good = put(group, "s", H5T_NATIVE_DOUBLE, (size_t)l->n_bilateral, l->q + m);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

static bool put_info(hid_t at, const char *title)
{
    hid_t group = H5Gcreate2(at, "info", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && put_text(group, "title", title) &&
                put_text(group, "description", "written by stickslip") &&
                put_text(group, "math_info", "");
    if (group >= 0)
        H5Gclose(group);
    return good;
}

static bool put_problem(ss_arena *arena, hid_t file, const local *l, const char *title)
{
    int m = l->n_contacts * l->dimension, p = l->n_bilateral;
    hid_t group = H5Gcreate2(file, "fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && put_int(group, "spacedim", l->dimension) &&
                put_matrix(arena, group, "W", &l->W, 0, m, 0, m) && put_vectors(group, l) &&
                put_info(group, title);
    if (good && p > 0)
        good = put_matrix(arena, group, "V", &l->W, 0, m, m, p) &&
               put_matrix(arena, group, "R", &l->W, m, p, m, p);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

/* r, u and, with bilateral rows, λ (FCLib calls it l). */
static bool put_solution(ss_arena *arena, hid_t file, const ss_inclusion *A, const local *l,
                         const double *P)
{
    int m = l->n_contacts * l->dimension;
    double *r, *u, gamma[SS_SET_MAX_DIM];
    if (SS_ARENA_NEW(arena, A->n_rows, &r) != SS_OK || SS_ARENA_NEW(arena, A->n_rows, &u) != SS_OK)
        return false;
    for (int i = 0; i < A->n_blocks; i++) {
        ss_inclusion_velocity(A, P, NULL, i, gamma);
        for (int k = 0; k < A->blocks[i].dim; k++) {
            r[l->row_of[A->blocks[i].offset + k]] = P[A->blocks[i].offset + k];
            u[l->row_of[A->blocks[i].offset + k]] = gamma[k];
        }
    }
    hid_t group = H5Gcreate2(file, "solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = group >= 0 && put(group, "r", H5T_NATIVE_DOUBLE, (size_t)m, r) &&
                put(group, "u", H5T_NATIVE_DOUBLE, (size_t)m, u);
    if (good && l->n_bilateral > 0)
        good = put(group, "l", H5T_NATIVE_DOUBLE, (size_t)l->n_bilateral, r + m);
    if (group >= 0)
        H5Gclose(group);
    return good;
}

static ss_status write_file(ss_context *context, ss_arena *arena, const ss_inclusion *A,
                            const local *l, const double *P, const char *title, const char *path)
{
    H5E_auto2_t print;
    void *user;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && put_problem(arena, file, l, title) &&
                (!P || put_solution(arena, file, A, l, P));
    if (file >= 0)
        good = H5Fclose(file) >= 0 && good;
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print, user);
    return good ? SS_OK : ss_fail(context, SS_IO, "problem '%s': cannot be written", path);
}

static ss_status write_assembled(ss_context *context, ss_arena *arena, const ss_inclusion *A,
                                 const double *P, const char *title, const char *path)
{
    local l = {0};
    const char *reason = ss_inclusion_not_coulomb(A);
    if (reason)
        return ss_fail(context, SS_UNSUPPORTED,
                       "an FCLib file holds Coulomb contacts and bilateral rows only: %s", reason);
    SS_TRY(find_dimension(context, A, &l));
    SS_TRY(order_rows(arena, A, &l));
    SS_TRY(take_numbers(arena, A, &l));
    return write_file(context, arena, A, &l, P, title, path);
}

ss_status ss_inclusion_write_fclib(ss_context *context, const ss_inclusion *inclusion,
                                   const double *P, const char *title, const char *path)
{
    ss_inclusion *A = NULL;
    ss_arena arena;
    ss_arena_init(&arena, context);
    ss_status status = SS_OK;
    if (inclusion->factor_start)
        status = ss_inclusion_assemble(context, inclusion, &A);
    if (status == SS_OK)
        status = write_assembled(context, &arena, A ? A : inclusion, P, title, path);
    ss_inclusion_destroy(context, A);
    ss_arena_release(&arena);
    return status;
}
