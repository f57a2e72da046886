/* vtk.h: a record as files for ParaView. */
#ifndef STICKSLIP_CLI_VTK_H
#define STICKSLIP_CLI_VTK_H

#include "session.h"

/* Writes FOLDER/NAME.pvd, and for each recorded state the bodies, the spheres and the touches. False: a message was
 * printed. */
bool ss_cli_vtk(ss_cli_session *session, ss_record *record, const char *folder, const char *name);

#endif
