/* events.c: impacts at one instant, and steps that are cut at impacts (S5.3.6.3, S5.3.6.6) and, if
 * wanted, where laws change their mode.
 *
 * A trial step goes to the end of what is left; which laws are closed is decided where it begins,
 * so that it is valid up to the first impact. The states there come from interpolation, the impact
 * is solved, and the rest is tried again.
 */
#include "assembly/work.h"
#include "scheme/general.h"

#include <math.h>
#include <string.h>

/* ---- Impacts ---- */

/* { x >= 1 } and { x <= -1 }: scaled by ε P_C, what the expansion must give back. */
static void prox_beyond(const void *self, int dim, double scale, const double *x, double *y)
{
    double sign = *(const double *)self;
    (void)dim;
    y[0] = sign * x[0] < scale ? sign * scale : x[0];
}

static bool contains_beyond(const void *self, int dim, double scale, const double *x,
                            double tolerance)
{
    (void)dim;
    return *(const double *)self * x[0] >= scale - tolerance;
}

static double support_beyond(const void *self, int dim, double scale, const double *v)
{
    double along = *(const double *)self * v[0];
    (void)dim;
    return along > 0 ? INFINITY : scale * along;
}

static const ss_set_ops beyond_ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_set_ops),
             .name = "beyond",
             .doc = "All x at and beyond a bound."},
    .prox = prox_beyond,
    .contains = contains_beyond,
    .support = support_beyond,
};
static const double up = 1, down = -1;
static const ss_set above = {&beyond_ops, &up, 1}, below = {&beyond_ops, &down, 1};

/* 1: the law pushes, -1: it pulls, 0: it is not one-sided. */
static int side_of(const ss_work *work, int block)
{
    const ss_block *B = &work->blocks[block];
    if (B->dim != 1 || work->table.laws[work->block_law[block]].kind != SS_GEOMETRIC)
        return 0;
    return (int)ss_set_contains(B->set, 1, &up, 0) - (int)ss_set_contains(B->set, 1, &down, 0);
}

bool ss_impact_begin_expansion(ss_work *work, const double *u_before, double rest_speed,
                               const bool *inelastic)
{
    bool any = false;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        int side = side_of(work, i);
        double epsilon = work->restitution[work->table.laws[work->block_law[i]].offset], gamma;
        double P = fabs(work->P[work->blocks[i].offset]);
        if (side == 0 || epsilon == 0 || P == 0 || (inelastic && inelastic[work->block_law[i]]))
            continue;
        ss_inclusion_velocity(&work->inclusion, NULL, u_before, i, &gamma);
        if (-side * gamma < rest_speed)
            continue;
        work->blocks[i].set = side > 0 ? &above : &below;
        work->blocks[i].scale = epsilon * P;
        any = true;
    }
    return any;
}

/* Impulses, modes and dissipation -P (γ⁻ + γ⁺)/2 of the impact. */
static void account(const ss_work *work, const ss_impact *impact, const double *u_before,
                    const double *compression)
{
    ss_statistics *sums = ss_state_edit_statistics(impact->state);
    double gain = 0, size = 0;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        const ss_block *B = &work->blocks[i];
        const ss_law *law = &work->table.laws[work->block_law[i]];
        double before[SS_SET_MAX_DIM], after[SS_SET_MAX_DIM];
        ss_inclusion_velocity(&work->inclusion, NULL, u_before, i, before);
        ss_inclusion_velocity(&work->inclusion, NULL, impact->u, i, after);
        for (int k = 0; k < B->dim; k++) {
            double P = work->P[B->offset + k] + compression[B->offset + k];
            ss_state_edit_P(impact->state)[law->offset + k] += P;
            sums->dissipated -= P * (before[k] + after[k]) / 2;
            gain += P * (before[k] + after[k]) / 2;
            size += fabs(P) * (fabs(before[k]) + fabs(after[k])) / 2;
            sums->load_work -=
                P * ss_work_outside_velocity(work, law->element, law->row + k, impact->u);
        }
        if (side_of(work, i) != 0)
            ss_state_edit_mode(impact->state)[work->block_law[i]] = 0;
    }
    ss_count_gain(gain, size, &impact->report->residual, sums);
}

