/* interrupt.h: Ctrl-C and TERM end a run, not the program. */
#ifndef SS_CLI_COMMANDS_INTERRUPT_H
#define SS_CLI_COMMANDS_INTERRUPT_H

/* From here on the first INT, TERM or HUP is only noted; a second one ends the program at once. */
void ss_cli_watch_signals(void);
/* The signal that was noted, or 0. */
int ss_cli_signal(void);

#endif
