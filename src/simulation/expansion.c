#include "simulation/expansion.h"

#include <string.h>

ss_status ss_expansion_create(ss_simulation *s, ss_solver *solver, const ss_args *args,
                              const ss_scope *scope)
{
    SS_TRY(SS_ARENA_NEW(&s->arena, 1, &s->expansion));
    SS_TRY(ss_model_expand(s->model, &s->expansion->expanded));
    return ss_simulation_create(&s->expansion->expanded->model, solver, s->scheme,
                                s->ops->type.name, args, scope, &s->expansion->inner);
}

void ss_expansion_destroy(ss_simulation *s)
{
    if (!s->expansion)
        return;
    ss_simulation_destroy(s->expansion->inner);
    ss_expanded_destroy(s->expansion->expanded);
}

/* ---- Memory: P, the scheme's own, the simulation's own, modes, features ---- */

static size_t own_count(const ss_simulation *inner)
{
    return ss_scheme_state_size(inner->scheme, inner->model);
}

size_t ss_expansion_memory(const ss_simulation *s)
{
    const ss_simulation *inner = s->expansion->inner;
    ss_model_size size = ss_model_sizes(inner->model);
    return (size_t)size.n_rows + (size_t)size.n_laws + own_count(inner) +
           ss_state_memory_count(inner->state) + (size_t)s->expansion->expanded->n_points;
}

/* Moves n numbers from or to the memory, which goes on by n. */
static void exchange(bool save, size_t n, double *numbers, double **memory)
{
    if (n > 0)
        memcpy(save ? *memory : numbers, save ? numbers : *memory, n * sizeof *numbers);
    *memory += n;
}

static void exchange_all(const ss_simulation *s, bool save, double *memory)
{
    const struct ss_expansion *x = s->expansion;
    ss_state *state = x->inner->state;
    ss_model_size size = ss_model_sizes(x->inner->model);
    exchange(save, (size_t)size.n_rows, ss_state_edit_P(state), &memory);
    exchange(save, own_count(x->inner), ss_state_edit_own(state), &memory);
    exchange(save, ss_state_memory_count(state), ss_state_edit_memory(state), &memory);
    for (int l = 0; l < size.n_laws; l++, memory++) {
        int *mode = &ss_state_edit_mode(state)[l];
        if (save)
            *memory = *mode;
        else
            *mode = (int)*memory;
    }
    if (save)
        ss_expanded_save(x->expanded, x->inner->work, memory);
    else
        ss_expanded_load(x->expanded, x->inner->work, memory);
}

void ss_expansion_save(const ss_simulation *s, ss_state *state)
{
    exchange_all(s, true, ss_state_edit_memory(state));
}

/* The inner simulation begins where the state of the model is. */
static void load(const ss_simulation *s)
{
    const ss_state *from = s->state;
    ss_state *to = s->expansion->inner->state;
    ss_model_size size = ss_model_sizes(s->model);
    ss_state_set_time(to, ss_state_time(from));
    ss_state_set_dt(to, ss_state_dt(from));
    *ss_state_edit_statistics(to) = *ss_state_statistics(from);
    memcpy(ss_state_edit_q(to), ss_state_q(from), (size_t)size.n_q * sizeof(double));
    memcpy(ss_state_edit_u(to), ss_state_u(from), (size_t)size.n_u * sizeof(double));
    exchange_all(s, false, ss_state_edit_memory(s->state));
}

ss_status ss_expansion_advance(ss_simulation *s)
{
    struct ss_expansion *x = s->expansion;
    ss_simulation *inner = x->inner;
    load(s);
    SS_TRY(inner->ops->advance(inner->self, inner));
    SS_TRY(ss_expanded_report(x->expanded, inner->work, inner->state, x->found));
    ss_expansion_save(s, x->found);
    ss_simulation_accept(s, x->found, &inner->report, inner->order);
    return SS_OK;
}
