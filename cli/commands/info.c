/* info.c: stickslip info. */
#include "commands/report.h"
#include "commands/report_json.h"
#include "commands/session.h"

#include <stdio.h>

static const ss_cli_option options[] = {
    {"events", 'e', NULL, NULL, "list every switch: time, law, from, to, impulse in N s"},
    {"columns", 'c', NULL, NULL, "list the columns, for plot and export, with their units"},
    {"scene", 0, NULL, NULL, "print the scene the record was made from"},
    {"json", 0, NULL, NULL, "print sizes, end, energies, statistics and verdict as JSON"},
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
        return ss_cli_report_json(record, session->context, arguments->operands[0], -1, NULL);
    if (events || columns || scene)
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
               "prints the whole as JSON, but\n"
               "for these lists.",
    .examples = "  stickslip info woodpecker.h5\n"
                "  stickslip info woodpecker.h5 --events | grep beak\n"
                "  stickslip info woodpecker.h5 --scene > again.yaml\n"
                "  stickslip info woodpecker.h5 --json | jq .verdict.trusted\n",
    .options = options,
    .run = run,
};
