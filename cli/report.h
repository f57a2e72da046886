/* report.h: a record in a few lines. */
#ifndef STICKSLIP_CLI_REPORT_H
#define STICKSLIP_CLI_REPORT_H

#include <stickslip/stickslip.h>

/* Prints time range, end state, switches, energies and solver statistics. seconds: wall time of
 * the run, negative when it is not known. */
ss_status ss_cli_report(ss_record *record, ss_context *context, const char *path, double seconds);

/* One line of the report: a label, then the text. */
void ss_cli_print_line(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
