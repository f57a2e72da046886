/* law_friction.c: dry friction with a constant bound or with Coulomb's, the same in all directions or not; friction
 * that changes with speed; friction in joints. */
#include "la/small.h"
#include "model/refuse.h"
#include "types/types.h"

#include <float.h>

/* The set that is the same in all directions of 1, 2 or 3 rows. */
static const ss_set *round_set(int dim)
{
    return dim == 1 ? ss_set_interval() : ss_set_disk(dim);
}

/* Keys that more than one of the laws have. */
/* clang-format off */
#define NORMAL_KEY(type)                                                                          \
    {"normal", SS_KEY_TEXT, offsetof(type, normal), "", 0, 0, NULL, "",                           \
     "Group whose law gives the normal impulse (gap, or element.gap); not given: the only "       \
     "geometric group of one row in the same element."}
/* clang-format on */

/* ---- Friction ---- */

typedef struct friction {
    ss_matrix mu, bound;
    ss_text normal;
    ss_set *own; /* ellipse or ellipsoid; NULL: the same in all directions */
    const ss_set *set;
    double scale; /* N, or mu */
    bool coulomb;
} friction;

static const ss_key friction_keys[] = {
    {"mu", SS_KEY_REALS, offsetof(friction, mu), "", 0, INFINITY, NULL, "",
     "Coulomb's coefficient: the bound is mu times the normal impulse; different numbers "
     "for two or three rows make an ellipse or an ellipsoid."},
    {"bound", SS_KEY_REALS, offsetof(friction, bound), "", 0, INFINITY, NULL, "N",
     "Constant bound of the friction force, instead of mu; one number, or one for each row."},
    NORMAL_KEY(friction),
    {.name = NULL},
};

/* Different bounds along the rows. */
static ss_status make_ellipse(ss_setup *setup, friction *self, const char *key,
                              const ss_matrix *axes)
{
    ss_context *context = ss_setup_context(setup);
    ss_args *args;
    for (int i = 0; i < axes->rows; i++)
        if (!(axes->values[i] > 0))
            return ss_refuse(setup, "all numbers of '%s' must be > 0", key);
    SS_TRY(ss_args_create(context, &args));
    ss_status status = ss_args_set_reals(args, "axes", axes->rows, axes->values);
    const char *type = axes->rows == 2 ? "ellipse" : "ellipsoid";
    if (status == SS_OK)
        status = ss_set_create(context, type, args, NULL, axes->rows, &self->own);
    ss_args_destroy(args);
    self->set = self->own;
    self->scale = 1.0;
    return status;
}

static ss_status make_set(ss_setup *setup, friction *self, const char *key, const ss_matrix *given)
{
    int dim = ss_setup_dim(setup);
    if (given->rows != 1 && given->rows != dim)
        return ss_refuse(setup, "'%s' must be one number%s, not %d", key,
                         dim == 2   ? ", or two numbers"
                         : dim == 3 ? ", or three numbers"
                                    : "",
                         given->rows);
    for (int i = 1; i < given->rows; i++)
        if (given->values[i] != given->values[0])
            return make_ellipse(setup, self, key, given);
    self->set = round_set(dim);
    self->scale = given->values[0];
    return SS_OK;
}

static ss_status friction_init(void *opaque, ss_setup *setup)
{
    friction *self = opaque;
    int dim = ss_setup_dim(setup);
    if (dim > 3)
        return ss_refuse(setup, "friction is for 1 to 3 rows, not %d", dim);
    if ((self->mu.rows > 0) == (self->bound.rows > 0))
        return ss_refuse(setup, "give either 'mu' (Coulomb) or 'bound' (a constant, in N)");
    self->coulomb = self->mu.rows > 0;
    if (!self->coulomb && self->normal.text)
        return ss_refuse(setup, "'normal' goes with 'mu', not with 'bound'");
    if (self->coulomb)
        SS_TRY(ss_setup_scale_from(setup, self->normal.text ? &self->normal : NULL));
    return self->coulomb ? make_set(setup, self, "mu", &self->mu)
                         : make_set(setup, self, "bound", &self->bound);
}

static void friction_destroy(void *opaque)
{
    friction *self = opaque;
    ss_set_destroy(self->own);
}

static ss_status friction_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const friction *self = opaque;
    *set = (ss_law_set){self->set, self->coulomb ? self->scale : self->scale * at->dt};
    return SS_OK;
}

