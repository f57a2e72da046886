/* solve.c: sweeps over rows until their residual is small. */
#include "solver/kernels/sweep.h"

#include "base/context.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>

/* With fewer sweeps momentum costs more than it brings. */
enum { CALM = 4 };

static ss_residual evaluate(const ss_prox_solver *s, ss_rows *c)
{
    ss_rows_motion(c);
    return ss_rows_residual(c, s->natural_r);
}

/* What a sweep has told. */
typedef struct progress {
    double change2;    /* Σ ‖ΔP‖² G, J */
    double reference2; /* what changes count against, J */
    double error;      /* the largest change, as a subdomain of that; or no number */
} progress;

static progress gather(const ss_rows *c, const ss_sweep *pass)
{
    double error2 = 0;
    progress found = {.reference2 = c->reference * c->reference};
    for (int i = 0; i < c->n_batches; i++) {
        const ss_tally *t = &c->batches[i].tally[pass->parity];
        found.reference2 = fmax(found.reference2, t->size2);
        if (!ss_region_has(pass->region, &c->batches[i]))
            continue;
        error2 = !(t->error2 <= error2) ? t->error2 : error2;
        found.change2 += t->change2;
    }
    if (c->general.inclusion.n_blocks > 0) {
        const ss_tally *t = &c->general.tally[pass->parity];
        found.reference2 = fmax(found.reference2, t->size2);
        error2 = !(t->error2 <= error2) ? t->error2 : error2;
        found.change2 += t->change2;
    }
    found.error = error2 == 0 ? 0 : sqrt(error2 / found.reference2);
    return found;
}

/* Every contact of its region once, and every block. */
static progress sweep(const ss_prox_solver *s, ss_rows *c, const ss_sweep *pass)
{
    ss_rows_visit(c, ss_rows_sweep, pass);
    ss_rows_sweep_general(s, c, pass);
    return gather(c, pass);
}

static int packs_of(const ss_batch *g)
{
    return g->round.to - g->round.from + g->body.to - g->body.from;
}

/* Late sweeps change few places by as much as counts: subdomains with such a batch, and those next to them, are a region of
 * their own, where that is less than a quarter of all and there are no GENERAL blocks. */
static ss_region narrow(const ss_rows *c, int parity, double allowed2)
{
    bool centre[SS_SUBDOMAINS] = {false};
    ss_region region = {.some = true};
    int packs = 0;
    for (int i = 0; i < c->n_batches; i++) {
        const ss_batch *g = &c->batches[i];
        if (!(g->tally[parity].error2 <= allowed2))
            centre[g->subdomain[0]] = centre[g->subdomain[1]] = true;
    }
    for (int i = 0; i < c->n_batches; i++) {
        const ss_batch *g = &c->batches[i];
        if (centre[g->subdomain[0]] || centre[g->subdomain[1]])
            region.subdomains[g->subdomain[0]] = region.subdomains[g->subdomain[1]] = true;
    }
    for (int i = 0; i < c->n_batches; i++)
        packs += ss_region_has(&region, &c->batches[i]) ? packs_of(&c->batches[i]) : 0;
    region.some = 4 * packs < c->n_round + c->n_body && c->general.inclusion.n_blocks == 0;
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
static void iterate(const ss_prox_solver *s, ss_rows *c, ss_solve_report *report)
{
    const ss_prox_options *options = &s->options;
    ss_momentum momentum = {0};
    ss_region region = {.some = false};
    ss_sweep pass = {.relaxation = options->relaxation, .region = &region};
    double tolerance = c->tolerance > 0 ? c->tolerance : options->tolerance;
    ss_rows_begin(c, s->natural_r);
    while (report->iterations < options->max_iterations) {
        pass.parity = report->iterations % 2;
        progress last = sweep(s, c, &pass);
        report->iterations++;
        bool small = !(last.error > tolerance), was = region.some;
        if (pass.momentum)
            ss_momentum_weigh(&momentum, last.change2, last.error);
        if (((small && !was) || is_due(report->iterations)) &&
            report->iterations >= options->min_iterations) {
            report->residual = evaluate(s, c);
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

typedef struct solving {
    const ss_prox_solver *s;
    ss_rows *c;
    ss_solve_report *report;
} solving;

static void iterate_together(void *user)
{
    const solving *all = user;
    ss_solve_report mine = *all->report;
    iterate(all->s, all->c, &mine);
    ss_thread_barrier();
    if (ss_thread_number() == 0)
        *all->report = mine;
}

ss_status ss_rows_solve(ss_prox_solver *s, ss_context *context, ss_rows *c, ss_solve_report *report)
{
    int threads = c->n_subdomains > 1 ? context->options.threads : 1;
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    if (c->general.inclusion.n_blocks > 0) {
        ss_rows_natural_r(c, s->natural_r);
        SS_TRY(ss_prox_relax_from(s, context, &c->general.inclusion));
    }
    if (!s->options.warm_start)
        ss_rows_clear(c);
    ss_parallel(context, threads, iterate_together, &(solving){s, c, report});
    if (report->outcome == SS_CONVERGED)
        return SS_OK;
    if (report->outcome == SS_DIVERGED)
        ss_rows_clear(c);
    report->residual = evaluate(s, c);
    ss_rows_find_worst(c, &report->residual);
    return isfinite(report->residual.value)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "contacts: a velocity or a mass is not finite");
}
