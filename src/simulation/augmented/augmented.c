/* augmented.c: augmented time-stepping: step-size adjustment and extrapolation (S6).
 *
 * Smooth parts of the motion are stepped with high order, switches are localized and stepped over
 * with the least step size Δt_min. A step in which a law changes its side is not accepted; it is
 * made smaller until the step of least size is left, which is accepted whatever the modes. Switches
 * nearer to each other than Δt_min, and so accumulation points, are therefore passed like a single
 * one. Where Δt_min is too small to get anywhere (rounding, or one switch after another) the least
 * step grows until it does.
 */
#include "simulation/augmented/augmented.h"

#include "assembly/sources/candidates.h"
#include "base/context.h"
#include "la/elementary.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FIELD(name) offsetof(ss_augmented, name)

static const ss_key keys[] = {
    {"step_max", SS_KEY_REAL, FIELD(step_max), NULL, DBL_MIN, INFINITY, NULL, "s",
     "Largest step Δt_max, in smooth parts of the motion."},
    {"step_min", SS_KEY_REAL, FIELD(step_min), "0", 0, INFINITY, NULL, "s",
     "Least step Δt_min, with which switches are resolved; 0: from K_t."},
    {"K_t", SS_KEY_REAL, FIELD(K_t), "0", 0, INFINITY, NULL, "",
     "With a fixed order p: Δt_min = K_t Δt_max^p, instead of step_min.", "order>0"},
    {"order", SS_KEY_INT, FIELD(order), "0", 0, SS_EXTRAPOLATION_MOST, NULL, "",
     "Fixed order of smooth steps; 0: as the tolerances demand."},
    {"order_max", SS_KEY_INT, FIELD(order_max), "6", 2, SS_EXTRAPOLATION_MOST, NULL, "",
     "Highest order; when it is not enough the step becomes smaller.", "order=0"},
    {"substeps", SS_KEY_CHOICE, FIELD(substeps), "growing", 0, 0, "growing|odd|all", "",
     "Numbers of substeps that are extrapolated: 1, 3, 5, 7, 9, 13, 17, 25, …, or 1, 3, 5, …, or "
     "1, 2, 3, …",
     "order!=1"},
    {"localize", SS_KEY_CHOICE, FIELD(localize), "look_ahead", 0, 0, "look_ahead|regula_falsi", "",
     "How a switch is found: by a look ahead of Δt_min and halving, or by dropping back to the "
     "start of the step before and regula falsi."},
    {"absolute_q", SS_KEY_REAL, FIELD(absolute_q), SS_AUTO, DBL_MIN, INFINITY, NULL, "m, rad",
     "Absolute error of a position allowed in a step; auto: 1e-8 of its size in the scene.",
     "order=0"},
    {"relative_q", SS_KEY_REAL, FIELD(relative_q), "1e-8", 0, 1, NULL, "",
     "Relative error of a position allowed in a step, besides the absolute one.", "order=0"},
    {"absolute_u", SS_KEY_REAL, FIELD(absolute_u), SS_AUTO, DBL_MIN, INFINITY, NULL, "m/s, rad/s",
     "Absolute error of a velocity allowed in a step; auto: 1e-8 of its size in the scene.",
     "order=0"},
    {"relative_u", SS_KEY_REAL, FIELD(relative_u), "1e-8", 0, 1, NULL, "",
     "Relative error of a velocity allowed in a step, besides the absolute one.", "order=0"},
    {"growth", SS_KEY_REAL, FIELD(growth), "5", 1.1, 1000, NULL, "",
     "Largest ratio of a step to the one before, on the way from Δt_min to Δt_max."},
    {"breaks", SS_KEY_REALS, FIELD(breaks), "", 0, INFINITY, NULL, "s",
     "Times at which a step ends: where loads jump."},
    {NULL},
};

static ss_status init(void *self, ss_context *context)
{
    ss_augmented *a = self;
    if ((a->step_min > 0) == (a->K_t > 0))
        return ss_fail(context, SS_INPUT,
                       "simulation: give either 'step_min' (in s) or 'K_t', each > 0");
    if (a->K_t > 0)
        a->step_min = a->K_t * ss_pow(a->step_max, a->order);
    if (a->step_min > a->step_max)
        return ss_fail(context, SS_INPUT,
                       "simulation: the least step (%g s) must not exceed step_max = %g s",
                       a->step_min, a->step_max);
    return SS_OK;
}

