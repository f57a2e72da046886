/* prox_scratch.c: the memory of JORprox and SORprox, all of it taken before a solve. */
#include "solver/prox.h"

static ss_status take_vectors(ss_prox_solver *s, const ss_solver_size *size)
{
    ss_arena *arena = &s->scratch;
    SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->blocks));
    SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->natural_r));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->next));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->best));
    SS_TRY(SS_ARENA_NEW(arena, size->n_rows, &s->P_before));
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->u_before));
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->u_swept));
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->u_free_given));
    return SS_ARENA_NEW(arena, size->n_rows, &s->b_given);
}

static ss_status take_coupling(ss_prox_solver *s, const ss_solver_size *size)
{
    ss_arena *arena = &s->scratch;
    SS_TRY(SS_ARENA_NEW(arena, size->n_u, &s->coupling.head));
    SS_TRY(SS_ARENA_NEW(arena, size->n_factors, &s->coupling.next));
    SS_TRY(SS_ARENA_NEW(arena, size->n_factors, &s->coupling.owner));
    SS_TRY(SS_ARENA_NEW(arena, size->n_blocks, &s->coupling.marker));
    return SS_ARENA_NEW(arena, size->n_blocks, &s->neighbours);
}

ss_status ss_prox_reserve(void *self, ss_context *context, const ss_solver_size *size)
{
    ss_prox_solver *s = self;
    ss_prox_destroy(self, context);
    ss_arena_init(&s->scratch, context);
    s->has_scratch = true;
    SS_TRY(take_vectors(s, size));
    if (s->options.r == SS_R_ROW_SUM)
        SS_TRY(take_coupling(s, size));
    if (s->options.r == SS_R_SPECTRAL)
        SS_TRY(SS_ARENA_NEW(&s->scratch, ss_spectral_memory(size), &s->spectral));
    return SS_OK;
}

void ss_prox_destroy(void *self, ss_context *context)
{
    (void)context;
    ss_prox_solver *s = self;
    if (s->has_scratch)
        ss_arena_release(&s->scratch);
    s->has_scratch = false;
}
