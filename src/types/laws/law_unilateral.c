/* law_unilateral.c: a contact that pushes and never pulls. */
#include "types/types.h"

#include <math.h>

typedef struct unilateral {
    double tolerance;
} unilateral;

static const ss_key keys[] = {
    {"tolerance", SS_KEY_REAL, offsetof(unilateral, tolerance), "1e-12", 0, INFINITY, NULL,
     "m, rad", "Gap up to which the contact counts as closed, so that rounding does not open it."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    (void)self, (void)setup;
    return SS_OK;
}

static ss_status level(const void *opaque, const ss_law_at *at, ss_level *level)
{
    const unilateral *self = opaque;
    *level = at->g[0] <= self->tolerance ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE;
    return SS_OK;
}

static ss_status set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self, (void)at;
    *set = (ss_law_set){ss_set_half_line(), 1.0};
    return SS_OK;
}

static ss_status distance(const void *self, const ss_law_at *at, double *d)
{
    (void)self;
    d[0] = at->g[0];
    return SS_OK;
}

const ss_law_ops ss_unilateral_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "unilateral", "A contact that pushes and never pulls.",
             sizeof(unilateral), keys},
    .law_class = SS_LAW_UNILATERAL,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_DISTANCE,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"closed", "open"},
    .init = init,
    .level = level,
    .set = set,
    .distance = distance,
};
