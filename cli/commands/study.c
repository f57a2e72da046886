/* study.c: computes a signal at one time by several schemes with several steps. */
#include "commands/study.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const ss_cli_point *ss_cli_study_points(const ss_cli_study *study, int scheme)
{
    return study->points + scheme * study->over.count;
}

/* The recorded state at a time. */
static ss_status find_state(ss_context *context, ss_record *record, const char *path, double at,
                            double *buffer, size_t *state)
{
    ss_text text = {"t", {0}};
    size_t count = ss_record_length(record), nearest = 0;
    SS_TRY(ss_record_evaluate(record, &text, buffer));
    for (size_t i = 0; i < count; i++)
        if (fabs(buffer[i] - at) < fabs(buffer[nearest] - at))
            nearest = i;
    if (count == 0 || fabs(buffer[nearest] - at) > 1e-9 * at)
        return ss_fail(context, SS_INPUT,
                       "record '%s' has no state at t = %.9g s; the nearest is at %.9g s", path, at,
                       count ? buffer[nearest] : (double)NAN);
    *state = nearest;
    return SS_OK;
}

static ss_status read_values(ss_cli_study *study, ss_record *record, const char *path,
                             const ss_cli_names *expressions, double *values)
{
    void *memory;
    size_t state = 0;
    ss_context *context = study->session->context;
    SS_TRY(ss_allocate(context, ss_record_length(record) + 1, sizeof(double), &memory));
    double *buffer = memory;
    ss_status status = find_state(context, record, path, study->at, buffer, &state);
    for (int i = 0; i < expressions->count && status == SS_OK; i++) {
        ss_text text = {expressions->items[i], {0}};
        status = ss_record_evaluate(record, &text, buffer);
        values[i] = buffer[state];
    }
    ss_release(context, memory);
    return status;
}

/* Values of expressions in a record at the time of the study. */
static ss_status measure(ss_cli_study *study, const char *path, const ss_cli_names *expressions,
                         double *values)
{
    ss_record *record;
    SS_TRY(ss_record_open(study->session->context, path, &record));
    ss_status status = read_values(study, record, path, expressions, values);
    ss_record_close(record);
    return status;
}

/* The largest difference of any signal. */
static void compare(const ss_cli_study *study, const double *reference, ss_cli_point *point)
{
    const double rounding = 1e3 * DBL_EPSILON;
    point->error = 0;
    point->floor = 0;
    for (int i = 0; i < study->signals.count; i++) {
        double value = point->values[i], size = fmax(fabs(value), fabs(reference[i]));
        double error = fabs(value - reference[i]);
        point->error = isnan(error) ? error : fmax(point->error, error);
        point->floor = fmax(point->floor, rounding * size);
    }
}

static ss_status take_run(ss_cli_study *study, const ss_cli_trial *trial, ss_cli_point *point,
                          double *values)
{
    point->cpu = trial->cpu;
    SS_TRY(measure(study, trial->record, &study->signals, values));
    point->values = values;
    if (study->kind == SS_CLI_RECORD)
        compare(study, study->reference, point);
    if (study->kind != SS_CLI_EXPRESSION)
        return SS_OK;
    SS_TRY(measure(study, trial->record, &study->references, study->reference));
    compare(study, study->reference, point);
    return SS_OK;
}

static ss_status run_one(ss_cli_study *study, int scheme, int step)
{
    char over[192], end[64], every[] = "record.every=1000000000";
    const char *settings[] = {over, end, every};
    int index = scheme * study->over.count + step;
    ss_cli_point *point = &study->points[index];
    ss_cli_trial trial = {.n_settings = 3, .settings = settings};
    *point =
        (ss_cli_point){.h = study->over.values[step], .error = (double)NAN, .cpu = (double)NAN};
    snprintf(over, sizeof over, "%s=%.17g", study->over.setting, point->h);
    snprintf(end, sizeof end, "simulation.end=%.17g", study->at);
    snprintf(trial.record, sizeof trial.record, "%.*s/run.h5", SS_CLI_PATH - 8,
             study->scratch.folder);
    SS_TRY(ss_cli_variants_run(&study->variants, scheme, study->session, study->arguments, &trial));
    if (trial.end != SS_CLI_ENDED) {
        snprintf(study->reasons[scheme], sizeof study->reasons[0], "%s", trial.reason);
        return SS_OK;
    }
    return take_run(study, &trial, point, study->values + index * study->signals.count);
}

/* The run with the smallest step that came to its end; -1: none. */
static int finest(const ss_cli_study *study, int scheme)
{
    int step = study->over.count - 1;
    while (step >= 0 && !ss_cli_study_points(study, scheme)[step].values)
        step--;
    return step;
}

static void compare_with_finest(ss_cli_study *study, int scheme)
{
    int last = finest(study, scheme);
    ss_cli_point *points = study->points + scheme * study->over.count;
    for (int i = 0; i < last; i++)
        if (points[i].values)
            compare(study, points[last].values, &points[i]);
}

static ss_status allocate(ss_cli_study *study)
{
    size_t signals = (size_t)study->signals.count;
    size_t runs = (size_t)study->variants.count * (size_t)study->over.count;
    study->values = calloc(runs * signals, sizeof *study->values);
    study->reference = calloc(signals, sizeof *study->reference);
    study->points = calloc(runs, sizeof *study->points);
    study->reasons = calloc((size_t)study->variants.count, sizeof *study->reasons);
    if (!study->values || !study->reference || !study->points || !study->reasons)
        return ss_fail(study->session->context, SS_MEMORY, "out of memory");
    return SS_OK;
}

ss_status ss_cli_study_begin(ss_cli_study *study)
{
    SS_TRY(allocate(study));
    if (study->kind != SS_CLI_RECORD)
        return SS_OK;
    return measure(study, study->references.items[0], &study->signals, study->reference);
}

ss_status ss_cli_study_run(ss_cli_study *study)
{
    for (int scheme = 0; scheme < study->variants.count; scheme++) {
        for (int step = 0; step < study->over.count; step++)
            SS_TRY(run_one(study, scheme, step));
        if (study->kind == SS_CLI_FINEST)
            compare_with_finest(study, scheme);
    }
    return SS_OK;
}

void ss_cli_study_release(ss_cli_study *study)
{
    free(study->values);
    free(study->reference);
    free(study->points);
    free(study->reasons);
    ss_cli_variants_release(&study->variants);
    ss_cli_names_release(&study->signals);
    ss_cli_names_release(&study->references);
}

double ss_cli_study_reference_step(const ss_cli_study *study, int scheme)
{
    int last = study->kind == SS_CLI_FINEST ? finest(study, scheme) : -1;
    return last >= 0 ? study->over.values[last] : 0;
}

size_t ss_cli_study_errors(const ss_cli_study *study, int scheme, ss_cli_error_at *errors)
{
    size_t count = 0;
    const ss_cli_point *points = ss_cli_study_points(study, scheme);
    for (int i = 0; i < study->over.count; i++)
        if (points[i].error > points[i].floor && isfinite(points[i].error))
            errors[count++] = (ss_cli_error_at){points[i].h, points[i].error};
    return count;
}
