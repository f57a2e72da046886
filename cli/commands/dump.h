/* dump.h: inclusions of a run as problem files. */
#ifndef SS_CLI_COMMANDS_DUMP_H
#define SS_CLI_COMMANDS_DUMP_H

#include "commands/paths.h"
#include "commands/session.h"

typedef struct ss_cli_dump {
    unsigned long every; /* steps; 0: nothing is written */
    char folder[SS_CLI_PATH];
    ss_cli_session *session;
    ss_simulation *simulation;
    const char *title;
    unsigned long steps, in_step, written; /* done; inclusions of this one; of all */
    bool refused; /* a block has no place in such a file; a message was printed */
} ss_cli_dump;

/* Parses "every=N". False: a message was printed. text NULL: nothing is to be written. */
bool ss_cli_dump_parse(const char *text, ss_cli_dump *dump);
/* Makes the folder NAME-inclusions beside the record and watches what the simulation solves. False: a
 * message was printed. */
bool ss_cli_dump_begin(ss_cli_dump *dump, ss_cli_session *session, ss_scene *scene,
                       const char *record);
/* A step is done. */
void ss_cli_dump_next_step(ss_cli_dump *dump);
/* Looks away; the folder is removed when it is empty. */
void ss_cli_dump_end(ss_cli_dump *dump);
/* Prints how many were written, and where. */
void ss_cli_print_dumped(const ss_cli_dump *dump);

#endif
