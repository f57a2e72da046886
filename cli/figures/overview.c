/* overview.c: draws drift, energy error, order and cost of schemes beside each other. */
#include "figures/overview.h"

#include "command.h"
#include "figures/figure_style.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Sizes in pixels; the names of the schemes are below the last of the panels. */
enum {
    COLUMNS = 4,
    PANEL = 170,
    GAP = 18,
    NAMES = 140,
    HEIGHT = COLUMNS * PANEL + NAMES + SS_CLI_TITLE
};

static const struct {
    const char *title;
    bool logarithmic;
    int column;
} panels[COLUMNS] = {
    {"drift in m", true, 2},
    {"energy error in J", true, 3},
    {"order of the end positions", false, 4},
    {"processor time in s", true, 5},
};

static bool takes_part(const ss_cli_overview *o, int scheme)
{
    for (int k = 0; k < o->n_steps; k++)
        if (o->trials[scheme * o->n_steps + k].end != SS_CLI_REFUSED)
            return true;
    return false;
}

/* Nothing where a logarithm has nothing. */
static void write_value(FILE *script, double value)
{
    if (isfinite(value) && value > 0)
        fprintf(script, " %.9g", value);
    else
        fputs(" NaN", script);
}

static double value_of(const ss_cli_overview *o, int column, int scheme, int step)
{
    const ss_cli_trial *trial = &o->trials[scheme * o->n_steps + step];
    switch (column) {
    case 2:
        return trial->drift;
    case 3:
        return trial->balance;
    case 4:
        return o->orders[scheme];
    default:
        return trial->cpu;
    }
}

/* Whether there is anything to draw. */
static bool has_values(const ss_cli_overview *o, int column)
{
    for (int i = 0; i < o->n_schemes; i++)
        for (int k = 0; takes_part(o, i) && k < o->n_steps; k++) {
            double value = value_of(o, column, i, k);
            if (isfinite(value) && value > 0)
                return true;
        }
    return false;
}

/* In quotes, which gnuplot cannot escape within data. */
static void write_name(FILE *script, const char *name)
{
    fputs(" \"", script);
    for (const char *c = name; *c; c++)
        fputc(*c == '"' ? ' ' : *c, script);
    fputs("\"\n", script);
}

static int write_data(FILE *script, const ss_cli_overview *o, int step)
{
    int place = 0;
    fprintf(script, "$step%d << END\n", step);
    for (int i = 0; i < o->n_schemes; i++) {
        const ss_cli_trial *trial = &o->trials[i * o->n_steps + step];
        if (!takes_part(o, i))
            continue;
        fprintf(script, "%d", place++);
        for (int column = 2; column < 2 + COLUMNS; column++)
            write_value(script, value_of(o, column, i, step));
        write_name(script, trial->name);
    }
    fputs("END\n", script);
    return place;
}

static void set_panel(FILE *script, const ss_cli_overview *o, int panel, int schemes)
{
    bool last = panel == COLUMNS - 1;
    int bottom = last ? 0 : NAMES + (COLUMNS - 1 - panel) * PANEL;
    ss_cli_set_part(script, bottom, last ? PANEL + NAMES : PANEL, HEIGHT);
    fprintf(script, "set tmargin at screen %.5f\nset bmargin at screen %.5f\n",
            (double)(NAMES + (COLUMNS - panel) * PANEL - GAP) / HEIGHT,
            (double)(NAMES + (COLUMNS - 1 - panel) * PANEL) / HEIGHT);
    fputs(panels[panel].logarithmic ? "set logscale y\nset format y '%.0e'\nset autoscale y\n"
                                    : "unset logscale y\nset format y '%g'\nset yrange [0:*]\n",
          script);
    if (!has_values(o, panels[panel].column))
        fputs("set yrange [0.1:1]\n", script);
    fputs(last ? "set format x '%s'\nset xtics rotate by 35 right noenhanced\n"
               : "set format x ''\n",
          script);
    fprintf(script, "set xrange [-0.5:%d.5]\n", schemes - 1);
    ss_cli_set_text(script, "ylabel", panels[panel].title);
}

static void draw_panel(FILE *script, const ss_cli_overview *o, int panel, int schemes)
{
    static const int points[] = {7, 5, 9, 13, 11, 6, 4};
    enum { N_POINTS = sizeof points / sizeof *points };
    bool one = !panels[panel].logarithmic; /* a scheme has one order, whatever the step */
    const char *names = panel == COLUMNS - 1 ? ":xtic(6)" : ":xtic('')";
    set_panel(script, o, panel, schemes);
    for (int k = 0; k < (one ? 1 : o->n_steps); k++) {
        fprintf(script, "%s $step%d using 1:%d%s with points pointtype %d pointsize 1",
                k ? "," : "plot", k, panels[panel].column, names, points[k % N_POINTS]);
        ss_cli_write_line_style(script, one ? 6 : k);
        fputs(panel > 0 || !o->steps ? " notitle" : " title ", script);
        if (panel == 0 && o->steps)
            ss_cli_quote(script, o->steps[k]);
    }
    fputs("\nunset label 1\n", script);
}

ss_cli_drawing ss_cli_overview_draw(const ss_cli_overview *o, const char *file)
{
    FILE *script = tmpfile();
    int schemes = 0;
    if (!script) {
        ss_cli_error("cannot draw '%s': no temporary file: %s", file, strerror(errno));
        return SS_CLI_NOT_DRAWN;
    }
    ss_cli_write_head(script, ss_cli_ends_with(file, ".png"), HEIGHT);
    for (int k = 0; k < o->n_steps; k++)
        schemes = write_data(script, o, k);
    fputs("set multiplot\nset lmargin at screen 0.11\nset rmargin at screen 0.85\n"
          "set key at screen 0.99, screen 0.93 right top vertical maxcols 1\n",
          script);
    ss_cli_write_title(script, o->title, HEIGHT);
    for (int i = 0; i < COLUMNS; i++)
        draw_panel(script, o, i, schemes);
    fputs("unset multiplot\n", script);
    ss_cli_drawing drawing = ss_cli_gnuplot(script, file);
    fclose(script);
    return drawing;
}
