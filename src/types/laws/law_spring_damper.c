/* law_spring_damper.c: a spring, a damper and a given force along a row, always at work:
 *
 *   λ = F(t) - c (g - g0) - d γ
 */
#include "types/refuse.h"
#include "types/time_function.h"
#include "types/types.h"

#include <math.h>

typedef struct spring_damper {
    double stiffness, damping, rest;
    ss_text force;
    ss_time_function F;
} spring_damper;

static const ss_key keys[] = {
    {"stiffness", SS_KEY_REAL, offsetof(spring_damper, stiffness), "0", 0, INFINITY, NULL,
     "N/m, N m/rad", "Stiffness c."},
    {"damping", SS_KEY_REAL, offsetof(spring_damper, damping), "0", 0, INFINITY, NULL,
     "N s/m, N m s/rad", "Damping d."},
    {"rest", SS_KEY_REAL, offsetof(spring_damper, rest), "0", 0, 0, NULL, "m, rad",
     "Value g0 of the row at which the spring has no force."},
    {"force", SS_KEY_EXPRESSION, offsetof(spring_damper, force), "0", 0, 0, NULL, "N, N m",
     "Force or torque F of a motor, an expression of t and the parameters."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    spring_damper *self = opaque;
    if (ss_setup_elastic(setup))
        return ss_refuse(setup, "its restitution must be 0: there are no impacts in it");
    return ss_time_function_compile(setup, "force", &self->force, &self->F);
}

static ss_status level(const void *self, const ss_law_at *at, ss_level *level)
{
    (void)self, (void)at;
    *level = SS_LEVEL_IMPRESSED;
    return SS_OK;
}

static ss_status set(const void *self, const ss_law_at *at, ss_law_set *set)
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

static ss_status impressed(const void *opaque, const ss_law_at *at, double *P)
{
    const spring_damper *self = opaque;
    double spring = self->stiffness * (at->g[0] - self->rest);
    P[0] = (motor(self, at) - spring - self->damping * at->gamma[0]) * at->dt;
    return SS_OK;
}

static ss_status potential(const void *opaque, int dim, const double *g, double *V)
{
    const spring_damper *self = opaque;
    (void)dim;
    *V = 0.5 * self->stiffness * (g[0] - self->rest) * (g[0] - self->rest);
    return SS_OK;
}

static ss_status work(const void *opaque, const ss_law_at *at, const double *P, const double *gamma,
                      double *load, double *lost)
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
         sizeof(spring_damper), keys},
    .law_class = SS_LAW_SPRING,
    .flags =
        SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_IMPRESSED | SS_LAW_STORES_ENERGY | SS_LAW_WORK,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"none", "works"},
    .init = init,
    .level = level,
    .set = set,
    .impressed = impressed,
    .potential = potential,
    .work = work,
};
