/* stiegelmeier.c: the scheme of Stiegelmeier (S5.3.5): everything where the step begins, q_E = q_B
 * + F u_E Δt, -(g_B + γ_E Δt) ∈ N(P). A step in which a law with restitution closes is repeated
 * with Moreau's law. Such laws do not push out of a penetration, which would be an impact of its
 * own.
 */
#include "scheme/builtin.h"
#include "scheme/general.h"

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const ss_discretization d = {.alpha = 1,
                                 .form = {.kind = SS_FORM_DISPLACEMENT, .clamp_elastic = true}};
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    (void)self;
    SS_TRY(ss_general_solve_elastic(&g));
    return ss_general_finish(&g);
}

const ss_scheme_ops ss_stiegelmeier_ops = {
    .type =
        {sizeof(ss_scheme_ops), "stiegelmeier",
         "Scheme of Stiegelmeier: explicit, gaps in the laws, steps with elastic impacts repeated.",
         0, NULL},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
};
