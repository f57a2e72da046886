/* orbit.h: the points at which a motion passes a Poincaré section. */
#ifndef SS_CLI_STUDIES_ORBIT_H
#define SS_CLI_STUDIES_ORBIT_H

#include "command.h"
#include "commands/session.h"

typedef enum ss_cli_section_kind {
    SS_CLI_BY_PERIOD,
    SS_CLI_BY_EVENT,
    SS_CLI_BY_EXPRESSION
} ss_cli_section_kind;

typedef struct ss_cli_section {
    ss_cli_section_kind kind;
    const char *period; /* expression of parameters; NULL: none */
    const char *text;   /* of --section; NULL: none */
    int law;            /* of an event */
    bool constraint;    /* the event is that it becomes a constraint */
    const char *expression;
    int sign;         /* of the slope with which it passes zero; 0: both */
    int points, skip; /* points of a motion, and how many of the first are left out */
    int n_signals;
    const char *signals[32];
} ss_cli_section;

/* --period, --section, --points, --skip and --signal, checked with a model. Without --signal all positions and velocities
 * whose names the model keeps in `names`. False: a message was printed. */
bool ss_cli_section_read(const ss_cli_arguments *arguments, const ss_model *model,
                         ss_cli_section *section);
void ss_cli_section_release(ss_cli_section *section);

/* Where a motion begins: phase in [0, 1) of the period, positions, velocities. */
typedef struct ss_cli_start {
    bool given;
    double phase;
    double *q, *u; /* memory for them */
} ss_cli_start;

typedef struct ss_cli_orbit {
    const ss_cli_section *section;
    int points;      /* that were found behind the first ones */
    double exponent; /* largest Lyapunov exponent, 1/s; NaN: not asked for */
    double *values;  /* time and signals of each; memory for (points - skip) (1 + n_signals) */
} ss_cli_orbit;

/* Runs a scene to its last point, or to its end. `start` receives where it ended. `nearby` is the same scene loaded once
 * more when the exponent is asked for, else NULL. */
ss_status ss_cli_orbit_run(ss_scene *scene, ss_scene *nearby, ss_cli_start *start,
                           ss_cli_orbit *orbit);

#endif
