/* attempt.c: one solver tried on one problem, and its line in the report. */
#include "commands/attempt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_key(const ss_key *keys, const char *name, size_t length)
{
    for (const ss_key *key = keys; key && key->name; key++)
        if (strlen(key->name) == length && strncmp(key->name, name, length) == 0)
            return true;
    return false;
}

typedef struct options {
    ss_context *context;
    const ss_type *type;
    bool lenient;
    ss_args *args;
} options;

static ss_status give(const options *o, const char *key, size_t length, const char *value)
{
    char name[64];
    if (length == 0 || length + 1 > sizeof name)
        return ss_fail(o->context, SS_INPUT, "an option of a solver is KEY=VALUE, not '%.60s'",
                       key);
    snprintf(name, sizeof name, "%.*s", (int)length, key);
    if (o->lenient && !has_key(o->type->keys, name, length) &&
        !has_key(ss_common_keys(SS_TYPE_SOLVER), name, length))
        return SS_OK;
    return ss_args_set_text(o->args, name, value);
}

static ss_status give_setting(const options *o, const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (!equals)
        return ss_fail(o->context, SS_INPUT, "--set is '%s'; it must be KEY=VALUE", setting);
    return give(o, setting, (size_t)(equals - setting), equals + 1);
}

/* Options that every solver has by these names, then those of --set. */
static ss_status give_all(const options *o, const ss_cli_arguments *arguments)
{
    const char *tolerance = ss_cli_value(arguments, "tol");
    const char *iterations = ss_cli_value(arguments, "max-iter");
    SS_TRY(give(o, "tolerance", strlen("tolerance"), tolerance ? tolerance : "1e-8"));
    if (has_key(o->type->keys, "measure", strlen("measure")))
        SS_TRY(give(o, "measure", strlen("measure"), "both"));
    if (iterations)
        SS_TRY(give(o, "max_iterations", strlen("max_iterations"), iterations));
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "set") == 0)
            SS_TRY(give_setting(o, arguments->given[i].value));
    return SS_OK;
}

static ss_status create(ss_context *context, const ss_cli_arguments *arguments, const char *name,
                        bool lenient, ss_solver **solver)
{
    options o = {.context = context, .lenient = lenient};
    *solver = NULL;
    SS_TRY(ss_type_find(context, SS_TYPE_SOLVER, name, (ss_location){0}, &o.type));
    SS_TRY(ss_args_create(context, &o.args));
    ss_status status = give_all(&o, arguments);
    if (status == SS_OK)
        status = ss_solver_create(context, name, o.args, NULL, solver);
    ss_args_destroy(o.args);
    return status;
}

/* The first solve of all also waits for memory and libraries: quick ones are repeated, and the
 * shortest time counts. */
static ss_status solve_and_time(ss_solver *solver, const ss_inclusion *inclusion,
                                ss_cli_attempt *attempt)
{
    const double enough = 0.1; /* s */
    double all = 0;
    attempt->seconds = INFINITY;
    for (int i = 0; i < 5 && all < enough; i++) {
        memset(attempt->P, 0, (size_t)inclusion->n_rows * sizeof *attempt->P);
        double began = ss_cli_clock();
        SS_TRY(ss_solver_solve(solver, inclusion, attempt->P, NULL, &attempt->report));
        double seconds = ss_cli_clock() - began;
        all += seconds;
        attempt->seconds = fmin(attempt->seconds, seconds);
    }
    return SS_OK;
}

static ss_status solve(ss_cli_session *session, const ss_problem *problem, ss_solver *solver,
                       ss_cli_attempt *attempt)
{
    void *memory;
    const ss_inclusion *inclusion = ss_problem_inclusion(problem);
    size_t rows = (size_t)inclusion->n_rows;
    SS_TRY(ss_allocate(session->context, rows + 1, sizeof(double), &memory));
    attempt->P = memory;
    ss_status status = solve_and_time(solver, inclusion, attempt);
    if (status == SS_UNSUPPORTED) {
        snprintf(attempt->refused, sizeof attempt->refused, "%s",
                 ss_context_message(session->context));
        return SS_OK;
    }
    SS_TRY(status);
    attempt->cone = ss_inclusion_cone_residual(inclusion, attempt->P, NULL);
    return SS_OK;
}

ss_status ss_cli_attempt_run(ss_cli_session *session, const ss_cli_arguments *arguments,
                             const ss_problem *problem, bool lenient, ss_cli_attempt *attempt)
{
    ss_solver *solver;
    SS_TRY(create(session->context, arguments, attempt->solver, lenient, &solver));
    ss_status status = solve(session, problem, solver, attempt);
    ss_solver_destroy(solver);
    return status;
}

void ss_cli_attempt_release(ss_cli_session *session, ss_cli_attempt *attempt)
{
    ss_release(session->context, attempt->P);
    attempt->P = NULL;
}

bool ss_cli_attempt_good(const ss_cli_attempt *attempt)
{
    return attempt->P && !attempt->refused[0] && ss_outcome_accepted(attempt->report.outcome);
}

void ss_cli_attempt_write(const ss_cli_attempt *attempt, ss_cli_json *json)
{
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_text(json, "solver", attempt->solver);
    if (attempt->refused[0]) {
        ss_cli_json_text(json, "refused", attempt->refused);
    } else {
        ss_cli_json_text(json, "outcome", ss_outcome_name(attempt->report.outcome));
        ss_cli_json_bool(json, "solved", ss_cli_attempt_good(attempt));
        if (attempt->report.method[0])
            ss_cli_json_text(json, "method", attempt->report.method);
        ss_cli_json_number(json, "iterations", attempt->report.iterations);
        ss_cli_json_number(json, "seconds", attempt->seconds);
        ss_cli_json_text(json, "forces", ss_forces_name((ss_forces)attempt->report.forces));
        ss_cli_json_bool(json, "chosen", attempt->report.chosen);
        if (attempt->report.freedom >= 0)
            ss_cli_json_number(json, "freedom", attempt->report.freedom);
        ss_cli_json_number(json, "residual", attempt->report.residual.value);
        ss_cli_json_number(json, "residual_absolute", attempt->report.residual.absolute);
        ss_cli_json_number(json, "cone_relative", attempt->cone.relative);
        ss_cli_json_number(json, "cone_to_load", attempt->cone.to_load);
        ss_cli_json_number(json, "cone_absolute", attempt->cone.absolute);
    }
    ss_cli_json_close(json, '}');
}