static ss_status solve_phase(ss_work *work, ss_impact *impact, const double *u_free)
{
    ss_solve_report report;
    SS_TRY(ss_work_solve(work, NULL, u_free, impact->u, &report));
    ss_general_join_report(&report, impact->report, ss_state_edit_statistics(impact->state));
    return SS_OK;
}

ss_status ss_impact_solve(ss_work *work, ss_impact *impact)
{
    const ss_law_form form = {.kind = SS_FORM_IMPACT, .near = impact->near};
    int n_u = work->model->n_u, n_rows = work->table.n_rows;
    double *u_before = impact->scratch, *u_free = u_before + n_u, *compression = u_free + n_u;
    impact->hit = false;
    SS_TRY(ss_work_evaluate(work, impact->t, impact->q));
    SS_TRY(ss_work_laws_as(work, &form, 0, impact->u, NULL));
    /* Whether a closed law approaches, by more than rounding beside what its last impulse did. */
    for (int i = 0; i < work->inclusion.n_blocks && !impact->hit; i++) {
        double gamma[SS_SET_MAX_DIM], G;
        int side = side_of(work, i), row = work->table.laws[work->block_law[i]].offset;
        if (side == 0)
            continue;
        ss_inclusion_velocity(&work->inclusion, NULL, impact->u, i, gamma);
        ss_inclusion_diagonal(&work->inclusion, i, &G);
        impact->hit = side * gamma[0] < -1e-6 * G * fabs(ss_state_P(impact->state)[row]);
    }
    if (!impact->hit)
        return SS_OK;
    memcpy(u_before, impact->u, (size_t)n_u * sizeof *u_before);
    memset(ss_state_edit_P(impact->state), 0, (size_t)n_rows * sizeof(double));
    memset(compression, 0, (size_t)n_rows * sizeof *compression);
    SS_TRY(solve_phase(work, impact, u_before));
    if (impact->elastic) {
        memcpy(compression, work->P, (size_t)work->inclusion.n_rows * sizeof *compression);
        if (ss_impact_begin_expansion(work, u_before, impact->rest_speed, NULL)) {
            memcpy(u_free, impact->u, (size_t)n_u * sizeof *u_free);
            SS_TRY(solve_phase(work, impact, u_free));
        } else {
            memset(compression, 0, (size_t)n_rows * sizeof *compression);
        }
    }
    account(work, impact, u_before, compression);
    return SS_OK;
}

/* ---- Steps that are cut ---- */

enum { MOST_PARTS = 200, BISECTIONS = 60, TRANSITION_BISECTIONS = 34 };

typedef struct cut_step {
    ss_discretization d;
    const ss_event_rules *rules;
    ss_work *work;
    ss_model_size size;
    double *scratch;     /* of general steps */
    ss_state *from, *to; /* of the part on its way */
    double *q, *u, *rate_from, *rate_to, *d_from, *d_to, *impulse, *impact_scratch;
    bool *open, *switched; /* per law */
    double left;           /* s */
    int impacts;
    bool known_modes; /* modes of `from` mean something */
    ss_solve_report *report;
} cut_step;

/* What a state on the way has beside the numbers of the model. */
static ss_state_space space_of(const ss_model *model, const ss_model_size *size)
{
    return (ss_state_space){.rows = size->n_rows - model->n_rows,
                            .laws = size->n_laws - model->n_laws.count};
}

static size_t state_doubles(const ss_model *model, const ss_model_size *size)
{
    ss_state_space space = space_of(model, size);
    return ss_state_capacity(model, &space) / sizeof(double) + 1;
}

