/* record_scene.h: the scene that a record was made from. */
#ifndef SS_CLI_COMMANDS_RECORD_SCENE_H
#define SS_CLI_COMMANDS_RECORD_SCENE_H

#include "commands/session.h"

/* until: another end of the run in s, or NULL. False: a message was printed. */
bool ss_cli_record_scene(ss_cli_session *session, const char *record, const char *until,
                         ss_scene **scene);

#endif
