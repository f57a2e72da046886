/* decimate.c: thins curves to what a plot can show. */
#include "figures/decimate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static void write_point(FILE *out, double x, double y)
{
    fprintf(out, "%.9g %.9g\n", x, y);
}

/* Strip of pixels that x falls into. */
static int strip_of(double x, double first, double last, int columns)
{
    if (!(last > first))
        return 0;
    int strip = (int)((x - first) / (last - first) * columns);
    return strip < columns ? strip : columns - 1;
}

/* Points of one strip worth drawing, as indices. */
typedef struct strip {
    size_t first, smallest, largest, last;
} strip;

static void write_strip(FILE *out, const strip *s, const double *x, const double *y)
{
    bool falls = s->largest < s->smallest;
    size_t order[4] = {s->first, falls ? s->largest : s->smallest, falls ? s->smallest : s->largest,
                       s->last};
    for (int i = 0; i < 4; i++)
        if (i == 0 || order[i] != order[i - 1])
            write_point(out, x[order[i]], y[order[i]]);
}

/* The end of the strip that begins at `begin`: finite values of the same strip. */
static size_t fill_strip(size_t begin, size_t count, const double *x, const double *y, int columns,
                         strip *s)
{
    int number = strip_of(x[begin], x[0], x[count - 1], columns);
    size_t i = begin;
    *s = (strip){begin, begin, begin, begin};
    for (; i < count && isfinite(y[i]); i++) {
        if (strip_of(x[i], x[0], x[count - 1], columns) != number)
            break;
        if (y[i] < y[s->smallest])
            s->smallest = i;
        if (y[i] > y[s->largest])
            s->largest = i;
        s->last = i;
    }
    return i;
}

void ss_cli_write_curve(FILE *out, size_t count, const double *x, const double *y, int columns)
{
    size_t i = 0;
    while (i < count) {
        if (!isfinite(y[i])) {
            fputc('\n', out); /* lifts the pen */
            i++;
            continue;
        }
        strip s;
        i = fill_strip(i, count, x, y, columns, &s);
        write_strip(out, &s, x, y);
    }
}

/* Where an orbit has been, pixel by pixel. */
typedef struct canvas {
    int side;
    double x0, y0, dx, dy; /* place and size of a pixel */
    unsigned char *visited;
} canvas;

static void stretch(size_t count, const double *values, int side, double *origin, double *size)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    *origin = low;
    *size = high > low ? (high - low) / (side - 1) : 1;
}

static int pixel(double value, double origin, double size)
{
    return (int)((value - origin) / size);
}

/* A line is drawn unless it leads from a visited pixel to a neighbour that has been visited,
 * too. The pen is down while the last written point lies in the last pixel. */
static void draw_orbit(FILE *out, size_t count, const double *x, const double *y, canvas *c)
{
    bool near = false, pen = false;
    int last_i = 0, last_j = 0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(x[k]) || !isfinite(y[k])) {
            near = pen = false;
            fputc('\n', out);
            continue;
        }
        int i = pixel(x[k], c->x0, c->dx), j = pixel(y[k], c->y0, c->dy);
        if (near && i == last_i && j == last_j)
            continue;
        unsigned char *here = &c->visited[(size_t)i * (size_t)c->side + (size_t)j];
        bool drop = near && *here && abs(i - last_i) <= 1 && abs(j - last_j) <= 1;
        if (!drop && near && !pen) {
            fputc('\n', out);
            write_point(out, x[k - 1], y[k - 1]);
        }
        if (!drop)
            write_point(out, x[k], y[k]);
        *here = near = true;
        pen = !drop;
        last_i = i;
        last_j = j;
    }
}

void ss_cli_write_orbit(FILE *out, size_t count, const double *x, const double *y, int side)
{
    canvas c = {.side = side, .visited = calloc((size_t)side, (size_t)side)};
    stretch(count, x, side, &c.x0, &c.dx);
    stretch(count, y, side, &c.y0, &c.dy);
    if (c.visited)
        draw_orbit(out, count, x, y, &c);
    free(c.visited);
}

/* -1, 0 or 1. */
static int mode_of(double value)
{
    return (value > 0) - (value < 0);
}

/* How often each of the modes -1, 0, 1 occurs. */
static void count_modes(size_t count, const double *mode, size_t counts[3])
{
    counts[0] = counts[1] = counts[2] = 0;
    for (size_t i = 0; i < count; i++)
        counts[mode_of(mode[i]) + 1]++;
}

/* The rarest mode in the strip that begins at `begin`; *end is where the next begins. */
static int rarest_mode(size_t begin, size_t count, const double *x, const double *mode, int columns,
                       const size_t counts[3], size_t *end)
{
    int number = strip_of(x[begin], x[0], x[count - 1], columns);
    int rarest = mode_of(mode[begin]);
    size_t i = begin;
    for (; i < count && strip_of(x[i], x[0], x[count - 1], columns) == number; i++)
        if (counts[mode_of(mode[i]) + 1] < counts[rarest + 1])
            rarest = mode_of(mode[i]);
    *end = i;
    return rarest;
}

void ss_cli_write_bars(FILE *out, size_t count, const double *x, const double *mode, int columns)
{
    if (count == 0)
        return;
    size_t counts[3], end = 0;
    count_modes(count, mode, counts);
    int shown = rarest_mode(0, count, x, mode, columns, counts, &end);
    double from = x[0], to = x[end - 1];
    for (size_t begin = end; begin < count; begin = end) {
        int rarest = rarest_mode(begin, count, x, mode, columns, counts, &end);
        if (rarest != shown) {
            fprintf(out, "%.9g %.9g %d\n", from, to, shown);
            from = to;
            shown = rarest;
        }
        to = x[end - 1];
    }
    fprintf(out, "%.9g %.9g %d\n", from, to, shown);
}
