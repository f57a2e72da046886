/* levels.c: boxes by size. */
#include "base/parallel.h"
#include "geometry/broad/broad.h"

#include <string.h>

enum {
    FEW = 32,       /* so many boxes are no level */
    LARGE_MAX = 64, /* boxes compared with all others, beside infinite ones */
    OCTAVE = 4,     /* classes of sizes in a factor of 2: what one level holds */
    CLASS_LARGE = UINT16_MAX,
    CLASS_EMPTY = UINT16_MAX - 1,
    CLASS_NONE = UINT16_MAX - 2 /* not numbers */
};

/* Beyond this a box counts as infinite: differences and sums stay finite below. */
static const double FAR = 1e150;

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

static ss_status reject(const ss_broad *broad, int i)
{
    const ss_bounds *b = &broad->given[i];
    return ss_fail(broad->context, SS_NON_FINITE,
                   "broad phase: box %d reaches from (%g, %g, %g) to (%g, %g, %g): not numbers", i,
                   b->low[0], b->low[1], b->low[2], b->high[0], b->high[1], b->high[2]);
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
        if (broad->level[i] < SS_BROAD_SIZE_CLASSES)
            broad->class_count[broad->level[i]]++;
        else if (broad->level[i] == CLASS_NONE)
            return reject(broad, i);
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
