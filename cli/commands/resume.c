/* resume.c: stickslip resume. */
#include "commands/interrupt.h"
#include "commands/paths.h"
#include "commands/simulate.h"

#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"until", 'u', "T", NULL, "go on to the time T in s, instead of the scene's end"},
    {"output", 'o', "FILE", "*.h5", "write here instead of replacing the record"},
    {"no-plots", 0, NULL, NULL, "do not draw the scene's plots"},
    {"format", 'f', "svg|png", "svg|png", "of the plots (svg)"},
    {"threads", 't', "N", NULL, "threads the solver may use (1); results do not depend on it"},
    SS_CLI_ALLOW,
    {"quiet", 'q', NULL, NULL, "no progress, no summary; only warnings and errors"},
    SS_CLI_PLUGIN,
    SS_CLI_ALLOW_OUTSIDE,
    {NULL},
};

/* Where files of the scene are looked for. A record may name any folder: it is believed when it is the current one or
 * below it, or when the user says so; else files are those beside the record. */
static bool choose_folder(const ss_record *record, const ss_cli_arguments *arguments, char *folder)
{
    const char *said = ss_record_scene_folder(record), *path = arguments->operands[0];
    const char *slash = strrchr(path, '/');
    bool believed = ss_cli_is_folder(said) &&
                    (ss_cli_has(arguments, "allow-outside") || ss_file_is_below(said, ""));
    snprintf(folder, SS_CLI_PATH, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
    if (believed)
        snprintf(folder, SS_CLI_PATH, "%s", said);
    return believed;
}

static ss_status parse(ss_cli_session *session, const ss_record *record,
                       const ss_cli_arguments *arguments, ss_scene **scene)
{
    const char *text = ss_record_scene_text(record), *path = arguments->operands[0];
    const char *until = ss_cli_value(arguments, "until"), *slash = strrchr(path, '/');
    char folder[SS_CLI_PATH], file[SS_CLI_PATH], end[256];
    if (!text[0])
        return ss_fail(session->context, SS_INPUT,
                       "record '%s' holds no scene: it was not made by `stickslip run`", path);
    bool believed = choose_folder(record, arguments, folder);
    if (!ss_cli_join(folder, slash ? slash + 1 : path, "", sizeof file, file))
        return ss_fail(session->context, SS_INPUT, "record '%s': its scene cannot be found", path);
    snprintf(end, sizeof end, "simulation.end=%s", until ? until : "");
    const char *settings[] = {end};
    ss_scene_options changes = {.n_settings = until ? 1 : 0,
                                .settings = settings,
                                .allow_outside = ss_cli_has(arguments, "allow-outside")};
    ss_status status = ss_scene_parse(session->context, file, text, strlen(text), &changes, scene);
    if (status == SS_IO && !believed)
        ss_cli_error("files of the scene are looked for beside the record; --allow-outside takes "
                     "them from where the record says that they were");
    return status;
}

static bool load_scene(ss_cli_session *session, const ss_cli_arguments *arguments, ss_scene **scene)
{
    ss_record *record;
    *scene = NULL;
    ss_status status = ss_record_open(session->context, arguments->operands[0], &record);
    if (status == SS_OK) {
        status = ss_record_provide(record);
        if (status == SS_OK)
            status = parse(session, record, arguments, scene);
        ss_record_close(record);
    }
    if (status != SS_OK)
        ss_cli_print_failure(session);
    return status == SS_OK;
}

/* A part file still has to become a record. */
static bool is_over(ss_scene *scene, const char *record, ss_recorder *recorder)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    char target[SS_CLI_PATH];
    if (!ss_simulation_done(simulation) || ss_cli_part_target(record, target))
        return false;
    printf("%s has reached its end, t = %.9g s; --until T goes on from there\n", record,
           ss_state_time(ss_simulation_state(simulation)));
    ss_recorder_discard(recorder);
    return true;
}

/* A part file is what a killed run has left, or one that goes on. */
static void tell_of_loss(const char *from, bool quiet)
{
    char target[SS_CLI_PATH];
    if (!quiet && ss_cli_part_target(from, target))
        printf("'%s' was not closed: the run goes on from its last whole checkpoint; what was "
               "computed later is computed again\n",
               from);
}

static int resume_scene(ss_cli_session *session, ss_scene *scene, const ss_cli_arguments *arguments)
{
    const char *from = arguments->operands[0], *to = ss_cli_value(arguments, "output");
    char target[SS_CLI_PATH];
    if (!to && ss_cli_part_target(from, target))
        to = target;
    ss_cli_job job = {
        .scene = scene,
        .record = to ? to : from,
        .quiet = ss_cli_has(arguments, "quiet"),
        .plots = !ss_cli_has(arguments, "no-plots"),
    };
    if (!ss_cli_plot_format(arguments, &job.format) || !ss_cli_allowed(arguments, &job.allowed) ||
        (to && !ss_cli_make_folder_of(to)) || !ss_cli_claim(job.record))
        return SS_CLI_BAD_INPUT;
    ss_cli_watch_signals(); /* from where there is something to lose */
    tell_of_loss(from, job.quiet);
    ss_recorder_options o = {.scene_text = ss_scene_text(scene),
                             .flush = ss_scene_recorder(scene).flush};
    if (ss_recorder_resume(ss_scene_simulation(scene), from, to, &o, &job.recorder) != SS_OK) {
        ss_cli_print_failure(session);
        return SS_CLI_BAD_INPUT;
    }
    return is_over(scene, from, job.recorder) ? SS_CLI_DONE : ss_cli_simulate(session, &job);
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    ss_scene *scene;
    if (!ss_cli_count(&ss_cli_resume, arguments, 1, 1) ||
        !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (load_scene(&session, arguments, &scene)) {
        code = resume_scene(&session, scene, arguments);
        ss_cli_release_claim();
        ss_scene_destroy(scene);
    }
    ss_cli_session_end(&session);
    return code;
}

const ss_cli_command ss_cli_resume = {
    .name = "resume",
    .operands = "RECORD [--until T] [-o FILE] [options]",
    .choices = "*.h5",
    .summary = "continue a run that was interrupted, or go on further",
    .details =
        "Continues a run from its record, which holds the scene and the whole state. What "
        "results is the\n"
        "same, number for number, as if the run had never been interrupted. The record is "
        "replaced\n"
        "when the run is over, unless -o names another file.\n"
        "\n"
        "With --until a run goes on beyond the end of its scene; the record's scene has "
        "that end from then on.\n"
        "A run that was killed leaves ….h5.part-NUMBER and its two checkpoints beside the record; "
        "that can be\n"
        "resumed, too, from the last whole checkpoint, at most `record.flush` (10 s) before its "
        "end; without\n"
        "-o the record then has the name that the run was to give it. The part file stays.\n"
        "\n"
        "Exit status: as that of `stickslip run`.",
    .examples = "  stickslip resume woodpecker.h5\n"
                "  stickslip resume woodpecker.h5 --until 2\n"
                "  stickslip resume woodpecker.h5.part-5c0e2f81a7d94b36\n",
    .options = options,
    .run = run,
};
