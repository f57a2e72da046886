/* report_json.c: prints a record in a few lines of JSON. */
#include "commands/report_json.h"

#include "json.h"

#include <string.h>

static void write_verdict(const ss_record *record, ss_cli_json *json)
{
    ss_verdict verdict = ss_record_verdict(record);
    ss_cli_json_open(json, "verdict", '{');
    ss_cli_json_bool(json, "trusted", verdict.doubts == 0);
    ss_cli_json_open(json, "doubts", '[');
    for (int i = 0; ss_doubt_name(i); i++)
        if (verdict.doubts & (unsigned)ss_doubt_at(i))
            ss_cli_json_text(json, NULL, ss_doubt_name(i));
    ss_cli_json_close(json, ']');
    ss_cli_json_text(json, "text", verdict.text);
    ss_cli_json_close(json, '}');
}

static void write_statistics(const ss_record *record, ss_cli_json *json)
{
    ss_statistics s = ss_record_statistics(record);
    ss_cli_json_open(json, "statistics", '{');
    ss_cli_json_number(json, "steps", (double)s.steps);
    ss_cli_json_number(json, "iterations", (double)s.iterations);
    ss_cli_json_number(json, "failures", (double)s.failures);
    ss_cli_json_number(json, "switches", (double)s.switches);
    ss_cli_json_number(json, "worst_residual", s.worst_residual);
    ss_cli_json_number(json, "indeterminate", (double)s.indeterminate);
    ss_cli_json_number(json, "tries", (double)s.tries);
    ss_cli_json_number(json, "max_iterations", (double)s.max_iterations);
    ss_cli_json_number(json, "gains", (double)s.gains);
    ss_cli_json_number(json, "unconverged", (double)s.unconverged);
    ss_cli_json_number(json, "too_fast", (double)s.too_fast);
    ss_cli_json_number(json, "certified", (double)s.certified);
    ss_cli_json_number(json, "uncertified", (double)s.uncertified);
    ss_cli_json_number(json, "violations", (double)s.violations);
    ss_cli_json_close(json, '}');
}

/* Columns of the last state from `first` on, by their names. */
static void write_columns(const ss_record *record, const double *values, size_t first, size_t count,
                          ss_cli_json *json)
{
    for (size_t i = first; i < first + count; i++)
        ss_cli_json_number(json, ss_record_column_name(record, i), values[i]);
}

/* Time, positions, velocities and energies of the last state. */
static void write_end(const ss_record *record, const double *values, ss_cli_json *json)
{
    static const char energy[] = "energy.";
    enum { T_AND_DT = 2 };
    size_t n = ss_record_position_count(record) + ss_record_velocity_count(record);
    ss_cli_json_number(json, "t", values[0]);
    ss_cli_json_open(json, "end_state", '{');
    write_columns(record, values, T_AND_DT, n, json);
    ss_cli_json_close(json, '}');
    ss_cli_json_open(json, "energy", '{');
    for (size_t i = 0; i < ss_record_column_count(record); i++) {
        const char *name = ss_record_column_name(record, i);
        if (strncmp(name, energy, sizeof energy - 1) == 0)
            ss_cli_json_number(json, name + sizeof energy - 1, values[i]);
    }
    ss_cli_json_close(json, '}');
}

static void write_parameters(const ss_record *record, ss_cli_json *json)
{
    ss_cli_json_open(json, "parameters", '{');
    for (int i = 0; i < ss_record_parameter_count(record); i++)
        ss_cli_json_number(json, ss_record_parameter_name(record, i),
                           ss_record_parameter_value(record, i));
    ss_cli_json_close(json, '}');
}

static void write_all(const ss_record *record, const double *end, const char *path, double seconds,
                      const ss_cli_drawn *drawn)
{
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "name", ss_record_scene_name(record));
    ss_cli_json_text(&json, "version", ss_record_version(record));
    ss_cli_json_text(&json, "record", path);
    if (seconds >= 0)
        ss_cli_json_number(&json, "seconds", seconds);
    ss_cli_json_number(&json, "states", (double)ss_record_length(record));
    ss_cli_json_number(&json, "events", (double)ss_record_event_count(record));
    ss_cli_json_bool(&json, "finished", ss_record_finished(record));
    ss_cli_json_text(&json, "note", ss_record_note(record));
    write_parameters(record, &json);
    if (end)
        write_end(record, end, &json);
    write_statistics(record, &json);
    write_verdict(record, &json);
    if (drawn)
        ss_cli_json_text(&json, "plots", drawn->count > 0 ? drawn->folder : "");
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

ss_status ss_cli_report_json(ss_record *record, ss_context *context, const char *path,
                             double seconds, const ss_cli_drawn *drawn)
{
    size_t length = ss_record_length(record);
    void *memory;
    SS_TRY(ss_allocate(context, ss_record_column_count(record) + 1, sizeof(double), &memory));
    ss_status status = length > 0 ? ss_record_row(record, length - 1, memory) : SS_OK;
    if (status == SS_OK)
        write_all(record, length > 0 ? memory : NULL, path, seconds, drawn);
    ss_release(context, memory);
    return status;
}
