/* load.h: a scene from the command line. */
#ifndef SS_CLI_COMMANDS_LOAD_H
#define SS_CLI_COMMANDS_LOAD_H

#include "commands/session.h"

/* The scene operands[0] with the parameters in the other operands and the settings of --set.
 * False: a message was printed. */
bool ss_cli_load(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene **scene);

/* Settings beside those of --set. */
typedef struct ss_cli_changes {
    int n_before;
    const char *const *before; /* applied before them */
    int n_after;
    const char *const *after; /* applied after them */
} ss_cli_changes;

/* The same with other settings; prints nothing. changes may be NULL. */
ss_status ss_cli_load_changed(ss_cli_session *session, const ss_cli_arguments *arguments,
                              const ss_cli_changes *changes, ss_scene **scene);

#endif
