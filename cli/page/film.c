/* film.c: makes a film of the frames that the viewer left in its page. */
#define _XOPEN_SOURCE 700
#include "page/film.h"

#include "command.h"
#include "commands/program.h"
#include "page/base64.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Frames stand one in a line between <pre id="frames"…> and </pre>; a file of JPEGs one behind the other is what
 * ffmpeg calls mjpeg. Returns how many there are. */
static int unpack(FILE *page, FILE *out)
{
    char *line = NULL;
    size_t capacity = 0, count;
    ssize_t length;
    int frames = 0;
    bool inside = false;
    while ((length = getline(&line, &capacity, page)) >= 0) {
        if (length > 0 && line[length - 1] == '\n')
            line[--length] = '\0';
        if (inside && line[0] == '<')
            break;
        if (inside && length > 0 && ss_cli_base64_decode((size_t)length, line, &count))
            frames += fwrite(line, 1, count, out) == count;
        inside = inside || strstr(line, "<pre id=\"frames\"") != NULL;
    }
    free(line);
    return frames;
}

static int collect(const ss_cli_scratch *scratch, const char *frames)
{
    FILE *page = fopen(scratch->output, "rb"), *out = page ? fopen(frames, "wb") : NULL;
    int count = out ? unpack(page, out) : 0;
    if (page)
        fclose(page);
    if (out && fclose(out) != 0)
        count = 0;
    return count;
}

bool ss_cli_film(const ss_cli_scratch *scratch, int frame_rate, const char *file)
{
    char frames[SS_CLI_PATH + 16], rate[16];
    snprintf(frames, sizeof frames, "%s/frames.mjpeg", scratch->folder);
    snprintf(rate, sizeof rate, "%d", frame_rate);
    if (collect(scratch, frames) == 0) {
        ss_cli_error("Chromium drew no frames; it may have no WebGL here");
        return false;
    }
    const char *words[] = {"ffmpeg",   "-y",      "-loglevel",  "error",
                           "-f",       "mjpeg",   "-framerate", rate,
                           "-i",       frames,    "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                           "-pix_fmt", "yuv420p", file,         NULL};
    ss_cli_outcome outcome = ss_cli_run_program(words, "/dev/null", scratch->complaints);
    if (outcome == SS_CLI_MISSING)
        ss_cli_error(
            "films are made by ffmpeg, which is not installed (Debian: apt install ffmpeg)");
    if (outcome == SS_CLI_BROKE)
        ss_cli_scratch_explain(scratch, "ffmpeg");
    return outcome == SS_CLI_RAN;
}
