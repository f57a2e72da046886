/* pool.h: work in several processes at once. */
#ifndef SS_CLI_STUDIES_POOL_H
#define SS_CLI_STUDIES_POOL_H

#include "command.h"

#include <stdio.h>

typedef struct ss_cli_pool {
    int jobs;  /* processes at a time, >= 1 */
    int count; /* pieces of work */
    void *user;
    /* Whether a piece is still to be done. NULL: all are. */
    bool (*wanted)(void *user, int index);
    /* In a process of its own: writes what comes of it. What it prints to standard error is lost. */
    void (*work)(void *user, int index, FILE *out);
    /* In this process, as the pieces end: what was written; `crash` says how the process ended, NULL: well. False ends
     * it all. */
    bool (*take)(void *user, int index, const char *text, const char *crash);
} ss_cli_pool;

/* --jobs, or as many as there are processors. False: a message was printed. */
bool ss_cli_jobs(const ss_cli_arguments *arguments, int *jobs);
/* False: a signal (ss_cli_signal), `take` said so, or a message was printed. What runs then is ended. */
bool ss_cli_pool_run(const ss_cli_pool *pool);

#endif
