/* simulation.c: a simulation and its steps. */
#include "simulation/simulation.h"
#include "base/context.h"

#include "assembly/after/certify.h"
#include "assembly/sources/candidates.h"
#include "options/options.h"
#include "scheme/builtin.h"
#include "solver/choice.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A choice fills an int. */
_Static_assert(sizeof(ss_on_failure) == sizeof(int), "ss_on_failure is filled by a choice");

static const ss_key common_keys[] = {
    {"end", SS_KEY_REAL, offsetof(ss_simulation_options, end), NULL, DBL_MIN, INFINITY, NULL, "s",
     "Where the run ends."},
    {"on_failure", SS_KEY_CHOICE, offsetof(ss_simulation_options, on_failure), "stop", 0, 0,
     "stop|warn|shrink", "",
     "What to do when a solve does not converge: end the run, go on with a warning, or repeat the "
     "step in "
     "halves."},
    {"certify", SS_KEY_BOOL, offsetof(ss_simulation_options, certify), "false", 0, 0, NULL, "",
     "Check every accepted step against the laws themselves, apart from the solver: no contact "
     "pulls, friction stays in its cone and opposes slip, what acts is closed, impacts come back "
     "with their restitution, impulses make the velocities."},
    {"allow", SS_KEY_TEXTS, offsetof(ss_simulation_options, allow), "", 0, 0, NULL, "",
     "Doubts that do not fail the run, where they are known and meant: convergence, laws, energy, "
     "growth, tunnelling."},
    {NULL},
};

const ss_key *ss_common_keys(ss_type_kind kind)
{
    if (kind == SS_TYPE_SOLVER)
        return ss_solver_common_keys;
    return kind == SS_TYPE_SIMULATION ? common_keys : ss_model_keys(kind);
}

static ss_status check(ss_context *context, const void *opaque)
{
    const ss_simulation_ops *ops = opaque;
    SS_REQUIRE(context, SS_TYPE_SIMULATION, ops, advance);
    return SS_OK;
}

ss_status ss_register_simulation(ss_context *context, const ss_simulation_ops *ops)
{
    return ss_register_type(context, SS_TYPE_SIMULATION, ops ? &ops->type : NULL, sizeof *ops,
                            check);
}

ss_status ss_register_builtin_simulations(ss_context *context)
{
    SS_TRY(ss_register_simulation(context, &ss_constant_ops));
    SS_TRY(ss_register_simulation(context, &ss_augmented_ops));
    SS_TRY(ss_register_simulation(context, &ss_event_driven_ops));
    return ss_register_simulation(context, &ss_hybrid_ops);
}

static ss_status bind(ss_simulation *s, const ss_args *args, const ss_scope *scope)
{
    const ss_type *type = &s->ops->type;
    void *self;
    SS_TRY(ss_arena_allocate(&s->arena, 1, type->self_size ? type->self_size : 1, &self));
    ss_type_start(type, self);
    ss_option_table tables[] = {{type->keys, self}, {common_keys, &s->options}};
    SS_TRY(ss_options_bind_tables(&s->arena, 2, tables, args, scope, "simulation"));
    SS_TRY(ss_simulation_read_allowed(s));
    if (s->ops->init)
        SS_TRY(s->ops->init(self, s->context));
    s->self = self;
    return SS_OK;
}

/* How contacts of shapes reach the scheme: a type that does not treat them has all that can be as laws. */
static ss_follow follow_of(const ss_simulation *s)
{
    if (s->model->contact_capacity == 0)
        return SS_FOLLOW_NONE;
    if (!s->ops->contacts)
        return SS_FOLLOW_RUN;
    return ss_scheme_contacts(s->scheme, s->model) == SS_CONTACTS_FOLLOWED ? SS_FOLLOW_STEP
                                                                           : SS_FOLLOW_NONE;
}

static ss_status reserve_scheme(ss_simulation *s)
{
    ss_model_size size = ss_work_sizes(s->work);
    return ss_scheme_reserve(s->scheme, s->model, &size);
}

static ss_status prepare(ss_simulation *s, ss_solver *solver)
{
    s->follow = follow_of(s);
    SS_TRY(ss_work_create_following(s->model, solver, s->follow, &s->work));
    SS_TRY(ss_scheme_prepare(s->scheme, s->model));
    SS_TRY(reserve_scheme(s));
    ss_state **states[] = {&s->state, &s->before, &s->next, &s->restart, &s->begin};
    for (int i = 0; i < (s->follow == SS_FOLLOW_STEP ? 5 : 4); i++)
        SS_TRY(ss_simulation_new_state(s, states[i]));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->model->n_laws.count, &s->switches));
    /* the model is evaluated once where it starts, so that faults show before the first step */
    SS_TRY(ss_work_evaluate(s->work, 0, ss_state_q(s->state)));
    SS_TRY(ss_work_check_solver(s->work, ss_scheme_abilities(s->scheme).refresh));
    SS_TRY(ss_work_review(s->work, 0, ss_state_edit_q(s->state), ss_state_edit_u(s->state)));
    if (s->options.certify)
        SS_TRY(ss_work_start_certifying(s->work));
    return s->ops->prepare ? s->ops->prepare(s->self, s) : SS_OK;
}

