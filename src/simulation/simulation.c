/* simulation.c: a simulation and its steps. */
#include "simulation/simulation.h"

#include "model/model.h"
#include "options/options.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static const ss_key common_keys[] = {
    {"end", SS_KEY_REAL, offsetof(ss_simulation_options, end), NULL, DBL_MIN, INFINITY, NULL, "s",
     "Where the run ends."},
    {"on_failure", SS_KEY_CHOICE, offsetof(ss_simulation_options, on_failure), "stop", 0, 0,
     "stop|warn|shrink", "",
     "What to do when a solve does not converge: end the run, go on with a warning, or repeat the step in "
     "halves."},
    {NULL},
};

const ss_key *ss_common_keys(ss_type_kind kind)
{
    return kind == SS_TYPE_SIMULATION ? common_keys : ss_model_keys(kind);
}

ss_status ss_register_simulation(ss_context *context, const ss_simulation_ops *ops)
{
    SS_TRY(ss_register_type(context, SS_TYPE_SIMULATION, &ops->type, sizeof *ops));
    SS_REQUIRE(context, SS_TYPE_SIMULATION, ops, advance);
    return SS_OK;
}

ss_status ss_register_builtin_simulations(ss_context *context)
{
    return ss_register_simulation(context, &ss_constant_ops);
}

static ss_status bind(ss_simulation *s, const ss_args *args, const ss_scope *scope)
{
    const ss_type *type = &s->ops->type;
    void *self;
    SS_TRY(ss_arena_allocate(&s->arena, 1, type->self_size ? type->self_size : 1, &self));
    ss_option_table tables[] = {{type->keys, self}, {common_keys, &s->options}};
    SS_TRY(ss_options_bind_tables(&s->arena, 2, tables, args, scope, "simulation"));
    if (s->ops->init)
        SS_TRY(s->ops->init(self, s->context));
    s->self = self;
    return SS_OK;
}

/* Evaluates the model once where it starts, so that faults show before the first step. */
static ss_status look_at_start(ss_simulation *s)
{
    SS_TRY(ss_work_place(s->work, 0, ss_state_q(s->state)));
    return ss_work_review(s->work, 0, ss_state_q(s->state), ss_state_u(s->state));
}

static ss_status prepare(ss_simulation *s, ss_solver *solver)
{
    ss_model_size size = ss_model_sizes(s->model);
    SS_TRY(ss_work_create(s->model, solver, &s->work));
    SS_TRY(ss_scheme_prepare(s->scheme, s->model));
    SS_TRY(ss_state_create(s->model, &s->state));
    SS_TRY(ss_state_create(s->model, &s->before));
    SS_TRY(ss_state_create(s->model, &s->next));
    SS_TRY(ss_state_create(s->model, &s->restart));
    SS_TRY(SS_ARENA_NEW(&s->arena, size.n_laws, &s->switches));
    return look_at_start(s);
}

ss_status ss_simulation_create(const ss_model *model, ss_solver *solver, ss_scheme *scheme,
                               const char *type, const ss_args *args, const ss_scope *scope,
                               ss_simulation **simulation)
{
    *simulation = NULL;
    ss_context *context = ss_model_context(model);
    const ss_type *found;
    SS_TRY(ss_type_find(context, SS_TYPE_SIMULATION, type, ss_args_location(args, NULL), &found));
    void *memory;
    SS_TRY(ss_allocate(context, 1, sizeof(ss_simulation), &memory));
    ss_simulation *s = memory;
    s->context = context;
    s->model = model;
    s->scheme = scheme;
    s->ops = (const ss_simulation_ops *)found;
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
    ss_state_destroy(s->model, s->state);
    ss_state_destroy(s->model, s->before);
    ss_state_destroy(s->model, s->next);
    ss_state_destroy(s->model, s->restart);
    ss_work_destroy(s->work);
    ss_arena_release(&s->arena);
    ss_release(s->context, s);
}

