/* study_figure.h: errors over steps, both logarithmic. */
#ifndef SS_CLI_FIGURES_STUDY_FIGURE_H
#define SS_CLI_FIGURES_STUDY_FIGURE_H

#include "commands/study.h"
#include "figures/gnuplot.h"

ss_cli_drawing ss_cli_study_draw(const ss_cli_study *study, const char *title, const char *file);

#endif
