/* bifurcation.c: stickslip bifurcation. */
#include "commands/interrupt.h"
#include "commands/paths.h"
#include "commands/simulate.h"
#include "figures/branch_figure.h"
#include "figures/plots.h"
#include "json.h"
#include "studies/pool.h"
#include "studies/store.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"period", 0, "EXPR", NULL, "period of what drives the scene, in s, of its parameters"},
    {"section", 0, "WHAT", NULL,
     "where points are taken: each period, 'LAW closed', or [up:|down:|both:]EXPR = 0"},
    {"points", 'n', "N", NULL, "points of each value, those left out included (300)"},
    {"skip", 0, "N", NULL, "the first of them, which are left out (two thirds)"},
    {"signal", 0, "EXPR", NULL, "what is taken; may be given again (positions and velocities)"},
    {"over", 0, "KEY=VALUES", NULL, "vary a setting, as --set names it, instead of a parameter"},
    {"carry", 0, "HOW", "forward|backward|both|none",
     "where a value begins: at the end of the one before (both), or as the scene does"},
    {"lyapunov", 0, NULL, NULL, "the largest Lyapunov exponent of each value; needs --period"},
    {"jobs", 'j', "N", NULL, "processes at a time (as many as processors)"},
    {"output", 'o', "OUT", "*", "folder for tables and plot (NAME-bifurcation)"},
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene: --set solver.tolerance=1e-8"},
    {"no-plots", 0, NULL, NULL, "do not draw"},
    {"format", 'f', "svg|png", "svg|png", "of the plot (svg)"},
    {"json", 0, NULL, NULL, "print everything as JSON"},
    {"threads", 't', "N", NULL, "threads the solver may use in each process (1)"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

typedef struct diagram {
    ss_cli_session session;
    const ss_cli_arguments *arguments;
    ss_scene *scene; /* of the first value that can be loaded */
    ss_cli_branches branches;
    char folder[SS_CLI_PATH];
    const char *format;
    int jobs;
} diagram;

/* ---- Before anything is written ---- */

static bool add_axis(diagram *d, const char *text, bool setting)
{
    if (d->branches.axis.count == 0)
        return ss_cli_axis_parse(d->session.context, text, setting, &d->branches.axis);
    ss_cli_error("'%s': '%s' is varied already, and one thing only", text, d->branches.axis.name);
    return false;
}

static bool read_axis(diagram *d)
{
    const ss_cli_arguments *arguments = d->arguments;
    ss_cli_branches *b = &d->branches;
    b->fixed = calloc((size_t)arguments->n_operands + 1, sizeof *b->fixed);
    bool good = b->fixed;
    for (int i = 1; good && i < arguments->n_operands; i++) {
        if (ss_cli_axis_is(arguments->operands[i]))
            good = add_axis(d, arguments->operands[i], false);
        else
            b->fixed[b->n_fixed++] = arguments->operands[i];
    }
    for (int i = 0; good && i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "over") == 0)
            good = add_axis(d, arguments->given[i].value, true);
    for (int i = 0; good && b->axis.count > 0 && i < b->n_fixed; i++) {
        size_t length = strlen(b->axis.name);
        if (!b->axis.setting && strncmp(b->fixed[i], b->axis.name, length) == 0 &&
            b->fixed[i][length] == '=') {
            ss_cli_error("'%s': '%s' is varied already", b->fixed[i], b->axis.name);
            good = false;
        }
    }
    return good;
}

/* Whether --set gives a value to what is varied. */
static bool check_settings(const diagram *d)
{
    const ss_cli_axis *axis = &d->branches.axis;
    char path[SS_CLI_AXIS_NAME + 16];
    int length =
        snprintf(path, sizeof path, "%s%s=", axis->setting ? "" : "parameters.", axis->name);
    for (int i = 0; axis->count > 0 && i < d->arguments->n_given; i++) {
        const char *given = d->arguments->given[i].value;
        if (strcmp(d->arguments->given[i].option->name, "set") == 0 &&
            strncmp(given, path, (size_t)length) == 0) {
            ss_cli_error("'%s': '%s' is varied already", given, axis->name);
            return false;
        }
    }
    return true;
}

