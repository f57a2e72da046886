/* moreau_stabilized.c: Moreau's midpoint rule with drift stabilization (S7.4): geometric laws without
 * restitution obey -(g_M/Δt + γ_E) ∈ N(P), the others stay on velocity level. A one-sided law is looked
 * at while it is still open, as S5.57 does: stabilized only once it is closed, it would be thrown off
 * with the speed that its penetration asks for. */
#include "scheme/builtin.h"
#include "scheme/general.h"

typedef struct moreau_stabilized {
    bool implicit; /* h with the velocities at the end of the step */
} moreau_stabilized;

static const ss_key keys[] = {
    {"implicit", SS_KEY_BOOL, offsetof(moreau_stabilized, implicit), "false", 0, 0, NULL, "",
     "Evaluate h with the velocities at the end of the step, within the solver's iteration."},
    {NULL},
};

static void adapt(const void *self, ss_abilities *can)
{
    can->refresh = ((const moreau_stabilized *)self)->implicit;
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const moreau_stabilized *o = self;
    const ss_discretization d = {
        .mass = 0.5,
        .laws = 0.5,
        .h = 0.5,
        .alpha = 0.5,
        .implicit = o->implicit,
        .form = {.kind = SS_FORM_DISPLACEMENT, .split = true},
    };
    return ss_general_step(&d, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_moreau_stabilized_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "moreau_stabilized",
             "Moreau's midpoint rule with drift stabilization of laws without restitution.",
             sizeof(moreau_stabilized), keys},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .adapt = adapt,
};
