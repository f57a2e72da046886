/* anitescu_potra_1997.c: the scheme of Anitescu and Potra (S5.67, S5.68): h where the step begins,
 * M and W at q_E = q_B + F u_B Δt, closed laws on velocity level. Impacts are located on that
 * straight path and solved by Poisson's law; then the step goes on (S5.3.6.3). */
#include "scheme/builtin.h"
#include "scheme/impact.h"

#include <math.h>

typedef struct anitescu_potra_1997 {
    int impacts;
    double rest_speed;
} anitescu_potra_1997;

static const ss_key keys[] = {
    {"impacts", SS_KEY_INT, offsetof(anitescu_potra_1997, impacts), "10", 0, 1000, NULL, "",
     "After so many impacts in one step further ones are inelastic until it ends, so that bouncing "
     "comes to rest."},
    {"rest_speed", SS_KEY_REAL, offsetof(anitescu_potra_1997, rest_speed), "0", 0, INFINITY, NULL,
     "m/s", "Laws that approach more slowly than this hit inelastically."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const anitescu_potra_1997 *o = self;
    ss_discretization d = {.mass = 1, .laws = 1, .begin_levels = true};
    d.form = (ss_law_form){.kind = SS_FORM_AVERAGE};
    ss_event_rules rules = {.impacts = o->impacts, .rest_speed = o->rest_speed};
    return ss_events_step(&d, &rules, work, scratch, B, dt, E, report);
}

const ss_scheme_ops ss_anitescu_potra_1997_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "anitescu_potra_1997",
             "Scheme of Anitescu and Potra: explicit, impacts located and solved by Poisson's law.",
             sizeof(anitescu_potra_1997), keys},
    .refuses = ss_events_refuses,
    .scratch = ss_events_scratch,
    .step = step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
