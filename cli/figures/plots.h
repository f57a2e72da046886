/* plots.h: the plots that a scene declares. */
#ifndef SS_CLI_FIGURES_PLOTS_H
#define SS_CLI_FIGURES_PLOTS_H

#include "commands/paths.h"
#include "commands/session.h"
#include "figures/gnuplot.h"

typedef struct ss_cli_drawn {
    int wanted, count;
    char folder[SS_CLI_PATH];
    const char *format;
    bool no_gnuplot;
} ss_cli_drawn;

/* Draws them into the folder beside the record that is named like it. Messages are printed. */
ss_cli_drawn ss_cli_draw_scene_plots(ss_cli_session *session, const ss_scene *scene,
                                     ss_record *record, const char *path, const char *format);
/* Prints how many there are, and where. */
void ss_cli_print_drawn(const ss_cli_drawn *drawn);

/* Tells how to install gnuplot. */
void ss_cli_miss_gnuplot(void);

#endif
