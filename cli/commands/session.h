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

/* Reads --threads; loads the plugins of --plugin and of STICKSLIP_PLUGINS in the environment where the command has that
 * option. False: a message was printed. */
bool ss_cli_session_begin(ss_cli_session *session, const ss_cli_arguments *arguments);
void ss_cli_session_end(ss_cli_session *session);

/* Prints the context's message. */
void ss_cli_print_failure(const ss_cli_session *session);

#endif
