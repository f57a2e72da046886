/* runs.h: the runs of a sweep and what came of them. */
#ifndef SS_CLI_STUDIES_RUNS_H
#define SS_CLI_STUDIES_RUNS_H

#include "commands/paths.h"
#include "commands/session.h"
#include "studies/plan.h"
#include "studies/result.h"
#include "table.h"

typedef enum ss_cli_run_end {
    SS_CLI_RUN_MISSING, /* not run yet */
    SS_CLI_RUN_TRUSTED,
    SS_CLI_RUN_DOUBTFUL, /* it came to its end, and is not trusted */
    SS_CLI_RUN_BROKEN,   /* it did not come to its end */
    SS_CLI_RUN_REFUSED,  /* before its first step */
    SS_CLI_RUN_CRASHED,  /* its process did not come to its end */
    SS_CLI_RUN_ENDS
} ss_cli_run_end;

typedef struct ss_cli_run_outcome {
    ss_cli_run_end end;
    double t; /* s, where it ended */
    double steps, events;
    double *values; /* of the results */
    char *reason;   /* "" when it is trusted */
} ss_cli_run_outcome;

typedef struct ss_cli_runs {
    const ss_cli_arguments *arguments;
    ss_cli_plan plan;
    ss_cli_results results;
    unsigned allowed;             /* doubts */
    char records[SS_CLI_PATH];    /* the folder of records */
    bool keep;                    /* they stay */
    ss_cli_run_outcome *outcomes; /* by runs */
    double *values;               /* memory of all values */
} ss_cli_runs;

/* "trusted", "not trusted", "failed", "refused", "crashed" */
const char *ss_cli_run_end_name(ss_cli_run_end end);

/* Memory for the outcomes. False: a message was printed. */
bool ss_cli_runs_reserve(ss_cli_runs *runs);
void ss_cli_runs_release(ss_cli_runs *runs);
/* The scene with the values of a run; prints nothing. */
ss_status ss_cli_runs_load(const ss_cli_runs *runs, ss_cli_session *session, int run,
                           ss_scene **scene);
/* Runs it and writes what comes of it, one line. */
void ss_cli_runs_work(const ss_cli_runs *runs, int run, FILE *out);
/* Takes such a line; false: it is none. */
bool ss_cli_runs_take(ss_cli_runs *runs, int run, const char *line);
/* A run whose process crashed. */
void ss_cli_runs_crash(ss_cli_runs *runs, int run, const char *reason);
/* How many ended so. */
int ss_cli_runs_count(const ss_cli_runs *runs, ss_cli_run_end end);

/* The table: number, values, results, end, steps, events, verdict, reason. Release with ss_cli_table_release. */
void ss_cli_runs_tabulate(const ss_cli_runs *runs, ss_cli_table *table);
/* The same as HDF5. False: a message was printed. */
bool ss_cli_runs_write_hdf5(const ss_cli_runs *runs, const char *scene, const char *file);

#endif
