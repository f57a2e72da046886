/* simulate.h: running a scene into a record: the common part of `run` and `resume`. */
#ifndef SS_CLI_COMMANDS_SIMULATE_H
#define SS_CLI_COMMANDS_SIMULATE_H

#include "commands/dump.h"
#include "commands/live.h"
#include "commands/session.h"

typedef struct ss_cli_job {
    ss_scene *scene;
    ss_recorder *recorder; /* is closed */
    const char *record;    /* path */
    bool quiet;            /* no progress, no summary */
    bool json;             /* the summary is JSON; no progress */
    bool plots;            /* draw the scene's plots */
    const char *format;    /* of the plots: "svg" or "png" */
    ss_cli_live *live;     /* draws the motion in the terminal; NULL: it is not */
    ss_cli_dump *dump;     /* inclusions are written; NULL: none */
    unsigned allowed;      /* doubts that do not fail the run (ss_doubt) */
} ss_cli_job;

/* Runs to the end, closes the record, draws the plots and prints the summary. Returns what to
 * exit with. */
int ss_cli_simulate(ss_cli_session *session, const ss_cli_job *job);

/* The doubts of --allow, "energy,growth". False: a message was printed. */
bool ss_cli_allowed(const ss_cli_arguments *arguments, unsigned *allowed);

/* The value of --format. False: a message was printed. */
bool ss_cli_plot_format(const ss_cli_arguments *arguments, const char **format);

#endif
