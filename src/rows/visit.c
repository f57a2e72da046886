/* visit.c: all batches, by the threads of a region.
 *
 * A thread has subdomains that follow each other, and the batches whose lower subdomain is one of them. A group waits until those before it
 * that share a subdomain with it are done. Few have to wait: what threads share is done first.
 */
#include "base/parallel.h"
#include "rows/rows.h"

/* The first subdomain of a thread: an even one, behind about its share of contacts. */
static int first_part(const ss_rows *c, int thread, int threads)
{
    long twice = 2L * c->contact_start[c->n_subdomains] * thread / threads;
    int p = 0;
    while (thread > 0 && p < c->n_subdomains &&
           c->contact_start[p] + c->contact_start[p + 2] <= twice)
        p += 2;
    return thread < threads ? p : c->n_subdomains;
}

static bool is_next(const ss_rows *c, const ss_batch *g)
{
    return atomic_load_explicit(&c->tickets[g->subdomain[0]].done, memory_order_acquire) ==
               g->rank[0] &&
           atomic_load_explicit(&c->tickets[g->subdomain[1]].done, memory_order_acquire) ==
               g->rank[1];
}

/* The last one of a subdomain begins anew: no group is visited again before all are done. */
static void pass_on(ss_ticket *ticket, int rank)
{
    int done = rank + 1 < ticket->batches ? rank + 1 : 0;
    atomic_store_explicit(&ticket->done, done, memory_order_release);
}

static void end_turn(ss_rows *c, const ss_batch *g)
{
    pass_on(&c->tickets[g->subdomain[0]], g->rank[0]);
    if (!ss_batch_within(g))
        pass_on(&c->tickets[g->subdomain[1]], g->rank[1]);
}

/* Whether other threads wait for it: batches within the first and the last subdomain of a thread, and the one between two
 * threads. */
static bool is_shared(const ss_rows *c, const ss_batch *g, int first, int last)
{
    bool low = first > 0 && g->subdomain[0] == first,
         high = last < c->n_subdomains && g->subdomain[0] == last - 1;
    return ss_batch_within(g) ? low || high : high && g->subdomain[1] == last && g->rank[0] == 1;
}

/* The batches of a thread: what others wait for, and the rest, both in their order; and how far they are done. */
typedef struct share {
    short list[2][SS_SUBDOMAINS * (SS_SUBDOMAINS + 1) / 2];
    int n[2], done[2];
} share;

static void find_share(const ss_rows *c, share *mine)
{
    int thread = ss_thread_number(), threads = ss_thread_count();
    int first = first_part(c, thread, threads), last = first_part(c, thread + 1, threads);
    mine->n[0] = mine->n[1] = mine->done[0] = mine->done[1] = 0;
    for (int i = 0; i < c->n_batches; i++) {
        const ss_batch *g = &c->batches[i];
        int rest = !is_shared(c, g, first, last);
        if (g->subdomain[0] >= first && g->subdomain[0] < last)
            mine->list[rest][mine->n[rest]++] = (short)i;
    }
}

/* The next group whose turn it is, rather one that others wait for; NULL: none yet. */
static ss_batch *choose(const ss_rows *c, share *mine)
{
    for (int rest = 0; rest < 2; rest++) {
        int next = mine->done[rest];
        if (next == mine->n[rest] || !is_next(c, &c->batches[mine->list[rest][next]]))
            continue;
        mine->done[rest]++;
        return &c->batches[mine->list[rest][next]];
    }
    return NULL;
}

/* The next batch, once there is one. What the threads do is counted, so that one that waits misses nothing. */
static ss_batch *wait_for_next(ss_rows *c, share *mine)
{
    for (;;) {
        unsigned seen = atomic_load_explicit(&c->progress->done, memory_order_acquire);
        ss_batch *g = choose(c, mine);
        if (g)
            return g;
        ss_thread_wait(&c->progress->done, seen);
    }
}

void ss_rows_visit(ss_rows *c, ss_batch_fn *visit, const void *user)
{
    share mine;
    bool alone = ss_thread_count() == 1;
    find_share(c, &mine);
    while (mine.done[0] + mine.done[1] < mine.n[0] + mine.n[1]) {
        ss_batch *g = wait_for_next(c, &mine);
        visit(c, g, user);
        end_turn(c, g);
        if (alone)
            continue;
        atomic_fetch_add_explicit(&c->progress->done, 1, memory_order_release);
        ss_thread_notify();
    }
    ss_thread_barrier();
}
