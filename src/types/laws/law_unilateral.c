/* law_unilateral.c: keeps a coordinate between two stops; a contact that pushes and never pulls is a stop at 0. */
#include "model/refuse.h"
#include "types/types.h"

#include <math.h>

typedef struct stop {
    double lower, upper, tolerance;
} stop;

static const ss_key stop_keys[] = {
    {"lower", SS_KEY_REAL, offsetof(stop, lower), "-inf", -INFINITY, INFINITY, NULL, "m, rad",
     "Smallest value of the row; -inf: none."},
    {"upper", SS_KEY_REAL, offsetof(stop, upper), "inf", -INFINITY, INFINITY, NULL, "m, rad",
     "Largest value of the row; inf: none."},
    {"tolerance", SS_KEY_REAL, offsetof(stop, tolerance), SS_AUTO, 0, INFINITY, NULL, "m, rad",
     "Distance from a stop up to which it counts as reached, so that rounding does not leave it; "
     "auto: 1e-11 of the "
     "scene's length, or rad."},
    {.name = NULL},
};

static const ss_key unilateral_keys[] = {
    {"tolerance", SS_KEY_REAL, offsetof(stop, tolerance), SS_AUTO, 0, INFINITY, NULL, "m, rad",
     "Gap up to which the contact counts as closed, so that rounding does not open it; auto: 1e-11 "
     "of the scene's "
     "length, or rad."},
    {.name = NULL},
};

static ss_status stop_init(void *opaque, ss_setup *setup)
{
    const stop *self = opaque;
    if (isinf(self->lower) && isinf(self->upper))
        return ss_refuse(setup, "give 'lower', 'upper' or both");
    double both = isnan(self->tolerance) ? 0 : 2 * self->tolerance;
    if (!(self->upper - self->lower > both))
        return ss_refuse(setup, "'lower' (%g) must be below 'upper' (%g)", self->lower,
                         self->upper);
    if (self->lower == 0 && isinf(self->upper))
        ss_setup_drop_law_flags(setup, SS_LAW_CLOSES_ELSEWHERE);
    return SS_OK;
}

static ss_status unilateral_init(void *opaque, ss_setup *setup)
{
    stop *self = opaque;
    (void)setup;
    self->upper = INFINITY;
    return SS_OK;
}

/* Whether the lower stop is the nearer one, or as near: set and distance must be of the same one. */
static bool at_lower(const stop *self, double g)
{
    return g - self->lower <= self->upper - g;
}

static ss_status level(const void *opaque, const ss_law_at *at, ss_level *level)
{
    const double rounding = 1e-11; /* of the size of gaps, with what solvers leave in many steps */
    const stop *self = opaque;
    double near = isnan(self->tolerance) ? rounding * at->size : self->tolerance;
    bool reached = at->g[0] <= self->lower + near || at->g[0] >= self->upper - near;
    *level = reached ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE;
    return SS_OK;
}

static ss_status stop_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const stop *self = opaque;
    bool lower = at_lower(self, at->g[0]);
    *set = (ss_law_set){lower ? ss_set_half_line() : ss_set_negative_half_line(), 1.0};
    return SS_OK;
}

static const ss_set *stop_set_kind(const void *self, int dim, int i)
{
    (void)self, (void)dim;
    return i == 0 ? ss_set_half_line() : i == 1 ? ss_set_negative_half_line() : NULL;
}

/* Constant: no gap is looked at. */
static ss_status unilateral_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self, (void)at;
    *set = (ss_law_set){ss_set_half_line(), 1.0};
    return SS_OK;
}

static ss_status distance(const void *opaque, const ss_law_at *at, double *d)
{
    const stop *self = opaque;
    d[0] = at->g[0] - (at_lower(self, at->g[0]) ? self->lower : self->upper);
    return SS_OK;
}

const ss_law_ops ss_stop_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "stop", "Keeps a row between a lower and an upper stop.",
             sizeof(stop), stop_keys},
    .law_class = SS_LAW_UNILATERAL,
    .flags = SS_LAW_SET_OF_GAP | SS_LAW_OPENS | SS_LAW_DISTANCE | SS_LAW_CLOSES_ELSEWHERE,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"closed", "open"},
    .init = stop_init,
    .level = level,
    .set = stop_set,
    .set_kind = stop_set_kind,
    .distance = distance,
};

const ss_law_ops ss_unilateral_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "unilateral", "A contact that pushes and never pulls.",
             sizeof(stop), unilateral_keys},
    .law_class = SS_LAW_UNILATERAL,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_DISTANCE,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"closed", "open"},
    .init = unilateral_init,
    .level = level,
    .set = unilateral_set,
    .distance = distance,
};
