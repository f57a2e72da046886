/* overlay.h: a plot of several records in one picture. */
#ifndef SS_CLI_FIGURES_OVERLAY_H
#define SS_CLI_FIGURES_OVERLAY_H

#include "commands/session.h"
#include "figures/gnuplot.h"

typedef struct ss_cli_curve {
    const char *record; /* path */
    const char *name;   /* in the legend */
} ss_cli_curve;

/* Draws the signals of a plot below each other, each of them from all records, into a .svg or .png
 * file. Curves far larger than most others may leave the picture. Messages are printed. */
ss_cli_drawing ss_cli_overlay(ss_cli_session *session, int count, const ss_cli_curve *curves,
                              const ss_plot *plot, const char *file);

#endif
