/* study.h: a signal at one time, computed by several schemes with several steps. */
#ifndef SS_CLI_COMMANDS_STUDY_H
#define SS_CLI_COMMANDS_STUDY_H

#include "commands/order.h"
#include "commands/over.h"
#include "commands/scratch.h"
#include "commands/variants.h"
#include "names.h"

typedef enum ss_cli_reference {
    SS_CLI_FINEST,     /* the run of the same scheme with the smallest step */
    SS_CLI_EXPRESSION, /* of time, parameters and columns, one for each signal */
    SS_CLI_RECORD,     /* a record that has a state at that time */
} ss_cli_reference;

/* One run. */
typedef struct ss_cli_point {
    double h, error; /* NaN: there is none */
    double floor;    /* errors below this are rounding */
    double cpu;
    const double *values; /* of the signals */
} ss_cli_point;

typedef struct ss_cli_study {
    ss_cli_session *session;
    const ss_cli_arguments *arguments;
    ss_cli_scratch scratch;
    double at; /* s */
    ss_cli_over over;
    ss_cli_variants variants;
    ss_cli_names signals, references;
    ss_cli_reference kind;

    double *values, *reference; /* of all runs, of the reference record: memory */
    ss_cli_point *points;       /* scheme by scheme, each with all steps */
    char (*reasons)[512];       /* why a variant was refused or its last run broken; "" */
} ss_cli_study;

/* Reads the reference record, if there is one. */
ss_status ss_cli_study_begin(ss_cli_study *study);
/* Runs everything; errors are left in the points. */
ss_status ss_cli_study_run(ss_cli_study *study);
void ss_cli_study_release(ss_cli_study *study);

/* The points of a scheme. */
const ss_cli_point *ss_cli_study_points(const ss_cli_study *study, int scheme);
/* The step of the run that errors refer to; 0 when the reference is exact. */
double ss_cli_study_reference_step(const ss_cli_study *study, int scheme);
/* The errors of a scheme that are above rounding; returns how many. */
size_t ss_cli_study_errors(const ss_cli_study *study, int scheme, ss_cli_error_at *errors);

#endif
