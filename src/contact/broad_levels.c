/* broad_levels.c: boxes by size. */
#include "contact/broad.h"

#include <math.h>
#include <string.h>

enum {
    FEW = 32,       /* so many boxes are no level */
    LARGE_MAX = 64, /* boxes compared with all others, beside infinite ones */
    OCTAVE = 4,     /* classes of sizes in a factor of 2: what one level holds */
    CLASS_LARGE = UINT16_MAX,
    CLASS_EMPTY = UINT16_MAX - 1
};

/* Beyond this a box counts as infinite: differences and sums stay finite below. */
static const double FAR = 1e150;

ss_status ss_broad_check(const ss_broad *broad)
{
    for (int i = 0; i < broad->n_boxes; i++) {
        const ss_bounds *b = &broad->boxes[i];
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += (b->low[k] != b->low[k]) + (b->high[k] != b->high[k]);
        if (sum > 0)
            return ss_fail(
                broad->context, SS_NON_FINITE,
                "broad phase: box %d reaches from (%g, %g, %g) to (%g, %g, %g): not numbers", i,
                b->low[0], b->low[1], b->low[2], b->high[0], b->high[1], b->high[2]);
    }
    return SS_OK;
}

/* The size of a box in quarters of octaves, or one of the marks. */
static uint16_t class_of(const ss_bounds *b)
{
    double size = 0;
    bool empty = false, far = false;
    for (int k = 0; k < 3; k++) {
        empty |= b->low[k] > b->high[k];
        far |= !(b->low[k] > -FAR && b->high[k] < FAR);
        size = fmax(size, b->high[k] - b->low[k]);
    }
    if (empty || far)
        return empty ? CLASS_EMPTY : CLASS_LARGE;
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    return (uint16_t)(bits >> 50);
}

static void count_classes(ss_broad *broad)
{
    memset(broad->class_count, 0, SS_BROAD_SIZE_CLASSES * sizeof *broad->class_count);
#pragma omp parallel for num_threads(broad->n_parts) schedule(static) if (broad->n_parts > 1)
    for (int i = 0; i < broad->n_boxes; i++)
        broad->level[i] = class_of(&broad->boxes[i]);
    for (int i = 0; i < broad->n_boxes; i++)
        if (broad->level[i] < SS_BROAD_SIZE_CLASSES)
            broad->class_count[broad->level[i]]++;
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
void ss_broad_sort_levels(ss_broad *broad)
{
    count_classes(broad);
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
}
