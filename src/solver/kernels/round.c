/* round.c: sweeps over contacts of round bodies until their residual is small. */
#include "solver/kernels/round.h"

#include "base/context.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

/* With fewer sweeps momentum costs more than it brings. */
enum { CALM = 4 };

static ss_residual evaluate(ss_round_rows *c)
{
    ss_round_motion(c);
    return ss_round_residual(c);
}

/* What a sweep has told. */
typedef struct progress {
    double change2;    /* Σ ‖ΔP‖² G, J */
    double reference2; /* what changes count against, J */
    double error;      /* the largest change, as a part of that; or no number */
} progress;

static progress gather(const ss_round_rows *c, const ss_sweep *pass)
{
    double error2 = 0;
    progress found = {.reference2 = c->reference * c->reference};
    for (int i = 0; i < c->n_groups; i++) {
        const ss_tally *t = &c->groups[i].tally[pass->parity];
        found.reference2 = fmax(found.reference2, t->size2);
        if (!ss_region_has(pass->region, &c->groups[i]))
            continue;
        error2 = !(t->error2 <= error2) ? t->error2 : error2;
        found.change2 += t->change2;
    }
    found.error = error2 == 0 ? 0 : sqrt(error2 / found.reference2);
    return found;
}

/* Every contact of its region once. */
static progress sweep(ss_round_rows *c, const ss_sweep *pass)
{
    ss_round_visit(c, ss_round_sweep, pass);
    return gather(c, pass);
}

/* Late sweeps change few places by as much as counts: parts with such a group, and those next to them, are a region of their own,
 * where that is less than a quarter of all. */
static ss_region narrow(const ss_round_rows *c, int parity, double allowed2)
{
    bool centre[SS_PARTS] = {false};
    ss_region region = {.some = true};
    int packs = 0;
    for (int i = 0; i < c->n_groups; i++) {
        const ss_contact_group *g = &c->groups[i];
        if (!(g->tally[parity].error2 <= allowed2))
            centre[g->part[0]] = centre[g->part[1]] = true;
    }
    for (int i = 0; i < c->n_groups; i++) {
        const ss_contact_group *g = &c->groups[i];
        if (centre[g->part[0]] || centre[g->part[1]])
            region.parts[g->part[0]] = region.parts[g->part[1]] = true;
    }
    for (int i = 0; i < c->n_groups; i++)
        packs += ss_region_has(&region, &c->groups[i]) ? c->groups[i].to - c->groups[i].from : 0;
    region.some = 4 * packs < c->n_packs;
    return region;
}

/* The residual costs as much as two sweeps: it is looked at when the last change of all contacts is as small as it must become,
 * and now and then because rounding may keep the change above that for ever. */
static bool is_due(int iteration)
{
    return iteration >= 128 && (iteration & (iteration - 1)) == 0;
}

static ss_outcome judge(const ss_residual *residual, double tolerance)
{
    if (residual->value <= tolerance)
        return SS_CONVERGED;
    return isfinite(residual->value) ? SS_MAX_ITERATIONS : SS_DIVERGED;
}

/* Sweeps until the residual is as small as it must be, or no number. All threads of a region do this together, and
 * come to the same report. */
static void iterate(const ss_prox_options *options, ss_round_rows *c, ss_solve_report *report)
{
    ss_momentum momentum = {0};
    ss_region region = {.some = false};
    ss_sweep pass = {.relaxation = options->relaxation, .region = &region};
    double tolerance = c->tolerance > 0 ? c->tolerance : options->tolerance;
    ss_round_begin(c);
    while (report->iterations < options->max_iterations) {
        pass.parity = report->iterations % 2;
        progress last = sweep(c, &pass);
        report->iterations++;
        bool small = !(last.error > tolerance), was = region.some;
        if (pass.momentum)
            ss_momentum_weigh(&momentum, last.change2, last.error);
        if (((small && !was) || is_due(report->iterations)) &&
            report->iterations >= options->min_iterations) {
            report->residual = evaluate(c);
            report->outcome = judge(&report->residual, tolerance);
            if (report->outcome != SS_MAX_ITERATIONS)
                return;
        }
        if (small)
            region.some = false;
        else if (pass.momentum && !was)
            region = narrow(c, pass.parity, tolerance * tolerance * last.reference2);
        if (report->iterations == CALM || region.some != was) {
            momentum = (ss_momentum){0};
            pass.momentum = &momentum;
        }
    }
}

ss_status ss_round_solve(const ss_prox_options *options, ss_context *context, ss_round_rows *c,
                         ss_solve_report *report)
{
    int threads = c->n_parts > 1 ? ss_context_threads(context) : 1;
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    if (!options->warm_start)
        ss_round_clear(c);
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
        ss_round_clear(c);
    report->residual = evaluate(c);
    return isfinite(report->residual.value)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "contacts: a velocity or a mass is not finite");
}
