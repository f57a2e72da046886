/* over.c: the values that a setting goes through: "step=1e-2:1e-5:7". */
#include "commands/over.h"

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
                 text, SS_CLI_OVER);
    return false;
}

/* 1e-2:1e-5:7; false when it is not of this form. */
static bool parse_range(const char *text, ss_cli_over *over)
{
    double first, last;
    int count, used = 0;
    if (sscanf(text, "%lf:%lf:%d%n", &first, &last, &count, &used) != 3 || text[used])
        return false;
    if (!(first > 0) || !(last > 0) || isinf(first) || isinf(last) || count < 2 ||
        count > SS_CLI_OVER)
        return false;
    for (int i = 0; i < count; i++)
        over->values[i] = first * pow(last / first, (double)i / (count - 1));
    over->count = count;
    return true;
}

static bool take_names(const ss_cli_names *words, ss_cli_over *over)
{
    for (int i = 0; i < words->count && i < SS_CLI_OVER; i++) {
        char *end;
        over->values[i] = strtod(words->items[i], &end);
        if (*end || !(over->values[i] > 0) || isinf(over->values[i]))
            return false;
    }
    over->count = words->count;
    return words->count >= 2 && words->count <= SS_CLI_OVER;
}

static bool parse_list(const char *text, ss_cli_over *over)
{
    ss_cli_names words;
    bool good = ss_cli_names_split(text, &words) && take_names(&words, over);
    ss_cli_names_release(&words);
    return good;
}

static int descend(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void sort(ss_cli_over *over)
{
    int kept = 1;
    qsort(over->values, (size_t)over->count, sizeof *over->values, descend);
    for (int i = 1; i < over->count; i++)
        if (over->values[i] < over->values[kept - 1])
            over->values[kept++] = over->values[i];
    over->count = kept;
}

bool ss_cli_over_parse(const char *text, ss_cli_over *over)
{
    const char *equals = strchr(text, '=');
    *over = (ss_cli_over){0};
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length + 1 > sizeof over->setting)
        return refuse(text);
    memcpy(over->setting, text, length);
    if (strcmp(over->setting, "step") == 0)
        snprintf(over->setting, sizeof over->setting, "simulation.step");
    over->steps = strcmp(over->setting, "simulation.step") == 0;
    if (!parse_range(equals + 1, over) && !parse_list(equals + 1, over))
        return refuse(text);
    sort(over);
    return true;
}

void ss_cli_over_divide(double end, ss_cli_over *over)
{
    for (int i = 0; i < over->count; i++)
        over->values[i] = end / fmax(round(end / over->values[i]), 1);
    sort(over);
}
