/* states.c: the laws of a planar inclusion as states, open and closed, stick and slip. In each
 * combination of states the impulses follow from linear equations. Two solvers look for the right
 * one: by trying all, and by following Lemke's path from state to state. */
#include "solver/run.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

/* State 0, 1, … of
 *   a contact    open, stick, slip with P_T = μ P_N, slip with P_T = -μ P_N
 *   a half line  open, closed
 *   an interval  inside, at its upper, at its lower end
 *   a free block its only one */
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

/* run->scaled, with memory for factors, and a state for every group. */
static ss_status prepare(ss_run *run, int **state)
{
    SS_TRY(ss_scaled_create(run, false));
    SS_TRY(ss_scaled_order(run));
    return SS_ARENA_NEW(&run->solver->scratch, run->g->n_groups, state);
}

/* Solves K x = rhs for a combination of states, with new factors of scaled->K, which is written
 * here, and rhs, too; laws that say the same get a trace of compliance. */
static bool solve(ss_run *run, const int *state, double *rhs, double *x)
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

static void judge(ss_run *run, const double *x)
{
    for (int k = 0; k < run->g->n_rows; k++)
        run->P[k] = run->scaled->to_P[k] * x[k];
    ss_run_judge_P(run);
}

/* ---- Enumeration: every combination is tried (R = G, book 4.2.5.1); the right one is that whose
 * residual vanishes ---- */

enum { MOST_COMBINATIONS = 1 << 20 };

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

/* The next combination, as an odometer counts; false after the last. */
static bool next_combination(const ss_run *run, int *state)
{
    for (int k = 0; k < run->g->n_groups; k++) {
        const ss_gathered_group *K = &run->g->groups[k];
        if (++state[k] < count_states(K->kind, K->tangential >= 0))
            return true;
        state[k] = 0;
    }
    return false;
}

static ss_status enumerate(void *self, ss_run *run)
{
    (void)self;
    int *state;
    double *rhs, *x;
    SS_TRY(prepare(run, &state));
    SS_TRY(ss_run_vectors(run, (double **[]){&rhs, &x, NULL}));
    do {
        if (solve(run, state, rhs, x))
            judge(run, x);
    } while (!run->solved && ss_run_count(run, run->P) && next_combination(run, state));
    return SS_OK;
}

static const ss_key enumeration_keys[] = {SS_RUN_COLD_KEYS("1048576"), {.name = NULL}};

