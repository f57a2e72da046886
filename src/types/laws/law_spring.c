/* law_spring.c: springs along a row: one with a preload, and one with a damper and a given force. */
#include "model/refuse.h"
#include "types/derive.h"
#include "types/types.h"

#include <float.h>
#include <math.h>

/* ---- Keeps its reference length g = 0 up to a preload a, then yields with stiffness c (S7.6.2.2) ----
 *
 * Beyond the tolerance δ the force is known (S7.14). Within it the law is set-valued, and taken
 * on position level, -(g_M/Δt + γ_E) ∈ N(P) as in S5.57: on velocity level (S7.13) the spring
 * would brake everything that passes, and every passage would cost the energy 2 a δ. Only at
 * rest, within a thousandth of δ, it is on velocity level, where it agrees with a friction
 * element that holds the same coordinate.
 */

typedef struct prestressed_spring {
    double preload, stiffness, tolerance;
} prestressed_spring;

static const ss_key prestressed_keys[] = {
    {"preload", SS_KEY_REAL, offsetof(prestressed_spring, preload), NULL, 0, INFINITY, NULL, "N",
     "Force a up to which the spring keeps its reference length g = 0."},
    {"stiffness", SS_KEY_REAL, offsetof(prestressed_spring, stiffness), NULL, 0, INFINITY, NULL,
     "N/m", "Stiffness c beyond: the force is -(a sign(g) + c g)."},
    {"tolerance", SS_KEY_REAL, offsetof(prestressed_spring, tolerance), NULL, DBL_MIN, INFINITY,
     NULL, "m", "Gap |g| up to which the spring may come to its reference length within a step."},
    {.name = NULL},
};

static ss_status prestressed_init(void *self, ss_setup *setup)
{
    (void)self;
    if (ss_setup_elastic(setup))
        return ss_refuse(setup,
                         "its restitution must be 0: it comes to its length, it does not hit it");
    return SS_OK;
}

static ss_status prestressed_level(const void *opaque, const ss_law_at *at, ss_level *level)
{
    const prestressed_spring *self = opaque;
    *level = fabs(at->g[0]) <= self->tolerance ? SS_LEVEL_ACTIVE : SS_LEVEL_IMPRESSED;
    return SS_OK;
}

static ss_status prestressed_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const prestressed_spring *self = opaque;
    *set = (ss_law_set){ss_set_interval(), self->preload * at->dt};
    return SS_OK;
}

static ss_status prestressed_correction(const void *opaque, const ss_law_at *at, double *c)
{
    const prestressed_spring *self = opaque;
    double rest = 1e-3 * self->tolerance;
    c[0] = fabs(at->g[0]) <= rest ? 0.0 : at->g[0] / at->dt;
    return SS_OK;
}

/* Within the tolerance, the part of the stiffness beside the set-valued preload. */
static ss_status prestressed_added(const void *opaque, const ss_law_at *at, double *P)
{
    const prestressed_spring *self = opaque;
    P[0] = -self->stiffness * at->g[0] * at->dt;
    return SS_OK;
}

static ss_status prestressed_impressed(const void *opaque, const ss_law_at *at, double *P)
{
    const prestressed_spring *self = opaque;
    double g = at->g[0];
    P[0] = -(copysign(self->preload, g) + self->stiffness * g) * at->dt;
    return SS_OK;
}

static ss_status prestressed_derivatives(const void *opaque, const ss_law_at *at, double *dg,
                                         double *dgamma)
{
    (void)at;
    *dg = -((const prestressed_spring *)opaque)->stiffness;
    *dgamma = 0;
    return SS_OK;
}

/* What the impressed force stores. Within the tolerance the force is an impulse like any
 * other. */
static ss_status prestressed_potential(const void *opaque, int dim, const double *g, double *V)
{
    const prestressed_spring *self = opaque;
    double x = fabs(g[0]), least = self->tolerance;
    (void)dim;
    *V = x <= least ? 0.0
                    : self->preload * (x - least) + 0.5 * self->stiffness * (x * x - least * least);
    return SS_OK;
}

