/* probe.h: expressions of time, positions, velocities and parameters at a state, without a record. */
#ifndef SS_CLI_STUDIES_PROBE_H
#define SS_CLI_STUDIES_PROBE_H

#include <stickslip/stickslip.h>

typedef struct ss_cli_probe {
    const ss_model *model;
    ss_name *names; /* of positions, then velocities */
    int n_q, n_u, count;
    ss_graph *graph;
    ss_program *program;
    double *frame;
} ss_cli_probe;

/* Release in any case. */
ss_status ss_cli_probe_create(const ss_model *model, int count, const char *const *expressions,
                              ss_cli_probe *probe);
void ss_cli_probe_release(ss_cli_probe *probe);
/* Their values; they stay until the next call. */
const double *ss_cli_probe_at(ss_cli_probe *probe, const ss_state *state);

#endif
