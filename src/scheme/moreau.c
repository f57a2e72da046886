/* moreau.c: Moreau's midpoint rule (S5.3.2), and the same with drift stabilization (S7.4).
 *
 * With q_M = q_B + F u_B Δt/2, t_M = t_B + Δt/2 and everything but h(u) evaluated there,
 *
 *     M (u_E - u_B) = h Δt + W P,   -(γ_E + ε γ_B) ∈ N(P)               (S5.49–S5.52)
 *     q_E = q_B + F (u_B + u_E)/2 Δt
 *
 * The constant vector of S5.53 carries ζ twice in print; derived again it is
 * c = (1 + ε) γ_B + Wᵀ M⁻¹ h Δt with γ_B = Wᵀ u_B + ζ.
 */
#include "assembly/work.h"
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <string.h>

enum { NEWTON, POISSON };

typedef struct moreau {
    ss_discretization d;
    int impact; /* NEWTON or POISSON */
} moreau;

static const ss_key keys[] = {
    {"implicit", SS_KEY_BOOL, offsetof(moreau, d.implicit), "false", 0, 0, NULL, "",
     "Evaluate h with the velocities at the end of the step, within the solver's iteration."},
    {"impact", SS_KEY_CHOICE, offsetof(moreau, impact), "newton", 0, 0, "newton|poisson", "",
     "Impact law: Newton's, -(γ_E + ε γ_B) ∈ N(P); or Poisson's, compression and expansion as two "
     "inclusions, the impulse of the second being at least ε times that of the first."},
    {NULL},
};

static ss_status init(void *self, ss_context *context)
{
    moreau *o = self;
    (void)context;
    o->d.mass = o->d.laws = o->d.h = o->d.alpha = 0.5;
    o->d.form.kind = o->impact == POISSON ? SS_FORM_AVERAGE : SS_FORM_VELOCITY;
    return SS_OK;
}

static void adapt(const void *self, ss_abilities *can)
{
    can->refresh = ((const ss_discretization *)self)->implicit;
}

static void adapt_moreau(const void *self, ss_abilities *can)
{
    const moreau *o = self;
    adapt(&o->d, can);
    can->impact = o->impact == POISSON ? SS_IMPACT_POISSON : SS_IMPACT_NEWTON;
}

/* ---- Poisson's law ---- */

static size_t scratch_of(const void *self, const ss_model *model, const ss_model_size *size)
{
    size_t u = (size_t)size->n_u, rows = (size_t)size->n_rows;
    return ss_general_scratch(self, model, size) + 3 * u + 3 * rows;
}

static const char *refuses(const void *self, const ss_model *model)
{
    return ((const moreau *)self)->impact == POISSON ? ss_events_refuses(self, model) : NULL;
}

static ss_contact_policy contacts(const void *self, const ss_model *model)
{
    bool poisson = ((const moreau *)self)->impact == POISSON;
    (void)model;
    return poisson ? SS_CONTACTS_FOLLOWED : SS_CONTACTS_DETECTED;
}

/* What the impact did, on top of the smooth part of the step. The impulses of both together do the
 * work P (γ_B + γ_E)/2, with γ_B from before the impact; so energies balance to rounding. */
static void join_impact(const ss_general *g, const double *P, const ss_statistics *impact)
{
    const ss_statistics *before = ss_state_statistics(g->B);
    ss_statistics *sums = ss_state_edit_statistics(g->E);
    double *gamma_B = g->work->row_scratch;
    sums->load_work += impact->load_work - before->load_work;
    sums->iterations += impact->iterations - before->iterations;
    sums->failures += impact->failures - before->failures;
    sums->gains += impact->gains - before->gains;
    sums->gained += impact->gained - before->gained;
    for (int b = 0; b < g->work->inclusion.n_blocks; b++) {
        const ss_law *law = &g->work->table.laws[g->work->block_law[b]];
        const ss_work_element *we = &g->work->elements[law->element];
        double *P_E = ss_state_edit_P(g->E) + law->offset;
        ss_work_element_velocity(g->work, law->element, g->u_B, gamma_B);
        for (int i = 0; i < law->dim; i++) {
            double P_hit = P[law->offset + i], gamma_E = we->gamma_E[law->row + i];
            double first = gamma_B[law->row + i], after = we->gamma_B[law->row + i];
            sums->dissipated -= P_E[i] * (first - after) / 2 + P_hit * (first + gamma_E) / 2;
            P_E[i] += P_hit;
            if (P_hit != 0 && law->kind == SS_GEOMETRIC)
                ss_state_edit_mode(g->E)[g->work->block_law[b]] = 0;
        }
    }
    sums->switches = before->switches;
    for (int l = 0; l < g->size.n_laws; l++)
        sums->switches += (ss_state_mode(g->B)[l] == 0) != (ss_state_mode(g->E)[l] == 0);
}