const ss_law_ops ss_friction_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "friction",
             "Dry friction, planar or spatial, with Coulomb's or a constant bound.",
             sizeof(friction), friction_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = friction_init,
    .destroy = friction_destroy,
    .set = friction_set,
};

/* ---- Friction in a joint that grows with the force it carries ----
 *
 * The torque of a hinge is at most mu ρ |F| for a pin of radius ρ, the force of a slider mu |F|.
 */

typedef struct joint_friction {
    double mu, radius;
    ss_text reaction;
} joint_friction;

static const ss_key joint_keys[] = {
    {"mu", SS_KEY_REAL, offsetof(joint_friction, mu), NULL, 0, INFINITY, NULL, "",
     "Coefficient: the bound is mu times the radius times the length of the joint's force."},
    {"radius", SS_KEY_REAL, offsetof(joint_friction, radius), "1", DBL_MIN, INFINITY, NULL, "m",
     "Of the pin or ball, for rows that turn; leave it out for rows that slide."},
    {"reaction", SS_KEY_TEXT, offsetof(joint_friction, reaction), "gap", 0, 0, NULL, "",
     "Group of the same joint whose force presses."},
    {.name = NULL},
};

static ss_status joint_init(void *opaque, ss_setup *setup)
{
    const joint_friction *self = opaque;
    if (ss_setup_dim(setup) > 3)
        return ss_refuse(setup, "friction is for 1 to 3 rows, not %d", ss_setup_dim(setup));
    return ss_setup_scale_from_group(setup, &self->reaction);
}

static ss_status joint_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const joint_friction *self = opaque;
    *set = (ss_law_set){round_set(at->dim), self->mu * self->radius};
    return SS_OK;
}

const ss_law_ops ss_joint_friction_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "joint_friction",
             "Dry friction in a joint, bounded by mu times the force that the joint carries, at a "
             "radius.",
             sizeof(joint_friction), joint_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = joint_init,
    .set = joint_set,
};

/* ---- Friction that decreases with speed: its resistance is a / (1 + δ|γ|) when it slides ----
 *
 * It is the sum of the set-valued friction of bound a, which resists with a when it slides, and
 * the single-valued term a (1 - 1/(1 + δ|γ|)) γ/|γ| along the motion (S7.11, with the sign that
 * makes the sum decrease).
 */

typedef struct stribeck {
    double bound, delta;
} stribeck;

static const ss_key stribeck_keys[] = {
    {"bound", SS_KEY_REAL, offsetof(stribeck, bound), NULL, 0, INFINITY, NULL, "N",
     "Bound a of the friction force when it sticks."},
    {"delta", SS_KEY_REAL, offsetof(stribeck, delta), NULL, 0, INFINITY, NULL, "s/m",
     "Decrease with speed: the sliding resistance is a / (1 + delta |γ|)."},
    {.name = NULL},
};

static ss_status stribeck_init(void *self, ss_setup *setup)
{
    int dim = ss_setup_dim(setup);
    (void)self;
    if (dim > 2)
        return ss_refuse(setup, "stribeck is for 1 or 2 rows, not %d", dim);
    return SS_OK;
}

static ss_status stribeck_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const stribeck *self = opaque;
    *set = (ss_law_set){round_set(at->dim), self->bound * at->dt};
    return SS_OK;
}

static ss_status stribeck_added(const void *opaque, const ss_law_at *at, double *P)
{
    const stribeck *self = opaque;
    double speed = ss_norm(at->dim, at->gamma);
    /* (1 - 1/(1 + δs)) / s without the division by s */
    double factor = self->bound * at->dt * self->delta / (1.0 + self->delta * speed);
    for (int i = 0; i < at->dim; i++)
        P[i] = factor * at->gamma[i];
    return SS_OK;
}

const ss_law_ops ss_stribeck_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "stribeck",
             "Friction that decreases with speed: bound / (1 + delta |γ|) when it slides.",
             sizeof(stribeck), stribeck_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_ADDED,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = stribeck_init,
    .set = stribeck_set,
    .added = stribeck_added,
};

/* ---- Coulomb friction whose coefficient depends on the slip speed (Wösle & Pfeiffer, Fig. 1) ----
 *
 * μ(0) = μ_0 when it sticks, and a curve through given points when it slides. Between the points the curve is a monotone
 * cubic (Fritsch & Carlson): it has no corners, and no peaks that were not given. Beyond the last point it is constant.
 */

