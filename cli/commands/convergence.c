/* convergence.c: stickslip convergence. */
#include "commands/interrupt.h"
#include "commands/schemes.h"
#include "commands/simulate.h"
#include "figures/plots.h"
#include "figures/study_figure.h"
#include "table.h"

#include <math.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"over", 0, "KEY=A:B:N", NULL, "N steps from A to B, or step=a,b,c (step=1e-2:1e-4:7)"},
    {"schemes", 0, "NAMES", "@scheme,", "schemes, with commas between them (all that there are)"},
    {"signal", 0, "EXPR", NULL, "what is compared; may be given several times (all positions)"},
    {"at", 0, "T", NULL, "time of the comparison in s (the scene's end)"},
    {"reference", 0, "WHAT", "*", "finest (default), scene, a record (….h5), or an expression"},
    {"output", 'o', "OUT", "*", "folder for table and plot (NAME-convergence)"},
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene: --set solver.tolerance=1e-8"},
    {"no-plots", 0, NULL, NULL, "do not draw"},
    {"format", 'f', "svg|png", "svg|png", "of the plot (svg)"},
    {"threads", 't', "N", NULL, "threads the solver may use (1)"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

static bool collect(const ss_cli_arguments *arguments, const char *option, ss_cli_names *words)
{
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, option) == 0 &&
            !ss_cli_names_add(words, arguments->given[i].value))
            return false;
    return true;
}

static bool choose_signals(const ss_model *model, ss_cli_study *study)
{
    if (!collect(study->arguments, "signal", &study->signals))
        return false;
    bool given = study->signals.count > 0;
    for (int i = 0; i < ss_model_sizes(model).n_q && !given; i++)
        if (!ss_cli_names_add(&study->signals, ss_model_q_name(model, i).text))
            return false;
    for (int i = 0; i < study->signals.count; i++) {
        ss_text text = {study->signals.items[i], {0}};
        if (ss_record_check_expression(model, &text) != SS_OK) {
            ss_cli_print_failure(study->session);
            return false;
        }
    }
    return true;
}

/* Signals and closed forms of the scene's plots. */
static bool take_from_scene(const ss_scene *scene, ss_cli_study *study)
{
    if (ss_cli_has(study->arguments, "signal")) {
        ss_cli_error(
            "--reference scene goes without --signal: the scene says what has a closed form");
        return false;
    }
    for (int i = 0; i < ss_scene_plot_count(scene); i++) {
        ss_plot plot = ss_scene_plot(scene, i);
        for (int k = 0; plot.exact && k < plot.n_y; k++)
            if (!ss_cli_names_add(&study->signals, plot.y[k]) ||
                !ss_cli_names_add(&study->references, plot.exact[k]))
                return false;
    }
    study->kind = SS_CLI_EXPRESSION;
    if (study->signals.count == 0)
        ss_cli_error("the scene has no closed form; the key 'exact' of a plot gives one");
    return study->signals.count > 0;
}

static bool wants_scene(const ss_cli_study *study)
{
    const char *reference = ss_cli_value(study->arguments, "reference");
    return reference && strcmp(reference, "scene") == 0;
}

static bool choose_reference(const ss_model *model, ss_cli_study *study)
{
    ss_cli_names *references = &study->references;
    if (!collect(study->arguments, "reference", references))
        return false;
    const char *first = references->count ? references->items[0] : "finest";
    study->kind = SS_CLI_EXPRESSION;
    if (references->count <= 1 && strcmp(first, "finest") == 0)
        study->kind = SS_CLI_FINEST;
    else if (references->count == 1 && ss_cli_ends_with(first, ".h5"))
        study->kind = SS_CLI_RECORD;
    if (study->kind != SS_CLI_EXPRESSION)
        return true;
    if (references->count != study->signals.count) {
        ss_cli_error(
            "%d signals need %d expressions as --reference, not %d; --signal names signals",
            study->signals.count, study->signals.count, references->count);
        return false;
    }
    for (int i = 0; i < references->count; i++) {
        ss_text text = {references->items[i], {0}};
        if (ss_record_check_expression(model, &text) != SS_OK) {
            ss_cli_print_failure(study->session);
            return false;
        }
    }
    return true;
}

static void name_headings(const ss_cli_study *study, ss_cli_table *table)
{
    ss_cli_table_begin(table, 5);
    ss_cli_table_text(table, "scheme");
    ss_cli_table_text(table, study->sweep.steps ? "step/s" : study->sweep.setting);
    ss_cli_table_text(table, "error");
    ss_cli_table_text(table, "order");
    ss_cli_table_text(table, "cpu/s");
}

