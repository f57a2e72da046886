/* event_transition.c: which phases follow an event: the inclusion on acceleration level.
 *
 * Of the closed contacts I_A those with γ_N = 0 (I_C, I_N) and of their friction the part with γ_T = 0 (I_T) enter
 * -(G λ + c) ∈ N_C(λ) with G = W_CᵀH_C and c = W_Cᵀ a_free + ζ̂; friction that slides is in H. A law whose force has just
 * come to the boundary of its set lies at the corner between both phases: it is taken as gone, and taken back only when its
 * acceleration contradicts.
 */
#include "assembly/sources/expanded.h"
#include "simulation/event/event_driven.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ATTEMPTS = 20 };

static bool is_bounded(const ss_event_driven *e, int l)
{
    return ss_event_side(e, l) == 0 && e->set[l].set->kind != SS_SET_FREE && !e->plain[l];
}

/* Direction in which a law begins to slide whose force came to the boundary: against the outward normal there. */
static void begin_along(ss_event_driven *e, int l)
{
    const ss_law *law = &e->model->laws[l];
    const double *lambda = e->lambda + law->offset;
    double *along = e->along + law->offset, far[SS_SET_MAX_DIM], length = 0;
    for (int i = 0; i < law->dim; i++)
        far[i] = lambda[i] * (1 + 1e-6);
    int from = law->scale_from;
    double scale = e->set[l].scale * (from < 0 ? 1 : fabs(e->lambda[e->model->laws[from].offset]));
    ss_set_prox(e->set[l].set, scale, far, along);
    for (int i = 0; i < law->dim; i++) {
        along[i] -= far[i];
        length += along[i] * along[i];
    }
    length = sqrt(length);
    for (int i = 0; i < law->dim; i++)
        along[i] = length > 0 ? along[i] / length : i == 0 ? 1 : 0;
}

/* Phases before the inclusion: held is what may be held. */
static void classify_contact(ss_event_driven *e, int l)
{
    enum { NEAR = 20 }; /* slower flights are shorter than distances can be told apart from zero */
    double gamma = ss_event_side(e, l) * e->gamma[e->model->laws[l].offset];
    bool there = e->touching[l] && !ss_work_absent(e->work, l);
    bool closed = there && !e->leaving[l] && gamma <= NEAR * e->slip;
    e->phase[l] = closed ? SS_PHASE_CLOSED : SS_PHASE_OPEN;
    e->rest[l] = closed;
}

static void classify_friction(ss_event_driven *e, int l)
{
    enum {
        NEAR = 10
    }; /* contacts of one body come to rest together, but not in the same instant of rounding */
    const ss_law *law = &e->model->laws[l];
    double speed = ss_event_speed(e, l);
    int from = law->scale_from;
    e->rest[l] = e->rest[l] || speed <= (law->dim == 1 ? 1 : NEAR) * e->slip;
    e->from_rest[l] = e->rest[l];
    if (from >= 0 && e->phase[from] == SS_PHASE_OPEN) {
        e->phase[l] = SS_PHASE_OPEN;
        e->rest[l] = false;
    } else if (e->rest[l] && !e->leaving[l]) {
        e->phase[l] = SS_PHASE_CLOSED;
    } else {
        e->phase[l] = SS_PHASE_SLIDING;
        for (int i = 0; !e->rest[l] && i < law->dim; i++)
            e->along[law->offset + i] = e->gamma[law->offset + i] / speed;
    }
}

/* A spring that passes its length goes on to the other side; only without velocity it may stay. */
static void classify_spring(ss_event_driven *e, int l)
{
    enum { NEAR = 20 };
    int row = e->model->laws[l].offset;
    bool there = e->passing[l] || fabs(e->gap[row]) < 1e-12;
    e->rest[l] = e->from_rest[l] = there && fabs(e->gamma[row]) <= NEAR * e->slip;
    e->phase[l] = e->rest[l] && !e->leaving[l] ? SS_PHASE_CLOSED : SS_PHASE_SLIDING;
    if (e->phase[l] == SS_PHASE_SLIDING && !e->rest[l])
        e->along[row] = copysign(1, there ? e->gamma[row] : e->gap[row]);
}

