/* generalized_alpha.c: the non-smooth generalized-α scheme with constraints on position and velocity
 * level at once, after Brüls, Acary and Cardona (2014).
 *
 * Forces, and constraints that never open, act on a smooth motion of order two,
 *
 *     M v'_E = h(q_E, u_E, t_E) + W_b λ,   W_bᵀ ṽ + ζ = 0
 *     (1 - α_m) a_E + α_m a_B = (1 - α_f) v'_E + α_f v'_B
 *     ṽ = u_B + ((1 - γ) a_B + γ a_E) Δt,     q̃ = q_B + F (u_B Δt + ((1/2 - β) a_B + β a_E) Δt²)
 *
 * all laws on a velocity jump J, and those with a position on a correction U of positions:
 *
 *     M J = W P,  u_E = ṽ + J:      γ_E = 0 (constraints),  -(γ_E + ε γ_B) ∈ N(P) (closed laws)
 *     M U = W ν,  q_E = q̃ + F U:    g(q_E) = 0 (constraints),  -g(q_E) ∈ N(ν)
 *
 * A law is closed on velocity level where ν holds it, or its gap says so. M, W, h and the gaps are
 * those of q_E, u_E in all of these equations, and all of them hold together: Newton's method moves
 * the three unknowns at once (alpha.h). Friction has no position: its laws hold on velocity level, and
 * U has W P Δt/2 of them, without which what sticks would creep.
 *
 * α_m = (2ρ - 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = 1/2 + α_f - α_m, β = (γ + 1/2)²/4 for the spectral
 * radius ρ at infinite frequency.
 */
#include "scheme/alpha.h"
#include "scheme/builtin.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct generalized_alpha {
    double rho;
    int iterations;
    double tolerance;
    ss_alpha_constants constants;
} generalized_alpha;

static const ss_key keys[] = {
    {"rho", SS_KEY_REAL, offsetof(generalized_alpha, rho), "0.8", 0, 1, NULL, "",
     "Spectral radius ρ at infinite frequency: 1 damps nothing, 0 takes high frequencies out at "
     "once."},
    {"iterations", SS_KEY_INT, offsetof(generalized_alpha, iterations), "50", 1, 100000, NULL, "",
     "Most iterations of Newton's method in a step."},
    {"tolerance", SS_KEY_REAL, offsetof(generalized_alpha, tolerance), "1e-11", 1e-15, 1, NULL, "",
     "Change of the velocities, relative to the largest in the step, at which it stops."},
    {NULL},
};

static ss_status init(void *self, ss_context *context)
{
    generalized_alpha *o = self;
    ss_alpha_constants *k = &o->constants;
    (void)context;
    k->alpha_m = (2 * o->rho - 1) / (o->rho + 1);
    k->alpha_f = o->rho / (o->rho + 1);
    k->gamma = 0.5 + k->alpha_f - k->alpha_m;
    k->beta = (k->gamma + 0.5) * (k->gamma + 0.5) / 4;
    return SS_OK;
}

/* A reflection on a constraint that never opens is no constraint on both levels. */
static const char *refuses(const void *self, const ss_model *model)
{
    (void)self;
    for (int l = 0; l < model->n_laws.count; l++)
        if (ss_alpha_is_closed(&model->laws[l]) &&
            ss_law_is_elastic(&model->elements[model->laws[l].element], &model->laws[l]))
            return "a constraint that never opens has restitution, and the scheme holds its "
                   "velocity at zero; moreau, for one, reflects it";
    return NULL;
}

/* What the step carries: whether it has begun, then a and v'. */
static size_t state_size(const void *self, const ss_model *model)
{
    (void)self;
    return 1 + 2 * (size_t)ss_model_sizes(model).n_u;
}

static size_t scratch_size(const void *self, const ss_model *model, const ss_model_size *size)
{
    ss_alpha s = {0};
    (void)self;
    int most = ss_alpha_closed_rows(model->n_laws.count, model->laws);
    for (int l = 0; l < model->n_laws.count; l++) /* contacts that are followed may be among them */
        if (ss_alpha_is_closed(&model->laws[l]) &&
            ss_element_rule(&model->elements[model->laws[l].element])) {
            most += size->n_rows - model->n_rows;
            break;
        }
    return ss_alpha_lay_out(&s, most, size, NULL) + (size_t)size->n_u;
}

/* Accelerations where the run begins, consistent with the constraints: M a = h + W_b λ, W_bᵀa + ζ̂ =
 * 0. */
