/* transition.c: which phases follow an event: classify, solve, settle, verify.
 *
 * Of the closed contacts I_A those with γ_N = 0 (I_C, I_N), and of their friction the part with
 * γ_T = 0 (I_T), enter the inclusion on acceleration level, -(G λ + c) ∈ N_C(λ), with G = W_CᵀH_C
 * and c = W_Cᵀ a_free + ζ̂; friction that slides is in H. A law whose force has just reached the
 * boundary of its set is at the corner between two phases: it is taken as open or sliding, and
 * closed again only when its acceleration contradicts.
 */
#include "assembly/sources/candidates.h"
#include "la/small.h"
#include "simulation/event/event.h"
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ATTEMPTS = 20 };

/* ---- Classify: phases before the inclusion, closed is what may be closed --------------------- */

static void classify_contact(ss_event_driven *e, int l)
{
    enum { NEAR = 20 }; /* slower flights are too short for distances to differ from zero */
    ss_event_law *law = &e->laws[l];
    double gamma = ss_event_side(e, l) * e->rows.gamma[e->table->laws[l].offset];
    bool present = law->in_contact && !ss_work_absent(e->work, l);
    law->at_rest = present && !law->leaving && gamma <= NEAR * law->slip;
    law->phase = law->at_rest ? SS_PHASE_CLOSED : SS_PHASE_OPEN;
}

static void classify_friction(ss_event_driven *e, int l)
{
    enum { NEAR = 10 }; /* contacts of one body come to rest together, but for rounding */
    const ss_law *law = &e->table->laws[l];
    ss_event_law *own = &e->laws[l];
    double speed = ss_event_speed(e, l);
    int from = law->scale_from;
    own->at_rest = own->at_rest || speed <= (law->dim == 1 ? 1 : NEAR) * own->slip;
    own->from_rest = own->at_rest;
    if (from >= 0 && e->laws[from].phase == SS_PHASE_OPEN) {
        own->phase = SS_PHASE_OPEN;
        own->at_rest = false;
    } else if (own->at_rest && !own->leaving) {
        own->phase = SS_PHASE_CLOSED;
    } else {
        own->phase = SS_PHASE_SLIDING;
        for (int i = law->offset; !own->at_rest && i < law->offset + law->dim; i++)
            e->rows.along[i] = e->rows.gamma[i] / speed;
    }
}

/* A spring passes its length; only without velocity it may stay there. */
static void classify_spring(ss_event_driven *e, int l)
{
    enum { NEAR = 20 };
    ss_event_law *law = &e->laws[l];
    int row = e->table->laws[l].offset;
    double gap = e->rows.gap[row], gamma = e->rows.gamma[row];
    bool at_length = law->at_length || fabs(gap) < 1e-3 * law->drift;
    law->at_rest = law->from_rest = at_length && fabs(gamma) <= NEAR * law->slip;
    law->phase = law->at_rest && !law->leaving ? SS_PHASE_CLOSED : SS_PHASE_SLIDING;
    if (law->phase == SS_PHASE_SLIDING && !law->at_rest)
        e->rows.along[row] = copysign(1, at_length ? gamma : gap);
}

static void classify(ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        e->laws[l].from_rest = false;
        if (ss_event_is_silent(e, l))
            continue;
        if (e->laws[l].single_valued)
            e->laws[l].phase = SS_PHASE_SLIDING;
        else if (ss_event_side(e, l) != 0)
            classify_contact(e, l);
        else if (!ss_event_is_bounded(e, l))
            e->laws[l].phase = SS_PHASE_CLOSED;
    }
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->laws[l].spring)
            classify_spring(e, l);
        else if (ss_event_is_bounded(e, l) && !ss_event_is_silent(e, l))
            classify_friction(e, l);
}

/* ---- Solve: the inclusion of closed rows ----------------------------------------------------- */

static int list_blocks(ss_event_driven *e)
{
    ss_block *blocks = e->transition.blocks;
    int *laws = e->transition.laws, n = 0, row = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        if (e->laws[l].phase != SS_PHASE_CLOSED)
            continue;
        blocks[n] = (ss_block){.set = e->laws[l].set.set,
                               .offset = row,
                               .dim = law->dim,
                               .scale_from = -1,
                               .scale = e->laws[l].set.scale,
                               .r = law->r};
        laws[n++] = l;
        row += law->dim;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (e->table->laws[laws[i]].scale_from == laws[j])
                blocks[i].scale_from = j;
    return n;
}

