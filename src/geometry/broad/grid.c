/* grid.c: boxes by size into levels, those of a level into cells of a grid, and the boxes of neighbouring cells compared. */
#include "base/parallel.h"
#include "geometry/broad/broad.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    FEW = 32,       /* so many boxes are no level */
    LARGE_MAX = 64, /* boxes compared with all others, beside infinite ones */
    OCTAVE = 4,     /* classes of sizes in a factor of 2: what one level holds */
    CLASS_LARGE = UINT16_MAX,
    CLASS_EMPTY = UINT16_MAX - 1,
    CLASS_NONE = UINT16_MAX - 2, /* not numbers */
    SUBCELLS = 4,                /* pieces of a cell along x: fewer boxes to compare */
    SAMPLE = 64,
    AXIS_BITS = 24,
    AHEAD = 12
};

/* Beyond this a box counts as infinite: differences and sums stay finite below. */
static const double FAR = 1e150;
/* Cells are not smaller: their inverse stays finite. */
static const double SMALLEST = 1e-140;

/* ---- Levels ---- */

/* The size of a box in quarters of octaves, or one of the marks. */
static uint16_t class_of(const ss_bounds *b)
{
    double size = 0;
    bool numbers = true, full = true, near = true;
    for (int k = 0; k < 3; k++) {
        double length = b->high[k] - b->low[k];
        numbers &= (b->low[k] == b->low[k]) & (b->high[k] == b->high[k]);
        full &= b->low[k] <= b->high[k];
        near &= (b->low[k] > -FAR) & (b->high[k] < FAR);
        size = length > size ? length : size;
    }
    if (!(numbers & full & near))
        return !numbers ? CLASS_NONE : !full ? CLASS_EMPTY : CLASS_LARGE;
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    return (uint16_t)(bits >> 50);
}

static void find_classes(void *user, int from, int to)
{
    ss_broad *broad = user;
    for (int i = from; i < to; i++)
        broad->level[i] = class_of(&broad->boxes[i]);
}

static ss_status count_classes(ss_broad *broad)
{
    memset(broad->class_count, 0, SS_BROAD_SIZE_CLASSES * sizeof *broad->class_count);
    ss_parallel_for(broad->context, broad->n_parts, broad->n_boxes, find_classes, broad);
    for (int i = 0; i < broad->n_boxes; i++) {
        const ss_bounds *b = &broad->given[i];
        if (broad->level[i] < SS_BROAD_SIZE_CLASSES)
            broad->class_count[broad->level[i]]++;
        else if (broad->level[i] == CLASS_NONE)
            return ss_fail(
                broad->context, SS_NON_FINITE,
                "broad phase: box %d reaches from (%g, %g, %g) to (%g, %g, %g): not numbers", i,
                b->low[0], b->low[1], b->low[2], b->high[0], b->high[1], b->high[2]);
    }
    return SS_OK;
}

/* From large to small: an octave with few boxes joins the large ones, or the level before it. */
static void choose_levels(ss_broad *broad)
{
    int large = 0, levels = 0;
    for (int top = SS_BROAD_SIZE_CLASSES - 1; top >= 0; top--) {
        if (broad->class_count[top] == 0)
            continue;
        int bottom = top - OCTAVE + 1 > 0 ? top - OCTAVE + 1 : 0, count = 0;
        for (int c = bottom; c <= top; c++)
            count += broad->class_count[c];
        uint16_t level = (uint16_t)levels;
        if (count <= FEW && levels > 0)
            level = (uint16_t)(levels - 1);
        else if (count <= FEW && large + count <= LARGE_MAX)
            level = CLASS_LARGE;
        large += level == CLASS_LARGE ? count : 0;
        levels += level == levels;
        for (int c = bottom; c <= top; c++)
            broad->level_of_class[c] = level;
        top = bottom;
    }
    broad->n_levels = levels;
}

