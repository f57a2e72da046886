/* anitescu.c: the schemes of Stewart and Trinkle and of Anitescu, Potra, Hart and Gavrea (S5.3.6): explicit or linearly
 * implicit, with gaps in the laws or with impacts that are located and solved by Poisson's law. */
#include "scheme/builtin.h"
#include "scheme/general.h"

#include <math.h>

/* ---- Stewart and Trinkle (S5.65, S5.66): M at q_B + F u_B Δt, h in the middle of the step, W where it begins,
 * q_E = q_B + F u_E Δt, -(g_B/Δt + γ_E) ∈ N(P). With a constant M it is S5.33–S5.35. The constant δ_0 of the printed gap
 * w q - δ_0 is part of our gap. ---- */

typedef struct stewart_trinkle {
    ss_discretization d;
    bool stabilize;
} stewart_trinkle;

static const ss_key trinkle_keys[] = {
    {"stabilize", SS_KEY_BOOL, offsetof(stewart_trinkle, stabilize), "true", 0, 0, NULL, "",
     "Gaps in the laws; false: laws on velocity level without restitution, which drift."},
    {NULL},
};

static ss_status trinkle_init(void *self, ss_context *context)
{
    stewart_trinkle *o = self;
    (void)context;
    o->d = (ss_discretization){.mass = 1, .h = 0.5, .alpha = 1};
    o->d.form.kind = o->stabilize ? SS_FORM_DISPLACEMENT : SS_FORM_VELOCITY;
    return SS_OK;
}

const ss_scheme_ops ss_stewart_trinkle_ops = {
    .type =
        {SS_ABI, sizeof(ss_scheme_ops), "stewart_trinkle",
         "Scheme of Stewart and Trinkle: gaps in the laws, positions by the velocities of the end.",
         sizeof(stewart_trinkle), trinkle_keys},
    .init = trinkle_init,
    .scratch = ss_general_scratch,
    .step = ss_general_step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_DISPLACEMENT, .expansion = true},
};

/* ---- Anitescu and Hart, constraint-stabilized (S5.71): everything where the step begins, q_E = q_B + F u_E Δt, and
 * -(g_B/Δt + γ_E) ∈ N(P) for laws that are near enough. ---- */

static const ss_key hart_keys[] = {
    {"reach", SS_KEY_REAL, offsetof(ss_discretization, form.reach), "inf", -INFINITY, INFINITY,
     NULL, "m, rad",
     "Laws whose gap is larger than this are left out; it must exceed what closes within a step."},
    {NULL},
};

static ss_status hart_init(void *self, ss_context *context)
{
    ss_discretization *d = self;
    if (!(d->form.reach > 0))
        return ss_fail(context, SS_INPUT,
                       "scheme 'anitescu_hart': 'reach' must be a number > 0, or inf, in m");
    d->alpha = 1;
    d->form.kind = SS_FORM_DISPLACEMENT;
    d->form.reach = isinf(d->form.reach) ? 0 : d->form.reach;
    return SS_OK;
}

const ss_scheme_ops ss_anitescu_hart_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "anitescu_hart",
             "Scheme of Anitescu and Hart: explicit, gaps of near laws stabilized.",
             sizeof(ss_discretization), hart_keys},
    .init = hart_init,
    .scratch = ss_general_scratch,
    .step = ss_general_step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_DISPLACEMENT, .expansion = true},
};

/* ---- Anitescu and Potra for stiff systems, linearly implicit (S5.69, S5.70): α = β = 1, M and W where the step begins,
 * laws on velocity level without restitution. ---- */

static ss_status stiff_init(void *self, ss_context *context)
{
    (void)context;
    *(ss_discretization *)self = (ss_discretization){.alpha = 1, .beta = 1};
    return SS_OK;
}

const ss_scheme_ops ss_anitescu_potra_2002_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "anitescu_potra_2002",
             "Scheme of Anitescu and Potra for stiff systems: linearly implicit, laws on velocity "
             "level.",
             sizeof(ss_discretization), NULL},
    .init = stiff_init,
    .scratch = ss_general_scratch,
    .step = ss_general_step,
    .can = {.order = 1, .bilateral = true, .level = SS_ON_VELOCITY, .expansion = true},
};

/* ---- Anitescu and Potra (S5.67, S5.68): h where the step begins, M and W at q_E = q_B + F u_B Δt, closed laws on
 * velocity level. Impacts are located on that straight path and solved by Poisson's law; then the step goes on
 * (S5.3.6.3). ---- */

static const ss_key explicit_keys[] = {
    {"impacts", SS_KEY_INT, offsetof(ss_event_rules, impacts), "10", 0, 1000, NULL, "",
     "After so many impacts in one step further ones are inelastic until it ends, so that bouncing "
     "comes to rest."},
    {"rest_speed", SS_KEY_REAL, offsetof(ss_event_rules, rest_speed), "0", 0, INFINITY, NULL, "m/s",
     "Laws that approach more slowly than this hit inelastically.", "impacts!=0"},
    {NULL},
};

static ss_status explicit_init(void *self, ss_context *context)
{
    (void)context;
    ((ss_event_rules *)self)->d = (ss_discretization){
        .mass = 1, .laws = 1, .begin_levels = true, .form = {.kind = SS_FORM_AVERAGE}};
    return SS_OK;
}

const ss_scheme_ops ss_anitescu_potra_1997_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "anitescu_potra_1997",
             "Scheme of Anitescu and Potra: explicit, impacts located and solved by Poisson's law.",
             sizeof(ss_event_rules), explicit_keys},
    .init = explicit_init,
    .refuses = ss_events_refuses,
    .scratch = ss_events_scratch,
    .step = ss_events_step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED,
            .impact = SS_IMPACT_POISSON},
};