static ss_status solve_once(ss_event_driven *e, ss_inclusion **inclusion)
{
    ss_transition *tr = &e->transition;
    const ss_reduced *r = &e->reduced;
    ss_solve_report *report = &e->effort.report;
    int n = list_blocks(e);
    SS_TRY(ss_inclusion_from_dense(e->model->context, n, tr->blocks, r->G, r->c, inclusion));
    for (int i = 0; i < r->n; i++)
        tr->x[i] = e->rows.lambda[r->row[i]];
    SS_TRY(ss_solver_solve(e->work->solver, *inclusion, tr->x, NULL, report));
    e->effort.iterations += (uint64_t)report->iterations;
    ss_inclusion_modes(*inclusion, tr->x, NULL, fmax(1e-12, 4 * report->residual.value), tr->modes);
    return SS_OK;
}

/* Joint friction depends on the forces of joints: solved again until they agree. */
static ss_status solve_loaded(ss_event_driven *e, ss_inclusion **inclusion)
{
    enum { MOST = 100 };
    const ss_reduced *r = &e->reduced;
    SS_TRY(solve_once(e, inclusion));
    for (int k = 0; e->model->loaded && k < MOST; k++) {
        for (int i = 0; i < r->n; i++)
            e->rows.lambda[r->row[i]] = e->transition.x[i];
        if (ss_event_update_loads(e) < 1e-12)
            return SS_OK;
        ss_event_assemble(e);
        ss_inclusion_destroy(*inclusion);
        *inclusion = NULL;
        SS_TRY(solve_once(e, inclusion));
    }
    return SS_OK;
}

/* Whether closed rows have no acceleration with the forces found. Near the end of rest solvers
 * also find solutions that slide, with some 1e-12 of what the loads would give. */
static bool is_still(const ss_event_driven *e)
{
    const double still = 1e-11;
    const ss_reduced *r = &e->reduced;
    double fastest = 0, size = 0;
    for (int i = 0; i < r->n; i++) {
        double gamma_dot = r->c[i];
        for (int j = 0; j < r->n; j++)
            gamma_dot += r->G[i * r->n + j] * e->transition.x[j];
        fastest = fmax(fastest, fabs(gamma_dot));
        size = fmax(size, fabs(r->c[i]));
    }
    return fastest <= still * size;
}

/* Phases at the solution; along which direction sliding begins. */
static void read_phases(ss_event_driven *e, const ss_inclusion *inclusion)
{
    for (int i = 0; i < inclusion->n_blocks; i++) {
        int l = e->transition.laws[i], dim = inclusion->blocks[i].dim;
        double *along = e->rows.along + e->table->laws[l].offset;
        if (e->transition.modes[i] == SS_MODE_CONSTRAINT)
            continue;
        e->laws[l].phase = ss_event_is_bounded(e, l) ? SS_PHASE_SLIDING : SS_PHASE_OPEN;
        if (!ss_event_is_bounded(e, l))
            continue;
        ss_inclusion_velocity(inclusion, e->transition.x, NULL, i, along);
        double length = fmax(ss_norm(dim, along), DBL_MIN);
        for (int k = 0; k < dim; k++)
            along[k] /= length;
    }
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->table->laws[l].scale_from;
        if (from >= 0 && e->laws[from].phase == SS_PHASE_OPEN)
            e->laws[l].phase = SS_PHASE_OPEN;
    }
}

/* *all: all closed laws stay closed. Phases are changed if `change`. */
static ss_status solve_closed(ss_event_driven *e, bool change, bool *all)
{
    ss_inclusion *inclusion = NULL;
    *all = true;
    if (e->reduced.n == 0)
        return SS_OK;
    ss_status status = solve_loaded(e, &inclusion);
    for (int i = 0; status == SS_OK && i < inclusion->n_blocks; i++)
        *all = *all && e->transition.modes[i] == SS_MODE_CONSTRAINT;
    if (status == SS_OK && !change)
        *all = *all || is_still(e);
    if (status == SS_OK && change)
        read_phases(e, inclusion);
    ss_inclusion_destroy(inclusion);
    return status;
}

/* The closed contact whose normal force, with the friction that slides, accelerates it inwards:
 * Painlevé's paradox; -1: none. */
