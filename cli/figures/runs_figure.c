/* runs_figure.c: draws the results of a sweep: curves, heat maps or points. */
#include "figures/runs_figure.h"

#include "figures/figure_style.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Sizes in pixels; more results than this are in the table only. */
enum { PANEL = 250, MAP = 380, PANELS = 6 };

typedef struct picture {
    FILE *script;
    const ss_cli_runs *runs;
    int n_axes, axes[SS_CLI_AXES]; /* those that are numbers */
    int panels, height;            /* of a panel */
    bool map;
} picture;

static double value_of(const picture *p, int run, int axis)
{
    const ss_cli_plan *plan = &p->runs->plan;
    return plan->values[run * plan->n_axes + p->axes[axis]];
}

static const ss_cli_axis *axis_of(const picture *p, int axis)
{
    return &p->runs->plan.axes[p->axes[axis]];
}

/* The edges of the field of a value: half-way to its neighbours, on the axis's own scale. */
static void find_edges(const ss_cli_axis *axis, double value, double *low, double *high)
{
    bool log_scale = axis->logarithmic;
    double v = log_scale ? log(value) : value, below = -INFINITY, above = INFINITY;
    for (int i = 0; i < axis->count; i++) {
        double other = log_scale ? log(axis->values[i]) : axis->values[i];
        if (other < v)
            below = fmax(below, other);
        if (other > v)
            above = fmin(above, other);
    }
    double down = isfinite(below)   ? 0.5 * (v - below)
                  : isfinite(above) ? 0.5 * (above - v)
                                    : fmax(0.5 * fabs(v), 0.5);
    double up = isfinite(above) ? 0.5 * (above - v) : down;
    *low = log_scale ? exp(v - down) : v - down;
    *high = log_scale ? exp(v + up) : v + up;
}

static void write_data(const picture *p)
{
    fputs("$runs << END\n", p->script);
    for (int run = 0; run < p->runs->plan.count; run++) {
        double low = 0, high = 0;
        for (int i = 0; i < p->n_axes; i++) {
            if (p->map)
                find_edges(axis_of(p, i), value_of(p, run, i), &low, &high);
            fprintf(p->script, "%.9g ", value_of(p, run, i));
            if (p->map)
                fprintf(p->script, "%.9g %.9g ", low, high);
        }
        for (int i = 0; i < p->panels; i++) {
            double value = p->runs->outcomes[run].values[i];
            fprintf(p->script, isfinite(value) ? "%.9g " : "NaN ", value);
        }
        fputc('\n', p->script);
    }
    fputs("END\n", p->script);
}

static void set_axis(const picture *p, int axis, const char *which)
{
    char what[16];
    double low, high, edge;
    const ss_cli_axis *a = axis_of(p, axis);
    snprintf(what, sizeof what, "%slabel", which);
    ss_cli_set_text(p->script, what, a->name);
    fprintf(p->script, "%s logscale %s\n", a->logarithmic ? "set" : "unset", which);
    low = high = a->values[0];
    for (int i = 0; i < a->count; i++) {
        low = fmin(low, a->values[i]);
        high = fmax(high, a->values[i]);
    }
    if (p->map) {
        find_edges(a, low, &low, &edge);
        find_edges(a, high, &edge, &high);
    }
    if (low < high)
        fprintf(p->script, "set %srange [%.9g:%.9g]\n", which, low, high);
}

static void draw_map(const picture *p, int panel)
{
    set_axis(p, 0, "x");
    set_axis(p, 1, "y");
    ss_cli_set_text(p->script, "cblabel", p->runs->results.items[panel].name);
    fprintf(p->script,
            "plot $runs using 1:4:2:3:5:6:%d with boxxyerror fillstyle solid noborder "
            "linecolor palette notitle\n",
            7 + panel);
}

static void draw_points(const picture *p, int panel)
{
    bool curve =
        p->n_axes == 1 && p->runs->plan.sample != SS_CLI_LATIN && p->runs->plan.n_axes == 1;
    ss_cli_set_text(p->script, "ylabel", p->runs->results.items[panel].name);
    fputs("set lmargin at screen 0.1\nset rmargin at screen 0.97\n", p->script);
    if (p->n_axes == 1)
        set_axis(p, 0, "x");
    else
        fputs("set xrange [0:1]\nset xlabel 'from the first to the last value of each'\n",
              p->script);
    for (int i = 0; i < p->n_axes; i++) {
        const ss_cli_axis *a = axis_of(p, i);
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < a->count; k++) {
            low = fmin(low, a->values[k]);
            high = fmax(high, a->values[k]);
        }
        if (p->n_axes == 1)
            fprintf(p->script, "plot $runs using 1:%d", 2 + panel);
        else /* several keys in one panel: each from 0 to 1 */
            fprintf(p->script, "%s $runs using (($%d-%.17g)/%.17g):%d", i ? "," : "plot", 1 + i,
                    low, high > low ? high - low : 1, 1 + p->n_axes + panel);
        fprintf(p->script, " with %s linewidth 1.6 pointtype 7 pointsize %s",
                curve ? "linespoints" : "points", p->runs->plan.count > 200 ? "0.2" : "0.5");
        ss_cli_write_line_style(p->script, i);
        fputs(p->n_axes == 1 ? " notitle" : " title ", p->script);
        if (p->n_axes > 1)
            ss_cli_quote(p->script, a->name);
    }
    fputc('\n', p->script);
}

static void draw_panels(const picture *p, const char *title, bool png)
{
    int height = p->panels * p->height + SS_CLI_TITLE;
    ss_cli_write_head(p->script, png, height);
    write_data(p);
    fputs("set multiplot\n", p->script);
    ss_cli_write_title(p->script, title, height);
    /* viridis, told apart by everybody */
    if (p->map)
        fputs("set palette defined (0 '#440154', 1 '#414487', 2 '#2a788e', 3 '#22a884', 4 "
              "'#7ad151', 5 "
              "'#fde725')\nset border 15\nset rmargin at screen 0.85\nset lmargin at screen 0.1\n",
              p->script);
    for (int i = 0; i < p->panels; i++) {
        ss_cli_set_part(p->script, (p->panels - 1 - i) * p->height, p->height, height);
        if (p->map)
            draw_map(p, i);
        else
            draw_points(p, i);
        fputs("unset label 1\n", p->script);
    }
    fputs("unset multiplot\n", p->script);
}

ss_cli_drawing ss_cli_runs_draw(const ss_cli_runs *runs, const char *title, const char *file)
{
    picture p = {.runs = runs};
    for (int i = 0; i < runs->plan.n_axes; i++)
        if (!runs->plan.axes[i].words)
            p.axes[p.n_axes++] = i;
    p.panels = runs->results.count < PANELS ? runs->results.count : PANELS;
    if (p.n_axes == 0 || p.panels == 0)
        return SS_CLI_NOT_DRAWN;
    p.map = p.n_axes == 2 && runs->plan.n_axes == 2 && runs->plan.sample == SS_CLI_GRID;
    p.height = p.map ? MAP : PANEL;
    p.script = tmpfile();
    if (!p.script) {
        ss_cli_error("cannot draw '%s': no temporary file: %s", file, strerror(errno));
        return SS_CLI_NOT_DRAWN;
    }
    draw_panels(&p, title, ss_cli_ends_with(file, ".png"));
    ss_cli_drawing drawing = ss_cli_gnuplot(p.script, file);
    fclose(p.script);
    return drawing;
}
