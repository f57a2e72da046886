/* figure_style.c: the style that all pictures share. */
#include "figures/figure_style.h"

#include "figures/gnuplot.h"

#include <string.h>

static void write_terminal(FILE *script, bool png, int height)
{
    const double scale = 1.5; /* pictures of pixels are made for dense screens */
    if (png)
        fprintf(
            script,
            "set terminal pngcairo noenhanced size %d,%d font 'Sans,12' fontscale %g linewidth %g "
            "background '#ffffff'\n",
            (int)(SS_CLI_WIDTH * scale), (int)(height * scale), scale * 0.8, scale);
    else
        fprintf(
            script,
            "set terminal svg noenhanced size %d,%d font 'sans-serif,13' background '#ffffff'\n",
            SS_CLI_WIDTH, height);
}

void ss_cli_write_head(FILE *script, bool png, int height)
{
    write_terminal(script, png, height);
    fputs("set encoding utf8\n"
          "set border 3 linecolor '#606060'\n"
          "set tics nomirror out scale 0.6 textcolor '#303030'\n"
          "set minussign\n"
          "set grid linetype 1 linecolor '#e4e4e4' linewidth 0.8\n"
          "set key outside top center horizontal reverse Left samplen 2 noenhanced\n",
          script);
}

void ss_cli_write_line_style(FILE *script, int i)
{
    /* Okabe and Ito's colours, told apart by everybody. */
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#000000"};
    enum { N_COLOURS = sizeof colours / sizeof *colours };
    fprintf(script, " linecolor rgb '%s' dashtype %d", colours[i % N_COLOURS],
            1 + i / N_COLOURS % 4);
}

void ss_cli_set_text(FILE *script, const char *what, const char *text)
{
    fprintf(script, "set %s ", what);
    ss_cli_quote(script, text);
    fputc('\n', script);
}

void ss_cli_write_title(FILE *script, const char *title, int height)
{
    fputs("set label 1 ", script);
    ss_cli_quote(script, title);
    fprintf(script, " at screen 0.5, screen %.4f center font ',15'\n",
            1 - 0.6 * SS_CLI_TITLE / height);
}

void ss_cli_set_part(FILE *script, int bottom, int height, int of)
{
    fprintf(script, "set origin 0,%.5f\nset size 1,%.5f\n", (double)bottom / of,
            (double)height / of);
}

void ss_cli_name_with_unit(const ss_record *record, const char *name, size_t capacity, char *text)
{
    size_t column;
    const char *unit = "";
    if (ss_record_find_column(record, name, &column))
        unit = ss_record_column_unit(record, column);
    if (!unit[0] || strstr(unit, " or "))
        snprintf(text, capacity, "%s", name);
    else
        snprintf(text, capacity, "%s in %s", name, unit);
}