static int find_paradox(const ss_event_driven *e)
{
    const ss_reduced *r = &e->reduced;
    for (int i = 0; i < r->n; i++)
        if (ss_event_side(e, r->law[i]) != 0 && r->G[i * r->n + i] < 0)
            return r->law[i];
    return -1;
}

/* "; Painlevé's paradox at 'tip.gap': …", or nothing. */
static void describe_paradox(const ss_event_driven *e, size_t capacity, char *text)
{
    int l = find_paradox(e);
    text[0] = 0;
    if (l >= 0)
        snprintf(text, capacity,
                 ". Painlevé's paradox: friction turns the normal force of %s against it",
                 e->table->laws[l].object.owner);
}

static ss_status check_outcome(ss_event_driven *e)
{
    const ss_solve_report *r = &e->effort.report;
    double t = e->work->t > DBL_MIN ? e->work->t : 0;
    char paradox[512];
    if (ss_outcome_accepted(r->outcome))
        return SS_OK;
    e->effort.failures++;
    if (find_paradox(e) < 0 &&
        ss_simulation_settings(e->simulation)->on_failure == SS_FAILURE_WARN) {
        ss_log(e->model->context, SS_LOG_WARNING, "t = %.9g s: accelerations: %s, residual %.3g", t,
               ss_outcome_name(r->outcome), r->residual.value);
        e->simulation->failed = true;
        return SS_OK;
    }
    describe_paradox(e, sizeof paradox, paradox);
    return ss_fail(e->model->context, SS_NOT_CONVERGED,
                   "the accelerations at t = %.9g s were not found: %s after %d iterations, "
                   "residual %.3g. More "
                   "iterations, another solver or on_failure: warn may help%s",
                   t, ss_outcome_name(r->outcome), r->iterations, r->residual.value, paradox);
}

/* Sets that depend on whether a law slides, for the phases that are set. */
static ss_status find_sets(ss_event_driven *e)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->table->laws[l].flags & SS_LAW_SET_OF_SPEED)
            SS_TRY(ss_event_find_set(e, l));
    return SS_OK;
}

/* Phases, forces and accelerations for the classes that are set. */
static ss_status solve(ss_event_driven *e)
{
    bool all;
    SS_TRY(find_sets(e));
    ss_event_assemble(e);
    SS_TRY(solve_closed(e, true, &all));
    SS_TRY(check_outcome(e));
    SS_TRY(find_sets(e));
    ss_event_reduce(e);
    return SS_OK;
}

/* γ' of a law along a direction, and the size of its terms: those of `free` too, without friction that slides and may
 * balance them. */
static double acceleration(const ss_event_driven *e, int l, const double *along, const double *free,
                           double *size)
{
    const ss_law *law = &e->table->laws[l];
    const ss_reduced *r = &e->reduced;
    int n_u = e->size.n_u;
    double sum = 0;
    *size = 0;
    for (int i = 0; i < law->dim; i++) {
        int row = law->offset + i;
        const double *W = e->rows.W + row * n_u;
        double rate = e->rows.zeta_hat[row];
        *size = fmax(*size, fabs(rate));
        for (int j = 0; j < n_u; j++) {
            rate += W[j] * r->a[j];
            *size = fmax(*size, fabs(W[j]) * fmax(fabs(r->a_free[j]), fabs(free[j])));
        }
        sum += along[i] * rate;
    }
    return sum;
}

/* Laws taken as open or sliding whose acceleration contradicts are to be closed; true: any. */
static bool close_contradicted(ss_event_driven *e)
{
    bool any = false;
    double *free = e->work->u_scratch;
    ss_event_free_accelerations(e, free);
    for (int l = 0; l < e->size.n_laws; l++) {
        ss_event_law *law = &e->laws[l];
        double side = ss_event_side(e, l), size;
        const double *along = side != 0 ? &side : e->rows.along + e->table->laws[l].offset;
        if (!law->leaving || (side == 0 && law->phase != SS_PHASE_SLIDING))
            continue;
        if (acceleration(e, l, along, free, &size) >= -1e-7 * size)
            continue;
        law->leaving = false;
        any = true;
    }
    return any;
}

/* Signs of the forces of constraints that the solution contradicts, where friction slides; true:
 * any. */
static bool correct_signs(ss_event_driven *e)
{
    bool any = false;
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->table->laws[l].scale_from;
        if (from < 0 || ss_event_side(e, from) != 0 || e->laws[l].phase != SS_PHASE_SLIDING)
            continue;
        double lambda = e->rows.lambda[e->table->laws[from].offset];
        if (e->laws[from].force_sign * lambda >= 0)
            continue;
        e->laws[from].force_sign = -e->laws[from].force_sign;
        any = true;
    }
    return any;
}

