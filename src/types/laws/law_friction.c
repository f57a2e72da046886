/* law_friction.c: dry friction with a constant bound or with Coulomb's, the same in all directions or not; friction
 * that changes with speed; friction in joints. */
#include "la/small.h"
#include "model/refuse.h"
#include "set/set.h"
#include "types/laws/value.h"
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
    ss_texts mu, bound, kinetic;
    ss_text normal;
    double rest;
    ss_set_spec given;
    ss_set *own; /* an ellipse, an ellipsoid or that of the key; NULL: the same in all directions */
    const ss_set *set; /* where it changes its shape, one of its kind */
    ss_law_values value, sliding;
    bool coulomb, changes; /* the shape of the set changes */
    size_t changing;       /* where in the cache, an ss_changing_set */
} friction;

static const ss_key friction_keys[] = {
    {"mu", SS_KEY_EXPRESSIONS, offsetof(friction, mu), "", 0, INFINITY, NULL, "",
     "Coulomb's coefficient: the bound is mu times the normal impulse. A number, or an expression "
     "of "
     "t, coordinates, velocities and `slip`, the law's own slip velocity. Different ones for two "
     "or "
     "three rows make an ellipse or an ellipsoid; two for one row, [-0.2, 0.5], are the ends of an "
     "interval."},
    {"bound", SS_KEY_EXPRESSIONS, offsetof(friction, bound), "", 0, INFINITY, NULL, "N",
     "Bound of the friction force, instead of mu; given as mu is."},
    {"kinetic", SS_KEY_EXPRESSIONS, offsetof(friction, kinetic), "", 0, INFINITY, NULL, "",
     "What takes the place of mu or bound while it slides; mu or bound is then that of sticking."},
    {"rest", SS_KEY_REAL, offsetof(friction, rest), "1e-6", 0, INFINITY, NULL, "m/s, rad/s",
     "Slip speed up to which it counts as sticking where the step before does not tell: in the "
     "first "
     "step, and in contacts of shapes.",
     "kinetic"},
    {"set", SS_KEY_SET, offsetof(friction, given), "", 0, 0, NULL, "",
     "Set of the friction force, multiplied by mu times the normal force, or by bound; not given: "
     "an interval, a disk, a ball, or what a list for mu or bound says."},
    NORMAL_KEY(friction),
    {.name = NULL},
};

/* Different bounds along the rows. */
static ss_status make_ellipse(ss_setup *setup, friction *self)
{
    ss_context *context = ss_setup_context(setup);
    const ss_law_values *v = &self->value;
    const double example[] = {1, 2, 3};
    ss_args *args;
    for (int i = 0; !v->depends && i < v->count; i++)
        if (!(v->first[i] > 0))
            return ss_refuse(setup, "all numbers of '%s' must be > 0", v->key);
    SS_TRY(ss_args_create(context, &args));
    ss_status status =
        ss_args_set_reals(args, "axes", v->count, self->changes ? example : v->first);
    const char *type = v->count == 2 ? "ellipse" : "ellipsoid";
    if (status == SS_OK)
        status = ss_set_create(context, type, args, NULL, v->count, &self->own);
    ss_args_destroy(args);
    return status;
}

/* An interval that holds 0 where nothing may be brought in. */
static ss_status check_interval(const ss_law_values *v, const double *ends)
{
    if (ends[0] <= 0 && ends[1] >= 0)
        return SS_OK;
    return ss_fail_at(
        v->context, SS_INPUT, v->where,
        "%s: '%s' is [%g, %g]: the first end of one row must be <= 0, the second >= 0", v->owner,
        v->key, ends[0], ends[1]);
}

static ss_status make_interval(ss_setup *setup, friction *self)
{
    ss_context *context = ss_setup_context(setup);
    const ss_law_values *v = &self->value;
    ss_args *args;
    if (!v->depends)
        SS_TRY(check_interval(v, v->first));
    if (!self->kinetic.rows && !v->depends && v->first[0] == -v->first[1]) { /* as one number */
        self->value.first[0] = v->first[1];
        self->value.count = 1;
        return SS_OK;
    }
    SS_TRY(ss_args_create(context, &args));
    ss_status status = ss_args_set_real(args, "lower", self->changes ? -1 : v->first[0]);
    if (status == SS_OK)
        status = ss_args_set_real(args, "upper", self->changes ? 2 : v->first[1]);
    if (status == SS_OK)
        status = ss_set_create(context, "interval", args, NULL, 1, &self->own);
    ss_args_destroy(args);
    return status;
}