/* Orders stand between an error and the one before. */
static void add_scheme(const ss_cli_study *study, int scheme, ss_cli_table *table)
{
    double h_ref = ss_cli_study_reference_step(study, scheme);
    const ss_cli_point *points = ss_cli_study_points(study, scheme);
    for (int i = 0; i < study->sweep.count; i++) {
        const ss_cli_point *p = &points[i];
        if (!p->values)
            continue;
        double order = (double)NAN;
        if (i > 0 && p->error > p->floor && p[-1].error > p[-1].floor)
            order = ss_cli_order_between((ss_cli_error_at){p[-1].h, p[-1].error},
                                         (ss_cli_error_at){p->h, p->error}, h_ref);
        ss_cli_table_text(table, study->schemes.items[scheme]);
        ss_cli_table_number(table, "%.4g", p->h);
        ss_cli_table_number(table, "%.4g", p->error);
        ss_cli_table_number(table, "%.2f", order);
        ss_cli_table_number(table, "%.3g", p->cpu);
    }
}

static void add_fit(const ss_cli_study *study, int scheme, ss_cli_table *fits, int *measured)
{
    ss_cli_error_at errors[SS_CLI_SWEEP];
    size_t count = ss_cli_study_errors(study, scheme, errors);
    if (count < 2)
        return;
    ++*measured;
    double h_ref = ss_cli_study_reference_step(study, scheme);
    ss_cli_table_text(fits, study->schemes.items[scheme]);
    ss_cli_table_number(fits, "%.2f", ss_cli_order_fit(count, errors, h_ref));
    ss_cli_table_number(fits, "%.0f", (double)count);
}

static void print_reasons(const ss_cli_study *study)
{
    for (int i = 0; i < study->schemes.count; i++)
        if (study->reasons[i][0])
            printf("  %s: %s\n", study->schemes.items[i], study->reasons[i]);
}

/* Prints everything; *measured is how many schemes have an order. */
static bool write_results(const ss_cli_study *study, const char *folder, int *measured)
{
    char file[SS_CLI_PATH];
    ss_cli_table table, fits;
    name_headings(study, &table);
    ss_cli_table_begin(&fits, 3);
    ss_cli_table_text(&fits, "scheme");
    ss_cli_table_text(&fits, "order (fit)");
    ss_cli_table_text(&fits, "errors");
    for (int i = 0; i < study->schemes.count; i++) {
        add_scheme(study, i, &table);
        add_fit(study, i, &fits, measured);
    }
    ss_cli_table_print(&table);
    putchar('\n');
    ss_cli_table_print(&fits);
    print_reasons(study);
    bool good = ss_cli_join(folder, "table", ".csv", sizeof file, file) &&
                ss_cli_table_write_csv(&table, file);
    ss_cli_table_release(&table);
    ss_cli_table_release(&fits);
    return good;
}

static void draw(const ss_cli_study *study, const char *title, const char *folder,
                 const char *format)
{
    char ending[8], file[SS_CLI_PATH];
    snprintf(ending, sizeof ending, ".%s", format);
    if (!ss_cli_join(folder, "convergence", ending, sizeof file, file))
        return;
    ss_cli_drawing drawing = ss_cli_study_draw(study, title, file);
    if (drawing == SS_CLI_NO_GNUPLOT)
        ss_cli_miss_gnuplot();
    if (drawing == SS_CLI_DRAWN)
        printf("\n%s\n", file);
}

static bool choose_folder(const ss_scene *scene, const char *out, char *folder)
{
    char name[256];
    ss_cli_file_name(ss_scene_name(scene), sizeof name, name);
    bool fits = out ? ss_cli_join("", out, "", SS_CLI_PATH, folder)
                    : ss_cli_join("", name, "-convergence", SS_CLI_PATH, folder);
    return fits && ss_cli_make_folder(folder);
}

static bool has_runs(const ss_cli_study *study)
{
    for (int i = 0; i < study->schemes.count * study->sweep.count; i++)
        if (study->points[i].values)
            return true;
    return false;
}

static int run_study(ss_cli_study *study, ss_scene *scene)
{
    char folder[SS_CLI_PATH];
    const char *format;
    const ss_cli_arguments *arguments = study->arguments;
    int measured = 0;
    if (!ss_cli_plot_format(arguments, &format) ||
        !choose_folder(scene, ss_cli_value(arguments, "output"), folder))
        return SS_CLI_BAD_INPUT;
    ss_status status = ss_cli_study_run(study);
    if (status == SS_STOPPED) {
        ss_cli_error("interrupted");
        return 128 + ss_cli_signal();
    }
    if (status != SS_OK) {
        ss_cli_print_failure(study->session);
        return SS_CLI_FAILED;
    }
    bool written = write_results(study, folder, &measured);
    if (!has_runs(study)) {
        ss_cli_error("no run came to its end");
        return SS_CLI_FAILED;
    }
    if (!ss_cli_has(arguments, "no-plots"))
        draw(study, ss_scene_name(scene), folder, format);
    if (measured == 0)
        ss_cli_error("no scheme has two errors above rounding: there is no order to measure");
    return measured > 0 && written ? SS_CLI_DONE : SS_CLI_FAILED;
}