/* ---- Settle: velocities and gaps for the phases ---------------------------------------------- */

/* Laws that are closed, and those that begin to slide if `with_onset`; true: any begins to. */
static bool list_roles(ss_event_driven *e, bool with_onset)
{
    bool any = false;
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_event_law *law = &e->laws[l];
        bool onset = with_onset && law->phase == SS_PHASE_SLIDING && law->from_rest;
        e->roles[l] = law->phase == SS_PHASE_CLOSED || onset ? SS_ROLE_CLOSED : SS_ROLE_NONE;
        any = any || onset;
    }
    return any;
}

ss_status ss_event_project(ss_event_driven *e, double t, double *q, double *u)
{
    for (int i = 0; i < e->size.n_rows; i++)
        e->rows.gap[i] += e->rows.kept[i] - e->rows.distance[i];
    list_roles(e, false);
    return ss_work_project(e->work, ss_event_time(e, t), e->roles, e->rows.gap, q, u);
}

/* Velocities of laws that begin to slide become zero. Not where that changes u by more than what
 * counts as zero: at the dead centre of a crank the velocity of the slider is zero whatever u is,
 * its row vanishes or depends on those of the joints, and the slider only turns round. */
static ss_status project_onset(ss_event_driven *e, double t, double *q, double *u)
{
    enum { NEAR = 20 };
    double *projected = e->point.u;
    bool moves = false;
    if (!list_roles(e, true))
        return SS_OK;
    memcpy(projected, u, (size_t)e->size.n_u * sizeof *u);
    SS_TRY(ss_work_project(e->work, ss_event_time(e, t), e->roles, NULL, q, projected));
    for (int i = 0; i < e->size.n_u; i++)
        moves = moves || fabs(projected[i] - u[i]) > NEAR * ss_event_still(e, i);
    if (!moves)
        memcpy(u, projected, (size_t)e->size.n_u * sizeof *u);
    return SS_OK;
}

/* What moves slower than `slip` comes to rest a little too early. The impulse that stops it is that
 * of the forces in the time left, with the friction that goes on sliding: without it the error
 * would be of first order in `slip`. After ss_event_reduce. */
static void come_to_rest(ss_event_driven *e, double *u)
{
    ss_reduced *r = &e->reduced;
    double *x = e->transition.x;
    int n_u = e->size.n_u;
    for (int i = 0; i < r->n; i++)
        r->c[i] = e->rows.gamma[r->row[i]];
    ss_event_solve(e, x);
    for (int i = 0; i < r->n; i++)
        for (int j = 0; j < n_u; j++)
            u[j] += x[i] * r->H[r->row[i] * n_u + j];
}

static ss_status settle(ss_event_driven *e, double t, double *q, double *u)
{
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->laws[l].phase == SS_PHASE_CLOSED)
            ss_event_keep_distance(e, l);
    SS_TRY(ss_event_evaluate(e, t, q, u));
    ss_event_reduce(e);
    come_to_rest(e, u);
    SS_TRY(ss_event_project(e, t, q, u));
    SS_TRY(project_onset(e, t, q, u));
    SS_TRY(ss_event_evaluate(e, t, q, u));
    ss_event_reduce(e);
    return SS_OK;
}

/* ---- Verify ---------------------------------------------------------------------------------- */

/* False: a force is beyond its set or a sliding law does not slide. Such a force is leaving. */
static bool verify(ss_event_driven *e)
{
    bool verified = true;
    for (int l = 0; l < e->size.n_laws; l++) {
        ss_event_law *law = &e->laws[l];
        bool beyond =
            law->phase == SS_PHASE_CLOSED && !e->reduced.deficient && ss_event_reserve(e, l) < 0;
        bool rests = law->phase == SS_PHASE_SLIDING && !law->from_rest &&
                     ss_event_is_bounded(e, l) && !law->spring &&
                     ss_event_speed(e, l) < 0.01 * law->slip;
        law->leaving = law->leaving || beyond;
        verified = verified && !beyond && !rests;
    }
    return verified;
}

