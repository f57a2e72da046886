/* compare.c: stickslip compare. */
#include "commands/interrupt.h"
#include "commands/order.h"
#include "commands/simulate.h"
#include "commands/variants.h"
#include "figures/figure_style.h"
#include "figures/overlay.h"
#include "figures/overview.h"
#include "figures/plots.h"
#include "json.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ss_cli_option options[] = {
    SS_CLI_VARIANTS,
    {"steps", 0, "STEPS", NULL, "sizes of steps in s, with commas between them (the scene's)"},
    {"output", 'o', "OUT", "*", "folder for table, plots and records (NAME-compare)"},
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene: --set solver.tolerance=1e-8"},
    {"no-plots", 0, NULL, NULL, "do not draw the scene's plots"},
    {"format", 'f', "svg|png", "svg|png", "of the plots (svg)"},
    {"json", 0, NULL, NULL, "print everything as JSON"},
    {"threads", 't', "N", NULL, "threads the solver may use (1)"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

typedef struct comparison {
    ss_cli_session session;
    const ss_cli_arguments *arguments;
    ss_scene *scene; /* as it is, for its name and its plots */
    ss_cli_variants variants;
    ss_cli_names steps;
    char folder[SS_CLI_PATH];
    const char *format;
    int count;
    ss_cli_trial *trials; /* variant by variant, each with all steps */
    double *q;            /* positions at their ends: memory */
} comparison;

typedef struct trial_settings {
    char step[128], every[64];
    const char *all[2];
} trial_settings;

static const char *step_of(const comparison *c, int trial)
{
    return c->steps.count ? c->steps.items[trial % c->steps.count] : NULL;
}

static int n_q(const comparison *c)
{
    return ss_model_sizes(ss_scene_model(c->scene)).n_q;
}

static int n_steps(const comparison *c)
{
    return c->steps.count ? c->steps.count : 1;
}

/* "moreau", or "moreau 1e-3" when there are several steps. */
static void name_trial(const comparison *c, int trial, const char *between, size_t capacity,
                       char *name)
{
    const char *step = c->steps.count ? step_of(c, trial) : NULL;
    snprintf(name, capacity, "%s%s%s", c->trials[trial].name, step ? between : "",
             step ? step : "");
}

static bool sets_record(const ss_cli_arguments *arguments)
{
    for (int i = 0; i < arguments->n_given; i++)
        if (strcmp(arguments->given[i].option->name, "set") == 0 &&
            strncmp(arguments->given[i].value, "record.", 7) == 0)
            return true;
    return false;
}

/* The step of a trial, and as many recorded states as a picture needs: what the scene says is meant
 * for its own step. */
static void set_step(const comparison *c, int i, trial_settings *s, ss_cli_trial *trial)
{
    const double most = 20000; /* recorded states */
    double end = ss_simulation_settings(ss_scene_simulation(c->scene))->end;
    double every = fmin(fmax(end / strtod(step_of(c, i), NULL) / most, 1), 1e9);
    snprintf(s->step, sizeof s->step, "simulation.step=%s", step_of(c, i));
    snprintf(s->every, sizeof s->every, "record.every=%.0f", every);
    s->all[0] = s->step;
    s->all[1] = s->every;
    trial->settings = s->all;
    trial->n_settings = sets_record(c->arguments) ? 1 : 2;
}

static bool run_one(comparison *c, int i)
{
    char name[256], base[256];
    trial_settings settings;
    int variant = i / n_steps(c);
    ss_cli_trial *trial = &c->trials[i];
    trial->name = c->variants.names[variant];
    if (c->steps.count)
        set_step(c, i, &settings, trial);
    name_trial(c, i, "-", sizeof name, name);
    ss_cli_file_name(name, sizeof base, base);
    if (!ss_cli_join(c->folder, base, ".h5", sizeof trial->record, trial->record))
        return false;
    ss_status status = ss_cli_variants_run(&c->variants, variant, &c->session, c->arguments, trial);
    trial->settings = NULL;
    trial->n_settings = 0;
    if (status == SS_STOPPED)
        ss_cli_error("interrupted while %s was running", name);
    else if (status != SS_OK)
        ss_cli_print_failure(&c->session);
    return status == SS_OK;
}

static double distance(const comparison *c, const ss_cli_trial *a, const ss_cli_trial *b)
{
    double most = 0;
    for (int i = 0; i < n_q(c); i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

/* The order of the end positions of a scheme, from its steps but the finest, which is what they are
 * compared with; NaN when there are less than three, or when a run ended early. */
static double order_of(const comparison *c, int scheme)
{
    const ss_cli_trial *trials = c->trials + scheme * n_steps(c);
    ss_cli_error_at errors[64];
    int finest = 0, count = 0;
    if ((scheme + 1) * n_steps(c) > c->count)
        return NAN; /* interrupted */
    for (int i = 0; i < n_steps(c); i++) {
        if (trials[i].end != SS_CLI_ENDED)
            return NAN;
        if (c->steps.count && strtod(step_of(c, i), NULL) < strtod(step_of(c, finest), NULL))
            finest = i;
    }
    for (int i = 0; i < n_steps(c) && count < 64; i++) {
        double error = distance(c, &trials[i], &trials[finest]);
        if (i != finest && error > 0)
            errors[count++] = (ss_cli_error_at){strtod(step_of(c, i), NULL), error};
    }
    return count < 2 ? NAN
                     : ss_cli_order_fit((size_t)count, errors, strtod(step_of(c, finest), NULL));
}

static void add_trial(const comparison *c, int i, ss_cli_table *table)
{
    const ss_cli_trial *trial = &c->trials[i];
    const ss_statistics *sums = &trial->sums;
    double mean = sums->steps ? trial->t / (double)sums->steps : (double)NAN;
    ss_cli_variants_cells(&c->variants, i / n_steps(c), table);
    ss_cli_table_number(table, "%.4g", c->steps.count ? strtod(step_of(c, i), NULL) : mean);
    ss_cli_table_number(table, "%.3g", trial->drift);
    ss_cli_table_number(table, "%.3g", trial->balance);
    ss_cli_table_number(table, "%.2f", order_of(c, i / n_steps(c)));
    ss_cli_table_number(table, "%.0f", (double)sums->switches);
    ss_cli_table_number(table, "%.0f", (double)sums->iterations);
    ss_cli_table_number(table, "%.0f", (double)sums->failures);
    ss_cli_table_number(table, "%.3g", trial->cpu);
    ss_cli_table_number(table, "%.4g", trial->t);
}

static void fill_table(const comparison *c, ss_cli_table *table)
{
    static const char *const headings[] = {"step/s",   "drift/m",  "energy error/J",
                                           "order",    "switches", "iterations",
                                           "failures", "cpu/s",    "end/s"};
    enum { COLUMNS = sizeof headings / sizeof *headings };
    ss_cli_table_begin(table, c->variants.n_axes + COLUMNS);
    ss_cli_variants_headings(&c->variants, table);
    for (int i = 0; i < COLUMNS; i++)
        ss_cli_table_text(table, headings[i]);
    for (int i = 0; i < c->count; i++)
        if (c->trials[i].end != SS_CLI_REFUSED)
            add_trial(c, i, table);
}

/* Once for all steps of a scheme when the reason is the same. */
static void print_reasons(const comparison *c, ss_cli_trial_end end, const char *heading)
{
    bool any = false;
    for (int i = 0; i < c->count; i++) {
        const ss_cli_trial *trial = &c->trials[i];
        char name[256];
        if (trial->end != end || (i % n_steps(c) > 0 && trial[-1].end == end &&
                                  strcmp(trial->reason, trial[-1].reason) == 0))
            continue;
        if (end == SS_CLI_REFUSED)
            snprintf(name, sizeof name, "%s", trial->name);
        else
            name_trial(c, i, " ", sizeof name, name);
        if (!any)
            printf("\n%s\n", heading);
        any = true;
        printf("  %s: %s\n", name, trial->reason);
    }
}

static bool write_results(const comparison *c)
{
    char file[SS_CLI_PATH];
    ss_cli_table table;
    fill_table(c, &table);
    if (!ss_cli_has(c->arguments, "json")) {
        ss_cli_table_print(&table);
        print_reasons(c, SS_CLI_BROKEN, "ended early:");
        print_reasons(c, SS_CLI_REFUSED, "refused:");
    }
    bool good = ss_cli_join(c->folder, "table", ".csv", sizeof file, file) &&
                ss_cli_table_write_csv(&table, file);
    ss_cli_table_release(&table);
    return good;
}

static ss_cli_drawing draw_plot(comparison *c, int index, int count, const ss_cli_curve *curves)
{
    char name[256], ending[8], file[SS_CLI_PATH];
    ss_plot plot = ss_scene_plot(c->scene, index);
    ss_cli_file_name(plot.name, sizeof name, name);
    snprintf(ending, sizeof ending, ".%s", c->format);
    if (!ss_cli_join(c->folder, name, ending, sizeof file, file))
        return SS_CLI_NOT_DRAWN;
    return ss_cli_overlay(&c->session, count, curves, &plot, file);
}

/* Everything in the table, in one picture. */
static ss_cli_drawing draw_overview(const comparison *c)
{
    char file[SS_CLI_PATH], ending[8];
    int n_schemes = c->count / n_steps(c);
    double *orders = calloc((size_t)n_schemes + 1, sizeof *orders);
    for (int i = 0; orders && i < n_schemes; i++)
        orders[i] = order_of(c, i);
    snprintf(ending, sizeof ending, ".%s", c->format);
    ss_cli_overview overview = {
        .title = ss_scene_name(c->scene),
        .n_schemes = n_schemes,
        .n_steps = n_steps(c),
        .trials = c->trials,
        .steps = c->steps.count ? (const char *const *)c->steps.items : NULL,
        .orders = orders,
    };
    ss_cli_drawing drawing = SS_CLI_NOT_DRAWN;
    if (orders && ss_cli_join(c->folder, "overview", ending, sizeof file, file))
        drawing = ss_cli_overview_draw(&overview, file);
    free(orders);
    return drawing;
}

typedef char trial_name[256];

static void draw_plots(comparison *c)
{
    ss_cli_curve *curves = calloc((size_t)c->count, sizeof *curves);
    trial_name *names = calloc((size_t)c->count, sizeof *names);
    int count = 0, drawn = 0, wanted = ss_scene_plot_count(c->scene);
    ss_cli_drawing drawing = SS_CLI_DRAWN;
    for (int i = 0; curves && names && i < c->count; i++)
        if (c->trials[i].end != SS_CLI_REFUSED) {
            name_trial(c, i, " ", sizeof names[i], names[i]);
            curves[count++] = (ss_cli_curve){c->trials[i].record, names[i]};
        }
    for (int i = 0; count > 0 && i < wanted && drawing != SS_CLI_NO_GNUPLOT; i++) {
        drawing = draw_plot(c, i, count, curves);
        drawn += drawing == SS_CLI_DRAWN;
    }
    if (count > 0 && drawing != SS_CLI_NO_GNUPLOT)
        drawing = draw_overview(c);
    if (drawing == SS_CLI_NO_GNUPLOT)
        ss_cli_miss_gnuplot();
    free(curves);
    free(names);
    if (!ss_cli_has(c->arguments, "json"))
        printf("\n%d of %d plots, table and records in %s/\n", drawn, wanted, c->folder);
}

static int exit_code(const comparison *c)
{
    int ended = 0, refused = 0;
    for (int i = 0; i < c->count; i++) {
        ended += c->trials[i].end == SS_CLI_ENDED;
        refused += c->trials[i].end == SS_CLI_REFUSED;
    }
    if (refused == c->count) {
        ss_cli_error("no %s can treat this scene", c->variants.n_axes > 1 ? "variant" : "scheme");
        return SS_CLI_BAD_INPUT;
    }
    if (ended == 0)
        ss_cli_error("no scheme came to the end of the scene");
    return ended > 0 ? SS_CLI_DONE : SS_CLI_FAILED;
}

static void write_trial(const comparison *c, int i, ss_cli_json *json)
{
    static const char *const ends[] = {"refused", "ended early", "ended"};
    const ss_cli_trial *trial = &c->trials[i];
    const ss_statistics *sums = &trial->sums;
    bool ran = trial->end != SS_CLI_REFUSED;
    ss_cli_json_open(json, NULL, '{');
    ss_cli_variants_write(&c->variants, i / n_steps(c), json);
    if (c->steps.count)
        ss_cli_json_number(json, "step", strtod(step_of(c, i), NULL));
    ss_cli_json_text(json, "outcome", ends[trial->end]);
    ss_cli_json_text(json, "reason", trial->reason);
    ss_cli_json_number(json, "drift", ran ? trial->drift : (double)NAN);
    ss_cli_json_number(json, "energy_error", ran ? trial->balance : (double)NAN);
    ss_cli_json_number(json, "order", ran ? order_of(c, i / n_steps(c)) : (double)NAN);
    ss_cli_json_number(json, "steps", (double)sums->steps);
    ss_cli_json_number(json, "switches", (double)sums->switches);
    ss_cli_json_number(json, "iterations", (double)sums->iterations);
    ss_cli_json_number(json, "failures", (double)sums->failures);
    ss_cli_json_number(json, "cpu", trial->cpu);
    ss_cli_json_number(json, "end", trial->t);
    ss_cli_json_text(json, "record", ran ? trial->record : "");
    ss_cli_json_close(json, '}');
}

static void print_json(const comparison *c)
{
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "name", ss_scene_name(c->scene));
    ss_cli_json_text(&json, "version", ss_version());
    ss_cli_json_text(&json, "folder", c->folder);
    ss_cli_json_open(&json, "runs", '[');
    for (int i = 0; i < c->count; i++)
        write_trial(c, i, &json);
    ss_cli_json_close(&json, ']');
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

static bool check_steps(const ss_cli_names *steps)
{
    for (int i = 0; i < steps->count; i++) {
        char *end;
        double step = strtod(steps->items[i], &end);
        if (*end || !(step > 0) || isinf(step)) {
            ss_cli_error("--steps has '%s'; a step is a positive number in s", steps->items[i]);
            return false;
        }
    }
    return true;
}

static bool choose_folder(comparison *c)
{
    const char *out = ss_cli_value(c->arguments, "output");
    char name[256];
    ss_cli_file_name(ss_scene_name(c->scene), sizeof name, name);
    bool fits = out ? ss_cli_join("", out, "", sizeof c->folder, c->folder)
                    : ss_cli_join("", name, "-compare", sizeof c->folder, c->folder);
    return fits && ss_cli_make_folder(c->folder);
}

static bool prepare(comparison *c)
{
    const char *steps = ss_cli_value(c->arguments, "steps");
    if (!ss_cli_plot_format(c->arguments, &c->format) ||
        !ss_cli_names_split(steps ? steps : "", &c->steps) || !check_steps(&c->steps) ||
        !choose_folder(c))
        return false;
    c->count = c->variants.count * n_steps(c);
    c->trials = calloc((size_t)c->count, sizeof *c->trials);
    c->q = calloc((size_t)c->count * (size_t)n_q(c) + 1, sizeof *c->q);
    if (!c->trials || !c->q)
        ss_cli_error("out of memory");
    for (int i = 0; c->trials && c->q && i < c->count; i++)
        c->trials[i].q = c->q + i * n_q(c);
    return c->trials && c->q;
}

/* Runs all; what is left out after a signal or a fault is no longer counted. */
static bool run_all(comparison *c)
{
    for (int i = 0; i < c->count; i++)
        if (!run_one(c, i)) {
            c->count = i;
            return false;
        }
    return true;
}

static int compare(comparison *c)
{
    if (!prepare(c))
        return SS_CLI_BAD_INPUT;
    bool all = run_all(c), written = write_results(c);
    if (!all)
        return ss_cli_signal() ? 128 + ss_cli_signal() : SS_CLI_FAILED;
    if (!ss_cli_has(c->arguments, "no-plots"))
        draw_plots(c);
    if (ss_cli_has(c->arguments, "json"))
        print_json(c);
    int code = exit_code(c);
    return code == SS_CLI_DONE && !written ? SS_CLI_FAILED : code;
}

static int run(const ss_cli_arguments *arguments)
{
    comparison c = {.arguments = arguments};
    if (!ss_cli_count(&ss_cli_compare_command, arguments, 1, -1) ||
        !ss_cli_session_begin(&c.session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (ss_cli_variants_read(&c.session, arguments, &c.variants) &&
        !(ss_cli_has(arguments, "steps") &&
          ss_cli_variants_have(&c.variants, arguments, "simulation.step", "--steps")) &&
        ss_cli_variants_load(&c.variants, &c.session, arguments, NULL, &c.scene))
        code = compare(&c);
    free(c.trials);
    free(c.q);
    ss_cli_variants_release(&c.variants);
    ss_cli_names_release(&c.steps);
    if (c.scene)
        ss_scene_destroy(c.scene);
    ss_cli_session_end(&c.session);
    return code;
}

const ss_cli_command ss_cli_compare_command = {
    .name = "compare",
    .operands = "SCENE [name=value …] [--schemes a,b,c] [--solvers a,b] [--simulations a,b] "
                "[--each KEY=a,b] "
                "[--steps 1e-3,1e-4] [-o OUT]",
    .choices = "*.yaml",
    .summary = "run a scene with several schemes, solvers, simulations or settings, and compare",
    .details =
        "Runs a scene once with every scheme of --schemes, solver of --solvers, simulation of "
        "--simulations and\n"
        "value of --each, all with each other, and with every step size of --steps. Where none is "
        "given, all\n"
        "schemes are compared. It prints a table:\n"
        "\n"
        "  drift         worst penetration of a contact, or distance of a closed constraint from "
        "its surface\n"
        "  energy error  worst error of the energy balance: what is there, less what was at first "
        "and came in,\n"
        "                more what was dissipated\n"
        "  order         of the positions at the end, by three steps or more, the finest being the "
        "reference\n"
        "  switches      changes of mode of all laws\n"
        "  iterations    of the solver, in all\n"
        "  failures      solves that did not converge\n"
        "  cpu           time of the processor for the steps alone\n"
        "\n"
        "overview.svg shows drift, energy error, order and processor time of all schemes in one "
        "picture.\n"
        "The plots that the scene declares are drawn with the curves of all schemes on top of each "
        "other, the\n"
        "signals of a plot below each other. Table (table.csv), plots and a record of every run go "
        "to the\n"
        "folder OUT. Other options of a scheme than its defaults are taken from the scene when it "
        "has that scheme,\n"
        "or from --set scheme.KEY=VALUE; those of solvers and simulations, too. What is compared "
        "cannot be --set.\n"
        "\n"
        "Schemes that cannot treat the scene are listed with their reason; so are runs that end "
        "early.\n"
        "\n"
        "Exit status: 0 when a run came to its end, 1 when none did, 2 bad input, 130 or 143 "
        "interrupted.",
    .examples =
        "  stickslip compare pendulum.yaml\n"
        "  stickslip compare pendulum.yaml --schemes moreau,theta,ggl --steps 0.1,0.05\n"
        "  stickslip compare woodpecker.yaml --solvers sorprox,newton --each "
        "solver.tolerance=1e-6,1e-10\n"
        "  stickslip compare woodpecker.yaml mu=0.25 --schemes moreau,theta -o out -f png\n",
    .options = options,
    .run = run,
};