static bool read_ways(diagram *d)
{
    static const char *const names[] = {"forward", "backward", "none"};
    const char *given = ss_cli_value(d->arguments, "carry");
    ss_cli_branches *b = &d->branches;
    b->n_ways = 2;
    b->ways[0] = SS_CLI_FORWARD;
    b->ways[1] = SS_CLI_BACKWARD;
    if (given && b->axis.count == 0) {
        ss_cli_error("--carry does something where a parameter is varied only");
        return false;
    }
    if (b->axis.count == 0)
        given = "none";
    if (!given || strcmp(given, "both") == 0)
        return true;
    b->n_ways = 1;
    for (int i = 0; i < 3; i++)
        if (strcmp(given, names[i]) == 0) {
            b->ways[0] = (ss_cli_carry)i;
            return true;
        }
    ss_cli_error("--carry is '%s'; it can be forward, backward, both or none", given);
    return false;
}

/* What is wrong with every value is said here. */
static bool find_scene(diagram *d)
{
    char message[2048] = "";
    int values = ss_cli_branch_values(&d->branches);
    for (int i = 0; i < values && i < 64; i++) {
        if (ss_cli_branches_load(&d->branches, &d->session, i, &d->scene) == SS_OK)
            return true;
        if (i == 0)
            snprintf(message, sizeof message, "%s", ss_context_message(d->session.context));
    }
    ss_cli_error("%s", message);
    return false;
}

static bool read_exponents(diagram *d)
{
    const ss_cli_section *section = &d->branches.section;
    d->branches.exponents = ss_cli_has(d->arguments, "lyapunov");
    if (!d->branches.exponents || section->kind == SS_CLI_BY_PERIOD)
        return true;
    ss_cli_error("--lyapunov compares motions after each period: it needs --period, and no "
                 "--section");
    return false;
}

static bool choose_folder(diagram *d)
{
    char name[256], lock[SS_CLI_PATH];
    const char *out = ss_cli_value(d->arguments, "output");
    ss_cli_file_name(ss_scene_name(d->scene), sizeof name, name);
    bool fits = out ? ss_cli_join("", out, "", sizeof d->folder, d->folder)
                    : ss_cli_join("", name, "-bifurcation", sizeof d->folder, d->folder);
    return fits && ss_cli_make_folder(d->folder) &&
           ss_cli_join(d->folder, "bifurcation", "", sizeof lock, lock) && ss_cli_claim(lock);
}

/* ---- Results ---- */

static void add_head(const diagram *d, const ss_cli_branch_point *item, ss_cli_table *table)
{
    const ss_cli_axis *axis = &d->branches.axis;
    ss_cli_table_text(table, ss_cli_carry_name(item->carry));
    if (axis->words)
        ss_cli_table_text(table, axis->texts.items[item->value]);
    else
        ss_cli_table_number(table, "%.6g", axis->count ? axis->values[item->value] : (double)NAN);
}

static bool write_points(const diagram *d)
{
    char file[SS_CLI_PATH];
    const ss_cli_branches *b = &d->branches;
    int width = 1 + b->section.n_signals;
    ss_cli_table table;
    ss_cli_table_begin(&table, 3 + width);
    ss_cli_table_text(&table, "carry");
    ss_cli_table_text(&table, b->axis.count ? b->axis.name : "parameter");
    ss_cli_table_text(&table, "point");
    ss_cli_table_text(&table, "t/s");
    for (int i = 0; i < b->section.n_signals; i++)
        ss_cli_table_text(&table, b->section.signals[i]);
    for (int k = 0; k < b->count; k++)
        for (int i = 0; i < b->items[k].count; i++) {
            add_head(d, &b->items[k], &table);
            ss_cli_table_number(&table, "%.0f", i + b->section.skip);
            for (int j = 0; j < width; j++)
                ss_cli_table_number(&table, "%.9g", b->items[k].points[i * width + j]);
        }
    bool good = !table.failed && ss_cli_join(d->folder, "points", ".csv", sizeof file, file) &&
                ss_cli_table_write_csv(&table, file);
    ss_cli_table_release(&table);
    return good;
}