/* Fails where a closed contact pulls by more than rounding. */
static ss_status check_pull(ss_event_driven *e, double t)
{
    const double rounding = 1e-9;
    double most = 0;
    char paradox[512];
    for (int i = 0; i < e->size.n_rows; i++)
        most = fmax(most, fabs(e->rows.lambda[i]));
    for (int l = 0; l < e->size.n_laws; l++) {
        if (ss_event_side(e, l) == 0 || e->laws[l].phase != SS_PHASE_CLOSED ||
            e->reduced.deficient || ss_event_reserve(e, l) >= -rounding * most)
            continue;
        describe_paradox(e, sizeof paradox, paradox);
        return ss_fail(e->model->context, SS_NOT_CONVERGED,
                       "no phases at t = %.9g s: %s would have to pull with %.3g N%s", t,
                       e->table->laws[l].object.owner, -ss_event_reserve(e, l), paradox);
    }
    return SS_OK;
}

/* ---- The transition -------------------------------------------------------------------------- */

/* Direction in which a law begins to slide whose force has reached the boundary: against the
 * outward normal there. */
static void begin_along(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    const double *lambda = e->rows.lambda + law->offset;
    double *along = e->rows.along + law->offset, far[SS_SET_MAX_DIM];
    for (int i = 0; i < law->dim; i++)
        far[i] = lambda[i] * (1 + 1e-6);
    ss_set_prox(e->laws[l].set.set, ss_event_scale(e, l), far, along);
    for (int i = 0; i < law->dim; i++)
        along[i] -= far[i];
    double length = ss_norm(law->dim, along);
    for (int i = 0; i < law->dim; i++)
        along[i] = length > 0 ? along[i] / length : i == 0 ? 1 : 0;
}

/* Rows of all laws, ζ̂ included, at a time t; and directions of laws that leave. */
static ss_status prepare(ss_event_driven *e, double t, const double *q, const double *u)
{
    for (int l = 0; l < e->size.n_laws; l++) {
        ss_event_law *law = &e->laws[l];
        if (law->leaving && ss_event_is_bounded(e, l) && law->phase == SS_PHASE_CLOSED)
            begin_along(e, l);
        law->phase = ss_event_is_silent(e, l) ? SS_PHASE_OPEN : SS_PHASE_CLOSED;
    }
    return ss_event_evaluate(e, t, q, u);
}

/* Time ahead at which the phases are decided: the inclusion just after the end of rest is nearly
 * singular, and slow to solve. */
static ss_status find_ahead(ss_event_driven *e, double t, const double *q, const double *u,
                            double *ahead)
{
    const double time = e->work->sizes.time, most = fmax(1e-3 * time, 0.1 * e->options.output);
    bool all;
    for (*ahead = 1e-6 * time;; *ahead *= 10) {
        SS_TRY(ss_event_evaluate(e, t + *ahead, q, u));
        ss_event_assemble(e);
        SS_TRY(solve_closed(e, false, &all));
        if ((ss_outcome_accepted(e->effort.report.outcome) && !all) || *ahead >= most)
            return SS_OK;
    }
}

ss_status ss_event_can_stay_closed(ss_event_driven *e, bool *can)
{
    *can = true;
    for (int l = 0; l < e->size.n_laws; l++)
        *can = *can && (e->laws[l].phase != SS_PHASE_CLOSED || ss_event_reserve(e, l) >= 0);
    if (*can)
        return SS_OK;
    bool known;
    SS_TRY(ss_event_equilibrium(e, &known, can));
    return known ? SS_OK : solve_closed(e, false, can);
}

ss_status ss_event_transition(ss_event_driven *e, bool breaks_away, double t, double *q, double *u)
{
    double ahead = 0;
    bool verified = false;
    if (breaks_away)
        SS_TRY(find_ahead(e, t, q, u, &ahead));
    SS_TRY(ss_event_evaluate(e, t, q, u));
    ss_event_reduce(e); /* the forces that have reached the boundary of their sets */
    for (int i = 0; !verified && i < MOST_ATTEMPTS; i++) {
        int corrections = 0;
        SS_TRY(prepare(e, t + ahead, q, u));
        do {
            classify(e);
            SS_TRY(solve(e));
        } while (close_contradicted(e) || (corrections++ < MOST_ATTEMPTS && correct_signs(e)));
        SS_TRY(settle(e, t, q, u));
        verified = verify(e);
    }
    SS_TRY(check_pull(e, t));
    for (int l = 0; l < e->size.n_laws; l++)
        e->laws[l].leaving = e->laws[l].at_rest = false;
    ss_event_list_roots(e);
    return SS_OK;
}
