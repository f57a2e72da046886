/* anitescu_hart.c: the constraint-stabilized scheme of Anitescu and Hart (S5.71): everything where
 * the step begins, q_E = q_B + F u_E Δt, and -(g_B/Δt + γ_E) ∈ N(P) for laws that are near
 * enough. */
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <math.h>

typedef struct anitescu_hart {
    double reach;
} anitescu_hart;

static const ss_key keys[] = {
    {"reach", SS_KEY_REAL, offsetof(anitescu_hart, reach), "inf", -INFINITY, INFINITY, NULL,
     "m, rad",
     "Laws whose gap is larger than this are left out; it must exceed what closes within a step."},
    {NULL},
};

static ss_status init(void *self, ss_context *context)
{
    const anitescu_hart *o = self;
    if (o->reach > 0)
        return SS_OK;
    return ss_fail(context, SS_INPUT,
                   "scheme 'anitescu_hart': 'reach' must be a number > 0, or inf, in m");
}

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const anitescu_hart *o = self;
    ss_discretization d = {.alpha = 1, .form = {.kind = SS_FORM_DISPLACEMENT}};
    d.form.reach = isinf(o->reach) ? 0 : o->reach;
    return ss_general_step(&d, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_anitescu_hart_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "anitescu_hart",
             "Scheme of Anitescu and Hart: explicit, gaps of near laws stabilized.",
             sizeof(anitescu_hart), keys},
    .init = init,
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_DISPLACEMENT, .expansion = true},
};
