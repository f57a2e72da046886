/* load.h: a scene from the command line. */
#ifndef STICKSLIP_CLI_LOAD_H
#define STICKSLIP_CLI_LOAD_H

#include "session.h"

/* The scene operands[0] with the parameters in the other operands and the settings of --set. False: a message
 * was printed. */
bool ss_cli_load(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene **scene);

#endif
