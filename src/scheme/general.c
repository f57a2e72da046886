/* general.c: the discretization that most schemes are made of (S5.3.1), and the step of any scheme. */
#include "scheme/general.h"
#include "base/context.h"

#include "assembly/after/certify.h"
#include "assembly/work.h"
#include "la/small.h"
#include "scheme/builtin.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t ss_general_scratch(const void *self, const ss_model *model, const ss_model_size *size)
{
    (void)self, (void)model;
    size_t flags = ((size_t)size->n_laws * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
    return (size_t)size->n_q + 4 * (size_t)size->n_u + 2 * (size_t)size->n_rows + flags;
}

ss_general ss_general_open(const ss_discretization *d, ss_work *work, double *scratch,
                           const ss_state *B, double dt, ss_state *E, ss_solve_report *report)
{
    const ss_model *model = work->model;
    ss_general g = {
        .d = d,
        .work = work,
        .B = B,
        .dt = dt,
        .t_B = ss_state_time(B),
        .E = E,
        .report = report,
        .size = {.n_systems = model->n_systems.count,
                 .n_laws = work->table.n_laws,
                 .n_q = model->n_q,
                 .n_u = model->n_u,
                 .n_rows = work->table.n_rows},
        .q_B = ss_state_q(B),
        .u_B = ss_state_u(B),
        .q_E = ss_state_edit_q(E),
        .u_E = ss_state_edit_u(E),
        .u_place = ss_state_u(B),
    };
    g.q = scratch;
    g.h = g.q + g.size.n_q;
    g.impulse = g.h + g.size.n_u;
    g.u_free = g.impulse + g.size.n_u;
    g.v = g.u_free + g.size.n_u;
    g.gap = g.v + g.size.n_u;
    g.gap_before = g.gap + g.size.n_rows;
    g.on_velocity = (bool *)(void *)(g.gap_before + g.size.n_rows);
    g.behind = scratch + ss_general_scratch(NULL, model, &g.size);
    return g;
}

ss_status ss_general_go(ss_general *g, double a, bool mass)
{
    double t = g->t_B + a * g->dt;
    const double *q = g->q_B;
    if (a != 0) {
        SS_TRY(ss_work_predict(g->work, g->t_B, g->q_B, g->u_place, a * g->dt, g->q));
        q = g->q;
    }
    return mass ? ss_work_evaluate(g->work, t, q) : ss_work_evaluate_geometry(g->work, t, q);
}

/* ĥ and the derivatives that M̂ needs: at B*, or at B with h = h_B + β ∂h/∂t Δt. */
static ss_status linearize(ss_general *g)
{
    ss_linearization linear = g->d->linear;
    bool at_end = linear == SS_LINEAR_END || linear == SS_LINEAR_GYROSCOPIC;
    double beta = g->d->beta, *u = g->impulse;
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B, g->q_B));
    SS_TRY(ss_work_forces(g->work, g->u_B, g->h));
    if (at_end) { /* h = (1 - β) h_B + β h_B* */
        SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_B));
        SS_TRY(ss_work_forces(g->work, g->u_B, g->v));
        for (int i = 0; i < g->size.n_u; i++)
            g->h[i] = (1 - beta) * g->h[i] + beta * g->v[i];
    }
    SS_TRY(ss_work_clear_derivatives(g->work));
    if (linear == SS_LINEAR_GYROSCOPIC) {
        /* With c the part of h that is quadratic in u, ∂c/∂u = (∂h/∂u(u) - ∂h/∂u(-u))/2 and F = ∂c/∂u / 2. */
        SS_TRY(ss_work_add_derivatives(g->work, g->u_B, 0.5, 0.75));
        for (int i = 0; i < g->size.n_u; i++)
            u[i] = -g->u_B[i];
        SS_TRY(ss_work_add_derivatives(g->work, u, -0.5, 0.25));
        memset(u, 0, (size_t)g->size.n_u * sizeof *u);
        SS_TRY(ss_work_add_derivatives(g->work, u, 1, 0));
    } else {
        SS_TRY(ss_work_add_derivatives(g->work, g->u_B, linear == SS_LINEAR_VELOCITY ? 0 : 1, 1));
    }
    if (linear == SS_LINEAR_TIME) { /* by the difference over the step: a load may jump */
        SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_B));
        SS_TRY(ss_work_forces(g->work, g->u_B, g->v));
        for (int i = 0; i < g->size.n_u; i++)
            g->h[i] += beta * (g->v[i] - g->h[i]);
    }
    ss_work_stiffness_times(g->work, g->u_B, g->v);
    ss_axpy(g->size.n_u, beta * g->dt, g->v, g->h);
    return SS_OK;
}

