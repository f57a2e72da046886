/* exact.c: the successive solution of the book's 4.2.6: R_i = G_ii, contacts with friction
 * solved as one. */
#include "solver/exact.h"

#include "la/small.h"

#include <string.h>

void ss_exact_release(ss_exact *s)
{
    ss_arena_release(&s->arena);
    s->contacts = NULL;
}

ss_status ss_exact_prepare(ss_exact *s, ss_run *run)
{
    const ss_gathered *g = run->g;
    double work[2 * SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int diagonal = 0;
    if (g->n_groups > 0) {
        const ss_gathered_group *last = &g->groups[g->n_groups - 1];
        diagonal = last->diagonal + last->dim * last->dim;
    }
    if (!s->contacts || g->n_groups > s->capacity_groups || g->n_rows > s->capacity_rows ||
        diagonal > s->capacity_diagonal) {
        ss_exact_release(s);
        ss_arena_init(&s->arena, run->context);
        s->capacity_groups = g->n_groups + g->n_groups / 2;
        s->capacity_rows = g->n_rows + g->n_rows / 2;
        s->capacity_diagonal = diagonal + diagonal / 2;
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_diagonal, &s->inverse));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_groups, &s->has_inverse));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_rows, &s->weight));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_rows, &s->swept));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_rows, &s->met));
        if (s->acceleration > 0)
            SS_TRY(ss_anderson_create(&s->arena, s->capacity_rows, s->acceleration, &s->anderson));
        SS_TRY(SS_ARENA_NEW(&s->arena, s->capacity_groups, &s->contacts));
    }
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        const double *G = g->diagonal + K->diagonal;
        if (K->tangential >= 0) {
            ss_contact_init(G, K->mu, &s->contacts[k]);
            s->contacts[k].leave = 1e-3; /* until the next sweep the others move by more */
        } else {
            s->has_inverse[k] = ss_small_inverse(K->dim, G, work, s->inverse + K->diagonal);
        }
    }
    s->sweeps = 0;
    ss_exact_restart(s, run);
    return SS_OK;
}

void ss_exact_restart(ss_exact *s, const ss_run *run)
{
    if (s->acceleration > 0)
        ss_anderson_start(&s->anderson, run->g->n_rows, s->weight);
    s->is_fresh = true;
    s->ratio = 0.0;
    s->next = s->sweeps + 1;
}

/* Into the cone, along the tangential directions: what extrapolation may leave. */
static void into_cone(int dim, double mu, double *P)
{
    double T2 = 0.0;
    if (P[0] <= 0.0) {
        for (int a = 0; a < dim; a++)
            P[a] = 0.0;
        return;
    }
    for (int a = 1; a < dim; a++)
        T2 += P[a] * P[a];
    if (T2 <= mu * mu * P[0] * P[0])
        return;
    double factor = mu * P[0] / sqrt(T2);
    for (int a = 1; a < dim; a++)
        P[a] *= factor;
}

static void into_sets(const ss_run *run, double *P)
{
    const ss_gathered *g = run->g;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        double *Pk = P + K->row;
        if (K->tangential >= 0)
            into_cone(K->dim, K->mu, Pk);
        else if (K->kind != SS_SET_FREE) {
            const ss_block *B = &run->inclusion->blocks[K->normal];
            double scale = ss_gathered_scale(g, run->inclusion, K->normal, P);
            B->set->ops->prox(B->set->self, B->dim, scale, Pk, Pk);
        }
    }
}

/* P_k += ω (y - P_k) */
static inline void relax(int dim, double omega, double mu, const double *y, double *P)
{
    if (omega == 1.0) {
        for (int a = 0; a < dim; a++)
            P[a] = y[a];
        return;
    }
    for (int a = 0; a < dim; a++)
        P[a] += omega * (y[a] - P[a]);
    into_cone(dim, mu, P);
}

/* A contact of `dim` rows among contacts of as many. When P was 0 before a forward sweep, those
 * that come after this one are still at rest. */
