/* funk.c: the scheme of Funk (S5.3.5): any α and β, h linearized in q, u and t where the step
 * begins,
 *
 *     ĥ = h_B + β Δt (∂h/∂q F u_B + ∂h/∂t)             with h at (q_B, u_B, t_B)
 *     M̂ = M - βα Δt² ∂h/∂q F - β Δt ∂h/∂u
 *
 * and -(g_D + γ_E Δt) ∈ N(P); M, W and the gap at q_D = q_B + (1 - α) F u_B Δt, as S5.57 has it, for
 * α < 1 with Jean's max(0, g_D): else a contact that q_D finds closed would be thrown off with |g_D|/Δt.
 * Elastic impacts as in the scheme of Stiegelmeier.
 */
#include "scheme/builtin.h"
#include "scheme/general.h"

typedef struct funk {
    double alpha, beta;
} funk;

static const ss_key keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(funk, alpha), "0.5", 0, 1, NULL, "",
     "Share α of the velocities at the end in the positions; > 0 when there are geometric laws."},
    {"beta", SS_KEY_REAL, offsetof(funk, beta), "0.5", 0, 1, NULL, "",
     "Share β of the end of the step in h; 0: explicit."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const funk *o = self;
    double place = 1 - o->alpha;
    ss_discretization d = {.mass = place, .laws = place, .alpha = o->alpha, .beta = o->beta};
    d.linear = SS_LINEAR_TIME;
    d.form =
        (ss_law_form){.kind = SS_FORM_DISPLACEMENT, .clamp = o->alpha < 1, .clamp_elastic = true};
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    SS_TRY(ss_general_solve_elastic(&g));
    return ss_general_finish(&g);
}

const ss_scheme_ops ss_funk_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "funk",
             "Scheme of Funk: any α and β, forces linearized also in time, gaps in the laws.",
             sizeof(funk), keys},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 2,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .contacts = ss_general_elastic_contacts,
};