/* Sides of laws, signs of terms in formulas, and ends of faces or edges of contacts. */
static int count_sides(const ss_work *work)
{
    int n_laws = work->table.n_laws;
    return n_laws + ss_work_switch_count(work) + (ss_work_contacts_vanish(work) ? n_laws : 0);
}

static size_t memory(const void *self, const ss_work *work)
{
    (void)self;
    return 3 + (size_t)count_sides(work);
}

/* A scheme that declares nothing is trusted. */
static ss_status check_scheme(ss_simulation *simulation)
{
    ss_scheme *scheme = ss_simulation_scheme(simulation);
    ss_abilities can = ss_scheme_abilities(scheme);
    if (can.order == 0 || can.expansion)
        return SS_OK;
    return ss_fail(
        ss_model_context(ss_simulation_model(simulation)), SS_UNSUPPORTED,
        "simulation: augmented time-stepping extrapolates the scheme, but the error of '%s' has no "
        "expansion in powers of the step size; moreau has one",
        ss_scheme_name(scheme));
}

/* Whether a law may be hit although it is closed: its speed jumps. */
static bool may_jump(const ss_table *table, int l)
{
    const ss_law *law = &table->laws[l];
    return law->ops->law_class == SS_LAW_DRIVE ||
           ss_element_may_jump(&table->elements[law->element]);
}

static ss_status prepare(void *self, ss_simulation *simulation)
{
    ss_augmented *a = self;
    a->simulation = simulation;
    ss_work *work = ss_simulation_work(simulation);
    a->size = ss_work_sizes(work);
    a->n_switches = ss_work_switch_count(work);
    a->n_sides = count_sides(work);
    SS_TRY(check_scheme(simulation));
    SS_TRY(ss_simulation_refuse_shrink(simulation));
    a->driven = ss_simulation_model(simulation)->prescribed;
    for (int l = 0; l < a->size.n_laws; l++)
        a->driven = a->driven || may_jump(&work->table, l);
    work->uncorrected = true; /* g/Δt of a least step is but rounding */
    work->amend = ss_augmented_prefer_rest;
    work->amend_user = a;
    SS_TRY(ss_augmented_reserve_rest(a));
    int n = a->size.n_q + a->size.n_u + a->size.n_rows + 2 + a->size.n_laws;
    double *tableau;
    SS_RESERVE(simulation, double, ss_tableau_capacity(n), &tableau);
    ss_tableau_init(&a->tableau, n, tableau);
    SS_RESERVE(simulation, double, n, &a->y);
    SS_RESERVE(simulation, double, a->n_sides, &a->sides, &a->seen, &a->ahead, &a->known);
    SS_RESERVE(simulation, double, a->size.n_rows, &a->gap_B, &a->gap_E, &a->gamma, &a->distance[0],
               &a->distance[1], &a->slip[0], &a->slip[1]);
    SS_RESERVE(simulation, double, a->size.n_laws, &a->left);
    SS_RESERVE(simulation, double, a->n_switches, &a->switches[0], &a->switches[1],
               &a->switch_sizes);
    SS_TRY(ss_work_switch_sizes(work, a->switch_sizes));
    SS_RESERVE(simulation, ss_role, a->size.n_laws, &a->roles);
    SS_RESERVE(simulation, bool, a->size.n_laws, &a->keep);
    SS_TRY(ss_simulation_new_state(simulation, &a->chain[0]));
    SS_TRY(ss_simulation_new_state(simulation, &a->chain[1]));
    SS_TRY(ss_simulation_new_state(simulation, &a->second.start));
    SS_TRY(ss_simulation_new_state(simulation, &a->second.end));
    SS_TRY(ss_simulation_new_state(simulation, &a->found));
    return ss_simulation_new_state(simulation, &a->probe);
}

/* h, or the step to `time` where h would end after it, or less than half of the least step before. */
static double limit(const ss_augmented *a, double t, double time, double h, bool *ends)
{
    double rest = time - t;
    bool passed = rest <= 4 * DBL_EPSILON * fabs(time);
    if (passed || h <= rest - a->step_min / 2)
        return h;
    *ends = true;
    return rest;
}

double ss_augmented_fit(const ss_augmented *a, double t, double h, bool *ends)
{
    *ends = false;
    for (int i = 0; i < a->breaks.rows; i++)
        h = limit(a, t, a->breaks.values[i], h, ends);
    h = limit(a, t, ss_simulation_next_break(a->simulation), h, ends);
    return limit(a, t, ss_simulation_settings(a->simulation)->end, h, ends);
}

