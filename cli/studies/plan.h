/* plan.h: the runs of a study: a value of each axis for each run. */
#ifndef SS_CLI_STUDIES_PLAN_H
#define SS_CLI_STUDIES_PLAN_H

#include "command.h"
#include "studies/axis.h"

#include <stdint.h>

typedef enum ss_cli_sample {
    SS_CLI_GRID, /* every value with every other; the last axis changes fastest */
    SS_CLI_LIST, /* the first values of all axes, the second ones, … */
    SS_CLI_LATIN /* drawn: each of N parts of every range once (a latin hypercube) */
} ss_cli_sample;

typedef struct ss_cli_plan {
    int n_axes;
    ss_cli_axis axes[SS_CLI_AXES];
    ss_cli_sample sample;
    uint64_t seed;
    int n_fixed;
    const char **fixed; /* "name=value" of operands that are no axes */
    int count;          /* runs */
    double *values;     /* by runs, n_axes each */
    int *indices;       /* of values in their axes; -1: drawn */
} ss_cli_plan;

/* Operands behind the scene, --over, --sample and --seed. False: a message was printed. Release in any case. */
bool ss_cli_plan_read(ss_context *context, const ss_cli_arguments *arguments, ss_cli_plan *plan);
void ss_cli_plan_release(ss_cli_plan *plan);

/* "NAME=VALUE" of an axis in a run. */
void ss_cli_plan_assign(const ss_cli_plan *plan, int run, int axis, size_t capacity, char *text);

#endif
