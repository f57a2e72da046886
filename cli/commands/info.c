/* info.c: stickslip info. */
#include "commands/report.h"
#include "commands/session.h"
#include "json.h"

#include <stdio.h>

static const ss_cli_option options[] = {
    {"events", 'e', NULL, NULL, "list every switch: time, law, from, to, impulse in N s"},
    {"columns", 'c', NULL, NULL, "list the columns, for plot and export, with their units"},
    {"scene", 0, NULL, NULL, "print the scene the record was made from"},
    {"json", 0, NULL, NULL, "print sizes, end, statistics and verdict as JSON"},
    {NULL},
};

static void print_events(const ss_record *record)
{
    size_t count = ss_record_event_count(record);
    for (size_t i = 0; i < count; i++) {
        ss_record_event e = ss_record_event_at(record, i);
        printf("%.17g\t%s\t%s\t%s\t%.17g\n", e.t, e.law, e.from, e.to, e.P);
    }
}

static void print_columns(const ss_record *record)
{
    size_t count = ss_record_column_count(record);
    for (size_t i = 0; i < count; i++)
        printf("%s\t%s\n", ss_record_column_name(record, i), ss_record_column_unit(record, i));
}

static void print_head(const ss_record *record)
{
    printf("%s, recorded by stickslip %s\n", ss_record_scene_name(record),
           ss_record_version(record));
    ss_cli_print_line("sizes", "%zu positions, %zu velocities, %d laws, %zu columns",
                      ss_record_position_count(record), ss_record_velocity_count(record),
                      ss_record_law_count(record), ss_record_column_count(record));
    int every = ss_record_every(record);
    ss_cli_print_line("states", "%zu, one every %d step%s", ss_record_length(record), every,
                      every == 1 ? "" : "s");
    int count = ss_record_parameter_count(record);
    for (int i = 0; i < count; i++)
        ss_cli_print_line(i ? "" : "parameters", "%-12s = %.9g",
                          ss_record_parameter_name(record, i),
                          ss_record_parameter_value(record, i));
}

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
    ss_cli_json_number(json, "unconverged", (double)s.unconverged);
    ss_cli_json_number(json, "too_fast", (double)s.too_fast);
    ss_cli_json_number(json, "certified", (double)s.certified);
    ss_cli_json_number(json, "uncertified", (double)s.uncertified);
    ss_cli_json_number(json, "violations", (double)s.violations);
    ss_cli_json_close(json, '}');
}

static void print_json(const ss_record *record)
{
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "name", ss_record_scene_name(record));
    ss_cli_json_text(&json, "version", ss_record_version(record));
    ss_cli_json_number(&json, "states", (double)ss_record_length(record));
    ss_cli_json_bool(&json, "finished", ss_record_finished(record));
    ss_cli_json_text(&json, "note", ss_record_note(record));
    write_statistics(record, &json);
    write_verdict(record, &json);
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

static ss_status print_record(ss_cli_session *session, const ss_cli_arguments *arguments,
                              ss_record *record)
{
    bool events = ss_cli_has(arguments, "events"), columns = ss_cli_has(arguments, "columns");
    bool scene = ss_cli_has(arguments, "scene");
    if (events)
        print_events(record);
    if (columns)
        print_columns(record);
    if (scene)
        fputs(ss_record_scene_text(record), stdout);
    if (ss_cli_has(arguments, "json"))
        print_json(record);
    if (events || columns || scene || ss_cli_has(arguments, "json"))
        return SS_OK;
    print_head(record);
    SS_TRY(ss_cli_report(record, session->context, arguments->operands[0], -1));
    ss_cli_print_verdict(record);
    return SS_OK;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_record *record;
    if (!ss_cli_count(&ss_cli_info, arguments, 1, 1) || !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    ss_status status = ss_record_open(session.context, arguments->operands[0], &record);
    if (status == SS_OK) {
        status = print_record(&session, arguments, record);
        ss_record_close(record);
    }
    if (status != SS_OK)
        ss_cli_print_failure(&session);
    ss_cli_session_end(&session);
    return status == SS_OK ? SS_CLI_DONE : SS_CLI_BAD_INPUT;
}

const ss_cli_command ss_cli_info = {
    .name = "info",
    .operands = "RECORD [--events] [--columns] [--scene] [--json]",
    .choices = "*.h5",
    .summary = "say what is in a record",
    .details = "Prints sizes, parameters, end state, energies, solver statistics and verdict of a "
               "record. --events, --columns\n"
               "and --scene print just that, ready for other programs (tab-separated); --json "
               "prints sizes, statistics\n"
               "and the verdict.",
    .examples = "  stickslip info woodpecker.h5\n"
                "  stickslip info woodpecker.h5 --events | grep beak\n"
                "  stickslip info woodpecker.h5 --scene > again.yaml\n"
                "  stickslip info woodpecker.h5 --json | jq .verdict.trusted\n",
    .options = options,
    .run = run,
};