static const char *reason_of(const ss_cli_branch_point *item)
{
    const char *none = item->done ? "" : "not reached: its process ended early";
    return item->reason ? item->reason : none;
}

static bool write_values(const diagram *d)
{
    char file[SS_CLI_PATH];
    const ss_cli_branches *b = &d->branches;
    ss_cli_table table;
    ss_cli_table_begin(&table, b->exponents ? 6 : 5);
    ss_cli_table_text(&table, "carry");
    ss_cli_table_text(&table, b->axis.count ? b->axis.name : "parameter");
    ss_cli_table_text(&table, "points");
    ss_cli_table_text(&table, "period");
    if (b->exponents)
        ss_cli_table_text(&table, "exponent/(1/s)");
    ss_cli_table_text(&table, "reason");
    for (int k = 0; k < b->count; k++) {
        int period = ss_cli_branch_periodicity(b, &b->items[k]);
        add_head(d, &b->items[k], &table);
        ss_cli_table_number(&table, "%.0f", b->items[k].count);
        ss_cli_table_number(&table, "%.0f", period ? period : (double)NAN);
        if (b->exponents)
            ss_cli_table_number(&table, "%.6g", b->items[k].exponent);
        ss_cli_table_text(&table, reason_of(&b->items[k]));
    }
    bool good = !table.failed && ss_cli_join(d->folder, "values", ".csv", sizeof file, file) &&
                ss_cli_table_write_csv(&table, file);
    enum { SHOWN = 40 };
    if (b->count <= SHOWN && !ss_cli_has(d->arguments, "json"))
        ss_cli_table_print(&table);
    ss_cli_table_release(&table);
    return good;
}

/* Rows of points: carry (0, 1, 2), value, point, time, signals. */
static bool fill_store(const diagram *d, const ss_cli_store *store, size_t rows, double *values)
{
    const ss_cli_branches *b = &d->branches;
    size_t width = 1 + (size_t)b->section.n_signals, columns = width + 3, row = 0;
    const char *names[36] = {"carry", b->axis.count ? b->axis.name : "parameter", "point", "t"};
    for (int i = 0; i < b->section.n_signals; i++)
        names[4 + i] = b->section.signals[i];
    for (int k = 0; k < b->count; k++)
        for (int i = 0; i < b->items[k].count; i++, row++) {
            const ss_cli_branch_point *item = &b->items[k];
            double *at = values + row * columns;
            at[0] = item->carry;
            at[1] = b->axis.count ? b->axis.values[item->value] : (double)NAN;
            at[2] = i + b->section.skip;
            memcpy(at + 3, item->points + (size_t)i * width, width * sizeof *at);
        }
    const char *scene = ss_scene_text(d->scene);
    return ss_cli_store_texts(store, "names", columns, names) &&
           ss_cli_store_numbers(store, "points", rows, columns, values) &&
           ss_cli_store_texts(store, "scene", 1, &scene);
}

static bool write_store(const diagram *d)
{
    char file[SS_CLI_PATH];
    ss_cli_store store;
    size_t rows = 0, columns = 4 + (size_t)d->branches.section.n_signals;
    for (int k = 0; k < d->branches.count; k++)
        rows += (size_t)d->branches.items[k].count;
    double *values = calloc(rows * columns + 1, sizeof *values);
    if (!values || !ss_cli_join(d->folder, "points", ".h5", sizeof file, file)) {
        free(values);
        return false;
    }
    bool good = ss_cli_store_open(file, &store) && fill_store(d, &store, rows, values);
    free(values);
    return ss_cli_store_close(&store, good);
}