ss_status ss_simulation_create(const ss_model *model, ss_solver *solver, ss_scheme *scheme,
                               const char *type, const ss_args *args, const ss_scope *scope,
                               ss_simulation **simulation)
{
    SS_GIVEN(NULL, model);
    SS_GIVEN(model->context, solver);
    SS_GIVEN(model->context, scheme);
    SS_GIVEN(model->context, type);
    SS_GIVEN(model->context, simulation);
    *simulation = NULL;
    ss_context *context = ss_model_context(model);
    const ss_type *found;
    SS_TRY(ss_type_find(context, SS_TYPE_SIMULATION, type, ss_args_location(args, NULL), &found));
    ss_simulation *s;
    SS_TRY(SS_NEW(context, 1, &s));
    s->context = context;
    s->model = model;
    s->scheme = scheme;
    s->ops = (const ss_simulation_ops *)found;
    s->impact = ss_scheme_abilities(scheme).impact;
    ss_arena_init(&s->arena, context);
    ss_status status = bind(s, args, scope);
    if (status == SS_OK)
        status = prepare(s, solver);
    if (status != SS_OK) {
        ss_simulation_destroy(s);
        return status;
    }
    *simulation = s;
    return SS_OK;
}

void ss_simulation_destroy(ss_simulation *s)
{
    if (!s)
        return;
    if (s->self && s->ops->destroy)
        s->ops->destroy(s->self, s->context);
    for (const ss_state_list *node = s->states; node; node = node->next)
        ss_state_destroy(node->state);
    ss_work_destroy(s->work);
    ss_arena_release(&s->arena);
    ss_release(s->context, s);
}

const ss_model *ss_simulation_model(const ss_simulation *simulation)
{
    return simulation->model;
}

ss_work *ss_simulation_work(ss_simulation *simulation)
{
    return simulation->work;
}

const ss_simulation_options *ss_simulation_settings(const ss_simulation *simulation)
{
    return &simulation->options;
}

ss_scheme *ss_simulation_scheme(ss_simulation *simulation)
{
    return simulation->scheme;
}

ss_status ss_simulation_allocate(ss_simulation *simulation, size_t count, size_t size,
                                 void **memory)
{
    return ss_arena_allocate(&simulation->arena, count, size, memory);
}

ss_status ss_simulation_reserve(ss_simulation *simulation, size_t count, size_t size, size_t n,
                                void ***pointers)
{
    for (size_t i = 0; i < n; i++)
        SS_TRY(ss_arena_allocate(&simulation->arena, count, size, pointers[i]));
    return SS_OK;
}

ss_status ss_simulation_new_state(ss_simulation *simulation, ss_state **state)
{
    ss_state_list *node;
    const ss_simulation_ops *ops = simulation->ops;
    ss_state_space space = ss_work_state_space(simulation->work);
    space.memory = ops->memory ? ops->memory(simulation->self, simulation->work) : 0;
    space.own = ss_scheme_state_size(simulation->scheme, simulation->model);
    *state = NULL;
    SS_TRY(SS_ARENA_NEW(&simulation->arena, 1, &node));
    SS_TRY(ss_state_create_with(simulation->model, &space, &node->state));
    node->next = simulation->states;
    simulation->states = node;
    *state = node->state;
    return SS_OK;
}

ss_state *ss_simulation_state(ss_simulation *simulation)
{
    return simulation->state;
}

bool ss_simulation_done(const ss_simulation *simulation)
{
    double t = ss_state_time(simulation->state), end = simulation->options.end;
    return t >= end - 1e-9 * ss_state_dt(simulation->state) - DBL_EPSILON * end;
}

/* ---- Steps of the scheme, and what happens when their solve fails ---- */

/* What switched from one state to another, beside what the first one counts. */
static void count_switches(const ss_simulation *s, const ss_state *B, ss_state *E)
{
    ss_statistics *sums = ss_state_edit_statistics(E);
    const int *from = ss_state_mode(B), *to = ss_state_mode(E);
    sums->switches = ss_state_statistics(B)->switches;
    for (int l = 0; l < s->model->n_laws.count; l++)
        sums->switches += (from[l] == 0) != (to[l] == 0);
}

