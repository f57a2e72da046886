/* vtk.h: a record as files for ParaView. */
#ifndef SS_CLI_EXPORT_VTK_H
#define SS_CLI_EXPORT_VTK_H

#include "commands/session.h"

/* Writes FOLDER/NAME.pvd, and for each recorded state the bodies, the spheres and the contacts. False: a message was
 * printed. */
bool ss_cli_vtk(ss_cli_session *session, ss_record *record, const char *folder, const char *name);

#endif
