/* solve.c: sweeps over rows until their residual is small, as steps of a nonlinear conjugate gradient method.
 *
 * A sweep takes P to S(P). Taking g = P - S(P) for a gradient, the method of Fletcher and Reeves goes on along
 * the former direction by β = ‖g‖²/‖g_before‖², and forgets it when ‖g‖ grows (Silcowitz, Niebe & Erleben 2010). The direction is
 * that from the beginning of the sweep before to the beginning of the last one:
 *
 *     P_next = S(P) + β (P - P_before).
 *
 * The next sweep brings every impulse back into its set. Velocities depend linearly on impulses and go along, here;
 * the impulses of a pack go on when the next sweep visits it.
 *
 * Sums are taken over batches, so that they do not depend on the number of threads.
 */
#include "solver/kernels/sweep.h"

#include "base/context.h"
#include "base/parallel.h"

#include <math.h>

/* With fewer sweeps momentum costs more than it brings. */
enum { CALM = 4 };

/* What a sweep has told. */
typedef struct progress {
    double change2;    /* Σ ‖ΔP‖² G, J */
    double reference2; /* what changes count against, J */
    double error;      /* the largest change, as a part of that; or no number */
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

/* Near the solution of a pile ‖g‖ often stays the same or grows a little for a while: β is then 1.
 * Sweeps that have gone astray begin anew; what momentum has stirred up from contact to contact they calm quickly alone, and
 * as long as they do, they are left alone. */
static double weight(ss_momentum *m, double now2, double error)
{
    const double SLOW = 1.25, ASTRAY = 4, QUICK = 0.8;
    bool calming = m->beta == 0 && error < QUICK * m->error;
    double beta = m->last2 > 0 ? now2 / m->last2 : 0;
    m->least2 = m->least2 > 0 ? fmin(m->least2, now2) : now2;
    if (!(beta <= SLOW && now2 <= ASTRAY * m->least2)) {
        m->least2 = now2;
        beta = 0;
    }
    m->last2 = now2;
    m->error = error;
    return calming ? 0 : fmin(beta, 1);
}

/* Momentum may keep sweeps going round for ever, which alone would end: after some hundred it pauses for the second half of
 * every time that is as long as all before. */
static bool pauses(unsigned sweeps)
{
    const unsigned LONG = 128;
    unsigned before = LONG;
    while (2 * before <= sweeps)
        before *= 2;
    return sweeps >= before + before / 2;
}

/* After a sweep with Σ ‖ΔP‖² G = change2, and that error: its largest change, relative. */
static void weigh(ss_momentum *m, double change2, double error)
{
    double beta = weight(m, change2, error);
    m->parity = !m->parity;
    m->beta = pauses(++m->sweeps) ? 0 : beta;
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
        for (int form = 0; form < SS_ROW_GENERAL && ss_region_has(&region, &c->batches[i]); form++)
            packs += c->batches[i].packs[form].to - c->batches[i].packs[form].from;
    region.some = 4 * packs < c->n_round + c->n_body && c->general.inclusion.n_blocks == 0;
    return region;
}

typedef struct solving {
    ss_context *context;
    const ss_prox_solver *s;
    ss_rows *c;
    ss_solve_report *report;
    atomic_int *stop_at; /* the sweep behind which all threads stop; 0: none */
} solving;

/* One thread asks before a sweep, in which the threads meet, and all look behind it: they stop behind the same one. */
static void ask_whether_to_stop(const solving *all, int sweep)
{
    if (ss_thread_number() == 0 && ss_stopped(all->context) && atomic_load(all->stop_at) == 0)
        atomic_store(all->stop_at, sweep);
}

static bool stops(const solving *all, int sweep)
{
    int at = atomic_load(all->stop_at);
    return at > 0 && at <= sweep;
}

/* Whether other methods would reach the tolerance before sweeps do, if these went on as between the last two residuals. */
typedef struct patience {
    double last; /* residual */
    int at;      /* sweep */
} patience;

static bool is_slow(const ss_prox_solver *s, patience *p, const ss_solve_report *report,
                    double tolerance)
{
    enum { LEAST = 64 };
    const patience before = *p;
    *p = (patience){report->residual.value, report->iterations};
    if (s->worth == 0 || report->iterations < LEAST || before.at == 0)
        return false;
    double rate = log(p->last / before.last) / (p->at - before.at);
    double missing = log(tolerance / p->last) / rate;
    return !(rate < 0) || missing > s->worth || p->at > 1.5 * s->worth;
}

/* Sweeps until the residual is as small as it must be, or no number. It costs as much as two sweeps: it is looked at when the
 * last change of all contacts is as small as it must become, and now and then because rounding may keep the change above
 * that for ever. All threads of a region do this together, and come to the same report. */
static void iterate(const solving *all, ss_solve_report *report)
{
    const ss_prox_solver *s = all->s;
    ss_rows *c = all->c;
    const ss_prox_options *options = &s->options;
    ss_momentum momentum = {0};
    ss_region region = {.some = false};
    ss_sweep pass = {.relaxation = options->relaxation, .region = &region};
    double tolerance = c->tolerance > 0 ? c->tolerance : options->tolerance, enough = tolerance;
    patience before = {0};
    const int first = s->worth > 0 ? 16 : 128;
    ss_rows_begin(c, s->natural_r);
    while (report->iterations < options->max_iterations) {
        pass.parity = report->iterations % 2;
        ask_whether_to_stop(all, report->iterations + 1);
        progress last = sweep(s, c, &pass);
        report->iterations++;
        if (stops(all, report->iterations))
            return;
        bool small = !(last.error > enough), was = region.some;
        bool due =
            report->iterations >= first && (report->iterations & (report->iterations - 1)) == 0;
        if (pass.momentum)
            weigh(&momentum, last.change2, last.error);
        if (((small && !was) || due) && report->iterations >= options->min_iterations) {
            ss_rows_motion(c);
            report->residual = ss_rows_residual(c, s->natural_r);
            bool finite = isfinite(report->residual.value);
            report->outcome = report->residual.value <= tolerance ? SS_CONVERGED
                              : finite                            ? SS_MAX_ITERATIONS
                                                                  : SS_DIVERGED;
            if (report->outcome != SS_MAX_ITERATIONS ||
                (due && is_slow(s, &before, report, tolerance)))
                return;
            if (small) /* changes are to fall as far as the residual still must */
                enough = 0.7 * last.error * tolerance / report->residual.value;
        }
        if (small)
            region.some = false;
        else if (pass.momentum && !was)
            region = narrow(c, pass.parity, enough * enough * last.reference2);
        if (report->iterations == CALM || region.some != was) {
            momentum = (ss_momentum){0};
            pass.momentum = &momentum;
        }
    }
}

static void iterate_together(void *user)
{
    const solving *all = user;
    ss_solve_report mine = *all->report;
    iterate(all, &mine);
    ss_thread_barrier();
    if (ss_thread_number() == 0)
        *all->report = mine;
}

ss_status ss_rows_solve(ss_prox_solver *s, ss_context *context, ss_rows *c, ss_solve_report *report)
{
    int threads = c->n_subdomains > 1 ? context->options.threads : 1;
    atomic_int stop_at = 0;
    *report = (ss_solve_report){.outcome = SS_MAX_ITERATIONS};
    if (c->general.inclusion.n_blocks > 0) {
        ss_rows_natural_r(c, s->natural_r);
        SS_TRY(ss_prox_relax_from(s, context, &c->general.inclusion));
    }
    if (!s->options.warm_start)
        ss_rows_clear(c);
    ss_parallel(context, threads, iterate_together, &(solving){context, s, c, report, &stop_at});
    if (report->outcome == SS_CONVERGED)
        return SS_OK;
    if (ss_stopped(context))
        return ss_fail_stopped(context);
    if (report->outcome == SS_DIVERGED)
        ss_rows_clear(c);
    ss_rows_motion(c);
    report->residual = ss_rows_residual(c, s->natural_r);
    return isfinite(report->residual.value)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "contacts: a velocity or a mass is not finite");
}

/* With the options that rows of all forms know. */
static bool can_sweep(const void *self)
{
    const ss_prox_options *o = &((const ss_prox_solver *)self)->options;
    return o->stop == SS_STOP_RESIDUAL && o->order == SS_ORDER_FORWARD && o->r == SS_R_DIAGONAL &&
           o->r_scale == 1.0;
}

static ss_status solve_as_sorprox(void *self, ss_context *context, ss_rows *c,
                                  ss_solve_report *report)
{
    return ss_rows_solve(self, context, c, report);
}

const ss_rows_solver ss_sorprox_rows = {.accepts = can_sweep, .solve = solve_as_sorprox};
