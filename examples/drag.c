/* drag.c: a force of one's own. The air resists with coefficient · |v| v. */
#include <stickslip/stickslip.h>

#include <math.h>

typedef struct drag {
    ss_text on;
    double coefficient;
    int local, nu;
} drag;

static const ss_key keys[] = {
    {.name = "on",
     .kind = SS_KEY_TEXT,
     .offset = offsetof(drag, on),
     .doc = "The system that moves through the air; its velocities are those of a point."},
    {.name = "coefficient",
     .kind = SS_KEY_REAL,
     .offset = offsetof(drag, coefficient),
     .max = INFINITY,
     .unit = "N s^2/m^2",
     .doc = "Force at a speed of 1 m/s."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    drag *force = self;
    int nq;
    SS_TRY(ss_setup_connect(setup, &force->on, &force->local));
    ss_setup_connected(setup, force->local, &nq, &force->nu);
    return SS_OK;
}

static ss_status h(const void *self, const ss_at *at, double *const *h)
{
    const drag *force = self;
    const double *v = at->u[force->local];
    double squares = 0.0;
    for (int i = 0; i < force->nu; i++)
        squares += v[i] * v[i];
    for (int i = 0; i < force->nu; i++)
        h[force->local][i] -= force->coefficient * sqrt(squares) * v[i];
    return SS_OK;
}

static const ss_force_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_force_ops),
             .name = "drag",
             .doc = "Air resistance, quadratic in the speed.",
             .self_size = sizeof(drag),
             .keys = keys},
    .init = init,
    .h = h,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_force(context, &ops);
}
