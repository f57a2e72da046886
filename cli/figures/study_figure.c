/* study_figure.c: draws errors over steps, both logarithmic. */
#include "figures/study_figure.h"

#include "figures/figure_style.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { CURVES = 500, MOST_ORDER = 9 };

typedef struct picture {
    FILE *script;
    const ss_cli_study *study;
    double h_low, h_high, low, high; /* of all points */
    double anchor;                   /* log of an error at h_high through which guides go */
    bool guides[MOST_ORDER + 1];     /* orders that were found */
} picture;

static void take_scheme(picture *p, int scheme, double *sum, int *schemes)
{
    ss_cli_error_at errors[SS_CLI_OVER];
    size_t count = ss_cli_study_errors(p->study, scheme, errors);
    fprintf(p->script, "$scheme%d << END\n", scheme);
    for (size_t i = 0; i < count; i++) {
        fprintf(p->script, "%.9g %.9g\n", errors[i].h, errors[i].error);
        p->h_low = fmin(p->h_low, errors[i].h);
        p->h_high = fmax(p->h_high, errors[i].h);
        p->low = fmin(p->low, errors[i].error);
        p->high = fmax(p->high, errors[i].error);
    }
    fputs("END\n", p->script);
    double h_ref = ss_cli_study_reference_step(p->study, scheme);
    double order = round(ss_cli_order_fit(count, errors, h_ref));
    if (order >= 1 && order <= MOST_ORDER)
        p->guides[(int)order] = true;
    if (count > 0) {
        *sum += log(errors[0].error);
        ++*schemes;
    }
}

static void set_axes(const picture *p)
{
    fputs("set logscale xy\nset format xy '%.0e'\nset mxtics 10\nset mytics 10\n"
          "set key outside right top vertical maxcols 1 samplen 2.5\n"
          "set lmargin 12\n",
          p->script);
    fprintf(p->script, "set xrange [%.9g:%.9g]\n", p->h_low / 1.25, p->h_high * 1.25);
    fprintf(p->script, "set yrange [%.9g:%.9g]\n", p->low / 2, p->high * 2);
    ss_cli_set_text(p->script, "xlabel",
                    p->study->over.steps ? "step in s" : p->study->over.setting);
    char label[192];
    int count = p->study->signals.count;
    snprintf(label, sizeof label, "error of %s at t = %.6g s",
             count == 1 ? p->study->signals.items[0] : "all signals", p->study->at);
    ss_cli_set_text(p->script, "ylabel", label);
}

/* Lines of whole orders, as far as there are errors. */
static void write_guides(const picture *p)
{
    for (int order = 1; order <= MOST_ORDER; order++) {
        if (!p->guides[order])
            continue;
        double start = exp(p->anchor);
        double h = p->h_high * pow(p->low / start, 1.0 / order), e = p->low;
        if (h < p->h_low) {
            h = p->h_low;
            e = start * pow(h / p->h_high, order);
        }
        fprintf(p->script, "$guide%d << END\n%.9g %.9g\n%.9g %.9g\nEND\n", order, h, e, p->h_high,
                start);
    }
}

/* Grey; each has its own dashes. */
static void plot_guides(const picture *p)
{
    int dashes = 2;
    for (int order = 1; order <= MOST_ORDER; order++)
        if (p->guides[order]) {
            fprintf(p->script,
                    ", $guide%d with lines linecolor rgb '#909090' linewidth 1.2 dashtype %d title "
                    "'order %d'",
                    order, dashes, order);
            dashes = dashes < 5 ? dashes + 1 : 2;
        }
}

static void plot_schemes(const picture *p)
{
    static const int points[] = {7, 5, 9, 13, 11, 6, 4};
    enum { N_POINTS = sizeof points / sizeof *points };
    int drawn = 0;
    for (int i = 0; i < p->study->variants.count; i++) {
        ss_cli_error_at errors[SS_CLI_OVER];
        size_t count = ss_cli_study_errors(p->study, i, errors);
        if (count == 0)
            continue;
        double order = ss_cli_order_fit(count, errors, ss_cli_study_reference_step(p->study, i));
        char name[128];
        snprintf(name, sizeof name, isnan(order) ? "%s" : "%s: order %.2f",
                 p->study->variants.names[i], order);
        fprintf(p->script, "%s $scheme%d with linespoints linewidth 1.6 pointtype %d pointsize 0.8",
                drawn ? "," : "plot", i, points[i % N_POINTS]);
        ss_cli_write_line_style(p->script, i);
        fputs(" title ", p->script);
        ss_cli_quote(p->script, name);
        drawn++;
    }
    plot_guides(p);
    fputc('\n', p->script);
}

static void write_points(picture *p)
{
    double sum = 0;
    int schemes = 0;
    for (int i = 0; i < p->study->variants.count; i++)
        take_scheme(p, i, &sum, &schemes);
    p->anchor = schemes ? sum / schemes : 0;
}

ss_cli_drawing ss_cli_study_draw(const ss_cli_study *study, const char *title, const char *file)
{
    picture p = {
        .script = tmpfile(), .study = study, .h_low = INFINITY, .low = INFINITY, .high = 0};
    if (!p.script) {
        ss_cli_error("cannot draw '%s': no temporary file: %s", file, strerror(errno));
        return SS_CLI_NOT_DRAWN;
    }
    ss_cli_write_head(p.script, ss_cli_ends_with(file, ".png"), CURVES);
    write_points(&p);
    ss_cli_drawing drawing = SS_CLI_NOT_DRAWN;
    if (p.high > 0) {
        ss_cli_set_text(p.script, "title", title);
        set_axes(&p);
        write_guides(&p);
        plot_schemes(&p);
        drawing = ss_cli_gnuplot(p.script, file);
    }
    fclose(p.script);
    return drawing;
}
