/* law_bilateral.c: a constraint, with any force that it takes; a motor that drives a row at a speed v(t). */
#include "model/refuse.h"
#include "types/time_function.h"
#include "types/types.h"

#include <math.h>

/* ---- A constraint ---- */

typedef struct bilateral {
    bool stabilize;
} bilateral;

static const ss_key bilateral_keys[] = {
    {"stabilize", SS_KEY_BOOL, offsetof(bilateral, stabilize), "false", 0, 0, NULL, "",
     "Takes the drift g out within a step by adding g/dt to the relative velocity; the restitution "
     "must be 0."},
    {.name = NULL},
};

static ss_status bilateral_init(void *opaque, ss_setup *setup)
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

static ss_status bilateral_set(const void *self, const ss_law_at *at, ss_law_set *set)
{
    (void)self, (void)at;
    *set = (ss_law_set){ss_set_free(1), 1.0};
    return SS_OK;
}

/* S7.3 */
static ss_status bilateral_correction(const void *opaque, const ss_law_at *at, double *c)
{
    const bilateral *self = opaque;
    c[0] = self->stabilize ? at->g[0] / at->dt : 0.0;
    return SS_OK;
}

static ss_status bilateral_distance(const void *self, const ss_law_at *at, double *d)
{
    (void)self;
    d[0] = at->g[0];
    return SS_OK;
}

const ss_law_ops ss_bilateral_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "bilateral",
             "A constraint: the relative velocity stays zero.", sizeof(bilateral), bilateral_keys},
    .law_class = SS_LAW_BILATERAL,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_CORRECTED | SS_LAW_DISTANCE,
    .row_kinds = SS_GEOMETRIC | SS_KINEMATIC,
    .each_row = true,
    .words = {"closed", "open"},
    .init = bilateral_init,
    .set = bilateral_set,
    .correction = bilateral_correction,
    .distance = bilateral_distance,
};

/* ---- A motor with a limited force: -(γ_E - v) ∈ N_C(P) ---- */

typedef struct motor {
    ss_text speed;
    double limit;
    ss_time_function v;
} motor;

static const ss_key motor_keys[] = {
    {"speed", SS_KEY_EXPRESSION, offsetof(motor, speed), NULL, 0, 0, NULL, "m/s, rad/s",
     "Speed of the row, an expression of t and the parameters."},
    {"limit", SS_KEY_REAL, offsetof(motor, limit), "inf", -INFINITY, INFINITY, NULL, "N, N m",
     "Largest force or torque."},
    {.name = NULL},
};

static ss_status motor_init(void *opaque, ss_setup *setup)
{
    motor *self = opaque;
    if (!(self->limit > 0))
        return ss_refuse(setup, "'limit' must be a number > 0, or inf, not %g", self->limit);
    return ss_time_function_compile(setup, "speed", &self->speed, &self->v);
}

static ss_status motor_set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const motor *self = opaque;
    *set = isinf(self->limit) ? (ss_law_set){ss_set_free(1), 1.0}
                              : (ss_law_set){ss_set_interval(), self->limit * at->dt};
    return SS_OK;
}

static ss_status motor_drive(const void *opaque, const ss_law_at *at, double *v, double *a)
{
    const motor *self = opaque;
    ss_at now = {.t = at->t, .cache = at->cache};
    ss_time_value speed = ss_time_function_at(&self->v, &now);
    v[0] = speed.value;
    a[0] = speed.rate;
    return SS_OK;
}

static ss_status motor_correction(const void *opaque, const ss_law_at *at, double *c)
{
    double v, a;
    SS_TRY(motor_drive(opaque, at, &v, &a));
    c[0] = -v;
    return SS_OK;
}

static ss_status motor_work(const void *self, const ss_law_at *at, const double *P,
                            const double *gamma, double *load, double *lost)
{
    (void)self, (void)at;
    *load = P[0] * gamma[0];
    *lost = 0.0;
    return SS_OK;
}

const ss_law_ops ss_motor_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "motor",
             "Drives a row at a speed that may change with time.", sizeof(motor), motor_keys},
    .law_class = SS_LAW_DRIVE,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_CORRECTED | SS_LAW_WORK,
    .row_kinds = SS_KINEMATIC,
    .each_row = true,
    .words = {"follows", "limited"},
    .init = motor_init,
    .set = motor_set,
    .correction = motor_correction,
    .work = motor_work,
    .drive = motor_drive,
};
