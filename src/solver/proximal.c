/* proximal.c: proximal points with Newton's method inside. Each step solves the inclusion with G
 * + α R instead of G, which is regular, and with -α R P added to c, which takes back what was
 * added once P rests. With a fixed α it is the augmented Lagrangian iteration of Wösle and
 * Pfeiffer (their 6.1): the projections Π(λ, u) with λ held fixed are solved for u by Newton's
 * method, then λ is replaced by Π(λ, u); 1/α is their r. */
#include "solver/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct proximal_solver {
    ss_newton newton;
    double alpha;
    double shrink;
    double least; /* of alpha */
    ss_run_memory memory;
} proximal_solver;

/* Successes in a row after which α shrinks; failures in a row after which Newton's steps are shortened;
 * Newton steps that one proximal step may take. */
enum { PATIENCE = 4, WHOLE = 3, MOST_NEWTON = 10 };

/* One step from x; true when Newton's method solved it well enough. Whole steps are better: on the way
 * to a solution many contacts change their state, and ‖F‖ grows for a while. When they lead nowhere x
 * stays; shortened ones may go on from where they end. */
static bool step(ss_newton *s, ss_run *run, double alpha, bool whole)
{
    memcpy(s->centre, s->x, (size_t)run->g->n_rows * sizeof *s->x);
    s->alpha = alpha;
    ss_newton_restart(s, run);
    double goal = fmax(1e-3 * ss_newton_merit(s), 1e-14);
    bool line_search = s->line_search;
    s->line_search = !whole;
    bool good = ss_newton_iterate(s, run, MOST_NEWTON, goal);
    s->line_search = line_search;
    if (!good && whole)
        memcpy(s->x, s->centre, (size_t)run->g->n_rows * sizeof *s->x);
    return good;
}

/* The load has the size 1 in these units: what is so large belongs to an inclusion without a
 * solution. */
static bool grew(int n, const double *x)
{
    for (int k = 0; k < n; k++)
        if (!(fabs(x[k]) < 1e8))
            return true;
    return false;
}

ss_status ss_proximal_iterate(ss_newton *s, ss_run *run, double alpha, double shrink, double least,
                              int most)
{
    int failures = 0, successes = PATIENCE, end = run->iterations + most;
    while (run->iterations < end && !run->solved) {
        int before = run->iterations;
        bool good = step(s, run, alpha, failures < WHOLE);
        if (good && run->iterations == before)
            break; /* at rest: the equations hold to rounding */
        failures = good ? 0 : failures + 1;
        if (run->solved || failures == 20 || run->iterations >= run->options->max_iterations)
            break;
        if (grew(run->g->n_rows, s->x)) {
            run->diverged = true;
            break;
        }
        successes = good ? successes + 1 : 0;
        if (good && successes >= PATIENCE)
            alpha = fmax(alpha * shrink, least);
        else if (!good)
            alpha = fmin(alpha * 4.0, 10.0);
        for (int k = 0; k < run->g->n_rows; k++)
            run->P[k] = s->scaled.to_P[k] * s->x[k];
    }
    s->alpha = 0.0;
    return SS_OK;
}

ss_status ss_newton_continue(ss_newton *s, ss_run *run, int most)
{
    double regularization = s->regularization;
    if (run->solved || run->iterations >= run->options->max_iterations)
        return SS_OK;
    if (isfinite(run->best))
        memcpy(run->P, run->best_P, (size_t)run->g->n_rows * sizeof *run->P);
    ss_newton_restart(s, run);
    s->regularization = 0.0;
    int end = run->iterations + most;
    ss_status status = ss_proximal_iterate(s, run, 0.01, 0.5, SS_PROXIMAL_LEAST, most);
    bool over = run->solved || run->diverged || run->iterations >= run->options->max_iterations;
    if (status == SS_OK && !over && run->iterations < end) { /* stuck: once more, from rest */
        memset(run->P, 0, (size_t)run->g->n_rows * sizeof *run->P);
        ss_newton_restart(s, run);
        status = ss_proximal_iterate(s, run, 0.1, 0.1, SS_PROXIMAL_LEAST, end - run->iterations);
    }
    s->regularization = regularization;
    return status;
}

