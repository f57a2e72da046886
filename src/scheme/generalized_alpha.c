/* generalized_alpha.c: the non-smooth generalized-α scheme (Chen, Acary, Virlez and Brüls 2013;
 * with the constraints on position and velocity level at once after Brüls, Acary and Cardona 2014).
 *
 * Forces, and constraints that never open, act on a smooth motion of higher order, the percussions
 * of all other laws on velocity jumps J of order one:
 *
 *     M v'_E = h(q_E, u_E, t_E) + W λ_E
 *     (1 - α_m) a_E + α_m a_B = (1 - α_f) v'_E + α_f v'_B
 *     ṽ = u_B + ((1 - γ) a_B + γ a_E) Δt,     q̃ = q_B + F (u_B Δt + ((1/2 - β) a_B + β a_E) Δt²)
 *     M J = W P,   u_E = ṽ + J,   -(γ_E + ε γ_B) ∈ N(P)
 *     q_E = q̃ + F J Δt/2, then projected: q_E += F M̂⁻¹ W P_q, -g(q_E) ∈ N(P_q)
 *
 * with α_m = (2ρ - 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = 1/2 + α_f - α_m, β = (γ + 1/2)²/4 for the
 * spectral radius ρ at infinite frequency. Written for u_E, with c = γ (1 - α_f)/(1 - α_m) Δt and
 * the known part a_* of a_E,
 *
 *     M (u_E - u_B - ((1 - γ) a_B + γ a_*) Δt) = c h(q_E, u_E, t_E) + W P
 *
 * is solved by Newton's method, each iteration one inclusion with M̂ = M - c (β/γ) Δt ∂h/∂q F - c
 * ∂h/∂u. M, W and h belong to the end of the step; which laws are active is decided where the
 * smooth motion of the step before leads to, q_B + F (u_B + a_B Δt/2) Δt.
 */
#include "la/small.h"
#include "model/work.h"
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <math.h>
#include <string.h>

/* Velocities below this have no digits left to compare. */
static const double DIED_OUT = 1e-290;

typedef struct generalized_alpha {
    double rho;
    bool project;
    int iterations;
    double tolerance;
    double alpha_m, alpha_f, gamma, beta;
} generalized_alpha;

static const ss_key keys[] = {
    {"rho", SS_KEY_REAL, offsetof(generalized_alpha, rho), "0.8", 0, 1, NULL, "",
     "Spectral radius ρ at infinite frequency: 1 damps nothing, 0 takes high frequencies out at "
     "once."},
    {"project", SS_KEY_BOOL, offsetof(generalized_alpha, project), "true", 0, 0, NULL, "",
     "Constraints hold on position level, too."},
    {"iterations", SS_KEY_INT, offsetof(generalized_alpha, iterations), "50", 1, 100000, NULL, "",
     "Most iterations of Newton's method in a step."},
    {"tolerance", SS_KEY_REAL, offsetof(generalized_alpha, tolerance), "1e-11", 1e-15, 1, NULL, "",
     "Change of the velocities, relative to the largest in the step, at which it stops."},
    {NULL},
};

/* What the step carries: whether it has begun, then a and v'. */
static size_t state_size(const void *self, const ss_model *model)
{
    (void)self;
    return 1 + 2 * (size_t)ss_model_sizes(model).n_u;
}

typedef struct alpha_step {
    const generalized_alpha *o;
    ss_general g;
    const double *a_B, *v_B; /* a and v' */
    double *a_E;
    double *known, *u; /* a_*, and u_E of the iteration before */
    double c;
    double last_change; /* of the velocities, by an iteration */
} alpha_step;

static size_t scratch_size(const void *self, const ss_model *model)
{
    return ss_general_scratch(self, model) + 4 * (size_t)ss_model_sizes(model).n_u;
}

static ss_status init(void *self, ss_context *context)
{
    generalized_alpha *o = self;
    (void)context;
    o->alpha_m = (2 * o->rho - 1) / (o->rho + 1);
    o->alpha_f = o->rho / (o->rho + 1);
    o->gamma = 0.5 + o->alpha_f - o->alpha_m;
    o->beta = (o->gamma + 0.5) * (o->gamma + 0.5) / 4;
    return SS_OK;
}

