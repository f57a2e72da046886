/* branch_figure.c: draws the points of motions over a parameter, thinned to what can be seen. */
#include "figures/branch_figure.h"

#include "command.h"
#include "commands/paths.h"
#include "figures/figure_style.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels; points that fall into one cell of the grid are one. */
enum { PANEL = 460, PANELS = 6, CELLS_X = 1800, CELLS_Y = 900 };

typedef struct picture {
    FILE *script;
    const ss_cli_branches *branches;
    unsigned char *cells;
} picture;

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value)
{
    if (isfinite(value)) {
        r->low = fmin(r->low, value);
        r->high = fmax(r->high, value);
    }
}

/* x of a point: the value of the parameter, or the first signal of a single motion. */
static double x_of(const picture *p, const ss_cli_branch_point *item, int i)
{
    const ss_cli_branches *b = p->branches;
    return b->axis.count > 0 ? b->axis.values[item->value]
                             : item->points[i * (1 + b->section.n_signals) + 1];
}

static int cell(range r, double value, int cells)
{
    double part = r.high > r.low ? (value - r.low) / (r.high - r.low) : 0;
    return (int)fmin(fmax(part * (cells - 1), 0), cells - 1);
}

/* The points of one way, each cell once. */
static void write_way(const picture *p, int way, int panel, range x, range y)
{
    const ss_cli_branches *b = p->branches;
    int width = 1 + b->section.n_signals, values = ss_cli_branch_values(b);
    memset(p->cells, 0, CELLS_X * CELLS_Y);
    fprintf(p->script, "$p%d_%d << END\n", panel, way);
    for (int k = 0; k < values; k++) {
        const ss_cli_branch_point *item = &b->items[way * values + k];
        for (int i = 0; i < item->count; i++) {
            double at = x_of(p, item, i), value = item->points[i * width + 1 + panel];
            if (!isfinite(at) || !isfinite(value))
                continue;
            unsigned char *seen =
                &p->cells[cell(y, value, CELLS_Y) * CELLS_X + cell(x, at, CELLS_X)];
            if (!*seen)
                fprintf(p->script, "%.9g %.9g\n", at, value);
            *seen = 1;
        }
    }
    fputs("END\n", p->script);
}

static void find_ranges(const picture *p, int panel, range *x, range *y)
{
    const ss_cli_branches *b = p->branches;
    int width = 1 + b->section.n_signals;
    *x = *y = (range){INFINITY, -INFINITY};
    for (int k = 0; k < b->count; k++) {
        const ss_cli_branch_point *item = &b->items[k];
        if (b->axis.count > 0)
            widen(x, b->axis.values[item->value]);
        for (int i = 0; i < item->count; i++) {
            widen(x, x_of(p, item, i));
            widen(y, item->points[i * width + 1 + panel]);
        }
    }
}

static void set_ranges(const picture *p, range x, range y)
{
    double margin = 0.03 * (y.high - y.low);
    if (x.low < x.high && p->branches->axis.count > 0)
        fprintf(p->script, "set xrange [%.9g:%.9g]\n", x.low, x.high);
    fprintf(p->script, "%s logscale x\n", p->branches->axis.logarithmic ? "set" : "unset");
    if (y.low < y.high)
        fprintf(p->script, "set yrange [%.9g:%.9g]\n", y.low - margin, y.high + margin);
    else
        fputs("set yrange [*:*]\n", p->script);
}