ss_status ss_newton_cross_over(ss_newton *s, ss_run *run, int most)
{
    if (run->solved || run->iterations >= run->options->max_iterations)
        return SS_OK;
    if (isfinite(run->best))
        memcpy(run->P, run->best_P, (size_t)run->g->n_rows * sizeof *run->P);
    s->line_search = true;
    s->regularization = 1e-4;
    SS_TRY(ss_newton_prepare(s, &ss_newton_alart_curnier, run));
    ss_newton_iterate(s, run, 30, 0.0);
    return ss_newton_continue(s, run, most);
}

static ss_status iterate(void *self, ss_run *run)
{
    proximal_solver *s = self;
    SS_TRY(ss_newton_prepare(&s->newton, &ss_newton_alart_curnier, run));
    return ss_proximal_iterate(&s->newton, run, s->alpha, s->shrink, s->least,
                               s->newton.options.max_iterations);
}

static ss_status solve(void *self, ss_context *context, const ss_inclusion *inclusion,
                       ss_trace_fn trace, void *trace_user, double *P, double *u,
                       ss_solve_report *report)
{
    proximal_solver *s = self;
    return ss_run_solve(&s->memory, context, inclusion, &s->newton.options, iterate, s, trace,
                        trace_user, P, u, report);
}

static const char *refuses(const void *self, const ss_inclusion *inclusion)
{
    const char *reason = ss_run_refuses(self, inclusion);
    return reason ? reason : ss_newton_refuses(&ss_newton_alart_curnier, inclusion);
}

static void destroy(void *self, ss_context *context)
{
    (void)context;
    proximal_solver *s = self;
    ss_newton_release(&s->newton);
    ss_run_release(&s->memory);
}

static ss_status init(void *self, ss_context *context)
{
    (void)context;
    proximal_solver *s = self;
    s->least = SS_PROXIMAL_LEAST;
    s->newton.line_search = true;
    s->newton.regularization = 0.0;
    return SS_OK;
}

static ss_status init_fixed(void *self, ss_context *context)
{
    proximal_solver *s = self;
    SS_TRY(init(self, context));
    s->shrink = 0.5;
    s->least = s->alpha;
    return SS_OK;
}

#define ALPHA_KEY(fallback_)                                                                      \
    {                                                                                             \
        .name = "alpha", .kind = SS_KEY_REAL, .offset = offsetof(proximal_solver, alpha),         \
        .default_value = fallback_, .min = DBL_MIN, .max = 1e6,                                   \
        .doc =                                                                                    \
            "Compliance of a proximal step, in parts of the diagonal of G; its inverse is the r " \
            "of the augmented Lagrangian."                                                        \
    }

static const ss_key keys[] = {
    SS_RUN_KEYS("2000"),
    ALPHA_KEY("0.1"),
    {.name = "shrink",
     .kind = SS_KEY_REAL,
     .offset = offsetof(proximal_solver, shrink),
     .default_value = "0.1",
     .min = DBL_MIN,
     .max = 1,
     .doc = "alpha is multiplied by it after each step that succeeded."},
    {.name = NULL},
};

static const ss_key fixed_keys[] = {SS_RUN_KEYS("2000"), ALPHA_KEY("1e-4"), {.name = NULL}};

const ss_solver_ops ss_solver_type_proximal = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "proximal",
             .doc = "Proximal points with Newton's method inside, for hyperstatic problems.",
             .self_size = sizeof(proximal_solver),
             .keys = keys},
    .init = init,
    .destroy = destroy,
    .refuses = refuses,
    .solve = solve,
};

const ss_solver_ops ss_solver_type_woesle_pfeiffer = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_solver_ops),
             .name = "woesle_pfeiffer",
             .doc = "Augmented Lagrangian: projected equations solved by Newton's method, then "
                    "the multipliers replaced by their projections, again and again.",
             .self_size = sizeof(proximal_solver),
             .keys = fixed_keys},
    .init = init_fixed,
    .destroy = destroy,
    .refuses = refuses,
    .solve = solve,
};