/* a = v' = M⁻¹h where the run begins. */
static ss_status first_accelerations(alpha_step *s, double *a)
{
    SS_TRY(ss_general_go(&s->g, 0, true));
    SS_TRY(ss_work_forces(s->g.work, s->g.u_B, a));
    ss_work_solve_mass(s->g.work, a);
    s->a_B = s->v_B = a;
    return SS_OK;
}

/* Everything that does not change while Newton's method iterates, and its first guess. */
static ss_status begin(alpha_step *s, double *first)
{
    const generalized_alpha *o = s->o;
    const ss_law_form form = {.kind = SS_FORM_VELOCITY};
    const double *own = ss_state_own(s->g.B);
    int n = s->g.size.n_u;
    s->a_B = own + 1;
    s->v_B = own + 1 + n;
    if (own[0] == 0)
        SS_TRY(first_accelerations(s, first));
    for (int i = 0; i < n; i++) {
        s->known[i] = (o->alpha_f * s->v_B[i] - o->alpha_m * s->a_B[i]) / (1 - o->alpha_m);
        s->u[i] = s->g.u_B[i] + s->a_B[i] * s->g.dt / 2;
    }
    SS_TRY(ss_work_predict(s->g.work, s->g.t_B, s->g.q_B, s->u, s->g.dt, s->g.q_E));
    SS_TRY(ss_work_visit(s->g.work, s->g.t_B + s->g.dt, s->g.q_E));
    memcpy(s->u, s->g.u_B, (size_t)n * sizeof *s->u);
    return ss_work_levels(s->g.work, &form, s->g.dt);
}

/* J = M⁻¹ (W P + impulse) of laws that can open, a_E of the smooth motion that is left, and q_E,
 * with F of the place. */
static void split(alpha_step *s)
{
    const generalized_alpha *o = s->o;
    ss_general *g = &s->g;
    const ss_model *model = g->work->model;
    double *J = g->v, dt = g->dt;
    memcpy(J, g->impulse, (size_t)g->size.n_u * sizeof *J);
    ss_work_push_jumps(g->work, J);
    for (int i = 0; i < model->n_systems.count; i++)
        ss_work_solve_system(g->work, i, J + model->systems[i].u_offset);
    for (int i = 0; i < g->size.n_u; i++) {
        double gain = g->u_E[i] - J[i] - g->u_B[i];
        s->a_E[i] = (gain / dt - (1 - o->gamma) * s->a_B[i]) / o->gamma;
        g->v[i] = g->u_B[i] + J[i] / 2 + dt * ((0.5 - o->beta) * s->a_B[i] + o->beta * s->a_E[i]);
    }
    ss_work_move(g->work, g->q_B, g->v, dt, g->q_E);
}

/* One iteration of Newton's method: h, M̂ and laws at the end as far as it is known. */
static ss_status iterate(alpha_step *s, ss_solve_report *report)
{
    const generalized_alpha *o = s->o;
    ss_general *g = &s->g;
    const ss_law_form form = {.kind = SS_FORM_VELOCITY, .keep_levels = true};
    SS_TRY(ss_work_place(g->work, g->t_B + g->dt, g->q_E));
    SS_TRY(ss_work_forces(g->work, s->u, g->h));
    ss_work_solve_mass(g->work, g->h);
    for (int i = 0; i < g->size.n_u; i++) {
        double gain = g->dt * ((1 - o->gamma) * s->a_B[i] + o->gamma * s->known[i]);
        g->u_free[i] = gain + s->c * g->h[i] - (s->u[i] - g->u_B[i]);
        g->impulse[i] = 0;
    }
    SS_TRY(ss_work_clear_derivatives(g->work));
    SS_TRY(ss_work_add_derivatives(g->work, s->u, 1, 1));
    SS_TRY(ss_work_modify_mass(g->work, s->c * o->beta / o->gamma * g->dt, s->c));
    SS_TRY(ss_work_laws_as(g->work, &form, g->dt, g->u_B, g->impulse));
    ss_work_solve_ratio(g->work, g->u_free);
    memcpy(g->v, g->impulse, (size_t)g->size.n_u * sizeof *g->v);
    ss_work_solve_mass(g->work, g->v);
    for (int i = 0; i < g->size.n_u; i++)
        g->u_free[i] += s->u[i] + g->v[i];
    SS_TRY(ss_work_prescribe(g->work, g->t_B + g->dt, g->u_free));
    SS_TRY(ss_work_solve(g->work, g->B, g->u_free, g->u_E, report));
    split(s);
    return SS_OK;
}

