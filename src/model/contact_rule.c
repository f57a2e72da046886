/* contact_rule.c: the element type 'contact': rows and laws of every contact of two materials.
 *
 * It has no kinematics of its own: rows are made for each contact that is found
 * (assembly/sources/contacts.c). With n from shape a to shape b, tangents t1 and t2 and the velocities of the
 * two bodies at the common point,
 *
 *     gap        γ = n · (v_b - v_a)                       the rate of the gap
 *     slip       γ = (t1, t2) · (v_b - v_a)
 *     spin       γ = n · (ω_b - ω_a)                       drilling, rad/s
 *     roll       γ = (t1, t2) · (ω_b - ω_a)                rolling, rad/s
 *     slip_spin  slip, and length × spin, in one law: Coulomb–Contensou
 */
#include "model/model.h"

#include <float.h>
#include <math.h>

static const ss_key keys[] = {
    {"between", SS_KEY_TEXTS, offsetof(ss_contact_rule, between), "", 0, 0, NULL, "",
     "The two materials that it is for; one word: that material and any other; not given: any two. "
     "Where several rules fit, the one that names more materials counts."},
    {"length", SS_KEY_REAL, offsetof(ss_contact_rule, length), "1", DBL_MIN, INFINITY, NULL, "m",
     "Multiplies the drilling velocity in the group 'slip_spin', so that its rows have one unit."},
    {"direction", SS_KEY_REALS, offsetof(ss_contact_rule, direction), "", 0, 0, NULL, "",
     "The tangent t1 is as near as possible to this vector, given in the frame of the body of the "
     "first shape; not given: any tangent."},
    {"sleep", SS_KEY_BOOL, offsetof(ss_contact_rule, sleep), "false", 0, 0, NULL, "",
     "Bodies that rest exactly are left out of the solution for as long as the impulses of the "
     "step before keep them at rest; for all rules."},
    {"capacity", SS_KEY_INT, offsetof(ss_contact_rule, capacity), "0", 0, 1e9, NULL, "",
     "Most contacts that the model can have at a time, of all rules; 0: 64, and for each shape on "
     "a "
     "system 12, or 48 when it is not a sphere."},
    {NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    const ss_contact_rule *self = opaque;
    const double *d = self->direction.values;
    if (self->between.rows > 2)
        return ss_refuse(setup, "'between' names %d materials; two at most", self->between.rows);
    if (self->direction.rows != 0 &&
        (self->direction.rows != 3 || (d[0] == 0 && d[1] == 0 && d[2] == 0)))
        return ss_refuse(setup, "'direction' must be three numbers, not all zero");
    setup->element->rule = self;
    SS_TRY(ss_setup_rows(setup, "gap", 1, SS_GEOMETRIC));
    SS_TRY(ss_setup_rows(setup, "slip", 2, SS_KINEMATIC));
    SS_TRY(ss_setup_rows(setup, "spin", 1, SS_KINEMATIC));
    SS_TRY(ss_setup_rows(setup, "roll", 2, SS_KINEMATIC));
    return ss_setup_rows(setup, "slip_spin", 3, SS_KINEMATIC);
}

/* Directions, as gaps, are those of its contacts; the rule itself contacts no system. */
static ss_status W(const void *self, const ss_at *at, double *const *W)
{
    (void)self, (void)at, (void)W;
    return SS_OK;
}

const ss_element_ops ss_contact_rule_ops = {
    .type = {SS_ABI, sizeof(ss_element_ops), "contact",
             "The laws of all contacts of shapes of two materials, found while the model moves.",
             sizeof(ss_contact_rule), keys},
    .init = init,
    .W = W,
};
