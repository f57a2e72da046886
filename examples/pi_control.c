/* pi_control.c: a controller of one's own. A sampled PI law with its sum in the state. */
#include <stickslip/stickslip.h>

#include <math.h>

typedef struct pi_control {
    ss_text error, input;
    double period, proportional, integral;
} pi_control;

/* `sum_period` is the factor of the sum: the key `period` of every controller says when it is sampled. */
static const ss_key keys[] = {
    {.name = "error",
     .kind = SS_KEY_EXPRESSION,
     .offset = offsetof(pi_control, error),
     .doc = "What is to become zero, an expression of the state."},
    {.name = "input",
     .kind = SS_KEY_TEXT,
     .offset = offsetof(pi_control, input),
     .doc = "The input that it sets."},
    {.name = "proportional",
     .kind = SS_KEY_REAL,
     .offset = offsetof(pi_control, proportional),
     .doc = "Value for each unit of the error."},
    {.name = "integral",
     .kind = SS_KEY_REAL,
     .offset = offsetof(pi_control, integral),
     .doc = "Value for each unit of the error times a second."},
    {.name = "sum_period",
     .kind = SS_KEY_REAL,
     .offset = offsetof(pi_control, period),
     .min = 0,
     .max = INFINITY,
     .unit = "s",
     .doc = "Time that each error counts in the sum."},
    {.name = NULL},
};

static ss_status init(void *self, ss_setup *setup)
{
    const pi_control *control = self;
    int index;
    SS_TRY(ss_setup_control(setup, &control->input, &index));
    SS_TRY(ss_setup_observe(setup, &control->error, &index));
    return ss_setup_states(setup, 1, NULL, NULL);
}

static ss_status sample(const void *self, const ss_sample *at)
{
    const pi_control *control = self;
    at->value[0] = control->proportional * at->y[0] + control->integral * at->x[0];
    at->x[0] += control->period * at->y[0];
    return SS_OK;
}

static const ss_controller_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_controller_ops),
             .name = "pi_control",
             .doc = "A sampled PI controller.",
             .self_size = sizeof(pi_control),
             .keys = keys},
    .init = init,
    .sample = sample,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_controller(context, &ops);
}
