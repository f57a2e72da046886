/* trial.h: a scene run once with other settings, and what came of it. */
#ifndef SS_CLI_COMMANDS_TRIAL_H
#define SS_CLI_COMMANDS_TRIAL_H

#include "commands/load.h"
#include "commands/paths.h"

typedef enum ss_cli_trial_end {
    SS_CLI_REFUSED, /* the scheme cannot treat the scene, or a setting is wrong */
    SS_CLI_BROKEN,  /* the run failed on its way; its record goes up to there */
    SS_CLI_ENDED,
} ss_cli_trial_end;

typedef struct ss_cli_trial {
    const char *name; /* for lists and pictures */
    int n_before, n_settings;
    const char *const *before;   /* settings before those of --set */
    const char *const *settings; /* after those of --set */
    char record[SS_CLI_PATH];    /* where to write */
    bool plain;                  /* drift, balance and processor time are not measured */

    ss_cli_trial_end end;
    char reason[512]; /* why it was refused or broken */
    double t;         /* s, where the run ended */
    double drift;     /* m, worst over all steps; NaN when no law has a distance */
    double balance;   /* J, worst error of the energy balance over the recorded states */
    double cpu;       /* s, of the steps alone */
    double *q;        /* positions at the end, n_q of the scene; NULL: not wanted */
    ss_statistics sums;
} ss_cli_trial;

/* Runs it. A refused or broken trial is no failure; the status is for signals (SS_STOPPED) and for
 * faults around it. */
ss_status ss_cli_trial_run(ss_cli_session *session, const ss_cli_arguments *arguments,
                           ss_cli_trial *trial);

#endif
