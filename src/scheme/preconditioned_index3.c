/* preconditioned_index3.c: the gap itself at the end of the step (S5.1.3.3, S5.3.8),
 *
 *     M (û_E - û_B) = h Δt² + W 𝒫,   -g(q_E) ∈ N(𝒫)                (S5.103–S5.106)
 *     q_E = q_B + F ((1 - α) û_B + α û_E)
 *
 * with û = u Δt, 𝒫 = P Δt, and M, W and h in the middle of the step. The inclusion in û and 𝒫 is
 * the one in u and P with both sides divided by Δt; solver and residual do not depend on such
 * scales, and nothing else is divided by Δt². α = 1 makes impacts inelastic within two steps; α =
 * 1/2 (constraints only) keeps the energy.
 */
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <float.h>

typedef struct preconditioned_index3 {
    double alpha;
} preconditioned_index3;

static const ss_key keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(preconditioned_index3, alpha), "1", DBL_MIN, 1, NULL, "",
     "Share α of the velocities at the end in the positions: 1 for contacts, 0.5 for constraints."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const preconditioned_index3 *o = self;
    ss_discretization d = {.mass = 0.5, .laws = 0.5, .h = 0.5, .alpha = o->alpha};
    d.form.kind = SS_FORM_DISPLACEMENT;
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve_gap(&g));
    return ss_general_finish(&g);
}

const ss_scheme_ops ss_preconditioned_index3_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "preconditioned_index3",
             "Gaps of the end of the step, not linearized, inside the projection.",
             sizeof(preconditioned_index3), keys},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