static ss_status check_count(ss_setup *setup, const friction *self, const ss_law_values *v)
{
    int dim = ss_setup_dim(setup);
    bool list = !self->given.name.text;
    if (v->count == 1 || (list && v->count == dim) || (list && dim == 1 && v->count == 2))
        return SS_OK;
    return ss_refuse(setup, "'%s' must be one number%s, not %d", v->key,
                     !list      ? " beside 'set'"
                     : dim == 1 ? ", or the two ends of an interval"
                     : dim == 2 ? ", or two numbers"
                     : dim == 3 ? ", or three numbers"
                                : "",
                     v->count);
}

static ss_status make_set(ss_setup *setup, friction *self)
{
    int dim = ss_setup_dim(setup), count = self->value.count;
    self->changes = count > 1 && (self->value.depends || self->sliding.count > 0);
    if (self->given.name.text)
        SS_TRY(ss_set_create_from(ss_setup_context(setup), &self->given, dim, &self->own));
    else if (count > 1)
        SS_TRY(dim == 1 ? make_interval(setup, self) : make_ellipse(setup, self));
    self->set = self->own ? self->own : round_set(dim);
    if (self->changes && !ss_setup_connects(setup))
        return ss_refuse(setup,
                         "'%s' may not be a list of expressions here: contacts of shapes take one",
                         self->value.key);
    return self->changes ? ss_setup_cache(setup, sizeof(ss_changing_set), &self->changing) : SS_OK;
}

/* The flags of what it depends on stay. */
static void drop_flags(ss_setup *setup, const friction *self)
{
    unsigned depends = self->value.depends | self->sliding.depends;
    if (self->sliding.count)
        depends |= SS_LAW_SET_OF_SPEED;
    ss_setup_drop_law_flags(setup, (SS_LAW_SET_OF_TIME | SS_LAW_SET_OF_GAP | SS_LAW_SET_OF_SPEED |
                                    SS_LAW_SET_OF_POSITION) &
                                       ~depends);
}

static ss_status read_values(ss_setup *setup, friction *self)
{
    const char *key = self->coulomb ? "mu" : "bound", *unit = self->coulomb ? "" : "N";
    const ss_texts *given = self->coulomb ? &self->mu : &self->bound;
    bool ends = ss_setup_dim(setup) == 1 && given->rows == 2;
    self->value = self->sliding =
        (ss_law_values){.key = key, .unit = unit, .least = ends ? -INFINITY : 0, .one = !ends};
    self->sliding.key = "kinetic";
    SS_TRY(ss_law_values_compile(setup, given, &self->value));
    SS_TRY(ss_law_values_compile(setup, &self->kinetic, &self->sliding));
    SS_TRY(check_count(setup, self, &self->value));
    if (self->sliding.count && self->sliding.count != self->value.count)
        return ss_refuse(setup, "'kinetic' must have as many numbers as '%s', %d, not %d", key,
                         self->value.count, self->sliding.count);
    return SS_OK;
}

static ss_status friction_init(void *opaque, ss_setup *setup)
{
    friction *self = opaque;
    if (ss_setup_dim(setup) > 3 && !self->given.name.text)
        return ss_refuse(setup, "friction is for 1 to 3 rows, not %d; more rows need a 'set'",
                         ss_setup_dim(setup));
    if ((self->mu.rows > 0) == (self->bound.rows > 0))
        return ss_refuse(setup, "give either 'mu' (Coulomb) or 'bound' (a constant, in N)");
    self->coulomb = self->mu.rows > 0;
    if (!self->coulomb && self->normal.text)
        return ss_refuse(setup, "'normal' goes with 'mu', not with 'bound'");
    if (self->coulomb)
        SS_TRY(ss_setup_scale_from(setup, self->normal.text ? &self->normal : NULL));
    SS_TRY(read_values(setup, self));
    drop_flags(setup, self);
    ss_status status = make_set(setup, self);
    if (status != SS_OK)
        ss_set_destroy(self->own);
    return status;
}

static void friction_destroy(void *opaque)
{
    friction *self = opaque;
    ss_set_destroy(self->own);
}

/* Whether a law that may slide more easily than it breaks away slides. */
static bool is_sliding(const friction *self, const ss_law_at *at)
{
    return at->slip == SS_SLIP_UNKNOWN ? ss_norm(at->dim, at->gamma) > self->rest
                                       : at->slip == SS_SLIP_SLIDES;
}

