/* overlay.c: draws a plot of several records in one picture. */
#include "figures/overlay.h"

#include "commands/paths.h"
#include "figures/decimate.h"
#include "figures/figure_data.h"
#include "figures/figure_style.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ONE = 460, ONE_OF_SEVERAL = 250, TOP = 14, AXIS = 56 }; /* heights in pixels */

typedef struct span {
    double low, high;
} span;

typedef struct overlay {
    ss_cli_session *session;
    FILE *script;
    int count;
    const ss_cli_curve *curves;
    const ss_plot *plot;
    bool orbit;
    span *spans;             /* of x, then of each signal: count of them each */
    char (*labels)[128];     /* of x, then of each signal */
    int title, part, height; /* in pixels */
} overlay;

static span span_of(size_t count, const double *values)
{
    span s = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            s.low = fmin(s.low, values[i]);
            s.high = fmax(s.high, values[i]);
        }
    return s;
}

static void write_data(const overlay *o, int curve, const ss_cli_data *data)
{
    o->spans[curve] = span_of(data->count, data->x);
    for (int i = 0; i < data->n_y; i++) {
        fprintf(o->script, "$curve%d_%d << END\n", curve, i);
        if (o->orbit)
            ss_cli_write_orbit(o->script, data->count, data->x, data->y[i], SS_CLI_STRIPS);
        else
            ss_cli_write_curve(o->script, data->count, data->x, data->y[i], SS_CLI_STRIPS);
        fputs("END\n", o->script);
        o->spans[(i + 1) * o->count + curve] = span_of(data->count, data->y[i]);
    }
}

static void take_labels(const overlay *o, const ss_record *record)
{
    const ss_plot *plot = o->plot;
    ss_cli_name_with_unit(record, plot->x, sizeof o->labels[0], o->labels[0]);
    for (int i = 0; i < plot->n_y; i++)
        ss_cli_name_with_unit(record, plot->y[i], sizeof o->labels[0], o->labels[i + 1]);
    if (plot->x_label[0])
        snprintf(o->labels[0], sizeof o->labels[0], "%s", plot->x_label);
    if (plot->y_label[0] && plot->n_y == 1)
        snprintf(o->labels[1], sizeof o->labels[1], "%s", plot->y_label);
}