static void draw_panel(const picture *p, int panel)
{
    const ss_cli_branches *b = p->branches;
    range x, y;
    find_ranges(p, panel, &x, &y);
    for (int way = 0; way < b->n_ways; way++)
        write_way(p, way, panel, x, y);
    set_ranges(p, x, y);
    ss_cli_set_text(p->script, "xlabel", b->axis.count ? b->axis.name : b->section.signals[0]);
    ss_cli_set_text(p->script, "ylabel", b->section.signals[panel]);
    for (int way = 0; way < b->n_ways; way++) {
        fprintf(p->script, "%s $p%d_%d with points pointtype 7 pointsize 0.12", way ? "," : "plot",
                panel, way);
        ss_cli_write_line_style(p->script, way);
        if (b->n_ways == 1)
            fputs(" notitle", p->script);
        else
            fprintf(p->script,
                    " notitle, NaN with points pointtype 7 pointsize 0.6 linecolor rgb "
                    "'%s' title '%s'",
                    way ? "#d55e00" : "#0072b2", ss_cli_carry_name(b->ways[way]));
    }
    fputc('\n', p->script);
}

static void draw_exponents(const picture *p)
{
    const ss_cli_branches *b = p->branches;
    int values = ss_cli_branch_values(b);
    range x = {INFINITY, -INFINITY}, y = {0, 0};
    for (int way = 0; way < b->n_ways; way++) {
        fprintf(p->script, "$exponents%d << END\n", way);
        for (int k = 0; k < values; k++) {
            const ss_cli_branch_point *item = &b->items[way * values + k];
            widen(&x, b->axis.values[item->value]);
            widen(&y, item->exponent);
            if (isfinite(item->exponent))
                fprintf(p->script, "%.9g %.9g\n", b->axis.values[item->value], item->exponent);
        }
        fputs("END\n", p->script);
    }
    set_ranges(p, x, y);
    ss_cli_set_text(p->script, "ylabel", "Lyapunov exponent in 1/s");
    for (int way = 0; way < b->n_ways; way++) {
        fprintf(p->script, "%s $exponents%d with lines linewidth 1", way ? "," : "plot", way);
        ss_cli_write_line_style(p->script, way);
        fputs(" notitle", p->script);
    }
    fputs(", 0 with lines linecolor rgb '#909090' dashtype 2 notitle\n", p->script);
}

static void draw_all(const picture *p, const char *title, bool png)
{
    const ss_cli_branches *b = p->branches;
    bool section = b->axis.count == 0;
    int first = section ? 1 : 0, n = b->section.n_signals - first;
    n = n < PANELS ? n : PANELS;
    int panels = n + (b->exponents && !section), height = panels * PANEL + SS_CLI_TITLE;
    ss_cli_write_head(p->script, png, height);
    fputs("set multiplot\nset lmargin at screen 0.1\nset rmargin at screen 0.97\n", p->script);
    ss_cli_write_title(p->script, title, height);
    for (int i = 0; i < panels; i++) {
        ss_cli_set_part(p->script, (panels - 1 - i) * PANEL, PANEL, height);
        if (i < n)
            draw_panel(p, first + i);
        else
            draw_exponents(p);
        fputs("unset label 1\n", p->script);
    }
    fputs("unset multiplot\n", p->script);
}

/* gnuplot takes no empty lists. */
static bool has_points(const ss_cli_branches *b)
{
    int values = ss_cli_branch_values(b);
    for (int way = 0; way < b->n_ways; way++) {
        int count = 0;
        for (int k = 0; k < values; k++)
            count += b->items[way * values + k].count;
        if (count == 0)
            return false;
    }
    return b->section.n_signals > (b->axis.count == 0) && !b->axis.words;
}

ss_cli_drawing ss_cli_branches_draw(const ss_cli_branches *branches, const char *title,
                                    const char *file)
{
    picture p = {.branches = branches};
    if (!has_points(branches))
        return SS_CLI_NOT_DRAWN;
    p.cells = calloc(CELLS_X, CELLS_Y);
    p.script = p.cells ? tmpfile() : NULL;
    ss_cli_drawing drawing = SS_CLI_NOT_DRAWN;
    if (p.script) {
        draw_all(&p, title, ss_cli_ends_with(file, ".png"));
        drawing = ss_cli_gnuplot(p.script, file);
        fclose(p.script);
    } else {
        ss_cli_error("cannot draw '%s': %s", file, strerror(errno));
    }
    free(p.cells);
    return drawing;
}
