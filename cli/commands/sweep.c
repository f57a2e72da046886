/* sweep.c: stickslip sweep. */
#include "commands/interrupt.h"
#include "commands/simulate.h"
#include "figures/plots.h"
#include "figures/runs_figure.h"
#include "json.h"
#include "studies/journal.h"
#include "studies/pool.h"
#include "studies/runs.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const ss_cli_option options[] = {
    {"result", 'r', "[NAME=][HOW:]EXPR", NULL,
     "a column: last (default), first, min, max or mean of an expression; may be given again"},
    {"over", 0, "KEY=VALUES", NULL, "vary a setting, as --set names it; may be given again"},
    {"sample", 0, "HOW", "grid|list|latin", "all combinations (default), a list, or drawn"},
    {"seed", 0, "N", NULL, "of --sample latin (1)"},
    {"jobs", 'j', "N", NULL, "runs at a time (as many as processors); results do not depend on it"},
    {"output", 'o', "OUT", "*", "folder for table, plot and journal (NAME-sweep)"},
    {"keep-records", 0, NULL, NULL, "keep the record of every run, in OUT/records"},
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene: --set solver.tolerance=1e-8"},
    {"no-plots", 0, NULL, NULL, "do not draw"},
    {"format", 'f', "svg|png", "svg|png", "of the plot (svg)"},
    {"json", 0, NULL, NULL, "print everything as JSON"},
    {"threads", 't', "N", NULL, "threads the solver may use in each run (1)"},
    SS_CLI_ALLOW,
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

typedef struct sweep {
    ss_cli_session session;
    const ss_cli_arguments *arguments;
    ss_scene *scene; /* of the first run that can be loaded */
    ss_cli_runs runs;
    ss_cli_journal journal;
    char folder[SS_CLI_PATH];
    const char *format;
    int jobs, before; /* runs that were done before */
} sweep;

/* ---- Before anything is written ---- */

/* Whether "NAME=value" gives a value to an axis. */
static bool is_given(const ss_cli_axis *axis, const char *given, bool setting)
{
    static const char section[] = "parameters.";
    size_t skip = setting && !axis->setting ? sizeof section - 1 : 0;
    size_t length = strlen(axis->name);
    if (!setting && axis->setting)
        return false;
    return strncmp(given, section, skip) == 0 && strncmp(given + skip, axis->name, length) == 0 &&
           given[skip + length] == '=';
}

static bool check_axis(const sweep *s, const ss_cli_axis *axis)
{
    const ss_cli_plan *plan = &s->runs.plan;
    const char *twice = NULL;
    for (int i = 0; i < s->arguments->n_given; i++)
        if (strcmp(s->arguments->given[i].option->name, "set") == 0 &&
            is_given(axis, s->arguments->given[i].value, true))
            twice = s->arguments->given[i].value;
    for (int i = 0; i < plan->n_fixed; i++)
        if (is_given(axis, plan->fixed[i], false))
            twice = plan->fixed[i];
    if (twice)
        ss_cli_error("'%s': '%s' is varied already", twice, axis->name);
    return !twice;
}

/* What is varied is not set, and columns have different names. */
static bool check_names(const sweep *s)
{
    const ss_cli_plan *plan = &s->runs.plan;
    for (int axis = 0; axis < plan->n_axes; axis++) {
        const char *name = plan->axes[axis].name;
        if (!check_axis(s, &plan->axes[axis]))
            return false;
        for (int i = 0; i < s->runs.results.count; i++)
            if (strcmp(s->runs.results.items[i].name, name) == 0) {
                ss_cli_error("a result and what is varied are both named '%s'; give the result "
                             "another name, NAME=EXPRESSION",
                             name);
                return false;
            }
    }
    return true;
}

