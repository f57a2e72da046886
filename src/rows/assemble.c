/* assemble.c: the assembled form, from the factored one or from a dense matrix. */
#include "base/arena.h"
#include "base/context.h"
#include "rows/check.h"
#include "rows/coupling.h"

#include <stdlib.h>
#include <string.h>

/* What the caller gets is the first member. */
typedef struct owned_inclusion {
    ss_inclusion inclusion;
    ss_arena arena;
} owned_inclusion;

static ss_status create(ss_context *context, int n_blocks, const ss_block *blocks,
                        owned_inclusion **owned)
{
    ss_block *kept;
    SS_TRY(SS_NEW(context, 1, owned));
    ss_inclusion *A = &(*owned)->inclusion;
    ss_arena_init(&(*owned)->arena, context);
    ss_status status = SS_ARENA_NEW(&(*owned)->arena, n_blocks, &kept);
    if (status != SS_OK) {
        ss_inclusion_destroy(A);
        return status;
    }
    A->n_blocks = n_blocks;
    A->blocks = kept;
    for (int i = 0; i < n_blocks; i++) {
        kept[i] = blocks[i];
        A->n_rows += blocks[i].dim;
    }
    return SS_OK;
}

void ss_inclusion_destroy(ss_inclusion *inclusion)
{
    if (!inclusion)
        return;
    owned_inclusion *owned = (owned_inclusion *)inclusion;
    ss_context *context = owned->arena.context;
    ss_arena_release(&owned->arena);
    ss_release(context, owned);
}

/* Hands the inclusion over, or releases it when something failed on the way. */
static ss_status deliver(owned_inclusion *owned, ss_status status, ss_inclusion **assembled)
{
    if (status != SS_OK) {
        ss_inclusion_destroy(&owned->inclusion);
        return status;
    }
    *assembled = &owned->inclusion;
    return SS_OK;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Block row i; its columns ascend. */
static ss_status fill_row(ss_arena *arena, const ss_inclusion *inclusion, int i, int count,
                          const int *columns, ss_entry *row)
{
    size_t numbers = 0;
    double *values;
    for (int e = 0; e < count; e++)
        numbers += (size_t)(inclusion->blocks[i].dim * inclusion->blocks[columns[e]].dim);
    SS_TRY(SS_ARENA_NEW(arena, numbers, &values));
    for (int e = 0; e < count; e++) {
        size_t size = (size_t)(inclusion->blocks[i].dim * inclusion->blocks[columns[e]].dim);
        const double *G = ss_inclusion_G(inclusion, i, columns[e], values);
        if (G != values)
            memcpy(values, G, size * sizeof *values);
        row[e] = (ss_entry){columns[e], values};
        values += size;
    }
    return SS_OK;
}

/* `scratch` holds what is needed on the way only. */
static ss_status assemble(ss_arena *scratch, const ss_inclusion *inclusion, owned_inclusion *owned)
{
    int n = inclusion->n_blocks,
        n_factors = inclusion->factor_start ? inclusion->factor_start[n] : 0;
    ss_coupling coupling;
    int *columns, *start;
    ss_entry *entries;
    double *c;
    SS_TRY(SS_ARENA_NEW(scratch, inclusion->factor_start ? inclusion->n_u : 0, &coupling.head));
    SS_TRY(SS_ARENA_NEW(scratch, n_factors, &coupling.next));
    SS_TRY(SS_ARENA_NEW(scratch, n_factors, &coupling.owner));
    SS_TRY(SS_ARENA_NEW(scratch, n, &coupling.marker));
    SS_TRY(SS_ARENA_NEW(scratch, n, &columns));
    SS_TRY(SS_ARENA_NEW(&owned->arena, n + 1, &start));
    SS_TRY(SS_ARENA_NEW(&owned->arena, inclusion->n_rows, &c));
    ss_coupling_build(inclusion, &coupling);
    for (int i = 0; i < n; i++)
        start[i + 1] = start[i] + ss_coupling_neighbours(inclusion, &coupling, i, columns);
    SS_TRY(SS_ARENA_NEW(&owned->arena, start[n], &entries));
    for (int i = 0; i < n; i++) {
        int count = ss_coupling_neighbours(inclusion, &coupling, i, columns);
        qsort(columns, (size_t)count, sizeof *columns, ascending);
        SS_TRY(fill_row(&owned->arena, inclusion, i, count, columns, entries + start[i]));
        if (inclusion->factor_start)
            ss_inclusion_velocity(inclusion, NULL, inclusion->u_free, i,
                                  c + inclusion->blocks[i].offset);
    }
    if (!inclusion->factor_start && inclusion->n_rows > 0)
        memcpy(c, inclusion->c, (size_t)inclusion->n_rows * sizeof *c);
    owned->inclusion.entry_start = start;
    owned->inclusion.entries = entries;
    owned->inclusion.c = c;
    return SS_OK;
}

ss_status ss_inclusion_assemble(ss_context *context, const ss_inclusion *inclusion,
                                ss_inclusion **assembled)
{
    owned_inclusion *owned;
    *assembled = NULL;
    SS_TRY(create(context, inclusion->n_blocks, inclusion->blocks, &owned));
    ss_arena scratch;
    ss_arena_init(&scratch, context);
    ss_status status = assemble(&scratch, inclusion, owned);
    ss_arena_release(&scratch);
    return deliver(owned, status, assembled);
}

static ss_status fill_dense(const double *G, const double *c, owned_inclusion *owned)
{
    ss_inclusion *A = &owned->inclusion;
    int n = A->n_blocks, m = A->n_rows;
    int *start;
    ss_entry *entries;
    double *values, *c_copy;
    SS_TRY(SS_ARENA_NEW(&owned->arena, n + 1, &start));
    SS_TRY(SS_ARENA_NEW(&owned->arena, (size_t)n * (size_t)n, &entries));
    SS_TRY(SS_ARENA_NEW(&owned->arena, (size_t)m * (size_t)m, &values));
    SS_TRY(SS_ARENA_NEW(&owned->arena, m, &c_copy));
    for (int i = 0; i < n; i++) {
        const ss_block *I = &A->blocks[i];
        start[i + 1] = (i + 1) * n;
        for (int j = 0; j < n; j++) {
            const ss_block *J = &A->blocks[j];
            entries[i * n + j] = (ss_entry){j, values};
            for (int k = 0; k < I->dim; k++)
                for (int l = 0; l < J->dim; l++)
                    *values++ = G[(size_t)(I->offset + k) * (size_t)m + (size_t)(J->offset + l)];
        }
    }
    if (m > 0)
        memcpy(c_copy, c, (size_t)m * sizeof *c_copy);
    A->entry_start = start;
    A->entries = entries;
    A->c = c_copy;
    return SS_OK;
}

ss_status ss_inclusion_from_dense(ss_context *context, int n_blocks, const ss_block *blocks,
                                  const double *G, const double *c, ss_inclusion **assembled)
{
    SS_GIVEN(NULL, context);
    owned_inclusion *owned;
    *assembled = NULL;
    if (n_blocks < 0 || n_blocks > 32768)
        return ss_fail(context, SS_INPUT,
                       "inclusion: %d blocks with a dense matrix; 0 to 32768 are possible",
                       n_blocks);
    SS_TRY(create(context, n_blocks, blocks, &owned));
    ss_status status = ss_inclusion_check_blocks(context, &owned->inclusion);
    if (status == SS_OK)
        status = fill_dense(G, c, owned);
    if (status == SS_OK)
        status = ss_inclusion_check_numbers(context, &owned->inclusion);
    return deliver(owned, status, assembled);
}
