/* enumeration.c: the laws of a planar inclusion as states, and the solver that tries every
 * combination of them (R = G, book 4.2.5.1): open or closed, stick or slip to either side. For each
 * the impulses follow from linear equations; the right one is that whose residual vanishes. */
#include "solver/states.h"

#include <string.h>

enum { MOST_COMBINATIONS = 1 << 20 };

/* Number of states of a law. */
static int count_states(ss_set_kind kind, bool contact)
{
    if (contact)
        return 4;
    return kind == SS_SET_INTERVAL ? 3 : kind == SS_SET_FREE ? 1 : 2;
}

const char *ss_states_refuse(const ss_inclusion *A)
{
    bool scaled = false;
    for (int i = 0; i < A->n_blocks; i++) {
        const ss_set *set = A->blocks[i].set;
        if (set->kind == SS_SET_DISK || !ss_set_is_simple(set))
            return "it knows open and closed, stick and slip in the plane: half lines, intervals "
                   "and free blocks only";
        scaled |= A->blocks[i].scale_from >= 0;
    }
    return scaled ? ss_inclusion_not_coulomb(A) : NULL;
}

/* Clears a row of K and writes x_a + factor x_0 of its group into it; returns the right-hand
 * side. */
static double fixed_row(ss_scaled *A, const ss_gathered_group *K, int a, double factor,
                        double value)
{
    int row = K->row + a;
    memset(A->K + A->start[row], 0, (size_t)(A->start[row + 1] - A->start[row]) * sizeof *A->K);
    if (factor != 0.0)
        A->K[A->diagonal[row]] = factor;
    A->K[A->diagonal[row] + a] = 1.0;
    return value;
}

/* The rows of group k in a state, into scaled->K, which holds A there, and right-hand sides. */
static void write_state(const ss_run *run, int k, int state, double *rhs)
{
    ss_scaled *A = run->scaled;
    const ss_gathered_group *K = &run->g->groups[k];
    bool contact = K->tangential >= 0;
    for (int a = 0; a < K->dim; a++)
        rhs[K->row + a] = -A->b[K->row + a];
    if (K->kind == SS_SET_FREE)
        return;
    if (K->kind == SS_SET_INTERVAL) {
        double end = run->inclusion->blocks[K->normal].scale / A->to_P[K->row];
        if (state > 0)
            rhs[K->row] = fixed_row(A, K, 0, 0.0, state == 1 ? end : -end);
        return;
    }
    if (state == 0)
        for (int a = 0; a < K->dim; a++)
            rhs[K->row + a] = fixed_row(A, K, a, 0.0, 0.0);
    else if (contact && state > 1)
        rhs[K->row + 1] = fixed_row(A, K, 1, state == 2 ? -K->mu : K->mu, 0.0);
}

ss_status ss_states_prepare(ss_run *run, int **state)
{
    SS_TRY(ss_scaled_create(run, false));
    SS_TRY(ss_scaled_order(run));
    return SS_ARENA_NEW(&run->solver->scratch, run->g->n_groups, state);
}

bool ss_states_solve(ss_run *run, const int *state, double *rhs, double *x)
{
    ss_scaled *A = run->scaled;
    ss_scaled_copy_A(A);
    for (int k = 0; k < run->g->n_groups; k++)
        write_state(run, k, state[k], rhs);
    if (ss_lu_factor(A->lu, A->K) && ss_lu_solve(A->lu, rhs, x))
        return true;
    ss_scaled_add_diagonal(run, 1e-13);
    return ss_lu_factor(A->lu, A->K) && ss_lu_solve(A->lu, rhs, x);
}

/* ---- Every combination ---- */

static const char *refuses(const ss_inclusion *A)
{
    const char *reason = ss_states_refuse(A);
    long combinations = 1;
    for (int i = 0; i < A->n_blocks && !reason; i++) {
        const ss_block *B = &A->blocks[i];
        combinations *= B->scale_from >= 0 ? 2 : count_states(B->set->kind, false);
        if (combinations > MOST_COMBINATIONS)
            reason = "there are more than a million combinations of states";
    }
    return reason;
}

/* Solves one combination and judges it. */
static void attempt(ss_run *run, const int *state, double *rhs, double *x)
{
    if (!ss_states_solve(run, state, rhs, x))
        return;
    for (int k = 0; k < run->g->n_rows; k++)
        run->P[k] = run->scaled->to_P[k] * x[k];
    ss_run_judge_P(run);
}

/* The next combination, as an odometer counts; false after the last. */
static bool advance(const ss_run *run, int *state)
{
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        if (++state[k] < count_states(K->kind, K->tangential >= 0))
            return true;
        state[k] = 0;
    }
    return false;
}

static ss_status iterate(void *self, ss_run *run)
{
    (void)self;
    int *state;
    double *rhs, *x;
    SS_TRY(ss_states_prepare(run, &state));
    SS_TRY(ss_run_vectors(run, (double **[]){&rhs, &x, NULL}));
    do {
        attempt(run, state, rhs, x);
    } while (!run->solved && ss_run_count(run, run->P) && advance(run, state));
    return SS_OK;
}

static const ss_key keys[] = {SS_RUN_KEYS("1048576"), {.name = NULL}};

const ss_method ss_method_enumeration = {
    .ops.type = {.name = "enumeration",
                 .doc = "All combinations of open, stick and slip, one after the other: a few "
                        "planar contacts.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = keys},
    .refuses = refuses,
    .iterate = iterate,
};
