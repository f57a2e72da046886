/* broad_sweep.c: sorted boxes against those in neighbouring cells. */
#include "contact/broad.h"

/* Without a branch: whether two neighbours overlap cannot be predicted. */
static inline void compare(const ss_broad_item *a, const ss_broad_item *b, ss_broad_sink *sink)
{
    int hit = (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
              (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]) &
              (a->group != b->group);
    bool swap = a->index > b->index;
    size_t place = sink->count < sink->capacity ? sink->count : sink->capacity;
    sink->data[place] = (ss_near){swap ? b->index : a->index, swap ? a->index : b->index};
    sink->count += (size_t)hit;
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
        uint64_t reach =
            ss_broad_cell(grid, 0, a->high[0]) - ss_broad_cell(grid, 0, a->low[0]) + a->key;
        if (self)
            for (const ss_broad_item *b = a + 1; b->key <= reach; b++)
                compare(a, b, &sink);
        for (int r = 0; r < n_rows; r++) {
            const ss_broad_item *b = march[r];
            while (b->key < a->key + rows[r] - SS_BROAD_SUBCELLS)
                b++;
            march[r] = b;
            for (; b->key <= reach + rows[r]; b++)
                compare(a, b, &sink);
        }
    }
    *result = sink;
}

void ss_broad_sweep(ss_broad *broad, const ss_broad_grid *grid, int n_residents, int n_visitors)
{
    uint64_t y = grid->row, z = grid->layer;
    /* Half of the neighbours for pairs of residents: the others see them. */
    const uint64_t ahead[] = {y, z - y, z, z + y};
    const uint64_t around[] = {0 - z - y, 0 - z, y - z, 0 - y, 0, y, z - y, z, z + y};
    int parts = broad->n_parts;
#pragma omp parallel for num_threads(parts) schedule(static) if (parts > 1)
    for (int part = 0; part < parts; part++) {
        const ss_broad_item *begin = broad->residents + ss_broad_part(n_residents, part, parts);
        const ss_broad_item *end = broad->residents + ss_broad_part(n_residents, part + 1, parts);
        ss_broad_sink *sink = &broad->sinks[part];
        sweep_part(grid, begin, end, true, broad->residents, n_residents, 4, ahead, sink);
        if (n_visitors)
            sweep_part(grid, begin, end, false, broad->visitors, n_visitors, 9, around, sink);
    }
}

static ss_broad_item item_of(const ss_broad *broad, int box)
{
    const ss_bounds *b = &broad->boxes[box];
    return (ss_broad_item){
        .low = {b->low[0], b->low[1], b->low[2]},
        .high = {b->high[0], b->high[1], b->high[2]},
        .index = box,
        .group = ss_broad_group(broad, box),
    };
}

void ss_broad_compare_large(ss_broad *broad)
{
    int parts = broad->n_parts, n_large = broad->n_large;
    int n = broad->n_levels ? broad->level_end[broad->n_levels - 1] : n_large;
    for (int k = 0; k < n_large; k++)
        broad->residents[k] = item_of(broad, broad->order[k]);
#pragma omp parallel for num_threads(parts) schedule(static) if (parts > 1)
    for (int part = 0; part < parts; part++) {
        int end = ss_broad_part(n, part + 1, parts);
        for (int i = ss_broad_part(n, part, parts); i < end && n_large > 0; i++) {
            ss_broad_item item = item_of(broad, broad->order[i]);
            for (int k = 0; k < (i < n_large ? i : n_large); k++)
                compare(&broad->residents[k], &item, &broad->sinks[part]);
        }
    }
}
