/* interrupt.h: Ctrl-C and TERM end a run, not the program. */
#ifndef SS_CLI_COMMANDS_INTERRUPT_H
#define SS_CLI_COMMANDS_INTERRUPT_H

#include <signal.h>

/* From here on the first INT, TERM or HUP is only noted; a second one ends the program at once. */
void ss_cli_watch_signals(void);
/* Where it is noted, for a context. */
const volatile sig_atomic_t *ss_cli_signal_place(void);
/* The signal that was noted, or 0. */
int ss_cli_signal(void);

#endif
