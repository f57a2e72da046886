/* figure.c: draws one picture of a record. */
#include "figures/figure.h"

#include "commands/paths.h"
#include "figures/decimate.h"
#include "figures/figure_data.h"
#include "figures/figure_style.h"

#include <errno.h>
#include <string.h>

/* Sizes in pixels. */
enum {
    CURVES = 460,
    LANE = 20,
    LANE_AXIS = 86,  /* time axis and legend under the lanes */
    ALL_LANES = 600, /* at most */
    LEGIBLE = 10,    /* lanes need this height to have names */
};

typedef struct figure {
    FILE *script;
    const ss_record *record;
    const ss_plot *plot;
    const ss_cli_data *data;
    bool png;
    int title, lane, lanes, height; /* of the title, one lane, all lanes with axis, the picture */
    double left;                    /* margin, as part of the width */
} figure;

static int largest_label(const figure *f)
{
    size_t longest = 8;
    for (int i = 0; i < f->data->n_lanes; i++) {
        size_t length = strlen(ss_record_law(f->record, i).name);
        longest = length > longest ? length : longest;
    }
    return (int)(longest > 40 ? 40 : longest);
}

static void lay_out(figure *f)
{
    int n = f->data->n_lanes;
    f->lane = n * LANE <= ALL_LANES ? LANE : ALL_LANES / n;
    f->lane = f->lane < 2 ? 2 : f->lane;
    f->title = f->plot->title[0] ? SS_CLI_TITLE : 0;
    f->lanes = n > 0 ? n * f->lane + LANE_AXIS : 0;
    f->height = f->title + CURVES + f->lanes;
    f->left = (30 + 7.5 * largest_label(f)) / SS_CLI_WIDTH;
}

static const char *y_label(const figure *f, size_t capacity, char *text)
{
    if (f->plot->y_label[0])
        return f->plot->y_label;
    if (f->plot->n_y != 1)
        return "";
    ss_cli_name_with_unit(f->record, f->plot->y[0], capacity, text);
    return text;
}

static const char *x_label(const figure *f, size_t capacity, char *text)
{
    if (f->plot->x_label[0])
        return f->plot->x_label;
    ss_cli_name_with_unit(f->record, f->plot->x, capacity, text);
    return text;
}

static void write_curves(const figure *f)
{
    for (int i = 0; i < f->data->n_y; i++) {
        fprintf(f->script, "$curve%d << END\n", i);
        if (f->data->orbit)
            ss_cli_write_orbit(f->script, f->data->count, f->data->x, f->data->y[i], SS_CLI_STRIPS);
        else
            ss_cli_write_curve(f->script, f->data->count, f->data->x, f->data->y[i], SS_CLI_STRIPS);
        fputs("END\n", f->script);
    }
    for (int i = 0; i < f->data->n_lanes; i++) {
        fprintf(f->script, "$lane%d << END\n", i);
        const ss_cli_lane *lane = &f->data->lanes[i];
        ss_cli_write_bars(f->script, lane->count, lane->t, lane->mode, SS_CLI_STRIPS);
        fputs("END\n", f->script);
    }
}

/* One signal needs no legend: its name is at the axis. */
static void plot_curves(const figure *f)
{
    for (int i = 0; i < f->data->n_y; i++) {
        fprintf(f->script, "%s $curve%d with lines linewidth 1.6", i == 0 ? "plot" : ",", i);
        ss_cli_write_line_style(f->script, i);
        if (f->data->n_y > 1) {
            fputs(" title ", f->script);
            ss_cli_quote(f->script, f->plot->y[i]);
        } else {
            fputs(" notitle", f->script);
        }
    }
    fputc('\n', f->script);
}

static void set_time_range(const figure *f)
{
    double first = f->data->t[0], last = f->data->t[f->data->count - 1];
    if (last > first)
        fprintf(f->script, "set xrange [%.9g:%.9g]\n", first, last);
}

static void draw_curves(const figure *f)
{
    char text[1024];
    ss_cli_set_text(f->script, "ylabel", y_label(f, sizeof text, text));
    if (f->data->orbit)
        fputs("set offsets graph 0.03, graph 0.03, graph 0.03, graph 0.03\n", f->script);
    else
        set_time_range(f);
    if (f->data->n_lanes > 0)
        fputs("set format x ''\nset bmargin 0.8\n", f->script);
    else
        ss_cli_set_text(f->script, "xlabel", x_label(f, sizeof text, text));
    plot_curves(f);
}

