/* funk.c: Lemke's path with the set-valued laws themselves as Funk uses it (book 5.3.5): instead
 * of decomposing friction into complementary pairs, each pivot changes the state of one law, open,
 * stick, or slip to either side. The load t d is added to b, with t so large at first that
 * every law is open or at its lower end; t is followed down to zero, and where a law reaches the
 * end of its state, it goes over to the next one. As with Lemke, t may rise again on the way; when
 * it does so without end, the method fails. */
#include "solver/states.h"

#include <math.h>
#include <string.h>

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

static int contact_demands(const ss_gathered_group *K, int state, demand *list)
{
    double side = state == 2 ? 1.0 : -1.0;
    switch (state) {
    case 0:
        list[0] = (demand){.u_N = 1.0, .next = BY_VELOCITY, .next_index = 0};
        return 1;
    case 1:
        list[0] = (demand){.P_N = K->mu, .P_T = -1.0, .next = 2, .next_index = 1};
        list[1] = (demand){.P_N = K->mu, .P_T = 1.0, .next = 3, .next_index = 1};
        return 2;
    default:
        list[0] = (demand){.P_N = 1.0, .next = 0, .next_index = 0};
        list[1] = (demand){.u_T = -side, .next = 1, .next_index = state - 2};
        return 2;
    }
}

/* The row of a block alone counts as normal. */
static int single_demands(const ss_run *run, const ss_gathered_group *K, int state, demand *list)
{
    double sign = K->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0;
    if (K->kind == SS_SET_FREE)
        return 0;
    if (K->kind != SS_SET_INTERVAL) {
        list[0] = state == 0 ? (demand){.u_N = sign, .next = 1} : (demand){.P_N = sign, .next = 0};
        return 1;
    }
    double end = run->inclusion->blocks[K->normal].scale / run->scaled->to_P[K->row];
    if (state > 0) {
        list[0] = (demand){.u_N = state == 1 ? -1.0 : 1.0, .next = 0, .next_index = state - 1};
        return 1;
    }
    list[0] = (demand){.P_N = -1.0, .bound = end, .next = 1};
    list[1] = (demand){.P_N = 1.0, .bound = end, .next = 2};
    return 2;
}

static int demands(const path *p, int k, demand *list)
{
    const ss_gathered_group *K = &p->run->g->groups[k];
    return K->tangential >= 0 ? contact_demands(K, p->state[k], list)
                              : single_demands(p->run, K, p->state[k], list);
}

static double value(const demand *D, const ss_gathered_group *K, const double *x, const double *v)
{
    int N = K->row, T = K->dim > 1 ? N + 1 : N;
    return D->P_N * x[N] + D->P_T * x[T] + D->u_N * v[N] + D->u_T * v[T];
}

/* The direction t d: opens half lines, pushes intervals to their lower ends. */
static void begin(path *p)
{
    for (int k = 0; k < p->run->g->n_groups; k++) {
        const ss_gathered_group *K = &p->run->g->groups[k];
        memset(p->d + K->row, 0, (size_t)K->dim * sizeof *p->d);
        p->state[k] = K->kind == SS_SET_INTERVAL ? 2 : 0;
        if (K->kind != SS_SET_FREE)
            p->d[K->row] = K->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0;
    }
    p->t = INFINITY;
}

/* Rows that fix P do not feel the load. */
static void load_direction(const path *p, double *rhs)
{
    for (int k = 0; k < p->run->g->n_groups; k++) {
        const ss_gathered_group *K = &p->run->g->groups[k];
        bool contact = K->tangential >= 0, free_row = K->kind == SS_SET_FREE;
        bool fixed = K->kind == SS_SET_INTERVAL ? p->state[k] > 0 : p->state[k] == 0;
        for (int a = 0; a < K->dim; a++) {
            bool slips = contact && a > 0 && p->state[k] > 1;
            rhs[K->row + a] = (fixed && !free_row) || slips ? 0.0 : -p->d[K->row + a];
        }
    }
}

static bool find_stretch(path *p)
{
    const ss_scaled *A = p->run->scaled;
    if (!ss_states_solve(p->run, p->state, p->rhs, p->x0))
        return false;
    load_direction(p, p->rhs);
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

/* The state after an event at p->t. */
static void change(path *p, int k, const demand *hit)
{
    const ss_gathered_group *K = &p->run->g->groups[k];
    int T = K->row + K->dim - 1;
    double u_T = p->v0[T] + p->t * p->v1[T];
    p->state[k] = hit->next != BY_VELOCITY ? hit->next : u_T > 0.0 ? 3 : 2;
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
        if (p->run->iterations >= p->end)
            return false;
        change(p, k, &hit);
        from = k;
        index = hit.next_index;
    }
}

ss_status ss_funk_iterate(ss_run *run, int most)
{
    int end = run->solver->max_iterations;
    path p = {.run = run, .end = end};
    if (most < end - run->iterations)
        p.end = run->iterations + most;
    SS_TRY(ss_states_prepare(run, &p.state));
    SS_TRY(ss_run_vectors(run, (double **[]){&p.d, &p.rhs, &p.x0, &p.x1, &p.v0, &p.v1, NULL}));
    begin(&p);
    if (!follow(&p))
        return SS_OK;
    run->settled = true;
    for (int k = 0; k < run->g->n_rows; k++)
        run->P[k] = run->scaled->to_P[k] * p.x0[k];
    ss_run_judge_P(run);
    return SS_OK;
}

static ss_status iterate(void *self, ss_run *run)
{
    (void)self;
    return ss_funk_iterate(run, run->solver->max_iterations);
}

static const ss_key keys[] = {SS_RUN_KEYS("100000"), {.name = NULL}};

const ss_method ss_method_funk = {
    .ops.type = {.name = "funk",
                 .doc = "Lemke's path as Funk follows it, from state to state of the laws: planar "
                        "contacts without decomposing friction.",
                 .self_size = sizeof(ss_run_solver),
                 .keys = keys},
    .refuses = ss_states_refuse,
    .iterate = iterate,
};
