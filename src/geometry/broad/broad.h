/* broad.h: inside of the broad phase.
 *
 * Boxes of like size form a level. Each level has a grid with cells at least as large as its boxes, so that
 * two boxes of a level overlap only if the cells of their low corners are neighbours, and boxes of finer
 * levels visit it under the same rule. Cells are never stored: boxes are sorted by the number of their cell,
 * and one pointer for each neighbouring row of cells marches along. The few boxes that are infinite or much
 * larger than the rest are compared with all others.
 */
#ifndef SS_GEOMETRY_BROAD_BROAD_H
#define SS_GEOMETRY_BROAD_BROAD_H

#include "geometry/geometry.h"

enum {
    SS_BROAD_SIZE_CLASSES = 1 << 13 /* exponent and two bits of a double */
};

enum { SS_BROAD_DIGIT = 12, SS_BROAD_BINS = 1 << SS_BROAD_DIGIT };

/* A box as the sweep wants it: one cache line. Two boxes a, b overlap if side_b[k] <= far_a[k] for k = 0 … 5 with
 * side = (low, -high) and far = (high, -low). */
typedef struct ss_broad_item {
    double side[6];
    uint64_t
        key; /* of the piece of a cell in which the low corner lies: grows along x, then y, then z */
    int index, group;
} ss_broad_item;

/* Pairs found by one part (thread); counts on when it is full. data has space for one more. */
typedef struct ss_broad_sink {
    ss_near *data;
    size_t count, capacity;
} ss_broad_sink;

struct ss_broad {
    ss_context *context;
    int n_boxes, n_parts;
    const ss_bounds *given;
    const ss_bounds *boxes; /* those that pairs are looked for: the given ones, or larger ones */
    const int *group;       /* NULL: all different */

    int n_levels;
    uint16_t *level; /* of each box: 0 is the coarsest; or one of the marks of grid.c */
    int *order;      /* boxes by level, coarsest first, large ones before them */
    int *level_end;  /* in order */
    int n_large;
    uint16_t *level_of_class;
    int *class_count;

    uint64_t *sorted, *sorted_scratch; /* key and position of a box */
    uint32_t *histograms;              /* one for each part */
    void *item_memory[2];
    ss_broad_item *residents, *visitors; /* there, each at the beginning of a cache line */

    ss_broad_sink *sinks;     /* one for each part */
    ss_near *pairs, *scratch; /* both have space for pair_capacity */
    size_t pair_capacity;
    int n_pairs;

    ss_bounds *larger; /* around the boxes, and with it their groups */
    int *larger_group;
    int n_larger;    /* 0: the pairs are not those of larger boxes */
    int uses, pause; /* of the larger boxes: calls they were used for; calls to do without */
    int box_capacity, part_capacity;
};

/* Part p of n things begins here. */
static inline int ss_broad_part(int n, int part, int parts)
{
    return (int)((int64_t)n * part / parts);
}

static inline int ss_broad_bits(uint64_t largest)
{
    int bits = 0;
    for (; largest; largest >>= 1)
        bits++;
    return bits;
}

static inline int ss_broad_group(const ss_broad *broad, int box)
{
    return broad->group ? broad->group[box] : box;
}

/* Counts become places, bin by bin, and in a bin part by part: the order of equal ones stays (broad.c). */
void ss_broad_places(const ss_broad *broad, int bins);

/* Sorts boxes into levels; rejects numbers that are none. */
ss_status ss_broad_sort_levels(ss_broad *broad);
/* Pairs of boxes that overlap, in the sinks of the parts. */
void ss_broad_find(ss_broad *broad);

#endif
