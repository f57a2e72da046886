/* report_json.h: a record in a few lines, for programs. */
#ifndef SS_CLI_COMMANDS_REPORT_JSON_H
#define SS_CLI_COMMANDS_REPORT_JSON_H

#include "figures/plots.h"

/* Prints one object: what ss_cli_report and ss_cli_print_verdict say. seconds: wall time of the run, negative when it is not
 * known. drawn may be NULL. */
ss_status ss_cli_report_json(ss_record *record, ss_context *context, const char *path,
                             double seconds, const ss_cli_drawn *drawn);

#endif