static ss_status first_accelerations(ss_alpha *s, double *a)
{
    const ss_table *table = &s->work->table;
    const double *u = ss_state_u(s->B);
    double t = ss_state_time(s->B), *zeta_hat = s->work->row_scratch;
    ss_state_copy(s->E, s->B);
    double t_E = s->t_E;
    s->t_E = t;
    SS_TRY(ss_alpha_evaluate(s, false));
    s->t_E = t_E;
    SS_TRY(ss_work_evaluate(s->work, t, ss_state_q(s->B)));
    memcpy(a, s->h, (size_t)s->n * sizeof *a);
    ss_work_solve_mass(s->work, a);
    for (int l = 0, row = 0; l < table->n_laws; l++) {
        const ss_law *law = &table->laws[l];
        if (!ss_alpha_is_closed(law))
            continue;
        SS_TRY(ss_work_element_gaps(s->work, law->element));
        SS_TRY(ss_work_element_bias(s->work, law->element, u, zeta_hat));
        for (int i = 0; i < law->dim; i++)
            s->target[row++] = -zeta_hat[law->row + i];
    }
    ss_constrained_apply(&s->plain, s->target, a, NULL);
    s->a_B = s->v_B = a;
    return SS_OK;
}

/* q_E and u_E of a_E, U and J. F belongs to the middle of the step. */
static ss_status arrive(ss_alpha *s)
{
    const double *q_B = ss_state_q(s->B), *u_B = ss_state_u(s->B);
    double *q = ss_state_edit_q(s->E), *u = ss_state_edit_u(s->E), dt = s->dt;
    for (int i = 0; i < s->n; i++) {
        u[i] = s->v[i] + s->J[i];
        s->move[i] =
            u_B[i] + dt * ((0.5 - s->o.beta) * s->a_B[i] + s->o.beta * s->a[i]) + s->U[i] / dt;
    }
    if (s->work->model->F_size > 0) {
        for (int i = 0; i < s->size.n_q; i++)
            s->q_mid[i] = (q_B[i] + q[i]) / 2;
        SS_TRY(ss_work_evaluate_geometry(s->work, s->t_E - dt / 2, s->q_mid));
    }
    ss_work_move(s->work, q_B, s->move, dt, q);
    return ss_work_review(s->work, s->t_E, q, u);
}

/* The first guess: a as it was. Impulses of the step before are the first guess of those of this one, with ν = P Δt/2:
 * what rests is solved once, and not creeping by what a solver leaves in every step. */
static ss_status begin(ss_alpha *s, double *first)
{
    const double *own = ss_state_own(s->B), *u_B = ss_state_u(s->B);
    size_t n = (size_t)s->n, laws = (size_t)s->size.n_laws;
    const double *P = ss_state_P(s->B);
    for (int l = 0, held = 0; l < s->size.n_laws; l++) {
        const ss_law *law = &s->work->table.laws[l];
        for (int i = law->offset; i < law->offset + law->dim; i++) {
            s->P[i] = ss_alpha_is_closed(law) ? 0 : P[i];
            s->nu[i] = (law->flags & SS_LAW_DISTANCE) ? s->P[i] * s->dt / 2 : 0;
            if (ss_alpha_is_closed(law))
                s->lambda[held++] = P[i] / s->dt;
        }
    }
    memset(s->candidate, 0, laws * sizeof *s->candidate);
    memset(s->nu_closed, 0, (size_t)s->n_closed * sizeof *s->nu_closed);
    memset(s->P_closed, 0, (size_t)s->n_closed * sizeof *s->P_closed);
    memset(s->U, 0, n * sizeof *s->U);
    memset(s->J, 0, n * sizeof *s->J);
    s->a_B = own + 1;
    s->v_B = own + 1 + s->n;
    if (own[0] == 0) {
        SS_TRY(first_accelerations(s, first));
        memset(s->candidate, 0, laws * sizeof *s->candidate);
    }
    for (int l = 0; l < s->size.n_laws; l++) {
        const ss_element *element = &s->work->table.elements[s->work->table.laws[l].element];
        s->level[l] = ss_element_rule(element) ? (int)SS_LEVEL_INACTIVE : -1;
    }
    memcpy(s->a, s->a_B, n * sizeof *s->a);
    for (int i = 0; i < s->n; i++)
        s->v[i] = u_B[i] + s->dt * s->a[i];
    memcpy(ss_state_edit_q(s->E), ss_state_q(s->B), (size_t)s->size.n_q * sizeof(double));
    SS_TRY(ss_work_evaluate_geometry(s->work, s->t_E, ss_state_q(s->B)));
    return arrive(s);
}

