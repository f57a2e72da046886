/* drift.h: how far constraints are from being met. */
#ifndef SS_CLI_COMMANDS_DRIFT_H
#define SS_CLI_COMMANDS_DRIFT_H

#include <stickslip/stickslip.h>

typedef struct ss_cli_drift {
    ss_context *context;
    double *gap, *gamma, *distance; /* by rows of all laws */
    double worst;                   /* m; NaN: no law has a distance */
} ss_cli_drift;

/* Release in any case. */
ss_status ss_cli_drift_begin(ss_context *context, ss_simulation *simulation, ss_cli_drift *drift);
/* Takes a state into account: the depth of penetration of a unilateral law, the distance of any
 * other law from its surface while it is closed. Changes the place of the simulation's work. */
ss_status ss_cli_drift_update(ss_cli_drift *drift, ss_simulation *simulation,
                              const ss_state *state);
void ss_cli_drift_release(ss_cli_drift *drift);

#endif
