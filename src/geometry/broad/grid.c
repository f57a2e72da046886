/* grid.c: a grid for boxes, and the boxes in the order of its cells. */
#include "base/parallel.h"
#include "geometry/broad/broad.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SAMPLE = 64, AXIS_BITS = 24, AHEAD = 12 };

/* Cells are not smaller: their inverse stays finite. */
static const double SMALLEST = 1e-140;

typedef struct extent {
    double low, high;      /* of the low corners */
    double size;           /* of the largest box */
    double middle, spread; /* of most boxes: median, and how far most of them reach */
} extent;

static void measure(const ss_broad *broad, int first, int end, extent e[3])
{
    for (int k = 0; k < 3; k++)
        e[k] = (extent){INFINITY, -INFINITY, 0, 0, 0};
    for (int i = first; i < end; i++) {
        const ss_bounds *b = &broad->boxes[broad->order[i]];
        for (int k = 0; k < 3; k++) {
            double size = b->high[k] - b->low[k];
            e[k].low = b->low[k] < e[k].low ? b->low[k] : e[k].low;
            e[k].high = b->low[k] > e[k].high ? b->low[k] : e[k].high;
            e[k].size = size > e[k].size ? size : e[k].size;
        }
    }
}

/* Median and spread along an axis, of a sample: a few boxes far away do not matter. */
static void sample(const ss_broad *broad, int first, int end, int axis, extent *e)
{
    double x[SAMPLE];
    int n = end - first < SAMPLE ? end - first : SAMPLE;
    for (int s = 0; s < n; s++) {
        /* Not at equal distances: every hundredth box may be a special one. */
        uint64_t mixed = ((uint64_t)s + 1) * UINT64_C(0x9e3779b97f4a7c15);
        int position = first + (int)((mixed >> 32) % (uint64_t)(end - first));
        double value = broad->boxes[broad->order[position]].low[axis];
        int place = s;
        for (; place > 0 && x[place - 1] > value; place--)
            x[place] = x[place - 1];
        x[place] = value;
    }
    e->middle = x[n / 2];
    e->spread = x[n - 1 - n / 4] - x[n / 4];
}

/* Bits that the pieces of an axis need, with one cell of margin on either side. */
static int axis_bits(double low, double high, double cell, int axis)
{
    double cells = (high - low) / cell * (axis == 0 ? SS_BROAD_SUBCELLS : 1);
    return 1 + (int)ceil(log2(cells + 3 * SS_BROAD_SUBCELLS));
}

/* Bits of all axes; too many when one has too many. */
static int count_bits(const extent e[3], const double cell[3], int bits[3])
{
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        bits[k] = axis_bits(e[k].low, e[k].high, cell[k], k);
        sum += bits[k] > AXIS_BITS ? INT_MAX / 3 : bits[k];
    }
    return sum;
}

/* Makes the axis with most cells narrower (boxes outside are put at its ends: neighbours stay neighbours),
 * or its cells larger. */
static void shrink(extent e[3], double cell[3], const int bits[3])
{
    int axis = bits[0] >= bits[1] ? (bits[0] >= bits[2] ? 0 : 2) : (bits[1] >= bits[2] ? 1 : 2);
    extent *x = &e[axis];
    double low = fmax(x->low, x->middle - 4 * x->spread - 4 * cell[axis]);
    double high = fmin(x->high, x->middle + 4 * x->spread + 4 * cell[axis]);
    if (high - low < 0.5 * (x->high - x->low)) {
        x->low = low;
        x->high = high;
    } else {
        cell[axis] *= 2;
    }
}

void ss_broad_make_grid(const ss_broad *broad, int first, int end, int max_bits,
                        ss_broad_grid *grid)
{
    extent e[3];
    double cell[3];
    int bits[3];
    measure(broad, first, end, e);
    for (int k = 0; k < 3; k++) {
        sample(broad, first, end, k, &e[k]);
        /* With 2^24 cells rounding in ss_broad_cell stays below 2^-26 cells, so neighbours stay neighbours. */
        cell[k] = fmax(e[k].size * (1 + 0x1p-26), SMALLEST);
    }
    while (count_bits(e, cell, bits) > max_bits)
        shrink(e, cell, bits);
    for (int k = 0; k < 3; k++) {
        int pieces = k == 0 ? SS_BROAD_SUBCELLS : 1;
        grid->origin[k] = e[k].low;
        grid->per_length[k] = pieces / cell[k];
        grid->last[k] = (int64_t)((e[k].high - e[k].low) * grid->per_length[k]);
    }
    grid->row = (uint64_t)(grid->last[0] + 1 + 2 * SS_BROAD_SUBCELLS);
    grid->layer = grid->row * (uint64_t)(grid->last[1] + 3);
    grid->key_bits = ss_broad_bits(grid->layer * (uint64_t)(grid->last[2] + 3));
}

