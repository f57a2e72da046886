/* compact.c: sweeps over touches of round bodies until their residual is small. */
#include "solver/compact.h"

#include "base/context.h"

#include <math.h>
#include <stdio.h>
#include <omp.h>

/* With fewer sweeps momentum costs more than it brings. */
enum { CALM = 4 };

static void join(const ss_prox_change *part, ss_prox_change *all)
{
    all->error2 = !(part->error2 <= all->error2) ? part->error2 : all->error2;
    all->reference2 = !(part->reference2 <= all->reference2) ? part->reference2 : all->reference2;
}

static ss_prox_change sweep(ss_compact *c, int threads, const ss_momentum *momentum,
                            double relaxation)
{
    ss_prox_change all = {0, 0};
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        ss_prox_change mine = {0, 0};
        if (momentum) {
            ss_momentum_apply(momentum, c);
#pragma omp barrier
        }
        for (int phase = 0; phase < c->n_phases; phase++) {
            int from, to;
            ss_compact_share(c, phase, &from, &to);
            for (int i = from; i < to; i++) {
                ss_prox_change part = ss_compact_sweep(c, i, momentum, relaxation);
                join(&part, &mine);
            }
#pragma omp barrier
        }
#pragma omp critical
        join(&mine, &all);
    }
    return all;
}

static ss_residual evaluate(ss_compact *c, int threads)
{
    ss_compact_motion(c, threads);
    return ss_compact_residual(c, threads);
}

/* The residual costs as much as two sweeps: it is looked at when the last change is as small as it
 * must become, and now and then because rounding may keep the change above that for ever. */
static bool promising(const ss_compact *c, const ss_prox_change *change, double tolerance,
                      int iteration)
{
    double reference2 = fmax(c->reference * c->reference, change->reference2);
    return !(change->error2 > tolerance * tolerance * reference2) ||
           (iteration >= 128 && (iteration & (iteration - 1)) == 0);
}

/* Sweeps until the residual is as small as it must be, or no number. */
static void iterate(const ss_prox_options *options, ss_compact *c, int threads,
                    ss_solve_report *report)
{
    ss_momentum momentum, *moving = NULL;
    double tolerance = c->tolerance > 0 ? c->tolerance : options->tolerance;
    while (report->iterations < options->max_iterations) {
        ss_prox_change change = sweep(c, threads, moving, options->relaxation);
        report->iterations++;
        if (report->iterations >= options->min_iterations &&
            promising(c, &change, tolerance, report->iterations)) {
            report->residual = evaluate(c, threads);
            report->outcome = report->residual.value <= tolerance ? SS_CONVERGED
                              : isfinite(report->residual.value)           ? SS_MAX_ITERATIONS
                                                                           : SS_DIVERGED;
            if (report->outcome != SS_MAX_ITERATIONS)
                return;
        }
        if (report->iterations == CALM)
            ss_momentum_begin(moving = &momentum, c, threads);
        else if (moving)
            ss_momentum_weigh(moving, c);
    }
}

ss_status ss_compact_solve(const ss_prox_options *options, ss_context *context, ss_compact *c,
                           ss_solve_report *report)
{
    int threads = c->n_parts > 1 ? ss_context_threads(context) : 1;
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    if (!options->warm_start)
        ss_compact_clear(c);
    ss_compact_motion(c, threads);
    ss_compact_load(c, threads);
    iterate(options, c, threads, report);
    if (report->outcome == SS_CONVERGED)
        return SS_OK;
    if (report->outcome == SS_DIVERGED)
        ss_compact_clear(c);
    report->residual = evaluate(c, threads);
    return isfinite(report->residual.value)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "touches: a velocity or a mass is not finite");
}