/* "" when it was not drawn. */
static void draw(const diagram *d, char file[SS_CLI_PATH])
{
    char ending[8];
    snprintf(ending, sizeof ending, ".%s", d->format);
    bool wanted = !ss_cli_has(d->arguments, "no-plots") &&
                  ss_cli_join(d->folder, "bifurcation", ending, SS_CLI_PATH, file);
    ss_cli_drawing drawing = wanted
                                 ? ss_cli_branches_draw(&d->branches, ss_scene_name(d->scene), file)
                                 : SS_CLI_NOT_DRAWN;
    if (drawing == SS_CLI_NO_GNUPLOT)
        ss_cli_miss_gnuplot();
    if (drawing != SS_CLI_DRAWN)
        file[0] = '\0';
}

static int count_failed(const diagram *d)
{
    int failed = 0;
    for (int k = 0; k < d->branches.count; k++)
        failed += d->branches.items[k].reason || !d->branches.items[k].done;
    return failed;
}

static void print_summary(const diagram *d, const char *plot)
{
    enum { SHOWN = 20 };
    const ss_cli_branches *b = &d->branches;
    int failed = 0;
    size_t points = 0;
    for (int k = 0; k < b->count; k++)
        points += (size_t)b->items[k].count;
    printf("%d values, %zu points\n", b->count, points);
    for (int k = 0; k < b->count; k++)
        if (b->items[k].reason && failed++ < SHOWN) {
            char text[SS_CLI_AXIS_NAME + 512] = "";
            if (b->axis.count)
                ss_cli_axis_assign(&b->axis, b->items[k].value, 0, sizeof text, text);
            printf("  %s %s: %s\n", ss_cli_carry_name(b->items[k].carry), text, b->items[k].reason);
        }
    if (failed > SHOWN)
        printf("  … and %d more, see values.csv\n", failed - SHOWN);
    printf("points.csv, points.h5 and values.csv in %s/%s%s\n", d->folder, plot[0] ? "; " : "",
           plot);
}

static void write_item(const diagram *d, const ss_cli_branch_point *item, ss_cli_json *json)
{
    const ss_cli_branches *b = &d->branches;
    int width = 1 + b->section.n_signals, period = ss_cli_branch_periodicity(b, item);
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_text(json, "carry", ss_cli_carry_name(item->carry));
    if (b->axis.words)
        ss_cli_json_text(json, "value", b->axis.texts.items[item->value]);
    else
        ss_cli_json_number(json, "value",
                           b->axis.count ? b->axis.values[item->value] : (double)NAN);
    ss_cli_json_number(json, "period", period ? period : (double)NAN);
    ss_cli_json_number(json, "exponent", item->exponent);
    ss_cli_json_text(json, "reason", reason_of(item));
    ss_cli_json_open(json, "points", '[');
    for (int i = 0; i < item->count; i++) {
        ss_cli_json_open(json, NULL, '[');
        for (int j = 0; j < width; j++)
            ss_cli_json_number(json, NULL, item->points[i * width + j]);
        ss_cli_json_close(json, ']');
    }
    ss_cli_json_close(json, ']');
    ss_cli_json_close(json, '}');
}

static void print_json(const diagram *d, const char *plot)
{
    const ss_cli_branches *b = &d->branches;
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "name", ss_scene_name(d->scene));
    ss_cli_json_text(&json, "version", ss_version());
    ss_cli_json_text(&json, "folder", d->folder);
    ss_cli_json_text(&json, "plot", plot);
    ss_cli_json_text(&json, "parameter", b->axis.name);
    ss_cli_json_open(&json, "columns", '[');
    ss_cli_json_text(&json, NULL, "t");
    for (int i = 0; i < b->section.n_signals; i++)
        ss_cli_json_text(&json, NULL, b->section.signals[i]);
    ss_cli_json_close(&json, ']');
    ss_cli_json_open(&json, "values", '[');
    for (int k = 0; k < b->count; k++)
        write_item(d, &b->items[k], &json);
    ss_cli_json_close(&json, ']');
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