static void classify(ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        e->from_rest[l] = false;
        if (e->plain[l])
            e->phase[l] = SS_PHASE_SLIDING;
        else if (ss_event_side(e, l) != 0)
            classify_contact(e, l);
        else if (!is_bounded(e, l))
            e->phase[l] = SS_PHASE_CLOSED;
    }
    for (int l = 0; l < e->size.n_laws; l++)
        if (ss_event_is_spring(e, l))
            classify_spring(e, l);
        else if (is_bounded(e, l))
            classify_friction(e, l);
}

static int list_blocks(const ss_event_driven *e, ss_block *blocks, int *laws)
{
    int n = 0, row = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->model->laws[l];
        if (e->phase[l] != SS_PHASE_CLOSED)
            continue;
        blocks[n] = (ss_block){.set = e->set[l].set,
                               .offset = row,
                               .dim = law->dim,
                               .scale_from = -1,
                               .scale = e->set[l].scale,
                               .r = law->r};
        laws[n++] = l;
        row += law->dim;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (e->model->laws[laws[i]].scale_from == laws[j])
                blocks[i].scale_from = j;
    return n;
}

static ss_status check(ss_event_driven *e)
{
    const ss_solve_report *r = &e->report;
    double t = e->work->t > DBL_MIN ? e->work->t : 0;
    if (ss_outcome_accepted(r->outcome))
        return SS_OK;
    e->failures++;
    if (ss_simulation_settings(e->simulation)->on_failure == SS_FAILURE_WARN) {
        ss_log(e->model->context, SS_LOG_WARNING, "t = %.9g s: accelerations: %s, residual %.3g", t,
               ss_outcome_name(r->outcome), r->residual.value);
        return SS_OK;
    }
    return ss_fail(e->model->context, SS_NOT_CONVERGED,
                   "the accelerations at t = %.9g s were not found: %s after %d iterations, "
                   "residual %.3g. More "
                   "iterations, another solver or on_failure: warn may help",
                   t, ss_outcome_name(r->outcome), r->iterations, r->residual.value);
}

/* The phases of held laws at the solution; of sliding ones the direction of the first acceleration. */
static void read_phases(ss_event_driven *e, const ss_inclusion *inclusion, const int *laws,
                        const double *x, const ss_mode *modes)
{
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int l = laws[i];
        double *along = e->along + e->model->laws[l].offset, length = 0;
        if (modes[i] == SS_MODE_CONSTRAINT)
            continue;
        e->phase[l] = is_bounded(e, l) ? SS_PHASE_SLIDING : SS_PHASE_OPEN;
        if (!is_bounded(e, l))
            continue;
        ss_inclusion_velocity(inclusion, x, NULL, i, along);
        for (int k = 0; k < inclusion->blocks[i].dim; k++)
            length += along[k] * along[k];
        for (int k = 0; k < inclusion->blocks[i].dim; k++)
            along[k] /= fmax(sqrt(length), DBL_MIN);
    }
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->model->laws[l].scale_from;
        if (from >= 0 && e->phase[from] == SS_PHASE_OPEN)
            e->phase[l] = SS_PHASE_OPEN;
    }
}

static ss_status solve_blocks(ss_event_driven *e, ss_inclusion **inclusion)
{
    int n = list_blocks(e, e->blocks, e->block_laws);
    SS_TRY(ss_inclusion_from_dense(e->model->context, n, e->blocks, e->G, e->c, inclusion));
    for (int i = 0; i < e->n_closed; i++)
        e->block_x[i] = e->lambda[e->held[i]];
    SS_TRY(ss_solver_solve(e->work->solver, *inclusion, e->block_x, NULL, &e->report));
    e->iterations += (uint64_t)e->report.iterations;
    ss_inclusion_modes(*inclusion, e->block_x, NULL, fmax(1e-12, 4 * e->report.residual.value),
                       e->block_modes);
    return SS_OK;
}

/* The forces of joints decide on their friction: solved again until they fit. */
static ss_status solve_pressed(ss_event_driven *e, ss_inclusion **inclusion)
{
    enum { MOST = 100 };
    SS_TRY(solve_blocks(e, inclusion));
    for (int k = 0; e->model->loaded && k < MOST; k++) {
        for (int i = 0; i < e->n_closed; i++)
            e->lambda[e->held[i]] = e->block_x[i];
        if (ss_event_press(e) < 1e-12)
            return SS_OK;
        ss_event_assemble(e);
        ss_inclusion_destroy(*inclusion);
        *inclusion = NULL;
        SS_TRY(solve_blocks(e, inclusion));
    }
    return SS_OK;
}

