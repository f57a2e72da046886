/* branch.c: follows motions over a parameter, carrying the state from value to value. */
#include "studies/branch.h"

#include "commands/interrupt.h"
#include "commands/load.h"
#include "studies/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ss_cli_carry_name(ss_cli_carry carry)
{
    static const char *const names[] = {"forward", "backward", "none"};
    return names[carry];
}

int ss_cli_branch_values(const ss_cli_branches *branches)
{
    return branches->axis.count > 0 ? branches->axis.count : 1;
}

bool ss_cli_branches_reserve(ss_cli_branches *b)
{
    int values = ss_cli_branch_values(b);
    b->count = b->n_ways * values;
    b->items = calloc((size_t)b->count, sizeof *b->items);
    if (!b->items)
        ss_cli_error("out of memory");
    for (int i = 0; b->items && i < b->count; i++) {
        b->items[i].carry = b->ways[i / values];
        b->items[i].value = i % values;
        b->items[i].exponent = (double)NAN;
    }
    return b->items;
}

void ss_cli_branches_release(ss_cli_branches *b)
{
    for (int i = 0; b->items && i < b->count; i++) {
        free(b->items[i].points);
        free(b->items[i].reason);
    }
    free(b->items);
    free(b->fixed);
    ss_cli_axis_release(&b->axis);
    ss_cli_section_release(&b->section);
}

ss_status ss_cli_branches_load(const ss_cli_branches *b, ss_cli_session *session, int value,
                               ss_scene **scene)
{
    char text[SS_CLI_AXIS_NAME + 512];
    const char *setting = text;
    int n = 0;
    const char **operands = calloc((size_t)b->n_fixed + 2, sizeof *operands);
    *scene = NULL;
    if (!operands)
        return SS_MEMORY;
    operands[n++] = b->arguments->operands[0];
    for (int i = 0; i < b->n_fixed; i++)
        operands[n++] = b->fixed[i];
    ss_cli_arguments arguments = *b->arguments;
    ss_cli_changes changes = {.after = &setting};
    if (b->axis.count > 0) {
        ss_cli_axis_assign(&b->axis, value, 0, sizeof text, text);
        if (b->axis.setting)
            changes.n_after = 1;
        else
            operands[n++] = text;
    }
    arguments.operands = operands;
    arguments.n_operands = n;
    ss_status status = ss_cli_load_changed(session, &arguments, &changes, scene);
    free(operands);
    return status;
}

/* ---- In the process of a way ---- */

typedef struct walker {
    const ss_cli_branches *branches;
    ss_cli_session session;
    ss_cli_start start;
    ss_cli_orbit orbit;
    FILE *out;
} walker;

static void write_points(const walker *w, int item)
{
    int width = 1 + w->branches->section.n_signals;
    fprintf(w->out, "%d\t%d\t%.17g\t", item, w->orbit.points, w->orbit.exponent);
    for (int i = 0; i < w->orbit.points * width; i++)
        fprintf(w->out, "%.17g ", w->orbit.values[i]);
    fputc('\n', w->out);
}

static void write_reason(const walker *w, int item)
{
    fprintf(w->out, "%d\t-1\tnan\t", item);
    for (const char *c = ss_context_message(w->session.context); *c && *c != '\n'; c++)
        fputc((unsigned char)*c < ' ' ? ' ' : *c, w->out);
    fputc('\n', w->out);
}

static ss_status load_pair(walker *w, int value, ss_scene **scene, ss_scene **nearby)
{
    *nearby = NULL;
    SS_TRY(ss_cli_branches_load(w->branches, &w->session, value, scene));
    ss_model_size size = ss_model_sizes(ss_scene_model(*scene));
    if (!w->start.q) {
        w->start.q = calloc((size_t)size.n_q + 1, sizeof(double));
        w->start.u = calloc((size_t)size.n_u + 1, sizeof(double));
        if (!w->start.q || !w->start.u)
            return ss_fail(w->session.context, SS_MEMORY, "out of memory");
    }
    return w->branches->exponents ? ss_cli_branches_load(w->branches, &w->session, value, nearby)
                                  : SS_OK;
}

