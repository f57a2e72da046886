/* constant.c: steps of constant size; shorter ones before the end and before changes of inputs. */
#include "simulation/simulation.h"

#include <float.h>
#include <math.h>

typedef struct constant {
    double step; /* s */
} constant;

static const ss_key keys[] = {
    {"step", SS_KEY_REAL, offsetof(constant, step), NULL, DBL_MIN, INFINITY, NULL, "s",
     "Size Δt of every step."},
    {NULL},
};

/* Steps end at multiples of Δt, whatever the rounding of their sum, at the end, and where inputs change. */
static ss_status advance(void *self, ss_simulation *simulation)
{
    const double small = 1e-6; /* of a step */
    const constant *o = self;
    double end = ss_simulation_settings(simulation)->end;
    double t = ss_state_time(ss_simulation_state(simulation));
    double next = (floor(t / o->step + small) + 1) * o->step;
    if (next > end - small * o->step)
        next = end;
    double stop = ss_simulation_next_break(simulation);
    if (stop < next + small * o->step)
        next = stop;
    bool whole = fabs(next - t - o->step) < small * o->step;
    SS_TRY(ss_simulation_try_step(simulation, whole ? o->step : next - t));
    ss_state_set_time(ss_simulation_state(simulation), next);
    return SS_OK;
}

const ss_simulation_ops ss_constant_ops = {
    .type = {SS_ABI, sizeof(ss_simulation_ops), "constant", "Steps of constant size.",
             sizeof(constant), keys},
    .advance = advance,
    .contacts = true,
};
