/* law_motor.c: drives a row at a speed v(t), with a limited force: -(γ_E - v) ∈ N_C(P). */
#include "types/refuse.h"
#include "types/time_function.h"
#include "types/types.h"

#include <math.h>

typedef struct motor {
    ss_text speed;
    double limit;
    ss_time_function v;
} motor;

static const ss_key keys[] = {
    {"speed", SS_KEY_EXPRESSION, offsetof(motor, speed), NULL, 0, 0, NULL, "m/s, rad/s",
     "Speed of the row, an expression of t and the parameters."},
    {"limit", SS_KEY_REAL, offsetof(motor, limit), "inf", -INFINITY, INFINITY, NULL, "N, N m",
     "Largest force or torque."},
    {.name = NULL},
};

static ss_status init(void *opaque, ss_setup *setup)
{
    motor *self = opaque;
    if (!(self->limit > 0))
        return ss_refuse(setup, "'limit' must be a number > 0, or inf, not %g", self->limit);
    return ss_time_function_compile(setup, "speed", &self->speed, &self->v);
}

static ss_status set(const void *opaque, const ss_law_at *at, ss_law_set *set)
{
    const motor *self = opaque;
    *set = isinf(self->limit) ? (ss_law_set){ss_set_free(1), 1.0}
                              : (ss_law_set){ss_set_interval(), self->limit * at->dt};
    return SS_OK;
}

static ss_status drive(const void *opaque, const ss_law_at *at, double *v, double *a)
{
    const motor *self = opaque;
    ss_at now = {.t = at->t, .cache = at->cache};
    ss_time_value speed = ss_time_function_at(&self->v, &now);
    v[0] = speed.value;
    a[0] = speed.rate;
    return SS_OK;
}

static ss_status correction(const void *opaque, const ss_law_at *at, double *c)
{
    double v, a;
    SS_TRY(drive(opaque, at, &v, &a));
    c[0] = -v;
    return SS_OK;
}

static ss_status work(const void *self, const ss_law_at *at, const double *P, const double *gamma,
                      double *load, double *lost)
{
    (void)self, (void)at;
    *load = P[0] * gamma[0];
    *lost = 0.0;
    return SS_OK;
}

const ss_law_ops ss_motor_ops = {
    .type = {SS_ABI, sizeof(ss_law_ops), "motor",
             "Drives a row at a speed that may change with time.", sizeof(motor), keys},
    .law_class = SS_LAW_DRIVE,
    .flags = SS_LAW_CONSTANT_SET | SS_LAW_CORRECTED | SS_LAW_WORK,
    .row_kinds = SS_KINEMATIC,
    .each_row = true,
    .words = {"follows", "limited"},
    .init = init,
    .set = set,
    .correction = correction,
    .work = work,
    .drive = drive,
};
