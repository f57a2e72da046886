/* result.h: numbers that a study takes from each run: "peak=max:abs(x')". */
#ifndef SS_CLI_STUDIES_RESULT_H
#define SS_CLI_STUDIES_RESULT_H

#include "command.h"

#include <stickslip/stickslip.h>

typedef enum ss_cli_reduction {
    SS_CLI_LAST,
    SS_CLI_FIRST,
    SS_CLI_MIN,
    SS_CLI_MAX,
    SS_CLI_MEAN /* over time */
} ss_cli_reduction;

typedef struct ss_cli_result {
    char name[sizeof(ss_name)];
    ss_cli_reduction reduction;
    const char *expression; /* borrowed; NULL: the name is it */
} ss_cli_result;

enum { SS_CLI_RESULTS = 64 };

typedef struct ss_cli_results {
    int count;
    ss_cli_result items[SS_CLI_RESULTS];
} ss_cli_results;

/* Those of --result, [NAME=][last|first|min|max|mean:]EXPRESSION, or all positions and velocities at the end; checked
 * with a model of the scene, which must outlive them. False: a message was printed. */
bool ss_cli_results_read(const ss_cli_arguments *arguments, const ss_model *model,
                         ss_cli_results *results);
/* Their values in a record; NaN where there are none. */
ss_status ss_cli_results_measure(const ss_cli_results *results, ss_context *context,
                                 ss_record *record, double *values);

#endif
