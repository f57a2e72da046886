/* compact.c: sweeps over touches of round bodies until their residual is small. */
#include "solver/compact.h"

#include "base/context.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

/* With fewer sweeps momentum costs more than it brings. */
enum { CALM = 4 };

static ss_residual evaluate(ss_compact *c)
{
    ss_compact_motion(c);
    return ss_compact_residual(c);
}

/* What a sweep has told of all groups. */
typedef struct progress {
    double change2; /* Σ ‖ΔP‖² G, J */
    double error;   /* the largest change, as a part of what it counts against; or no number */
} progress;

static progress gather(const ss_compact *c, int turn)
{
    double reference2 = c->reference * c->reference, error2 = 0;
    progress found = {0};
    for (int i = 0; i < c->n_groups; i++) {
        const ss_tally *t = &c->groups[i].tally[turn];
        error2 = !(t->error2 <= error2) ? t->error2 : error2;
        reference2 = fmax(reference2, t->size2);
        found.change2 += t->change2;
    }
    found.error = error2 == 0 ? 0 : sqrt(error2 / reference2);
    return found;
}

/* Every touch once. */
static progress sweep(ss_compact *c, const ss_momentum *momentum, double relaxation, int turn)
{
    ss_compact_visit(c, ss_compact_sweep, &(ss_sweep){momentum, relaxation, turn});
    return gather(c, turn);
}

/* The residual costs as much as two sweeps: it is looked at when the last change is as small as it
 * must become, and now and then because rounding may keep the change above that for ever. */
static bool promising(double error, double tolerance, int iteration)
{
    return !(error > tolerance) || (iteration >= 128 && (iteration & (iteration - 1)) == 0);
}

static ss_outcome judge(const ss_residual *residual, double tolerance)
{
    if (residual->value <= tolerance)
        return SS_CONVERGED;
    return isfinite(residual->value) ? SS_MAX_ITERATIONS : SS_DIVERGED;
}

/* Sweeps until the residual is as small as it must be, or no number. All threads of a region do this together, and
 * come to the same report. */
static void iterate(const ss_prox_options *options, ss_compact *c, ss_solve_report *report)
{
    ss_momentum momentum = {0}, *moving = NULL;
    double tolerance = c->tolerance > 0 ? c->tolerance : options->tolerance;
    ss_compact_begin(c);
    while (report->iterations < options->max_iterations) {
        progress last = sweep(c, moving, options->relaxation, report->iterations % 2);
        report->iterations++;
        bool close = report->iterations >= options->min_iterations &&
                     promising(last.error, tolerance, report->iterations);
        if (moving)
            ss_momentum_weigh(moving, last.change2, last.error);
        if (close) {
            report->residual = evaluate(c);
            report->outcome = judge(&report->residual, tolerance);
            if (report->outcome != SS_MAX_ITERATIONS)
                return;
        }
        if (report->iterations == CALM)
            moving = &momentum;
    }
}

ss_status ss_compact_solve(const ss_prox_options *options, ss_context *context, ss_compact *c,
                           ss_solve_report *report)
{
    int threads = c->n_parts > 1 ? ss_context_threads(context) : 1;
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    if (!options->warm_start)
        ss_compact_clear(c);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        ss_solve_report mine = *report;
        iterate(options, c, &mine);
#pragma omp barrier
#pragma omp master
        *report = mine;
    }
    if (report->outcome == SS_CONVERGED)
        return SS_OK;
    if (report->outcome == SS_DIVERGED)
        ss_compact_clear(c);
    report->residual = evaluate(c);
    return isfinite(report->residual.value)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "touches: a velocity or a mass is not finite");
}
