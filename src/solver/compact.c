/* compact.c: sweeps over touches of round bodies until their residual is small. */
#include "solver/compact.h"

#include "base/context.h"

#include <math.h>
#include <omp.h>

/* Below this many touches threads cost more than they bring, and with fewer sweeps momentum. */
#ifndef CALM
#define CALM 4
#endif
enum { FEW = 2000 };

static void join(const ss_prox_change *part, ss_prox_change *all)
{
    all->error2 = !(part->error2 <= all->error2) ? part->error2 : all->error2;
    all->reference2 = !(part->reference2 <= all->reference2) ? part->reference2 : all->reference2;
}

/* The packs of a colour in equal shares. Touches of the last colour may share bodies: one thread has
 * them all. */
static void visit_share(ss_compact *c, int colour, int thread, int threads, double relaxation,
                        ss_prox_change *change)
{
    int from = c->colour_start[colour], n = c->colour_start[colour + 1] - from;
    int begin = from + (int)((long)n * thread / threads);
    int end = from + (int)((long)n * (thread + 1) / threads);
    if (colour == SS_COLOURS) {
        begin = thread == 0 ? from : from + n;
        end = from + n;
    }
    if (begin == end)
        return;
    ss_prox_change part = ss_compact_sweep(c, begin, end, relaxation);
    join(&part, change);
}

static ss_prox_change sweep(ss_compact *c, int threads, double relaxation)
{
    ss_prox_change all = {0, 0};
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        ss_prox_change mine = {0, 0};
        for (int colour = 0; colour <= SS_COLOURS; colour++) {
            if (c->colour_start[colour] == c->colour_start[colour + 1])
                continue;
            visit_share(c, colour, omp_get_thread_num(), omp_get_num_threads(), relaxation, &mine);
#pragma omp barrier
        }
#pragma omp critical
        join(&mine, &all);
    }
    return all;
}

static ss_residual evaluate(ss_compact *c)
{
    ss_compact_motion(c);
    return ss_compact_residual(c);
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

ss_status ss_compact_solve(const ss_prox_options *options, ss_context *context, ss_compact *c,
                           ss_solve_report *report)
{
    int threads = c->n_touches < FEW ? 1 : ss_context_threads(context);
    ss_momentum momentum;
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    if (!options->warm_start)
        ss_compact_clear(c);
    ss_compact_motion(c);
    ss_compact_load(c);
    while (report->iterations < options->max_iterations) {
        ss_prox_change change = sweep(c, threads, options->relaxation);
        report->iterations++;
        if (report->iterations < options->min_iterations ||
            !promising(c, &change, options->tolerance, report->iterations)) {
            if (report->iterations == CALM)
                ss_momentum_begin(&momentum, c, threads);
            else if (report->iterations > CALM)
                ss_momentum_apply(&momentum, c);
            continue;
        }
        report->residual = evaluate(c);
        report->outcome = SS_CONVERGED;
        if (report->residual.value <= options->tolerance)
            return SS_OK;
        report->outcome = isfinite(report->residual.value) ? SS_MAX_ITERATIONS : SS_DIVERGED;
        if (report->outcome == SS_DIVERGED)
            break;
    }
    if (report->outcome == SS_DIVERGED)
        ss_compact_clear(c);
    report->residual = evaluate(c);
    return isfinite(report->residual.value)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "touches: a velocity or a mass is not finite");
}
