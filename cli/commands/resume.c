/* resume.c: stickslip resume. */
#include "commands/paths.h"
#include "commands/record_scene.h"
#include "commands/simulate.h"

#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"until", 'u', "T", NULL, "go on to the time T in s, instead of the scene's end"},
    {"output", 'o', "FILE", "*.h5", "write here instead of replacing the record"},
    {"no-plots", 0, NULL, NULL, "do not draw the scene's plots"},
    {"format", 'f', "svg|png", "svg|png", "of the plots (svg)"},
    {"threads", 't', "N", NULL, "threads the solver may use (1); results do not depend on it"},
    {"quiet", 'q', NULL, NULL, "no progress, no summary; only warnings and errors"},
    {NULL},
};

static bool is_over(ss_scene *scene, const char *record, ss_recorder *recorder)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    if (!ss_simulation_done(simulation))
        return false;
    printf("%s has reached its end, t = %.9g s; --until T goes on from there\n", record,
           ss_state_time(ss_simulation_state(simulation)));
    ss_recorder_discard(recorder);
    return true;
}

static int resume_scene(ss_cli_session *session, ss_scene *scene, const ss_cli_arguments *arguments)
{
    const char *from = arguments->operands[0], *to = ss_cli_value(arguments, "output");
    ss_cli_job job = {
        .scene = scene,
        .record = to ? to : from,
        .quiet = ss_cli_has(arguments, "quiet"),
        .plots = !ss_cli_has(arguments, "no-plots"),
    };
    if (!ss_cli_plot_format(arguments, &job.format) || (to && !ss_cli_make_folder_of(to)))
        return SS_CLI_BAD_INPUT;
    ss_recorder_options o = {.scene_text = ss_scene_text(scene)};
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
        !ss_cli_session_begin(&session, ss_cli_value(arguments, "threads")))
        return SS_CLI_BAD_INPUT;
    int code = SS_CLI_BAD_INPUT;
    if (ss_cli_record_scene(&session, arguments->operands[0], ss_cli_value(arguments, "until"),
                            &scene)) {
        code = resume_scene(&session, scene, arguments);
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
    .details = "Continues a run from its record, which holds the scene and the whole state. What "
               "results is the\n"
               "same, number for number, as if the run had never been interrupted. The record is "
               "replaced\n"
               "when the run is over, unless -o names another file.\n"
               "\n"
               "With --until a run goes on beyond the end of its scene; the record's scene has "
               "that end from then on.\n"
               "A run that was killed leaves ….h5.part-PID beside the record; that can be resumed, "
               "too, from its\n"
               "last checkpoint.\n"
               "\n"
               "Exit status: as that of `stickslip run`.",
    .examples = "  stickslip resume woodpecker.h5\n"
                "  stickslip resume woodpecker.h5 --until 2\n"
                "  stickslip resume woodpecker.h5.part-4711 -o woodpecker.h5\n",
    .options = options,
    .run = run,
};
