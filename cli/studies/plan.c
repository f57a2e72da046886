/* plan.c: makes the runs of a study from its axes: a grid, a list, or a latin hypercube. */
#include "studies/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- What the command line says ---- */

static bool add_axis(ss_context *context, const char *text, bool setting, ss_cli_plan *plan)
{
    if (plan->n_axes == SS_CLI_AXES) {
        ss_cli_error("'%s': more than %d keys are varied", text, SS_CLI_AXES);
        return false;
    }
    ss_cli_axis *axis = &plan->axes[plan->n_axes++];
    if (!ss_cli_axis_parse(context, text, setting, axis))
        return false;
    for (int i = 0; i + 1 < plan->n_axes; i++)
        if (strcmp(plan->axes[i].name, axis->name) == 0) {
            ss_cli_error("'%s': '%s' is varied already", text, axis->name);
            return false;
        }
    return true;
}

static bool read_axes(ss_context *context, const ss_cli_arguments *arguments, ss_cli_plan *plan)
{
    plan->fixed = calloc((size_t)arguments->n_operands + 1, sizeof *plan->fixed);
    if (!plan->fixed)
        ss_cli_error("out of memory");
    bool good = plan->fixed;
    for (int i = 1; good && i < arguments->n_operands; i++) {
        if (ss_cli_axis_is(arguments->operands[i]))
            good = add_axis(context, arguments->operands[i], false, plan);
        else
            plan->fixed[plan->n_fixed++] = arguments->operands[i];
    }
    for (int i = 0; good && i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "over") == 0)
            good = add_axis(context, arguments->given[i].value, true, plan);
    if (good && plan->n_axes == 0)
        ss_cli_error("nothing is varied; give NAME=FIRST:LAST:COUNT or NAME=a,b,c, for example "
                     "mu=0.1:0.5:9");
    return good && plan->n_axes > 0;
}

static bool read_sample(const ss_cli_arguments *arguments, ss_cli_plan *plan)
{
    static const char *const names[] = {"grid", "list", "latin"};
    const char *given = ss_cli_value(arguments, "sample"), *seed = ss_cli_value(arguments, "seed");
    char *end = NULL;
    for (int i = 0; i < 3; i++)
        if (!given || strcmp(given, names[i]) == 0) {
            plan->sample = (ss_cli_sample)i;
            errno = 0;
            plan->seed = seed ? strtoull(seed, &end, 10) : 1;
            if (seed && (*end || end == seed || errno || seed[0] == '-')) {
                ss_cli_error("--seed is '%s'; it must be a whole number >= 0", seed);
                return false;
            }
            if (seed && plan->sample != SS_CLI_LATIN)
                ss_cli_error("--seed does something with --sample latin only");
            return !seed || plan->sample == SS_CLI_LATIN;
        }
    ss_cli_error("--sample is '%s'; it can be grid, list or latin", given);
    return false;
}

/* ---- The runs ---- */

static bool count_runs(ss_cli_plan *plan)
{
    double count = plan->axes[0].count;
    for (int i = 0; i < plan->n_axes; i++) {
        const ss_cli_axis *axis = &plan->axes[i];
        if (plan->sample == SS_CLI_LATIN && !axis->range) {
            ss_cli_error("--sample latin draws from ranges; '%s' is a list", axis->name);
            return false;
        }
        if (plan->sample != SS_CLI_GRID && axis->count != plan->axes[0].count) {
            ss_cli_error("--sample %s wants as many values of '%s' as of '%s': %d, not %d",
                         plan->sample == SS_CLI_LIST ? "list" : "latin", axis->name,
                         plan->axes[0].name, plan->axes[0].count, axis->count);
            return false;
        }
        if (i > 0 && plan->sample == SS_CLI_GRID)
            count *= axis->count;
    }
    if (count > SS_CLI_POINTS)
        ss_cli_error("%.0f runs are more than %d", count, SS_CLI_POINTS);
    plan->count = (int)(count > SS_CLI_POINTS ? 0 : count);
    return plan->count > 0;
}

static void take(ss_cli_plan *plan, int run, int axis, int index)
{
    size_t at = (size_t)run * (size_t)plan->n_axes + (size_t)axis;
    plan->indices[at] = index;
    plan->values[at] = plan->axes[axis].values[index];
}

static void fill(ss_cli_plan *plan)
{
    for (int run = 0; run < plan->count; run++) {
        int rest = run;
        for (int i = plan->n_axes - 1; i >= 0; i--) {
            int n = plan->axes[i].count;
            take(plan, run, i, plan->sample == SS_CLI_GRID ? rest % n : run);
            rest /= n;
        }
    }
}

/* Steele, Lea and Flood: SplitMix64. */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, 1). */
static double next_part(uint64_t *state)
{
    return (double)(next_number(state) >> 11) * 0x1p-53;
}

/* Each run gets another one of the parts of every range, by a random permutation, and a place in it. */
static bool draw(ss_cli_plan *plan)
{
    uint64_t state = plan->seed;
    int n = plan->count, *order = calloc((size_t)n, sizeof *order);
    if (!order)
        ss_cli_error("out of memory");
    for (int axis = 0; order && axis < plan->n_axes; axis++) {
        for (int i = 0; i < n; i++)
            order[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int k = (int)(next_part(&state) * (i + 1)), old = order[i];
            order[i] = order[k];
            order[k] = old;
        }
        for (int run = 0; run < n; run++) {
            size_t at = (size_t)run * (size_t)plan->n_axes + (size_t)axis;
            plan->indices[at] = -1;
            plan->values[at] =
                ss_cli_axis_at(&plan->axes[axis], (order[run] + next_part(&state)) / n);
        }
    }
    free(order);
    return order != NULL;
}

bool ss_cli_plan_read(ss_context *context, const ss_cli_arguments *arguments, ss_cli_plan *plan)
{
    *plan = (ss_cli_plan){0};
    if (!read_sample(arguments, plan) || !read_axes(context, arguments, plan) || !count_runs(plan))
        return false;
    size_t size = (size_t)plan->count * (size_t)plan->n_axes;
    plan->values = calloc(size, sizeof *plan->values);
    plan->indices = calloc(size, sizeof *plan->indices);
    if (!plan->values || !plan->indices) {
        ss_cli_error("out of memory");
        return false;
    }
    if (plan->sample == SS_CLI_LATIN)
        return draw(plan);
    fill(plan);
    return true;
}

void ss_cli_plan_release(ss_cli_plan *plan)
{
    for (int i = 0; i < plan->n_axes; i++)
        ss_cli_axis_release(&plan->axes[i]);
    free(plan->fixed);
    free(plan->values);
    free(plan->indices);
    *plan = (ss_cli_plan){0};
}

void ss_cli_plan_assign(const ss_cli_plan *plan, int run, int axis, size_t capacity, char *text)
{
    size_t at = (size_t)run * (size_t)plan->n_axes + (size_t)axis;
    ss_cli_axis_assign(&plan->axes[axis], plan->indices[at], plan->values[at], capacity, text);
}
