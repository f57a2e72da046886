/* over.h: the values that a setting goes through: "step=1e-2:1e-5:7". */
#ifndef SS_CLI_COMMANDS_OVER_H
#define SS_CLI_COMMANDS_OVER_H

#include <stdbool.h>

enum { SS_CLI_OVER = 64 };

typedef struct ss_cli_over {
    char setting[128]; /* "simulation.step" */
    bool steps;        /* that one it is */
    int count;
    double values[SS_CLI_OVER]; /* from large to small */
} ss_cli_over;

/* KEY=FIRST:LAST:COUNT, evenly spaced on a logarithmic scale, or KEY=a,b,c. KEY is `step` or the
 * path of a setting. False: a message was printed. */
bool ss_cli_over_parse(const char *text, ss_cli_over *over);
/* Steps become parts of `end`, so that none of them is cut; equal ones become one. */
void ss_cli_over_divide(double end, ss_cli_over *over);

#endif