typedef struct characteristic {
    ss_matrix mu, speed;
    ss_text normal;
    double *slope; /* dμ/dv at the points */
} characteristic;

static const ss_key characteristic_keys[] = {
    {"mu", SS_KEY_REALS, offsetof(characteristic, mu), NULL, 0, INFINITY, NULL, "",
     "Coefficients at the speeds of `speed`; the first one holds when it sticks. Between them a "
     "smooth curve without other peaks, beyond the last one it is constant."},
    {"speed", SS_KEY_REALS, offsetof(characteristic, speed), NULL, 0, INFINITY, NULL, "m/s",
     "Slip speeds, from 0 upwards."},
    NORMAL_KEY(characteristic),
    {.name = NULL},
};

static ss_status check_curve(ss_setup *setup, const characteristic *self)
{
    int n = self->mu.rows, dim = ss_setup_dim(setup);
    if (dim > 2)
        return ss_refuse(setup, "characteristic is for 1 or 2 rows, not %d", dim);
    if (n < 2 || self->speed.rows != n)
        return ss_refuse(setup,
                         "'mu' and 'speed' must have equally many numbers, two at least; "
                         "they have %d and %d",
                         n, self->speed.rows);
    if (self->speed.values[0] != 0)
        return ss_refuse(setup, "'speed' must begin with 0, not with %g", self->speed.values[0]);
    for (int i = 1; i < n; i++)
        if (!(self->speed.values[i] > self->speed.values[i - 1]))
            return ss_refuse(setup, "'speed' must increase; %g follows %g", self->speed.values[i],
                             self->speed.values[i - 1]);
    return SS_OK;
}

/* Slope of the straight line from point i to the next. */
static double secant(const characteristic *self, int i)
{
    const double *mu = self->mu.values, *v = self->speed.values;
    return (mu[i + 1] - mu[i]) / (v[i + 1] - v[i]);
}

static ss_status characteristic_init(void *opaque, ss_setup *setup)
{
    characteristic *self = opaque;
    SS_TRY(check_curve(setup, self));
    SS_TRY(ss_setup_scale_from(setup, self->normal.text ? &self->normal : NULL));
    SS_TRY(SS_SETUP_NEW(setup, self->mu.rows, &self->slope));
    /* Slopes that keep each piece monotone: harmonic means inside, zero at extremes and at the end. */
    int n = self->mu.rows;
    self->slope[0] = secant(self, 0);
    self->slope[n - 1] = 0;
    for (int i = 1; i < n - 1; i++) {
        double left = secant(self, i - 1), right = secant(self, i);
        self->slope[i] = left * right > 0 ? 2 * left * right / (left + right) : 0;
    }
    return SS_OK;
}

/* μ(v), by Hermite's cubic. */
static double coefficient_at(const characteristic *self, double speed)
{
    const double *mu = self->mu.values, *v = self->speed.values;
    int n = self->mu.rows, i = 0;
    if (speed >= v[n - 1])
        return mu[n - 1];
    while (speed >= v[i + 1])
        i++;
    double h = v[i + 1] - v[i], s = (speed - v[i]) / h, r = 1 - s;
    return r * r * (1 + 2 * s) * mu[i] + s * s * (1 + 2 * r) * mu[i + 1] +
           h * s * r * (r * self->slope[i] - s * self->slope[i + 1]);
}

static ss_status characteristic_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    double speed = ss_norm(at->dim, at->gamma);
    *set = (ss_law_set){round_set(at->dim), coefficient_at(opaque, speed)};
    return SS_OK;
}

static const ss_set *characteristic_set_kind(const void *self, int dim, int i)
{
    (void)self;
    return i == 0 ? round_set(dim) : NULL;
}

static double characteristic_at_rest(const void *opaque)
{
    return coefficient_at(opaque, 0);
}

const ss_law_ops ss_characteristic_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "characteristic",
             "Coulomb friction with a coefficient that depends on the slip speed.",
             sizeof(characteristic), characteristic_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_SET_OF_SPEED,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = characteristic_init,
    .set = characteristic_set,
    .set_kind = characteristic_set_kind,
    .coefficient = characteristic_at_rest,
};
