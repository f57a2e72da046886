/* runs_table.c: the table of a sweep, for people, as comma-separated values and as HDF5. */
#include "studies/runs.h"
#include "studies/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAIL = 3 }; /* end, steps, events */

static const char *const tail_names[TAIL] = {"end/s", "steps", "events"};

static double tail_value(const ss_cli_run_outcome *outcome, int i)
{
    bool known = outcome->end != SS_CLI_RUN_MISSING && outcome->end != SS_CLI_RUN_REFUSED &&
                 outcome->end != SS_CLI_RUN_CRASHED;
    const double values[TAIL] = {outcome->t, outcome->steps, outcome->events};
    return known ? values[i] : (double)NAN;
}

static void add_value(const ss_cli_plan *plan, int run, int axis, ss_cli_table *table)
{
    size_t at = (size_t)run * (size_t)plan->n_axes + (size_t)axis;
    if (plan->axes[axis].words)
        ss_cli_table_text(table, plan->axes[axis].texts.items[plan->indices[at]]);
    else
        ss_cli_table_number(table, "%.6g", plan->values[at]);
}

void ss_cli_runs_tabulate(const ss_cli_runs *runs, ss_cli_table *table)
{
    const ss_cli_plan *plan = &runs->plan;
    ss_cli_table_begin(table, 1 + plan->n_axes + runs->results.count + TAIL + 2);
    ss_cli_table_text(table, "run");
    for (int i = 0; i < plan->n_axes; i++)
        ss_cli_table_text(table, plan->axes[i].name);
    for (int i = 0; i < runs->results.count; i++)
        ss_cli_table_text(table, runs->results.items[i].name);
    for (int i = 0; i < TAIL; i++)
        ss_cli_table_text(table, tail_names[i]);
    ss_cli_table_text(table, "verdict");
    ss_cli_table_text(table, "reason");
    for (int run = 0; run < plan->count; run++) {
        const ss_cli_run_outcome *outcome = &runs->outcomes[run];
        ss_cli_table_number(table, "%.0f", run);
        for (int i = 0; i < plan->n_axes; i++)
            add_value(plan, run, i, table);
        for (int i = 0; i < runs->results.count; i++)
            ss_cli_table_number(table, "%.6g", outcome->values[i]);
        for (int i = 0; i < TAIL; i++)
            ss_cli_table_number(table, i == 0 ? "%.6g" : "%.0f", tail_value(outcome, i));
        ss_cli_table_text(table, ss_cli_run_end_name(outcome->end));
        ss_cli_table_text(table, outcome->reason ? outcome->reason : "");
    }
}

/* ---- HDF5 ---- */

static bool write_parameters(const ss_cli_plan *plan, ss_cli_store *file)
{
    size_t count = (size_t)plan->n_axes, runs = (size_t)plan->count;
    const char *names[SS_CLI_AXES];
    for (size_t i = 0; i < count; i++)
        names[i] = plan->axes[i].name;
    if (!ss_cli_store_texts(file, "parameter_names", count, names) ||
        !ss_cli_store_numbers(file, "parameters", runs, count, plan->values))
        return false;
    for (int i = 0; i < plan->n_axes; i++) {
        char name[32];
        const ss_cli_axis *axis = &plan->axes[i];
        snprintf(name, sizeof name, "words_%d", i);
        if (axis->words && !ss_cli_store_texts(file, name, (size_t)axis->count,
                                               (const char *const *)axis->texts.items))
            return false;
    }
    return true;
}

static bool write_results(const ss_cli_runs *runs, ss_cli_store *file)
{
    size_t count = (size_t)runs->results.count, n = (size_t)runs->plan.count;
    const char *names[SS_CLI_RESULTS + TAIL];
    double *values = calloc(n * (count + TAIL), sizeof *values);
    for (size_t i = 0; i < count + TAIL; i++)
        names[i] = i < count ? runs->results.items[i].name : tail_names[i - count];
    for (size_t run = 0; values && run < n; run++)
        for (size_t i = 0; i < count + TAIL; i++)
            values[run * (count + TAIL) + i] =
                i < count ? runs->outcomes[run].values[i]
                          : tail_value(&runs->outcomes[run], (int)(i - count));
    bool good = values && ss_cli_store_texts(file, "result_names", count + TAIL, names) &&
                ss_cli_store_numbers(file, "results", n, count + TAIL, values);
    free(values);
    return good;
}

static bool write_ends(const ss_cli_runs *runs, ss_cli_store *file)
{
    size_t n = (size_t)runs->plan.count;
    const char **texts = calloc(2 * n, sizeof *texts);
    for (size_t run = 0; texts && run < n; run++) {
        texts[run] = ss_cli_run_end_name(runs->outcomes[run].end);
        texts[n + run] = runs->outcomes[run].reason ? runs->outcomes[run].reason : "";
    }
    bool good = texts && ss_cli_store_texts(file, "verdict", n, texts) &&
                ss_cli_store_texts(file, "reason", n, texts + n);
    free(texts);
    return good;
}

bool ss_cli_runs_write_hdf5(const ss_cli_runs *runs, const char *scene, const char *file)
{
    ss_cli_store out;
    bool good = ss_cli_store_open(file, &out) && write_parameters(&runs->plan, &out) &&
                write_results(runs, &out) && write_ends(runs, &out) &&
                ss_cli_store_texts(&out, "scene", 1, &scene);
    return ss_cli_store_close(&out, good);
}
