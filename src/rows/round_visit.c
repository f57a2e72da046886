/* round_visit.c: all groups, by the threads of a region.
 *
 * A thread has parts that follow each other, and the groups whose lower part is one of them. A group waits until those before it
 * that share a part with it are done. Few have to wait: what threads share is done first.
 */
#include "rows/round.h"

#include <omp.h>
#include <sched.h>

/* The first part of a thread: an even one, behind about its share of contacts. */
static int first_part(const ss_round_rows *c, int thread, int threads)
{
    long twice = 2L * c->contact_start[c->n_parts] * thread / threads;
    int p = 0;
    while (thread > 0 && p < c->n_parts && c->contact_start[p] + c->contact_start[p + 2] <= twice)
        p += 2;
    return thread < threads ? p : c->n_parts;
}

static bool is_next(const ss_round_rows *c, const ss_contact_group *g)
{
    return atomic_load_explicit(&c->tickets[g->part[0]].done, memory_order_acquire) == g->rank[0] &&
           atomic_load_explicit(&c->tickets[g->part[1]].done, memory_order_acquire) == g->rank[1];
}

/* The last one of a part begins anew: no group is visited again before all are done. */
static void pass_on(ss_part_ticket *parity, int rank)
{
    int done = rank + 1 < parity->groups ? rank + 1 : 0;
    atomic_store_explicit(&parity->done, done, memory_order_release);
}

static void end_turn(ss_round_rows *c, const ss_contact_group *g)
{
    pass_on(&c->tickets[g->part[0]], g->rank[0]);
    if (!ss_group_within(g))
        pass_on(&c->tickets[g->part[1]], g->rank[1]);
}

/* Whether other threads wait for it: groups within the first and the last part of a thread, and the one between two
 * threads. */
static bool is_shared(const ss_round_rows *c, const ss_contact_group *g, int first, int last)
{
    bool low = first > 0 && g->part[0] == first, high = last < c->n_parts && g->part[0] == last - 1;
    return ss_group_within(g) ? low || high : high && g->part[1] == last && g->rank[0] == 1;
}

/* The groups of a thread: what others wait for, and the rest, both in their order; and how far they are done. */
typedef struct share {
    short list[2][SS_PARTS * (SS_PARTS + 1) / 2];
    int n[2], done[2];
} share;

static void find_share(const ss_round_rows *c, share *mine)
{
    int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    int first = first_part(c, thread, threads), last = first_part(c, thread + 1, threads);
    mine->n[0] = mine->n[1] = mine->done[0] = mine->done[1] = 0;
    for (int i = 0; i < c->n_groups; i++) {
        const ss_contact_group *g = &c->groups[i];
        int rest = !is_shared(c, g, first, last);
        if (g->part[0] >= first && g->part[0] < last)
            mine->list[rest][mine->n[rest]++] = (short)i;
    }
}

/* The next group whose turn it is, rather one that others wait for; NULL: none yet. */
static ss_contact_group *choose(const ss_round_rows *c, share *mine)
{
    for (int rest = 0; rest < 2; rest++) {
        int next = mine->done[rest];
        if (next == mine->n[rest] || !is_next(c, &c->groups[mine->list[rest][next]]))
            continue;
        mine->done[rest]++;
        return &c->groups[mine->list[rest][next]];
    }
    return NULL;
}

/* A thread that waits for others. */
static void spin(int *waited)
{
    enum { PATIENCE = 10000 };
    if (++*waited > PATIENCE)
        sched_yield();
}

void ss_round_barrier(ss_round_rows *c)
{
    ss_barrier *m = c->barrier;
    int threads = omp_get_num_threads(), waited = 0;
    int times = atomic_load_explicit(&m->times, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&m->here, 1, memory_order_acq_rel) + 1 == threads) {
        atomic_store_explicit(&m->here, 0, memory_order_relaxed);
        atomic_store_explicit(&m->times, times + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&m->times, memory_order_acquire) == times)
        spin(&waited);
}

void ss_round_visit(ss_round_rows *c, ss_group_fn *visit, const void *user)
{
    share mine;
    find_share(c, &mine);
    for (int waited = 0; mine.done[0] + mine.done[1] < mine.n[0] + mine.n[1];) {
        ss_contact_group *g = choose(c, &mine);
        if (g) {
            visit(c, g, user);
            end_turn(c, g);
            waited = 0;
        } else
            spin(&waited);
    }
    ss_round_barrier(c);
}
