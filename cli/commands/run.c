/* run.c: stickslip run. */
#include "commands/interrupt.h"
#include "commands/load.h"
#include "commands/paths.h"
#include "commands/simulate.h"
#include "page/picture.h"

static const ss_cli_option options[] = {
    {"output", 'o', "OUT", "*", "where to write: a record (….h5) or a folder for it"},
    {"set", 's', "KEY=VALUE", NULL, "replace a setting of the scene: --set solver.tolerance=1e-8"},
    {"no-plots", 0, NULL, NULL, "do not draw the scene's plots"},
    {"format", 'f', "svg|png", "svg|png", "of the plots (svg)"},
    {"threads", 't', "N", NULL, "threads the solver may use (1); results do not depend on it"},
    {"certify", 0, NULL, NULL, "check every accepted step against the laws themselves"},
    SS_CLI_ALLOW,
    {"dump-inclusions", 0, "every=N", NULL,
     "write every N-th step's inclusion as an FCLib problem"},
    {"live", 0, NULL, NULL, "draw the running motion in the terminal: coordinates and modes"},
    {"png", 0, "FILE", "*.png", "and a picture of the run's page, as `stickslip view --png` does"},
    {"video", 0, "FILE", "*.mp4", "and a film of the motion, as `stickslip view --video` does"},
    {"json", 0, NULL, NULL, "print the summary as JSON"},
    {"quiet", 'q', NULL, NULL, "no progress, no summary; only warnings and errors"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    SS_CLI_ALLOW_PLUGINS,
    {NULL},
};

/* NAME.h5 here, or where -o says. */
static bool choose_record(const ss_scene *scene, const char *out, char *path)
{
    char name[256];
    ss_cli_file_name(ss_scene_name(scene), sizeof name, name);
    if (!out)
        return ss_cli_join("", name, ".h5", SS_CLI_PATH, path);
    bool folder = ss_cli_is_folder(out) || !ss_cli_ends_with(out, ".h5");
    if (folder)
        return ss_cli_make_folder(out) && ss_cli_join(out, name, ".h5", SS_CLI_PATH, path);
    return ss_cli_make_folder_of(out) && ss_cli_join("", out, "", SS_CLI_PATH, path);
}

/* The picture or film that was asked for. */
static bool draw(ss_cli_session *session, const ss_scene *scene, const char *path,
                 const ss_cli_arguments *arguments)
{
    ss_cli_page page = {.path = path, .scene = scene};
    if (!ss_cli_has(arguments, "png") && !ss_cli_has(arguments, "video"))
        return true;
    if (ss_record_open(session->context, path, &page.record) != SS_OK) {
        ss_cli_print_failure(session);
        return false;
    }
    bool drawn = ss_cli_picture(session, &page, arguments);
    ss_record_close(page.record);
    return drawn;
}

static int run_scene(ss_cli_session *session, ss_scene *scene, const ss_cli_arguments *arguments)
{
    char path[SS_CLI_PATH];
    ss_cli_dump dump;
    ss_cli_live live;
    int width = ss_cli_has(arguments, "live") ? ss_cli_terminal_width() : 0;
    if (width > 0)
        ss_cli_live_begin(&live, scene, width);
    ss_cli_job job = {
        .scene = scene,
        .record = path,
        .quiet = ss_cli_has(arguments, "quiet"),
        .json = ss_cli_has(arguments, "json"),
        .plots = !ss_cli_has(arguments, "no-plots"),
        .live = width > 0 ? &live : NULL,
        .dump = &dump,
    };
    if (job.json && (job.quiet || ss_cli_has(arguments, "live"))) {
        ss_cli_error("--json goes with neither --quiet nor --live");
        return SS_CLI_BAD_INPUT;
    }
    if (!ss_cli_plot_format(arguments, &job.format) || !ss_cli_allowed(arguments, &job.allowed) ||
        !ss_cli_dump_parse(ss_cli_value(arguments, "dump-inclusions"), &dump) ||
        !choose_record(scene, ss_cli_value(arguments, "output"), path) || !ss_cli_claim(path) ||
        !ss_cli_dump_begin(&dump, session, scene, path))
        return SS_CLI_BAD_INPUT;
    ss_cli_watch_signals(); /* from where there is something to lose */
    ss_recorder_options o = ss_scene_recorder(scene);
    if (ss_recorder_create(ss_scene_simulation(scene), path, &o, &job.recorder) != SS_OK) {
        ss_cli_print_failure(session);
        return SS_CLI_BAD_INPUT;
    }
    int code = ss_cli_simulate(session, &job);
    ss_cli_dump_end(&dump);
    return code == SS_CLI_DONE && !draw(session, scene, path, arguments) ? SS_CLI_BAD_INPUT : code;
}

/* The scene, certified if that was asked for. */
static bool load(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene **scene)
{
    static const char *const certify[] = {"simulation.certify=true"};
    ss_cli_changes changes = {.n_after = ss_cli_has(arguments, "certify"), .after = certify};
    ss_status status = ss_cli_load_changed(session, arguments, &changes, scene);
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_scene *scene;
    if (!ss_cli_count(&ss_cli_run, arguments, 1, -1) || !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (load(&session, arguments, &scene)) {
        code = run_scene(&session, scene, arguments);
        ss_cli_release_claim();
        ss_scene_destroy(scene);
    }
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_run = {
    .name = "run",
    .operands = "SCENE [name=value …] [-o OUT] [options]",
    .choices = "*.yaml",
    .summary = "simulate a scene; write its record and its plots",
    .details =
        "Loads a scene file, simulates it to its end, writes a record (HDF5, see `stickslip "
        "info`) and\n"
        "the plots that the scene declares, and prints a summary: end state, switches, "
        "energy balance and\n"
        "solver statistics. name=value replaces a parameter of the scene; --set replaces "
        "any other setting.\n"
        "\n"
        "The record is NAME.h5 in the current folder, NAME being the scene's name; with -o "
        "it is the file\n"
        "OUT when that ends with .h5, or NAME.h5 in the folder OUT. Plots go to a folder "
        "beside the\n"
        "record, named like it without .h5. What is there already is replaced, but only "
        "once the run is over:\n"
        "until then the record grows under a temporary name beside (….h5.part-NUMBER), which is "
        "readable at any\n"
        "time and survives a kill and a power cut up to its last commit (`record.flush`, 10 s). "
        "Two runs cannot\n"
        "write one record at the same time: the second is refused.\n"
        "\n"
        "Ctrl-C and TERM end the run; record and plots are written up to there, and "
        "`stickslip resume`\n"
        "continues it. A second Ctrl-C, a second or more later, ends the program at once. A run "
        "that fails (a solve "
        "that does not\n"
        "converge under `on_failure: stop`, a non-finite number) also keeps its record up "
        "to there.\n"
        "\n"
        "--dump-inclusions every=N writes the inclusion of every N-th step with its solution "
        "to the folder\n"
        "NAME-inclusions beside the record: problems for `stickslip solve` and other "
        "programs that read FCLib.\n"
        "\n"
        "Every run ends with a verdict: trusted, or why not: convergence (steps were accepted that "
        "did "
        "not\n"
        "converge), laws (a certificate found one that does not hold), energy (more than 1 % of it "
        "is\n"
        "unaccounted for), growth (it moves with far more than there was), tunnelling (shapes too "
        "fast for\n"
        "their contacts), uniqueness (the motion depends on forces that are not unique). What is "
        "not trusted fails, but for doubts that --allow names. --certify "
        "checks every\n"
        "accepted step apart from the solver, as `--set simulation.certify=true` does.\n"
        "\n"
        "A run that is refused, because scheme, solver or simulation cannot treat the scene, "
        "leaves files as they are.\n"
        "\n"
        "Exit status: 0 done and trusted, 1 the simulation failed or is not trusted, 2 bad input "
        "or refused, 130 or 143 "
        "interrupted.",
    .examples =
        "  stickslip run woodpecker.yaml\n"
        "  stickslip run woodpecker.yaml mu=0.25 c='2*0.0056' -o runs/soft.h5\n"
        "  stickslip run woodpecker.yaml --set simulation.step=1e-6 --set simulation.end=2\n"
        "  stickslip run block.yaml --dump-inclusions every=10\n"
        "  stickslip run woodpecker.yaml --certify\n"
        "  stickslip run elevator.yaml --allow energy,growth\n"
        "  stickslip run woodpecker.yaml --live --video toy.mp4\n"
        "  stickslip run train.yaml --no-plots --quiet || echo failed\n"
        "  stickslip run train.yaml --json | jq .end_state\n",
    .options = options,
    .run = run,
};
