/* study_figure.h: errors over steps, both logarithmic. */
#ifndef STICKSLIP_CLI_STUDY_FIGURE_H
#define STICKSLIP_CLI_STUDY_FIGURE_H

#include "gnuplot.h"
#include "study.h"

ss_cli_drawing ss_cli_study_draw(const ss_cli_study *study, const char *title, const char *file);

#endif
