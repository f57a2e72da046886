/* order.c: pairs by ascending (a, b): counted into buckets of neighbouring a, which fit into the cache,
 * then by a, then by b. */
#include "base/parallel.h"
#include "geometry/broad/broad.h"

#include <limits.h>
#include <string.h>

enum { BUCKET_BITS = 9, BUCKETS = 1 << BUCKET_BITS, WIDE = 16, SHORT_LIST = 48, BYTE = 256 };

/* Each pair goes to the place that says how many are before it: no branch, where insertion would guess. */
static inline void sort_ranked(int n, int width, ss_near *list)
{
    int b[WIDE], rank[WIDE] = {0}, a = list[0].a;
    for (int k = 0; k < width; k++)
        b[k] = k < n ? list[k].b : INT_MAX;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < width; k++)
            rank[k] += b[i] < b[k];
    for (int k = 0; k < n; k++)
        list[rank[k]] = (ss_near){a, b[k]};
}

static void sort_inserted(int n, ss_near *list)
{
    for (int i = 1; i < n; i++) {
        ss_near pair = list[i];
        int k = i;
        for (; k > 0 && list[k - 1].b > pair.b; k--)
            list[k] = list[k - 1];
        list[k] = pair;
    }
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

/* Four passes over the bytes end where they began. */
static void sort_long(int n, ss_near *list, ss_near *scratch)
{
    for (int shift = 0; shift < 32; shift += 16) {
        sort_byte(n, shift, list, scratch);
        sort_byte(n, shift + 8, scratch, list);
    }
}

static bool in_order(int n, const ss_near *list)
{
    for (int i = 1; i < n; i++)
        if (list[i - 1].b > list[i].b)
            return false;
    return true;
}

static void sort_list(int n, ss_near *list, ss_near *scratch)
{
    if (n <= 1)
        return;
    if (n <= WIDE / 2)
        sort_ranked(n, WIDE / 2, list);
    else if (n <= WIDE)
        sort_ranked(n, WIDE, list);
    else if (n <= SHORT_LIST)
        sort_inserted(n, list);
    else if (!in_order(n, list)) /* those of large boxes are */
        sort_long(n, list, scratch);
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

/* Moves the pairs of all parts into buckets; the ends of these are left in the first part's counters. */
static void fill_buckets(ss_broad *broad, int shift)
{
    int parts = broad->n_parts;
    ordering o = {broad, shift};
    ss_parallel_for(broad->context, parts, parts, count_pairs, &o);
    uint32_t position = 0;
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
        for (int part = 0; part < parts; part++) {
            uint32_t *count = broad->histograms + (size_t)part * SS_BROAD_BINS + bucket;
            uint32_t here = *count;
            *count = position;
            position += here;
        }
    }
    ss_parallel_for(broad->context, parts, parts, move_pairs, &o);
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

void ss_broad_order(ss_broad *broad)
{
    int bits = ss_broad_bits((uint64_t)broad->n_boxes);
    int shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
    fill_buckets(broad, shift);
    ss_parallel_for(broad->context, broad->n_parts, BUCKETS, sort_buckets,
                    &(ordering){broad, shift});
}
