/* enumeration.c: every combination of states is tried (R = G, book 4.2.5.1): open or closed,
 * stick or slip to either side. For each the impulses follow from linear equations; the right
 * one is that whose residual vanishes. */
#include "solver/pivoting.h"
#include "solver/states.h"

#include <string.h>

typedef struct enumeration {
    ss_run_options options;
    ss_run_memory memory;
    ss_scaled scaled;
} enumeration;

enum { MOST_COMBINATIONS = 1 << 20 };

static const char *refuses(const void *self, const ss_inclusion *A)
{
    const char *reason = ss_run_refuses(self, A);
    long combinations = 1;
    if (!reason)
        reason = ss_states_refuse(A);
    for (int i = 0; i < A->n_blocks && !reason; i++) {
        const ss_block *B = &A->blocks[i];
        combinations *= B->scale_from >= 0 ? 2 : ss_states_of(B->set->kind, false);
        if (combinations > MOST_COMBINATIONS)
            reason = "there are more than a million combinations of states";
    }
    return reason;
}

/* Solves one combination and judges it. */
static void attempt(enumeration *s, ss_run *run, const int *state, double *rhs, double *x)
{
    ss_scaled *A = &s->scaled;
    memcpy(A->K, A->A, (size_t)A->start[A->n_rows] * sizeof *A->K);
    for (int k = 0; k < run->g->n_groups; k++)
        ss_states_write(A, run, k, state[k], rhs);
    if (!ss_states_solve(A, run, rhs, x))
        return;
    for (int k = 0; k < A->n_rows; k++)
        run->P[k] = A->to_P[k] * x[k];
    ss_gathered_velocity(run->g, run->P, run->gamma);
    ss_run_judge(run, run->P, run->gamma);
}

/* The next combination, as an odometer counts; false after the last. */
static bool advance(const ss_run *run, int *state)
{
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        if (++state[k] < ss_states_of(K->kind, K->tangential >= 0))
            return true;
        state[k] = 0;
    }
    return false;
}

static ss_status enumerate(enumeration *s, ss_run *run, ss_arena *arena)
{
    int *state;
    double *rhs, *x;
    SS_TRY(ss_scaled_create(&s->scaled, run, false));
    SS_TRY(ss_scaled_order(&s->scaled));
    SS_TRY(SS_ARENA_NEW(arena, run->g->n_groups, &state));
    SS_TRY(SS_ARENA_NEW(arena, run->g->n_rows, &rhs));
    SS_TRY(SS_ARENA_NEW(arena, run->g->n_rows, &x));
    do {
        attempt(s, run, state, rhs, x);
    } while (!run->solved && ss_run_count(run, run->P) && advance(run, state));
    return SS_OK;
}

static ss_status iterate(void *self, ss_run *run)
{
    ss_arena arena;
    ss_arena_init(&arena, run->context);
    ss_status status = enumerate(self, run, &arena);
    ss_arena_release(&arena);
    return status;
}

static ss_status solve(void *self, ss_context *context, const ss_inclusion *inclusion,
                       ss_trace_fn trace, void *trace_user, double *P, double *u,
                       ss_solve_report *report)
{
    enumeration *s = self;
    return ss_run_solve(&s->memory, context, inclusion, &s->options, iterate, s, trace, trace_user,
                        P, u, report);
}

static void destroy(void *self, ss_context *context)
{
    (void)context;
    enumeration *s = self;
    ss_scaled_release(&s->scaled);
    ss_run_release(&s->memory);
}

static const ss_key keys[] = {SS_RUN_KEYS("1048576"), {.name = NULL}};

const ss_solver_ops ss_solver_type_enumeration = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "enumeration",
             .doc = "All combinations of open, stick and slip, one after the other: a few planar "
                    "contacts.",
             .self_size = sizeof(enumeration),
             .keys = keys},
    .destroy = destroy,
    .refuses = refuses,
    .solve = solve,
};