static int prepare(ss_cli_study *study, ss_scene *scene)
{
    const ss_model *model = ss_scene_model(scene);
    study->at = ss_simulation_settings(ss_scene_simulation(scene))->end;
    if (study->sweep.steps)
        ss_cli_sweep_divide(study->at, &study->sweep);
    bool chosen = wants_scene(study)
                      ? take_from_scene(scene, study)
                      : choose_signals(model, study) && choose_reference(model, study);
    if (!chosen || !ss_cli_schemes(study->session, study->arguments, &study->schemes))
        return SS_CLI_BAD_INPUT;
    if (ss_cli_study_begin(study) != SS_OK) {
        ss_cli_print_failure(study->session);
        return SS_CLI_BAD_INPUT;
    }
    if (!ss_cli_scratch_make(&study->scratch))
        return SS_CLI_FAILED;
    int code = run_study(study, scene);
    ss_cli_scratch_remove(&study->scratch);
    return code;
}

/* A setting of --set that `option` would replace. */
static bool sets(const ss_cli_arguments *arguments, const char *setting, const char *option)
{
    size_t length = strlen(setting);
    for (int i = 0; i < arguments->n_given; i++) {
        const char *value = arguments->given[i].value;
        if (strcmp(arguments->given[i].option->name, "set") != 0 ||
            strncmp(value, setting, length) != 0 || value[length] != '=')
            continue;
        ss_cli_error("--set %s does nothing here: give it with --%s", value, option);
        return true;
    }
    return false;
}

static int start(ss_cli_session *session, const ss_cli_arguments *arguments)
{
    char end[256];
    const char *settings[] = {end}, *at = ss_cli_value(arguments, "at");
    ss_cli_changes changes = {.without = "scheme.", .n_after = at ? 1 : 0, .after = settings};
    ss_cli_study study = {.session = session, .arguments = arguments};
    ss_scene *scene;
    const char *over = ss_cli_value(arguments, "over");
    snprintf(end, sizeof end, "simulation.end=%s", at ? at : "");
    if (!ss_cli_sweep_parse(over ? over : "step=1e-2:1e-4:7", &study.sweep))
        return SS_CLI_BAD_INPUT;
    if (sets(arguments, study.sweep.setting, "over") ||
        (at && sets(arguments, "simulation.end", "at")))
        return SS_CLI_BAD_INPUT;
    if (ss_cli_load_changed(session, arguments, &changes, &scene) != SS_OK) {
        ss_cli_print_failure(session);
        return SS_CLI_BAD_INPUT;
    }
    int code = prepare(&study, scene);
    ss_cli_study_release(&study);
    ss_scene_destroy(scene);
    return code;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    if (!ss_cli_count(&ss_cli_convergence, arguments, 1, -1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = start(&session, arguments);
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_convergence = {
    .name = "convergence",
    .operands = "SCENE [name=value …] [--over step=1e-2:1e-5:7] [--schemes a,b,c] [--signal EXPR]",
    .choices = "*.yaml",
    .summary = "measure how fast the error of a scheme falls with the step",
    .details =
        "Runs a scene with several steps and schemes up to the time T of --at, compares signals "
        "there with a\n"
        "reference, and prints each error, the order between it and the one before, and the order "
        "that fits all\n"
        "errors best. The error is the largest difference of any signal. It is drawn over the "
        "step, both\n"
        "logarithmic; table.csv has all digits.\n"
        "\n"
        "--over step=FIRST:LAST:COUNT spaces steps evenly on a logarithmic scale and adjusts them, "
        "so that a\n"
        "whole number of them makes T. KEY may be any other setting, such as "
        "simulation.step_max.\n"
        "\n"
        "The reference is\n"
        "  finest   the run of the same scheme with the smallest step (default); the order takes "
        "into account\n"
        "           that this run has an error, too\n"
        "  scene    the closed forms that plots of the scene have (their key exact), with their "
        "signals\n"
        "  EXPR     a closed form of t and the scene's parameters, one for each --signal\n"
        "  FILE.h5  a record with a state at T\n"
        "\n"
        "Errors near rounding (below 2e-13 of the signal) are left out. Those near the solver's "
        "tolerance are not:\n"
        "choose a tolerance below the errors that are to be seen.\n"
        "\n"
        "Exit status: 0 when an order was measured, 1 when none was, 2 bad input, 130 or 143 "
        "interrupted.",
    .examples =
        "  stickslip convergence linear_oscillator.yaml --schemes moreau,theta --at 1 --signal x "
        "\\\n"
        "      --reference 'cos(sqrt(c/m)*t)' --over step=1e-2:1e-4:5\n"
        "  stickslip convergence pendulum.yaml --over step=0.02:0.0005:6 --at 1\n"
        "  stickslip convergence pendulum.yaml --signal x --signal y --reference fine.h5 --at 1\n",
    .options = options,
    .run = run,
};