const char *ss_events_refuses(const void *self, const ss_model *model)
{
    (void)self;
    if (ss_general_any_matrix(model))
        return "an element has a matrix of restitution; Poisson's impact law takes one coefficient "
               "for each law";
    if (ss_general_any_elastic_beside(model))
        return "friction or a constraint has restitution, and Poisson's impact law gives back the "
               "impulses of contacts alone; Newton's, of moreau and of event_driven with 'impact: "
               "newton', treats both";
    return NULL;
}

size_t ss_events_scratch(const void *self, const ss_model *model, const ss_model_size *size)
{
    size_t flags = (2 * (size_t)size->n_laws * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
    return ss_general_scratch(self, model, size) + 2 * state_doubles(model, size) +
           3 * (size_t)size->n_q + 3 * (size_t)size->n_u + 5 * (size_t)size->n_rows + flags;
}

/* Part of the scratch memory becomes a state like B. */
static ss_state *make_state(const cut_step *c, double *memory, const ss_state *B)
{
    ss_state *state = (ss_state *)(void *)memory;
    ss_state_space space = space_of(c->work->model, &c->size);
    ss_state_shape(c->work->model, &space, state);
    ss_state_copy(state, B);
    return state;
}

static cut_step open_step(const ss_event_rules *rules, ss_work *work, double *scratch,
                          const ss_state *B, double dt, ss_solve_report *report)
{
    const ss_model *model = work->model;
    cut_step c = {.d = rules->d, .rules = rules, .work = work, .left = dt, .report = report};
    c.d.form.near = fmax(rules->near, rules->near_cubed * dt * dt * dt);
    c.size = ss_work_sizes(work);
    c.scratch = scratch;
    double *p = scratch + ss_general_scratch(NULL, model, &c.size);
    size_t state = state_doubles(model, &c.size);
    c.from = make_state(&c, p, B);
    c.to = make_state(&c, p + state, B);
    c.q = p + 2 * state;
    c.rate_from = c.q + c.size.n_q;
    c.rate_to = c.rate_from + c.size.n_q;
    c.u = c.rate_to + c.size.n_q;
    c.d_from = c.u + c.size.n_u;
    c.d_to = c.d_from + c.size.n_rows;
    c.impulse = c.d_to + c.size.n_rows;
    c.impact_scratch = c.impulse + c.size.n_rows;
    c.open = (bool *)(void *)(c.impact_scratch + 2 * c.size.n_u + 2 * c.size.n_rows);
    c.switched = c.open + c.size.n_laws;
    memset(c.impulse, 0, (size_t)c.size.n_rows * sizeof(double));
    memset(c.switched, 0, (size_t)c.size.n_laws * sizeof(bool));
    c.known_modes = ss_state_statistics(B)->steps > 0;
    *report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    return c;
}

/* rate = F u at a state. */
static ss_status rate_at(cut_step *c, const ss_state *state, double *rate)
{
    const double *q = ss_state_q(state);
    SS_TRY(ss_work_predict(c->work, ss_state_time(state), q, ss_state_u(state), 1, rate));
    for (int i = 0; i < c->size.n_q; i++)
        rate[i] -= q[i];
    return SS_OK;
}

/* q and u a part s of the trial step after its beginning (S5.74). */
static void interpolate(cut_step *c, double dt, double s)
{
    const double *q0 = ss_state_q(c->from), *q1 = ss_state_q(c->to);
    const double *u0 = ss_state_u(c->from), *u1 = ss_state_u(c->to);
    double s2 = s * s, s3 = s2 * s;
    for (int i = 0; i < c->size.n_q; i++)
        c->q[i] = c->rules->cubic ? q0[i] + (3 * s2 - 2 * s3) * (q1[i] - q0[i]) +
                                        (s - 2 * s2 + s3) * dt * c->rate_from[i] +
                                        (s3 - s2) * dt * c->rate_to[i]
                                  : q0[i] + s * (q1[i] - q0[i]);
    for (int i = 0; i < c->size.n_u; i++)
        c->u[i] = u0[i] + s * (u1[i] - u0[i]);
}

/* Whether a law that was open at the beginning is beyond its stop at (t, q). */
static ss_status crossed(cut_step *c, double t, const double *q, bool *any)
{
    *any = false;
    SS_TRY(ss_work_evaluate_geometry(c->work, t, q));
    SS_TRY(ss_work_distances_again(c->work, c->d_to));
    for (int l = 0; l < c->size.n_laws; l++) {
        int row = c->work->table.laws[l].offset;
        *any = *any || (c->open[l] && c->d_to[row] * (c->d_from[row] > 0 ? 1 : -1) <= 0);
    }
    return SS_OK;
}

/* The part of the trial step after which the first open law is reached; 1 when none is. */
static ss_status find_impact(cut_step *c, double dt, double *part)
{
    double t = ss_state_time(c->from), low = 0, high = 1;
    bool any;
    SS_TRY(ss_work_evaluate_geometry(c->work, t, ss_state_q(c->from)));
    SS_TRY(ss_work_distances(c->work, c->d_from));
    for (int l = 0; l < c->size.n_laws; l++) {
        const ss_law *law = &c->work->table.laws[l];
        c->open[l] = law->kind == SS_GEOMETRIC && (law->flags & SS_LAW_DISTANCE) &&
                     ss_law_opens(law) && law->dim == 1 &&
                     c->work->laws[l].level == SS_LEVEL_INACTIVE;
    }
    *part = 1;
    SS_TRY(crossed(c, t + dt, ss_state_q(c->to), &any));
    if (!any)
        return SS_OK;
    SS_TRY(rate_at(c, c->from, c->rate_from));
    SS_TRY(rate_at(c, c->to, c->rate_to));
    for (int k = 0; k < BISECTIONS && high - low > 1e-15; k++) {
        double middle = (low + high) / 2;
        interpolate(c, dt, middle);
        SS_TRY(crossed(c, t + middle * dt, c->q, &any));
        *(any ? &high : &low) = middle;
    }
    *part = high;
    return SS_OK;
}

/* The trial step ends earlier: positions and velocities interpolated, sums in proportion. */
static void cut(cut_step *c, double dt, double part)
{
    const ss_statistics *before = ss_state_statistics(c->from);
    ss_statistics *sums = ss_state_edit_statistics(c->to);
    interpolate(c, dt, part);
    memcpy(ss_state_edit_q(c->to), c->q, (size_t)c->size.n_q * sizeof *c->q);
    memcpy(ss_state_edit_u(c->to), c->u, (size_t)c->size.n_u * sizeof *c->u);
    sums->dissipated = before->dissipated + part * (sums->dissipated - before->dissipated);
    sums->load_work = before->load_work + part * (sums->load_work - before->load_work);
    for (int i = 0; i < c->size.n_rows; i++)
        ss_state_edit_P(c->to)[i] *= part;
    ss_state_set_time(c->to, ss_state_time(c->from) + part * dt);
}

static ss_status try_part(cut_step *c, double dt)
{
    ss_solve_report report;
    SS_TRY(ss_general_step(&c->d, c->work, c->scratch, c->from, dt, c->to, &report));
    ss_general_join_report(&report, c->report, NULL);
    return SS_OK;
}

/* The part on its way is accepted. */
static void accept(cut_step *c, double dt)
{
    ss_state *state = c->from;
    for (int i = 0; i < c->size.n_rows; i++)
        c->impulse[i] += ss_state_P(c->to)[i];
    c->from = c->to;
    c->to = state;
    c->left -= dt;
    c->known_modes = true;
}

/* Impact of the closed laws at `from`. */
static ss_status hit(cut_step *c)
{
    ss_impact impact = {
        .t = ss_state_time(c->from),
        .q = ss_state_q(c->from),
        .elastic = c->impacts < c->rules->impacts,
        .rest_speed = c->rules->rest_speed,
        .near = c->d.form.near,
        .u = ss_state_edit_u(c->from),
        .scratch = c->impact_scratch,
        .state = c->from,
        .report = c->report,
    };
    for (int l = 0; l < c->size.n_laws; l++)
        c->open[l] = ss_state_mode(c->from)[l] != 0;
    SS_TRY(ss_impact_solve(c->work, &impact));
    c->impacts += impact.hit;
    for (int l = 0; l < c->size.n_laws; l++)
        ss_state_edit_statistics(c->from)->switches +=
            c->open[l] && ss_state_edit_mode(c->from)[l] == 0;
    for (int i = 0; impact.hit && i < c->size.n_rows; i++)
        c->impulse[i] += ss_state_P(c->from)[i];
    return SS_OK;
}

/* Whether a law switched in the trial step. Sliding ends where the relative velocity turns round,
 * not where its mean over the step does. */
static bool switches(const cut_step *c, int l)
{
    const ss_law *law = &c->work->table.laws[l];
    const ss_work_element *we = &c->work->elements[law->element];
    const ss_work_law *wl = &c->work->laws[l];
    bool held = ss_state_mode(c->from)[l] == 0, holds = ss_state_mode(c->to)[l] == 0;
    if (c->switched[l] || wl->block < 0)
        return false;
    if (held)
        return !holds;
    if (law->kind != SS_KINEMATIC)
        return false;
    double along = 0;
    for (int i = law->row; i < law->row + law->dim; i++)
        along += we->gamma_B[i] * we->gamma_E[i];
    return along < 0;
}

static bool any_switch(const cut_step *c)
{
    bool any = false;
    for (int l = 0; l < c->size.n_laws && !any; l++)
        any = switches(c, l);
    return any;
}

/* Ends the trial step where the first law switches (S5.75): the longest part without a switch, or
 * the shortest with one when sliding ends. */
static ss_status find_transition(cut_step *c, double *dt)
{
    double low = 0, high = *dt;
    if (!c->known_modes || !any_switch(c))
        return SS_OK;
    for (int k = 0; k < TRANSITION_BISECTIONS && high - low > 1e-9 * *dt; k++) {
        double middle = (low + high) / 2;
        SS_TRY(try_part(c, middle));
        *(any_switch(c) ? &high : &low) = middle;
    }
    *dt = high;
    SS_TRY(try_part(c, high));
    for (int l = 0; l < c->size.n_laws; l++)
        c->switched[l] = c->switched[l] || switches(c, l);
    return SS_OK;
}

/* From `from` to the next event, or to the end of the step. */
static ss_status next_part(cut_step *c)
{
    double dt = c->left, part;
    SS_TRY(hit(c));
    SS_TRY(try_part(c, dt));
    SS_TRY(find_impact(c, dt, &part));
    if (part < 1) {
        cut(c, dt, part);
        accept(c, part * dt);
        return SS_OK;
    }
    if (c->rules->transitions)
        SS_TRY(find_transition(c, &dt));
    accept(c, dt);
    return SS_OK;
}

ss_status ss_events_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                         double dt, ss_state *E, ss_solve_report *report)
{
    cut_step c = open_step(self, work, scratch, B, dt, report);
    for (int k = 0; k < MOST_PARTS && c.left > 1e-12 * dt; k++)
        SS_TRY(next_part(&c));
    if (c.left > 1e-12 * dt) { /* too much happens: the rest in one part, whatever it contains */
        SS_TRY(hit(&c));
        SS_TRY(try_part(&c, c.left));
        accept(&c, c.left);
    }
    ss_statistics *sums = ss_state_edit_statistics(c.from);
    const ss_statistics *before = ss_state_statistics(B);
    uint64_t iterations = sums->iterations - before->iterations;
    memcpy(ss_state_edit_P(c.from), c.impulse, (size_t)c.size.n_rows * sizeof *c.impulse);
    ss_state_set_time(c.from, ss_state_time(B) + dt);
    ss_state_set_dt(c.from, dt);
    sums->steps = before->steps + 1;
    if (iterations > sums->max_iterations)
        sums->max_iterations = iterations;
    ss_state_copy(E, c.from);
    return SS_OK;
}