/* The time at the end of a step, without the rounding of the sum where it is a break or the end. */
static double end_time(const ss_augmented *a, double t, double h)
{
    double end = ss_simulation_settings(a->simulation)->end;
    for (int i = 0; i < a->breaks.rows; i++)
        if (h == a->breaks.values[i] - t)
            return a->breaks.values[i];
    double change = ss_simulation_next_break(a->simulation);
    return h == change - t ? change : h == end - t ? end : t + h;
}

void ss_augmented_add_effort(const ss_statistics *before, const ss_statistics *more,
                             ss_statistics *sums)
{
    bool larger = more->max_iterations > before->max_iterations;
    sums->tries = before->tries + more->tries;
    sums->iterations = before->iterations + more->iterations;
    sums->failures = before->failures + more->failures;
    sums->max_iterations = (larger ? more : before)->max_iterations;
    sums->worst_residual = fmax(before->worst_residual, more->worst_residual);
}

/* Whether a step is small, and not for its error: where the tolerances limit steps, they are small
 * only beside the least step. */
static bool is_small(const ss_augmented *a, double h, int order)
{
    bool smooth = order > 1;
    bool limited = smooth && ss_augmented_grown(a, h) < fmin(a->growth * h, a->step_max);
    return h < fmin((limited ? 10 : 1000) * a->least, a->step_max / 2);
}

void ss_augmented_accept(ss_augmented *a, double h, double next, int order)
{
    const double relief = 50;
    const ss_state *A = ss_simulation_state(a->simulation);
    ss_state_set_time(a->found, end_time(a, ss_state_time(A), h));
    ss_state_edit_memory(a->found)[SS_AUGMENTED_NEXT] = next;
    double *count = ss_state_edit_memory(a->found) + SS_AUGMENTED_SMALL;
    *count = ss_state_memory(A)[SS_AUGMENTED_SMALL];
    *count = is_small(a, h, order) ? *count + 1 : fmax(0, *count - relief);
    memcpy(ss_state_edit_memory(a->found) + SS_AUGMENTED_SIDES, a->ahead,
           (size_t)a->n_sides * sizeof *a->ahead);
    ss_augmented_add_effort(ss_state_statistics(A), &a->now.effort,
                            ss_state_edit_statistics(a->found));
    ss_simulation_accept(a->simulation, a->found, &a->now.report, order);
}

/* No larger step follows as long as the next one would have other sides, nor after a formula that
 * has jumped: what it hits past the middle of a step may be closed before and after. */
ss_status ss_augmented_resolve(ss_augmented *a, double h)
{
    const ss_state *A = ss_simulation_state(a->simulation);
    ss_augmented_take_sides(a, A);
    ss_simulation_work(a->simulation)->skips_freedom = false;
    SS_TRY(ss_augmented_begin(a, A, h, h, false));
    SS_TRY(ss_augmented_substep(a, a->chain[0], h, a->found));
    if (!ss_outcome_accepted(a->now.report.outcome)) {
        a->now.effort.failures++;
        a->now.effort.worst_residual =
            fmax(a->now.effort.worst_residual, a->now.report.residual.value);
        SS_TRY(ss_simulation_fail(a->simulation, A, h, &a->now.report));
    }
    SS_TRY(ss_augmented_end(a, h, a->found));
    if (a->driven)
        ss_augmented_measure_switches(a, A, a->switches[0]); /* beside the last substep's */
    bool jumped = a->driven && ss_switches_differ(a->n_switches, a->switches[0], a->switches[1]);
    memcpy(a->sides, a->seen, (size_t)a->n_sides * sizeof *a->sides);
    memcpy(a->ahead, a->seen, (size_t)a->n_sides * sizeof *a->ahead);
    if (a->step_min < a->step_max)
        SS_TRY(ss_augmented_look_ahead(a, a->found, a->least, false));
    bool settled = !jumped && ss_sides_agree(a->n_sides, a->sides, a->ahead);
    ss_state_edit_memory(a->found)[SS_AUGMENTED_LIMIT] = 0;
    ss_augmented_accept(a, h, settled ? a->growth * a->least : a->least, 1);
    return SS_OK;
}

double ss_augmented_grown(const ss_augmented *a, double h)
{
    double factor = a->growth;
    if (!a->order && a->now.reached == a->order_max && a->now.error > 0)
        factor = fmin(factor, 0.9 * ss_pow(a->now.error, -1.0 / a->now.reached));
    return fmin(factor * h, a->step_max);
}

