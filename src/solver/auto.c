/* auto.c: sweeps while they get on, then methods with factors, the most robust last. */
#include "la/elementary.h"
#include "solver/exact.h"
#include "solver/prox.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct auto_solver {
    ss_run_solver base;
    ss_exact exact;
    ss_prox_solver
        prox;  /* SORprox: what is easy is solved before G is formed, and what cannot be gathered */
    int *head; /* n_u: factors of each system */
    int capacity_u;
} auto_solver;

/* Sweeps over the factored form that are tried first; rows up to which G is factored; Newton
 * steps of proximal points, a few of them before Funk's path is taken. */
enum {
    QUICK_SWEEPS = 20,
    MOST_FACTORED = 50000,
    FEW_NEWTON = 200,
    LEAST_NEWTON = 100,
    MOST_NEWTON = 8000
};

static size_t append(char *text, size_t used, size_t capacity, const char *more)
{
    while (*more && used + 1 < capacity)
        text[used++] = *more++;
    text[used] = '\0';
    return used;
}

/* "exact 64, interior 12"; by hand, since snprintf takes as long as a contact. */
static void tell(ss_run *run, const char *method, int before)
{
    char digits[16] = "", *first = digits + sizeof digits - 1;
    size_t capacity = sizeof run->method, used = strlen(run->method);
    int count = run->iterations - before;
    do
        *--first = (char)('0' + count % 10);
    while ((count /= 10) > 0);
    used = append(run->method, used, capacity, used ? ", " : "");
    used = append(run->method, used, capacity, method);
    used = append(run->method, used, capacity, " ");
    append(run->method, used, capacity, first);
}

/* Sweeps that cost as much as a factorization, from experience: some fourteen while the factors
 * stay thin, and more where they fill. */
static double factor_cost(const ss_gathered *g)
{
    double entries = g->n_groups ? (double)g->n_entries / g->n_groups : 0.0;
    return 14.0 + fmin(0.0028 * g->n_rows * entries, 0.25 * entries * entries);
}

/* Sweeps that cost as much as an interior point solve of this tolerance. */
static double sweeps_worth(const ss_run *run)
{
    double digits = fmax(2.0, -ss_logarithm(run->tolerance) / SS_LOG_10);
    return (5.0 + 1.3 * digits) * factor_cost(run->g);
}

/* Newton steps for some ten seconds: those of large problems are few, so that a problem without a
 * solution is given up in time. */
static int newton_worth(const ss_gathered *g)
{
    double cost = factor_cost(g), most = 1e12 / (cost * cost * fmax(1.0, g->n_numbers));
    return (int)fmin(fmax(most, LEAST_NEWTON), MOST_NEWTON);
}

/* Sweeps, looked at after 16, 32, 64 …: as long as the last stretch, if it went on so, would
 * reach the tolerance before the other methods; worth = INFINITY: there are no others. */
static void sweep(auto_solver *s, ss_run *run, double worth)
{
    int before = run->iterations, stretch = 16;
    double last = INFINITY;
    while (!ss_run_is_over(run)) {
        ss_exact_iterate(&s->exact, run, stretch);
        if (ss_run_is_over(run))
            break;
        double rate = isfinite(last) ? ss_logarithm(run->best / last) / stretch : -INFINITY;
        double missing = ss_logarithm(run->tolerance / run->best) / rate;
        bool slow = !(rate < 0.0) || missing > worth || run->iterations - before > 1.5 * worth;
        if (slow && isfinite(worth))
            break;
        if (last < INFINITY)
            stretch *= 2;
        last = run->best;
    }
    tell(run, "exact", before);
}

static ss_status proximal_points(ss_run *run, int most)
{
    int before = run->iterations;
    SS_TRY(ss_newton_cross_over(run, most));
    tell(run, "proximal", before);
    return SS_OK;
}

/* Sweeps again, from the best P of all. */
static void sweep_on(auto_solver *s, ss_run *run, double worth)
{
    if (ss_run_is_over(run))
        return;
    ss_run_from_best(run);
    ss_exact_restart(&s->exact, run);
    sweep(s, run, worth);
}

static ss_status factored_methods(auto_solver *s, ss_run *run)
{
    int before = run->iterations;
    if (!ss_inclusion_not_coulomb(run->inclusion)) {
        SS_TRY(ss_interior_iterate(run, 100));
        tell(run, "interior", before);
    }
    sweep_on(s, run, sweeps_worth(run));
    if (!ss_run_is_over(run) && !ss_states_refuse(run->inclusion)) {
        SS_TRY(proximal_points(run, FEW_NEWTON));
        before = run->iterations;
        if (ss_run_is_over(run))
            return SS_OK;
        SS_TRY(ss_funk_iterate(run, newton_worth(run->g)));
        run->settled = run->diverged = false;
        tell(run, "funk", before);
    }
    return ss_run_is_over(run) ? SS_OK : proximal_points(run, newton_worth(run->g));
}

