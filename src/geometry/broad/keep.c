/* keep.c: pairs that serve for several calls.
 *
 * What lies in a heap hardly moves. Pairs are looked for between boxes that are a little larger; as long as no box leaves its
 * larger one, those of them that overlap are all there are, in the same order as if they were looked for anew.
 */
#include "base/parallel.h"
#include "geometry/broad/broad.h"

#include <math.h>
#include <string.h>

/* Boxes grow by this part of their shortest edge on every side: moving things stay within it for some steps, and pairs are
 * hardly more. Larger boxes that were left at once are done without for a while. */
static const double MARGIN = 0.06;
enum { PAUSE = 16 };

static bool is_within(const ss_bounds *box, const ss_bounds *larger)
{
    bool within = true;
    for (int k = 0; k < 3; k++)
        within &= box->low[k] >= larger->low[k] && box->high[k] <= larger->high[k];
    return within;
}

typedef struct keeping {
    ss_broad *broad;
    atomic_bool outside; /* some box is */
} keeping;

static void find_outside(void *user, int from, int to)
{
    keeping *all = user;
    const ss_broad *broad = all->broad;
    bool outside = false;
    for (int i = from; i < to; i++)
        outside |= !is_within(&broad->given[i], &broad->larger[i]) ||
                   ss_broad_group(broad, i) != broad->larger_group[i];
    if (outside)
        atomic_store(&all->outside, true);
}

bool ss_broad_keeps(ss_broad *broad)
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

static void enlarge(const ss_bounds *box, ss_bounds *larger)
{
    double edge = INFINITY;
    for (int k = 0; k < 3; k++)
        edge = fmin(edge, fmax(0, box->high[k] - box->low[k]));
    for (int k = 0; k < 3; k++) {
        larger->low[k] = box->low[k] - MARGIN * edge;
        larger->high[k] = box->high[k] + MARGIN * edge;
    }
}

static void enlarge_some(void *user, int from, int to)
{
    ss_broad *broad = user;
    for (int i = from; i < to; i++) {
        enlarge(&broad->given[i], &broad->larger[i]);
        broad->larger_group[i] = ss_broad_group(broad, i);
    }
}

bool ss_broad_enlarge(ss_broad *broad)
{
    if (broad->pause > 0) {
        broad->pause--;
        return false;
    }
    ss_parallel_for(broad->context, broad->n_parts, broad->n_boxes, enlarge_some, broad);
    broad->uses = 0;
    broad->boxes = broad->larger;
    return true;
}

static bool overlap(const ss_bounds *a, const ss_bounds *b)
{
    bool meet = true;
    for (int k = 0; k < 3; k++)
        meet &= a->low[k] <= b->high[k] && b->low[k] <= a->high[k];
    return meet;
}

/* Those of one part, at its place in the scratch. */
static int pick_part(const ss_broad *broad, int from, int to)
{
    const ss_bounds *boxes = broad->given;
    int count = 0;
    for (int i = from; i < to; i++) {
        broad->scratch[from + count] = broad->pairs[i];
        count += overlap(&boxes[broad->pairs[i].a], &boxes[broad->pairs[i].b]);
    }
    return count;
}

static void pick_some(void *user, int first, int last)
{
    ss_broad *broad = user;
    int parts = broad->n_parts, n = broad->n_pairs;
    for (int p = first; p < last; p++)
        broad->sinks[p].count =
            (size_t)pick_part(broad, ss_broad_part(n, p, parts), ss_broad_part(n, p + 1, parts));
}

const ss_near *ss_broad_pick(ss_broad *broad, int *count)
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
