/* back.c: localization of a switch by dropping back and regula falsi (S6.2.2, Fig. 6.4).
 *
 * When a law changes its side the switch is in this step or in the one before. Both are dropped, and
 * a smaller step is tried from the start of the one before. A step is accepted only when the one
 * after it has been tried, so that observers never see a state that is dropped; the one after it is
 * kept and used next.
 *
 * How much smaller: each law has a number that is zero where it switches. Regula falsi on its values
 * at both ends of the step before gives the time of the switch; two of the new steps end before it.
 */
#include "assembly/work.h"

#include "base/context.h"
#include "la/small.h"
#include "simulation/augmented/augmented.h"

#include <math.h>
#include <string.h>

/* ---- Time of the switch ---------------------------------------------------------------------- */

/* A number that is zero where the law leaves its side, at time t. */
typedef struct mark {
    double t, value;
} mark;

double ss_augmented_reserve(const ss_augmented *a, const ss_state *state, int l)
{
    const ss_work *work = ss_simulation_work(a->simulation);
    const ss_law *laws = work->table.laws, *law = &laws[l];
    const double *P = ss_state_P(state);
    double dt = ss_state_dt(state), force = ss_norm(law->dim, P + law->offset) / dt;
    int block = work->laws[l].block;
    if (block < 0 || dt <= 2 * a->least) /* after an impact */
        return NAN;
    const ss_block *B = &work->blocks[block];
    if (law->kind == SS_GEOMETRIC && ss_law_opens(law))
        return force;
    if (law->scale_from >= 0)
        return B->scale * fabs(P[laws[law->scale_from].offset]) / dt - force;
    return isfinite(B->scale) && B->set->kind != SS_SET_FREE ? B->scale / a->substep - force : NAN;
}

static mark mark_of(const ss_augmented *a, const ss_state *state, int l, const double *distance,
                    const double *slip)
{
    const ss_law *law = &ss_simulation_work(a->simulation)->table.laws[l];
    mark m = {ss_state_time(state), NAN};
    double side = a->sides[l];
    if (side == SS_SIDE_CLOSED) {
        m.t -= ss_state_dt(state) / 2;
        m.value = ss_augmented_reserve(a, state, l);
    } else if (law->kind == SS_GEOMETRIC) {
        m.value = fabs(distance[law->offset]);
    } else if (side == SS_SIDE_UPPER || side == SS_SIDE_LOWER) {
        m.value = ss_norm(law->dim, slip + law->offset);
    }
    return m;
}

static ss_status measure(ss_augmented *a, const ss_state *state, double *distance, double *slip)
{
    ss_work *work = ss_simulation_work(a->simulation);
    SS_TRY(ss_work_measure_all(work, state, a->gap_E, slip));
    return ss_work_distances(work, distance);
}

static void take_earlier(double zero, const ss_state *A, double *time)
{
    if (isfinite(zero) && zero > ss_state_time(A) && !(*time <= zero))
        *time = zero;
}

static double zero_between(mark from, mark to)
{
    return from.t + (to.t - from.t) * from.value / (from.value - to.value);
}

/* The same of terms in formulas. */
static void foresee_switches(ss_augmented *a, const ss_state *A, const ss_state *E, double *time)
{
    const double *from = a->switches[0], *to = a->switches[1];
    ss_augmented_measure_switches(a, A, a->switches[0]);
    ss_augmented_measure_switches(a, E, a->switches[1]);
    for (int i = 0; i < a->n_switches; i++)
        if (!ss_sides_agree(1, &a->sides[a->size.n_laws + i], &a->seen[a->size.n_laws + i]))
            take_earlier(
                zero_between((mark){ss_state_time(A), from[i]}, (mark){ss_state_time(E), to[i]}), A,
                time);
}

/* Regula falsi over the step from A to E, for every law that changed its side: the earliest time;
 * NAN: unknown. */
