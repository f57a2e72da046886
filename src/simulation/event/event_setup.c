/* event_setup.c: options, checks and memory of event-driven integration. */
#include "scheme/impact.h"
#include "simulation/event/event_driven.h"

#include "assembly/sources/expanded.h"
#include "base/context.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>

#define FIELD(name) offsetof(ss_event_driven, name)

enum { HYBRID_KEYS = 2 };

static const ss_key keys[] = {
    {"step", SS_KEY_REAL, FIELD(step), "1e-5", DBL_MIN, INFINITY, NULL, "s",
     "Size of a step where time-stepping takes over."},
    {"handover", SS_KEY_REAL, FIELD(handover), "1e-3", 0, INFINITY, NULL, "s",
     "Time-stepping takes over when all impacts to come of a geometric sequence would last no "
     "longer than this."},
    /* event_driven has those from here on */
    {"output", SS_KEY_REAL, FIELD(output), NULL, DBL_MIN, INFINITY, NULL, "s",
     "Time between states that are reported, besides those at events."},
    {"method", SS_KEY_CHOICE, FIELD(method), "rkf45", 0, 0, "rkf45|adams|bdf|ida", "",
     "Integrator of smooth motion: Runge, Kutta and Fehlberg's pair, CVODE with Adams' or BDF "
     "formulas, or IDA with the forces of constraints as unknowns."},
    {"relative", SS_KEY_REAL, FIELD(relative), "1e-10", 0, 1, NULL, "",
     "Relative error allowed in a step."},
    {"absolute", SS_KEY_REAL, FIELD(absolute), "1e-12", DBL_MIN, INFINITY, NULL,
     "m, rad, m/s, rad/s", "Absolute error of positions and velocities allowed in a step."},
    {"step_max", SS_KEY_REAL, FIELD(step_max), "0", 0, INFINITY, NULL, "s",
     "Largest step of the integrator; 0: the output interval. Events that undo each other within a "
     "step are not seen."},
    {"slip", SS_KEY_REAL, FIELD(slip), "1e-8", DBL_MIN, INFINITY, NULL, "m/s, rad/s",
     "Relative velocity that counts as zero at an event; sliding in a plane ends when it is that "
     "slow."},
    {"accumulation", SS_KEY_REAL, FIELD(accumulation), "1e-7", 0, INFINITY, NULL, "s",
     "A contact closes when all impacts to come of a geometric sequence would last no longer than "
     "this."},
    {"impact", SS_KEY_CHOICE, FIELD(impact), "newton", 0, 0, "newton|poisson", "",
     "Impact law: Newton's, -(γ⁺ + ε γ⁻) ∈ N(P); or Poisson's, compression and expansion as two "
     "inclusions."},
    {"breaks", SS_KEY_REALS, FIELD(breaks), "", 0, INFINITY, NULL, "s",
     "Times at which a step ends: where loads jump."},
    {NULL},
};

static ss_status refuse(const ss_law *law, const ss_model *model, const char *why)
{
    return ss_fail_at(model->context, SS_UNSUPPORTED, law->object.where,
                      "%s: event-driven integration cannot treat it: %s", law->object.owner, why);
}

/* Whether the correction of a kinematic law does anything: that of a bilateral one is for gaps. */
static ss_status corrects(const ss_law *law, bool *any)
{
    double zeros[SS_SET_MAX_DIM] = {0}, c[SS_SET_MAX_DIM] = {0};
    ss_law_at at = {.dt = 1, .dim = law->dim, .g = zeros, .gamma = zeros};
    *any = false;
    if (law->kind != SS_KINEMATIC || !law->ops->correction || law->ops->drive)
        return SS_OK;
    SS_TRY(law->ops->correction(law->object.self, &at, c));
    for (int i = 0; i < law->dim; i++)
        *any = *any || c[i] != 0;
    return SS_OK;
}

static ss_status check_laws(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++) {
        const ss_law *law = &model->laws[l];
        if (law->ops->impressed && law->dim != 1)
            return refuse(law, model, "a law with an impressed force must have one row");
        if (law->ops->level && !law->ops->distance && !law->ops->impressed)
            return refuse(law, model, "it opens and closes, but has no distance");
        bool corrected;
        SS_TRY(corrects(law, &corrected));
        if (corrected)
            return refuse(law, model,
                          "it gives a velocity, not an acceleration; use time-stepping");
    }
    return SS_OK;
}

