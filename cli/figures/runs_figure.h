/* runs_figure.h: the results of a sweep over what was varied. */
#ifndef SS_CLI_FIGURES_RUNS_FIGURE_H
#define SS_CLI_FIGURES_RUNS_FIGURE_H

#include "figures/gnuplot.h"
#include "studies/runs.h"

/* Curves over one number, heat maps over a grid of two, else the points of each number; nothing (SS_CLI_NOT_DRAWN
 * without a message) where there are no numbers. */
ss_cli_drawing ss_cli_runs_draw(const ss_cli_runs *runs, const char *title, const char *file);

#endif