/* A counting sort by level; empty boxes are left out. */
ss_status ss_broad_sort_levels(ss_broad *broad)
{
    SS_TRY(count_classes(broad));
    choose_levels(broad);
    int *end = broad->level_end;
    broad->n_large = 0;
    memset(end, 0, (size_t)(broad->n_levels + 1) * sizeof *end);
    for (int i = 0; i < broad->n_boxes; i++) {
        uint16_t *level = &broad->level[i];
        if (*level < SS_BROAD_SIZE_CLASSES)
            *level = broad->level_of_class[*level];
        if (*level == CLASS_LARGE)
            broad->order[broad->n_large++] = i;
        else if (*level != CLASS_EMPTY)
            end[*level]++;
    }
    int position = broad->n_large;
    for (int k = 0; k < broad->n_levels; k++) {
        int count = end[k];
        end[k] = position;
        position += count;
    }
    for (int i = 0; i < broad->n_boxes; i++)
        if (broad->level[i] < broad->n_levels)
            broad->order[end[broad->level[i]]++] = i;
    return SS_OK;
}

/* ---- The grid of a level ---- */

typedef struct level_grid {
    double origin[3], per_length[3]; /* cell = (low - origin) per_length, pieces of cells along x */
    int64_t last[3];                 /* cells run from 0 to last */
    uint64_t row, layer;             /* steps of the key along y and z */
    int key_bits;
} level_grid;

/* Cells begin at 1 along y and z, and behind one cell's pieces along x, so that no neighbour is below 0. */
static inline uint64_t cell_of(const level_grid *grid, int axis, double x)
{
    double cell = (x - grid->origin[axis]) * grid->per_length[axis];
    double last = (double)grid->last[axis];
    cell = cell > 0 ? cell : 0;
    cell = cell < last ? cell : last;
    return (uint64_t)(int64_t)cell + (axis == 0 ? SUBCELLS : 1);
}

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

