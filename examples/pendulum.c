/* pendulum.c: a system of one's own. A point mass on a rod, with the angle from the vertical as its only coordinate. */
#include <stickslip/stickslip.h>

#include <float.h>
#include <math.h>

typedef struct pendulum {
    double mass, length, gravity;
} pendulum;

static const ss_key keys[] = {
    {.name = "mass",
     .kind = SS_KEY_REAL,
     .offset = offsetof(pendulum, mass),
     .min = DBL_MIN,
     .max = INFINITY,
     .unit = "kg",
     .doc = "Mass at the end of the rod."},
    {.name = "length",
     .kind = SS_KEY_REAL,
     .offset = offsetof(pendulum, length),
     .min = DBL_MIN,
     .max = INFINITY,
     .unit = "m",
     .doc = "Length of the rod."},
    {.name = "gravity",
     .kind = SS_KEY_REAL,
     .offset = offsetof(pendulum, gravity),
     .default_value = "9.81",
     .unit = "m/s^2",
     .doc = "Acceleration of gravity, downwards."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    (void)self;
    static const char *const names[] = {"phi"};
    ss_setup_constant_mass(setup);
    return ss_setup_coordinates(setup, 1, names);
}

static ss_status mass(const void *self, const ss_at *at, double *M)
{
    (void)at;
    const pendulum *p = self;
    M[0] = p->mass * p->length * p->length;
    return SS_OK;
}

static ss_status h(const void *self, const ss_at *at, double *h)
{
    const pendulum *p = self;
    h[0] = -p->mass * p->gravity * p->length * sin(at->q[0][0]);
    return SS_OK;
}

static ss_status potential(const void *self, const ss_at *at, double *V)
{
    const pendulum *p = self;
    *V = p->mass * p->gravity * p->length * (1.0 - cos(at->q[0][0]));
    return SS_OK;
}

static const ss_system_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_system_ops),
             .name = "pendulum",
             .doc = "A point mass on a rod; coordinate phi, the angle from the vertical.",
             .self_size = sizeof(pendulum),
             .keys = keys},
    .init = init,
    .mass = mass,
    .h = h,
    .potential = potential,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_system(context, &ops);
}
