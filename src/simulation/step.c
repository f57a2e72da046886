/* step.c: steps of the scheme, and what happens when their solve fails. */
#include "simulation/followed.h"

#include <stdio.h>

static ss_status take_step(ss_simulation *s, const ss_state *B, double dt, ss_state *E,
                           ss_solve_report *report)
{
    return s->followed ? ss_followed_step(s, B, dt, E, report)
                       : ss_scheme_step(s->scheme, s->work, B, dt, E, report);
}

/* The tried state becomes the current one. */
static void accept(ss_simulation *s)
{
    ss_state *old = s->state;
    s->state = s->next;
    s->next = old;
}

/* "the solver: iterations used up after 10000 iterations, residual 0.1, worst law 'beak.gap'" */
static void describe_failure(const ss_simulation *s, const ss_solve_report *report, size_t capacity,
                             char *text)
{
    const ss_work *work = s->followed ? ss_followed_work(s) : s->work;
    ss_name law = ss_work_block_name(work, report->residual.worst_block);
    snprintf(text, capacity, "%s after %d iterations, residual %.3g, worst law '%s'",
             ss_outcome_name(report->outcome), report->iterations, report->residual.value,
             law.text);
}

static ss_status not_converged(ss_simulation *s, double t, double dt, const ss_solve_report *report)
{
    char failure[512];
    describe_failure(s, report, sizeof failure, failure);
    return ss_fail(
        s->context, SS_NOT_CONVERGED,
        "the step from t = %.9g s (Δt = %g s) did not converge: %s. More iterations, another "
        "solver, a smaller step, or on_failure: warn or shrink may help",
        t, dt, failure);
}

/* Repeats a step in 2, 4, … 1024 parts until all of them converge. */
static ss_status shrink(ss_simulation *s, double dt)
{
    enum { MOST_PARTS = 1024 };
    ss_state_copy(s->restart, s->state);
    ss_state_edit_statistics(s->restart)->failures++;
    for (int parts = 2; parts <= MOST_PARTS; parts *= 2) {
        int done = 0;
        ss_state_copy(s->state, s->restart);
        while (done < parts) {
            SS_TRY(take_step(s, s->state, dt / parts, s->next, &s->report));
            if (!ss_outcome_accepted(s->report.outcome))
                break;
            accept(s);
            done++;
        }
        if (done == parts)
            return SS_OK;
    }
    return not_converged(s, ss_state_time(s->state), dt / MOST_PARTS, &s->report);
}

static void warn(ss_simulation *s, double t, const ss_solve_report *report)
{
    char failure[512];
    describe_failure(s, report, sizeof failure, failure);
    ss_log(s->context, SS_LOG_WARNING, "t = %.9g s: %s", t, failure);
}

ss_status ss_simulation_try_step(ss_simulation *s, double dt)
{
    SS_TRY(take_step(s, s->state, dt, s->next, &s->report));
    bool converged = ss_outcome_accepted(s->report.outcome);
    if (!converged && s->options.on_failure == SS_FAILURE_STOP)
        return not_converged(s, ss_state_time(s->state), dt, &s->report);
    if (!converged && s->options.on_failure == SS_FAILURE_SHRINK)
        return shrink(s, dt);
    accept(s);
    if (!converged)
        warn(s, ss_state_time(s->state), &s->report);
    return SS_OK;
}

ss_status ss_simulation_step(ss_simulation *s, const ss_state *B, double dt, ss_state *E,
                             ss_solve_report *report)
{
    return take_step(s, B, dt, E, report);
}

ss_status ss_simulation_fail(ss_simulation *s, const ss_state *B, double dt,
                             const ss_solve_report *report)
{
    if (s->options.on_failure != SS_FAILURE_WARN)
        return not_converged(s, ss_state_time(B), dt, report);
    warn(s, ss_state_time(B) + dt, report);
    return SS_OK;
}

void ss_simulation_accept(ss_simulation *s, const ss_state *E, const ss_solve_report *report,
                          int order)
{
    const ss_statistics *before = ss_state_statistics(s->state);
    ss_state_copy(s->next, E);
    ss_statistics *sums = ss_state_edit_statistics(s->next);
    sums->steps = before->steps + 1;
    sums->indeterminate = before->indeterminate + (sums->indeterminate > before->indeterminate);
    sums->not_chosen = before->not_chosen + (sums->not_chosen > before->not_chosen);
    sums->switches = before->switches;
    const int *from = ss_state_mode(s->state), *to = ss_state_mode(E);
    for (int l = 0; l < ss_model_sizes(s->model).n_laws; l++)
        sums->switches += (from[l] == 0) != (to[l] == 0);
    s->report = *report;
    s->order = order;
    accept(s);
}
