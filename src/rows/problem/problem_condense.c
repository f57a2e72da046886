/* problem_condense.c: a global problem without its velocities, W = Hᵀ M⁻¹ H, by sparse factors M = L D Lᵀ. */
#include "rows/problem/problem.h"

#include <suitesparse/amd.h>
#include <suitesparse/ldl.h>

#include <limits.h>
#include <string.h>

/* A matrix by columns, as SuiteSparse has it; what is listed twice is added. */
typedef struct columns {
    int n;
    int *start, *row;
    double *value;
} columns;

typedef struct condensing {
    const ss_problem *problem;
    ss_arena *scratch;
    columns M, H, Ht, L;
    int *order, *inverse; /* the order in which M is factored, and its inverse */
    double *D;
    double *x, *y; /* a column of M⁻¹H, and scratch; M.n */
} condensing;

static ss_status out_of_memory(const condensing *c)
{
    return ss_fail(c->problem->context, SS_MEMORY, "problem '%s': no memory to condense it",
                   c->problem->path);
}

/* n columns of triplets with these indices. */
static ss_status by_columns(ss_arena *arena, int n, size_t count, const int *row, const int *column,
                            const double *value, columns *A)
{
    A->n = n;
    SS_TRY(SS_ARENA_NEW(arena, n + 2, &A->start));
    SS_TRY(SS_ARENA_NEW(arena, count, &A->row));
    SS_TRY(SS_ARENA_NEW(arena, count, &A->value));
    memset(A->start, 0, ((size_t)n + 2) * sizeof *A->start);
    for (size_t k = 0; k < count; k++)
        A->start[column[k] + 2]++;
    for (int j = 2; j <= n; j++)
        A->start[j] += A->start[j - 1];
    for (size_t k = 0; k < count; k++) { /* start[j + 1] moves on to where column j ends */
        int at = A->start[column[k] + 1]++;
        A->row[at] = row[k];
        A->value[at] = value[k];
    }
    return SS_OK;
}

/* M from its lower half. */
static ss_status mirror(condensing *c, const ss_triplets *M)
{
    ss_triplets full;
    SS_TRY(ss_triplets_create(c->scratch, M->n_rows, M->n_columns, 2 * M->count, &full));
    for (size_t k = 0; k < M->count; k++) {
        int sides = M->row[k] > M->column[k] ? 2 : M->row[k] == M->column[k] ? 1 : 0;
        for (int side = 0; side < sides; side++, full.count++) {
            full.row[full.count] = side ? M->column[k] : M->row[k];
            full.column[full.count] = side ? M->row[k] : M->column[k];
            full.value[full.count] = M->value[k];
        }
    }
    return by_columns(c->scratch, M->n_columns, full.count, full.row, full.column, full.value,
                      &c->M);
}

static ss_status factor(condensing *c)
{
    enum { PARENT, COUNT, FLAG, PATTERN, PARTS };
    columns *M = &c->M, *L = &c->L;
    int *part[PARTS], n = M->n;
    size_t total = 0;
    L->n = n;
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &c->order));
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &c->inverse));
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &c->D));
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &c->x));
    SS_TRY(SS_ARENA_NEW(c->scratch, n, &c->y));
    SS_TRY(SS_ARENA_NEW(c->scratch, n + 1, &L->start));
    for (int k = 0; k < PARTS; k++)
        SS_TRY(SS_ARENA_NEW(c->scratch, n, &part[k]));
    if (amd_order(n, M->start, M->row, c->order, NULL, NULL) < AMD_OK)
        return out_of_memory(c);
    ldl_symbolic(n, M->start, M->row, L->start, part[PARENT], part[COUNT], part[FLAG], c->order,
                 c->inverse);
    for (int j = 0; j < n; j++)
        total += (size_t)part[COUNT][j];
    if (total > INT_MAX)
        return out_of_memory(c);
    SS_TRY(SS_ARENA_NEW(c->scratch, total, &L->row));
    SS_TRY(SS_ARENA_NEW(c->scratch, total, &L->value));
    int done =
        ldl_numeric(n, M->start, M->row, M->value, L->start, part[PARENT], part[COUNT], L->row,
                    L->value, c->D, c->y, part[PATTERN], part[FLAG], c->order, c->inverse);
    for (int k = 0; k < n; k++)
        if (k >= done || !(c->D[k] > 0.0))
            return ss_fail(c->problem->context, SS_SINGULAR,
                           "problem '%s': the mass matrix M is not positive definite (column %d)",
                           c->problem->path, c->order[k]);
    return SS_OK;
}

/* x ← M⁻¹ x. */
static void solve(const condensing *c)
{
    const columns *L = &c->L;
    ldl_perm(L->n, c->y, c->x, c->order);
    ldl_lsolve(L->n, c->y, L->start, L->row, L->value);
    ldl_dsolve(L->n, c->y, c->D);
    ldl_ltsolve(L->n, c->y, L->start, L->row, L->value);
    ldl_permt(L->n, c->x, c->y, c->order);
}

static void add_load(const condensing *c, const double *f, double *q)
{
    const columns *H = &c->H;
    memcpy(c->x, f, (size_t)c->M.n * sizeof *f);
    solve(c);
    for (int j = 0; j < H->n; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            q[j] += H->value[e] * c->x[H->row[e]];
}

/* Column j of W: its rows in order of appearance, its values in `sum`. */
static int multiply_column(const condensing *c, int j, int *seen, int *rows, double *sum)
{
    const columns *H = &c->H, *Ht = &c->Ht;
    int count = 0;
    memset(c->x, 0, (size_t)c->M.n * sizeof *c->x);
    for (int e = H->start[j]; e < H->start[j + 1]; e++)
        c->x[H->row[e]] += H->value[e];
    solve(c);
    for (int k = 0; k < Ht->n; k++)
        for (int f = Ht->start[k]; f < Ht->start[k + 1] && c->x[k] != 0.0; f++) {
            int i = Ht->row[f];
            if (seen[i] != j) {
                seen[i] = j;
                sum[i] = 0.0;
                rows[count++] = i;
            }
            sum[i] += Ht->value[f] * c->x[k];
        }
    return count;
}

/* W when it is given, else only its number of elements. */
static size_t multiply_all(const condensing *c, int *seen, int *rows, double *sum, ss_triplets *W)
{
    size_t total = 0;
    for (int i = 0; i < c->H.n; i++)
        seen[i] = -1;
    for (int j = 0; j < c->H.n; j++) {
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

ss_status ss_problem_condense(ss_problem *p, const ss_triplets *M, const ss_triplets *H,
                              const double *f, ss_arena *scratch, double *q, ss_triplets *W)
{
    condensing c = {.problem = p, .scratch = scratch};
    int *seen, *rows, n = H->n_columns;
    double *sum;
    SS_TRY(mirror(&c, M));
    SS_TRY(by_columns(scratch, n, H->count, H->row, H->column, H->value, &c.H));
    SS_TRY(by_columns(scratch, H->n_rows, H->count, H->column, H->row, H->value, &c.Ht));
    SS_TRY(factor(&c));
    add_load(&c, f, q);
    SS_TRY(SS_ARENA_NEW(scratch, n, &seen));
    SS_TRY(SS_ARENA_NEW(scratch, n, &rows));
    SS_TRY(SS_ARENA_NEW(scratch, n, &sum));
    SS_TRY(ss_triplets_create(scratch, n, n, multiply_all(&c, seen, rows, sum, NULL), W));
    multiply_all(&c, seen, rows, sum, W);
    return SS_OK;
}
