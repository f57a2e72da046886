/* setup.c: options, checks and memory of event-driven integration. */
#include "scheme/general.h"
#include "simulation/event/event.h"

#include "assembly/sources/candidates.h"
#include "base/context.h"
#include "la/small.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>

#define FIELD(name) offsetof(ss_event_driven, options.name)

enum { HYBRID_KEYS = 2 };

static const ss_key keys[] = {
    {"step", SS_KEY_REAL, FIELD(step), SS_AUTO, DBL_MIN, INFINITY, NULL, "s",
     "Size of a step where time-stepping takes over; auto: 1e-5 of the scene's time."},
    {"handover", SS_KEY_REAL, FIELD(handover), SS_AUTO, 0, INFINITY, NULL, "s",
     "Time-stepping takes over when all impacts to come of a geometric sequence would last no "
     "longer than this; auto: 1e-3 of the scene's time."},
    /* event_driven has the keys from here on */
    {"output", SS_KEY_REAL, FIELD(output), NULL, DBL_MIN, INFINITY, NULL, "s",
     "Time between states that are reported, besides those at events."},
    {"method", SS_KEY_CHOICE, FIELD(method), "rkf45", 0, 0, "rkf45|adams|bdf|ida", "",
     "Integrator of smooth motion: Runge, Kutta and Fehlberg's pair, CVODE with Adams' or BDF "
     "formulas, or IDA with the forces of constraints as unknowns."},
    {"relative", SS_KEY_REAL, FIELD(relative), "1e-10", 0, 1, NULL, "",
     "Relative error allowed in a step."},
    {"absolute", SS_KEY_REAL, FIELD(absolute), SS_AUTO, DBL_MIN, INFINITY, NULL,
     "m, rad, m/s, rad/s",
     "Absolute error of positions and velocities allowed in a step; auto: 1e-12 of their sizes in "
     "the scene."},
    {"step_max", SS_KEY_REAL, FIELD(step_max), "0", 0, INFINITY, NULL, "s",
     "Largest step of the integrator; 0: the output interval. Events that undo each other within a "
     "step are not seen."},
    {"slip", SS_KEY_REAL, FIELD(slip), SS_AUTO, DBL_MIN, INFINITY, NULL, "m/s, rad/s",
     "Relative velocity that counts as zero at an event; sliding in a plane ends when it is that "
     "slow; auto: 1e-8 of the scene's speed."},
    {"accumulation", SS_KEY_REAL, FIELD(accumulation), SS_AUTO, 0, INFINITY, NULL, "s",
     "A contact closes when all impacts to come of a geometric sequence would last no longer than "
     "this; auto: 1e-7 of the scene's time."},
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

/* Sets with flat sides or corners: a force on a side moves along it while the velocity stays across, which is neither
 * sticking nor sliding. */
static bool has_sides(const ss_law *law)
{
    ss_law_set set = {0};
    bool more = false;
    if (law->ops->law_class != SS_LAW_FRICTION || law->dim == 1 ||
        (law->flags & SS_LAW_NEVER_ACTIVE) || ss_law_declared_set(law, 0, 0, &set, &more) != SS_OK)
        return false;
    ss_set_kind kind = set.set->kind;
    return kind == SS_SET_POLYGON || kind == SS_SET_CONE || kind == SS_SET_PRODUCT;
}

static ss_status check_laws(const ss_model *model, const ss_table *table)
{
    for (int l = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        if ((law->flags & SS_LAW_IMPRESSED) && law->dim != 1)
            return refuse(law, model, "a law with an impressed force must have one row");
        if (has_sides(law))
            return refuse(
                law, model,
                "its set has flat sides, on which friction neither sticks nor slides; use "
                "time-stepping, 'constant' or 'augmented'");
        if (ss_law_opens(law) && !(law->flags & (SS_LAW_DISTANCE | SS_LAW_IMPRESSED)))
            return refuse(law, model, "it opens and closes, but has no distance");
        if (law->kind == SS_KINEMATIC && (law->flags & SS_LAW_CORRECTED) &&
            law->ops->law_class != SS_LAW_DRIVE)
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

/* Smooth phases have forces of least norm, of rows scaled by their masses. Other choices would hold for impacts only. */
static ss_status check_forces(const ss_event_driven *e)
{
    switch (ss_solver_settings(e->work->solver)->forces) {
    case SS_FORCES_WEIGHTED:
    case SS_FORCES_ENERGY_MIN:
    case SS_FORCES_ENERGY_MAX:
    case SS_FORCES_REGULARIZED:
    case SS_FORCES_CONE_COMPLEMENTARITY:
        return ss_fail(
            e->model->context, SS_UNSUPPORTED,
            "simulation: event-driven integration has forces of least norm in smooth motion: the "
            "solver's 'forces' can be any or minimum_norm; time-stepping heeds the others");
    default:
        return SS_OK;
    }
}

static ss_status reserve_reduced(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    ss_reduced_islands *islands = &r->islands;
    ss_reduced_factors *factors = &r->factors;
    int n = e->size.n_rows, n_u = e->size.n_u, n_G = n * n, n_H = n * n_u;
    factors->scratch_size = 68 * n + 64;
    SS_RESERVE(e->simulation, int, n, &r->row, &r->law, &islands->of_row, &islands->rows,
               &factors->pivots);
    SS_RESERVE(e->simulation, int, n + 1, &islands->start);
    SS_RESERVE(e->simulation, int, e->model->n_systems.count, &islands->parent);
    SS_RESERVE(e->simulation, bool, n, &factors->definite);
    SS_RESERVE(e->simulation, double, n, &r->c, &r->scale, &r->lambda, &factors->x);
    SS_RESERVE(e->simulation, double, n_G, &r->G, &factors->matrix);
    SS_RESERVE(e->simulation, double, n_H, &r->H);
    SS_RESERVE(e->simulation, double, n_u, &r->a_free, &r->a);
    SS_RESERVE(e->simulation, double, factors->scratch_size, &factors->scratch);
    SS_RESERVE(e->simulation, ss_phase, e->size.n_laws, &r->phases);
    r->stale = true;
    return SS_OK;
}

static ss_status reserve(ss_event_driven *e)
{
    ss_event_rows *rows = &e->rows;
    ss_smooth *smooth = &e->smooth;
    ss_model_size n = e->size;
    int n_W = n.n_rows * n.n_u;
    SS_RESERVE(e->simulation, ss_event_law, n.n_laws, &e->laws);
    SS_RESERVE(e->simulation, ss_role, n.n_laws, &e->roles);
    SS_RESERVE(e->simulation, bool, n.n_laws, &e->inelastic);
    SS_RESERVE(e->simulation, ss_block, n.n_laws, &e->transition.blocks);
    SS_RESERVE(e->simulation, int, n.n_laws, &e->transition.laws);
    SS_RESERVE(e->simulation, ss_mode, n.n_laws, &e->transition.modes);
    SS_RESERVE(e->simulation, double, n.n_rows, &rows->gap, &rows->distance, &rows->gamma,
               &rows->zeta_hat, &rows->lambda, &rows->added, &rows->along, &rows->boundary,
               &rows->kept, &e->transition.x, &e->impact);
    SS_RESERVE(e->simulation, double, n_W, &rows->W, &rows->MinvW);
    SS_RESERVE(e->simulation, double, n.n_q, &e->point.q, &e->point.zeros);
    SS_RESERVE(e->simulation, double, n.n_u, &e->point.u, &e->point.h, &e->point.prescribed);
    SS_RESERVE(e->simulation, double, ss_event_numbers(e), &smooth->y, &smooth->y_between,
               &smooth->y_moved, &e->absolute);
    SS_RESERVE(e->simulation, int, ss_event_numbers(e), &smooth->used);
    /* a closed contact has two roots: its force, and the end of its face or edge */
    e->roots.n_switches = ss_work_switch_count(e->work);
    int n_roots = 2 * n.n_laws + e->roots.n_switches;
    SS_RESERVE(e->simulation, ss_root, n_roots, &e->roots.roots);
    SS_RESERVE(e->simulation, int, n_roots, &e->roots.fired, &e->roots.directions);
    SS_RESERVE(e->simulation, double, e->roots.n_switches, &e->roots.switches,
               &e->roots.switch_sizes);
    SS_TRY(ss_work_switch_sizes(e->work, e->roots.switch_sizes));
    SS_TRY(ss_equilibrium_reserve(e->simulation, n.n_rows, n.n_laws, &e->equilibrium));
    return ss_simulation_new_state(e->simulation, &e->found);
}

/* Springs that can rest at their length are active there; others are impressed even there. */
static void find_springs(ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        bool spring = law->kind == SS_GEOMETRIC && (law->flags & SS_LAW_IMPRESSED);
        e->laws[l].single_valued = spring && (law->flags & SS_LAW_NEVER_ACTIVE);
        e->laws[l].spring = spring && !e->laws[l].single_valued;
    }
}

/* The largest relative velocity of a law at the start, or that its acceleration makes until the end, in parts of what counts
 * as zero; without the forces of laws. */
static ss_status find_speed(ss_event_driven *e, double *speed)
{
    ss_state *A = ss_simulation_state(e->simulation);
    double *a = e->reduced.a_free, end = ss_simulation_settings(e->simulation)->end;
    int n_u = e->size.n_u;
    e->point.t_first = DBL_MIN;
    e->point.t_last = INFINITY;
    SS_TRY(ss_event_evaluate(e, ss_state_time(A), ss_state_q(A), ss_state_u(A)));
    ss_event_free_accelerations(e, a);
    *speed = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        for (int i = law->offset; i < law->offset + law->dim; i++) {
            double rate = ss_dot(n_u, e->rows.W + i * n_u, a);
            double most = fmax(fabs(e->rows.gamma[i]), fabs(rate) * end);
            *speed = fmax(*speed, most / e->laws[l].slip);
        }
    }
    return SS_OK;
}

/* Everything is slower than what counts as zero, or nearly. */
static ss_status warn_of_scale(ss_event_driven *e)
{
    const double beside = 1e3, nothing = 1e-6;
    double speed;
    if (isnan(e->options.slip))
        return SS_OK;
    SS_TRY(find_speed(e, &speed));
    if (speed < beside && speed > nothing)
        ss_log(e->model->context, SS_LOG_WARNING,
               "simulation: no law moves faster than %.2g m/s or rad/s at the start, and slip: %g "
               "counts as zero. A smaller slip, or auto, may be needed",
               speed * e->options.slip, e->options.slip);
    return SS_OK;
}

static double or_default(double option, double by_default)
{
    return isnan(option) ? by_default : option;
}

/* What options leave to the sizes of the scene. */
static void take_sizes(ss_event_driven *e)
{
    const ss_sizes *sizes = &e->work->sizes;
    ss_event_options *o = &e->options;
    int n_q = e->size.n_q, n_u = e->size.n_u, n = ss_event_numbers(e);
    o->step = or_default(o->step, 1e-5 * sizes->time);
    o->handover = or_default(o->handover, 1e-3 * sizes->time);
    o->accumulation = or_default(o->accumulation, 1e-7 * sizes->time);
    for (int l = 0; l < e->size.n_laws; l++) {
        e->laws[l].slip = or_default(o->slip, SS_EVENT_SLIP * ss_work_speed_size(e->work, l));
        e->laws[l].drift = 1e-9 * ss_work_gap_size(e->work, l);
    }
    for (int i = 0; i < n; i++) {
        double size = i < n_q ? sizes->q[i] : i < n_q + n_u ? sizes->u[i - n_q] : sizes->energy;
        e->absolute[i] = or_default(o->absolute, SS_EVENT_ABSOLUTE * size);
    }
    for (int l = 0; isnan(o->absolute) && l < e->size.n_laws; l++) { /* impulses */
        const ss_law *law = &e->table->laws[l];
        for (int i = law->offset; i < law->offset + law->dim; i++)
            e->absolute[n_q + n_u + i] /= ss_work_speed_size(e->work, l);
    }
    for (int i = ss_event_common_numbers(e); isnan(o->absolute) && i < n; i++) /* forces */
        e->absolute[i] /= sizes->length;
}

static ss_status prepare(void *self, ss_simulation *simulation)
{
    ss_event_driven *e = self;
    e->simulation = simulation;
    e->work = ss_simulation_work(simulation);
    e->model = ss_simulation_model(simulation);
    e->table = &e->work->table;
    e->size = ss_work_sizes(e->work);
    simulation->impact =
        e->options.impact == SS_EVENT_POISSON ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
    if (!e->hybrid) /* hybrid has steps of the scheme, too */
        SS_TRY(ss_simulation_refuse_shrink(simulation));
    SS_TRY(check_systems(e->model));
    SS_TRY(check_laws(e->model, e->table));
    SS_TRY(check_forces(e));
    const char *reason =
        e->options.impact == SS_EVENT_POISSON ? ss_events_refuses(NULL, e->model) : NULL;
    if (reason)
        return ss_fail(e->model->context, SS_UNSUPPORTED, "simulation 'event_driven': %s", reason);
    e->contacts_vanish = ss_work_contacts_vanish(e->work);
    SS_TRY(reserve(e));
    take_sizes(e);
    SS_TRY(reserve_reduced(e));
    find_springs(e);
    SS_TRY(warn_of_scale(e));
    return ss_event_make_integrators(e);
}

static void destroy(void *self, ss_context *context)
{
    ss_event_driven *e = self;
    (void)context;
    ss_integrator_destroy(e->smooth.chosen);
    ss_integrator_destroy(e->smooth.implicit);
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
