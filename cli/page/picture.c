/* picture.c: pictures and films of a page, drawn by Chromium without a screen. */
#include "page/picture.h"

#include "commands/paths.h"
#include "commands/program.h"
#include "commands/scratch.h"
#include "page/film.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAME_RATE = 30 };

/* What is wanted. */
typedef struct wish {
    const char *png, *video; /* files, one of them */
    double at;               /* s */
    double speed;            /* 0: the page chooses */
    int width, height;
    bool stage;
} wish;

static bool read_number(const ss_cli_arguments *arguments, const char *option, double *value)
{
    const char *text = ss_cli_value(arguments, option);
    char *end;
    if (!text)
        return true;
    *value = strtod(text, &end);
    if (*end == '\0' && end != text && *value >= 0 && *value < 1e12)
        return true;
    ss_cli_error("--%s is '%s'; it must be a number >= 0", option, text);
    return false;
}

static bool read_size(const ss_cli_arguments *arguments, wish *w)
{
    const char *text = ss_cli_value(arguments, "size");
    int used = 0;
    if (!text)
        return true;
    bool read = sscanf(text, "%dx%d%n", &w->width, &w->height, &used) == 2 && !text[used];
    if (read && w->width >= 64 && w->height >= 64 && w->width <= 8192 && w->height <= 8192)
        return true;
    ss_cli_error("--size is '%s'; it must be like 1280x800, with 64 to 8192 pixels each way", text);
    return false;
}

static bool read_wish(const ss_cli_page *page, const ss_cli_arguments *arguments, wish *w)
{
    size_t length = ss_record_length(page->record);
    ss_text t = {"t", {0}};
    *w = (wish){
        .png = ss_cli_value(arguments, "png"),
        .video = ss_cli_value(arguments, "video"),
        .width = 1280,
        .height = 800,
        .stage = ss_cli_has(arguments, "stage"),
    };
    double *times = calloc(length + 1, sizeof *times);
    if (times && length && ss_record_evaluate(page->record, &t, times) == SS_OK)
        w->at = (times[0] + times[length - 1]) / 2;
    free(times);
    if (w->png && w->video)
        ss_cli_error("give either --png or --video");
    return !(w->png && w->video) && read_number(arguments, "at", &w->at) &&
           read_number(arguments, "speed", &w->speed) && read_size(arguments, w) &&
           ss_cli_make_folder_of(w->png ? w->png : w->video);
}

/* ---- Chromium ---- */

static ss_cli_outcome run_chromium(const wish *w, const ss_cli_scratch *scratch,
                                   const char *address)
{
    static const char *const names[] = {"chromium", "chromium-browser", "google-chrome"};
    char window[64], profile[SS_CLI_PATH + 64], shot[SS_CLI_PATH + 64];
    snprintf(window, sizeof window, "--window-size=%d,%d", w->width, w->height);
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", scratch->folder);
    snprintf(shot, sizeof shot, "--screenshot=%s/shot.png", scratch->folder);
    bool root = geteuid() == 0; /* Chromium refuses to use its sandbox as root */
    if (root)
        ss_cli_error("warning: Chromium runs without its sandbox, as you are root");
    const char *words[] = {NULL,
                           "--headless",
                           "--hide-scrollbars",
                           "--use-angle=swiftshader",
                           "--enable-unsafe-swiftshader",
                           "--disable-gpu-compositing",
                           "--disable-background-networking",
                           "--disable-component-update",
                           "--disable-sync",
                           "--no-first-run",
                           "--force-device-scale-factor=1",
                           "--virtual-time-budget=3000",
                           window,
                           profile,
                           w->png ? shot : "--dump-dom",
                           root ? "--no-sandbox" : "--disable-quic",
                           address,
                           NULL};
    ss_cli_outcome outcome = SS_CLI_MISSING;
    for (size_t i = 0; i < sizeof names / sizeof *names && outcome == SS_CLI_MISSING; i++) {
        words[0] = names[i];
        outcome = ss_cli_run_program(words, scratch->output, scratch->complaints);
    }
    return outcome;
}

static bool browse(const wish *w, const ss_cli_scratch *scratch)
{
    char address[SS_CLI_PATH + 128];
    if (w->png)
        snprintf(address, sizeof address, "file://%s/page.html#picture&t=%.17g%s", scratch->folder,
                 w->at, w->stage ? "&stage" : "");
    else
        snprintf(address, sizeof address, "file://%s/page.html#film=%d,%.9g,%d,%d", scratch->folder,
                 FRAME_RATE, w->speed, w->width, w->height);
    ss_cli_outcome outcome = run_chromium(w, scratch, address);
    if (outcome == SS_CLI_MISSING)
        ss_cli_error("pictures are drawn by Chromium, which is not installed (Debian: apt install "
                     "chromium)");
    if (outcome == SS_CLI_BROKE)
        ss_cli_scratch_explain(scratch, "Chromium");
    return outcome == SS_CLI_RAN;
}

/* ---- What becomes of it ---- */

static bool save_picture(const wish *w, const ss_cli_scratch *scratch)
{
    char shot[SS_CLI_PATH + 64];
    snprintf(shot, sizeof shot, "%s/shot.png", scratch->folder);
    if (ss_cli_copy_file(shot, w->png))
        return true;
    ss_cli_error("cannot write '%s': %s", w->png, strerror(errno));
    return false;
}

static bool make(ss_cli_session *session, const ss_cli_page *page, const wish *w,
                 const ss_cli_scratch *scratch)
{
    char file[SS_CLI_PATH + 64];
    snprintf(file, sizeof file, "%s/page.html", scratch->folder);
    if (!ss_cli_page_write(session, page, file) || !browse(w, scratch))
        return false;
    return w->png ? save_picture(w, scratch) : ss_cli_film(scratch, FRAME_RATE, w->video);
}

bool ss_cli_picture(ss_cli_session *session, const ss_cli_page *page,
                    const ss_cli_arguments *arguments)
{
    wish w;
    ss_cli_scratch scratch;
    if (!read_wish(page, arguments, &w))
        return false;
    bool drawn = page->scene && ss_scene_drawn_count(page->scene) > 0;
    if (w.video && !drawn && ss_record_shape_count(page->record) == 0) {
        ss_cli_error("there is nothing to film: the scene of '%s' has neither shapes nor a section "
                     "'drawing'",
                     page->path);
        return false;
    }
    if (!ss_cli_scratch_make(&scratch))
        return false;
    bool made = make(session, page, &w, &scratch);
    ss_cli_scratch_remove(&scratch);
    if (made)
        printf("%s\n", w.png ? w.png : w.video);
    return made;
}