/* The first run that can be loaded: what is wrong with the scene, or with every run, is said here. */
static bool find_scene(sweep *s)
{
    enum { TRIES = 64 };
    char message[2048] = "";
    int count = s->runs.plan.count, tries = count < TRIES ? count : TRIES;
    for (int i = 0; i < tries; i++) {
        int run = tries == count ? i : (int)((double)i * (count - 1) / (tries - 1));
        if (ss_cli_runs_load(&s->runs, &s->session, run, &s->scene) == SS_OK)
            return true;
        if (i == 0)
            snprintf(message, sizeof message, "%s", ss_context_message(s->session.context));
    }
    ss_cli_error("%s", message);
    return false;
}

static bool choose_places(sweep *s)
{
    char name[256], lock[SS_CLI_PATH];
    const char *out = ss_cli_value(s->arguments, "output");
    ss_cli_file_name(ss_scene_name(s->scene), sizeof name, name);
    s->runs.keep = ss_cli_has(s->arguments, "keep-records");
    bool good = out ? ss_cli_join("", out, "", sizeof s->folder, s->folder)
                    : ss_cli_join("", name, "-sweep", sizeof s->folder, s->folder);
    good = good && ss_cli_make_folder(s->folder) &&
           ss_cli_join(s->folder, "sweep", "", sizeof lock, lock) && ss_cli_claim(lock);
    return good && ss_cli_join(s->folder, "records", "", sizeof s->runs.records, s->runs.records) &&
           ss_cli_make_folder(s->runs.records);
}

/* ---- Runs ---- */

static uint64_t key_of(const sweep *s)
{
    char text[64];
    const ss_cli_plan *plan = &s->runs.plan;
    uint64_t key = ss_cli_hash(SS_CLI_HASH, ss_version());
    key = ss_cli_hash(key, ss_scene_text(s->scene));
    key = ss_cli_hash(key, s->runs.keep ? "records" : "");
    for (int i = 0; i < s->runs.results.count; i++) {
        const ss_cli_result *result = &s->runs.results.items[i];
        snprintf(text, sizeof text, "%d", (int)result->reduction);
        key = ss_cli_hash(ss_cli_hash(key, text), result->name);
        key = ss_cli_hash(key, result->expression ? result->expression : result->name);
    }
    for (int i = 0; i < plan->n_axes; i++) {
        key = ss_cli_hash(key, plan->axes[i].name);
        for (int run = 0; run < plan->count; run++) {
            char value[SS_CLI_AXIS_NAME + 512];
            ss_cli_plan_assign(plan, run, i, sizeof value, value);
            key = ss_cli_hash(key, value);
        }
    }
    snprintf(text, sizeof text, "%u", s->runs.allowed);
    return ss_cli_hash(key, text);
}

static void take_line(void *user, const char *line)
{
    sweep *s = user;
    char *rest = NULL;
    long run = strtol(line, &rest, 10);
    if (*rest == '\t' && run >= 0 && run < s->runs.plan.count &&
        ss_cli_runs_take(&s->runs, (int)run, rest + 1))
        s->before++;
}

static bool is_wanted(void *user, int run)
{
    return ((sweep *)user)->runs.outcomes[run].end == SS_CLI_RUN_MISSING;
}

static void work(void *user, int run, FILE *out)
{
    ss_cli_runs_work(&((sweep *)user)->runs, run, out);
}

/* Runs that crashed are not in the journal: they are tried again the next time. */
static bool take(void *user, int run, const char *text, const char *crash)
{
    sweep *s = user;
    size_t length = strcspn(text, "\n");
    char *line = calloc(length + 32, 1);
    bool good = line;
    if (good) {
        snprintf(line, length + 32, "%d\t%.*s", run, (int)length, text);
        char *own = strchr(line, '\t') + 1;
        if (crash || !text[length] || !ss_cli_runs_take(&s->runs, run, own))
            ss_cli_runs_crash(&s->runs, run, crash ? crash : "its process left no results");
        else
            good = ss_cli_journal_add(&s->journal, line);
    }
    free(line);
    int missing = ss_cli_runs_count(&s->runs, SS_CLI_RUN_MISSING);
    ss_cli_progress_update(&s->session.progress, s->runs.plan.count - missing);
    return good;
}

