/* decimate.h: curves for plots, without what nobody can see. */
#ifndef SS_CLI_FIGURES_DECIMATE_H
#define SS_CLI_FIGURES_DECIMATE_H

#include <stdio.h>

/* Writes "x y" lines of a curve over growing x: in each of `columns` strips of pixels at most
 * its first, smallest, largest and last point. */
void ss_cli_write_curve(FILE *out, size_t count, const double *x, const double *y, int columns);

/* Writes a curve in the plane: drops what lies where the curve has been already. `side` pixels
 * each way. */
void ss_cli_write_orbit(FILE *out, size_t count, const double *x, const double *y, int side);

/* Writes "from to mode" bars of a mode over growing x: in each strip of pixels the mode that is
 * rarest in all, so that short closings stay visible. mode[i] holds from x[i - 1] to x[i]. */
void ss_cli_write_bars(FILE *out, size_t count, const double *x, const double *mode, int columns);

#endif
