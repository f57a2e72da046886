/* figure.h: one picture of a record. */
#ifndef SS_CLI_FIGURES_FIGURE_H
#define SS_CLI_FIGURES_FIGURE_H

#include "commands/session.h"
#include "figures/gnuplot.h"

/* Part of the time that is drawn. */
typedef struct ss_cli_range {
    double from, to; /* s; -INFINITY and INFINITY: all */
} ss_cli_range;

/* Draws a plot of a record into a .svg or .png file. Messages are printed. */
ss_cli_drawing ss_cli_draw(ss_cli_session *session, ss_record *record, const ss_plot *plot,
                           ss_cli_range range, const char *file);

#endif
