/* problem_build.c: from triplets to an assembled inclusion of contacts, and its symmetry. */
#include "rows/problem/problem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

ss_status ss_triplets_create(ss_arena *arena, int n_rows, int n_columns, size_t count,
                             ss_triplets *triplets)
{
    *triplets = (ss_triplets){.n_rows = n_rows, .n_columns = n_columns};
    SS_TRY(SS_ARENA_NEW(arena, count, &triplets->row));
    SS_TRY(SS_ARENA_NEW(arena, count, &triplets->column));
    return SS_ARENA_NEW(arena, count, &triplets->value);
}

int ss_problem_rows(const ss_problem *problem)
{
    return problem->dimension * problem->n_contacts + problem->n_bilateral;
}

ss_status ss_problem_check_size(const ss_problem *p)
{
    if (p->dimension != 2 && p->dimension != 3)
        return ss_fail(p->context, SS_INPUT,
                       "problem '%s': %d rows a contact; 2 and 3 are possible", p->path,
                       p->dimension);
    if (p->n_contacts < 0 || p->n_contacts > INT_MAX / 8 || p->n_bilateral < 0 ||
        p->n_bilateral > INT_MAX / 8)
        return ss_fail(p->context, SS_INPUT,
                       "problem '%s': %d contacts and %d bilateral rows; 0 to %d are possible",
                       p->path, p->n_contacts, p->n_bilateral, INT_MAX / 8);
    return SS_OK;
}

