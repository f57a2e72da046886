/* progress.h: a bar with the time left, on a terminal. */
#ifndef SS_CLI_COMMANDS_PROGRESS_H
#define SS_CLI_COMMANDS_PROGRESS_H

#include <stdbool.h>

typedef struct ss_cli_progress {
    bool shown;             /* standard error is a terminal */
    bool drawn;             /* there is a bar to be wiped */
    double start, end;      /* of the simulated time, s */
    double began, drawn_at; /* wall time, s */
} ss_cli_progress;

/* Seconds of a clock that only runs forward. */
double ss_cli_clock(void);

void ss_cli_progress_begin(ss_cli_progress *progress, bool wanted, double start, double end);
void ss_cli_progress_update(ss_cli_progress *progress, double t);
/* Wipes the bar, so that something else can be printed. */
void ss_cli_progress_wipe(ss_cli_progress *progress);

#endif
