/* dump.h: inclusions of a run as problem files. */
#ifndef STICKSLIP_CLI_DUMP_H
#define STICKSLIP_CLI_DUMP_H

#include "paths.h"
#include "session.h"

typedef struct ss_cli_dump {
    unsigned long every; /* steps; 0: nothing is written */
    char folder[SS_CLI_PATH];
    const char *title;
    unsigned long steps, written,
        other;    /* seen; written; whose inclusion is not the last one solved */
    bool refused; /* a block has no place in such a file; a message was printed */
    size_t room;
    double *P, *u;
} ss_cli_dump;

/* Parses "every=N". False: a message was printed. text NULL: nothing is to be written. */
bool ss_cli_dump_parse(const char *text, ss_cli_dump *dump);
/* Makes the folder NAME-inclusions beside the record. False: a message was printed. */
bool ss_cli_dump_begin(ss_cli_dump *dump, const char *record, const char *title);
/* Writes the inclusion of a step and its solution when it is due. Must see a step before anything
 * else changes the work. */
ss_status ss_cli_dump_observe(ss_cli_dump *dump, ss_cli_session *session, ss_simulation *simulation,
                              const ss_step *step);
/* Frees the memory; the folder is removed when it is empty. */
void ss_cli_dump_end(ss_cli_dump *dump, ss_cli_session *session);
/* Prints how many were written, and where. */
void ss_cli_print_dumped(const ss_cli_dump *dump);

#endif
