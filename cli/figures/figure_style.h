/* figure_style.h: how all pictures look. */
#ifndef SS_CLI_FIGURES_FIGURE_STYLE_H
#define SS_CLI_FIGURES_FIGURE_STYLE_H

#include <stdbool.h>
#include <stdio.h>

#include <stickslip/record.h>

/* Sizes in pixels. */
enum {
    SS_CLI_WIDTH = 960,
    SS_CLI_TITLE = 36,    /* height of a title */
    SS_CLI_STRIPS = 1000, /* points are thinned to this many strips of pixels */
};

/* Terminal and style; sizes in pixels of an .svg. */
void ss_cli_write_head(FILE *script, bool png, int height);
/* "linecolor … dashtype …" of the i-th curve: each has its own. */
void ss_cli_write_line_style(FILE *script, int i);
/* "set WHAT TEXT" */
void ss_cli_set_text(FILE *script, const char *what, const char *text);
/* A title over a picture of this height. */
void ss_cli_write_title(FILE *script, const char *title, int height);
/* Where the next part of a multiplot is, in pixels from below. */
void ss_cli_set_part(FILE *script, int bottom, int height, int of);

/* "phi_S", or "energy.kinetic in J" where the unit is known for sure. */
void ss_cli_name_with_unit(const ss_record *record, const char *name, size_t capacity, char *text);

#endif