static bool run_all(sweep *s)
{
    ss_cli_pool pool = {.jobs = s->jobs,
                        .count = s->runs.plan.count,
                        .user = s,
                        .wanted = is_wanted,
                        .work = work,
                        .take = take};
    ss_cli_progress_begin(&s->session.progress, !ss_cli_has(s->arguments, "json"), 0, pool.count);
    bool all = ss_cli_pool_run(&pool);
    ss_cli_progress_wipe(&s->session.progress);
    return all;
}

/* ---- Results ---- */

static bool write_files(const sweep *s)
{
    char csv[SS_CLI_PATH], hdf5[SS_CLI_PATH];
    ss_cli_table table;
    ss_cli_runs_tabulate(&s->runs, &table);
    bool good = ss_cli_join(s->folder, "table", ".csv", sizeof csv, csv) &&
                ss_cli_join(s->folder, "table", ".h5", sizeof hdf5, hdf5) &&
                ss_cli_table_write_csv(&table, csv) &&
                ss_cli_runs_write_hdf5(&s->runs, ss_scene_text(s->scene), hdf5);
    enum { SHOWN = 40 };
    if (s->runs.plan.count <= SHOWN && !ss_cli_has(s->arguments, "json"))
        ss_cli_table_print(&table);
    ss_cli_table_release(&table);
    return good;
}

/* "" when it was not drawn. */
static void draw(const sweep *s, char *file)
{
    char ending[8];
    snprintf(ending, sizeof ending, ".%s", s->format);
    bool wanted = !ss_cli_has(s->arguments, "no-plots") &&
                  ss_cli_join(s->folder, "sweep", ending, SS_CLI_PATH, file);
    ss_cli_drawing drawing =
        wanted ? ss_cli_runs_draw(&s->runs, ss_scene_name(s->scene), file) : SS_CLI_NOT_DRAWN;
    if (drawing == SS_CLI_NO_GNUPLOT)
        ss_cli_miss_gnuplot();
    if (drawing != SS_CLI_DRAWN)
        file[0] = '\0';
}

static void print_run(const sweep *s, int run)
{
    const ss_cli_plan *plan = &s->runs.plan;
    printf("  %d (", run);
    for (int i = 0; i < plan->n_axes; i++) {
        char text[SS_CLI_AXIS_NAME + 512];
        ss_cli_plan_assign(plan, run, i, sizeof text, text);
        printf("%s%s", i ? ", " : "", text);
    }
    const ss_cli_run_outcome *outcome = &s->runs.outcomes[run];
    printf("): %s%s%s\n", ss_cli_run_end_name(outcome->end), outcome->reason[0] ? ": " : "",
           outcome->reason);
}

static void print_summary(const sweep *s, const char *plot)
{
    enum { SHOWN = 20 };
    int bad = 0, count = s->runs.plan.count;
    printf("%d run%s", count, count == 1 ? "" : "s");
    for (int end = 0; end < SS_CLI_RUN_ENDS; end++) {
        int n = ss_cli_runs_count(&s->runs, (ss_cli_run_end)end);
        if (n > 0)
            printf(", %d %s", n, ss_cli_run_end_name((ss_cli_run_end)end));
    }
    if (s->before > 0)
        printf("; %d were done before", s->before);
    putchar('\n');
    for (int run = 0; run < count; run++)
        if (s->runs.outcomes[run].end > SS_CLI_RUN_TRUSTED && bad++ < SHOWN)
            print_run(s, run);
    if (bad > SHOWN)
        printf("  … and %d more, see the table\n", bad - SHOWN);
    printf("table.csv and table.h5 in %s/%s%s\n", s->folder, plot[0] ? "; " : "", plot);
}