/* Velocities below this have no digits left to compare. */
static const double DIED_OUT = 1e-290;
/* Rounding of stiff forces may keep the change above the tolerance: below this, a change that no
 * longer shrinks is all that can be had. */
static const double ROUNDING = 1e-8;

/* The last move, as velocities, beside the velocities of the step. */
static bool converged(const ss_alpha *s, double tolerance, double *last_change)
{
    const double *u_B = ss_state_u(s->B), *u_E = ss_state_u(s->E), *q = ss_state_q(s->E);
    double change = 0, size = 0, place = 0;
    for (int i = 0; i < s->n; i++) {
        change = fmax(change, fmax(fabs(s->du[i]), fabs(s->dq[i]) / s->dt));
        size = fmax(size, fmax(fabs(u_E[i]), s->dt * fabs(s->a[i])));
        size = fmax(size, fmax(fabs(u_B[i]), s->dt * fabs(s->a_B[i])));
    }
    for (int i = 0; i < s->size.n_q; i++)
        place = fmax(place, fabs(q[i]));
    bool stands = change <= ROUNDING * size && change >= *last_change / 2;
    bool rounding = change <= 8 * DBL_EPSILON * place / s->dt;
    *last_change = change;
    if (s->levels_changed)
        return false;
    return change <= tolerance * size || change < DIED_OUT || stands || rounding;
}

/* Impulses of the whole step: Δt λ and P of constraints, P of all others. Constraints had no velocity
 * where the step began, either: seen along W of its end they would seem to have done work. */
static void report_impulses(const ss_alpha *s)
{
    ss_work *work = s->work;
    int held = 0;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        const ss_law *law = &work->table.laws[work->block_law[i]];
        double *P = work->P + work->blocks[i].offset;
        for (int k = 0; k < law->dim; k++)
            P[k] = s->P[law->offset + k];
        for (int k = 0; ss_alpha_is_closed(law) && k < law->dim; k++, held++) {
            P[k] = s->dt * s->lambda[held] + s->P_closed[held];
            work->elements[law->element].gamma_B[law->row + k] = 0;
        }
    }
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    enum { FREEZE = 20 }; /* laws that still open and close by then stay as they are */
    const generalized_alpha *o = self;
    ss_alpha s = {.o = o->constants, .work = work, .B = B, .E = E, .dt = dt, .report = report};
    ss_model_size size = ss_work_sizes(work);
    int closed = ss_alpha_closed_rows(work->table.n_laws, work->table.laws);
    double *first = scratch + ss_alpha_lay_out(&s, closed, &size, scratch);
    s.t_E = ss_state_time(B) + dt;
    s.kappa = (1 - s.o.alpha_m) / (1 - s.o.alpha_f);
    s.b = s.o.beta * dt * dt / s.kappa;
    s.c = s.o.gamma * dt / s.kappa;
    SS_TRY(begin(&s, first));
    *report = (ss_solve_report){.outcome = SS_CONVERGED, .residual.worst_block = -1};
    bool done = false;
    double change = INFINITY;
    for (int k = 0; k < o->iterations && !done; k++) {
        SS_TRY(ss_alpha_evaluate(&s, k >= FREEZE));
        SS_TRY(ss_alpha_move(&s));
        SS_TRY(arrive(&s));
        done = converged(&s, o->tolerance, &change);
    }
    if (!done && ss_outcome_accepted(report->outcome))
        report->outcome = SS_MAX_ITERATIONS;
    report_impulses(&s);
    double *own =
        ss_state_edit_own(E); /* v'_E by the recurrence, and all that the next step needs */
    own[0] = 1;
    for (int i = 0; i < s.n; i++) {
        double sum = (1 - s.o.alpha_m) * s.a[i] + s.o.alpha_m * s.a_B[i] - s.o.alpha_f * s.v_B[i];
        own[1 + s.n + i] = sum / (1 - s.o.alpha_f);
        own[1 + i] = s.a[i];
    }
    return ss_work_finish(work, B, dt, report, E);
}

const ss_scheme_ops ss_generalized_alpha_ops = {
    .type =
        {SS_ABI, sizeof(ss_scheme_ops), "generalized_alpha",
         "Non-smooth generalized-α scheme: order 2 for forces and constraints, numerical damping, "
         "velocity and position level at once.",
         sizeof(generalized_alpha), keys},
    .init = init,
    .refuses = refuses,
    .scratch = scratch_size,
    .step = step,
    .can = {.order = 2,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_BOTH,
            .contacts = SS_CONTACTS_FOLLOWED},
    .state_size = state_size,
};
