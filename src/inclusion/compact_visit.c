/* compact_visit.c: all groups, by the threads of a region.
 *
 * A thread has parts that follow each other, and the groups whose lower part is one of them. A group waits until those before it
 * that share a part with it are done. Few have to wait: what threads share is done first.
 */
#include "inclusion/compact.h"

#include <omp.h>
#include <sched.h>

/* The first part of a thread: an even one, behind about its share of touches. */
static int first_part(const ss_compact *c, int thread, int threads)
{
    long twice = 2L * c->touch_start[c->n_parts] * thread / threads;
    int p = 0;
    while (thread > 0 && p < c->n_parts && c->touch_start[p] + c->touch_start[p + 2] <= twice)
        p += 2;
    return thread < threads ? p : c->n_parts;
}

static void wait_for(atomic_int *done, int rank)
{
    enum { PATIENCE = 10000 };
    for (int i = 0; atomic_load_explicit(done, memory_order_acquire) != rank; i++)
        if (i > PATIENCE)
            sched_yield();
}

/* The last one of a part begins anew: no group is visited again before all are done. */
static void pass_on(ss_part_turn *turn, int rank)
{
    int done = rank + 1 < turn->groups ? rank + 1 : 0;
    atomic_store_explicit(&turn->done, done, memory_order_release);
}

static void take_turn(ss_compact *c, ss_touch_group *g, ss_group_fn *visit, const void *user)
{
    ss_part_turn *lower = &c->turns[g->part[0]], *upper = &c->turns[g->part[1]];
    wait_for(&lower->done, g->rank[0]);
    wait_for(&upper->done, g->rank[1]);
    visit(c, g, user);
    pass_on(lower, g->rank[0]);
    if (upper != lower)
        pass_on(upper, g->rank[1]);
}

/* Whether other threads wait for it: groups within the first and the last part of a thread, and the one between two
 * threads. */
static bool is_shared(const ss_compact *c, const ss_touch_group *g, int first, int last)
{
    bool low = first > 0 && g->part[0] == first, high = last < c->n_parts && g->part[0] == last - 1;
    return ss_group_within(g) ? low || high : high && g->part[1] == last && g->rank[0] == 1;
}

void ss_compact_visit(ss_compact *c, ss_group_fn *visit, const void *user)
{
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    int first = first_part(c, thread, threads), last = first_part(c, thread + 1, threads);
    for (int shared = 1; shared >= 0; shared--)
        for (int i = 0; i < c->n_groups; i++) {
            ss_touch_group *g = &c->groups[i];
            if (g->part[0] >= first && g->part[0] < last && is_shared(c, g, first, last) == shared)
                take_turn(c, g, visit, user);
        }
#pragma omp barrier
}