static void write_run(const sweep *s, int run, ss_cli_json *json)
{
    const ss_cli_plan *plan = &s->runs.plan;
    const ss_cli_run_outcome *outcome = &s->runs.outcomes[run];
    ss_cli_json_open(json, NULL, '{');
    ss_cli_json_number(json, "run", run);
    ss_cli_json_open(json, "parameters", '{');
    for (int i = 0; i < plan->n_axes; i++) {
        size_t at = (size_t)run * (size_t)plan->n_axes + (size_t)i;
        if (plan->axes[i].words)
            ss_cli_json_text(json, plan->axes[i].name,
                             plan->axes[i].texts.items[plan->indices[at]]);
        else
            ss_cli_json_number(json, plan->axes[i].name, plan->values[at]);
    }
    ss_cli_json_close(json, '}');
    ss_cli_json_open(json, "results", '{');
    for (int i = 0; i < s->runs.results.count; i++)
        ss_cli_json_number(json, s->runs.results.items[i].name, outcome->values[i]);
    ss_cli_json_close(json, '}');
    ss_cli_json_number(json, "end", outcome->t);
    ss_cli_json_number(json, "steps", outcome->steps);
    ss_cli_json_number(json, "events", outcome->events);
    ss_cli_json_text(json, "verdict", ss_cli_run_end_name(outcome->end));
    ss_cli_json_text(json, "reason", outcome->reason ? outcome->reason : "");
    ss_cli_json_close(json, '}');
}

static void print_json(const sweep *s, const char *plot)
{
    ss_cli_json json = {.out = stdout};
    ss_cli_json_open(&json, NULL, '{');
    ss_cli_json_text(&json, "name", ss_scene_name(s->scene));
    ss_cli_json_text(&json, "version", ss_version());
    ss_cli_json_text(&json, "folder", s->folder);
    ss_cli_json_text(&json, "plot", plot);
    ss_cli_json_number(&json, "trusted", ss_cli_runs_count(&s->runs, SS_CLI_RUN_TRUSTED));
    ss_cli_json_open(&json, "runs", '[');
    for (int run = 0; run < s->runs.plan.count; run++)
        write_run(s, run, &json);
    ss_cli_json_close(&json, ']');
    ss_cli_json_close(&json, '}');
    putchar('\n');
}

static int report(const sweep *s)
{
    char plot[SS_CLI_PATH] = "";
    bool written = write_files(s);
    draw(s, plot);
    if (ss_cli_has(s->arguments, "json"))
        print_json(s, plot);
    else
        print_summary(s, plot);
    int trusted = ss_cli_runs_count(&s->runs, SS_CLI_RUN_TRUSTED), count = s->runs.plan.count;
    if (trusted < count)
        ss_cli_error("%d of %d runs are not trusted or did not come to their end", count - trusted,
                     count);
    return written && trusted == count ? SS_CLI_DONE : SS_CLI_FAILED;
}

static int run_sweep(sweep *s)
{
    char journal[SS_CLI_PATH];
    if (!ss_cli_runs_reserve(&s->runs) || !choose_places(s) ||
        !ss_cli_join(s->folder, "journal", ".txt", sizeof journal, journal) ||
        !ss_cli_journal_open(journal, key_of(s), take_line, s, &s->journal))
        return SS_CLI_BAD_INPUT;
    bool all = run_all(s);
    ss_cli_journal_close(&s->journal);
    if (all)
        return report(s);
    if (!ss_cli_signal())
        return SS_CLI_FAILED;
    int missing = ss_cli_runs_count(&s->runs, SS_CLI_RUN_MISSING);
    ss_cli_error("interrupted after %d of %d runs; the same command goes on",
                 s->runs.plan.count - missing, s->runs.plan.count);
    return 128 + ss_cli_signal();
}

