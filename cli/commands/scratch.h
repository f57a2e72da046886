/* scratch.h: a folder for what other programs leave behind. */
#ifndef SS_CLI_COMMANDS_SCRATCH_H
#define SS_CLI_COMMANDS_SCRATCH_H

#include "commands/paths.h"

typedef struct ss_cli_scratch {
    char folder[SS_CLI_PATH];
    char output[SS_CLI_PATH + 16];     /* for the standard output of a program */
    char complaints[SS_CLI_PATH + 16]; /* for its messages */
} ss_cli_scratch;

/* False: a message was printed. */
bool ss_cli_scratch_make(ss_cli_scratch *scratch);
/* With everything in it. */
void ss_cli_scratch_remove(const ss_cli_scratch *scratch);

/* Prints that a program failed, with the last line of its messages. */
void ss_cli_scratch_explain(const ss_cli_scratch *scratch, const char *program);

/* False: errno says why. */
bool ss_cli_copy_file(const char *from, const char *to);

#endif