/* A step with the contacts that may close within it as laws of their own. */
static ss_status follow_step(ss_simulation *s, double dt, ss_state *E, ss_solve_report *report)
{
    bool changed;
    SS_TRY(ss_candidates_collect(s->work, dt, s->begin, &changed));
    if (changed)
        SS_TRY(reserve_scheme(s));
    SS_TRY(ss_scheme_step(s->scheme, s->work, s->begin, dt, E, report));
    return ss_candidates_report(s->work, E);
}

ss_status ss_simulation_step(ss_simulation *s, const ss_state *B, double dt, ss_state *E,
                             ss_solve_report *report)
{
    if (!(dt > 0 && isfinite(dt)))
        return ss_fail(s->context, SS_INPUT, "a step of %g s is asked for; it must be > 0", dt);
    if (s->follow != SS_FOLLOW_STEP)
        return ss_scheme_step(s->scheme, s->work, B, dt, E, report);
    ss_state_copy(s->begin, B);
    ss_status status = follow_step(s, dt, E, report);
    ss_candidates_drop(s->work);
    if (status == SS_OK)
        count_switches(s, B, E);
    return status;
}

/* The tried state becomes the current one. */
static void accept(ss_simulation *s)
{
    ss_state *old = s->state;
    s->state = s->next;
    s->next = old;
}

/* "iterations used up after 10000 iterations, residual 0.1, worst law 'beak.gap'", and why; *proved: there is no solution. */
static ss_status describe_failure(const ss_simulation *s, const ss_solve_report *report,
                                  size_t capacity, char *text, bool *proved)
{
    *proved = false;
    ss_name law = ss_work_block_name(s->work, report->residual.worst_block);
    int used = snprintf(text, capacity, "%s after %d iterations, residual %.3g, worst law '%s'",
                        ss_outcome_name(report->outcome), report->iterations,
                        report->residual.value, law.text);
    return used >= 0 && (size_t)used < capacity
               ? ss_work_explain_failure(s->work, capacity - (size_t)used, text + used, proved)
               : SS_OK;
}

/* What may help. */
static const char *remedy(const ss_simulation *s)
{
    const char *solver = ss_solver_name(s->work->solver);
    bool prox = strcmp(solver, "sorprox") == 0 || strcmp(solver, "jorprox") == 0;
    return prox
               ? "More iterations, another r (row_sum, spectral), the solver auto, a smaller step, "
                 "or on_failure: warn or shrink may help"
               : "More iterations, another solver, a smaller step, or on_failure: warn or shrink "
                 "may help";
}

