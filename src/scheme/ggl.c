/* ggl.c: time-stepping after Gear, Gupta and Leimkuhler (S5.1.3.2, S5.3.7): Moreau's midpoint rule,
 * then positions that are projected on -(g_E + δ) ∈ N(P_q), q_E = q_B + F (u_B + u_E)/2 Δt + M⁻¹ W
 * P_q. The projection may bring energy in.
 */
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <math.h>

typedef struct ggl {
    double penetration;
} ggl;

static const ss_key keys[] = {
    {"penetration", SS_KEY_REAL, offsetof(ggl, penetration), "-1", -INFINITY, INFINITY, NULL,
     "m, rad",
     "Penetration δ up to which positions of laws that can open are left alone; negative: what "
     "suffices for a "
     "contact to come to rest, from step to step."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const ss_discretization d = {.mass = 0.5, .laws = 0.5, .h = 0.5, .alpha = 0.5};
    const ggl *o = self;
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve(&g));
    SS_TRY(ss_general_finish(&g));
    return ss_general_project(&g, o->penetration);
}

const ss_scheme_ops ss_ggl_ops = {
    .type =
        {sizeof(ss_scheme_ops), "ggl",
         "Time-stepping after Gear, Gupta and Leimkuhler: Moreau's rule, and positions projected.",
         sizeof(ggl), keys},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1, .elastic = true, .bilateral = true, .level = SS_ON_BOTH, .expansion = true},
};