static ss_status check_systems(const ss_model *model)
{
    for (int s = 0; s < model->n_systems.count; s++)
        if (model->systems[s].prescribed && !model->systems[s].ops->acceleration)
            return ss_fail_at(
                model->context, SS_UNSUPPORTED, model->systems[s].object.where,
                "%s: event-driven integration cannot treat it: its motion is prescribed, "
                "and its type has no function 'acceleration'; use time-stepping",
                model->systems[s].object.owner);
    return SS_OK;
}

#define CAPACITY(count, pointer)                                                      \
    SS_TRY(ss_simulation_allocate(e->simulation, (size_t)(count), sizeof **(pointer), \
                                  (void **)(pointer)))

static ss_status allocate_laws(ss_event_driven *e)
{
    int n = e->size.n_laws;
    CAPACITY(n, &e->phase);
    CAPACITY(n, &e->touching);
    CAPACITY(n, &e->leaving);
    CAPACITY(n, &e->from_rest);
    CAPACITY(n, &e->rest);
    CAPACITY(n, &e->hold);
    CAPACITY(n, &e->passing);
    CAPACITY(n, &e->was_closed);
    CAPACITY(n, &e->stored);
    CAPACITY(n, &e->plain);
    CAPACITY(n, &e->sign);
    CAPACITY(n, &e->roles);
    CAPACITY(n, &e->set);
    CAPACITY(n, &e->unit);
    CAPACITY(n, &e->pressure);
    CAPACITY(n, &e->coupled);
    CAPACITY(n, &e->impacts);
    CAPACITY(n, &e->blocks);
    CAPACITY(n, &e->block_laws);
    CAPACITY(n, &e->block_modes);
    return SS_OK;
}

/* Springs that hold a length are at rest there, level active; others are impressed even there. */
static ss_status find_plain(ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->model->laws[l];
        double length = 0;
        ss_level level = SS_LEVEL_ACTIVE;
        ss_law_at at = {.dt = 1, .dim = 1, .g = &length};
        if (law->kind == SS_GEOMETRIC && law->ops->impressed)
            SS_TRY(law->ops->level(law->object.self, &at, &level));
        e->plain[l] = level == SS_LEVEL_IMPRESSED;
    }
    return SS_OK;
}

/* A closed contact has two: its force, and what it stands on. */
static ss_status allocate_roots(ss_event_driven *e)
{
    e->n_switches = ss_model_switch_count(e->model);
    int n = 2 * e->size.n_laws + e->n_switches;
    CAPACITY(n, &e->roots);
    CAPACITY(n, &e->fired);
    CAPACITY(n, &e->directions);
    CAPACITY(e->n_switches, &e->switches);
    return SS_OK;
}

static ss_status allocate_rows(ss_event_driven *e)
{
    int n = e->size.n_rows, n_u = e->size.n_u;
    double **rows[] = {&e->along,    &e->lambda,   &e->added, &e->gamma,   &e->zeta_hat, &e->gap,
                       &e->distance, &e->boundary, &e->c,     &e->block_x, &e->kept};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CAPACITY(n, rows[i]);
    CAPACITY(n * n_u, &e->W);
    CAPACITY(n * n_u, &e->MinvW);
    CAPACITY(n * n_u, &e->H);
    CAPACITY(n * n, &e->G);
    CAPACITY(n * n, &e->solve_matrix);
    CAPACITY(n, &e->solve_scale);
    CAPACITY(n, &e->solution);
    e->solve_capacity = 68 * n + 64;
    CAPACITY(e->solve_capacity, &e->solve_work);
    CAPACITY(n, &e->held);
    CAPACITY(n, &e->closed_law);
    CAPACITY(n, &e->group);
    CAPACITY(n, &e->group_rows);
    CAPACITY(n + 1, &e->group_start);
    CAPACITY(n, &e->definite);
    CAPACITY(n, &e->group_x);
    CAPACITY(e->model->n_systems.count, &e->joined);
    CAPACITY(n, &e->pivots);
    return SS_OK;
}