static ss_status check_numbers(const ss_problem *p, const char *what, size_t n, const double *x)
{
    for (size_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return ss_fail(p->context, SS_NON_FINITE,
                           "problem '%s': number %zu of %s is %g; it should be finite", p->path, k,
                           what, x[k]);
    return SS_OK;
}

static ss_status check(const ss_problem *p, const ss_triplets *W, const double *q, const double *mu)
{
    int n = ss_problem_rows(p);
    for (size_t k = 0; k < W->count; k++)
        if (W->row[k] < 0 || W->row[k] >= n || W->column[k] < 0 || W->column[k] >= n)
            return ss_fail(p->context, SS_INPUT,
                           "problem '%s': element %zu of W is in row %d, column %d; they go from 0 "
                           "to %d",
                           p->path, k, W->row[k], W->column[k], n - 1);
    SS_TRY(check_numbers(p, "W", W->count, W->value));
    SS_TRY(check_numbers(p, "q", (size_t)n, q));
    for (int i = 0; i < p->n_contacts; i++)
        if (!(mu[i] >= 0.0) || !isfinite(mu[i]))
            return ss_fail(p->context, SS_INPUT,
                           "problem '%s': contact %d has the friction coefficient %g; it should be "
                           "0 or positive",
                           p->path, i, mu[i]);
    return SS_OK;
}

static ss_status make_blocks(ss_problem *p, const double *mu)
{
    ss_block *blocks;
    int n = 2 * p->n_contacts + p->n_bilateral, offset = 0;
    SS_TRY(SS_ARENA_NEW(&p->arena, n, &blocks));
    const ss_set *friction = p->dimension == 2 ? ss_set_interval() : ss_set_disk(2);
    for (int i = 0; i < p->n_contacts; i++, offset += p->dimension) {
        blocks[2 * i] = (ss_block){
            .set = ss_set_half_line(), .offset = offset, .dim = 1, .scale_from = -1, .scale = 1};
        blocks[2 * i + 1] = (ss_block){.set = friction,
                                       .offset = offset + 1,
                                       .dim = p->dimension - 1,
                                       .scale_from = 2 * i,
                                       .scale = mu[i]};
    }
    for (int i = 2 * p->n_contacts; i < n; i++, offset++)
        blocks[i] = (ss_block){
            .set = ss_set_free(1), .offset = offset, .dim = 1, .scale_from = -1, .scale = 1};
    p->inclusion.blocks = blocks;
    p->inclusion.n_blocks = n;
    p->inclusion.n_rows = offset;
    return SS_OK;
}

/* The pattern is made symmetric: element k + count is a zero at the mirror image of element k. */
static int row_of(const ss_triplets *W, size_t k)
{
    return k < W->count ? W->row[k] : W->column[k - W->count];
}

static int column_of(const ss_triplets *W, size_t k)
{
    return k < W->count ? W->column[k] : W->row[k - W->count];
}

/* The elements sorted by block rows, and scratch for one row. */
typedef struct block_rows {
    int *block_of; /* n_rows */
    size_t *start; /* n_blocks + 1 */
    size_t *item;  /* elements, by block rows */
    int *columns;  /* blocks of one row */
    int *entry_of; /* n_blocks: entry of this column in the current row, or -1 */
} block_rows;

static ss_status sort_rows(const ss_inclusion *A, const ss_triplets *W, ss_arena *scratch,
                           block_rows *r)
{
    size_t *next;
    SS_TRY(SS_ARENA_NEW(scratch, A->n_rows, &r->block_of));
    SS_TRY(SS_ARENA_NEW(scratch, A->n_blocks + 1, &r->start));
    SS_TRY(SS_ARENA_NEW(scratch, A->n_blocks + 1, &next));
    SS_TRY(SS_ARENA_NEW(scratch, 2 * W->count, &r->item));
    SS_TRY(SS_ARENA_NEW(scratch, A->n_blocks, &r->columns));
    SS_TRY(SS_ARENA_NEW(scratch, A->n_blocks, &r->entry_of));
    for (int i = 0; i < A->n_blocks; i++) {
        r->entry_of[i] = -1;
        for (int k = 0; k < A->blocks[i].dim; k++)
            r->block_of[A->blocks[i].offset + k] = i;
    }
    for (size_t k = 0; k < 2 * W->count; k++)
        r->start[r->block_of[row_of(W, k)] + 1]++;
    for (int i = 0; i < A->n_blocks; i++)
        next[i + 1] = r->start[i + 1] += r->start[i];
    for (size_t k = 0; k < 2 * W->count; k++)
        r->item[next[r->block_of[row_of(W, k)]]++] = k;
    return SS_OK;
}

static int ascending(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return (i > j) - (i < j);
}

/* The block columns of block row i, the diagonal included, ascending. */
static int row_columns(const ss_triplets *W, block_rows *r, int i)
{
    int count = 0;
    r->columns[count++] = i;
    r->entry_of[i] = 0;
    for (size_t k = r->start[i]; k < r->start[i + 1]; k++) {
        int j = r->block_of[column_of(W, r->item[k])];
        if (r->entry_of[j] >= 0)
            continue;
        r->entry_of[j] = 0;
        r->columns[count++] = j;
    }
    qsort(r->columns, (size_t)count, sizeof *r->columns, ascending);
    for (int e = 0; e < count; e++)
        r->entry_of[r->columns[e]] = -1;
    return count;
}

/* Fills the entries of block row i, whose columns are r->columns. */
static ss_status fill_row(ss_problem *p, const ss_triplets *W, block_rows *r, int i, int count,
                          ss_entry *row)
{
    const ss_block *blocks = p->inclusion.blocks, *B = &blocks[i];
    size_t numbers = 0, at = 0;
    double *values;
    for (int e = 0; e < count; e++)
        numbers += (size_t)(B->dim * blocks[r->columns[e]].dim);
    SS_TRY(SS_ARENA_NEW(&p->arena, numbers, &values));
    for (int e = 0; e < count; e++) {
        row[e] = (ss_entry){r->columns[e], values + at};
        r->entry_of[r->columns[e]] = (int)at;
        at += (size_t)(B->dim * blocks[r->columns[e]].dim);
    }
    for (size_t k = r->start[i]; k < r->start[i + 1]; k++) {
        size_t t = r->item[k];
        if (t >= W->count)
            continue;
        const ss_block *J = &blocks[r->block_of[W->column[t]]];
        int place = (W->row[t] - B->offset) * J->dim + W->column[t] - J->offset;
        values[r->entry_of[r->block_of[W->column[t]]] + place] += W->value[t];
    }
    for (int e = 0; e < count; e++)
        r->entry_of[r->columns[e]] = -1;
    return SS_OK;
}

static ss_status fill(ss_problem *p, const ss_triplets *W, ss_arena *scratch)
{
    ss_inclusion *A = &p->inclusion;
    block_rows r;
    int *start;
    ss_entry *entries;
    SS_TRY(sort_rows(A, W, scratch, &r));
    SS_TRY(SS_ARENA_NEW(&p->arena, A->n_blocks + 1, &start));
    for (int i = 0; i < A->n_blocks; i++)
        start[i + 1] = start[i] + row_columns(W, &r, i);
    SS_TRY(SS_ARENA_NEW(&p->arena, start[A->n_blocks], &entries));
    for (int i = 0; i < A->n_blocks; i++)
        SS_TRY(fill_row(p, W, &r, i, row_columns(W, &r, i), entries + start[i]));
    A->entry_start = start;
    A->entries = entries;
    return SS_OK;
}

ss_status ss_problem_build(ss_problem *p, const ss_triplets *W, const double *q, const double *mu)
{
    SS_TRY(check(p, W, q, mu));
    SS_TRY(make_blocks(p, mu));
    double *c;
    SS_TRY(SS_ARENA_NEW(&p->arena, p->inclusion.n_rows, &c));
    for (int k = 0; k < p->inclusion.n_rows; k++)
        c[k] = q[k];
    p->inclusion.c = c;
    ss_arena scratch;
    ss_arena_init(&scratch, p->context);
    ss_status status = fill(p, W, &scratch);
    ss_arena_release(&scratch);
    if (status == SS_OK)
        status = ss_gather(&p->gathered, p->context, &p->inclusion);
    p->inclusion.gathered = &p->gathered;
    return status;
}

int ss_problem_indefinite_contact(const ss_problem *problem)
{
    const ss_gathered *g = &problem->gathered;
    for (int k = 0; k < problem->n_contacts; k++) {
        const ss_gathered_group *K = &g->groups[g->group_of[2 * k]];
        const double *G = g->diagonal + K->diagonal; /* by its symmetric part, normal row first */
        bool indefinite = G[0] < 0.0;
        for (int a = 1; a < K->dim && !indefinite; a++) {
            double h = 0.5 * (G[a] + G[a * K->dim]), T = G[a * K->dim + a];
            indefinite = T < 0.0 || G[0] * T < 0.99 * h * h;
        }
        if (indefinite)
            return k;
    }
    return -1;
}

double ss_problem_asymmetry(const ss_problem *problem)
{
    const ss_inclusion *A = &problem->inclusion;
    double difference = 0.0, largest = 0.0;
    for (int i = 0; i < A->n_blocks; i++)
        for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
            const ss_entry *E = &A->entries[e];
            const double *T = ss_inclusion_G(A, E->column, i, NULL); /* it is there */
            int m = A->blocks[i].dim, n = A->blocks[E->column].dim;
            for (int k = 0; k < m * n; k++) {
                double other = T[(k % n) * m + k / n];
                difference = fmax(difference, fabs(E->value[k] - other));
                largest = fmax(largest, fabs(E->value[k]));
            }
        }
    return largest > 0.0 ? difference / largest : 0.0;
}

/* The problem owns its numbers, which the inclusion shows as constant. */
void ss_problem_symmetrize(ss_problem *problem)
{
    ss_inclusion *A = &problem->inclusion;
    for (int i = 0; i < A->n_blocks; i++)
        for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
            const ss_entry *E = &A->entries[e];
            const double *T = ss_inclusion_G(A, E->column, i, NULL);
            int m = A->blocks[i].dim, n = A->blocks[E->column].dim;
            if (E->column < i)
                continue;
            for (int k = 0; k < m * n; k++) {
                double *a = (double *)&E->value[k], *b = (double *)&T[(k % n) * m + k / n];
                *a = *b = 0.5 * (*a + *b);
            }
        }
    ss_gather(&problem->gathered, problem->context,
              A); /* as large as before: nothing to allocate */
}
