/* force_drive.c: a motor on one coordinate q that follows a position, a speed or both:
 *
 *   f = stiffness (position - q) + damping (speed - q'),  kept within ± limit
 */
#include "model/refuse.h"
#include "types/time_function.h"
#include "types/types.h"

#include <math.h>
#include <stdio.h>

typedef struct drive {
    ss_text on, position, speed;
    double stiffness, damping, limit;
    int q_index, u_index; /* in the only connected system */
    int nq, nu;           /* of it */
    ss_time_function x, v;
} drive;

static const ss_key keys[] = {
    {"on", SS_KEY_TEXT, offsetof(drive, on), NULL, 0, 0, NULL, "",
     "Coordinate that the motor moves: toy.y, or y when only one system has it."},
    {"position", SS_KEY_EXPRESSION, offsetof(drive, position), "", 0, 0, NULL, "m, rad",
     "Position to follow, an expression of t; needs a stiffness."},
    {"speed", SS_KEY_EXPRESSION, offsetof(drive, speed), "", 0, 0, NULL, "m/s, rad/s",
     "Speed to follow, an expression of t; not given: the rate of the position. Needs a damping."},
    {"stiffness", SS_KEY_REAL, offsetof(drive, stiffness), "0", 0, INFINITY, NULL, "N/m, N m/rad",
     "Force for each unit of missing position."},
    {"damping", SS_KEY_REAL, offsetof(drive, damping), "0", 0, INFINITY, NULL, "N s/m, N m s/rad",
     "Force for each unit of missing speed."},
    {"limit", SS_KEY_REAL, offsetof(drive, limit), "inf", -INFINITY, INFINITY, NULL, "N, N m",
     "Largest force of the motor; inf: any."},
    {.name = NULL},
};

static ss_status check(const ss_setup *setup, const drive *self)
{
    if (!self->position.text && !self->speed.text)
        return ss_refuse(setup, "give 'position', 'speed' or both");
    if ((self->position.text != NULL) != (self->stiffness > 0))
        return ss_refuse(setup, "'position' and a 'stiffness' > 0 go together");
    if (self->speed.text && !(self->damping > 0))
        return ss_refuse(setup, "'speed' needs a 'damping' > 0");
    if (!(self->limit > 0))
        return ss_refuse(setup, "'limit' must be a number > 0, or inf, in N, not %g", self->limit);
    return SS_OK;
}

/* The velocity that belongs to the coordinate is named after it. */
static ss_status find_coordinate(ss_setup *setup, drive *self)
{
    char primed[256];
    bool velocity;
    int local;
    SS_TRY(ss_setup_find(setup, &self->on, &local, &velocity, &self->q_index));
    if (velocity)
        return ss_refuse(setup, "'on' must be the name of a coordinate, not of a velocity");
    snprintf(primed, sizeof primed, "%s'", self->on.text);
    ss_text name = {primed, self->on.where};
    SS_TRY(ss_setup_find(setup, &name, &local, &velocity, &self->u_index));
    ss_setup_connected(setup, local, &self->nq, &self->nu);
    return SS_OK;
}

static ss_status init(void *opaque, ss_setup *setup)
{
    drive *self = opaque;
    SS_TRY(check(setup, self));
    SS_TRY(find_coordinate(setup, self));
    if (self->position.text)
        SS_TRY(ss_time_function_compile(setup, "position", &self->position, &self->x));
    return self->speed.text ? ss_time_function_compile(setup, "speed", &self->speed, &self->v)
                            : SS_OK;
}

/* The force without its limit. */
static double wanted(const drive *self, const ss_at *at)
{
    ss_time_value x = ss_time_function_at(&self->x, at);
    double speed = self->speed.text ? ss_time_function_at(&self->v, at).value : x.rate;
    double f = self->damping * (speed - at->u[0][self->u_index]);
    if (self->position.text)
        f += self->stiffness * (x.value - at->q[0][self->q_index]);
    return f;
}

static ss_status h(const void *opaque, const ss_at *at, double *const *h)
{
    const drive *self = opaque;
    h[0][self->u_index] += fmax(-self->limit, fmin(wanted(self, at), self->limit));
    return SS_OK;
}

static ss_status derivatives(const void *opaque, const ss_at *at, double *const *dhdq,
                             double *const *dhdu)
{
    const drive *self = opaque;
    if (fabs(wanted(self, at)) > self->limit)
        return SS_OK;
    dhdq[0][self->u_index * self->nq + self->q_index] -= self->stiffness;
    dhdu[0][self->u_index * self->nu + self->u_index] -= self->damping;
    return SS_OK;
}

const ss_force_ops ss_drive_ops = {
    .type = {SS_ABI, sizeof(ss_force_ops), "drive",
             "A motor on one coordinate that follows a position or a speed, with a limit.",
             sizeof(drive), keys},
    .init = init,
    .h = h,
    .derivatives = derivatives,
};
