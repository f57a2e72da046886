/* theta.c: the modified Θ-method of Jean (S5.3.3).
 *
 * α = β = Θ, h linearized at (q_B, u_B, t_E), everything else at q_D = q_B + (1 - Θ) F u_B Δt:
 * where the approximate gap g_D of S5.57 belongs, and the midpoint for Θ = 1/2.
 *
 *     -(max(0, g_D)/Δt + γ_E) ∈ N(P)            (S5.57; print misses the bracket)
 */
#include "scheme/builtin.h"
#include "scheme/general.h"

enum { ON_DISPLACEMENT, ON_VELOCITY, MIXED };

typedef struct theta {
    ss_discretization d; /* Θ: its α */
    int laws;
} theta;

static const ss_key keys[] = {
    {"theta", SS_KEY_REAL, offsetof(theta, d.alpha), "0.5", 0, 1, NULL, "",
     "Share Θ of the end of the step in positions and h; stable for Θ >= 1/2, order 2 for Θ = "
     "1/2."},
    {"laws", SS_KEY_CHOICE, offsetof(theta, laws), "displacement", 0, 0,
     "displacement|velocity|mixed", "",
     "Geometric laws with gaps (without restitution), as Moreau's, or with gaps where they have no "
     "restitution."},
    {"clamp", SS_KEY_BOOL, offsetof(theta, d.form.clamp), "true", 0, 0, NULL, "",
     "Laws with gaps do not push out of a penetration, max(0, g); false: they do, which stops "
     "drift."},
    {NULL},
};

static void adapt(const void *self, ss_abilities *can)
{
    can->elastic = ((const theta *)self)->laws != ON_DISPLACEMENT;
}

static ss_status init(void *self, ss_context *context)
{
    theta *o = self;
    ss_discretization *d = &o->d;
    (void)context;
    d->beta = d->alpha;
    d->mass = d->laws = d->h = 1 - d->alpha;
    if (d->alpha == 0) /* q_E = q_B + F u_B Δt does not depend on u_E: h where the step begins */
        d->h = 0;
    if (o->laws != ON_VELOCITY) {
        d->form.kind = SS_FORM_DISPLACEMENT;
        d->form.split = o->laws == MIXED;
    }
    return SS_OK;
}

const ss_scheme_ops ss_theta_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "theta",
             "Modified Θ-method of Jean: linearly implicit, laws with gaps or on velocity level.",
             sizeof(theta), keys},
    .init = init,
    .scratch = ss_general_scratch,
    .step = ss_general_step,
    .can = {.order = 2,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true},
    .adapt = adapt,
};