/* Bits of all axes, with one cell of margin on either side; too many when one has too many. */
static int count_bits(const extent e[3], const double cell[3], int bits[3])
{
    int sum = 0;
    for (int k = 0; k < 3; k++) {
        double cells = (e[k].high - e[k].low) / cell[k] * (k == 0 ? SUBCELLS : 1);
        int bits_of_count; /* 2^(bits - 1) <= count < 2^bits */
        double share = frexp(cells + 3 * SUBCELLS, &bits_of_count);
        bits[k] = share > 0.5 ? 1 + bits_of_count : bits_of_count;
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

/* For the boxes order[first] … order[end - 1]; no key has more than max_bits bits. */
static void make_grid(const ss_broad *broad, int first, int end, int max_bits, level_grid *grid)
{
    extent e[3];
    double cell[3];
    int bits[3];
    measure(broad, first, end, e);
    for (int k = 0; k < 3; k++) {
        sample(broad, first, end, k, &e[k]);
        /* With 2^24 cells rounding in cell_of stays below 2^-26 cells, so neighbours stay neighbours. */
        cell[k] = fmax(e[k].size * (1 + 0x1p-26), SMALLEST);
    }
    while (count_bits(e, cell, bits) > max_bits)
        shrink(e, cell, bits);
    for (int k = 0; k < 3; k++) {
        int pieces = k == 0 ? SUBCELLS : 1;
        grid->origin[k] = e[k].low;
        grid->per_length[k] = pieces / cell[k];
        grid->last[k] = (int64_t)((e[k].high - e[k].low) * grid->per_length[k]);
    }
    grid->row = (uint64_t)(grid->last[0] + 1 + 2 * SUBCELLS);
    grid->layer = grid->row * (uint64_t)(grid->last[1] + 3);
    grid->key_bits = ss_broad_bits(grid->layer * (uint64_t)(grid->last[2] + 3));
}

/* ---- Boxes in the order of their cells ---- */

typedef struct sorting {
    ss_broad *broad;
    int n, shift;
    uint64_t mask;
    uint64_t *from, *to;
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

/* A radix sort of broad->sorted by the bits from `shift` on: every part counts its own, so that the order stays. */
static void sort_keys(ss_broad *broad, int n, int shift, int bits)
{
    int parts = broad->n_parts, passes = (bits + SS_BROAD_DIGIT - 1) / SS_BROAD_DIGIT;
    int digit = passes ? (bits + passes - 1) / passes : 0;
    for (int pass = 0; pass < passes; pass++) {
        sorting s = {broad,
                     n,
                     shift + pass * digit,
                     ((uint64_t)1 << digit) - 1,
                     broad->sorted,
                     broad->sorted_scratch};
        ss_parallel_for(broad->context, parts, parts, count_digits, &s);
        ss_broad_places(broad, 1 << digit);
        ss_parallel_for(broad->context, parts, parts, move_digits, &s);
        broad->sorted = s.to;
        broad->sorted_scratch = s.from;
    }
}

typedef struct filling {
    ss_broad *broad;
    const level_grid *grid;
    int first, n, shift;
    uint64_t mask;
    ss_broad_item *items;
} filling;

static void find_keys(void *user, int from, int to)
{
    const filling *f = user;
    const level_grid *grid = f->grid;
    for (int i = from; i < to; i++) {
        const double *low = f->broad->boxes[f->broad->order[f->first + i]].low;
        uint64_t key = cell_of(grid, 0, low[0]) + grid->row * cell_of(grid, 1, low[1]) +
                       grid->layer * cell_of(grid, 2, low[2]);
        f->broad->sorted[i] = (uint64_t)i | key << f->shift;
    }
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
        if (i + AHEAD < f->n) { /* the order is anything in memory */
            const ss_bounds *ahead = &broad->boxes[box_at(f, i + AHEAD)];
            __builtin_prefetch(ahead->low);
            __builtin_prefetch(ahead->high + 2);
        }
        f->items[i] = (ss_broad_item){
            {b->low[0], b->low[1], b->low[2], -b->high[0], -b->high[1], -b->high[2]},
            broad->sorted[i] >> f->shift,
            box,
            ss_broad_group(broad, box)};
    }
}

/* Those order[first] … order[end - 1] as items, and one that is behind all others. */
static void fill(ss_broad *broad, const level_grid *grid, int first, int end, ss_broad_item *items)
{
    int n = end - first, parts = broad->n_parts, shift = ss_broad_bits((uint64_t)n);
    filling f = {broad, grid, first, n, shift, ((uint64_t)1 << shift) - 1, items};
    ss_parallel_for(broad->context, parts, n, find_keys, &f);
    sort_keys(broad, n, shift, grid->key_bits);
    ss_parallel_for(broad->context, parts, n, fill_items, &f);
    items[n] = (ss_broad_item){.key = UINT64_MAX};
}
/* ---- Boxes of neighbouring cells ---- */

static inline void put(int a, int b, bool hit, ss_broad_sink *sink)
{
    size_t place = sink->count < sink->capacity ? sink->count : sink->capacity;
    int swap = (a ^ b) & -(a > b); /* or a branch would be made of it */
    sink->data[place] = (ss_near){a ^ swap, b ^ swap};
    sink->count += hit;
}

#if defined(__SSE2__)
static inline bool within(const double side[6], const double far[6])
{
    __m128d x = _mm_cmple_pd(_mm_load_pd(side), _mm_load_pd(far));
    __m128d y = _mm_cmple_pd(_mm_load_pd(side + 2), _mm_load_pd(far + 2));
    __m128d z = _mm_cmple_pd(_mm_load_pd(side + 4), _mm_load_pd(far + 4));
    return _mm_movemask_pd(_mm_and_pd(_mm_and_pd(x, y), z)) == 3;
}
#else
static inline bool within(const double side[6], const double far[6])
{
    return (side[0] <= far[0]) & (side[1] <= far[1]) & (side[2] <= far[2]) & (side[3] <= far[3]) &
           (side[4] <= far[4]) & (side[5] <= far[5]);
}
#endif

/* Without a branch: whether two neighbours overlap cannot be predicted. */
static inline void compare(const ss_broad_item *a, const double far[6], const ss_broad_item *b,
                           ss_broad_sink *sink)
{
    put(a->index, b->index, within(b->side, far) & (a->group != b->group), sink);
}

/* The first of the items (one behind them has the largest key) whose key is not below `key`. */
static const ss_broad_item *lower_bound(const ss_broad_item *items, int n, uint64_t key)
{
    while (n > 0) {
        int half = n / 2;
        if (items[half].key < key) {
            items += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return items;
}

/* Boxes against those in rows of cells around them. */
typedef struct sweep {
    ss_broad *broad;
    const level_grid *grid;
    int n_residents, n_items;
    const ss_broad_item *items;
    bool self; /* also against the residents behind them in their own row */
    int n_rows;
    const uint64_t *rows; /* how far the rows of items are from a resident's own */
} sweep;

static void sweep_part(const sweep *s, int part)
{
    const int parts = s->broad->n_parts, n = s->n_residents, n_rows = s->n_rows;
    const ss_broad_item *begin = s->broad->residents + ss_broad_part(n, part, parts);
    const ss_broad_item *end = s->broad->residents + ss_broad_part(n, part + 1, parts);
    const ss_broad_item *march[9] = {0};
    const uint64_t *rows = s->rows;
    const level_grid *grid = s->grid;
    const bool self = s->self;
    ss_broad_sink sink = s->broad->sinks[part];
    if (begin == end)
        return;
    for (int r = 0; r < n_rows; r++)
        march[r] = lower_bound(s->items, s->n_items, begin->key + rows[r] - SUBCELLS);
    for (const ss_broad_item *a = begin; a < end; a++) {
        _Alignas(16) const double far[6] = {-a->side[3], -a->side[4], -a->side[5],
                                            -a->side[0], -a->side[1], -a->side[2]};
        uint64_t reach = cell_of(grid, 0, far[0]) - cell_of(grid, 0, a->side[0]) + a->key;
        if (self)
            for (const ss_broad_item *b = a + 1; b->key <= reach; b++)
                compare(a, far, b, &sink);
        for (int r = 0; r < n_rows; r++) {
            const ss_broad_item *b = march[r];
            while (b->key < a->key + rows[r] - SUBCELLS)
                b++;
            march[r] = b;
            for (; b->key <= reach + rows[r]; b++)
                compare(a, far, b, &sink);
        }
    }
    s->broad->sinks[part] = sink;
}

static void sweep_parts(void *user, int first, int last)
{
    for (int part = first; part < last; part++)
        sweep_part(user, part);
}

/* Most boxes do not reach a given large one, so branches pay here. */
static void compare_parts(void *user, int first, int last)
{
    ss_broad *broad = user;
    int parts = broad->n_parts, n_large = broad->n_large;
    int n = broad->n_levels ? broad->level_end[broad->n_levels - 1] : n_large;
    for (int part = first; part < last; part++) {
        int end = ss_broad_part(n, part + 1, parts);
        for (int i = ss_broad_part(n, part, parts); i < end && n_large > 0; i++) {
            int box = broad->order[i], group = ss_broad_group(broad, box);
            for (int k = 0; k < (i < n_large ? i : n_large); k++) {
                int large = broad->order[k];
                if (ss_bounds_overlap(&broad->boxes[large], &broad->boxes[box]))
                    put(large, box, group != ss_broad_group(broad, large), &broad->sinks[part]);
            }
        }
    }
}

void ss_broad_find(ss_broad *broad)
{
    int parts = broad->n_parts;
    size_t share = broad->pair_capacity / (size_t)parts;
    for (int part = 0; part < parts; part++)
        broad->sinks[part] = (ss_broad_sink){broad->pairs + (size_t)part * share, 0, share - 1};
    ss_parallel_for(broad->context, parts, parts, compare_parts, broad);
    int end = broad->n_levels ? broad->level_end[broad->n_levels - 1] : 0;
    for (int level = 0, first = broad->n_large; level < broad->n_levels; level++) {
        int next = broad->level_end[level];
        level_grid g;
        make_grid(broad, first, end, 64 - ss_broad_bits((uint64_t)broad->n_boxes), &g);
        fill(broad, &g, first, next, broad->residents);
        fill(broad, &g, next, end, broad->visitors);
        uint64_t y = g.row, z = g.layer;
        /* Half of the neighbours for pairs of residents: the others see them. */
        const uint64_t ahead[] = {y, z - y, z, z + y};
        const uint64_t around[] = {0 - z - y, 0 - z, y - z, 0 - y, 0, y, z - y, z, z + y};
        sweep own = {broad, &g, next - first, next - first, broad->residents, true, 4, ahead};
        ss_parallel_for(broad->context, parts, parts, sweep_parts, &own);
        sweep other = {broad, &g, next - first, end - next, broad->visitors, false, 9, around};
        if (end > next)
            ss_parallel_for(broad->context, parts, parts, sweep_parts, &other);
        first = next;
    }
}