static ss_status allocate_motion(ss_event_driven *e)
{
    CAPACITY(e->size.n_q, &e->q);
    CAPACITY(e->size.n_u, &e->u);
    CAPACITY(e->size.n_u, &e->h);
    CAPACITY(e->size.n_u, &e->driven);
    CAPACITY(e->size.n_u, &e->a_free);
    CAPACITY(e->size.n_u, &e->a);
    CAPACITY(e->size.n_q, &e->zeros);
    CAPACITY(ss_event_numbers(e), &e->y);
    CAPACITY(ss_event_numbers(e), &e->y_before);
    CAPACITY(ss_event_numbers(e), &e->y_moved);
    CAPACITY(ss_event_numbers(e), &e->used);
    return ss_simulation_new_state(e->simulation, &e->found);
}

static ss_status make_integrators(ss_event_driven *e)
{
    int n = ss_event_numbers(e);
    ss_integrator_setup setup = {
        .method = (ss_integrator_method)e->method,
        .n = n,
        .n_algebraic = n - ss_event_common_numbers(e),
        .relative = e->relative,
        .absolute = e->absolute,
        .step_max = e->step_max > 0 ? e->step_max : e->output,
        .rates = ss_event_rates,
        .roots = ss_event_root_values,
        .residual = ss_event_residual,
        .linearize = ss_event_linearize,
        .column = ss_event_column,
        .known_column = ss_event_known_column,
        .user = e,
    };
    SS_TRY(ss_integrator_create(e->model->context, &setup, &e->chosen));
    if (e->method == SS_METHOD_BDF || e->method == SS_METHOD_IDA)
        return SS_OK;
    setup.method = SS_METHOD_BDF; /* errors of its many first steps, of low order, have one sign */
    setup.relative /= 10;
    setup.absolute /= 10;
    return ss_integrator_create(e->model->context, &setup, &e->implicit);
}

static ss_status prepare(void *self, ss_simulation *simulation)
{
    ss_event_driven *e = self;
    e->simulation = simulation;
    e->work = ss_simulation_work(simulation);
    e->model = ss_simulation_model(simulation);
    e->size = ss_model_sizes(e->model);
    SS_TRY(check_systems(e->model));
    SS_TRY(check_laws(e->model));
    const char *reason = e->impact == SS_EVENT_POISSON ? ss_events_refuses(NULL, e->model) : NULL;
    if (reason)
        return ss_fail(e->model->context, SS_UNSUPPORTED, "simulation 'event_driven': %s", reason);
    e->stale = true;
    e->contacts_go = ss_model_contacts_vanish(e->model);
    SS_TRY(allocate_laws(e));
    SS_TRY(find_plain(e));
    SS_TRY(allocate_roots(e));
    SS_TRY(allocate_rows(e));
    SS_TRY(allocate_motion(e));
    return make_integrators(e);
}

static void destroy(void *self, ss_context *context)
{
    ss_event_driven *e = self;
    (void)context;
    ss_integrator_destroy(e->chosen);
    ss_integrator_destroy(e->implicit);
}

const ss_simulation_ops ss_event_driven_ops = {
    .type = {SS_ABI, sizeof(ss_simulation_ops), "event_driven",
             "Event-driven: an integrator between events that are found exactly; for few contacts.",
             sizeof(ss_event_driven), keys + HYBRID_KEYS},
    .destroy = destroy,
    .memory = ss_event_memory,
    .prepare = prepare,
    .advance = ss_event_advance,
};

static ss_status init_hybrid(void *self, ss_context *context)
{
    ss_event_driven *e = self;
    (void)context;
    e->hybrid = true;
    return SS_OK;
}

const ss_simulation_ops ss_hybrid_ops = {
    .type = {SS_ABI, sizeof(ss_simulation_ops), "hybrid",
             "Event-driven, with time-stepping where impacts accumulate or events do not settle.",
             sizeof(ss_event_driven), keys},
    .init = init_hybrid,
    .destroy = destroy,
    .memory = ss_event_memory,
    .prepare = prepare,
    .advance = ss_event_advance,
};
