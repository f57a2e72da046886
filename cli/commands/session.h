/* session.h: a context, and what it has to say. */
#ifndef SS_CLI_COMMANDS_SESSION_H
#define SS_CLI_COMMANDS_SESSION_H

#include "command.h"
#include "commands/progress.h"

#include <stickslip/stickslip.h>

typedef struct ss_cli_session {
    ss_context *context;
    ss_cli_progress progress;
    unsigned long warnings; /* seen so far */
} ss_cli_session;

/* threads: the value of --threads, NULL for one. False: a message was printed. */
bool ss_cli_session_begin(ss_cli_session *session, const char *threads);
void ss_cli_session_end(ss_cli_session *session);

/* Prints the context's message. */
void ss_cli_print_failure(const ss_cli_session *session);

#endif
