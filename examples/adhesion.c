/* adhesion.c: a law of one's own. A contact with glue: it can pull as well, up to its strength, and once it has
 * parted it is gone.
 *
 * The force is an attraction, -strength, plus the force of a usual contact, λ >= 0; together they are >= -strength.
 */
#include <stickslip/stickslip.h>

#include <math.h>

typedef struct adhesion {
    double strength, reach;
} adhesion;

static const ss_key keys[] = {
    {.name = "strength",
     .kind = SS_KEY_REAL,
     .offset = offsetof(adhesion, strength),
     .max = INFINITY,
     .unit = "N",
     .doc = "Pull that the glue can bear."},
    {.name = "reach",
     .kind = SS_KEY_REAL,
     .offset = offsetof(adhesion, reach),
     .default_value = "1e-9",
     .max = INFINITY,
     .unit = "m",
     .doc = "Gap beyond which the glue has parted."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    (void)self;
    (void)setup;
    return SS_OK;
}

static ss_status level(const void *self, const ss_law_at *at, ss_level *level)
{
    const adhesion *law = self;
    *level = at->g[0] <= law->reach ? SS_LEVEL_ACTIVE : SS_LEVEL_INACTIVE;
    return SS_OK;
}

static ss_status set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self;
    (void)at;
    *set = (ss_law_set){ss_set_half_line(), 1.0};
    return SS_OK;
}

static ss_status attraction(const void *self, const ss_law_at *at, double *P)
{
    const adhesion *law = self;
    P[0] = -law->strength * at->dt;
    return SS_OK;
}

static const ss_law_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_law_ops),
             .name = "adhesion",
             .doc = "A contact that can pull up to its strength.",
             .self_size = sizeof(adhesion),
             .keys = keys},
    .law_class = SS_LAW_UNILATERAL,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_OPENS | SS_LAW_ADDED,
    .row_kinds = SS_GEOMETRIC,
    .each_row = true,
    .words = {"stuck", "free"},
    .init = init,
    .level = level,
    .set = set,
    .added = attraction,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_law(context, &ops);
}
