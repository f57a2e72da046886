/* prox_iterate.c: sweep after sweep until the stop criterion is met. */
#include "la/small.h"
#include "rows/check.h"
#include "rows/residual.h"
#include "solver/prox.h"

#include <string.h>

/* A sweep that changes the impulses by so much more than the load or the first sweep did has
 * diverged. */
static const double divergence = 1e8;

/* One solve. */
typedef struct run {
    ss_prox_solver *s;
    ss_context *context;
    const ss_inclusion *inclusion;
    double *P, *u;
    int threads;
    int iteration;
    double load;           /* max √r_i ‖c_i‖ */
    double first2;         /* size of the problem, squared: load, or what the first sweep did */
    ss_prox_change change; /* of the last sweep */
    bool resting;          /* the last refresh moved nothing */
    ss_residual residual;  /* the last that was evaluated */
    bool evaluated;        /* it belongs to P */
    bool has_best;
    double best; /* residual of s->best */
} run;

static void copy(int n, const double *from, double *to)
{
    if (n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
}

const char *ss_prox_refuses(const void *self, const ss_inclusion *inclusion)
{
    const ss_prox_solver *s = self;
    if (inclusion->factor_start)
        return NULL;
    if (s->options.stop == SS_STOP_VELOCITY)
        return "the stop 'velocity' needs an inclusion in factored form";
    if (inclusion->refresh)
        return "an inclusion that is refreshed must be in factored form";
    return NULL;
}

/* One where a set may not be asked by worker threads. */
static int count_threads(const ss_context *context, const ss_inclusion *inclusion)
{
    int threads = ss_context_threads(context);
    for (int i = 0; i < inclusion->n_blocks && threads > 1; i++)
        if (inclusion->blocks[i].set->ops->type.flags & SS_TYPE_SERIAL)
            threads = 1;
    return threads;
}

static void motion(run *r)
{
    if (r->inclusion->factor_start)
        ss_inclusion_free_motion(r->inclusion, r->P, r->u);
}

/* The residual, of velocities that are free of the rounding of many small pushes. */
static void evaluate(run *r)
{
    const ss_inclusion *inclusion = r->inclusion;
    motion(r);
    if (inclusion->refresh)
        r->load = ss_inclusion_load(inclusion, r->s->natural_r);
    r->residual = ss_inclusion_residual_given(inclusion, r->s->natural_r, r->load, r->P, r->u);
    r->evaluated = true;
    if (r->residual.value < r->best || !r->has_best) {
        r->best = r->residual.value;
        r->has_best = isfinite(r->best);
        copy(inclusion->n_rows, r->P, r->s->best);
    }
}

static ss_status begin(run *r)
{
    const ss_inclusion *inclusion = r->inclusion;
    SS_TRY(ss_prox_relax(r->s, r->context, inclusion));
    r->load = ss_inclusion_load(inclusion, r->s->natural_r);
    if (!isfinite(r->load)) {
        SS_TRY(ss_inclusion_check_numbers(r->context, inclusion));
        return ss_fail(r->context, SS_NON_FINITE, "inclusion: its velocities overflow");
    }
    for (int k = 0; k < inclusion->n_rows; k++) {
        if (!r->s->options.warm_start)
            r->P[k] = 0.0;
        if (!isfinite(r->P[k]))
            return ss_fail(r->context, SS_NON_FINITE,
                           "solver: row %d of the first guess is not finite", k);
    }
    if (inclusion->refresh) {
        copy(inclusion->n_u, inclusion->u_free, r->s->u_free_given);
        copy(inclusion->n_rows, inclusion->b, r->s->b_given);
    }
    motion(r);
    return SS_OK;
}

/* Whether a number changed by more than absolute + relative · |number|, or is not finite. */
static bool moved(int n, const double *before, const double *now, double absolute, double relative)
{
    for (int k = 0; k < n; k++)
        if (!(fabs(now[k] - before[k]) <= absolute + relative * fabs(now[k])))
            return true;
    return false;
}

/* h and ζ at the velocities just found (implicit treatment, S5.3.9.2). */
static ss_status refresh(run *r)
{
    const ss_inclusion *inclusion = r->inclusion;
    const ss_prox_options *o = &r->s->options;
    copy(inclusion->n_u, r->u, r->s->u_swept);
    SS_TRY(inclusion->refresh(inclusion->refresh_user, r->u, inclusion->u_free, inclusion->b));
    motion(r);
    r->resting = !moved(inclusion->n_u, r->s->u_swept, r->u, o->absolute, o->tolerance);
    return SS_OK;
}

static ss_status step(run *r, ss_sweep_fn sweep)
{
    ss_prox_solver *s = r->s;
    if (s->options.stop == SS_STOP_IMPULSE)
        copy(r->inclusion->n_rows, r->P, s->P_before);
    if (s->options.stop == SS_STOP_VELOCITY)
        copy(r->inclusion->n_u, r->u, s->u_before);
    r->evaluated = false;
    s->threads = r->threads;
    r->change = sweep(s, r->inclusion, r->context, r->iteration, r->P, r->u);
    if (r->inclusion->refresh)
        SS_TRY(refresh(r));
    if (r->iteration == 1)
        r->first2 = fmax(r->load * r->load, fmax(r->change.error2, r->change.reference2));
    return SS_OK;
}

static bool diverged(const run *r)
{
    if (!isfinite(r->change.error2) || !isfinite(r->change.reference2))
        return true;
    if (r->inclusion->refresh && !ss_all_finite(r->inclusion->n_u, r->u))
        return true;
    return r->change.error2 > divergence * divergence * r->first2;
}

/* Evaluating the residual costs about as much as a sweep: it waits until the last change is as
 * small as it must become. Rounding may keep the change above that for ever, hence also after 1, 2,
 * 4, 8 … sweeps. */
static bool promising(const run *r)
{
    double tolerance = r->s->options.tolerance;
    double reference2 = fmax(r->load * r->load, r->change.reference2);
    return r->change.error2 <= tolerance * tolerance * reference2 ||
           (r->iteration & (r->iteration - 1)) == 0;
}

/* Of the last evaluation. */
static bool solved(const run *r)
{
    return r->resting && r->residual.value <= r->s->options.tolerance;
}

static bool stop(run *r)
{
    ss_prox_solver *s = r->s;
    const ss_prox_options *o = &s->options;
    if (r->iteration < o->min_iterations)
        return false;
    if (o->stop == SS_STOP_VELOCITY)
        return !moved(r->inclusion->n_u, s->u_before, r->u, o->absolute, o->relative);
    if (o->stop == SS_STOP_IMPULSE)
        return r->resting &&
               !moved(r->inclusion->n_rows, s->P_before, r->P, o->absolute, o->relative);
    if (!r->resting || !promising(r))
        return false;
    evaluate(r);
    return solved(r);
}

/* Sweeps; *outcome says what ended them. */
static ss_status sweeps(run *r, ss_sweep_fn sweep, ss_trace_fn trace, void *trace_user,
                        ss_outcome *outcome)
{
    while (r->iteration < r->s->options.max_iterations) {
        r->iteration++;
        SS_TRY(step(r, sweep));
        if (trace)
            trace(trace_user, r->iteration, r->P);
        *outcome = SS_DIVERGED;
        if (diverged(r))
            return SS_OK;
        *outcome = SS_SETTLED;
        if (stop(r))
            return SS_OK;
    }
    *outcome = SS_MAX_ITERATIONS;
    return SS_OK;
}

/* Back to what is finite, and P = 0 as one more candidate. Numbers of the inclusion that are not
 * finite are the user's fault, not a divergence. */
static ss_status retreat(run *r)
{
    const ss_inclusion *inclusion = r->inclusion;
    if (inclusion->refresh) {
        copy(inclusion->n_u, r->s->u_free_given, inclusion->u_free);
        copy(inclusion->n_rows, r->s->b_given, inclusion->b);
        r->resting = false;
    }
    for (int k = 0; k < inclusion->n_rows; k++)
        r->P[k] = 0.0;
    SS_TRY(ss_inclusion_check_numbers(r->context, inclusion));
    evaluate(r);
    return SS_OK;
}

static ss_status finish(run *r, ss_outcome outcome, ss_solve_report *report)
{
    if (outcome == SS_DIVERGED)
        SS_TRY(retreat(r));
    else if (!r->evaluated)
        evaluate(r);
    if (!solved(r) && outcome != SS_SETTLED && r->has_best) {
        copy(r->inclusion->n_rows, r->s->best, r->P);
        evaluate(r);
    }
    *report = (ss_solve_report){solved(r) ? SS_CONVERGED : outcome, r->iteration, r->residual};
    return SS_OK;
}

ss_status ss_prox_iterate(ss_prox_solver *solver, ss_context *context,
                          const ss_inclusion *inclusion, ss_sweep_fn sweep, ss_trace_fn trace,
                          void *trace_user, double *P, double *u, ss_solve_report *report)
{
    run r = {
        .s = solver,
        .context = context,
        .inclusion = inclusion,
        .P = P,
        .u = u,
        .threads = count_threads(context, inclusion),
        .resting = true,
    };
    ss_outcome outcome = SS_SETTLED;
    SS_TRY(begin(&r));
    if (trace)
        trace(trace_user, 0, P);
    bool try_guess = solver->options.min_iterations == 0 && !inclusion->refresh;
    if (try_guess)
        evaluate(&r);
    if (!try_guess || !solved(&r))
        SS_TRY(sweeps(&r, sweep, trace, trace_user, &outcome));
    return finish(&r, outcome, report);
}
