/* runs_table.c: the table of a sweep, for people, as comma-separated values and as HDF5. */
#include "studies/runs.h"

#include <hdf5.h>
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

/* Without the time of the day, so that equal tables are equal files. */
static hid_t create_set(hid_t file, const char *name, hid_t type, hid_t space)
{
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(plist, false);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Pclose(plist);
    return set;
}

static bool write_texts(hid_t file, const char *name, size_t count, const char *const *texts)
{
    hsize_t size = count;
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &size, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    hid_t set = create_set(file, name, type, space);
    bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, (void *)texts) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool write_numbers(hid_t file, const char *name, size_t rows, size_t columns,
                          const double *values)
{
    hsize_t sizes[2] = {rows, columns};
    hid_t space = H5Screate_simple(2, sizes, NULL);
    hid_t set = create_set(file, name, H5T_IEEE_F64LE, space);
    bool good =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    return good;
}

static bool write_parameters(const ss_cli_plan *plan, hid_t file)
{
    size_t count = (size_t)plan->n_axes, runs = (size_t)plan->count;
    const char *names[SS_CLI_AXES];
    for (size_t i = 0; i < count; i++)
        names[i] = plan->axes[i].name;
    if (!write_texts(file, "parameter_names", count, names) ||
        !write_numbers(file, "parameters", runs, count, plan->values))
        return false;
    for (int i = 0; i < plan->n_axes; i++) {
        char name[32];
        const ss_cli_axis *axis = &plan->axes[i];
        snprintf(name, sizeof name, "words_%d", i);
        if (axis->words &&
            !write_texts(file, name, (size_t)axis->count, (const char *const *)axis->texts.items))
            return false;
    }
    return true;
}

static bool write_results(const ss_cli_runs *runs, hid_t file)
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
    bool good = values && write_texts(file, "result_names", count + TAIL, names) &&
                write_numbers(file, "results", n, count + TAIL, values);
    free(values);
    return good;
}

static bool write_ends(const ss_cli_runs *runs, hid_t file)
{
    size_t n = (size_t)runs->plan.count;
    const char **texts = calloc(2 * n, sizeof *texts);
    for (size_t run = 0; texts && run < n; run++) {
        texts[run] = ss_cli_run_end_name(runs->outcomes[run].end);
        texts[n + run] = runs->outcomes[run].reason ? runs->outcomes[run].reason : "";
    }
    bool good = texts && write_texts(file, "verdict", n, texts) &&
                write_texts(file, "reason", n, texts + n);
    free(texts);
    return good;
}

bool ss_cli_runs_write_hdf5(const ss_cli_runs *runs, const char *scene, const char *file)
{
    char part[SS_CLI_PATH + 8];
    snprintf(part, sizeof part, "%s.part", file);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t out = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = out >= 0 && write_parameters(&runs->plan, out) && write_results(runs, out) &&
                write_ends(runs, out) && write_texts(out, "scene", 1, &scene);
    if (out >= 0)
        good = H5Fclose(out) >= 0 && good;
    good = good && rename(part, file) == 0;
    if (!good) {
        remove(part);
        ss_cli_error("cannot write '%s'", file);
    }
    return good;
}
