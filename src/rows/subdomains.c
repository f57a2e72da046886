/* subdomains.c: contacts in batches that threads may visit side by side, and their visit.
 *
 * Subdomains are slices along an axis on which the bodies spread most, each with about as many bodies. Contacts within a
 * subdomain are a batch, and those between two subdomains are another; batches that share no subdomain form a phase. Where
 * slices are thicker than bodies there are three phases: within subdomains, after odd ones, and after even ones. All this
 * depends on bodies and contacts alone, so that numbers do not depend on the threads.
 */
#include "base/parallel.h"
#include "la/elementary.h"
#include "rows/rows.h"

#include <math.h>
#include <string.h>

/* Slices of the histogram, and contacts that are worth a subdomain of their own. */
enum { BINS = 1024, WORTH = 500 };

/* ---- Subdomains ---- */

/* How bodies lie along the axis that is cut into slices. */
typedef struct spreading {
    int axis;
    double low, high; /* where most of them are, m */
    double layer;     /* bodies side by side across it */
} spreading;

/* Bodies as in a box: an edge is √12 times the deviation. Of the axes on which bodies spread about as much as on any, the
 * one along which those that follow each other in number are nearest: what a subdomain needs then lies side by side in
 * memory. */
static spreading find_spreading(const ss_rows *c)
{
    const double NEARLY = 0.9;
    double mean[3] = {0}, deviation[3] = {0}, direction[3] = {0}, volume = 1;
    int n = c->n_bodies - 1;
    for (int i = 1; i <= n; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += c->centre[i][k];
    for (int k = 0; k < 3; k++)
        mean[k] /= n;
    for (int i = 1; i <= n; i++)
        for (int k = 0; k < 3; k++) {
            double d = c->centre[i][k] - mean[k];
            deviation[k] += d * d;
            direction[k] += i > 1 ? fabs(c->centre[i][k] - c->centre[i - 1][k]) : 0;
        }
    for (int k = 0; k < 3; k++) {
        deviation[k] = sqrt(deviation[k] / n);
        volume *= sqrt(12) * deviation[k];
    }
    int widest = 0;
    for (int k = 1; k < 3; k++)
        widest = deviation[k] > deviation[widest] ? k : widest;
    int axis = widest;
    for (int k = 0; k < 3; k++)
        if (deviation[k] >= NEARLY * deviation[widest] && direction[k] < direction[axis])
            axis = k;
    return (spreading){
        .axis = axis,
        .low = mean[axis] - 3 * deviation[axis],
        .high = mean[axis] + 3 * deviation[axis],
        .layer = n * ss_pow(volume / n, 1.0 / 3) / (sqrt(12) * deviation[axis]),
    };
}

/* One or fours, so that two threads have about the same to do; thicker than a layer. */
static int count_subdomains(const ss_rows *c, const spreading *s, int n_contacts)
{
    double most = 0.8 * c->n_bodies / s->layer;
    int worth = n_contacts / WORTH, n = worth < SS_SUBDOMAINS ? worth : SS_SUBDOMAINS;
    n = most < n ? (int)most : n;
    return n < 4 ? 1 : n - n % 4;
}

/* Which slice of the histogram belongs to which subdomain, so that each has about as much to do: contacts within it, and
 * those with the next one, of which the last has none; they are worth a third of a layer. */
static void share_bins(ss_rows *c, double layer, int bins[BINS])
{
    int sum = 0, subdomain = 0;
    double size = (c->n_bodies - layer / 3) / c->n_subdomains;
    c->subdomain_start[0] = 1;
    for (int b = 0; b < BINS; b++) {
        int middle = sum + bins[b] / 2;
        while (subdomain + 1 < c->n_subdomains && middle >= (subdomain + 1) * size)
            c->subdomain_start[++subdomain] = 1 + sum;
        sum += bins[b];
        bins[b] = subdomain;
    }
    while (subdomain < c->n_subdomains)
        c->subdomain_start[++subdomain] = 1 + sum;
}

/* Bodies by subdomains, in their order within each. */
static void number_bodies(ss_rows *c, const spreading *s)
{
    int bins[BINS] = {0}, place[SS_SUBDOMAINS + 1];
    double scale = BINS / (s->high - s->low);
    for (int i = 1; i < c->n_bodies; i++) {
        double at = (c->centre[i][s->axis] - s->low) * scale;
        c->number[i] = !(at > 0) ? 0 : at < BINS ? (int)at : BINS - 1;
        bins[c->number[i]]++;
    }
    share_bins(c, s->layer, bins);
    memcpy(place, c->subdomain_start, sizeof place);
    for (int i = 1; i < c->n_bodies; i++) {
        int subdomain = bins[c->number[i]];
        c->number[i] = place[subdomain]++;
        c->subdomain[c->number[i]] = (uint8_t)subdomain;
    }
}

void ss_rows_divide(ss_rows *c, int n_contacts)
{
    spreading s = find_spreading(c);
    c->n_subdomains = count_subdomains(c, &s, n_contacts);
    c->subdomain[0] = 0;
    c->number[0] = 0;
    if (c->n_subdomains > 1) {
        number_bodies(c, &s);
        return;
    }
    c->subdomain_start[0] = 1;
    c->subdomain_start[1] = c->n_bodies;
    for (int i = 1; i < c->n_bodies; i++) {
        c->number[i] = i;
        c->subdomain[i] = 0;
    }
}

/* ---- Batches ---- */

typedef int table[SS_SUBDOMAINS][SS_SUBDOMAINS]; /* by two subdomains, the lower one first */
enum { ASLEEP = UINT16_MAX };

/* The two subdomains of a contact: a place in a table. */
static void find_pairs(void *user, int from, int to)
{
    ss_rows *c = user;
    for (int i = from; i < to; i++) {
        const ss_row_contact *t = &c->contacts[i];
        int p = c->subdomain[t->a ? t->a : t->b], q = c->subdomain[t->b ? t->b : t->a];
        c->kind[i] = t->asleep || t->form == SS_ROW_GENERAL
                         ? ASLEEP
                         : (uint16_t)(p < q ? SS_SUBDOMAINS * p + q : SS_SUBDOMAINS * q + p);
    }
}

/* The first phase in which neither of two subdomains has a batch. */
static int choose_phase(uint64_t busy[SS_SUBDOMAINS][2], int p, int q)
{
    int phase = 0;
    while ((busy[p][phase / 64] | busy[q][phase / 64]) >> (phase % 64) & 1)
        phase++;
    uint64_t mark = (uint64_t)1 << (phase % 64);
    busy[p][phase / 64] |= mark;
    busy[q][phase / 64] |= mark;
    return phase;
}

/* How many phases; the table's counts of contacts become phases, -1: no batch; those within subdomains come first, even
 * without contacts, then those of neighbours of which the lower one is odd. */
static int find_phases(const ss_rows *c, table count, table phase)
{
    uint64_t busy[SS_SUBDOMAINS][2] = {{0}};
    int n_phases = 0;
    for (int twice = 0; twice < 2 * c->n_subdomains; twice++)
        for (int apart = twice / 2, p = 1 - twice % 2; p + apart < c->n_subdomains; p += 2) {
            int q = p + apart;
            phase[p][q] = count[p][q] || p == q ? choose_phase(busy, p, q) : -1;
            n_phases = phase[p][q] >= n_phases ? phase[p][q] + 1 : n_phases;
        }
    return n_phases;
}

/* The other subdomains of each subdomain's batches, in the order of the phases; itself for the batch within it. */
typedef struct schedule {
    int n_batches, n[SS_SUBDOMAINS];
    table other;
} schedule;

static void make_schedule(const ss_rows *c, int n_phases, table phase, schedule *a)
{
    memset(a->n, 0, sizeof a->n);
    a->n_batches = 0;
    for (int k = 0; k < n_phases; k++)
        for (int p = 0; p < c->n_subdomains; p++)
            for (int q = p; q < c->n_subdomains; q++) {
                if (phase[p][q] != k)
                    continue;
                a->other[p][a->n[p]++] = q;
                if (q != p)
                    a->other[q][a->n[q]++] = p;
                a->n_batches++;
            }
}

/* The lowest subdomain of which a batch is next, with both of its subdomains. */
static int find_next(const ss_rows *c, const schedule *a)
{
    for (int p = 0;; p++) {
        int at = c->tickets[p].batches, q = at < a->n[p] ? a->other[p][at] : -1;
        if (q >= p && a->other[q][c->tickets[q].batches] == p)
            return p;
    }
}

/* Batches in an order that keeps to that of the phases in every subdomain, and goes from the first subdomain to the last:
 * what was visited last is needed next. The table's counts become places of their first contacts. */
static void list_batches(ss_rows *c, table count, int n_phases, table phase)
{
    schedule a;
    int contacts = 0;
    memset(c->contact_start, 0, sizeof c->contact_start);
    *c->progress = (ss_progress){0};
    for (int p = 0; p < c->n_subdomains; p++)
        c->tickets[p] = (ss_ticket){0};
    make_schedule(c, n_phases, phase, &a);
    for (c->n_batches = 0; c->n_batches < a.n_batches; c->n_batches++) {
        int p = find_next(c, &a), q = a.other[p][c->tickets[p].batches], first = contacts;
        contacts += count[p][q];
        c->contact_start[p + 1] += count[p][q];
        count[p][q] = first;
        c->batches[c->n_batches] = (ss_batch){
            .first = first,
            .end = contacts,
            .subdomain = {p, q},
            .rank = {c->tickets[p].batches, c->tickets[q].batches},
        };
        c->tickets[p].batches++;
        c->tickets[q].batches += q != p;
    }
    for (int p = 0; p <= c->n_subdomains; p++)
        c->contact_start[p + 1] += c->contact_start[p];
}

void ss_rows_group(ss_rows *c, int threads)
{
    table count, phase;
    int *at = count[0];
    memset(count, 0, sizeof count);
    for (int p = 0; p < c->n_subdomains; p++) { /* for lanes that are empty (packs.c) */
        int idle = ss_rows_idle_body(c, p);
        c->free[idle] = (ss_row_body){.m_inv = 1, .J_inv = 1};
        memset(c->inertia[idle], 0, sizeof *c->inertia);
    }
    ss_parallel_for(c->context, threads, c->n_contacts, find_pairs, c);
    for (int i = 0; i < c->n_contacts; i++)
        if (c->kind[i] != ASLEEP)
            at[c->kind[i]]++;
    list_batches(c, count, find_phases(c, count, phase), phase);
    for (int i = 0; i < c->n_contacts; i++)
        if (c->kind[i] != ASLEEP)
            c->order[at[c->kind[i]]++] = i;
}

/* ---- Visits ----
 *
 * A thread has subdomains that follow each other, and the batches whose lower subdomain is one of them. A batch waits until
 * those before it that share a subdomain with it are done. Few have to wait: what threads share is done first. */

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
    for (int side = 0; side < 2; side++)
        if (atomic_load_explicit(&c->tickets[g->subdomain[side]].done, memory_order_acquire) !=
            g->rank[side])
            return false;
    return true;
}