/* A motion that fails leaves the next one to begin where the scene does. */
static bool walk(walker *w, int item)
{
    const ss_cli_branch_point *point = &w->branches->items[item];
    ss_scene *scene = NULL, *nearby = NULL;
    if (point->carry == SS_CLI_NOT_CARRIED)
        w->start.given = false;
    ss_status status = load_pair(w, point->value, &scene, &nearby);
    if (status == SS_OK)
        status = ss_cli_orbit_run(scene, nearby, &w->start, &w->orbit);
    if (status == SS_OK)
        write_points(w, item);
    else if (status != SS_STOPPED)
        write_reason(w, item);
    if (status != SS_OK)
        w->start.given = false;
    ss_scene_destroy(scene);
    ss_scene_destroy(nearby);
    return status != SS_STOPPED;
}

static void work(void *user, int index, FILE *out)
{
    const ss_cli_branches *b = user;
    int values = ss_cli_branch_values(b), width = 1 + b->section.n_signals;
    size_t size = (size_t)(b->section.points - b->section.skip) * (size_t)width;
    walker w = {.branches = b, .out = out, .orbit = {.section = &b->section}};
    bool alone = b->ways[0] == SS_CLI_NOT_CARRIED;
    w.orbit.values = calloc(size, sizeof *w.orbit.values);
    if (w.orbit.values && ss_cli_session_begin(&w.session, b->arguments)) {
        for (int i = 0; i < (alone ? 1 : values); i++) {
            bool back = !alone && b->ways[index] == SS_CLI_BACKWARD;
            int value = back ? values - 1 - i : i;
            if (!walk(&w, alone ? index : index * values + value))
                break;
        }
        ss_cli_session_end(&w.session);
    }
    free(w.orbit.values);
    free(w.start.q);
    free(w.start.u);
}

/* ---- In the process of the command ---- */

static bool take_line(ss_cli_branches *b, char *line)
{
    char *rest = NULL;
    long item = strtol(line, &rest, 10), count = *rest ? strtol(rest, &rest, 10) : -2;
    if (item < 0 || item >= b->count || count < -1)
        return false;
    ss_cli_branch_point *point = &b->items[item];
    point->exponent = strtod(rest, &rest);
    point->done = true;
    rest += *rest == '\t';
    size_t width = 1 + (size_t)b->section.n_signals, size = (size_t)(count > 0 ? count : 0) * width;
    if (count < 0) {
        point->reason = calloc(strlen(rest) + 1, 1);
        return point->reason && strcpy(point->reason, rest);
    }
    point->points = calloc(size + 1, sizeof *point->points);
    for (size_t i = 0; point->points && i < size; i++)
        point->points[i] = strtod(rest, &rest);
    point->count = (int)count;
    return point->points;
}

static bool take(void *user, int index, const char *text, const char *crash)
{
    ss_cli_branches *b = user;
    (void)index;
    while (strchr(text, '\n')) { /* what is behind the last end of a line was not written whole */
        size_t length = strcspn(text, "\n");
        char *line = calloc(length + 1, 1);
        bool good = line && memcpy(line, text, length) && take_line(b, line);
        free(line);
        if (!good) {
            ss_cli_error("out of memory");
            return false;
        }
        text += length + 1;
    }
    if (crash)
        ss_cli_error("a part of the values was not reached: %s", crash);
    return true;
}

bool ss_cli_branches_run(ss_cli_branches *branches, int jobs)
{
    bool alone = branches->ways[0] == SS_CLI_NOT_CARRIED;
    ss_cli_pool pool = {.jobs = jobs,
                        .count = alone ? branches->count : branches->n_ways,
                        .user = branches,
                        .work = work,
                        .take = take};
    return ss_cli_pool_run(&pool);
}

int ss_cli_branch_periodicity(const ss_cli_branches *b, const ss_cli_branch_point *point)
{
    enum { MOST = 32 };
    const double same = 1e-6;
    int width = 1 + b->section.n_signals;
    for (int p = 1; p <= MOST && 2 * p <= point->count; p++) {
        bool repeats = true;
        for (int k = 1; k < width && repeats; k++) {
            double largest = 0, difference = 0;
            for (int i = 0; i < point->count; i++)
                largest = fmax(largest, fabs(point->points[i * width + k]));
            for (int i = p; i < point->count; i++)
                difference = fmax(difference, fabs(point->points[i * width + k] -
                                                   point->points[(i - p) * width + k]));
            repeats = difference <= same * largest;
        }
        if (repeats)
            return p;
    }
    return 0;
}
