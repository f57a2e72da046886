/* result.c: takes numbers from a record: last, first, least, largest or mean values of expressions. */
#include "studies/result.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const reductions[] = {"last", "first", "min", "max", "mean"};
enum { N_REDUCTIONS = sizeof reductions / sizeof *reductions };

/* The length of a name with a single '=' behind it; 0: there is none. */
static size_t name_length(const char *text)
{
    size_t i = 0;
    while (isalnum((unsigned char)text[i]) || text[i] == '_')
        i++;
    return text[i] == '=' && text[i + 1] != '=' && !isdigit((unsigned char)text[0]) ? i : 0;
}

static bool refuse(const char *text, const char *why)
{
    ss_cli_error("--result is '%s': %s; it is [NAME=][last|first|min|max|mean:]EXPRESSION, for "
                 "example peak=max:abs(x)",
                 text, why);
    return false;
}

static bool parse(const char *text, ss_cli_result *result)
{
    size_t length = name_length(text);
    const char *rest = text + length + (length > 0);
    *result = (ss_cli_result){.expression = rest};
    for (int i = 0; i < N_REDUCTIONS; i++) {
        size_t n = strlen(reductions[i]);
        if (strncmp(rest, reductions[i], n) == 0 && rest[n] == ':') {
            result->reduction = (ss_cli_reduction)i;
            result->expression = rest + n + 1;
        }
    }
    if (!result->expression[0])
        return refuse(text, "the expression is missing");
    if (length >= sizeof result->name)
        return refuse(text, "the name is too long");
    snprintf(result->name, sizeof result->name, "%.*s",
             length ? (int)length : (int)sizeof result->name - 1, length ? text : rest);
    return true;
}

static bool add(const ss_cli_result *result, const char *text, ss_cli_results *results)
{
    for (int i = 0; i < results->count; i++)
        if (strcmp(results->items[i].name, result->name) == 0)
            return refuse(text, "there is a result of that name already");
    if (results->count == SS_CLI_RESULTS)
        return refuse(text, "there are more than 64");
    results->items[results->count++] = *result;
    return true;
}

static bool add_coordinates(const ss_model *model, ss_cli_results *results)
{
    ss_model_size size = ss_model_sizes(model);
    if (size.n_q + size.n_u > SS_CLI_RESULTS) {
        ss_cli_error("the scene has %d positions and velocities; choose results with --result",
                     size.n_q + size.n_u);
        return false;
    }
    for (int i = 0; i < size.n_q + size.n_u; i++) {
        ss_name name =
            i < size.n_q ? ss_model_q_name(model, i) : ss_model_u_name(model, i - size.n_q);
        ss_cli_result result = {.expression = NULL};
        memcpy(result.name, name.text, sizeof result.name);
        if (!add(&result, name.text, results))
            return false;
    }
    return true;
}

bool ss_cli_results_read(const ss_cli_arguments *arguments, const ss_model *model,
                         ss_cli_results *results)
{
    *results = (ss_cli_results){0};
    for (int i = 0; i < arguments->n_given; i++) {
        ss_cli_result result;
        const char *text = arguments->given[i].value;
        if (strcmp(arguments->given[i].option->name, "result") != 0)
            continue;
        if (!parse(text, &result) || !add(&result, text, results))
            return false;
        ss_text expression = {result.expression, {0}};
        if (ss_record_check_expression(model, &expression) != SS_OK) {
            ss_cli_error("--result: %s", ss_context_message(ss_model_context(model)));
            return false;
        }
    }
    return results->count > 0 || add_coordinates(model, results);
}

/* By the rule of trapezoids; of one state its value. */
static double mean(size_t count, const double *t, const double *values)
{
    double sum = 0, span = t[count - 1] - t[0];
    for (size_t i = 1; i < count; i++)
        sum += 0.5 * (t[i] - t[i - 1]) * (values[i] + values[i - 1]);
    return span > 0 ? sum / span : values[0];
}

/* NaN when any of them is. */
static double extreme(size_t count, const double *values, double sign)
{
    double most = values[0];
    for (size_t i = 1; i < count && !isnan(most); i++)
        most = isnan(values[i]) || sign * values[i] > sign * most ? values[i] : most;
    return most;
}

static double reduce(ss_cli_reduction reduction, size_t count, const double *t,
                     const double *values)
{
    switch (reduction) {
    case SS_CLI_FIRST:
        return values[0];
    case SS_CLI_MIN:
        return extreme(count, values, -1);
    case SS_CLI_MAX:
        return extreme(count, values, 1);
    case SS_CLI_MEAN:
        return mean(count, t, values);
    default:
        return values[count - 1];
    }
}

ss_status ss_cli_results_measure(const ss_cli_results *results, ss_context *context,
                                 ss_record *record, double *values)
{
    size_t count = ss_record_length(record);
    void *memory;
    ss_text time = {"t", {0}};
    for (int i = 0; i < results->count; i++)
        values[i] = (double)NAN;
    if (count == 0)
        return SS_OK;
    SS_TRY(ss_allocate(context, 2 * count, sizeof(double), &memory));
    double *t = memory, *signal = t + count;
    ss_status status = ss_record_evaluate(record, &time, t);
    for (int i = 0; status == SS_OK && i < results->count; i++) {
        const ss_cli_result *result = &results->items[i];
        ss_text text = {result->expression ? result->expression : result->name, {0}};
        status = ss_record_evaluate(record, &text, signal);
        if (status == SS_OK)
            values[i] = reduce(results->items[i].reduction, count, t, signal);
    }
    ss_release(context, memory);
    return status;
}