static ss_status evaluate_smooth(ss_general *g)
{
    const ss_discretization *d = g->d;
    bool together = d->beta == 0 && d->h == d->mass && !g->given_h;
    if (g->given_h)
        memcpy(g->h, g->given_h, (size_t)g->size.n_u * sizeof *g->h);
    else if (d->beta != 0) {
        SS_TRY(linearize(g));
        SS_TRY(ss_general_go(g, d->laws, false));
        SS_TRY(ss_work_add_law_derivatives(g->work, g->u_B, NULL));
    } else if (!together) {
        SS_TRY(ss_general_go(g, d->h, false));
        SS_TRY(ss_work_forces_over(g->work, g->u_place, g->dt, g->h));
    }
    SS_TRY(ss_general_go(g, d->mass, true));
    if (together)
        SS_TRY(ss_work_forces_over(g->work, g->u_place, g->dt, g->h));
    if (d->beta != 0)
        SS_TRY(ss_work_modify_mass(g->work, d->beta * d->alpha * g->dt * g->dt, d->beta * g->dt));
    return SS_OK;
}

typedef struct free_call {
    const ss_general *g;
    double *u_free;
} free_call;

/* What the mass does not couple with others; the rest comes later. */
static ss_status free_system(ss_work *work, int s, void *user)
{
    const free_call *call = user;
    const ss_general *g = call->g;
    const ss_system *system = &work->model->systems[s];
    double *u_free = call->u_free + system->u_offset;
    for (int i = 0; i < system->nu; i++)
        u_free[i] = g->h[system->u_offset + i] * g->dt + g->impulse[system->u_offset + i];
    ss_work_solve_system(work, s, u_free);
    for (int i = 0; i < system->nu && !work->modified; i++)
        u_free[i] += g->u_B[system->u_offset + i];
    return SS_OK;
}

static ss_status free_velocity(ss_general *g, double *u_free)
{
    SS_TRY(ss_work_each_system(g->work, free_system, &(free_call){g, u_free}));
    if (g->work->modified) {
        ss_work_solve_ratio(g->work, u_free);
        ss_axpy(g->size.n_u, 1, g->u_B, u_free);
    }
    return ss_work_prescribe(g->work, g->t_B + g->dt, u_free);
}

/* |γ| <= √(2 T G_ii) for velocities of the kinetic energy T, beside what rounding of positions makes of it. */
double ss_general_nearer(const ss_general *g, int block, double rate)
{
    enum { MARGIN = 10 };
    const ss_block *B = &g->work->blocks[block];
    const double up = 1, down = -1;
    double G;
    if (B->dim != 1 || !ss_law_opens(&g->work->table.laws[g->work->block_law[block]]))
        return rate;
    ss_inclusion_diagonal(&g->work->inclusion, block, &G);
    double most = MARGIN * fmax(sqrt(2 * g->kinetic * fabs(G)), g->rounding);
    if (rate > most && !ss_set_contains(B->set, 1, &down, 0))
        return most;
    return rate < -most && !ss_set_contains(B->set, 1, &up, 0) ? -most : rate;
}