static ss_status friction_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const friction *self = opaque;
    double unit = self->coulomb ? 1 : at->dt, numbers[SS_LAW_VALUES];
    bool sliding = self->sliding.count && is_sliding(self, at);
    const ss_law_values *v = sliding ? &self->sliding : &self->value;
    *set = (ss_law_set){self->set, unit};
    if (v->count > 1 && !self->changes)
        return SS_OK;
    SS_TRY(ss_law_values_at(v, at, numbers));
    if (!self->changes) {
        set->scale = unit * numbers[0];
        return SS_OK;
    }
    if (at->dim == 1)
        SS_TRY(check_interval(v, numbers));
    ss_changing_set *changing = (void *)((char *)at->cache + self->changing);
    ss_changing_set_put(changing, at->dim, numbers);
    set->set = &changing->set;
    return SS_OK;
}

static const ss_set *friction_set_kind(const void *opaque, int dim, int i)
{
    (void)dim;
    return i == 0 ? ((const friction *)opaque)->set : NULL;
}

static double friction_at_rest(const void *opaque)
{
    const friction *self = opaque;
    const double first[SS_SET_MAX_DIM] = {1};
    const double value = self->value.first[0];
    if (self->value.count == 1)
        return isfinite(value) ? ss_set_support(self->set, value, first) : 0;
    return self->changes ? self->value.first[self->value.count == 2 && self->set->dim == 1]
                         : ss_set_support(self->set, 1, first);
}

const ss_law_ops ss_friction_ops = {
    .type =
        {SS_ABI, sizeof(ss_law_ops), "friction",
         "Dry friction, planar or spatial, with Coulomb's or another bound, and any set of forces.",
         sizeof(friction), friction_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_SET_OF_TIME | SS_LAW_SET_OF_GAP | SS_LAW_SET_OF_SPEED | SS_LAW_SET_OF_POSITION,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = friction_init,
    .destroy = friction_destroy,
    .set = friction_set,
    .set_kind = friction_set_kind,
    .coefficient = friction_at_rest,
};

/* ---- Friction in a joint that grows with the force it carries ----
 *
 * The torque of a hinge is at most mu ρ |F| for a pin of radius ρ, the force of a slider mu |F|.
 */

typedef struct joint_friction {
    ss_text mu;
    double radius;
    ss_text reaction;
    ss_law_values value;
} joint_friction;

static const ss_key joint_keys[] = {
    {"mu", SS_KEY_EXPRESSION, offsetof(joint_friction, mu), NULL, 0, INFINITY, NULL, "",
     "Coefficient: the bound is mu times the radius times the length of the joint's force. A "
     "number, "
     "or an expression of t, coordinates, velocities and the law's own `slip`."},
    {"radius", SS_KEY_REAL, offsetof(joint_friction, radius), "1", DBL_MIN, INFINITY, NULL, "m",
     "Of the pin or ball, for rows that turn; leave it out for rows that slide."},
    {"reaction", SS_KEY_TEXT, offsetof(joint_friction, reaction), "gap", 0, 0, NULL, "",
     "Group of the same joint whose force presses."},
    {.name = NULL},
};

static ss_status joint_init(void *opaque, ss_setup *setup)
{
    joint_friction *self = opaque;
    if (ss_setup_dim(setup) > 3)
        return ss_refuse(setup, "friction is for 1 to 3 rows, not %d", ss_setup_dim(setup));
    self->value = (ss_law_values){.key = "mu"};
    SS_TRY(ss_law_value_compile(setup, &self->mu, &self->value));
    ss_setup_drop_law_flags(setup,
                            (SS_LAW_SET_OF_TIME | SS_LAW_SET_OF_SPEED | SS_LAW_SET_OF_POSITION) &
                                ~self->value.depends);
    return ss_setup_scale_from_group(setup, &self->reaction);
}

static ss_status joint_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const joint_friction *self = opaque;
    double mu;
    SS_TRY(ss_law_values_at(&self->value, at, &mu));
    *set = (ss_law_set){round_set(at->dim), mu * self->radius};
    return SS_OK;
}

static const ss_set *round_set_kind(const void *self, int dim, int i)
{
    (void)self;
    return i == 0 ? round_set(dim) : NULL;
}

const ss_law_ops ss_joint_friction_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "joint_friction",
             "Dry friction in a joint, bounded by mu times the force that the joint carries, at a "
             "radius.",
             sizeof(joint_friction), joint_keys},
    .law_class = SS_LAW_FRICTION,
    .flags = SS_LAW_SET_OF_TIME | SS_LAW_SET_OF_SPEED | SS_LAW_SET_OF_POSITION,
    .row_kinds = SS_KINEMATIC,
    .words = {"stick", "slip"},
    .init = joint_init,
    .set = joint_set,
    .set_kind = round_set_kind,
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
    .set_kind = round_set_kind,
    .coefficient = characteristic_at_rest,
};