static int report(const diagram *d)
{
    char plot[SS_CLI_PATH] = "";
    bool written = write_points(d) && write_values(d) && write_store(d);
    draw(d, plot);
    if (ss_cli_has(d->arguments, "json"))
        print_json(d, plot);
    else
        print_summary(d, plot);
    int failed = count_failed(d);
    if (failed > 0)
        ss_cli_error("%d of %d values failed", failed, d->branches.count);
    return written && failed == 0 ? SS_CLI_DONE : SS_CLI_FAILED;
}

static bool prepare(diagram *d)
{
    return ss_cli_plot_format(d->arguments, &d->format) && ss_cli_jobs(d->arguments, &d->jobs) &&
           read_axis(d) && check_settings(d) && read_ways(d) && find_scene(d) &&
           ss_cli_section_read(d->arguments, ss_scene_model(d->scene), &d->branches.section) &&
           read_exponents(d) && ss_cli_branches_reserve(&d->branches) && choose_folder(d);
}

static int run(const ss_cli_arguments *arguments)
{
    diagram d = {.arguments = arguments, .branches = {.arguments = arguments}};
    if (!ss_cli_count(&ss_cli_bifurcation, arguments, 1, -1) ||
        !ss_cli_session_begin(&d.session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (prepare(&d)) {
        bool all = ss_cli_branches_run(&d.branches, d.jobs);
        code = all ? report(&d) : ss_cli_signal() ? 128 + ss_cli_signal() : SS_CLI_FAILED;
        if (!all && ss_cli_signal())
            ss_cli_error("interrupted");
    }
    ss_cli_release_claim();
    ss_cli_branches_release(&d.branches);
    ss_scene_destroy(d.scene);
    ss_cli_session_end(&d.session);
    return code;
}

const ss_cli_command ss_cli_bifurcation = {
    .name = "bifurcation",
    .operands =
        "SCENE [NAME=FIRST:LAST:COUNT] [name=value …] --period EXPR | --section WHAT [options]",
    .choices = "*.yaml",
    .summary = "take a motion where it passes a section, over a parameter: bifurcation diagrams",
    .details =
        "Runs a scene for each value of a parameter and takes points at which the motion passes a "
        "section:\n"
        "\n"
        "  --period EXPR            after each period of what drives it: '2*pi/omega', of the "
        "scene's parameters\n"
        "  --section 'LAW closed'   right behind each such event of a law: 'stop.gap closed', "
        "'foot.slip slip'\n"
        "  --section EXPR           where an expression of t, positions, velocities and parameters "
        "passes zero\n"
        "                           upwards; down:EXPR downwards, both:EXPR in both directions\n"
        "\n"
        "Of N points of each value (--points) the first M (--skip) are left out. With events and "
        "expressions a value\n"
        "ends at the scene's end at the latest. A value begins where the one before ended "
        "(--carry): upwards and\n"
        "downwards, in two processes, which shows where motions coexist; with --carry none each "
        "begins as the scene\n"
        "does. With --period the phase is carried, so that the period may depend on the "
        "parameter.\n"
        "\n"
        "Without a varied parameter one motion is taken: a Poincaré section, drawn as the second "
        "signal over the\n"
        "first.\n"
        "\n"
        "--lyapunov follows a nearby motion, drawn near again after each period, and gives the "
        "mean rate at which\n"
        "it parts: positive for chaos.\n"
        "\n"
        "OUT receives points.csv and points.h5 (every point), values.csv (of each value how many "
        "points, after how\n"
        "many they repeat, the exponent, why it failed) and a picture.\n"
        "\n"
        "Exit status: 0 done, 1 some values failed, 2 bad input, 130 or 143 interrupted.",
    .examples =
        "  stickslip bifurcation impact_forced.yaml F=0.5:1.5:400 --period '2*pi/omega' --signal "
        "x\n"
        "  stickslip bifurcation woodpecker.yaml mu=0.2:0.5:100 --section 'beak.gap closed' "
        "--signal phi_S\\'\n"
        "  stickslip bifurcation impact_forced.yaml F=1.2 --period '2*pi/omega' --points 5000 "
        "--skip 100\n",
    .options = options,
    .run = run,
};