/* The curves of one record, without lanes. */
static bool read_record(const overlay *o, int curve)
{
    ss_record *record;
    ss_cli_data data;
    ss_plot plot = *o->plot;
    plot.modes = false;
    if (ss_record_open(o->session->context, o->curves[curve].record, &record) != SS_OK) {
        ss_cli_print_failure(o->session);
        return false;
    }
    take_labels(o, record);
    ss_cli_range all = {-INFINITY, INFINITY};
    bool good = ss_cli_data_read(o->session, record, &plot, all, &data);
    if (good)
        write_data(o, curve, &data);
    ss_cli_data_release(&data);
    ss_record_close(record);
    return good;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half of the curves are not wider than this. */
static double median_width(int count, const span *spans, double *widths)
{
    for (int i = 0; i < count; i++)
        widths[i] = spans[i].high - spans[i].low;
    qsort(widths, (size_t)count, sizeof *widths, compare);
    return widths[(count - 1) / 2];
}

/* One that explodes must not make the others invisible. */
static void set_range(const overlay *o, const char *axis, const span *spans)
{
    const double far = 5, margin = 0.05; /* of the median width */
    double *widths = calloc((size_t)o->count, sizeof *widths);
    double width = widths ? median_width(o->count, spans, widths) : 0;
    span s = {INFINITY, -INFINITY};
    int inside = 0;
    for (int i = 0; i < o->count; i++)
        if (spans[i].high - spans[i].low <= far * width) {
            s.low = fmin(s.low, spans[i].low);
            s.high = fmax(s.high, spans[i].high);
            inside++;
        }
    free(widths);
    double edge = margin * (s.high - s.low);
    if (inside < o->count && width > 0 && edge > 0)
        fprintf(o->script, "set %srange [%.9g:%.9g]\n", axis, s.low - edge, s.high + edge);
    else
        fprintf(o->script, "set %srange [*:*]\n", axis);
}

/* Later curves are thinner, so that those that lie on each other can all be seen. */
static void plot_curves(const overlay *o, int signal)
{
    const double thick = 3.4, thin = 1.3;
    for (int i = 0; i < o->count; i++) {
        double width = thick + (thin - thick) * i / (o->count > 1 ? o->count - 1 : 1);
        fprintf(o->script, "%s $curve%d_%d with lines linewidth %.2f", i ? "," : "plot", i, signal,
                width);
        ss_cli_write_line_style(o->script, i);
        fputs(" title ", o->script);
        ss_cli_quote(o->script, signal == 0 ? o->curves[i].name : "");
    }
    fputc('\n', o->script);
}

static double part_of(const overlay *o, int pixels)
{
    return (double)pixels / o->height;
}

/* Signals stand below each other with the axis of time under the last. */
static void draw_signal(const overlay *o, int signal)
{
    bool last = signal == o->plot->n_y - 1, axis = last || o->orbit;
    int top = o->height - o->title - signal * o->part;
    fprintf(o->script, "set tmargin at screen %.5f\n", part_of(o, top - TOP));
    fprintf(o->script, "set bmargin at screen %.5f\n",
            part_of(o, top - o->part + (axis ? 0 : TOP) + (o->orbit ? AXIS : 0)));
    if (signal == 0)
        fprintf(o->script, "set key at screen 0.755,%.5f left top vertical maxcols 1\n",
                part_of(o, top - TOP));
    else
        fputs("unset key\n", o->script);
    fputs(axis ? "set format x\n" : "set format x ''\n", o->script);
    ss_cli_set_text(o->script, "xlabel", axis ? o->labels[0] : "");
    ss_cli_set_text(o->script, "ylabel", o->labels[signal + 1]);
    set_range(o, "y", o->spans + (signal + 1) * o->count);
    plot_curves(o, signal);
    fputs("unset label 1\n", o->script);
}

static void draw_all(const overlay *o)
{
    fputs("set multiplot\nset lmargin at screen 0.095\nset rmargin at screen 0.735\n", o->script);
    if (o->title > 0)
        ss_cli_write_title(o->script, o->plot->title, o->height);
    if (o->orbit)
        set_range(o, "x", o->spans);
    else
        fputs("set autoscale xfix\n", o->script);
    for (int i = 0; i < o->plot->n_y; i++)
        draw_signal(o, i);
    fputs("unset multiplot\n", o->script);
}

static ss_cli_drawing draw(overlay *o, const char *file)
{
    ss_cli_write_head(o->script, ss_cli_ends_with(file, ".png"), o->height);
    for (int i = 0; i < o->count; i++)
        if (!read_record(o, i))
            return SS_CLI_NOT_DRAWN;
    draw_all(o);
    return ss_cli_gnuplot(o->script, file);
}

static void lay_out(overlay *o)
{
    int n_y = o->plot->n_y, axes = o->orbit ? n_y : 1, legend = 20 * o->count + TOP;
    o->title = o->plot->title[0] ? SS_CLI_TITLE : 0;
    o->part = (n_y == 1 ? ONE : ONE_OF_SEVERAL) + (o->orbit ? AXIS : 0);
    if (o->part * n_y < legend)
        o->part = legend / n_y;
    o->height = o->title + n_y * o->part + (axes == 1 && !o->orbit ? AXIS : 0);
}

ss_cli_drawing ss_cli_overlay(ss_cli_session *session, int count, const ss_cli_curve *curves,
                              const ss_plot *plot, const char *file)
{
    size_t signals = (size_t)plot->n_y + 1;
    overlay o = {
        .session = session,
        .script = tmpfile(),
        .count = count,
        .curves = curves,
        .plot = plot,
        .orbit = strcmp(plot->x, "t") != 0,
        .spans = calloc(signals * (size_t)count, sizeof *o.spans),
        .labels = calloc(signals, sizeof *o.labels),
    };
    ss_cli_drawing drawing = SS_CLI_NOT_DRAWN;
    lay_out(&o);
    if (o.script && o.spans && o.labels)
        drawing = draw(&o, file);
    else
        ss_cli_error("cannot draw '%s': %s", file, strerror(errno));
    if (o.script)
        fclose(o.script);
    free(o.spans);
    free(o.labels);
    return drawing;
}