ss_status ss_general_evaluate(ss_general *g)
{
    const ss_discretization *d = g->d;
    ss_law_form form = d->form;
    form.implicit = d->implicit;
    if (d->beta != 0 && !g->given_h)
        form.springs = (struct ss_springs){d->beta - d->laws, d->beta * d->alpha, d->beta};
    SS_TRY(evaluate_smooth(g));
    if (d->begin_levels) {
        SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B, g->q_B));
        SS_TRY(ss_work_levels(g->work, &form, g->dt));
        form.keep_levels = true;
    }
    if (d->laws != d->mass || d->begin_levels)
        SS_TRY(ss_general_go(g, d->laws, false));
    for (int i = 0; i < g->size.n_u; i++)
        g->impulse[i] = 0;
    SS_TRY(ss_work_laws_as(g->work, &form, g->dt, g->u_B, g->impulse));
    SS_TRY(free_velocity(g, g->u_free));
    ss_work *work = g->work;
    if (form.kind != SS_FORM_DISPLACEMENT || work->inclusion.n_blocks == 0)
        return SS_OK;
    g->kinetic = g->rounding = 0;
    for (int i = 0; i < g->size.n_q; i++)
        g->rounding = fmax(g->rounding, DBL_EPSILON * fabs(g->q_B[i]) / g->dt);
    for (int s = 0; s < work->model->n_systems.count; s++) {
        int offset = work->model->systems[s].u_offset;
        double before = ss_work_kinetic(work, s, g->u_B + offset);
        g->kinetic += fmax(before, ss_work_kinetic(work, s, g->u_free + offset));
    }
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        double *b = work->inclusion.b + work->blocks[i].offset;
        if (work->laws[work->block_law[i]].displaced)
            *b = ss_general_nearer(g, i, *b);
    }
    return SS_OK;
}

/* h with the velocities that the solver has found so far. */
static ss_status refresh(void *user, const double *u, double *u_free, double *b)
{
    ss_general *g = user;
    (void)b;
    SS_TRY(ss_work_forces(g->work, u, g->h));
    return free_velocity(g, u_free);
}

ss_status ss_general_solve(ss_general *g)
{
    ss_inclusion *inclusion = &g->work->inclusion;
    inclusion->refresh = g->d->implicit ? refresh : NULL;
    inclusion->refresh_user = g;
    ss_status status = ss_work_solve(g->work, g->B, g->u_free, g->u_E, g->report);
    inclusion->refresh = NULL;
    return status;
}

typedef struct move_call {
    const ss_general *g;
    const double *u;
    double *q_E;
} move_call;

static ss_status move_system(ss_work *work, int s, void *user)
{
    const move_call *call = user;
    const ss_general *g = call->g;
    const ss_system *system = &work->model->systems[s];
    double alpha = g->d->alpha;
    for (int i = system->u_offset; i < system->u_offset + system->nu; i++)
        g->v[i] = (1 - alpha) * g->u_B[i] + alpha * call->u[i];
    ss_work_move_system(work, s, g->q_B, g->v, g->dt, call->q_E);
    return SS_OK;
}

ss_status ss_general_move(ss_general *g, const double *u, double *q_E)
{
    return ss_work_each_system(g->work, move_system, &(move_call){g, u, q_E});
}

/* The loads of a linearized h, with the shares that the step has of both ends: a load may jump within it. */
static ss_status find_loads(ss_general *g)
{
    double beta = g->given_h ? 0.5 : g->d->beta, *load = g->work->load;
    if (g->d->linear ==
        SS_LINEAR_VELOCITY) { /* where the step begins, with the velocity that it has taken */
        for (int i = 0; i < g->size.n_u; i++)
            g->v[i] = (1 - beta) * g->u_B[i] + beta * g->u_E[i];
        SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B, g->q_B));
        return ss_work_forces(g->work, g->v, g->h);
    }
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B, g->q_B));
    SS_TRY(ss_work_forces(g->work, g->u_B, g->h));
    memcpy(g->v, load, (size_t)g->size.n_u * sizeof *load);
    SS_TRY(ss_work_evaluate_geometry(g->work, g->t_B + g->dt, g->q_E));
    SS_TRY(ss_work_forces(g->work, g->u_E, g->h));
    for (int i = 0; i < g->size.n_u; i++)
        load[i] = (1 - beta) * g->v[i] + beta * load[i];
    return SS_OK;
}

