/* gavrea.c: the scheme of Gavrea, Anitescu and Potra (S5.3.6.7): any α and β > 0, M and W where the
 * step begins, -(β γ_E + (1 - β) γ_B) ∈ N(P). Terms of h that are quadratic in u enter as F_B ((1 -
 * β) u_B + β u_E): derived again from that, M̂ = M - β Δt (F_B + ∂k/∂u) - βα Δt² ∂k/∂q and ĥ = (1 -
 * β) k_B + β k_B* + F_B u_B + β Δt ∂k/∂q u_B (S5.78 and S5.79 print (1 + β) u_B and another last
 * term). Impacts are located and solved by Poisson's law. */
#include "scheme/builtin.h"
#include "scheme/impact.h"

#include <math.h>

typedef struct gavrea {
    double alpha, beta;
    int impacts;
    double rest_speed;
} gavrea;

static const ss_key keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(gavrea, alpha), "1", 0, 1, NULL, "",
     "Share α of the velocities at the end in the positions."},
    {"beta", SS_KEY_REAL, offsetof(gavrea, beta), "1", 0.5, 1, NULL, "",
     "Share β of the end of the step in forces and laws."},
    {"impacts", SS_KEY_INT, offsetof(gavrea, impacts), "10", 0, 1000, NULL, "",
     "After so many impacts in one step further ones are inelastic until it ends, so that bouncing "
     "comes to rest."},
    {"rest_speed", SS_KEY_REAL, offsetof(gavrea, rest_speed), "0", 0, INFINITY, NULL, "m/s",
     "Laws that approach more slowly than this hit inelastically."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const gavrea *o = self;
    ss_discretization d = {.alpha = o->alpha, .beta = o->beta, .linear = SS_LINEAR_GYROSCOPIC};
    d.form = (ss_law_form){.kind = SS_FORM_AVERAGE, .average = (1 - o->beta) / o->beta};
    d.begin_levels = true;
    ss_event_rules rules = {.cubic = true, .impacts = o->impacts, .rest_speed = o->rest_speed};
    return ss_events_step(&d, &rules, work, scratch, B, dt, E, report);
}

static const char *refuses(const void *self, const ss_model *model)
{
    const gavrea *o = self;
    const char *reason = ss_events_refuses(self, model);
    return reason || o->beta == 1 ? reason : ss_general_average_refuses(model);
}

const ss_scheme_ops ss_gavrea_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "gavrea",
             "Scheme of Gavrea, Anitescu and Potra: linearly implicit, impacts located.",
             sizeof(gavrea), keys},
    .refuses = refuses,
    .scratch = ss_events_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