/* An impact at the midpoint, then the step without restitution from the velocities after it. */
static ss_status poisson_step(const ss_discretization *d, ss_work *work, double *scratch,
                              const ss_state *B, double dt, ss_state *E, ss_solve_report *report)
{
    ss_general g = ss_general_open(d, work, scratch, B, dt, E, report);
    double *u = g.behind;
    double *P = u + g.size.n_u;
    const double *u_B = g.u_B;
    ss_solve_report smooth;
    ss_impact impact = {.t = g.t_B + dt / 2,
                        .q = g.q,
                        .elastic = true,
                        .u = u,
                        .scratch = P + g.size.n_rows,
                        .state = E,
                        .report = report};
    SS_TRY(ss_general_go(&g, 0.5, true));
    ss_state_copy(E, B);
    memcpy(u, u_B, (size_t)g.size.n_u * sizeof *u);
    *report = (ss_solve_report){.outcome = SS_CONVERGED, .residual = {.worst_block = -1}};
    SS_TRY(ss_impact_solve(work, &impact)); /* E keeps its impulses and sums */
    if (!impact.hit)
        memset(ss_state_edit_P(E), 0, (size_t)g.size.n_rows * sizeof *P);
    ss_statistics sums = *ss_state_statistics(E);
    memcpy(P, ss_state_P(E), (size_t)g.size.n_rows * sizeof *P);
    g.report = &smooth;
    g.u_B = u;
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve(&g));
    g.u_B = u_B;
    SS_TRY(ss_general_finish(&g));
    join_impact(&g, P, &sums);
    ss_general_join_report(&smooth, report, NULL);
    return SS_OK;
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    return ((const moreau *)self)->impact == POISSON
               ? poisson_step(self, work, scratch, B, dt, E, report)
               : ss_general_step(self, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_moreau_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "moreau",
             "Moreau's midpoint rule: laws on velocity level, order 1 through impacts.",
             sizeof(moreau), keys},
    .init = init,
    .refuses = refuses,
    .scratch = scratch_of,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true},
    .adapt = adapt_moreau,
    .contacts = contacts,
};

/* ---- Drift stabilization: geometric laws without restitution obey -(g_M/Δt + γ_E) ∈ N(P), the others stay on velocity
 * level. A one-sided law is looked at while it is still open, as S5.57 does: stabilized only once it is closed, it would
 * be thrown off with the speed that its penetration asks for. ---- */

static const ss_key stabilized_keys[] = {
    {"implicit", SS_KEY_BOOL, offsetof(ss_discretization, implicit), "false", 0, 0, NULL, "",
     "Evaluate h with the velocities at the end of the step, within the solver's iteration."},
    {NULL},
};

static ss_status stabilized_init(void *self, ss_context *context)
{
    ss_discretization *d = self;
    (void)context;
    d->mass = d->laws = d->h = d->alpha = 0.5;
    d->form = (ss_law_form){.kind = SS_FORM_DISPLACEMENT, .split = true};
    return SS_OK;
}

const ss_scheme_ops ss_moreau_stabilized_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "moreau_stabilized",
             "Moreau's midpoint rule with drift stabilization of laws without restitution.",
             sizeof(ss_discretization), stabilized_keys},
    .init = stabilized_init,
    .scratch = ss_general_scratch,
    .step = ss_general_step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .adapt = adapt,
};
