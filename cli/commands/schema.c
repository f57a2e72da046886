/* schema.c: stickslip schema. */
#include "commands/session.h"

#include <stdio.h>

static const ss_cli_option options[] = {{NULL}};

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    char *schema;
    if (!ss_cli_count(&ss_cli_schema, arguments, 0, 0) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    ss_status status = ss_scene_schema(session.context, &schema);
    if (status == SS_OK) {
        puts(schema);
        ss_release(session.context, schema);
    } else {
        ss_cli_print_failure(&session);
    }
    ss_cli_session_end(&session);
    return status == SS_OK ? SS_CLI_DONE : SS_CLI_FAILED;
}

const ss_cli_command ss_cli_schema = {
    .name = "schema",
    .operands = "",
    .choices = NULL,
    .summary = "print the JSON Schema of scene files",
    .details = "Prints the JSON Schema of scene files, made from the types that are built in. "
               "Editors use it to\n"
               "complete and check scenes while they are written.",
    .examples = "  stickslip schema > scene.schema.json\n",
    .options = options,
    .run = run,
};
