/* law_bilateral.c: a constraint, with any force that it takes. */
#include "types/refuse.h"
#include "types/types.h"

typedef struct bilateral {
    bool stabilize;
} bilateral;

static const ss_key keys[] = {
    {"stabilize", SS_KEY_BOOL, offsetof(bilateral, stabilize), "false", 0, 0, NULL, "",
     "Takes the drift g out within a step by adding g/dt to the relative velocity; the restitution "
     "must be 0."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    const bilateral *self = opaque;
    if (self->stabilize && ss_setup_row_kind(setup) != SS_GEOMETRIC)
        return ss_refuse(setup, "'stabilize' is for rows that have a gap; these are kinematic");
    if (self->stabilize && ss_setup_elastic(setup))
        return ss_refuse(setup, "'stabilize' wants a restitution of 0");
    if (!self->stabilize)
        ss_setup_drop_law_flags(setup, SS_LAW_CORRECTED);
    return SS_OK;
}

static ss_status set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self, (void)at;
    *set = (ss_law_set){ss_set_free(1), 1.0};
    return SS_OK;
}

/* S7.3 */
static ss_status correction(const void *opaque, const ss_law_at *at, double *c)
{
    const bilateral *self = opaque;
    c[0] = self->stabilize ? at->g[0] / at->dt : 0.0;
    return SS_OK;
}

static ss_status distance(const void *self, const ss_law_at *at, double *d)
{
    (void)self;
    d[0] = at->g[0];
    return SS_OK;
}

const ss_law_ops ss_bilateral_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "bilateral",
             "A constraint: the relative velocity stays zero.", sizeof(bilateral), keys},
    .law_class = SS_LAW_BILATERAL,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_CORRECTED | SS_LAW_DISTANCE,
    .row_kinds = SS_GEOMETRIC | SS_KINEMATIC,
    .each_row = true,
    .words = {"closed", "open"},
    .init = init,
    .set = set,
    .correction = correction,
    .distance = distance,
};