const ss_model *ss_simulation_model(const ss_simulation *simulation)
{
    return simulation->model;
}

ss_work *ss_simulation_work(const ss_simulation *simulation)
{
    return simulation->work;
}

const ss_simulation_options *ss_simulation_settings(const ss_simulation *simulation)
{
    return &simulation->options;
}

ss_state *ss_simulation_state(const ss_simulation *simulation)
{
    return simulation->state;
}

bool ss_simulation_done(const ss_simulation *simulation)
{
    double t = ss_state_time(simulation->state), end = simulation->options.end;
    return t >= end - 1e-9 * ss_state_dt(simulation->state) - DBL_EPSILON * end;
}

/* The tried state becomes the current one. */
static void accept(ss_simulation *s)
{
    ss_state *old = s->state;
    s->state = s->next;
    s->next = old;
}

/* "the solver: iterations used up after 10000 iterations, residual 0.1, worst law 'beak.gap'" */
static void describe_failure(const ss_simulation *s, size_t room, char *text)
{
    int law = ss_work_block_law(s->work, s->report.residual.worst_block);
    snprintf(text, room, "%s after %d iterations, residual %.3g, worst law '%s'",
             ss_outcome_words(s->report.outcome), s->report.iterations, s->report.residual.value,
             law >= 0 ? ss_model_law(s->model, law).name : "none");
}

static ss_status not_converged(ss_simulation *s, double dt)
{
    char failure[512];
    describe_failure(s, sizeof failure, failure);
    return ss_fail(s->context, SS_NOT_CONVERGED,
                   "the step from t = %.9g s (Δt = %g s) did not converge: %s. More iterations, another "
                   "solver, a smaller step, or on_failure: warn or shrink may help",
                   ss_state_time(s->state), dt, failure);
}

/* Repeats a step in 2, 4, … 1024 parts until all of them converge. */
static ss_status shrink(ss_simulation *s, double dt)
{
    enum { MOST_PARTS = 1024 };
    ss_state_copy(s->restart, s->state);
    ss_state_statistics(s->restart)->failures++;
    for (int parts = 2; parts <= MOST_PARTS; parts *= 2) {
        int done = 0;
        ss_state_copy(s->state, s->restart);
        while (done < parts) {
            SS_TRY(ss_scheme_step(s->scheme, s->work, s->state, dt / parts, s->next, &s->report));
            if (!ss_outcome_accepted(s->report.outcome))
                break;
            accept(s);
            done++;
        }
        if (done == parts)
            return SS_OK;
    }
    return not_converged(s, dt / MOST_PARTS);
}

ss_status ss_simulation_try_step(ss_simulation *s, double dt)
{
    SS_TRY(ss_scheme_step(s->scheme, s->work, s->state, dt, s->next, &s->report));
    bool converged = ss_outcome_accepted(s->report.outcome);
    if (!converged && s->options.on_failure == SS_FAILURE_STOP)
        return not_converged(s, dt);
    if (!converged && s->options.on_failure == SS_FAILURE_SHRINK)
        return shrink(s, dt);
    accept(s);
    if (!converged) {
        char failure[512];
        describe_failure(s, sizeof failure, failure);
        ss_log(s->context, SS_LOG_WARNING, "t = %.9g s: %s", ss_state_time(s->state), failure);
    }
    return SS_OK;
}

/* Laws whose mode differs between two states. */
static int find_switches(ss_simulation *s)
{
    int count = 0;
    int n_laws = ss_model_sizes(s->model).n_laws;
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

ss_status ss_simulation_advance(ss_simulation *s, ss_step *step)
{
    ss_state_copy(s->before, s->state);
    SS_TRY(s->ops->advance(s->self, s));
    *step = (ss_step){
        .state = s->state,
        .report = &s->report,
        .n_switches = find_switches(s),
        .switches = s->switches,
    };
    return SS_OK;
}

ss_status ss_simulation_run(ss_simulation *s, ss_observe_fn observe, void *user)
{
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
