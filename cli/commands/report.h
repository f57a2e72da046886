/* report.h: a record in a few lines. */
#ifndef SS_CLI_COMMANDS_REPORT_H
#define SS_CLI_COMMANDS_REPORT_H

#include <stickslip/stickslip.h>

/* Prints time range, end state, switches, energies and solver statistics. seconds: wall time of
 * the run, negative when it is not known. */
ss_status ss_cli_report(ss_record *record, ss_context *context, const char *path, double seconds);

/* The last line: whether the run is trusted, or why not. */
void ss_cli_print_verdict(const ss_record *record);

/* The largest value of an expression over a record, at least 0; no number when one of them is none. */
ss_status ss_cli_largest(ss_record *record, ss_context *context, const char *expression,
                         double *most);

/* One line of the report: a label, then the text. */
void ss_cli_print_line(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* How many there are of each kind, in the order of their first. */
enum { SS_CLI_MOST_KINDS = 32 };
typedef struct ss_cli_kinds {
    int count;
    const char *words[SS_CLI_MOST_KINDS];
    int number[SS_CLI_MOST_KINDS];
} ss_cli_kinds;

void ss_cli_kinds_add(ss_cli_kinds *kinds, const char *kind);
/* One line, "shapes  1 plane, 64 sphere"; none when there are none. */
void ss_cli_kinds_print(const ss_cli_kinds *kinds, const char *label);

#endif
