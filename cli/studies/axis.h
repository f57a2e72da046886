/* axis.h: what a study varies: a parameter or a setting, and the values that it goes through. */
#ifndef SS_CLI_STUDIES_AXIS_H
#define SS_CLI_STUDIES_AXIS_H

#include "names.h"

#include <stickslip/stickslip.h>

enum { SS_CLI_AXES = 16, SS_CLI_AXIS_NAME = 128, SS_CLI_POINTS = 1000000 };

typedef struct ss_cli_axis {
    char name[SS_CLI_AXIS_NAME]; /* "mu", or the path of a setting */
    bool setting;                /* what --set would take */
    bool range;                  /* FIRST:LAST:COUNT; else a list */
    bool logarithmic;            /* the range is */
    bool words;                  /* some values are no numbers: `values` counts them, 0, 1 … */
    int count;
    double *values;
    ss_cli_names texts; /* of a list, as they are given; of a range: none */
} ss_cli_axis;

/* Whether "name=value" has several values. */
bool ss_cli_axis_is(const char *text);
/* NAME=FIRST:LAST:COUNT, evenly spaced, with :log behind it on a logarithmic scale, or NAME=a,b,c. Numbers may be
 * expressions. Words are for settings only. False: a message was printed. Release in any case. */
bool ss_cli_axis_parse(ss_context *context, const char *text, bool setting, ss_cli_axis *axis);
void ss_cli_axis_release(ss_cli_axis *axis);

/* A number of the range, 0 at its beginning and 1 at its end. */
double ss_cli_axis_at(const ss_cli_axis *axis, double part);
/* "NAME=VALUE" with all digits; index < 0: the value instead. */
void ss_cli_axis_assign(const ss_cli_axis *axis, int index, double value, size_t capacity,
                        char *text);

#endif
