/* halving.c: a simulation of one's own. Each step is made whole and in two halves; their difference estimates the error
 * and gives the size of the next step. The two halves are kept.
 */
#include <stickslip/stickslip.h>

#include <float.h>
#include <math.h>

typedef struct halving {
    double tolerance, step, least; /* keys */
    ss_state *whole, *half, *both; /* made by prepare */
} halving;

static const ss_key keys[] = {
    {.name = "tolerance",
     .kind = SS_KEY_REAL,
     .offset = offsetof(halving, tolerance),
     .default_value = "1e-6",
     .min = DBL_MIN,
     .max = INFINITY,
     .doc = "Largest difference of any coordinate between one step and two halves of it."},
    {.name = "step",
     .kind = SS_KEY_REAL,
     .offset = offsetof(halving, step),
     .default_value = "1e-3",
     .min = DBL_MIN,
     .max = INFINITY,
     .unit = "s",
     .doc = "Size of the first step."},
    {.name = "least",
     .kind = SS_KEY_REAL,
     .offset = offsetof(halving, least),
     .default_value = "1e-6",
     .min = DBL_MIN,
     .max = INFINITY,
     .unit = "s",
     .doc = "Smallest step; it is accepted whatever its error."},
    {.name = NULL},
};

/* The size of the next step belongs to the state: a run that is resumed goes on with it. */
static size_t memory(const void *self, const ss_work *work)
{
    (void)self, (void)work;
    return 1;
}

static ss_status prepare(void *self, ss_simulation *simulation)
{
    halving *h = self;
    SS_TRY(ss_simulation_new_state(simulation, &h->whole));
    SS_TRY(ss_simulation_new_state(simulation, &h->half));
    return ss_simulation_new_state(simulation, &h->both);
}

static double difference(const ss_model *model, const ss_state *a, const ss_state *b)
{
    double most = 0;
    for (int i = 0; i < ss_model_sizes(model).n_q; i++)
        most = fmax(most, fabs(ss_state_q(a)[i] - ss_state_q(b)[i]));
    return most;
}

/* A step that is tried, and what all of them cost. */
typedef struct trial {
    double dt, error; /* error INFINITY: a solve did not converge */
    bool converged;   /* both halves */
    ss_solve_report report;
    uint64_t tries, iterations;
} trial;

static ss_status step(ss_simulation *simulation, const ss_state *B, double dt, ss_state *E,
                      trial *t)
{
    SS_TRY(ss_simulation_step(simulation, B, dt, E, &t->report));
    t->converged = t->converged && ss_outcome_accepted(t->report.outcome);
    t->tries++;
    t->iterations += (uint64_t)t->report.iterations;
    return SS_OK;
}

static ss_status try_both(halving *h, ss_simulation *simulation, trial *t)
{
    const ss_state *begin = ss_simulation_state(simulation);
    t->converged = true;
    SS_TRY(step(simulation, begin, t->dt, h->whole, t));
    bool whole = t->converged;
    t->converged = true;
    SS_TRY(step(simulation, begin, t->dt / 2, h->half, t));
    SS_TRY(step(simulation, h->half, t->dt / 2, h->both, t));
    bool all = whole && t->converged;
    t->error = all ? difference(ss_simulation_model(simulation), h->whole, h->both) : INFINITY;
    return SS_OK;
}

/* The error of a step grows with the square of its size at least. */
static double next_size(const halving *h, const trial *t)
{
    double factor = 0.9 * sqrt(h->tolerance / fmax(t->error, DBL_MIN));
    return fmax(h->least, t->dt * fmin(2, fmax(0.2, factor)));
}

/* A step that would leave a crumb before the end takes half of what is left. */
static double fit(double dt, double left)
{
    return dt >= left ? left : dt > left / 2 ? left / 2 : dt;
}

static ss_status advance(void *self, ss_simulation *simulation)
{
    halving *h = self;
    const ss_state *begin = ss_simulation_state(simulation);
    double end = ss_simulation_settings(simulation)->end;
    double left = fmin(end, ss_simulation_next_break(simulation)) - ss_state_time(begin);
    double wanted = ss_state_memory(begin)[0];
    trial t = {.dt = fit(wanted > 0 ? wanted : h->step, left)};
    SS_TRY(try_both(h, simulation, &t));
    while (t.error > h->tolerance && t.dt > h->least) {
        t.dt = fit(next_size(h, &t), left);
        SS_TRY(try_both(h, simulation, &t));
    }
    if (!t.converged)
        SS_TRY(ss_simulation_fail(simulation, begin, t.dt, &t.report));
    const ss_statistics *before = ss_state_statistics(begin);
    ss_statistics *sums = ss_state_edit_statistics(h->both);
    sums->tries = before->tries + t.tries;
    sums->iterations = before->iterations + t.iterations;
    ss_state_edit_memory(h->both)[0] = next_size(h, &t);
    ss_simulation_accept(simulation, h->both, &t.report, 0);
    return SS_OK;
}

static const ss_simulation_ops ops = {
    .type = {.abi = SS_ABI,
             .size = sizeof(ss_simulation_ops),
             .name = "halving",
             .doc = "Steps whose size is adjusted by comparison with two steps of half the size.",
             .self_size = sizeof(halving),
             .keys = keys},
    .memory = memory,
    .prepare = prepare,
    .advance = advance,
    .contacts = true,
};

SS_API ss_status ss_plugin(ss_context *context);

ss_status ss_plugin(ss_context *context)
{
    return ss_register_simulation(context, &ops);
}
