/* plot.c: stickslip plot. */
#include "commands/paths.h"
#include "commands/simulate.h"
#include "figures/figure.h"
#include "figures/plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"phase", 'p', NULL, NULL, "the first signal is the horizontal axis, instead of the time"},
    {"modes", 'm', NULL, NULL,
     "a lane for each law under the curves: black constraint, grey impressed"},
    {"from", 0, "T", NULL, "begin at the time T in s"},
    {"to", 0, "T", NULL, "end at the time T in s"},
    {"title", 0, "TEXT", NULL, "over the picture"},
    {"x-label", 0, "TEXT", NULL, "at the horizontal axis"},
    {"y-label", 0, "TEXT", NULL, "at the vertical axis"},
    {"output", 'o', "FILE", "*", "the picture, .svg or .png (plot.svg)"},
    {"format", 'f', "svg|png", "svg|png", "of the scene's plots, when no signal is given (svg)"},
    {NULL},
};

static bool parse_time(const ss_cli_arguments *arguments, const char *option, double *t)
{
    const char *text = ss_cli_value(arguments, option);
    char *end;
    if (!text)
        return true;
    *t = strtod(text, &end);
    if (*end || end == text || isnan(*t)) {
        ss_cli_error("--%s is '%s'; it must be a time in s", option, text);
        return false;
    }
    return true;
}

static const char *text_of(const ss_cli_arguments *arguments, const char *option)
{
    const char *text = ss_cli_value(arguments, option);
    return text ? text : "";
}

static bool choose_file(const ss_cli_arguments *arguments, const char **file)
{
    *file = ss_cli_value(arguments, "output");
    if (!*file)
        *file = "plot.svg";
    if (ss_cli_ends_with(*file, ".svg") || ss_cli_ends_with(*file, ".png"))
        return ss_cli_make_folder_of(*file);
    ss_cli_error("the picture '%s' must end with .svg or .png", *file);
    return false;
}

/* Signals given as operands. */
static bool plot_signals(ss_cli_session *session, ss_record *record,
                         const ss_cli_arguments *arguments)
{
    bool phase = ss_cli_has(arguments, "phase"), modes = ss_cli_has(arguments, "modes");
    int first = phase ? 2 : 1;
    ss_plot plot = {
        .title = text_of(arguments, "title"),
        .x_label = text_of(arguments, "x-label"),
        .y_label = text_of(arguments, "y-label"),
        .x = phase ? arguments->operands[1] : "t",
        .n_y = arguments->n_operands - first,
        .y = arguments->operands + first,
        .modes = modes,
    };
    ss_cli_range range = {-INFINITY, INFINITY};
    const char *file;
    if (plot.n_y < 1)
        ss_cli_error("--phase needs two signals at least: one for each axis");
    if (phase && modes)
        ss_cli_error("--modes needs the time as horizontal axis: it cannot go with --phase");
    if (plot.n_y < 1 || (phase && modes) || !parse_time(arguments, "from", &range.from) ||
        !parse_time(arguments, "to", &range.to) || !choose_file(arguments, &file))
        return false;
    ss_cli_drawing drawing = ss_cli_draw(session, record, &plot, range, file);
    if (drawing == SS_CLI_NO_GNUPLOT)
        ss_cli_miss_gnuplot();
    if (drawing == SS_CLI_DRAWN)
        printf("%s\n", file);
    return drawing == SS_CLI_DRAWN;
}

/* Without signals: the plots of the record's scene. */
static bool plot_scene(ss_cli_session *session, ss_record *record,
                       const ss_cli_arguments *arguments)
{
    const char *path = arguments->operands[0], *format;
    ss_scene *scene;
    if (!ss_cli_plot_format(arguments, &format))
        return false;
    if (ss_scene_of_record(record, &scene) != SS_OK) {
        ss_cli_print_failure(session);
        return false;
    }
    ss_cli_drawn drawn = ss_cli_draw_scene_plots(session, scene, record, path, format);
    ss_scene_destroy(scene);
    if (drawn.wanted == 0)
        ss_cli_error("the scene of '%s' declares no plots: name signals, for example t or "
                     "energy.kinetic (`stickslip info %s --columns` lists them)",
                     path, path);
    if (drawn.count > 0)
        printf("%s/\n", drawn.folder);
    return drawn.count == drawn.wanted && drawn.wanted > 0;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_record *record;
    if (!ss_cli_count(&ss_cli_plot, arguments, 1, -1) || !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    bool drawn = false;
    if (ss_record_open(session.context, arguments->operands[0], &record) == SS_OK) {
        drawn = arguments->n_operands > 1 ? plot_signals(&session, record, arguments)
                                          : plot_scene(&session, record, arguments);
        ss_record_close(record);
    } else {
        ss_cli_print_failure(&session);
    }
    ss_cli_session_end(&session);
    return drawn ? SS_CLI_DONE : SS_CLI_BAD_INPUT;
}

const ss_cli_command ss_cli_plot = {
    .name = "plot",
    .operands = "RECORD [SIGNAL …] [--phase] [--modes] [-o FILE.svg|FILE.png]",
    .choices = "*.h5",
    .summary = "draw signals of a record",
    .details = "Draws signals over time, or with --phase over the first of them. A signal is a "
               "column of the record\n"
               "(`stickslip info RECORD --columns` lists them) or an expression of columns and "
               "parameters. Without any\n"
               "signal the plots that the scene declares are drawn again, into the folder beside "
               "the record.\n"
               "\n"
               "Drawing is done by gnuplot (Debian: gnuplot-nox). Long records are thinned to what "
               "can be seen.",
    .examples = "  stickslip plot woodpecker.h5 \"phi_M'\" \"phi_S'\" --modes -o speeds.svg\n"
                "  stickslip plot woodpecker.h5 --phase phi_S \"phi_S'\" -o phase.png\n"
                "  stickslip plot woodpecker.h5 '1000*y' --y-label mm --from 0.1 --to 0.2\n"
                "  stickslip plot woodpecker.h5\n",
    .options = options,
    .run = run,
};
