/* lanes.h: the modes of laws over time. */
#ifndef SS_CLI_FIGURES_LANES_H
#define SS_CLI_FIGURES_LANES_H

#include <stickslip/stickslip.h>

/* mode[i] (-1, 0, 1) holds from t[i - 1] to t[i]. */
typedef struct ss_cli_lane {
    size_t count;
    double *t, *mode;
} ss_cli_lane;

/* The lane of a law: its mode in the recorded states, and every switch between them, so that no
 * short contact is lost. t and dt have an element for each recorded state. Release t and mode. */
ss_status ss_cli_lane_read(ss_context *context, ss_record *record, int law, const double *t,
                           const double *dt, ss_cli_lane *lane);
/* Times, step sizes and modes of a law in states, which may be some of the record's. */
typedef struct ss_cli_states {
    size_t count;
    const double *t, *dt, *mode;
} ss_cli_states;
/* The same from these. */
ss_status ss_cli_lane_merge(ss_context *context, const ss_record *record, int law,
                            const ss_cli_states *states, ss_cli_lane *lane);
void ss_cli_lane_release(ss_context *context, ss_cli_lane *lane);

/* Keeps what lies in from … to. */
void ss_cli_lane_cut(double from, double to, ss_cli_lane *lane);

#endif