/* ---- Potra, Anitescu, Gavrea and Trinkle, the linearly implicit trapezoidal method (S5.3.6.6): α = β = 1/2, M and W in
 * the middle of the step, -(γ_E + γ_B) ∈ N(P) for laws that are closed where the step begins, g_B <= max(δ_a, δ_b Δt³).
 * Impacts are located on a cubic interpolation and solved by Poisson's law, and steps end where a law changes its mode:
 * order 2 as long as switches are located. ---- */

static const ss_key potra_keys[] = {
    {"impacts", SS_KEY_INT, offsetof(ss_event_rules, impacts), "10", 0, 1000, NULL, "",
     "After so many impacts in one step further ones are inelastic until it ends, so that bouncing "
     "comes to rest."},
    {"delta_a", SS_KEY_REAL, offsetof(ss_event_rules, near), "0", 0, INFINITY, NULL, "m, rad",
     "Laws whose gap where a step begins is at most max(delta_a, delta_b Δt³) are closed; 0: those "
     "that are by their own tolerance."},
    {"delta_b", SS_KEY_REAL, offsetof(ss_event_rules, near_cubed), "0", 0, INFINITY, NULL,
     "m/s^3, rad/s^3",
     "See delta_a: what a closed contact drifts over a curved surface in a step grows with Δt³."},
    {"transitions", SS_KEY_BOOL, offsetof(ss_event_rules, transitions), "true", 0, 0, NULL, "",
     "Steps end also where a law changes between stick and slip, or takes off."},
    {"rest_speed", SS_KEY_REAL, offsetof(ss_event_rules, rest_speed), "0", 0, INFINITY, NULL, "m/s",
     "Laws that approach more slowly than this hit inelastically.", "impacts!=0"},
    {NULL},
};

static ss_status potra_init(void *self, ss_context *context)
{
    ss_event_rules *o = self;
    (void)context;
    o->d = (ss_discretization){
        .mass = 0.5, .laws = 0.5, .alpha = 0.5, .beta = 0.5, .begin_levels = true};
    o->d.form = (ss_law_form){.kind = SS_FORM_AVERAGE, .average = 1};
    o->cubic = true;
    return SS_OK;
}

/* β = 1: laws on the velocity at the end alone. */
static const char *average_refuses(const void *self, const ss_model *model)
{
    const char *reason = ss_events_refuses(self, model);
    bool at_end = ((const ss_event_rules *)self)->d.beta == 1;
    return reason || at_end ? reason : ss_general_average_refuses(model);
}

const ss_scheme_ops ss_potra_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "potra",
             "Linearly implicit trapezoidal method of Potra and others: order 2, events located.",
             sizeof(ss_event_rules), potra_keys},
    .init = potra_init,
    .refuses = average_refuses,
    .scratch = ss_events_scratch,
    .step = ss_events_step,
    .can = {.order = 2,
            .kinematic = true,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED,
            .impact = SS_IMPACT_POISSON},
};

/* ---- Gavrea, Anitescu and Potra (S5.3.6.7): any α and β > 0, M and W where the step begins,
 * -(β γ_E + (1 - β) γ_B) ∈ N(P). Terms of h that are quadratic in u enter as F_B ((1 - β) u_B + β u_E): derived again
 * from that, M̂ = M - β Δt (F_B + ∂k/∂u) - βα Δt² ∂k/∂q and ĥ = (1 - β) k_B + β k_B* + F_B u_B + β Δt ∂k/∂q u_B (S5.78 and
 * S5.79 print (1 + β) u_B and another last term). Impacts are located and solved by Poisson's law. ---- */

static const ss_key gavrea_keys[] = {
    {"alpha", SS_KEY_REAL, offsetof(ss_event_rules, d.alpha), "1", 0, 1, NULL, "",
     "Share α of the velocities at the end in the positions."},
    {"beta", SS_KEY_REAL, offsetof(ss_event_rules, d.beta), "1", 0.5, 1, NULL, "",
     "Share β of the end of the step in forces and laws."},
    {"impacts", SS_KEY_INT, offsetof(ss_event_rules, impacts), "10", 0, 1000, NULL, "",
     "After so many impacts in one step further ones are inelastic until it ends, so that bouncing "
     "comes to rest."},
    {"rest_speed", SS_KEY_REAL, offsetof(ss_event_rules, rest_speed), "0", 0, INFINITY, NULL, "m/s",
     "Laws that approach more slowly than this hit inelastically.", "impacts!=0"},
    {NULL},
};

static ss_status gavrea_init(void *self, ss_context *context)
{
    ss_event_rules *o = self;
    (void)context;
    o->d.linear = SS_LINEAR_GYROSCOPIC;
    o->d.form = (ss_law_form){.kind = SS_FORM_AVERAGE, .average = (1 - o->d.beta) / o->d.beta};
    o->d.begin_levels = true;
    o->cubic = true;
    return SS_OK;
}

const ss_scheme_ops ss_gavrea_ops = {
    .type = {SS_ABI, sizeof(ss_scheme_ops), "gavrea",
             "Scheme of Gavrea, Anitescu and Potra: linearly implicit, impacts located.",
             sizeof(ss_event_rules), gavrea_keys},
    .init = gavrea_init,
    .refuses = average_refuses,
    .scratch = ss_events_scratch,
    .step = ss_events_step,
    .can = {.order = 1,
            .elastic = true,
            .bilateral = true,
            .level = SS_ON_VELOCITY,
            .expansion = true,
            .contacts = SS_CONTACTS_FOLLOWED,
            .impact = SS_IMPACT_POISSON},
};