const ss_method ss_method_enumeration = {
    .ops.type = {.name = "enumeration",
                 .doc = "All combinations of open, stick and slip, one after the other: a few "
                        "planar contacts.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = enumeration_keys},
    .refuses = refuses,
    .cold = true,
    .iterate = enumerate,
};

/* ---- Lemke's path with the set-valued laws themselves as Funk uses it (book 5.3.5): instead of
 * decomposing friction into complementary pairs, each pivot changes the state of one law. The load t d
 * is added to b, with t so large at first that every law is open or at its lower end; t is followed
 * down to zero, and where a law reaches the end of its state, it goes over to the next one. As with
 * Lemke, t may rise again on the way; when it does so without end, the method fails. ---- */

/* On a stretch of the path x = x0 + t x1 and v = v0 + t v1. */
typedef struct path {
    ss_run *run;
    int end;    /* of run->iterations */
    int *state; /* n_groups */
    double *d, *rhs, *x0, *x1, *v0, *v1;
    double t;
} path;

/* What a state demands: P or u on one side of a bound. Which it is of a group, and where the law
 * goes when it is violated. */
typedef struct demand {
    double P_N, P_T, u_N, u_T; /* P_N x_N + P_T x_T + u_N v_N + u_T v_T + bound >= 0 */
    double bound;
    int next;       /* state */
    int next_index; /* the demand of that state that holds as an equality there */
} demand;

/* -1: slip to the side that u_T tells. */
enum { BY_VELOCITY = -1, MOST_DEMANDS = 2 };

/* The row of a block alone counts as normal. */
static int demands(const path *p, int k, demand *list)
{
    const ss_gathered_group *K = &p->run->g->groups[k];
    int state = p->state[k];
    double sign = K->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0;
    if (K->tangential >= 0 && state == 0) {
        list[0] = (demand){.u_N = 1.0, .next = BY_VELOCITY, .next_index = 0};
        return 1;
    }
    if (K->tangential >= 0 && state == 1) {
        list[0] = (demand){.P_N = K->mu, .P_T = -1.0, .next = 2, .next_index = 1};
        list[1] = (demand){.P_N = K->mu, .P_T = 1.0, .next = 3, .next_index = 1};
        return 2;
    }
    if (K->tangential >= 0) {
        double side = state == 2 ? 1.0 : -1.0;
        list[0] = (demand){.P_N = 1.0, .next = 0, .next_index = 0};
        list[1] = (demand){.u_T = -side, .next = 1, .next_index = state - 2};
        return 2;
    }
    if (K->kind == SS_SET_FREE)
        return 0;
    if (K->kind != SS_SET_INTERVAL) {
        list[0] = state == 0 ? (demand){.u_N = sign, .next = 1} : (demand){.P_N = sign, .next = 0};
        return 1;
    }
    if (state > 0) {
        list[0] = (demand){.u_N = state == 1 ? -1.0 : 1.0, .next = 0, .next_index = state - 1};
        return 1;
    }
    double end = p->run->inclusion->blocks[K->normal].scale / p->run->scaled->to_P[K->row];
    list[0] = (demand){.P_N = -1.0, .bound = end, .next = 1};
    list[1] = (demand){.P_N = 1.0, .bound = end, .next = 2};
    return 2;
}

static double value(const demand *D, const ss_gathered_group *K, const double *x, const double *v)
{
    int N = K->row, T = K->dim > 1 ? N + 1 : N;
    return D->P_N * x[N] + D->P_T * x[T] + D->u_N * v[N] + D->u_T * v[T];
}

static bool find_stretch(path *p)
{
    const ss_scaled *A = p->run->scaled;
    if (!solve(p->run, p->state, p->rhs, p->x0))
        return false;
    for (int k = 0; k < p->run->g->n_groups; k++) { /* rows that fix P do not feel the load */
        const ss_gathered_group *K = &p->run->g->groups[k];
        bool contact = K->tangential >= 0, free_row = K->kind == SS_SET_FREE;
        bool fixed = K->kind == SS_SET_INTERVAL ? p->state[k] > 0 : p->state[k] == 0;
        for (int a = 0; a < K->dim; a++) {
            bool slips = contact && a > 0 && p->state[k] > 1;
            p->rhs[K->row + a] = (fixed && !free_row) || slips ? 0.0 : -p->d[K->row + a];
        }
    }
    if (!ss_lu_solve(A->lu, p->rhs, p->x1))
        return false;
    ss_scaled_apply(A, p->x0, p->v0);
    ss_scaled_apply(A, p->x1, p->v1);
    for (int k = 0; k < A->n_rows; k++)
        p->v1[k] += p->d[k] - A->b[k];
    return true;
}

/* The law whose demand is violated first when t moves, and where; t_end without one. `from` is
 * the group whose state has just changed, which fulfils its demand `index` as an equality. */
static int next_event(path *p, bool down, int from, int index, double t_end, demand *hit)
{
    int found = -1;
    double best = t_end;
    for (int k = 0; k < p->run->g->n_groups; k++) {
        const ss_gathered_group *K = &p->run->g->groups[k];
        demand list[MOST_DEMANDS];
        int n = demands(p, k, list);
        for (int i = 0; i < n; i++) {
            double slope = value(&list[i], K, p->x1, p->v1);
            if ((k == from && i == index) || (down ? slope <= 1e-13 : slope >= -1e-13))
                continue;
            double t = -(value(&list[i], K, p->x0, p->v0) + list[i].bound) / slope;
            t = down ? fmin(t, p->t) : fmax(t, p->t);
            if (down ? t > best : t < best) {
                best = t;
                found = k;
                *hit = list[i];
            }
        }
    }
    p->t = best;
    return found;
}

/* From t = ∞ to t = 0; false when there is no way. The load has the size one: what is at the end of
 * its state for t = 0 would be a matter of rounding. */
static bool follow(path *p)
{
    const double arrived = 1e-14;
    demand hit = {0};
    int from = -1, index = -1;
    bool down = true;
    for (;;) {
        if (!find_stretch(p))
            return false;
        if (from >= 0) {
            demand list[MOST_DEMANDS];
            demands(p, from, list);
            down = value(&list[index], &p->run->g->groups[from], p->x1, p->v1) < 0.0;
        }
        int k = next_event(p, down, from, index, down ? arrived : INFINITY, &hit);
        if (k < 0)
            return down;
        p->run->iterations++;
        if (p->run->iterations >= p->end || ss_stopped(p->run->context))
            return false;
        int T = p->run->g->groups[k].row + p->run->g->groups[k].dim - 1;
        double u_T = p->v0[T] + p->t * p->v1[T]; /* at the event */
        p->state[k] = hit.next != BY_VELOCITY ? hit.next : u_T > 0.0 ? 3 : 2;
        from = k;
        index = hit.next_index;
    }
}

ss_status ss_funk_iterate(ss_run *run, int most)
{
    int end = run->solver->max_iterations;
    path p = {.run = run, .end = end, .t = INFINITY};
    if (most < end - run->iterations)
        p.end = run->iterations + most;
    SS_TRY(prepare(run, &p.state));
    SS_TRY(ss_run_vectors(run, (double **[]){&p.d, &p.rhs, &p.x0, &p.x1, &p.v0, &p.v1, NULL}));
    for (int k = 0; k < run->g->n_groups; k++) { /* t d opens half lines, pushes intervals down */
        const ss_gathered_group *K = &run->g->groups[k];
        p.state[k] = K->kind == SS_SET_INTERVAL ? 2 : 0;
        if (K->kind != SS_SET_FREE)
            p.d[K->row] = K->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0;
    }
    if (!follow(&p))
        return SS_OK;
    run->settled = true;
    judge(run, p.x0);
    return SS_OK;
}

static ss_status funk(void *self, ss_run *run)
{
    (void)self;
    return ss_funk_iterate(run, run->solver->max_iterations);
}

static const ss_key funk_keys[] = {SS_RUN_COLD_KEYS("100000"), {.name = NULL}};

const ss_method ss_method_funk = {
    .ops.type = {.name = "funk",
                 .doc = "Lemke's path as Funk follows it, from state to state of the laws: planar "
                        "contacts without decomposing friction.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = funk_keys},
    .refuses = ss_states_refuse,
    .cold = true,
    .iterate = funk,
};
