/* gnuplot.h: running gnuplot. */
#ifndef SS_CLI_FIGURES_GNUPLOT_H
#define SS_CLI_FIGURES_GNUPLOT_H

#include <stdio.h>

typedef enum ss_cli_drawing {
    SS_CLI_DRAWN,
    SS_CLI_NOT_DRAWN,  /* a message was printed */
    SS_CLI_NO_GNUPLOT, /* it is not installed */
} ss_cli_drawing;

/* Runs a script whose picture goes to `file`, which is written whole or not at all. No name of a
 * file is part of the script: gnuplot reads its standard input and draws to its standard output. */
ss_cli_drawing ss_cli_gnuplot(FILE *script, const char *file);

/* A text as a gnuplot string, in which nothing is interpreted. */
void ss_cli_quote(FILE *script, const char *text);

#endif
