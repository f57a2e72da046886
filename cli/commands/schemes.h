/* schemes.h: the schemes that a command is to try. */
#ifndef SS_CLI_COMMANDS_SCHEMES_H
#define SS_CLI_COMMANDS_SCHEMES_H

#include "commands/session.h"
#include "names.h"

/* Those of --schemes, or all that are registered. False: one does not exist; a message was printed.
 * Release in any case. */
bool ss_cli_schemes(ss_cli_session *session, const ss_cli_arguments *arguments,
                    ss_cli_names *schemes);

#endif
