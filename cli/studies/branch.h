/* branch.h: the points of motions over a parameter: what a bifurcation diagram shows. */
#ifndef SS_CLI_STUDIES_BRANCH_H
#define SS_CLI_STUDIES_BRANCH_H

#include "studies/axis.h"
#include "studies/orbit.h"

/* How a motion begins where that of the value before ended. */
typedef enum ss_cli_carry {
    SS_CLI_FORWARD,
    SS_CLI_BACKWARD,
    SS_CLI_NOT_CARRIED, /* each from the scene's own start */
} ss_cli_carry;

/* One value on one way. */
typedef struct ss_cli_branch_point {
    ss_cli_carry carry;
    int value; /* index in the axis */
    bool done;
    int count;      /* points */
    double *points; /* time and signals of each */
    double exponent;
    char *reason; /* why it failed; NULL: it did not */
} ss_cli_branch_point;

typedef struct ss_cli_branches {
    const ss_cli_arguments *arguments;
    ss_cli_section section;
    ss_cli_axis axis; /* count 0: one motion, and no parameter */
    int n_fixed;
    const char **fixed;
    bool exponents;
    int n_ways;
    ss_cli_carry ways[2];
    int count; /* points: ways × values */
    ss_cli_branch_point *items;
} ss_cli_branches;

const char *ss_cli_carry_name(ss_cli_carry carry);
int ss_cli_branch_values(const ss_cli_branches *branches);

/* Memory for the points. False: a message was printed. */
bool ss_cli_branches_reserve(ss_cli_branches *branches);
void ss_cli_branches_release(ss_cli_branches *branches);
/* The scene with a value of the axis; prints nothing. */
ss_status ss_cli_branches_load(const ss_cli_branches *branches, ss_cli_session *session, int value,
                               ss_scene **scene);
/* All motions, in processes. False: interrupted or failed, a message was printed unless by a signal. */
bool ss_cli_branches_run(ss_cli_branches *branches, int jobs);

/* The smallest p up to 32 for which each point is that p points before, to 1e-6 of the largest; 0: none. */
int ss_cli_branch_periodicity(const ss_cli_branches *branches, const ss_cli_branch_point *point);

#endif