static void name_lanes(const figure *f)
{
    if (f->lane < LEGIBLE) {
        fputs("unset ytics\n", f->script);
        return;
    }
    fputs("set ytics scale 0 (", f->script);
    for (int i = 0; i < f->data->n_lanes; i++) {
        fputs(i ? ", " : "", f->script);
        ss_cli_quote(f->script, ss_record_law(f->record, i).name);
        fprintf(f->script, " %d", -i);
    }
    fputs(") nomirror\n", f->script);
}

/* Black: constraint; grey: impressed, in two shades where there are two directions. */
static void plot_lanes(const figure *f)
{
    fputs("colour(m) = m == 0 ? 0x000000 : m > 0 ? 0xb8b8b8 : 0x707070\n", f->script);
    for (int i = 0; i < f->data->n_lanes; i++)
        fprintf(f->script,
                "%s $lane%d using (0.5*($1+$2)):(%d):1:2:(%d-0.36):(%d+0.36):(colour($3)) with "
                "boxxyerror fillstyle solid 1 noborder linecolor rgb variable notitle",
                i == 0 ? "plot" : ",", i, -i, -i, -i);
    static const char *const entries[][2] = {{"000000", "constraint (closed, sticking)"},
                                             {"b8b8b8", "impressed (open, slipping)"},
                                             {"707070", "slipping backwards"}};
    for (int i = 0; i < 3; i++)
        fprintf(f->script,
                ", NaN with boxes fillstyle solid 1 noborder linecolor rgb '#%s' title '%s'",
                entries[i][0], entries[i][1]);
    fputc('\n', f->script);
}

static void draw_lanes(const figure *f)
{
    char text[1024];
    fputs("unset ylabel\nunset grid\nset border 1\nset format x\n"
          "set tmargin 0.4\n",
          f->script);
    fprintf(f->script, "set bmargin at screen %.5f\n", (LANE_AXIS - 8.0) / f->height);
    fprintf(f->script,
            "set key horizontal center bottom at screen 0.53,%.5f samplen 1 font ',11'\n",
            4.0 / f->height);
    fprintf(f->script, "set yrange [%d-0.6:0.6]\n", 1 - f->data->n_lanes);
    ss_cli_set_text(f->script, "xlabel", x_label(f, sizeof text, text));
    name_lanes(f);
    plot_lanes(f);
}

/* Both parts share their left and right margins, so that the times stand above each other. */
static void draw_parts(const figure *f)
{
    fputs("set multiplot\n", f->script);
    if (f->title > 0)
        ss_cli_write_title(f->script, f->plot->title, f->height);
    if (f->lanes > 0)
        fprintf(f->script, "set lmargin at screen %.4f\nset rmargin at screen 0.975\n", f->left);
    ss_cli_set_part(f->script, f->lanes, CURVES, f->height);
    draw_curves(f);
    fputs("unset label 1\n", f->script);
    if (f->lanes > 0) {
        ss_cli_set_part(f->script, 0, f->lanes, f->height);
        draw_lanes(f);
    }
    fputs("unset multiplot\n", f->script);
}

static ss_cli_drawing draw(figure *f, const char *file)
{
    f->script = tmpfile();
    if (!f->script) {
        ss_cli_error("cannot draw '%s': no temporary file: %s", file, strerror(errno));
        return SS_CLI_NOT_DRAWN;
    }
    lay_out(f);
    ss_cli_write_head(f->script, f->png, f->height);
    write_curves(f);
    draw_parts(f);
    ss_cli_drawing drawing = ss_cli_gnuplot(f->script, file);
    fclose(f->script);
    return drawing;
}

ss_cli_drawing ss_cli_draw(ss_cli_session *session, ss_record *record, const ss_plot *plot,
                           ss_cli_range range, const char *file)
{
    ss_cli_data data;
    ss_cli_drawing drawing = SS_CLI_NOT_DRAWN;
    if (ss_cli_data_read(session, record, plot, range, &data)) {
        figure f = {
            .record = record, .plot = plot, .data = &data, .png = ss_cli_ends_with(file, ".png")};
        drawing = draw(&f, file);
    }
    ss_cli_data_release(&data);
    return drawing;
}