static ss_status foresee(ss_augmented *a, const ss_state *A, const ss_state *E, double *time)
{
    *time = NAN;
    foresee_switches(a, A, E, time);
    SS_TRY(measure(a, A, a->distance[0], a->slip[0]));
    SS_TRY(measure(a, E, a->distance[1], a->slip[1]));
    for (int l = 0; l < a->size.n_laws; l++) {
        double sides[2] = {a->sides[l], a->seen[l]};
        if (ss_sides_agree(1, &sides[0], &sides[1]))
            continue;
        mark from = mark_of(a, A, l, a->distance[0], a->slip[0]),
             to = mark_of(a, E, l, a->distance[1], a->slip[1]);
        take_earlier(zero_between(from, to), A, time);
    }
    return SS_OK;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* Whether the second step begins at A. */
static bool is_ready(const ss_augmented *a, const ss_state *A, double h)
{
    ss_model_size n = a->size;
    const ss_state *B = a->second.start;
    return a->second.ready && a->second.h == h && ss_state_time(A) == ss_state_time(B) &&
           ss_state_dt(A) == ss_state_dt(B) &&
           memcmp(ss_state_q(A), ss_state_q(B), (size_t)n.n_q * sizeof(double)) == 0 &&
           memcmp(ss_state_u(A), ss_state_u(B), (size_t)n.n_u * sizeof(double)) == 0 &&
           memcmp(ss_state_P(A), ss_state_P(B), (size_t)n.n_rows * sizeof(double)) == 0 &&
           memcmp(ss_state_memory(A) + SS_AUGMENTED_SIDES, ss_state_memory(B) + SS_AUGMENTED_SIDES,
                  (size_t)a->n_sides * sizeof(double)) == 0;
}

static void exchange(ss_state **a, ss_state **b)
{
    ss_state *kept = *a;
    *a = *b;
    *b = kept;
}

/* The step from A: the one that was tried as the second, or a new one. */
static ss_status first_step(ss_augmented *a, const ss_state *A, double h, ss_trial *trial)
{
    bool ready = is_ready(a, A, h);
    a->second.ready = false;
    if (!ready)
        return ss_augmented_smooth(a, A, h, trial);
    exchange(&a->found, &a->second.end);
    ss_augmented_take_sides(a, A);
    memcpy(a->ahead, a->sides, (size_t)a->n_sides * sizeof *a->ahead);
    ss_statistics effort = a->now.effort;
    a->now = a->second.attempt;
    ss_augmented_add_effort(&effort, &a->now.effort, &a->now.effort);
    *trial = SS_TRIAL_SMOOTH;
    return SS_OK;
}

/* The step after a->found. Its effort counts when it is used, or at once where it is dropped. */
static ss_status second_step(ss_augmented *a, double h, ss_trial *trial)
{
    ss_attempt first = a->now;
    memset(&a->now.effort, 0, sizeof a->now.effort);
    memcpy(ss_state_edit_memory(a->found) + SS_AUGMENTED_SIDES, a->sides,
           (size_t)a->n_sides * sizeof *a->sides);
    ss_state_edit_memory(a->found)[SS_AUGMENTED_NEXT] = h;
    ss_state_copy(a->second.start, a->found);
    exchange(&a->found, &a->second.end);
    SS_TRY(ss_augmented_smooth(a, a->second.start, h, trial));
    exchange(&a->found, &a->second.end);
    a->second.ready = *trial == SS_TRIAL_SMOOTH;
    a->second.h = h;
    a->second.attempt = a->now;
    a->now = first;
    if (!a->second.ready)
        ss_augmented_add_effort(&a->now.effort, &a->second.attempt.effort, &a->now.effort);
    return SS_OK;
}

/* A smaller step after a switch was seen before `limit`: two of them end before it. */
static ss_status smaller(ss_augmented *a, const ss_state *A, bool two, double limit, double h,
                         double *next)
{
    const double short_of = 0.97;
    double t = ss_state_time(A), time = NAN;
    if (two)
        SS_TRY(foresee(a, A, a->found, &time));
    double guess = short_of * (time - t) / 2;
    *next = time < limit && guess < 0.7 * h ? fmax(guess, 0.01 * h) : h / 2;
    return SS_OK;
}

/* Accepts a->found; `after`: size of the step that follows. */
static void accept(ss_augmented *a, double h, double after, double limit)
{
    memcpy(a->ahead, ss_state_memory(a->found) + SS_AUGMENTED_SIDES,
           (size_t)a->n_sides * sizeof *a->ahead);
    ss_state_edit_memory(a->found)[SS_AUGMENTED_LIMIT] = limit;
    ss_augmented_accept(a, h, after, a->now.reached);
}

/* At a break, and where the next step fails for another reason: a look ahead by the least step. */
static ss_status accept_alone(ss_augmented *a, double h, double after, ss_trial *trial)
{
    a->second.ready = false;
    *trial = SS_TRIAL_SMOOTH;
    SS_TRY(ss_augmented_confirm(a, h, trial));
    if (*trial != SS_TRIAL_SMOOTH)
        return SS_OK;
    ss_state_edit_memory(a->found)[SS_AUGMENTED_LIMIT] = 0;
    ss_augmented_accept(a, h, a->hits ? a->least : fmax(after, a->least), a->now.reached);
    return SS_OK;
}

/* Tries the step after a->found, which has size h, and accepts a->found when both are smooth. */
static ss_status try_second(ss_augmented *a, double h, double wanted, bool ends, double *limit,
                            ss_trial *trial)
{
    double t = ss_state_time(a->found);
    double grown = h < wanted ? wanted : ss_augmented_grown(a, h);
    if (*limit > 0 && t >= *limit)
        *limit = 0;
    if (ends)
        return accept_alone(a, h, grown, trial);
    double after = ss_augmented_fit(a, t, fmax(*limit > 0 ? h : grown, a->least), &ends);
    SS_TRY(second_step(a, after, trial));
    if (*trial == SS_TRIAL_SWITCH)
        *limit = t + after;
    else if (*trial == SS_TRIAL_SMOOTH)
        accept(a, h, after, *limit);
    else
        return accept_alone(a, h, *trial == SS_TRIAL_INACCURATE ? h : after / 2, trial);
    return SS_OK;
}

ss_status ss_augmented_step_back(ss_augmented *a, const ss_state *A)
{
    double wanted = fmin(ss_state_memory(A)[SS_AUGMENTED_NEXT], a->step_max),
           limit = ss_state_memory(A)[SS_AUGMENTED_LIMIT];
    double t = ss_state_time(A);
    ss_context *context = ss_model_context(ss_simulation_model(a->simulation));
    for (;;) {
        if (ss_stopped(context))
            return ss_fail_stopped(context);
        bool ends;
        double h = ss_augmented_fit(a, t, fmax(wanted, a->least), &ends);
        ss_trial trial;
        if (fmin(h, wanted) <= a->least * (1 + 1e-9)) {
            a->second.ready = false;
            return ss_augmented_resolve(a, h);
        }
        SS_TRY(first_step(a, A, h, &trial));
        bool first = trial == SS_TRIAL_SMOOTH;
        if (trial == SS_TRIAL_SWITCH)
            limit = t + h;
        if (first)
            SS_TRY(try_second(a, h, wanted, ends, &limit, &trial));
        if (trial == SS_TRIAL_SMOOTH)
            return SS_OK;
        if (trial == SS_TRIAL_SWITCH)
            SS_TRY(smaller(a, A, first, limit, h, &wanted));
        else
            wanted = trial == SS_TRIAL_INACCURATE ? ss_augmented_shrunk(a, h) : h / 2;
    }
}