static inline void visit_uniform(ss_exact *s, const ss_gathered *g, int k, int dim, bool from_rest,
                                 double *P)
{
    double sum[3] = {0.0}, c[3], y[3];
    int first = g->start[k], end = g->start[k + 1];
    const double *value = g->value + (first < end ? g->place[first] : 0);
    for (int e = first; e < end; e++, value += dim * dim) {
        if (from_rest && g->column[e] > k)
            break;
        ss_gathered_add(dim, value, P + dim * g->column[e], sum);
    }
    for (int a = 0; a < dim; a++) /* a copy: sum stays in registers */
        s->met[dim * k + a] = c[a] = g->c[dim * k + a] + sum[a];
    if (dim == 3)
        ss_contact_solve3(&s->contacts[k], c, y);
    else
        ss_contact_solve2(&s->contacts[k], c, y);
    relax(dim, s->relaxation, s->contacts[k].mu, y, P + dim * k);
}

/* gamma after a forward sweep: a contact met the impulses of those before it as they are now,
 * and those after it have changed since. */
static inline void velocity_uniform(const ss_exact *s, const ss_gathered *g, int k, int dim,
                                    const double *before, double *gamma)
{
    double sum[3] = {0.0}, change[3];
    int e = g->start[k + 1] - 1;
    const double *value = g->value + (e >= g->start[k] ? g->place[e] : 0);
    for (; e >= g->start[k] && g->column[e] > k; e--, value -= dim * dim) {
        for (int a = 0; a < dim; a++)
            change[a] = s->swept[dim * g->column[e] + a] - before[dim * g->column[e] + a];
        ss_gathered_add(dim, value, change, sum);
    }
    ss_gathered_add(dim, s->contacts[k].G, s->swept + dim * k, sum);
    for (int a = 0; a < dim; a++)
        gamma[dim * k + a] = s->met[dim * k + a] + sum[a];
}

static void visit_any(ss_exact *s, const ss_run *run, int k, double *P)
{
    const ss_gathered *g = run->g;
    const ss_gathered_group *K = &g->groups[k];
    double c[SS_SET_MAX_DIM], y[SS_SET_MAX_DIM], *Pk = P + K->row;
    for (int a = 0; a < K->dim; a++) {
        c[a] = g->c[K->row + a];
        y[a] = Pk[a];
    }
    for (int e = g->start[k]; e < g->start[k + 1]; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        for (int a = 0; a < K->dim; a++)
            c[a] += ss_dot(H->dim, g->value + g->place[e] + a * H->dim, P + H->row);
    }
    if (K->tangential >= 0) {
        if (K->dim == 3)
            ss_contact_solve3(&s->contacts[k], c, y);
        else
            ss_contact_solve2(&s->contacts[k], c, y);
        relax(K->dim, s->relaxation, K->mu, y, Pk);
        return;
    }
    ss_single_solve(&run->inclusion->blocks[K->normal],
                    ss_gathered_scale(g, run->inclusion, K->normal, P), g->diagonal + K->diagonal,
                    s->has_inverse[k] ? s->inverse + K->diagonal : NULL, K->r_N, c, y);
    memcpy(Pk, y, (size_t)K->dim * sizeof *y);
}

/* One sweep over `swept`, which holds P. */
static void sweep(ss_exact *s, const ss_run *run, bool backward)
{
    const ss_gathered *g = run->g;
    bool from_rest = s->is_fresh && !backward && g->uniform == 3;
    for (int k = 0; k < g->n_rows && from_rest; k++)
        from_rest = s->swept[k] == 0.0;
    s->sweeps++;
    for (int i = 0; i < g->n_groups; i++) {
        int k = backward ? g->n_groups - 1 - i : i;
        if (from_rest)
            visit_uniform(s, g, k, 3, true, s->swept);
        else if (g->uniform == 3)
            visit_uniform(s, g, k, 3, false, s->swept);
        else if (g->uniform == 2)
            visit_uniform(s, g, k, 2, false, s->swept);
        else
            visit_any(s, run, k, s->swept);
    }
}

