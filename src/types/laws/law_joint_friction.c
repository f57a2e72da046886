/* law_joint_friction.c: dry friction of a joint that grows with the force it carries: the torque of a hinge is at most
 * mu ρ |F| for a pin of radius ρ, the force of a slider mu |F|. */
#include "types/refuse.h"
#include "types/types.h"

#include <float.h>
#include <math.h>

typedef struct joint_friction {
    double mu, radius;
    ss_text reaction;
} joint_friction;

static const ss_key keys[] = {
    {"mu", SS_KEY_REAL, offsetof(joint_friction, mu), NULL, 0, INFINITY, NULL, "",
     "Coefficient: the bound is mu times the radius times the length of the joint's force."},
    {"radius", SS_KEY_REAL, offsetof(joint_friction, radius), "1", DBL_MIN, INFINITY, NULL, "m",
     "Of the pin or ball, for rows that turn; leave it out for rows that slide."},
    {"reaction", SS_KEY_TEXT, offsetof(joint_friction, reaction), "gap", 0, 0, NULL, "",
     "Group of the same joint whose force presses."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    const joint_friction *self = opaque;
    if (ss_setup_dim(setup) > 3)
        return ss_refuse(setup, "friction is for 1 to 3 rows, not %d", ss_setup_dim(setup));
    return ss_setup_scale_from_group(setup, &self->reaction);
}

static ss_status set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const joint_friction *self = opaque;
    *set = (ss_law_set){at->dim == 1 ? ss_set_interval() : ss_set_disk(at->dim),
                        self->mu * self->radius};
    return SS_OK;
}

const ss_law_ops ss_joint_friction_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "joint_friction",
             "Dry friction in a joint, bounded by mu times the force that the joint carries, at a "
             "radius.",
             sizeof(joint_friction), keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = init,
    .set = set,
};
