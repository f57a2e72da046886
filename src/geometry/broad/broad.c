/* broad.c: pairs of boxes that overlap. */
#include "geometry/broad/broad.h"

#include "base/context.h"

#include <limits.h>

enum { BOXES_A_PART = 256, PAIRS_AT_FIRST = 4096 };

ss_status ss_broad_create(ss_context *context, ss_broad **broad)
{
    void *memory;
    *broad = NULL;
    SS_TRY(ss_allocate(context, 1, sizeof **broad, &memory));
    *broad = memory;
    (*broad)->context = context;
    return SS_OK;
}

void ss_broad_destroy(ss_broad *broad)
{
    if (!broad)
        return;
    void *memory[] = {broad->level,          broad->order,       broad->level_end,
                      broad->level_of_class, broad->class_count, broad->sorted,
                      broad->sorted_scratch, broad->histograms,  broad->item_memory[0],
                      broad->item_memory[1], broad->sinks,       broad->pairs,
                      broad->scratch,        broad->larger,      broad->larger_group};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
        ss_release(broad->context, memory[k]);
    ss_release(broad->context, broad);
}

/* Contents are lost. */
static ss_status renew(ss_context *context, size_t count, size_t size, void **memory)
{
    ss_release(context, *memory);
    *memory = NULL;
    return ss_reallocate(context, count, size, memory);
}

#define RENEW(broad, count, field) \
    renew((broad)->context, (size_t)(count), sizeof *(broad)->field, (void **)&(broad)->field)

static ss_status make_capacity_for_parts(ss_broad *broad)
{
    if (broad->n_parts <= broad->part_capacity)
        return SS_OK;
    broad->part_capacity = 0;
    SS_TRY(RENEW(broad, broad->n_parts, sinks));
    SS_TRY(RENEW(broad, broad->n_parts * SS_BROAD_BINS, histograms));
    SS_TRY(RENEW(broad, SS_BROAD_SIZE_CLASSES, level_of_class));
    SS_TRY(RENEW(broad, SS_BROAD_SIZE_CLASSES, class_count));
    SS_TRY(RENEW(broad, SS_BROAD_SIZE_CLASSES + 1, level_end));
    broad->part_capacity = broad->n_parts;
    return SS_OK;
}

/* Items that do not lie across two cache lines, and one behind them. */
static ss_status renew_items(ss_broad *broad, int capacity, int which, ss_broad_item **items)
{
    const size_t line = sizeof(ss_broad_item);
    SS_TRY(renew(broad->context, (size_t)capacity + 2, line, &broad->item_memory[which]));
    uintptr_t address = (uintptr_t)broad->item_memory[which];
    *items = (ss_broad_item *)((char *)broad->item_memory[which] + (line - address % line));
    return SS_OK;
}

static ss_status make_capacity_for_boxes(ss_broad *broad)
{
    if (broad->n_boxes <= broad->box_capacity)
        return SS_OK;
    int more = broad->box_capacity + broad->box_capacity / 4;
    int capacity = broad->n_boxes > more ? broad->n_boxes : more;
    broad->box_capacity = 0;
    SS_TRY(RENEW(broad, capacity, level));
    SS_TRY(RENEW(broad, capacity, order));
    SS_TRY(RENEW(broad, capacity, sorted));
    SS_TRY(RENEW(broad, capacity, sorted_scratch));
    SS_TRY(RENEW(broad, capacity, larger));
    SS_TRY(RENEW(broad, capacity, larger_group));
    SS_TRY(renew_items(broad, capacity, 0, &broad->residents));
    SS_TRY(renew_items(broad, capacity, 1, &broad->visitors));
    broad->box_capacity = capacity;
    return SS_OK;
}

static ss_status make_capacity_for_pairs(ss_broad *broad, size_t capacity)
{
    if (capacity <= broad->pair_capacity)
        return SS_OK;
    broad->pair_capacity = 0;
    broad->n_larger = 0;
    SS_TRY(RENEW(broad, capacity, pairs));
    SS_TRY(RENEW(broad, capacity, scratch));
    broad->pair_capacity = capacity;
    return SS_OK;
}

/* Every part gets its share of the space for pairs. */
static void empty_sinks(ss_broad *broad)
{
    size_t share = broad->pair_capacity / (size_t)broad->n_parts;
    for (int part = 0; part < broad->n_parts; part++)
        broad->sinks[part] = (ss_broad_sink){broad->pairs + (size_t)part * share, 0, share - 1};
}

static void find_pairs(ss_broad *broad)
{
    empty_sinks(broad);
    ss_broad_compare_large(broad);
    int end = broad->n_levels ? broad->level_end[broad->n_levels - 1] : 0;
    int first = broad->n_large;
    for (int level = 0; level < broad->n_levels; level++) {
        int next = broad->level_end[level];
        ss_broad_grid grid;
        ss_broad_make_grid(broad, first, end, 64 - ss_broad_bits((uint64_t)broad->n_boxes), &grid);
        ss_broad_fill(broad, &grid, first, next, broad->residents);
        ss_broad_fill(broad, &grid, next, end, broad->visitors);
        ss_broad_sweep(broad, &grid, next - first, end - next);
        first = next;
    }
}

/* The most that one part has found. */
static size_t largest_share(const ss_broad *broad, size_t *total)
{
    size_t most = 0;
    *total = 0;
    for (int part = 0; part < broad->n_parts; part++) {
        size_t count = broad->sinks[part].count;
        most = count > most ? count : most;
        *total += count;
    }
    return most;
}

/* All pairs of broad->boxes. */
static ss_status search(ss_broad *broad)
{
    SS_TRY(ss_broad_sort_levels(broad));
    find_pairs(broad);
    size_t total, most = largest_share(broad, &total);
    if (total > INT_MAX)
        return ss_fail(broad->context, SS_UNSUPPORTED,
                       "broad phase: %zu pairs of %d boxes; at most %d can be kept", total,
                       broad->n_boxes, INT_MAX);
    if (most > broad->sinks[0].capacity) {
        most += most / 4 + 1; /* so that a few more next time find capacity */
        SS_TRY(make_capacity_for_pairs(broad, most * (size_t)broad->n_parts));
        find_pairs(broad);
    }
    ss_broad_order(broad);
    broad->n_pairs = (int)total;
    return SS_OK;
}

static ss_status make_capacity(ss_broad *broad)
{
    SS_TRY(make_capacity_for_parts(broad));
    SS_TRY(make_capacity_for_boxes(broad));
    return make_capacity_for_pairs(broad, (size_t)broad->n_parts * PAIRS_AT_FIRST);
}

ss_status ss_broad_pairs(ss_broad *broad, int n, const ss_bounds *boxes, const int *group,
                         const ss_near **near, int *count)
{
    *near = NULL;
    *count = 0;
    if (n < 0)
        return ss_fail(broad->context, SS_INPUT, "broad phase: %d boxes; give 0 or more", n);
    int threads = broad->context->options.threads;
    broad->n_boxes = n;
    broad->n_parts = n / BOXES_A_PART < threads ? n / BOXES_A_PART + 1 : threads;
    broad->given = broad->boxes = boxes;
    broad->group = group;
    SS_TRY(make_capacity(broad));
    if (!ss_broad_keeps(broad)) {
        broad->n_larger = 0;
        bool larger = ss_broad_enlarge(broad);
        SS_TRY(search(broad));
        broad->n_larger = larger ? n : 0;
    }
    *near = ss_broad_pick(broad, count);
    return SS_OK;
}
