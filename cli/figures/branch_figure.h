/* branch_figure.h: bifurcation diagrams and Poincaré sections. */
#ifndef SS_CLI_FIGURES_BRANCH_FIGURE_H
#define SS_CLI_FIGURES_BRANCH_FIGURE_H

#include "figures/gnuplot.h"
#include "studies/branch.h"

/* Over the parameter each signal (and the exponents) in a panel of its own; of one motion the second signal over the first. */
ss_cli_drawing ss_cli_branches_draw(const ss_cli_branches *branches, const char *title,
                                    const char *file);

#endif
