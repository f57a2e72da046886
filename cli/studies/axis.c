/* axis.c: reads what a study varies: "mu=0.1:0.5:9", "solver.type=sorprox,newton". */
#include "studies/axis.h"

#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of a text up to one of these characters that is in no brackets. */
static size_t length_until(const char *text, const char *ends)
{
    int depth = 0;
    size_t i = 0;
    for (; text[i] && (depth > 0 || !strchr(ends, text[i])); i++) {
        depth += text[i] == '(' || text[i] == '[';
        depth -= text[i] == ')' || text[i] == ']';
    }
    return i;
}

bool ss_cli_axis_is(const char *text)
{
    const char *equals = strchr(text, '=');
    return equals && equals[1 + length_until(equals + 1, ":,")];
}

static bool refuse(const char *text, const char *why)
{
    ss_cli_error("'%s': %s; values are FIRST:LAST:COUNT, FIRST:LAST:COUNT:log or a,b,c, for "
                 "example mu=0.1:0.5:9",
                 text, why);
    return false;
}

static bool evaluate(ss_context *context, const char *text, double *value)
{
    ss_text given = {text, {0}};
    return text[0] && ss_evaluate(context, NULL, &given, value) == SS_OK && isfinite(*value);
}

/* Takes a text apart at a character; at most `most` parts. */
static bool split(const char *text, const char *at, int most, ss_cli_names *parts)
{
    *parts = (ss_cli_names){0};
    for (bool more = true; more;) {
        size_t length = length_until(text, at);
        char *part = parts->count < most ? calloc(length + 1, 1) : NULL;
        if (part)
            memcpy(part, text, length);
        bool added = part && ss_cli_names_add(parts, part);
        free(part);
        if (!added)
            return false;
        more = text[length] != '\0';
        text += length + more;
    }
    return true;
}

static bool allocate(ss_cli_axis *axis, int count)
{
    axis->count = count;
    axis->values = calloc((size_t)count, sizeof *axis->values);
    if (!axis->values)
        ss_cli_error("out of memory");
    return axis->values;
}

static bool read_range(ss_context *context, const char *text, const ss_cli_names *parts,
                       ss_cli_axis *axis)
{
    double ends[2], count;
    if (parts->count < 3)
        return refuse(text, "the number of values is missing");
    for (int i = 0; i < 2; i++)
        if (!evaluate(context, parts->items[i], &ends[i]))
            return refuse(text, "an end of the range is no number");
    if (!evaluate(context, parts->items[2], &count) || count != floor(count) || count < 1 ||
        count > SS_CLI_POINTS)
        return refuse(text, "the number of values must be 1 … 1000000");
    axis->logarithmic = parts->count == 4;
    if (axis->logarithmic && strcmp(parts->items[3], "log") != 0)
        return refuse(text, "only 'log' can stand behind the number of values");
    if (axis->logarithmic && !(ends[0] > 0 && ends[1] > 0))
        return refuse(text, "a logarithmic range has positive ends");
    if (!allocate(axis, (int)count))
        return false;
    axis->range = true;
    axis->values[0] = ends[0];
    axis->values[axis->count - 1] = axis->count > 1 ? ends[1] : ends[0];
    for (int i = 1; i + 1 < axis->count; i++)
        axis->values[i] = ss_cli_axis_at(axis, (double)i / (axis->count - 1));
    return true;
}

double ss_cli_axis_at(const ss_cli_axis *axis, double part)
{
    double first = axis->values[0], last = axis->values[axis->count - 1];
    if (part <= 0 || part >= 1)
        return part <= 0 ? first : last;
    return axis->logarithmic ? first * pow(last / first, part) : first + (last - first) * part;
}

static bool read_list(ss_context *context, const char *text, const char *values, ss_cli_axis *axis)
{
    if (!split(values, ",", SS_CLI_POINTS, &axis->texts) || !allocate(axis, axis->texts.count))
        return false;
    for (int i = 0; i < axis->count; i++) {
        if (!axis->texts.items[i][0])
            return refuse(text, "a value is empty");
        axis->words = axis->words || !evaluate(context, axis->texts.items[i], &axis->values[i]);
    }
    for (int i = 0; axis->words && i < axis->count; i++)
        axis->values[i] = i;
    return !axis->words || axis->setting || refuse(text, "a value is no number");
}

bool ss_cli_axis_parse(ss_context *context, const char *text, bool setting, ss_cli_axis *axis)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    *axis = (ss_cli_axis){.setting = setting};
    if (length == 0 || length >= sizeof axis->name)
        return refuse(text, "it is not of the form NAME=VALUES");
    memcpy(axis->name, text, length);
    ss_cli_names parts;
    bool good = split(equals + 1, ":", 4, &parts);
    if (!good)
        refuse(text, "there are too many ':'");
    else
        good = parts.count > 1 ? read_range(context, text, &parts, axis)
                               : read_list(context, text, equals + 1, axis);
    ss_cli_names_release(&parts);
    return good;
}

void ss_cli_axis_release(ss_cli_axis *axis)
{
    free(axis->values);
    ss_cli_names_release(&axis->texts);
    *axis = (ss_cli_axis){0};
}

void ss_cli_axis_assign(const ss_cli_axis *axis, int index, double value, size_t capacity,
                        char *text)
{
    if (axis->texts.count > 0 && index >= 0)
        snprintf(text, capacity, "%s=%s", axis->name, axis->texts.items[index]);
    else
        snprintf(text, capacity, "%s=%.17g", axis->name, index < 0 ? value : axis->values[index]);
}
