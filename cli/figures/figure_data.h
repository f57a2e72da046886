/* figure_data.h: the numbers of a picture. */
#ifndef SS_CLI_FIGURES_FIGURE_DATA_H
#define SS_CLI_FIGURES_FIGURE_DATA_H

#include "figures/figure.h"
#include "figures/lanes.h"

typedef struct ss_cli_data {
    ss_context *context;
    size_t count; /* states in the range */
    double *t, *x;
    int n_y;
    double **y;
    int n_lanes; /* laws, or 0 */
    ss_cli_lane *lanes;
    bool orbit; /* x is not the time */
} ss_cli_data;

/* Evaluates the expressions of a plot. False: a message was printed. Release in any case. */
bool ss_cli_data_read(ss_cli_session *session, ss_record *record, const ss_plot *plot,
                      ss_cli_range range, ss_cli_data *data);
void ss_cli_data_release(ss_cli_data *data);

#endif
