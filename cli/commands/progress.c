/* progress.c: a bar with the time left, on a terminal. */
#include "commands/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

double ss_cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void ss_cli_progress_begin(ss_cli_progress *progress, bool wanted, double start, double end)
{
    double now = ss_cli_clock();
    *progress = (ss_cli_progress){
        .shown = wanted && isatty(STDERR_FILENO) && end > start,
        .start = start,
        .end = end,
        .began = now,
        .drawn_at = now,
    };
}

/* "12 s", "3:05 min", "2:14 h" */
static void format_time(double seconds, size_t capacity, char *text)
{
    double rest = ceil(seconds);
    if (!(rest < 1e8))
        snprintf(text, capacity, "very long");
    else if (rest < 60)
        snprintf(text, capacity, "%.0f s", rest);
    else if (rest < 3600)
        snprintf(text, capacity, "%d:%02d min", (int)rest / 60, (int)rest % 60);
    else
        snprintf(text, capacity, "%d:%02d h", (int)rest / 3600, (int)rest / 60 % 60);
}

static void draw_bar(double part)
{
    enum { WIDTH = 30 };
    int full = (int)(part * WIDTH);
    for (int i = 0; i < WIDTH; i++)
        fputs(i < full ? "█" : "░", stderr);
}

void ss_cli_progress_update(ss_cli_progress *progress, double t)
{
    const double pause = 0.1; /* s between two drawings */
    if (!progress->shown)
        return;
    double now = ss_cli_clock();
    if (now - progress->drawn_at < pause)
        return;
    double part = (t - progress->start) / (progress->end - progress->start);
    part = fmin(fmax(part, 0), 1);
    char left[32];
    format_time(part > 0 ? (now - progress->began) * (1 - part) / part : INFINITY, sizeof left,
                left);
    fputs("\r  ", stderr);
    draw_bar(part);
    fprintf(stderr, " %3.0f %%   t = %.4g s   %s left\033[K", floor(100 * part), t, left);
    fflush(stderr);
    progress->drawn = true;
    progress->drawn_at = now;
}

void ss_cli_progress_wipe(ss_cli_progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->drawn = false;
}
