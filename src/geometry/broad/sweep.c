/* sweep.c: sorted boxes against those in neighbouring cells. */
#include "base/parallel.h"
#include "geometry/broad/broad.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* Residents begin … end - 1 against all items in `n_rows` rows of cells around them, as far from their own as
 * `rows` says; `self`: also against the residents behind them in their own row. */
static void sweep_part(const ss_broad_grid *grid, const ss_broad_item *begin,
                       const ss_broad_item *end, bool self, const ss_broad_item *items, int n_items,
                       int n_rows, const uint64_t rows[], ss_broad_sink *result)
{
    const ss_broad_item *march[9] = {0};
    ss_broad_sink sink = *result;
    if (begin == end)
        return;
    for (int r = 0; r < n_rows; r++)
        march[r] = lower_bound(items, n_items, begin->key + rows[r] - SS_BROAD_SUBCELLS);
    for (const ss_broad_item *a = begin; a < end; a++) {
        _Alignas(16) const double far[6] = {-a->side[3], -a->side[4], -a->side[5],
                                            -a->side[0], -a->side[1], -a->side[2]};
        uint64_t reach =
            ss_broad_cell(grid, 0, far[0]) - ss_broad_cell(grid, 0, a->side[0]) + a->key;
        if (self)
            for (const ss_broad_item *b = a + 1; b->key <= reach; b++)
                compare(a, far, b, &sink);
        for (int r = 0; r < n_rows; r++) {
            const ss_broad_item *b = march[r];
            while (b->key < a->key + rows[r] - SS_BROAD_SUBCELLS)
                b++;
            march[r] = b;
            for (; b->key <= reach + rows[r]; b++)
                compare(a, far, b, &sink);
        }
    }
    *result = sink;
}

typedef struct sweeping {
    ss_broad *broad;
    const ss_broad_grid *grid;
    int n_residents, n_visitors;
    const uint64_t *ahead, *around;
} sweeping;

static void sweep_parts(void *user, int first, int last)
{
    const sweeping *s = user;
    ss_broad *broad = s->broad;
    int parts = broad->n_parts, n = s->n_residents;
    for (int part = first; part < last; part++) {
        const ss_broad_item *begin = broad->residents + ss_broad_part(n, part, parts);
        const ss_broad_item *end = broad->residents + ss_broad_part(n, part + 1, parts);
        ss_broad_sink *sink = &broad->sinks[part];
        sweep_part(s->grid, begin, end, true, broad->residents, n, 4, s->ahead, sink);
        if (s->n_visitors)
            sweep_part(s->grid, begin, end, false, broad->visitors, s->n_visitors, 9, s->around,
                       sink);
    }
}

void ss_broad_sweep(ss_broad *broad, const ss_broad_grid *grid, int n_residents, int n_visitors)
{
    uint64_t y = grid->row, z = grid->layer;
    /* Half of the neighbours for pairs of residents: the others see them. */
    const uint64_t ahead[] = {y, z - y, z, z + y};
    const uint64_t around[] = {0 - z - y, 0 - z, y - z, 0 - y, 0, y, z - y, z, z + y};
    sweeping s = {broad, grid, n_residents, n_visitors, ahead, around};
    ss_parallel_for(broad->context, broad->n_parts, broad->n_parts, sweep_parts, &s);
}

static bool overlap(const ss_bounds *a, const ss_bounds *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
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
                if (overlap(&broad->boxes[large], &broad->boxes[box]))
                    put(large, box, group != ss_broad_group(broad, large), &broad->sinks[part]);
            }
        }
    }
}

void ss_broad_compare_large(ss_broad *broad)
{
    ss_parallel_for(broad->context, broad->n_parts, broad->n_parts, compare_parts, broad);
}
