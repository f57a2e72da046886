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
#include "scheme/builtin.h"
#include "scheme/general.h"

typedef struct moreau {
    bool implicit; /* h with the velocities at the end of the step */
} moreau;

static const ss_key keys[] = {
    {"implicit", SS_KEY_BOOL, offsetof(moreau, implicit), "false", 0, 0, NULL, "",
     "Evaluate h with the velocities at the end of the step, within the solver's iteration."},
    {NULL},
};

static ss_discretization midpoint(const moreau *o)
{
    return (ss_discretization){
        .mass = 0.5, .laws = 0.5, .h = 0.5, .alpha = 0.5, .implicit = o->implicit};
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    ss_discretization d = midpoint(self);
    return ss_general_step(&d, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_moreau_ops = {
    .type = {sizeof(ss_scheme_ops), "moreau",
             "Moreau's midpoint rule: laws on velocity level, order 1 through impacts.",
             sizeof(moreau), keys},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = true},
};

/* S7.4 asks for ε = 0. A one-sided law is looked at while it is still open, as S5.57 does:
 * stabilized only once it is closed, it would be thrown off with the speed that its penetration
 * asks for. */
static ss_status stabilized_step(const void *self, ss_work *work, double *scratch,
                                 const ss_state *B, double dt, ss_state *E, ss_solve_report *report)
{
    ss_discretization d = midpoint(self);
    d.form = (ss_law_form){.kind = SS_FORM_DISPLACEMENT, .split = true};
    return ss_general_step(&d, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_moreau_stabilized_ops = {
    .type = {sizeof(ss_scheme_ops), "moreau_stabilized",
             "Moreau's midpoint rule with drift stabilization of laws without restitution.",
             sizeof(moreau), keys},
    .scratch = ss_general_scratch,
    .step = stabilized_step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true,
            .contacts = true},
};