double ss_augmented_shrunk(const ss_augmented *a, double h)
{
    return h * fmin(0.7, fmax(0.1, 0.8 * ss_pow(a->now.error, -1.0 / a->now.reached)));
}

/* Accepts a smooth step of size h. `bracket` is a larger step that had a switch in it, 0: none;
 * `wanted` what h would have been without breaks. */
static void accept_smooth(ss_augmented *a, double h, double wanted, double bracket)
{
    double next = h < wanted ? wanted : ss_augmented_grown(a, h);
    if (bracket > 0)
        next = bracket - h;
    else /* no switch is near: sides that rounding hides are as before */
        ss_sides_decide(a->size.n_laws, a->sides, a->ahead);
    ss_augmented_accept(a, h, a->hits ? a->least : fmax(next, a->least), a->now.reached);
}

/* Tries smaller and smaller steps until one is smooth, or as small as can be. */
static ss_status find_step(ss_augmented *a, const ss_state *A)
{
    const double large = 1000; /* beside rounding */
    double wanted = fmin(ss_state_memory(A)[SS_AUGMENTED_NEXT], a->step_max), bracket = 0;
    ss_context *context = ss_model_context(ss_simulation_model(a->simulation));
    for (;;) {
        if (ss_stopped(context))
            return ss_fail_stopped(context);
        bool ends;
        double h = ss_augmented_fit(a, ss_state_time(A), fmax(wanted, a->least), &ends);
        if (fmin(h, wanted) <= a->least * (1 + 1e-9))
            return ss_augmented_resolve(a, h);
        ss_trial trial;
        SS_TRY(ss_augmented_smooth(a, A, h, &trial));
        if (trial == SS_TRIAL_SMOOTH)
            SS_TRY(ss_augmented_confirm(a, h, &trial));
        if (trial == SS_TRIAL_SMOOTH && !a->order && h > large * a->least) {
            bool landed; /* with a fixed order, switches have least steps (S6.4) */
            SS_TRY(ss_augmented_land(a, A, h, bracket, &landed, &trial));
            if (landed)
                return SS_OK;
        }
        if (trial == SS_TRIAL_SMOOTH) {
            accept_smooth(a, h, wanted, bracket);
            return SS_OK;
        }
        if (trial == SS_TRIAL_SWITCH)
            bracket = h; /* the switch lies before its end */
        wanted = trial == SS_TRIAL_INACCURATE ? ss_augmented_shrunk(a, h) : h / 2;
    }
}

/* Inputs that jump may make velocities jump where they drive something: no smooth step is tried. */
static ss_status take_step(ss_augmented *a, const ss_state *A)
{
    bool ends, jumped = ss_simulation_inputs_jumped(a->simulation);
    if (jumped)
        a->second.ready = false;
    if (jumped && a->driven)
        return ss_augmented_resolve(a, ss_augmented_fit(a, ss_state_time(A), a->least, &ends));
    return a->localize == SS_LOCALIZE_BACK ? ss_augmented_step_back(a, A) : find_step(a, A);
}

static ss_status advance(void *self, ss_simulation *simulation)
{
    const double many = 200, doubling = 8;
    ss_augmented *a = self;
    const ss_state *A = ss_simulation_state(simulation);
    ss_work *work = ss_simulation_work(simulation);
    /* Δt_min, doubled again and again after many small steps and hardly a large one among them */
    double beyond = fmax(0, ss_state_memory(A)[SS_AUGMENTED_SMALL] - many);
    a->least = fmin(a->step_min * ss_pow(2, ceil(beyond / doubling)), a->step_max);
    ss_augmented_keep(a, A);
    memset(&a->now.effort, 0, sizeof a->now.effort);
    ss_work_keep_active(work, a->keep);
    ss_status status = take_step(a, A);
    ss_work_keep_active(work, NULL);
    ss_work_hold_inelastic(work, NULL);
    work->skips_freedom = false;
    return status;
}

const ss_simulation_ops ss_augmented_ops = {
    .type = {SS_ABI, sizeof(ss_simulation_ops), "augmented",
             "Augmented time-stepping: switches localized, high order in between by extrapolation.",
             sizeof(ss_augmented), keys},
    .init = init,
    .memory = memory,
    .prepare = prepare,
    .advance = advance,
};
