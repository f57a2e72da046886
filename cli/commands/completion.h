/* completion.h: scripts for shells, made from the tables of commands and options. */
#ifndef SS_CLI_COMMANDS_COMPLETION_H
#define SS_CLI_COMMANDS_COMPLETION_H

#include "command.h"

void ss_cli_complete_bash(void);
void ss_cli_complete_zsh(void);
void ss_cli_complete_fish(void);

/* Whether choices are a pattern of file names, "*.h5" or "*". */
bool ss_cli_completes_files(const char *choices);
/* Whether choices are a list with commas between its words, "@scheme,". */
bool ss_cli_completes_lists(const char *choices);
/* "svg|png" → "svg png", "@solver" → the names of all solvers */
void ss_cli_print_names(const char *choices);

#endif