/* Rounding of stiff forces may keep the change above the tolerance: below this, a change that no
 * longer shrinks is all that can be had. */
static const double ROUNDING = 1e-8;

static bool converged(alpha_step *s)
{
    double change = 0, size = 0;
    for (int i = 0; i < s->g.size.n_u; i++) {
        change = fmax(change, fabs(s->g.u_E[i] - s->u[i]));
        size = fmax(size, fmax(fabs(s->g.u_E[i]), s->g.dt * fabs(s->a_E[i])));
        size = fmax(size, fmax(fabs(s->g.u_B[i]), s->g.dt * fabs(s->a_B[i])));
    }
    bool stands = change <= ROUNDING * size && change >= s->last_change / 2;
    s->last_change = change;
    return change <= s->o->tolerance * size || change < DIED_OUT || stands;
}

/* v'_E by the recurrence, and all that the next step needs. */
static void keep(const alpha_step *s)
{
    const generalized_alpha *o = s->o;
    double *own = ss_state_own(s->g.E);
    int n = s->g.size.n_u;
    own[0] = 1;
    for (int i = 0; i < n; i++) {
        double sum = (1 - o->alpha_m) * s->a_E[i] + o->alpha_m * s->a_B[i] - o->alpha_f * s->v_B[i];
        own[1 + n + i] = sum / (1 - o->alpha_f);
        own[1 + i] = s->a_E[i];
    }
}

/* With M̂, so that what stiff forces hold together moves together. */
static ss_status project(alpha_step *s)
{
    ss_general *g = &s->g;
    double reach = s->c * s->o->beta / s->o->gamma * g->dt;
    SS_TRY(ss_work_place(g->work, g->t_B + g->dt, g->q_E));
    SS_TRY(ss_work_clear_derivatives(g->work));
    SS_TRY(ss_work_add_derivatives(g->work, g->u_E, 1, 0));
    SS_TRY(ss_work_modify_mass(g->work, reach, 0));
    return ss_general_project(g, 0);
}

static ss_status finish(alpha_step *s)
{
    ss_general *g = &s->g;
    keep(s);
    SS_TRY(ss_work_review(g->work, g->t_B + g->dt, g->q_E, g->u_E));
    SS_TRY(ss_work_finish(g->work, g->B, g->dt, g->report, g->E));
    if (!s->o->project || g->size.n_rows == 0)
        return SS_OK;
    return project(s);
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const ss_discretization end = {.mass = 1, .laws = 1, .h = 1};
    alpha_step s = {.o = self, .g = ss_general_open(&end, work, scratch, B, dt, E, report)};
    int n = s.g.size.n_u;
    s.a_E = scratch + ss_general_scratch(self, ss_work_model(work));
    s.known = s.a_E + n;
    s.u = s.known + n;
    s.last_change = INFINITY;
    s.c = s.o->gamma * (1 - s.o->alpha_f) / (1 - s.o->alpha_m) * dt;
    SS_TRY(begin(&s, s.u + n));
    *report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    bool done = false;
    for (int k = 0; k < s.o->iterations && !done; k++) {
        ss_solve_report one;
        SS_TRY(iterate(&s, &one));
        ss_general_join_report(&one, report);
        if (!ss_all_finite(n, s.g.u_E))
            break;
        done = converged(&s);
        memcpy(s.u, s.g.u_E, (size_t)n * sizeof *s.u);
    }
    if (!done && ss_outcome_accepted(report->outcome))
        report->outcome = SS_MAX_ITERATIONS;
    return finish(&s);
}

const ss_scheme_ops ss_generalized_alpha_ops = {
    .type = {sizeof(ss_scheme_ops), "generalized_alpha",
             "Non-smooth generalized-α scheme: order 2 for forces, numerical damping, velocity and "
             "position level.",
             sizeof(generalized_alpha), keys},
    .init = init,
    .scratch = scratch_size,
    .step = step,
    .can = {.order = 2, .elastic = true, .bilateral = true, .level = SS_ON_BOTH},
    .state_size = state_size,
};
