/* broad.c: pairs of boxes that overlap, kept for several calls and put into order.
 *
 * What lies in a pile hardly moves. Pairs are looked for between boxes that are a little larger; as long as no box leaves its
 * larger one, those of them that overlap are all there are, in the same order as if they were looked for anew.
 */
#include "geometry/broad/broad.h"

#include "base/context.h"
#include "base/parallel.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { BOXES_A_PART = 256, PAIRS_AT_FIRST = 4096 };

/* Boxes grow by this part of their shortest edge on every side: moving things stay within it for some steps, and pairs are
 * hardly more. Larger boxes that were left at once are done without for a while. */
static const double MARGIN = 0.06;
enum { PAUSE = 16 };

ss_status ss_broad_create(ss_context *context, ss_broad **broad)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, broad);
    SS_TRY(SS_NEW(context, 1, broad));
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

/* Items that do not lie across two cache lines, and one behind them. */
static ss_status renew_items(ss_broad *broad, int capacity, int which, ss_broad_item **items)
{
    const size_t line = sizeof(ss_broad_item);
    SS_TRY(renew(broad->context, (size_t)capacity + 2, line, &broad->item_memory[which]));
    uintptr_t address = (uintptr_t)broad->item_memory[which];
    *items = (ss_broad_item *)((char *)broad->item_memory[which] + (line - address % line));
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

static ss_status make_capacity(ss_broad *broad)
{
    if (broad->n_parts > broad->part_capacity) {
        broad->part_capacity = 0;
        SS_TRY(RENEW(broad, broad->n_parts, sinks));
        SS_TRY(RENEW(broad, broad->n_parts * SS_BROAD_BINS, histograms));
        SS_TRY(RENEW(broad, SS_BROAD_SIZE_CLASSES, level_of_class));
        SS_TRY(RENEW(broad, SS_BROAD_SIZE_CLASSES, class_count));
        SS_TRY(RENEW(broad, SS_BROAD_SIZE_CLASSES + 1, level_end));
        broad->part_capacity = broad->n_parts;
    }
    if (broad->n_boxes > broad->box_capacity) {
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
    }
    return make_capacity_for_pairs(broad, (size_t)broad->n_parts * PAIRS_AT_FIRST);
}

/* ---- Pairs by ascending (a, b): counted into buckets of neighbouring a, which fit into the cache, then by a, then by b ---- */

enum { BUCKET_BITS = 9, BUCKETS = 1 << BUCKET_BITS, WIDE = 48, BYTE = 256 };

/* Each pair goes to the place that says how many are before it: no branch, where insertion would guess. */
static inline __attribute__((always_inline)) void sort_ranked(int n, int width, ss_near *list)
{
    int b[WIDE], rank[WIDE], a = list[0].a;
    for (int k = 0; k < width; k++) {
        b[k] = k < n ? list[k].b : INT_MAX;
        rank[k] = 0;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            rank[k] += b[i] < b[k];
    for (int k = 0; k < n; k++)
        list[rank[k]] = (ss_near){a, b[k]};
}

static void sort_byte(int n, int shift, const ss_near *from, ss_near *to)
{
    int count[BYTE] = {0}, position = 0;
    for (int i = 0; i < n; i++)
        count[(from[i].b >> shift) & (BYTE - 1)]++;
    for (int k = 0; k < BYTE; k++) {
        int here = count[k];
        count[k] = position;
        position += here;
    }
    for (int i = 0; i < n; i++)
        to[count[(from[i].b >> shift) & (BYTE - 1)]++] = from[i];
}

static void sort_list(int n, ss_near *list, ss_near *scratch)
{
    bool in_order = true; /* those of large boxes are */
    if (n <= 1)
        return;
    if (n <= WIDE / 6) {
        sort_ranked(n, WIDE / 6, list);
    } else if (n <= WIDE / 3) {
        sort_ranked(n, WIDE / 3, list);
    } else if (n <= WIDE) {
        sort_ranked(n, WIDE, list);
    } else {
        for (int i = 1; i < n; i++)
            in_order &= list[i - 1].b <= list[i].b;
        for (int shift = 0; shift < 32 && !in_order; shift += 16) { /* ends where it began */
            sort_byte(n, shift, list, scratch);
            sort_byte(n, shift + 8, scratch, list);
        }
    }
}

/* Sorts pairs by (a, b) where all a lie in [a_first, a_first + a_count), with a counter for each a. */
static void sort_bucket(size_t n, int a_first, int a_count, ss_near *from, ss_near *to, int *count)
{
    memset(count, 0, (size_t)a_count * sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[from[i].a - a_first]++;
    int position = 0;
    for (int k = 0; k < a_count; k++) {
        int here = count[k];
        count[k] = position;
        position += here;
    }
    for (size_t i = 0; i < n; i++)
        to[count[from[i].a - a_first]++] = from[i];
    for (int k = 0, begin = 0; k < a_count; begin = count[k++]) {
        int length = count[k] - begin;
        sort_list(length, to + begin, from + begin);
    }
}

typedef struct ordering {
    ss_broad *broad;
    int shift;
} ordering;

static void count_pairs(void *user, int first, int last)
{
    const ordering *o = user;
    for (int part = first; part < last; part++) {
        const ss_broad_sink *sink = &o->broad->sinks[part];
        uint32_t *count = o->broad->histograms + (size_t)part * SS_BROAD_BINS;
        memset(count, 0, BUCKETS * sizeof *count);
        for (size_t i = 0; i < sink->count; i++)
            count[sink->data[i].a >> o->shift]++;
    }
}

static void move_pairs(void *user, int first, int last)
{
    const ordering *o = user;
    for (int part = first; part < last; part++) {
        const ss_broad_sink *sink = &o->broad->sinks[part];
        uint32_t *place = o->broad->histograms + (size_t)part * SS_BROAD_BINS;
        for (size_t i = 0; i < sink->count; i++)
            o->broad->scratch[place[sink->data[i].a >> o->shift]++] = sink->data[i];
    }
}

void ss_broad_places(const ss_broad *broad, int bins)
{
    uint32_t position = 0;
    for (int bin = 0; bin < bins; bin++) {
        for (int part = 0; part < broad->n_parts; part++) {
            uint32_t *count = broad->histograms + (size_t)part * SS_BROAD_BINS + bin;
            uint32_t here = *count;
            *count = position;
            position += here;
        }
    }
}

static void sort_buckets(void *user, int first, int last)
{
    const ordering *o = user;
    const ss_broad *broad = o->broad;
    int shift = o->shift;
    /* The last part's places now stand at the ends of the buckets. */
    const uint32_t *end = broad->histograms + (size_t)(broad->n_parts - 1) * SS_BROAD_BINS;
    int *counters = broad->order; /* no longer needed, and one for each box */
    for (int bucket = first; bucket < last; bucket++) {
        uint32_t begin = bucket ? end[bucket - 1] : 0;
        int a_first = bucket << shift;
        int a_end =
            a_first + (1 << shift) < broad->n_boxes ? a_first + (1 << shift) : broad->n_boxes;
        if (end[bucket] > begin)
            sort_bucket(end[bucket] - begin, a_first, a_end - a_first, broad->scratch + begin,
                        broad->pairs + begin, counters + a_first);
    }
}

/* All pairs of the sinks, in broad->pairs. */
static void sort_pairs(ss_broad *broad)
{
    int parts = broad->n_parts, bits = ss_broad_bits((uint64_t)broad->n_boxes);
    ordering o = {broad, bits > BUCKET_BITS ? bits - BUCKET_BITS : 0};
    ss_parallel_for(broad->context, parts, parts, count_pairs, &o);
    ss_broad_places(broad, BUCKETS);
    ss_parallel_for(broad->context, parts, parts, move_pairs, &o);
    ss_parallel_for(broad->context, parts, BUCKETS, sort_buckets, &o);
}

/* All pairs of broad->boxes. */
static ss_status search(ss_broad *broad)
{
    SS_TRY(ss_broad_sort_levels(broad));
    ss_broad_find(broad);
    size_t total = 0, most = 0; /* of all parts, of one */
    for (int part = 0; part < broad->n_parts; part++) {
        size_t count = broad->sinks[part].count;
        most = count > most ? count : most;
        total += count;
    }
    if (total > INT_MAX)
        return ss_fail(broad->context, SS_UNSUPPORTED,
                       "broad phase: %zu pairs of %d boxes; at most %d can be kept", total,
                       broad->n_boxes, INT_MAX);
    if (most > broad->sinks[0].capacity) {
        most += most / 4 + 1; /* so that a few more next time find capacity */
        SS_TRY(make_capacity_for_pairs(broad, most * (size_t)broad->n_parts));
        ss_broad_find(broad);
    }
    sort_pairs(broad);
    broad->n_pairs = (int)total;
    return SS_OK;
}

/* ---- Pairs that serve for several calls ---- */

typedef struct keeping {
    ss_broad *broad;
    atomic_bool outside; /* some box is outside of its larger one */
} keeping;

static void find_outside(void *user, int from, int to)
{
    keeping *all = user;
    const ss_broad *broad = all->broad;
    bool outside = false;
    for (int i = from; i < to; i++) {
        const ss_bounds *box = &broad->given[i], *larger = &broad->larger[i];
        for (int k = 0; k < 3; k++)
            outside |= !(box->low[k] >= larger->low[k] && box->high[k] <= larger->high[k]);
        outside |= ss_broad_group(broad, i) != broad->larger_group[i];
    }
    if (outside)
        atomic_store(&all->outside, true);
}

/* Whether every box is within its larger one of an earlier call: the pairs that were found then are enough. */
static bool keeps(ss_broad *broad)
{
    int n = broad->n_boxes;
    if (n == 0 || broad->n_larger != n)
        return false;
    keeping all = {broad, false};
    ss_parallel_for(broad->context, broad->n_parts, n, find_outside, &all);
    if (!all.outside)
        broad->uses++;
    else if (broad->uses == 0)
        broad->pause = PAUSE;
    return !all.outside;
}

static void enlarge(void *user, int from, int to)
{
    ss_broad *broad = user;
    for (int i = from; i < to; i++) {
        const ss_bounds *box = &broad->given[i];
        double edge = INFINITY;
        for (int k = 0; k < 3; k++)
            edge = fmin(edge, fmax(0, box->high[k] - box->low[k]));
        broad->larger[i] = *box;
        ss_bounds_grow(&broad->larger[i], MARGIN * edge);
        broad->larger_group[i] = ss_broad_group(broad, i);
    }
}

/* Those pairs of a part that overlap, at its place in the scratch. */
static void pick_some(void *user, int first, int last)
{
    ss_broad *broad = user;
    const ss_bounds *boxes = broad->given;
    int parts = broad->n_parts, n = broad->n_pairs;
    for (int p = first; p < last; p++) {
        int from = ss_broad_part(n, p, parts), to = ss_broad_part(n, p + 1, parts), count = 0;
        for (int i = from; i < to; i++) {
            broad->scratch[from + count] = broad->pairs[i];
            count += ss_bounds_overlap(&boxes[broad->pairs[i].a], &boxes[broad->pairs[i].b]);
        }
        broad->sinks[p].count = (size_t)count;
    }
}

/* Those pairs of larger boxes that overlap; or all that were found. */
static const ss_near *pick(ss_broad *broad, int *count)
{
    int parts = broad->n_parts, n = broad->n_pairs;
    *count = n;
    if (broad->n_larger == 0)
        return broad->pairs;
    ss_parallel_for(broad->context, parts, parts, pick_some, broad);
    *count = 0;
    for (int p = 0; p < parts; p++) {
        memmove(broad->scratch + *count, broad->scratch + ss_broad_part(n, p, parts),
                broad->sinks[p].count * sizeof *broad->scratch);
        *count += (int)broad->sinks[p].count;
    }
    return broad->scratch;
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
    if (!keeps(broad)) {
        bool enlarges = broad->pause == 0; /* or larger boxes would soon be left */
        broad->n_larger = 0;
        if (enlarges) {
            ss_parallel_for(broad->context, broad->n_parts, n, enlarge, broad);
            broad->uses = 0;
            broad->boxes = broad->larger;
        } else {
            broad->pause--;
        }
        SS_TRY(search(broad));
        broad->n_larger = enlarges ? n : 0;
    }
    *near = pick(broad, count);
    return SS_OK;
}
