/* stewart_trinkle.c: the scheme of Stewart and Trinkle (S5.65, S5.66): M at q_B + F u_B Δt, h in
 * the middle of the step, W where it begins, q_E = q_B + F u_E Δt, -(g_B/Δt + γ_E) ∈ N(P). With a
 * constant M it is S5.33–S5.35. The constant δ_0 of the printed gap w q - δ_0 is part of our gap.
 */
#include "scheme/builtin.h"
#include "scheme/general.h"

typedef struct stewart_trinkle {
    bool stabilize;
} stewart_trinkle;

static const ss_key keys[] = {
    {"stabilize", SS_KEY_BOOL, offsetof(stewart_trinkle, stabilize), "true", 0, 0, NULL, "",
     "Gaps in the laws; false: laws on velocity level without restitution, which drift."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const stewart_trinkle *o = self;
    ss_discretization d = {.mass = 1, .h = 0.5, .alpha = 1};
    d.form.kind = o->stabilize ? SS_FORM_DISPLACEMENT : SS_FORM_VELOCITY;
    return ss_general_step(&d, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_stewart_trinkle_ops = {
    .type =
        {SS_ABI, sizeof(ss_scheme_ops), "stewart_trinkle",
         "Scheme of Stewart and Trinkle: gaps in the laws, positions by the velocities of the end.",
         sizeof(stewart_trinkle), keys},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_DISPLACEMENT, .expansion = true},
};
