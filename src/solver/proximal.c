/* proximal.c: proximal points with Newton's method inside. Each step solves the inclusion with G
 * + α R instead of G, which is regular, and with -α R P added to c, which takes back what was
 * added once P rests. With a fixed α it is the augmented Lagrangian iteration of Wösle and
 * Pfeiffer (their 6.1): the projections Π(λ, u) with λ held fixed are solved for u by Newton's
 * method, then λ is replaced by Π(λ, u); 1/α is their r. */
#include "solver/newton.h"

#include <math.h>
#include <string.h>

typedef struct proximal_solver {
    ss_run_solver base;
    double alpha;
    double shrink; /* 0: alpha is fixed */
} proximal_solver;

/* α shrinks down to it. */
static const double least_alpha = 1e-13;
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
    double goal = fmax(1e-3 * ss_newton_merit(s, run), 1e-14);
    s->line_search = !whole;
    bool good = ss_newton_iterate(s, run, MOST_NEWTON, goal);
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

/* Proximal steps x → solution with A + alpha, b - alpha x. alpha shrinks down to `least` while they
 * succeed and grows when one does not; about `most` Newton steps in all. */
static void proximal_steps(ss_newton *s, ss_run *run, double alpha, double shrink, double least,
                           int most)
{
    int failures = 0, successes = PATIENCE, end = run->iterations + most;
    while (run->iterations < end && !run->solved) {
        int before = run->iterations;
        bool good = step(s, run, alpha, failures < WHOLE);
        if (good && run->iterations == before)
            break; /* at rest: the equations hold to rounding */
        failures = good ? 0 : failures + 1;
        if (failures == 20 || ss_run_is_over(run))
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
            run->P[k] = run->scaled->to_P[k] * s->x[k];
    }
    s->alpha = 0.0;
}

void ss_newton_continue(ss_newton *s, ss_run *run, int most)
{
    if (ss_run_is_over(run))
        return;
    ss_run_from_best(run);
    ss_newton_restart(s, run);
    s->regularization = 0.0;
    int end = run->iterations + most;
    proximal_steps(s, run, 0.01, 0.5, least_alpha, most);
    if (!ss_run_is_over(run) && !run->diverged && run->iterations < end) { /* stuck: from rest */
        memset(run->P, 0, (size_t)run->g->n_rows * sizeof *run->P);
        ss_newton_restart(s, run);
        proximal_steps(s, run, 0.1, 0.1, least_alpha, end - run->iterations);
    }
}

ss_status ss_newton_cross_over(ss_run *run, int most)
{
    ss_newton s = {.line_search = true, .regularization = 1e-4};
    if (ss_run_is_over(run))
        return SS_OK;
    ss_run_from_best(run);
    SS_TRY(ss_newton_prepare(&s, &ss_newton_alart_curnier, run));
    ss_newton_iterate(&s, run, 30, 0.0);
    ss_newton_continue(&s, run, most);
    return SS_OK;
}

static ss_status iterate(void *self, ss_run *run)
{
    const proximal_solver *o = self;
    ss_newton s = {.line_search = true};
    bool fixed = o->shrink == 0.0; /* grown after a failure, alpha shrinks back to what it was */
    SS_TRY(ss_newton_prepare(&s, &ss_newton_alart_curnier, run));
    proximal_steps(&s, run, o->alpha, fixed ? 0.5 : o->shrink, fixed ? o->alpha : least_alpha,
                   o->base.max_iterations);
    return SS_OK;
}

#define ALPHA_KEY(default_)                                                                   \
    SS_OPTION_REAL(                                                                           \
        proximal_solver, alpha, default_, DBL_MIN, 1e6, "",                                   \
        "Compliance of a proximal step, in parts of the diagonal of G; its inverse is the r " \
        "of the augmented Lagrangian.")

static const ss_key keys[] = {
    SS_RUN_KEYS("2000"),
    ALPHA_KEY("0.1"),
    SS_OPTION_REAL(proximal_solver, shrink, "0.1", DBL_MIN, 1, "",
                   "alpha is multiplied by it after each step that succeeded."),
    {.name = NULL},
};

static const ss_key fixed_keys[] = {SS_RUN_KEYS("2000"), ALPHA_KEY("1e-4"), {.name = NULL}};

const ss_method ss_method_proximal = {
    .ops.type = {.name = "proximal",
                 .doc = "Proximal points with Newton's method inside, for hyperstatic problems.",
                 .self_size = sizeof(proximal_solver),
                 .keys = keys},
    .refuses = ss_newton_refuses,
    .iterate = iterate,
};

const ss_method ss_method_woesle_pfeiffer = {
    .ops.type = {.name = "woesle_pfeiffer",
                 .doc = "Augmented Lagrangian: projected equations solved by Newton's method, then "
                        "the multipliers replaced by their projections, again and again.",
                 .self_size = sizeof(proximal_solver),
                 .keys = fixed_keys},
    .refuses = ss_newton_refuses,
    .iterate = iterate,
};
