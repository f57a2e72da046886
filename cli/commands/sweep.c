/* sweep.c: the values that a setting goes through: "step=1e-2:1e-5:7". */
#include "commands/sweep.h"

#include "command.h"
#include "names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const char *text)
{
    ss_cli_error("--over is '%s'; it must be step=FIRST:LAST:COUNT or step=a,b,c with positive "
                 "numbers, 2 … %d of them, for example step=1e-2:1e-5:7",
                 text, SS_CLI_SWEEP);
    return false;
}

/* 1e-2:1e-5:7; false when it is not of this form. */
static bool parse_range(const char *text, ss_cli_sweep *sweep)
{
    double first, last;
    int count, used = 0;
    if (sscanf(text, "%lf:%lf:%d%n", &first, &last, &count, &used) != 3 || text[used])
        return false;
    if (!(first > 0) || !(last > 0) || isinf(first) || isinf(last) || count < 2 ||
        count > SS_CLI_SWEEP)
        return false;
    for (int i = 0; i < count; i++)
        sweep->values[i] = first * pow(last / first, (double)i / (count - 1));
    sweep->count = count;
    return true;
}

static bool take_names(const ss_cli_names *words, ss_cli_sweep *sweep)
{
    for (int i = 0; i < words->count && i < SS_CLI_SWEEP; i++) {
        char *end;
        sweep->values[i] = strtod(words->items[i], &end);
        if (*end || !(sweep->values[i] > 0) || isinf(sweep->values[i]))
            return false;
    }
    sweep->count = words->count;
    return words->count >= 2 && words->count <= SS_CLI_SWEEP;
}

static bool parse_list(const char *text, ss_cli_sweep *sweep)
{
    ss_cli_names words;
    bool good = ss_cli_names_split(text, &words) && take_names(&words, sweep);
    ss_cli_names_release(&words);
    return good;
}

static int descend(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void sort(ss_cli_sweep *sweep)
{
    int kept = 1;
    qsort(sweep->values, (size_t)sweep->count, sizeof *sweep->values, descend);
    for (int i = 1; i < sweep->count; i++)
        if (sweep->values[i] < sweep->values[kept - 1])
            sweep->values[kept++] = sweep->values[i];
    sweep->count = kept;
}

bool ss_cli_sweep_parse(const char *text, ss_cli_sweep *sweep)
{
    const char *equals = strchr(text, '=');
    *sweep = (ss_cli_sweep){0};
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length + 1 > sizeof sweep->setting)
        return refuse(text);
    memcpy(sweep->setting, text, length);
    if (strcmp(sweep->setting, "step") == 0)
        snprintf(sweep->setting, sizeof sweep->setting, "simulation.step");
    sweep->steps = strcmp(sweep->setting, "simulation.step") == 0;
    if (!parse_range(equals + 1, sweep) && !parse_list(equals + 1, sweep))
        return refuse(text);
    sort(sweep);
    return true;
}

void ss_cli_sweep_divide(double end, ss_cli_sweep *sweep)
{
    for (int i = 0; i < sweep->count; i++)
        sweep->values[i] = end / fmax(round(end / sweep->values[i]), 1);
    sort(sweep);
}
