/* law_prestressed_spring.c: keeps its reference length g = 0 up to a preload a, then yields with
 * stiffness c (S7.6.2.2).
 *
 * Beyond the tolerance δ the force is known (S7.14). Within it the law is set-valued, and taken
 * on position level, -(g_M/Δt + γ_E) ∈ N(P) as in S5.57: on velocity level (S7.13) the spring
 * would brake everything that passes, and every passage would cost the energy 2 a δ. Only at
 * rest, within a thousandth of δ, it is on velocity level, where it agrees with a friction
 * element that holds the same coordinate. */
#include "types/refuse.h"
#include "types/types.h"

#include <float.h>
#include <math.h>

typedef struct prestressed_spring {
    double preload, stiffness, tolerance;
} prestressed_spring;

static const ss_key keys[] = {
    {"preload", SS_KEY_REAL, offsetof(prestressed_spring, preload), NULL, 0, INFINITY, NULL, "N",
     "Force a up to which the spring keeps its reference length g = 0."},
    {"stiffness", SS_KEY_REAL, offsetof(prestressed_spring, stiffness), NULL, 0, INFINITY, NULL,
     "N/m", "Stiffness c beyond: the force is -(a sign(g) + c g)."},
    {"tolerance", SS_KEY_REAL, offsetof(prestressed_spring, tolerance), NULL, DBL_MIN, INFINITY,
     NULL, "m", "Gap |g| up to which the spring may come to its reference length within a step."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    (void)self;
    if (ss_setup_elastic(setup))
        return ss_refuse(setup,
                         "its restitution must be 0: it comes to its length, it does not hit it");
    return SS_OK;
}

static ss_status level(const void *opaque, const ss_law_at *at, ss_level *level)
{
    const prestressed_spring *self = opaque;
    *level = fabs(at->g[0]) <= self->tolerance ? SS_LEVEL_ACTIVE : SS_LEVEL_IMPRESSED;
    return SS_OK;
}

static ss_status set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const prestressed_spring *self = opaque;
    *set = (ss_law_set){ss_set_interval(), self->preload * at->dt};
    return SS_OK;
}

static ss_status correction(const void *opaque, const ss_law_at *at, double *c)
{
    const prestressed_spring *self = opaque;
    double rest = 1e-3 * self->tolerance;
    c[0] = fabs(at->g[0]) <= rest ? 0.0 : at->g[0] / at->dt;
    return SS_OK;
}

/* Within the tolerance, the part of the stiffness beside the set-valued preload. */
static ss_status added(const void *opaque, const ss_law_at *at, double *P)
{
    const prestressed_spring *self = opaque;
    P[0] = -self->stiffness * at->g[0] * at->dt;
    return SS_OK;
}

static ss_status impressed(const void *opaque, const ss_law_at *at, double *P)
{
    const prestressed_spring *self = opaque;
    double g = at->g[0];
    P[0] = -(copysign(self->preload, g) + self->stiffness * g) * at->dt;
    return SS_OK;
}

/* What the impressed force stores. Within the tolerance the force is an impulse like any
 * other. */
static ss_status potential(const void *opaque, int dim, const double *g, double *V)
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
             sizeof(prestressed_spring), keys},
    .law_class = SS_LAW_SPRING,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_IMPRESSED | SS_LAW_ADDED |
             SS_LAW_CORRECTED | SS_LAW_STORES_ENERGY,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"locked", "sprung"},
    .init = init,
    .level = level,
    .set = set,
    .impressed = impressed,
    .added = added,
    .correction = correction,
    .potential = potential,
};
