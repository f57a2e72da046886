/* problem_write.c: an inclusion of contacts as a local problem, written by libfclib. */
#include "rows/problem/problem.h"

#include <fclib.h>
#include <hdf5.h>

#include <stdio.h>
#include <sys/statvfs.h>

/* What will be written, rows in FCLib's order: contacts, then bilateral rows. */
typedef struct local {
    int dimension, n_contacts, n_bilateral;
    int *row_of; /* row of the inclusion → row of the file */
    double *mu, *q;
    ss_triplets W; /* all rows */
} local;

static bool is_half_line(const ss_block *B)
{
    return B->scale_from < 0 && B->set->kind == SS_SET_HALF_LINE;
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
    int scaled = 0;
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_block *B = &A->blocks[i];
        l->n_contacts += is_half_line(B);
        if (B->scale_from < 0)
            continue;
        if (l->dimension && l->dimension != B->dim + 1)
            return refuse(context, i, "planar and spatial contacts are mixed");
        l->dimension = B->dim + 1;
        scaled++;
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

/* The part of W with rows and columns in the two ranges, by columns. */
static ss_status take_part(ss_arena *arena, const ss_triplets *W, int row0, int rows, int column0,
                           int columns, struct fclib_matrix *part)
{
    int *start;
    *part = (struct fclib_matrix){.m = rows, .n = columns, .nz = -1};
    SS_TRY(SS_ARENA_NEW(arena, columns + 2, &start));
    SS_TRY(SS_ARENA_NEW(arena, W->count, &part->i));
    SS_TRY(SS_ARENA_NEW(arena, W->count, &part->x));
    part->p = start;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < W->count; k++) {
            int i = W->row[k] - row0, j = W->column[k] - column0;
            if (i < 0 || i >= rows || j < 0 || j >= columns)
                continue;
            if (pass == 0) {
                start[j + 2]++;
                part->nzmax++;
                continue;
            }
            part->i[start[j + 1]] = i;
            part->x[start[j + 1]++] = W->value[k];
        }
        for (int j = 0; j < columns && pass == 0; j++)
            start[j + 2] += start[j + 1];
    }
    return SS_OK;
}

/* r, u and, with bilateral rows, λ (FCLib calls it l). */
static ss_status take_solution(ss_arena *arena, const ss_inclusion *A, const local *l,
                               const double *P, struct fclib_solution *s)
{
    double gamma[SS_SET_MAX_DIM];
    SS_TRY(SS_ARENA_NEW(arena, A->n_rows, &s->r));
    SS_TRY(SS_ARENA_NEW(arena, A->n_rows, &s->u));
    for (int i = 0; i < A->n_blocks; i++) {
        ss_inclusion_velocity(A, P, NULL, i, gamma);
        for (int k = 0; k < A->blocks[i].dim; k++) {
            s->r[l->row_of[A->blocks[i].offset + k]] = P[A->blocks[i].offset + k];
            s->u[l->row_of[A->blocks[i].offset + k]] = gamma[k];
        }
    }
    s->l = s->r + l->n_contacts * l->dimension;
    return SS_OK;
}

static ss_status write_quietly(ss_context *context, const local *l, struct fclib_local *problem,
                               struct fclib_solution *solution, const char *path)
{
    H5E_auto2_t print;
    void *user;
    H5Eget_auto2(H5E_DEFAULT, &print, &user);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    /* libfclib ends the program when it cannot write: the file is made here, on a disk with capacity. */
    struct statvfs disk;
    double bytes = 65536.0 + 16.0 * (double)l->W.count + 64.0 * l->W.n_rows;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool can = file >= 0 && H5Fclose(file) >= 0 &&
               (statvfs(path, &disk) != 0 || (double)disk.f_bavail * (double)disk.f_frsize > bytes);
    bool good = can && fclib_write_local(problem, path) == 1 &&
                (!solution || fclib_write_solution(solution, path) == 1);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, print, user);
    return good ? SS_OK : ss_fail(context, SS_IO, "problem '%s': cannot be written", path);
}

/* A file without contacts has no place for a solution. */
static ss_status write_file(ss_context *context, ss_arena *arena, const ss_inclusion *A,
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
    int m = l.n_contacts * l.dimension, p = l.n_bilateral;
    struct fclib_matrix W, V, R;
    struct fclib_solution solution = {0};
    char name[255], writer[] = "written by stickslip";
    struct fclib_info info = {.title = name, .description = writer};
    struct fclib_local problem = {
        .W = &W, .q = l.q, .mu = l.mu, .spacedim = l.dimension, .info = &info};
    snprintf(name, sizeof name, "%s", title);
    SS_TRY(take_part(arena, &l.W, 0, m, 0, m, &W));
    if (p > 0) {
        SS_TRY(take_part(arena, &l.W, 0, m, m, p, &V));
        SS_TRY(take_part(arena, &l.W, m, p, m, p, &R));
        problem.V = &V;
        problem.R = &R;
        problem.s = l.q + m;
    }
    if (P)
        SS_TRY(take_solution(arena, A, &l, P, &solution));
    return write_quietly(context, &l, &problem, P && m > 0 ? &solution : NULL, path);
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
        status = write_file(context, &arena, A ? A : inclusion, P, title, path);
    ss_inclusion_destroy(A);
    ss_arena_release(&arena);
    return status;
}