static ss_status not_converged(ss_simulation *s, double t, double dt, const ss_solve_report *report)
{
    char failure[512];
    bool proved;
    SS_TRY(describe_failure(s, report, sizeof failure, failure, &proved));
    char what[64] = "impact";
    if (dt > 0)
        snprintf(what, sizeof what, "step (Δt = %g s)", dt);
    return ss_fail(s->context, SS_NOT_CONVERGED, "t = %.9g s: the %s did not converge: %s. %s", t,
                   what, failure,
                   proved ? "One of them must give way: take it out, or give it a limit or a spring"
                          : remedy(s));
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
            SS_TRY(ss_simulation_step(s, s->state, dt / parts, s->next, &s->report));
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

static ss_status warn(ss_simulation *s, double t, const ss_solve_report *report)
{
    char failure[512];
    bool proved;
    SS_TRY(describe_failure(s, report, sizeof failure, failure, &proved));
    ss_log(s->context, SS_LOG_WARNING, "t = %.9g s: %s", t, failure);
    return SS_OK;
}

ss_status ss_simulation_try_step(ss_simulation *s, double dt)
{
    SS_TRY(ss_simulation_step(s, s->state, dt, s->next, &s->report));
    bool converged = ss_outcome_accepted(s->report.outcome);
    if (!converged && s->options.on_failure == SS_FAILURE_STOP)
        return not_converged(s, ss_state_time(s->state), dt, &s->report);
    if (!converged && s->options.on_failure == SS_FAILURE_SHRINK)
        return shrink(s, dt);
    accept(s);
    if (converged)
        return SS_OK;
    ss_state_edit_statistics(s->state)->unconverged++;
    return warn(s, ss_state_time(s->state), &s->report);
}

ss_status ss_simulation_refuse_shrink(const ss_simulation *s)
{
    if (s->options.on_failure != SS_FAILURE_SHRINK)
        return SS_OK;
    return ss_fail(s->context, SS_INPUT,
                   "simulation: 'on_failure: shrink' does nothing here: '%s' chooses its steps "
                   "itself; 'stop' and 'warn' do",
                   s->ops->type.name);
}

ss_status ss_simulation_fail(ss_simulation *s, const ss_state *B, double dt,
                             const ss_solve_report *report)
{
    if (s->options.on_failure != SS_FAILURE_WARN)
        return not_converged(s, ss_state_time(B), dt, report);
    warn(s, ss_state_time(B) + dt, report);
    s->failed = true;
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
    sums->unexamined = before->unexamined + (sums->unexamined > before->unexamined);
    sums->not_chosen = before->not_chosen + (sums->not_chosen > before->not_chosen);
    sums->unconverged = before->unconverged + s->failed;
    s->failed = false;
    count_switches(s, s->state, s->next);
    s->report = *report;
    s->order = order;
    accept(s);
}

/* ---- Accepted steps ---- */

/* Laws whose mode differs between two states. */
static int find_switches(ss_simulation *s)
{
    int count = 0;
    int n_laws = s->model->n_laws.count;
    const int *from = ss_state_mode(s->before), *to = ss_state_mode(s->state);
    for (int l = 0; l < n_laws; l++)
        if ((from[l] == 0) != (to[l] == 0))
            s->switches[count++] = (ss_switch){
                .t = ss_state_time(s->state),
                .law = l,
                .from = from[l] == 0 ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED,
                .to = to[l] == 0 ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED,
            };
    return count;
}

/* Impact laws with different coefficients may add energy (Leine & Baumann): said for the first few
 * impacts, counted for all. */
static void warn_of_gains(const ss_simulation *s)
{
    enum { MOST_WARNINGS = 5 };
    const ss_statistics *before = ss_state_statistics(s->before),
                        *now = ss_state_statistics(s->state);
    if (now->gains == before->gains || before->gains >= MOST_WARNINGS)
        return;
    ss_log(s->context, SS_LOG_WARNING,
           "t = %.9g s: an impact added %.3g J of energy; its restitution coefficients, those of "
           "friction included, are not compatible (stickslip analyse says more)%s",
           ss_state_time(s->state), now->gained - before->gained,
           now->gains >= MOST_WARNINGS ? "; further ones are counted only" : "");
}

static void warn_of_violations(const ss_simulation *s)
{
    enum { MOST_WARNINGS = 5 };
    const ss_statistics *before = ss_state_statistics(s->before),
                        *now = ss_state_statistics(s->state);
    const ss_violation *v = &now->violation;
    if (now->violations == before->violations || before->violations >= MOST_WARNINGS)
        return;
    ss_log(s->context, SS_LOG_WARNING, "t = %.9g s: %s: %s (first at t = %.9g s, by %.3g %s)%s",
           ss_state_time(s->state), v->law, ss_breach_text((ss_breach)v->kind), v->t, v->size,
           ss_breach_unit((ss_breach)v->kind),
           now->violations >= MOST_WARNINGS ? "; further ones are counted only" : "");
}

/* A step whose contacts are laws for the whole run. If it fails, the state is what it was. */
static ss_status follow_run(ss_simulation *s)
{
    ss_candidates_recall(s->work, s->state);
    ss_status status = s->ops->advance(s->self, s);
    if (status == SS_OK)
        status = ss_candidates_report(s->work, s->state);
    if (status != SS_OK) {
        ss_state_copy(s->state, s->before);
        return status;
    }
    count_switches(s, s->before, s->state);
    return SS_OK;
}

ss_status ss_simulation_advance(ss_simulation *s, ss_step *step)
{
    SS_GIVEN(NULL, s);
    SS_GIVEN(s->context, step);
    ss_state_copy(s->before, s->state);
    s->order = 0;
    s->failed = false;
    ss_status status = s->follow == SS_FOLLOW_RUN ? follow_run(s) : s->ops->advance(s->self, s);
    if (status == SS_STOPPED) /* in the midst of a step, of which parts may have been taken */
        ss_state_copy(s->state, s->before);
    SS_TRY(status);
    warn_of_gains(s);
    warn_of_violations(s);
    *step = (ss_step){
        .state = s->state,
        .report = &s->report,
        .order = s->order,
        .n_switches = find_switches(s),
        .switches = s->switches,
    };
    return SS_OK;
}

ss_status ss_simulation_run(ss_simulation *s, ss_observe_fn observe, void *user)
{
    SS_GIVEN(NULL, s);
    ss_step step = {.state = s->state};
    if (observe && ss_state_statistics(s->state)->steps == 0)
        SS_TRY(observe(user, s, &step));
    while (!ss_simulation_done(s)) {
        SS_TRY(ss_simulation_advance(s, &step));
        if (observe)
            SS_TRY(observe(user, s, &step));
    }
    return SS_OK;
}