static uint64_t key_of(const ss_broad_grid *grid, const double low[3])
{
    return ss_broad_cell(grid, 0, low[0]) + grid->row * ss_broad_cell(grid, 1, low[1]) +
           grid->layer * ss_broad_cell(grid, 2, low[2]);
}

typedef struct sorting {
    ss_broad *broad;
    int n, shift;
    uint64_t mask;
    const uint64_t *from;
    uint64_t *to;
} sorting;

static void count_digits(void *user, int first, int last)
{
    const sorting *s = user;
    for (int part = first; part < last; part++) {
        uint32_t *count = s->broad->histograms + (size_t)part * SS_BROAD_BINS;
        int end = ss_broad_part(s->n, part + 1, s->broad->n_parts);
        memset(count, 0, (size_t)(s->mask + 1) * sizeof *count);
        for (int i = ss_broad_part(s->n, part, s->broad->n_parts); i < end; i++)
            count[(s->from[i] >> s->shift) & s->mask]++;
    }
}

static void move_digits(void *user, int first, int last)
{
    const sorting *s = user;
    for (int part = first; part < last; part++) {
        uint32_t *place = s->broad->histograms + (size_t)part * SS_BROAD_BINS;
        int end = ss_broad_part(s->n, part + 1, s->broad->n_parts);
        for (int i = ss_broad_part(s->n, part, s->broad->n_parts); i < end; i++)
            s->to[place[(s->from[i] >> s->shift) & s->mask]++] = s->from[i];
    }
}

/* One pass of a radix sort by the digit at `shift`: every part counts its own, so that the order stays. */
static void sort_digit(ss_broad *broad, int n, int shift, int digit, const uint64_t *from,
                       uint64_t *to)
{
    int parts = broad->n_parts, bins = 1 << digit;
    sorting s = {broad, n, shift, (uint64_t)bins - 1, from, to};
    ss_parallel_for(broad->context, parts, parts, count_digits, &s);
    uint32_t position = 0;
    for (int bin = 0; bin < bins; bin++) {
        for (int part = 0; part < parts; part++) {
            uint32_t *count = broad->histograms + (size_t)part * SS_BROAD_BINS + bin;
            uint32_t here = *count;
            *count = position;
            position += here;
        }
    }
    ss_parallel_for(broad->context, parts, parts, move_digits, &s);
}

/* Sorts broad->sorted by the bits from `shift` on. */
static void sort_keys(ss_broad *broad, int n, int shift, int bits)
{
    int passes = (bits + SS_BROAD_DIGIT - 1) / SS_BROAD_DIGIT;
    int digit = passes ? (bits + passes - 1) / passes : 0;
    for (int pass = 0; pass < passes; pass++) {
        sort_digit(broad, n, shift + pass * digit, digit, broad->sorted, broad->sorted_scratch);
        uint64_t *swap = broad->sorted;
        broad->sorted = broad->sorted_scratch;
        broad->sorted_scratch = swap;
    }
}

static inline void prefetch(const ss_bounds *box)
{
#if defined(__GNUC__)
    __builtin_prefetch(box->low);
    __builtin_prefetch(box->high + 2);
#else
    (void)box;
#endif
}

typedef struct filling {
    ss_broad *broad;
    const ss_broad_grid *grid;
    int first, n, shift;
    uint64_t mask;
    ss_broad_item *items;
} filling;

static void find_keys(void *user, int from, int to)
{
    const filling *f = user;
    ss_broad *broad = f->broad;
    for (int i = from; i < to; i++)
        broad->sorted[i] =
            (uint64_t)i | key_of(f->grid, broad->boxes[broad->order[f->first + i]].low) << f->shift;
}

static int box_at(const filling *f, int i)
{
    return f->broad->order[f->first + (int)(f->broad->sorted[i] & f->mask)];
}

static void fill_items(void *user, int from, int to)
{
    const filling *f = user;
    ss_broad *broad = f->broad;
    for (int i = from; i < to; i++) {
        int box = box_at(f, i);
        const ss_bounds *b = &broad->boxes[box];
        if (i + AHEAD < f->n) /* the order is anything in memory */
            prefetch(&broad->boxes[box_at(f, i + AHEAD)]);
        f->items[i] = (ss_broad_item){
            {b->low[0], b->low[1], b->low[2], -b->high[0], -b->high[1], -b->high[2]},
            broad->sorted[i] >> f->shift,
            box,
            ss_broad_group(broad, box)};
    }
}

void ss_broad_fill(ss_broad *broad, const ss_broad_grid *grid, int first, int end,
                   ss_broad_item *items)
{
    int n = end - first, parts = broad->n_parts, shift = ss_broad_bits((uint64_t)n);
    filling f = {broad, grid, first, n, shift, ((uint64_t)1 << shift) - 1, items};
    ss_parallel_for(broad->context, parts, n, find_keys, &f);
    sort_keys(broad, n, shift, grid->key_bits);
    ss_parallel_for(broad->context, parts, n, fill_items, &f);
    items[n] = (ss_broad_item){.key = UINT64_MAX};
}
