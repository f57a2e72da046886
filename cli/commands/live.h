/* live.h: the running motion in the terminal: a line for each coordinate and for each law. */
#ifndef SS_CLI_COMMANDS_LIVE_H
#define SS_CLI_COMMANDS_LIVE_H

#include <stickslip/stickslip.h>

enum { SS_CLI_LIVE_LINES = 8, SS_CLI_LIVE_COLUMNS = 120 };

typedef struct ss_cli_live {
    const ss_model *model;
    double start, end; /* of the simulated time, s */
    int columns;       /* that the run is divided into */
    int n_coordinates, n_laws;
    int filled;      /* columns so far */
    int drawn;       /* lines to go up before drawing again */
    double drawn_at; /* wall time, s */
    double values[SS_CLI_LIVE_LINES][SS_CLI_LIVE_COLUMNS];
    signed char modes[SS_CLI_LIVE_LINES][SS_CLI_LIVE_COLUMNS];
} ss_cli_live;

/* width: of the terminal in characters. */
void ss_cli_live_begin(ss_cli_live *live, ss_scene *scene, int width);
/* Sees every step; draws ten times a second to standard error. */
void ss_cli_live_update(ss_cli_live *live, const ss_state *state);
/* The last state; it stays on the terminal. */
void ss_cli_live_end(ss_cli_live *live, const ss_state *state);

/* Width of the terminal on standard error, or 0 when it is none. */
int ss_cli_terminal_width(void);

#endif
