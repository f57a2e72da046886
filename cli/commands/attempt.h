/* attempt.h: one solver at a problem. */
#ifndef SS_CLI_COMMANDS_ATTEMPT_H
#define SS_CLI_COMMANDS_ATTEMPT_H

#include "commands/session.h"
#include "json.h"

typedef struct ss_cli_attempt {
    const char *solver;
    char refused[512]; /* why the solver does not treat the problem, "" when it does */
    ss_solve_report report;
    ss_cone_residual cone;
    double seconds;
    double *P; /* released by ss_cli_attempt_release */
} ss_cli_attempt;

/* Solves with the options --tol, --max-iter and --set, from P = 0. With `lenient` those that the
 * solver does not have are left out. A refusal is no failure. Release in any case. */
ss_status ss_cli_attempt_run(ss_cli_session *session, const ss_cli_arguments *arguments,
                             const ss_problem *problem, bool lenient, ss_cli_attempt *attempt);
void ss_cli_attempt_release(ss_cli_session *session, ss_cli_attempt *attempt);

/* Whether it was solved. */
bool ss_cli_attempt_good(const ss_cli_attempt *attempt);
/* As an object. */
void ss_cli_attempt_write(const ss_cli_attempt *attempt, ss_cli_json *json);

#endif
