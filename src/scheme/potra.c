/* potra.c: the linearly implicit trapezoidal method of Potra, Anitescu, Gavrea and Trinkle
 * (S5.3.6.6): α = β = 1/2, M and W in the middle of the step, -(γ_E + γ_B) ∈ N(P) for laws that are
 * closed where the step begins, g_B <= max(δ_a, δ_b Δt³). Impacts are located on a cubic interpolation and solved by
 * Poisson's law, and steps end where a law changes its mode: order 2 as long as switches are
 * located. */
#include "scheme/builtin.h"
#include "scheme/impact.h"

#include <math.h>

typedef struct potra {
    int impacts;
    double rest_speed;
    bool transitions;
    double delta_a, delta_b;
} potra;

static const ss_key keys[] = {
    {"impacts", SS_KEY_INT, offsetof(potra, impacts), "10", 0, 1000, NULL, "",
     "After so many impacts in one step further ones are inelastic until it ends, so that bouncing "
     "comes to rest."},
    {"delta_a", SS_KEY_REAL, offsetof(potra, delta_a), "0", 0, INFINITY, NULL, "m, rad",
     "Laws whose gap where a step begins is at most max(delta_a, delta_b Δt³) are closed; 0: those "
     "that are by their own tolerance."},
    {"delta_b", SS_KEY_REAL, offsetof(potra, delta_b), "0", 0, INFINITY, NULL, "m/s^3, rad/s^3",
     "See delta_a: what a closed contact drifts over a curved surface in a step grows with Δt³."},
    {"transitions", SS_KEY_BOOL, offsetof(potra, transitions), "true", 0, 0, NULL, "",
     "Steps end also where a law changes between stick and slip, or takes off."},
    {"rest_speed", SS_KEY_REAL, offsetof(potra, rest_speed), "0", 0, INFINITY, NULL, "m/s",
     "Laws that approach more slowly than this hit inelastically."},
    {NULL},
};

static ss_status step(const void *self, ss_work *work, double *scratch, const ss_state *B,
                      double dt, ss_state *E, ss_solve_report *report)
{
    const potra *o = self;
    ss_discretization d = {
        .mass = 0.5, .laws = 0.5, .alpha = 0.5, .beta = 0.5, .begin_levels = true};
    double near = fmax(o->delta_a, o->delta_b * dt * dt * dt);
    d.form = (ss_law_form){.kind = SS_FORM_AVERAGE, .average = 1, .near = near};
    ss_event_rules rules = {.cubic = true,
                            .near = near,
                            .transitions = o->transitions,
                            .impacts = o->impacts,
                            .rest_speed = o->rest_speed};
    return ss_events_step(&d, &rules, work, scratch, B, dt, E, report);
}

static const char *refuses(const void *self, const ss_model *model)
{
    const char *reason = ss_events_refuses(self, model);
    return reason ? reason : ss_general_average_refuses(model);
}

const ss_scheme_ops ss_potra_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "potra",
             "Linearly implicit trapezoidal method of Potra and others: order 2, events located.",
             sizeof(potra), keys},
    .refuses = refuses,
    .scratch = ss_events_scratch,
    .step = step,
    .can = {.order = 2,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED},
};