static ss_status iterate(void *self, ss_run *run)
{
    auto_solver *s = self;
    const ss_gathered *g = run->g;
    bool free_flight = true; /* all take off: P = 0 */
    for (int k = 0; k < g->n_groups && free_flight; k++)
        free_flight = g->groups[k].kind == SS_SET_HALF_LINE && !(g->c[g->groups[k].row] < 0.0);
    if (free_flight) {
        memset(run->P, 0, (size_t)run->g->n_rows * sizeof *run->P);
        ss_run_judge(run, run->P, run->g->c);
        snprintf(run->method, sizeof run->method, "free flight");
        if (run->solved)
            return SS_OK;
    }
    s->exact.relaxation = 1.0;
    s->exact.acceleration = 5;
    s->exact.order = SS_ORDER_FORWARD;
    SS_TRY(ss_exact_prepare(&s->exact, run));
    sweep(s, run, sweeps_worth(run));
    if (ss_run_is_over(run))
        return SS_OK;
    bool newton = run->g->n_rows <= MOST_FACTORED && !ss_newton_refuses(run->inclusion);
    if (newton)
        SS_TRY(factored_methods(s, run));
    sweep_on(s, run, newton ? 10.0 * sweeps_worth(run) : INFINITY);
    return SS_OK;
}

/* Blocks that share a system are all coupled: one system with thousands of contacts makes G
 * full. */
static bool is_too_full(auto_solver *s, const ss_inclusion *A)
{
    double pairs = 0.0;
    for (int k = 0; k < A->n_u; k++)
        s->head[k] = 0;
    int n = A->factor_start[A->n_blocks];
    for (int f = A->factor_start[0]; f < n; f++)
        if (A->factors[f].nu > 0)
            s->head[A->factors[f].u_offset]++;
    for (int k = 0; k < A->n_u; k++)
        pairs += (double)s->head[k] * (double)s->head[k];
    return pairs > 1e6 + 100.0 * n;
}

/* SORprox in its stead, with so many sweeps. */
static ss_status delegate(auto_solver *s, ss_context *context, int most, const ss_solve_call *call)
{
    s->prox.options.max_iterations = most < s->base.max_iterations ? most : s->base.max_iterations;
    SS_TRY(ss_sorprox_solve(&s->prox, context, call));
    snprintf(call->report->method, sizeof call->report->method, "sorprox %d",
             call->report->iterations);
    return SS_OK;
}

static ss_status solve(void *self, ss_context *context, const ss_solve_call *call)
{
    auto_solver *s = self;
    const ss_inclusion *A = call->inclusion;
    ss_solve_report *report = call->report;
    bool factored = A->factor_start != NULL, warm_start = s->base.warm_start;
    if (A->refresh || (factored && is_too_full(s, A)))
        return delegate(s, context, INT_MAX, call);
    if (!factored || call->trace || s->base.measure != SS_MEASURE_INCLUSION)
        return ss_run_solve(self, context, call);
    SS_TRY(delegate(s, context, QUICK_SWEEPS, call));
    if (report->outcome == SS_CONVERGED)
        return SS_OK;
    ss_solve_report first = *report;
    s->base.warm_start = true;
    ss_status status = ss_run_solve(self, context, call);
    s->base.warm_start = warm_start;
    SS_TRY(status);
    char rest[sizeof report->method];
    memcpy(rest, report->method, sizeof rest);
    snprintf(report->method, sizeof report->method, "%.20s, %.50s", first.method, rest);
    report->iterations += first.iterations;
    return SS_OK;
}

/* ---- As a solver ---- */

static ss_status init(void *self, ss_context *context)
{
    auto_solver *s = self;
    (void)context;
    s->prox.options = ss_default_prox();
    s->prox.options.tolerance = s->base.tolerance;
    s->prox.options.warm_start = s->base.warm_start;
    return SS_OK;
}

static ss_status reserve(void *self, ss_context *context, const ss_solver_size *size)
{
    auto_solver *s = self;
    SS_TRY(ss_prox_reserve(&s->prox, context, size));
    if (s->capacity_u >= size->n_u)
        return SS_OK;
    SS_TRY(SS_RESIZE(context, size->n_u, &s->head));
    s->capacity_u = size->n_u;
    return SS_OK;
}

static const char *refuses(const void *self, const ss_inclusion *inclusion)
{
    const auto_solver *s = self;
    if (inclusion->refresh && !inclusion->factor_start)
        return "an inclusion that is refreshed must be in factored form";
    return s->base.measure != SS_MEASURE_INCLUSION ? ss_run_refuses(self, inclusion) : NULL;
}

static void destroy(void *self, ss_context *context)
{
    auto_solver *s = self;
    ss_prox_destroy(&s->prox, context);
    ss_exact_release(&s->exact);
    ss_release(context, s->head);
    ss_run_destroy(self, context);
}

static const ss_key keys[] = {SS_RUN_KEYS("100000"), {.name = NULL}};

const ss_method ss_method_auto = {
    .ops = {.type = {.name = "auto",
                     .doc = "Exact sweeps while they get on, then the interior point method, "
                            "Funk's path in the plane, proximal points; says what it did.",
                     .self_size = sizeof(auto_solver),
                     .keys = keys},
            .init = init,
            .destroy = destroy,
            .refuses = refuses,
            .reserve = reserve,
            .solve = solve},
    .iterate = iterate,
};