/* The last one of a subdomain begins anew: no batch is visited again before all are done. */
static void end_turn(ss_rows *c, const ss_batch *g)
{
    for (int side = 0; side <= !ss_batch_within(g); side++) {
        ss_ticket *ticket = &c->tickets[g->subdomain[side]];
        int done = g->rank[side] + 1 < ticket->batches ? g->rank[side] + 1 : 0;
        atomic_store_explicit(&ticket->done, done, memory_order_release);
    }
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

/* The next batch whose turn it is, rather one that others wait for; NULL: none yet. */
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

/* What the threads do is counted, so that one that waits misses nothing. */
void ss_rows_visit(ss_rows *c, ss_batch_fn *visit, const void *user)
{
    share mine;
    bool alone = ss_thread_count() == 1;
    find_share(c, &mine);
    while (mine.done[0] + mine.done[1] < mine.n[0] + mine.n[1]) {
        unsigned seen = atomic_load_explicit(&c->progress->done, memory_order_acquire);
        ss_batch *g = choose(c, &mine);
        if (!g) {
            ss_thread_wait(&c->progress->done, seen);
            continue;
        }
        visit(c, g, user);
        end_turn(c, g);
        if (alone)
            continue;
        atomic_fetch_add_explicit(&c->progress->done, 1, memory_order_release);
        ss_thread_notify();
    }
    ss_thread_barrier();
}
