/* theta.c: the modified Θ-method of Jean (S5.3.3), and the scheme of Paoli and Schatzman (S5.3.4).
 *
 * α = β = Θ, h linearized at (q_B, u_B, t_E), everything else at q_D = q_B + (1 - Θ) F u_B Δt:
 * where the approximate gap g_D of S5.57 belongs, and the midpoint for Θ = 1/2.
 *
 *     -(max(0, g_D)/Δt + γ_E) ∈ N(P)            (S5.57; print misses the bracket)
 */
#include "assembly/work.h"
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
     "drift.",
     "laws=displacement|mixed"},
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

/* ---- Paoli and Schatzman (S5.3.4), restitution on positions:
 *
 *     M (q_{s+1} - 2 q_s + q_{s-1})/Δt² = h_s + W λ                     (S5.60, S5.61)
 *     -λ ∈ N((g_{s+1} + ε g_{s-1})/(1 + ε))
 *
 * With u_B = (q_s - q_{s-1})/Δt and u_E = (q_{s+1} - q_s)/Δt it is M (u_E - u_B) = h_s Δt + W P,
 * q_E = q_B + u_E Δt and, the gap linearized at q_s, -((g_s + ε g_{s-1})/Δt + γ_E) ∈ N(P) with
 * g_{s-1} at q_B - u_B Δt. h_s takes the velocity (u_B + u_E)/2, linearized. Velocities belong to
 * the middle of the step before. ---- */

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    ss_discretization d = {.alpha = 1, .beta = 0.5, .linear = SS_LINEAR_VELOCITY};
    ss_general g = ss_general_open(&d, work, scratch, B, dt, E, report);
    (void)self;
    d.form = (ss_law_form){.kind = SS_FORM_DISPLACEMENT, .distance = g.gap};
    SS_TRY(ss_general_go(&g, 0, false)); /* d = g_s + ε g_{s-1} by rows of all laws */
    SS_TRY(ss_work_distances(work, g.gap));
    SS_TRY(ss_general_go(&g, -1, false));
    SS_TRY(ss_work_distances_again(work, g.gap_before));
    for (int l = 0; l < work->table.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        for (int i = 0; i < law->dim; i++)
            g.gap[law->offset + i] += law->epsilon[i] * g.gap_before[law->offset + i];
    }
    SS_TRY(ss_general_evaluate(&g));
    SS_TRY(ss_general_solve(&g));
    return ss_general_finish(&g);
}

static const char *refuses(const void *self, const ss_model *model)
{
    (void)self;
    if (ss_general_any_matrix(model))
        return "an element has a matrix of restitution; it treats one coefficient for each row";
    if (ss_general_any_restitution_formula(model))
        return "a restitution is an expression; on positions an impact has no velocity before it; "
               "moreau, for one, treats it";
    if (ss_general_any_elastic_beside(model))
        return "friction or a constraint has restitution; on positions an impact takes two steps, "
               "and each of them would reflect the velocity; moreau, for one, treats both";
    return NULL;
}

const ss_scheme_ops ss_paoli_schatzman_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "paoli_schatzman",
             "Scheme of Paoli and Schatzman: central differences, restitution on positions.", 0,
             NULL},
    .refuses = refuses,
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_DISPLACEMENT,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED,
            .impact = SS_IMPACT_POSITIONS},
};