/* Whether the forces found leave held laws without acceleration. Near the end of rest solvers also find solutions that
 * slide, with some 1e-12 of what the loads would give. */
static bool is_still(const ss_event_driven *e)
{
    const double STILL = 1e-11;
    double fastest = 0, size = 0;
    for (int i = 0; i < e->n_closed; i++) {
        double gamma_dot = e->c[i];
        for (int j = 0; j < e->n_closed; j++)
            gamma_dot += e->G[i * e->n_closed + j] * e->block_x[j];
        fastest = fmax(fastest, fabs(gamma_dot));
        size = fmax(size, fabs(e->c[i]));
    }
    return fastest <= STILL * size;
}

/* Solves the inclusion of what is held; *all: all of it stays so. Phases are changed when `change`. */
static ss_status solve_held(ss_event_driven *e, bool change, bool *all)
{
    ss_inclusion *inclusion = NULL;
    *all = true;
    if (e->n_closed == 0)
        return SS_OK;
    ss_status status = solve_pressed(e, &inclusion);
    for (int i = 0; status == SS_OK && i < inclusion->n_blocks; i++)
        *all = *all && e->block_modes[i] == SS_MODE_CONSTRAINT;
    if (status == SS_OK && !change)
        *all = *all || is_still(e);
    if (status == SS_OK && change)
        read_phases(e, inclusion, e->block_laws, e->block_x, e->block_modes);
    ss_inclusion_destroy(inclusion);
    return status;
}

ss_status ss_event_can_hold(ss_event_driven *e, bool *can)
{
    *can = true;
    for (int l = 0; l < e->size.n_laws; l++)
        *can = *can && (e->phase[l] != SS_PHASE_CLOSED || ss_event_reserve(e, l) >= 0);
    return *can ? SS_OK : solve_held(e, false, can);
}

/* γ' of a law along a direction, and the size of the terms it is the sum of. */
static double acceleration(const ss_event_driven *e, int l, const double *along, double *size)
{
    const ss_law *law = &e->model->laws[l];
    int n_u = e->size.n_u;
    double sum = 0;
    *size = 0;
    for (int i = 0; i < law->dim; i++) {
        int row = law->offset + i;
        double rate = e->zeta_hat[row];
        *size = fmax(*size, fabs(rate));
        for (int j = 0; j < n_u; j++) {
            rate += e->W[row * n_u + j] * e->a[j];
            *size = fmax(*size, fabs(e->W[row * n_u + j] * e->a_free[j]));
        }
        sum += along[i] * rate;
    }
    return sum;
}

/* Laws that were taken as gone but whose acceleration says that they are not; true when there are any. */
static bool take_back(ss_event_driven *e)
{
    bool any = false;
    for (int l = 0; l < e->size.n_laws; l++) {
        double side = ss_event_side(e, l), size;
        const double *along = side != 0 ? &side : e->along + e->model->laws[l].offset;
        if (!e->leaving[l] || (side == 0 && e->phase[l] != SS_PHASE_SLIDING))
            continue;
        if (acceleration(e, l, along, &size) >= -1e-7 * size)
            continue;
        e->leaving[l] = false;
        any = true;
    }
    return any;
}

/* Constraints whose force has not the sign that their sliding friction was taken with. */
static bool turn_signs(ss_event_driven *e)
{
    bool any = false;
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->model->laws[l].scale_from;
        if (from < 0 || ss_event_side(e, from) != 0 || e->phase[l] != SS_PHASE_SLIDING)
            continue;
        double lambda = e->lambda[e->model->laws[from].offset];
        if (e->sign[from] * lambda >= 0)
            continue;
        e->sign[from] = -e->sign[from];
        any = true;
    }
    return any;
}

ss_status ss_event_project(ss_event_driven *e, double t, const bool *hold, double *q, double *u)
{
    for (int i = 0; i < e->size.n_rows; i++)
        e->gap[i] += e->kept[i] - e->distance[i];
    for (int l = 0; l < e->size.n_laws; l++)
        e->roles[l] = hold[l] ? SS_ROLE_CLOSED : SS_ROLE_NONE;
    return ss_work_project(e->work, ss_event_time(e, t), e->roles, e->gap, q, u);
}

