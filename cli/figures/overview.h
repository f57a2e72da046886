/* overview.h: what schemes do, in one picture: drift, energy error, order and cost beside each other. */
#ifndef SS_CLI_FIGURES_OVERVIEW_H
#define SS_CLI_FIGURES_OVERVIEW_H

#include "commands/trial.h"
#include "figures/gnuplot.h"

typedef struct ss_cli_overview {
    const char *title;
    int n_schemes, n_steps;
    const ss_cli_trial *trials; /* scheme by scheme, each with all steps */
    const char *const *steps;   /* as given; NULL: one, the scene's own */
    const double *orders;       /* by schemes; NaN: none */
} ss_cli_overview;

/* Refused schemes are left out. Numbers that are zero, or not known, have no mark. */
ss_cli_drawing ss_cli_overview_draw(const ss_cli_overview *overview, const char *file);

#endif