ss_status ss_general_finish(ss_general *g)
{
    SS_TRY(ss_general_move(g, g->u_E, g->q_E));
    SS_TRY(ss_work_review(g->work, g->t_B + g->dt, g->q_E, g->u_E));
    if (g->d->beta != 0 || g->given_h)
        SS_TRY(find_loads(g));
    return ss_work_finish(g->work, g->B, g->dt, g->report, g->E);
}

ss_status ss_general_step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                          double dt, ss_state *E, ss_solve_report *report)
{
    ss_general g = ss_general_open(self, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve(&g));
    return ss_general_finish(&g);
}

void ss_general_join_report(const ss_solve_report *further, ss_solve_report *report,
                            ss_statistics *sums)
{
    if (sums) {
        sums->iterations += (uint64_t)further->iterations;
        sums->failures += !ss_outcome_accepted(further->outcome);
    }
    report->iterations += further->iterations;
    if (!ss_outcome_accepted(report->outcome))
        return;
    if (!ss_outcome_accepted(further->outcome) || further->residual.value > report->residual.value)
        report->residual = further->residual;
    report->outcome = further->outcome;
}

const char *ss_general_average_refuses(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++)
        if (model->laws[l].kind == SS_GEOMETRIC && (model->laws[l].flags & SS_LAW_CORRECTED))
            return "a law of the model takes its drift out by g/Δt, which diverges with laws on "
                   "the mean velocity; take it without 'stabilize', or moreau_stabilized";
    return NULL;
}

bool ss_general_any_opens(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++)
        if (model->laws[l].kind == SS_GEOMETRIC && ss_law_opens(&model->laws[l]))
            return true;
    return false;
}

bool ss_general_any_matrix(const ss_model *model)
{
    for (int e = 0; e < model->n_elements.count; e++)
        if (model->elements[e].ops->restitution || model->elements[e].restitution.rows)
            return true;
    return false;
}

bool ss_general_any_restitution_formula(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++)
        if (model->laws[l].restitution)
            return true;
    return false;
}

bool ss_general_any_elastic_beside(const ss_model *model)
{
    for (int l = 0; l < model->n_laws.count; l++)
        for (int i = 0; i < model->laws[l].dim; i++)
            if (model->laws[l].epsilon[i] != 0 &&
                !(model->laws[l].kind == SS_GEOMETRIC && ss_law_opens(&model->laws[l])))
                return true;
    return false;
}

ss_status ss_scheme_step(ss_scheme *scheme, ss_work *work, const ss_state *B, double dt,
                         ss_state *E, ss_solve_report *report)
{
    SS_GIVEN(NULL, scheme);
    SS_GIVEN(scheme->context, work);
    SS_GIVEN(scheme->context, B);
    SS_GIVEN(scheme->context, E);
    SS_GIVEN(scheme->context, report);
    if (work->certificate)
        ss_work_clear_findings(work);
    ss_work_take_inputs(work, B);
    work->before = ss_state_dt(B) > 0 ? ss_state_mode(B) : NULL;
    ss_status status = scheme->ops->step(scheme->self, work, scheme->scratch, B, dt, E, report);
    work->before = NULL;
    SS_TRY(status);
    if (E != B) /* inputs and controllers change between steps only */
        memcpy(ss_state_edit_control(E), ss_state_control(B),
               work->model->control_size * sizeof(double));
    if (work->certificate)
        ss_work_add_findings(work, ss_state_time(E), ss_state_edit_statistics(E));
    return SS_OK;
}
