/* enumeration.c: every combination of states is tried (R = G, book 4.2.5.1): open or closed,
 * stick or slip to either side. For each the percussions follow from linear equations; the right
 * one is that whose residual vanishes. */
#include "solver/pivoting.h"
#include "solver/scaled.h"

#include <string.h>

typedef struct enumeration {
    ss_run_options options;
    ss_run_memory memory;
    ss_scaled scaled;
} enumeration;

enum { MOST_COMBINATIONS = 1 << 20 };

/* A contact: open, stick, slip with P_T = μ P_N, slip with P_T = -μ P_N. Half line: open,
 * closed. Interval: inside, upper, lower end. Free: one. */
static int states(ss_prox_kind kind, bool contact)
{
    if (contact)
        return 4;
    return kind == SS_PROX_INTERVAL ? 3 : kind == SS_PROX_FREE ? 1 : 2;
}

static const char *refuses(const void *self, const ss_inclusion *A)
{
    const char *reason = ss_run_refuses(self, A);
    long combinations = 1;
    for (int i = 0; i < A->n_blocks && !reason; i++) {
        const ss_block *B = &A->blocks[i];
        ss_prox_kind kind = ss_prox_kind_of(B->set);
        if (kind == SS_PROX_DISK || kind == SS_PROX_OTHER)
            return "it knows open and closed, stick and slip in the plane: half lines, intervals "
                   "and free blocks only";
        if (B->scale_from >= 0 && (reason = ss_inclusion_not_coulomb(A)))
            return reason;
        combinations *= B->scale_from >= 0 ? 2 : states(kind, false);
        if (combinations > MOST_COMBINATIONS)
            return "there are more than a million combinations of states";
    }
    return reason;
}

/* Clears a row of K and writes x_a + factor x_0 of its group into it; returns the right-hand
 * side. */
static double fixed_row(ss_scaled *A, const ss_group *K, int a, double factor, double value)
{
    int row = K->row + a;
    memset(A->K + A->start[row], 0, (size_t)(A->start[row + 1] - A->start[row]) * sizeof *A->K);
    if (factor != 0.0)
        A->K[A->diagonal[row]] = factor;
    A->K[A->diagonal[row] + a] = 1.0;
    return value;
}

/* The equations of one group in one state. */
static void write_group(enumeration *s, const ss_run *run, int k, int state, double *rhs)
{
    const ss_group *K = &run->g->groups[k];
    bool contact = K->tangential >= 0;
    for (int a = 0; a < K->dim; a++)
        rhs[K->row + a] = -s->scaled.b[K->row + a];
    if (K->kind == SS_PROX_FREE)
        return;
    if (K->kind == SS_PROX_INTERVAL) {
        double end = run->inclusion->blocks[K->normal].scale / s->scaled.to_P[K->row];
        if (state > 0)
            rhs[K->row] = fixed_row(&s->scaled, K, 0, 0.0, state == 1 ? end : -end);
        return;
    }
    if (state == 0)
        for (int a = 0; a < K->dim; a++)
            rhs[K->row + a] = fixed_row(&s->scaled, K, a, 0.0, 0.0);
    else if (contact && state > 1)
        rhs[K->row + 1] = fixed_row(&s->scaled, K, 1, state == 2 ? -K->mu : K->mu, 0.0);
}

/* A trace of compliance: laws that say the same do no harm then. */
static void soften(ss_scaled *A, const ss_run *run)
{
    for (int k = 0; k < run->g->n_groups; k++)
        for (int a = 0; a < run->g->groups[k].dim; a++)
            A->K[A->diagonal[run->g->groups[k].row + a] + a] += 1e-13;
}

static bool solve_equations(ss_scaled *A, const double *rhs, double *x)
{
    return ss_lu_factor(A->lu, A->K) && ss_lu_solve(A->lu, rhs, x);
}

/* Solves one combination and judges it. */
static void attempt(enumeration *s, ss_run *run, const int *state, double *rhs, double *x)
{
    ss_scaled *A = &s->scaled;
    memcpy(A->K, A->A, (size_t)A->start[A->n_rows] * sizeof *A->K);
    for (int k = 0; k < run->g->n_groups; k++)
        write_group(s, run, k, state[k], rhs);
    if (!solve_equations(A, rhs, x)) {
        soften(A, run);
        if (!solve_equations(A, rhs, x))
            return;
    }
    for (int k = 0; k < A->n_rows; k++)
        run->P[k] = A->to_P[k] * x[k];
    ss_gathered_velocity(run->g, run->P, run->gamma);
    ss_run_judge(run, run->P, run->gamma);
}

/* The next combination, as an odometer counts; false after the last. */
static bool advance(const ss_run *run, int *state)
{
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_group *K = &run->g->groups[k];
        if (++state[k] < states(K->kind, K->tangential >= 0))
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
    .type = {.size = sizeof(ss_solver_ops),
             .name = "enumeration",
             .doc = "All combinations of open, stick and slip, one after the other: a few planar "
                    "contacts.",
             .self_size = sizeof(enumeration),
             .keys = keys},
    .destroy = destroy,
    .refuses = refuses,
    .solve = solve,
};
