/* element_gear.c: two bodies that turn at a fixed ratio, as gear wheels or chain wheels do.
 *
 *   slip = rate_to - ratio rate,   rate = nᵀ (ω - ω_carrier), n fixed to the carrier
 *
 * Planar bodies turn by angles that count whole turns, so they have a gap too:
 *
 *   gap = (phi_to - phi_c) - ratio (phi - phi_c), zero at first
 */
#include "model/refuse.h"
#include "types/joints/joint_side.h"
#include "types/types.h"

#include <string.h>

typedef struct gear {
    ss_text system, to, carrier;
    double ratio;
    ss_matrix axis, to_axis;
    bool planar;
    int local[3], nu[3];   /* system, to, carrier (-1: space) */
    double share[3];       /* of each rate in the slip */
    ss_joint_side side[3]; /* bodies; the carrier carries both axes */
    double start;          /* gap in the initial configuration */
} gear;

static const ss_key keys[] = {
    {"system", SS_KEY_TEXT, offsetof(gear, system), NULL, 0, 0, NULL, "", "First wheel."},
    {"to", SS_KEY_TEXT, offsetof(gear, to), NULL, 0, 0, NULL, "", "Second wheel."},
    {"ratio", SS_KEY_REAL, offsetof(gear, ratio), NULL, 0, 0, NULL, "",
     "Rate of `to` divided by that of `system`: r1/r2 for a chain or belt, -r1/r2 for gear wheels "
     "that mesh "
     "outside."},
    {"carrier", SS_KEY_TEXT, offsetof(gear, carrier), "", 0, 0, NULL, "",
     "Body that both axles belong to, rates are relative to it; not given: space."},
    {"axis", SS_KEY_REALS, offsetof(gear, axis), "", 0, 0, NULL, "",
     "Bodies in space: axle of `system`, in space in the initial configuration, of any length."},
    {"to_axis", SS_KEY_REALS, offsetof(gear, to_axis), "", 0, 0, NULL, "",
     "Bodies in space: axle of `to`; that of `system` when not given."},
    {.name = NULL},
};

static ss_status init_planar(ss_setup *setup, gear *self)
{
    if (self->axis.rows || self->to_axis.rows)
        return ss_refuse(setup, "'axis' and 'to_axis' are for bodies in space");
    for (int k = 0; k < 3; k++) {
        const double *q, *u;
        if (self->local[k] < 0)
            continue;
        if (ss_setup_connected_mass(setup, self->local[k]).kind != SS_MASS_PLANAR_BODY)
            return ss_refuse(setup,
                             "wheels are systems of type body or planar_body, all of the same");
        ss_setup_connected_initial(setup, self->local[k], &q, &u);
        self->start += self->share[k] * q[2];
    }
    SS_TRY(ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC));
    ss_setup_default_law(setup, "bilateral", "stabilize", "true");
    return ss_setup_rows(setup, "slip", 1, SS_KINEMATIC);
}

static ss_status init_bodies(ss_setup *setup, gear *self)
{
    const ss_text *names[3] = {&self->system, &self->to, &self->carrier};
    double axes[3][3] = {{0}};
    if (!self->axis.rows)
        return ss_refuse(setup, "'axis' is missing: the axle of '%s'", self->system.text);
    for (int k = 0; k < 3; k++)
        SS_TRY(ss_side_attach(setup, names[k], &self->side[k]));
    SS_TRY(ss_read_direction(setup, "axis", &self->axis, axes[0]));
    SS_TRY(ss_read_direction(setup, self->to_axis.rows ? "to_axis" : "axis",
                             self->to_axis.rows ? &self->to_axis : &self->axis, axes[1]));
    ss_side_axes(setup, axes, &self->side[2]);
    SS_TRY(ss_setup_rows(setup, "slip", 1, SS_KINEMATIC));
    ss_setup_default_law(setup, "bilateral", NULL, NULL);
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    gear *self = opaque;
    const ss_text *names[3] = {&self->system, &self->to, &self->carrier};
    for (int k = 0, nq; k < 3; k++) {
        self->local[k] = -1;
        if (!names[k]->text)
            continue;
        SS_TRY(ss_setup_connect(setup, names[k], &self->local[k]));
        ss_setup_connected(setup, self->local[k], &nq, &self->nu[k]);
    }
    if (self->local[0] == self->local[1] || self->local[0] == self->local[2] ||
        self->local[1] == self->local[2])
        return ss_refuse(setup, "'system', 'to' and 'carrier' must be different systems");
    if (self->ratio == 0)
        return ss_refuse(setup, "'ratio' must not be 0: '%s' would not turn", self->to.text);
    self->share[0] = -self->ratio;
    self->share[1] = 1.0;
    self->share[2] = self->ratio - 1.0;
    self->planar = !ss_setup_connected_body(setup, self->local[0]);
    return self->planar ? init_planar(setup, self) : init_bodies(setup, self);
}

static ss_status gap(const void *opaque, const ss_at *at, double *g)
{
    const gear *self = opaque;
    g[0] = -self->start;
    for (int k = 0; self->planar && k < 3; k++)
        if (self->local[k] >= 0)
            g[0] += self->share[k] * at->q[self->local[k]][2];
    return SS_OK;
}

static ss_status W(const void *opaque, const ss_at *at, double *const *result)
{
    const gear *self = opaque;
    int rows = self->planar ? 2 : 1;
    for (int k = 0; k < 3; k++) {
        if (self->local[k] < 0)
            continue;
        double *w = result[self->local[k]];
        memset(w, 0, (size_t)(rows * self->nu[k]) * sizeof *w);
        for (int row = 0; self->planar && row < 2; row++)
            w[row * 3 + 2] = self->share[k];
    }
    if (self->planar)
        return SS_OK;
    ss_joint_side_at carrier = ss_side_evaluate(&self->side[2], at);
    ss_side_twist(&self->side[0], at, -self->ratio, carrier.d[0], result, 0);
    ss_side_twist(&self->side[1], at, 1.0, carrier.d[1], result, 0);
    ss_side_twist(&self->side[2], at, self->ratio, carrier.d[0], result, 0);
    ss_side_twist(&self->side[2], at, -1.0, carrier.d[1], result, 0);
    return SS_OK;
}

const ss_element_ops ss_gear_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "gear",
             "Two wheels that turn at a fixed ratio, by teeth, chain or belt. A bilateral law "
             "holds slip (1 row, "
             "kinematic); between planar bodies gap (1 row).",
             sizeof(gear), keys},
    .init = init,
    .gap = gap,
    .W = W,
    .held = true,
};