const ss_law_ops ss_prestressed_spring_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "prestressed_spring",
             "A spring that keeps its reference length g = 0 up to a preload.",
             sizeof(prestressed_spring), prestressed_keys},
    .law_class = SS_LAW_SPRING,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_IMPRESSED | SS_LAW_ADDED |
             SS_LAW_CORRECTED | SS_LAW_STORES_ENERGY | SS_LAW_DERIVATIVES,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"locked", "sprung"},
    .init = prestressed_init,
    .level = prestressed_level,
    .set = prestressed_set,
    .impressed = prestressed_impressed,
    .added = prestressed_added,
    .correction = prestressed_correction,
    .potential = prestressed_potential,
    .derivatives = prestressed_derivatives,
};

/* ---- A spring, a damper and a given force, always at work: λ = F(t) - c (g - g0) - d γ ---- */

typedef struct spring_damper {
    double stiffness, damping, rest;
    ss_text force;
    ss_time_function F;
} spring_damper;

static const ss_key damper_keys[] = {
    {"stiffness", SS_KEY_REAL, offsetof(spring_damper, stiffness), "0", 0, INFINITY, NULL,
     "N/m, N m/rad", "Stiffness c."},
    {"damping", SS_KEY_REAL, offsetof(spring_damper, damping), "0", 0, INFINITY, NULL,
     "N s/m, N m s/rad", "Damping d."},
    {"rest", SS_KEY_REAL, offsetof(spring_damper, rest), "0", 0, 0, NULL, "m, rad",
     "Value g0 of the row at which the spring has no force.", "stiffness"},
    {"force", SS_KEY_EXPRESSION, offsetof(spring_damper, force), "0", 0, 0, NULL, "N, N m",
     "Force or torque F of a motor, an expression of t and the parameters."},
    {.name = NULL},
};

static ss_status damper_init(void *opaque, ss_setup *setup)
{
    spring_damper *self = opaque;
    if (ss_setup_elastic(setup))
        return ss_refuse(setup, "its restitution must be 0: there are no impacts in it");
    return ss_time_function_compile(setup, "force", &self->force, &self->F);
}

static ss_status damper_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self, (void)at;
    *set = (ss_law_set){ss_set_interval(), 0.0};
    return SS_OK;
}

static double motor(const spring_damper *self, const ss_law_at *at)
{
    ss_at now = {.t = at->t, .cache = at->cache};
    return ss_time_function_at(&self->F, &now).value;
}

static ss_status damper_impressed(const void *opaque, const ss_law_at *at, double *P)
{
    const spring_damper *self = opaque;
    double spring = self->stiffness * (at->g[0] - self->rest);
    P[0] = (motor(self, at) - spring - self->damping * at->gamma[0]) * at->dt;
    return SS_OK;
}

static ss_status damper_derivatives(const void *opaque, const ss_law_at *at, double *dg,
                                    double *dgamma)
{
    const spring_damper *self = opaque;
    (void)at;
    *dg = -self->stiffness;
    *dgamma = -self->damping;
    return SS_OK;
}

static ss_status damper_potential(const void *opaque, int dim, const double *g, double *V)
{
    const spring_damper *self = opaque;
    (void)dim;
    *V = 0.5 * self->stiffness * (g[0] - self->rest) * (g[0] - self->rest);
    return SS_OK;
}

static ss_status damper_work(const void *opaque, const ss_law_at *at, const double *P,
                             const double *gamma, double *load, double *lost)
{
    const spring_damper *self = opaque;
    (void)P;
    *load = motor(self, at) * at->dt * gamma[0];
    *lost = self->damping * at->gamma[0] * at->dt * gamma[0];
    return SS_OK;
}

const ss_law_ops ss_spring_damper_ops = {
    .type =
        {SS_ABI, sizeof(ss_law_ops), "spring_damper",
         "A spring, a damper and a given force along a row, e.g. the free direction of a joint.",
         sizeof(spring_damper), damper_keys},
    .law_class = SS_LAW_SPRING,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_NEVER_ACTIVE | SS_LAW_IMPRESSED | SS_LAW_STORES_ENERGY |
             SS_LAW_WORK | SS_LAW_DERIVATIVES,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"none", "works"},
    .init = damper_init,
    .set = damper_set,
    .impressed = damper_impressed,
    .potential = damper_potential,
    .work = damper_work,
    .derivatives = damper_derivatives,
};
