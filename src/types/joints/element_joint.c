/* element_joint.c: two points that shall coincide, and in the plane the angle between their bodies.
 *
 *   gap = x_to - x (one row for each dimension)
 *   angle = phi_to - phi - offset,   turn = phi_to' - phi'
 */
#include "model/refuse.h"
#include "types/points.h"
#include "types/types.h"

#include <string.h>

typedef struct joint {
    ss_point_pair pair;
    double offset;
    int rows;
    bool turns; /* planar bodies, or one in space: has the groups angle and turn */
} joint;

static const ss_key keys[] = {
    SS_PAIR_KEYS(joint),
    {"angle", SS_KEY_REAL, offsetof(joint, offset), "0", 0, 0, NULL, "rad",
     "Relative angle phi_to - phi of planar bodies at which the row of group angle is zero."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    joint *self = opaque;
    SS_TRY(ss_pair_attach(setup, &self->pair));
    self->turns = self->pair.a.turns && (self->pair.b.turns || self->pair.b.local < 0);
    self->rows = self->pair.dim + (self->turns ? 2 : 0);
    if (self->offset != 0 && !self->turns)
        return ss_refuse(setup,
                         "'angle' is for two planar bodies, or one and a point fixed in space");
    SS_TRY(ss_setup_rows(setup, "gap", self->pair.dim, SS_GEOMETRIC));
    if (!self->turns)
        return SS_OK;
    SS_TRY(ss_setup_rows(setup, "angle", 1, SS_GEOMETRIC));
    return ss_setup_rows(setup, "turn", 1, SS_KINEMATIC);
}

static ss_status gap(const void *opaque, const ss_at *at, double *g)
{
    const joint *self = opaque;
    const ss_point_pair *pair = &self->pair;
    ss_pair_difference(pair, at, g);
    if (!self->turns)
        return SS_OK;
    double phi = at->q[pair->a.local][2];
    double phi_to = pair->b.turns ? at->q[pair->b.local][2] : 0.0;
    g[pair->dim] = phi_to - phi - self->offset;
    g[pair->dim + 1] = 0.0;
    return SS_OK;
}

/* The rows of the relative angle and of its rate. */
static void turn_rows(const ss_point_pair *pair, double *const *W)
{
    for (int row = pair->dim; row < pair->dim + 2; row++) {
        W[pair->a.local][row * pair->a.nu + 2] -= 1.0;
        if (pair->b.turns)
            W[pair->b.local][row * pair->b.nu + 2] += 1.0;
    }
}

static ss_status W(const void *opaque, const ss_at *at, double *const *result)
{
    const joint *self = opaque;
    ss_pair_clear(&self->pair, self->rows, result);
    for (int row = 0; row < self->pair.dim; row++) {
        double axis[3] = {row == 0, row == 1, row == 2};
        ss_pair_generalized_force(&self->pair, at, axis, row, result);
    }
    if (self->turns)
        turn_rows(&self->pair, result);
    return SS_OK;
}

static ss_status zeta_hat(const void *opaque, const ss_at *at, double *result)
{
    const joint *self = opaque;
    memset(result, 0, (size_t)self->rows * sizeof *result);
    ss_pair_bias(&self->pair, at, result);
    return SS_OK;
}

const ss_element_ops ss_joint_ops = {
    .type =
        {SS_ABI, sizeof(ss_element_ops), "joint",
         "Two points that coincide: groups gap (a row for each dimension) and, for planar bodies, "
         "angle and turn.",
         sizeof(joint), keys},
    .init = init,
    .gap = gap,
    .W = W,
    .zeta_hat = zeta_hat,
};