/* What moves slower than `slip` comes to rest a little too early. The impulse that stops it is that of the forces in the time
 * which was not waited for, friction that slides on with it included: without that friction, the error would be of first order
 * in `slip`. After ss_event_reduce. */
static void come_to_rest(ss_event_driven *e, double *u)
{
    int n_u = e->size.n_u;
    for (int i = 0; i < e->n_closed; i++)
        e->c[i] = e->gamma[e->held[i]];
    ss_event_solve(e, e->block_x);
    for (int i = 0; i < e->n_closed; i++)
        for (int j = 0; j < n_u; j++)
            u[j] += e->block_x[i] * e->H[e->held[i] * n_u + j];
}

/* One attempt; *again: what was found shows that something else leaves or rests. */
static ss_status attempt(ss_event_driven *e, double t, double ahead, double *q, double *u,
                         bool *again)
{
    bool all;
    int turns = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        if (e->leaving[l] && is_bounded(e, l) && e->phase[l] == SS_PHASE_CLOSED)
            begin_along(e, l);
        e->phase[l] = SS_PHASE_CLOSED; /* ζ̂ of all */
    }
    SS_TRY(ss_event_evaluate(e, t + ahead, q, u));
    do {
        classify(e);
        ss_event_assemble(e);
        SS_TRY(solve_held(e, true, &all));
        SS_TRY(check(e));
        ss_event_reduce(e);
    } while (take_back(e) || (turns++ < MOST_ATTEMPTS && turn_signs(e)));
    for (int l = 0; l < e->size.n_laws; l++) {
        e->hold[l] =
            e->phase[l] == SS_PHASE_CLOSED || (e->phase[l] == SS_PHASE_SLIDING && e->from_rest[l]);
        if (e->phase[l] == SS_PHASE_CLOSED)
            ss_event_keep_distance(e, l);
    }
    SS_TRY(ss_event_evaluate(e, t, q, u));
    ss_event_reduce(e);
    come_to_rest(e, u);
    SS_TRY(ss_event_project(e, t, e->hold, q, u));
    SS_TRY(ss_event_evaluate(e, t, q, u));
    ss_event_reduce(e);
    *again = false;
    for (int l = 0; l < e->size.n_laws; l++) {
        bool beyond = e->phase[l] == SS_PHASE_CLOSED && !e->deficient && ss_event_reserve(e, l) < 0;
        bool rests = e->phase[l] == SS_PHASE_SLIDING && !e->from_rest[l] && is_bounded(e, l) &&
                     !ss_event_is_spring(e, l) && ss_event_speed(e, l) < 0.01 * e->slip;
        e->leaving[l] = e->leaving[l] || beyond;
        *again = *again || beyond || rests;
    }
    return SS_OK;
}

static ss_status transition(ss_event_driven *e, double t, double ahead, double *q, double *u)
{
    bool again = true;
    SS_TRY(ss_event_evaluate(e, t, q, u));
    ss_event_reduce(e); /* the forces that have come to the boundary of their sets */
    for (int i = 0; again && i < MOST_ATTEMPTS; i++)
        SS_TRY(attempt(e, t, ahead, q, u, &again));
    memset(e->leaving, 0, (size_t)e->size.n_laws * sizeof *e->leaving);
    memset(e->rest, 0, (size_t)e->size.n_laws * sizeof *e->rest);
    ss_event_list_roots(e);
    return SS_OK;
}

/* The inclusion just beyond the end of rest is nearly singular, and slow to solve. */
static ss_status find_ahead(ss_event_driven *e, double t, const double *q, const double *u,
                            double *ahead)
{
    const double most = 1e-3;
    bool all;
    for (*ahead = 1e-6;; *ahead *= 10) {
        SS_TRY(ss_event_evaluate(e, t + *ahead, q, u));
        ss_event_assemble(e);
        SS_TRY(solve_held(e, false, &all));
        if ((ss_outcome_accepted(e->report.outcome) && !all) || *ahead >= most)
            return SS_OK;
    }
}

ss_status ss_event_break_away(ss_event_driven *e, double t, double *q, double *u)
{
    double ahead;
    SS_TRY(find_ahead(e, t, q, u, &ahead));
    return transition(e, t, ahead, q, u);
}

ss_status ss_event_transition(ss_event_driven *e, double t, double *q, double *u)
{
    return transition(e, t, 0, q, u);
}
