/* live.c: shows the running motion in the terminal. */
#define _DEFAULT_SOURCE
#include "commands/live.h"

#include "commands/progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NAME = 18, VALUE = 12 }; /* characters left and right of a line */

int ss_cli_terminal_width(void)
{
    struct winsize size = {0};
    if (!isatty(STDERR_FILENO))
        return 0;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static int at_most(int value, int most)
{
    return value < most ? value : most;
}

void ss_cli_live_begin(ss_cli_live *live, ss_scene *scene, int width)
{
    ss_simulation *simulation = ss_scene_simulation(scene);
    ss_model_size sizes = ss_model_sizes(ss_scene_model(scene));
    int columns = at_most(width - NAME - VALUE - 4, SS_CLI_LIVE_COLUMNS);
    *live = (ss_cli_live){
        .model = ss_scene_model(scene),
        .start = ss_state_time(ss_simulation_state(simulation)),
        .end = ss_simulation_settings(simulation)->end,
        .columns = columns > 10 ? columns : 10,
        .n_coordinates = at_most(sizes.n_q, SS_CLI_LIVE_LINES),
        .n_laws = at_most(sizes.n_laws, SS_CLI_LIVE_LINES),
    };
}

/* A short closing must not be lost among the steps of a column: constraints win. */
static void note_mode(signed char *noted, int mode, bool first)
{
    if (first || mode == 0)
        *noted = (signed char)mode;
}

static void take(ss_cli_live *live, const ss_state *state)
{
    double part = (ss_state_time(state) - live->start) / (live->end - live->start);
    int column = at_most((int)(fmax(part, 0) * live->columns), live->columns - 1);
    const double *q = ss_state_q(state);
    const int *modes = ss_state_mode(state);
    bool first = column >= live->filled;
    for (int fill = live->filled; fill <= column; fill++) {
        for (int i = 0; i < live->n_coordinates; i++)
            live->values[i][fill] = q[i];
        for (int i = 0; i < live->n_laws; i++)
            note_mode(&live->modes[i][fill], modes[i], true);
    }
    for (int i = 0; !first && i < live->n_laws; i++)
        note_mode(&live->modes[i][column], modes[i], false);
    live->filled = first ? column + 1 : live->filled;
}

static void write_name(const char *name)
{
    fprintf(stderr, "  %-*.*s ", NAME, NAME, name);
}

/* A curve of blocks between its least and its largest value. */
static void draw_values(const ss_cli_live *live, int line)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double *values = live->values[line];
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < live->filled; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    write_name(ss_model_q_name(live->model, line).text);
    for (int i = 0; i < live->filled; i++) {
        double part = high > low ? (values[i] - low) / (high - low) : 0;
        fputs(isfinite(values[i]) ? blocks[at_most((int)(8 * part), 7)] : "?", stderr);
    }
    fprintf(stderr, " %.4g\033[K\n", live->filled > 0 ? values[live->filled - 1] : 0.0);
}

/* Full while the law is a constraint, two tones for the directions of an impressed force. */
static void draw_modes(const ss_cli_live *live, int line)
{
    ss_law_info law = ss_model_law(live->model, line);
    const signed char *modes = live->modes[line];
    write_name(law.name);
    for (int i = 0; i < live->filled; i++)
        fputs(modes[i] == 0 ? "█" : modes[i] > 0 ? "░" : "▒", stderr);
    bool constraint = live->filled > 0 && modes[live->filled - 1] == 0;
    fprintf(stderr, " %s\033[K\n", law.words[constraint ? 0 : 1]);
}

static void draw(ss_cli_live *live, const ss_state *state)
{
    if (live->drawn > 0)
        fprintf(stderr, "\033[%dA\r", live->drawn);
    fprintf(stderr, "  t = %.5g of %.5g s, %llu switches\033[K\n", ss_state_time(state), live->end,
            (unsigned long long)ss_state_statistics(state)->switches);
    for (int i = 0; i < live->n_coordinates; i++)
        draw_values(live, i);
    for (int i = 0; i < live->n_laws; i++)
        draw_modes(live, i);
    fflush(stderr);
    live->drawn = 1 + live->n_coordinates + live->n_laws;
    live->drawn_at = ss_cli_clock();
}

void ss_cli_live_update(ss_cli_live *live, const ss_state *state)
{
    const double pause = 0.1; /* s between two drawings */
    take(live, state);
    if (ss_cli_clock() - live->drawn_at >= pause)
        draw(live, state);
}

void ss_cli_live_end(ss_cli_live *live, const ss_state *state)
{
    draw(live, state);
}