/* With what processes that were killed have left. */
static void clear_records(const sweep *s)
{
    DIR *folder = opendir(s->runs.records);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[SS_CLI_PATH];
        if (entry->d_name[0] != '.' &&
            ss_cli_join(s->runs.records, entry->d_name, "", sizeof path, path))
            remove(path);
    }
    if (folder)
        closedir(folder);
    rmdir(s->runs.records);
}

static int run(const ss_cli_arguments *arguments)
{
    sweep s = {.arguments = arguments, .runs = {.arguments = arguments}};
    if (!ss_cli_count(&ss_cli_sweep, arguments, 1, -1) ||
        !ss_cli_session_begin(&s.session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (ss_cli_plot_format(arguments, &s.format) && ss_cli_jobs(arguments, &s.jobs) &&
        ss_cli_allowed(arguments, &s.runs.allowed) &&
        ss_cli_plan_read(s.session.context, arguments, &s.runs.plan) && find_scene(&s) &&
        ss_cli_results_read(arguments, ss_scene_model(s.scene), &s.runs.results) && check_names(&s))
        code = run_sweep(&s);
    if (s.runs.records[0] && !s.runs.keep)
        clear_records(&s);
    ss_cli_release_claim();
    ss_cli_runs_release(&s.runs);
    ss_scene_destroy(s.scene);
    ss_cli_session_end(&s.session);
    return code;
}

const ss_cli_command ss_cli_sweep = {
    .name = "sweep",
    .operands = "SCENE NAME=FIRST:LAST:COUNT … [name=value …] [--result EXPR …] [-o OUT] [options]",
    .choices = "*.yaml",
    .summary = "run a scene with many values of its parameters; one table and one plot",
    .details =
        "Runs a scene once for each point of what is varied and takes numbers from each run.\n"
        "\n"
        "  NAME=FIRST:LAST:COUNT      COUNT values of a parameter, evenly spaced\n"
        "  NAME=FIRST:LAST:COUNT:log  the same on a logarithmic scale\n"
        "  NAME=a,b,c                 these values\n"
        "  --over KEY=VALUES          the same for a setting: solver.type=sorprox,newton\n"
        "  NAME=VALUE                 one value, in all runs\n"
        "\n"
        "--sample grid combines every value with every other; list takes the first values of all, "
        "the second\n"
        "ones, and so on; latin draws a latin hypercube from ranges: with COUNT runs, each of the "
        "COUNT parts of\n"
        "every range is visited once.\n"
        "\n"
        "--result [NAME=][HOW:]EXPR is a column of the table: the value of an expression of the "
        "record's columns\n"
        "at the end (last), at the beginning (first), or its least (min), largest (max) or mean "
        "value (mean, over\n"
        "time), of the recorded states. Without it all positions and velocities at the end are "
        "taken.\n"
        "\n"
        "OUT receives table.csv, table.h5, a plot (curves over one number, heat maps over a grid "
        "of two, else\n"
        "points) and journal.txt. A sweep that was interrupted or killed goes on where it was when "
        "the same command\n"
        "is given again; another sweep is refused there. Runs are processes: one that fails or "
        "crashes is listed\n"
        "with its reason and ends no other. Nothing in the tables depends on --jobs.\n"
        "\n"
        "Exit status: 0 when all runs are trusted, 1 when some are not or failed, 2 bad input, 130 "
        "or 143\n"
        "interrupted.",
    .examples =
        "  stickslip sweep woodpecker.yaml mu=0.1:0.5:9 --result y --result 'top=max:abs(phi_S)'\n"
        "  stickslip sweep slope.yaml mu=0:1:21 angle=0.1:0.6:21 --result 'last:x' -j 4 -o out\n"
        "  stickslip sweep impact_oscillator.yaml c=10:40:100 m=0.05:0.2:100 --sample latin --seed "
        "7\n"
        "  stickslip sweep pendulum.yaml --over scheme.type=moreau,theta --over "
        "simulation.step=1e-4:1e-2:5:log\n",
    .options = options,
    .run = run,
};
