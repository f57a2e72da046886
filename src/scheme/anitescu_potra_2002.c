/* anitescu_potra_2002.c: the linearly implicit scheme of Anitescu and Potra for stiff systems
 * (S5.69, S5.70): α = β = 1, M and W where the step begins, laws on velocity level without
 * restitution. */
#include "scheme/builtin.h"
#include "scheme/general.h"

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const ss_discretization d = {.alpha = 1, .beta = 1};
    (void)self;
    return ss_general_step(&d, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_anitescu_potra_2002_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "anitescu_potra_2002",
             "Scheme of Anitescu and Potra for stiff systems: linearly implicit, laws on velocity "
             "level.",
             0, NULL},
    .scratch = ss_general_scratch,
    .step = step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_VELOCITY, .expansion = true},
};
