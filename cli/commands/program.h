/* program.h: running other programs. */
#ifndef SS_CLI_COMMANDS_PROGRAM_H
#define SS_CLI_COMMANDS_PROGRAM_H

#include <stdbool.h>

typedef enum ss_cli_outcome {
    SS_CLI_RAN,     /* it exited with 0 */
    SS_CLI_BROKE,   /* it did not */
    SS_CLI_MISSING, /* there is no such program */
} ss_cli_outcome;

/* Runs words[0] with the words as arguments (the last is NULL) and waits for it. Its standard output goes to the
 * file `output`, what it complains about to `complaints`. */
ss_cli_outcome ss_cli_run_program(const char *const *words, const char *output,
                                  const char *complaints);

#endif
