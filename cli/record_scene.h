/* record_scene.h: the scene that a record was made from. */
#ifndef STICKSLIP_CLI_RECORD_SCENE_H
#define STICKSLIP_CLI_RECORD_SCENE_H

#include "session.h"

/* until: another end of the run in s, or NULL. False: a message was printed. */
bool ss_cli_record_scene(ss_cli_session *session, const char *record, const char *until,
                         ss_scene **scene);

#endif
