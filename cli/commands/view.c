/* view.c: stickslip view. */
#include "commands/paths.h"
#include "commands/scratch.h"
#include "page/page.h"
#include "page/picture.h"
#include "page/template.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const ss_cli_option options[] = {
    {"output", 'o', "FILE", "*.html", "the page (RECORD with .html instead of .h5)"},
    {"png", 0, "FILE", "*.png",
     "a picture of the page instead, drawn by Chromium without a screen"},
    {"video", 0, "FILE", "*.mp4", "a film of the motion instead, by Chromium and ffmpeg"},
    {"at", 0, "T", NULL, "time of the picture in s (half of the run)"},
    {"speed", 0, "FACTOR", NULL, "of the film: 0.1 is slow motion (the run in about 10 s)"},
    {"size", 0, "WxH", NULL, "of the picture or film in pixels (1280x800)"},
    {"stage", 0, NULL, NULL, "a picture of the drawing alone"},
    {NULL},
};

/* What the scene in the record shows; none is no fault: the page then goes without a drawing. */
static void read_scene(ss_cli_session *session, const ss_record *record, ss_scene **scene)
{
    *scene = NULL;
    if (!ss_record_scene_text(record)[0] || ss_scene_of_record(record, scene) == SS_OK)
        return;
    ss_cli_print_failure(session);
    ss_cli_error("the page shows the record without its drawing and plots");
}

static bool choose_page(const ss_cli_arguments *arguments, char *file)
{
    const char *given = ss_cli_value(arguments, "output");
    char stem[SS_CLI_PATH];
    if (given)
        return ss_cli_make_folder_of(given) && ss_cli_join("", given, "", SS_CLI_PATH, file);
    ss_cli_stem(arguments->operands[0], sizeof stem, stem);
    return ss_cli_join("", stem, ".html", SS_CLI_PATH, file);
}

static bool write_result(ss_cli_session *session, const ss_cli_page *page,
                         const ss_cli_arguments *arguments)
{
    char file[SS_CLI_PATH];
    if (ss_cli_has(arguments, "png") || ss_cli_has(arguments, "video"))
        return ss_cli_picture(session, page, arguments);
    if (!choose_page(arguments, file) || !ss_cli_page_write(session, page, file))
        return false;
    printf("%s\n", file);
    return true;
}

/* The page that opens records by itself. */
static int write_opener(const ss_cli_arguments *arguments)
{
    char opener[SS_CLI_PATH];
    const char *given = ss_cli_value(arguments, "output"), *file = given ? given : "stickslip.html";
    if (!ss_cli_template_find_opener(opener) || !ss_cli_make_folder_of(file))
        return SS_CLI_BAD_INPUT;
    if (!ss_cli_copy_file(opener, file)) {
        ss_cli_error("cannot write '%s': %s", file, strerror(errno));
        return SS_CLI_BAD_INPUT;
    }
    printf("%s\n", file);
    return SS_CLI_DONE;
}

static int run(const ss_cli_arguments *arguments)
{
    ss_cli_session session;
    bool picture = ss_cli_has(arguments, "png") || ss_cli_has(arguments, "video");
    if (arguments->n_operands == 0 && !picture)
        return write_opener(arguments);
    if (!ss_cli_count(&ss_cli_view, arguments, 1, 1) || !ss_cli_session_begin(&session, arguments))
        return SS_CLI_BAD_INPUT;
    ss_cli_page page = {.path = arguments->operands[0]};
    bool done = false;
    if (ss_record_open(session.context, page.path, &page.record) == SS_OK) {
        ss_scene *scene;
        read_scene(&session, page.record, &scene);
        page.scene = scene;
        done = write_result(&session, &page, arguments);
        ss_scene_destroy(scene);
        ss_record_close(page.record);
    } else {
        ss_cli_print_failure(&session);
    }
    ss_cli_session_end(&session);
    return done ? SS_CLI_DONE : SS_CLI_BAD_INPUT;
}

const ss_cli_command ss_cli_view = {
    .name = "view",
    .operands = "[RECORD] [-o PAGE.html] [--png FILE] [--video FILE]",
    .choices = "*.h5",
    .summary = "make a page of a record that replays it in any browser",
    .details =
        "Writes one HTML file that needs no network and can be mailed: the motion, as the scene's\n"
        "shapes and its section `drawing` show it, plots of every signal, the modes of the laws, "
        "the list of\n"
        "switches, energies, the solver's health, and the scene itself. Long records are thinned;\n"
        "the times of the switches stay exact.\n"
        "\n"
        "Without RECORD it writes a page on which records are dropped to look at them, "
        "stickslip.html.\n"
        "\n"
        "With --png or --video it draws a picture or a film instead, without a screen; that needs\n"
        "Chromium, and ffmpeg for films (Debian: chromium, ffmpeg).",
    .examples = "  stickslip view woodpecker.h5\n"
                "  stickslip view woodpecker.h5 -o /tmp/toy.html\n"
                "  stickslip view woodpecker.h5 --png toy.png --at 0.2 --stage\n"
                "  stickslip view woodpecker.h5 --video toy.mp4 --speed 0.05\n",
    .options = options,
    .run = run,
};