/* Judges `swept`, of which it finds run->gamma. */
static void judge(ss_exact *s, ss_run *run, bool backward, double step)
{
    const ss_gathered *g = run->g;
    bool any = backward || g->uniform == 0;
    if (any)
        ss_gathered_velocity(g, s->swept, run->gamma);
    for (int k = 0; k < g->n_groups && !any; k++)
        if (g->uniform == 3)
            velocity_uniform(s, g, k, 3, run->P, run->gamma);
        else
            velocity_uniform(s, g, k, 2, run->P, run->gamma);
    double residual = ss_run_judge(run, s->swept, run->gamma);
    s->ratio = step > 0.0 && !s->is_fresh ? residual / step : 0.0;
    s->next = s->sweeps + 1 + s->sweeps / 2;
}

void ss_exact_iterate(ss_exact *s, ss_run *run, int most)
{
    int n = run->g->n_rows, end = s->sweeps + most;
    while (s->sweeps < end && !run->solved) {
        bool backward =
            s->order == SS_ORDER_BACKWARD || (s->order == SS_ORDER_SYMMETRIC && s->sweeps % 2 == 1);
        memcpy(s->swept, run->P, (size_t)n * sizeof *run->P);
        sweep(s, run, backward);
        double sum = 0.0;
        for (int k = 0; k < n && !s->is_fresh; k++) {
            double d = s->weight[k] * (s->swept[k] - run->P[k]);
            sum += d * d;
        }
        double step = s->is_fresh ? 1.0 : sqrt(sum);
        bool more = ss_run_count(run, s->swept);
        /* Judging costs half as much as a sweep. The ratio of the residual to the length of the sweep's
         * step changes slowly: it tells when judging is worth it. */
        bool worth = s->ratio > 0.0 && s->ratio * step <= 1.2 * run->tolerance;
        if (s->sweeps >= s->next || worth || !more || s->sweeps >= end)
            judge(s, run, backward, step);
        if (!more || step == 0.0 || run->solved)
            return;
        for (int k = 0; k < run->g->n_groups && s->is_fresh; k++) { /* from the second sweep on */
            const ss_gathered_group *K = &run->g->groups[k];
            s->weight[K->row] = 1.0 / sqrt(K->r_N);
            double other = K->tangential >= 0 ? 1.0 / sqrt(K->r_T) : s->weight[K->row];
            for (int a = 1; a < K->dim; a++)
                s->weight[K->row + a] = other;
        }
        s->is_fresh = false;
        if (s->acceleration == 0) {
            memcpy(run->P, s->swept, (size_t)n * sizeof *run->P);
        } else {
            ss_anderson_next(&s->anderson, s->swept, run->P);
            into_sets(run, run->P);
        }
    }
}

/* ---- As a solver ---- */

typedef struct exact_solver {
    ss_run_solver base;
    double relaxation;
    int acceleration;
    int order;
    ss_exact exact;
} exact_solver;

static ss_status iterate(void *self, ss_run *run)
{
    exact_solver *s = self;
    s->exact.relaxation = s->relaxation;
    s->exact.acceleration = s->acceleration;
    s->exact.order = s->order;
    SS_TRY(ss_exact_prepare(&s->exact, run));
    ss_exact_iterate(&s->exact, run, s->base.max_iterations);
    return SS_OK;
}

static void destroy(void *self, ss_context *context)
{
    ss_exact_release(&((exact_solver *)self)->exact);
    ss_run_destroy(self, context);
}

static const ss_key keys[] = {
    SS_RUN_KEYS("100000"),
    SS_OPTION_REAL(
        exact_solver, relaxation, "1", DBL_MIN, 2, "",
        "Over-relaxation omega: each group goes omega times the way to its own solution."),
    SS_OPTION_INT(exact_solver, acceleration, "5", 0, SS_ANDERSON_MOST,
                  "Sweeps that Anderson's acceleration combines; 0 switches it off."),
    SS_OPTION_CHOICE(exact_solver, order, "forward", "forward|backward|symmetric",
                     "Order of the groups in a sweep; symmetric: forward and backward in turns."),
    {.name = NULL},
};

const ss_method ss_method_exact = {
    .ops = {.type = {.name = "exact",
                     .doc = "Gauss-Seidel with each contact solved exactly, normal and friction "
                            "together.",
                     .self_size = sizeof(exact_solver),
                     .keys = keys},
            .destroy = destroy},
    .iterate = iterate,
};
