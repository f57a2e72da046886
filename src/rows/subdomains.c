/* subdomains.c: contacts in batches that threads may visit side by side.
 *
 * Parts are slices along an axis on which the bodies spread most, each with about as many bodies. Contacts within a
 * subdomain are a group, and those between two subdomains are another; batches that share no subdomain form a phase. Where slices are
 * thicker than bodies there are three phases: within subdomains, after odd ones, and after even ones. All this
 * depends on bodies and contacts alone, so that numbers do not depend on the threads.
 */
#include "base/parallel.h"
#include "rows/rows.h"

#include <math.h>
#include <string.h>

/* Slices of the histogram, and contacts that are worth a subdomain of their own. */
enum { BINS = 1024, WORTH = 500 };

/* ---- Parts ---- */

/* How bodies lie along the axis that is cut into slices. */
typedef struct spreading {
    int axis;
    double low, high; /* where most of them are, m */
    double layer;     /* bodies side by side across it */
} spreading;

/* Of the axes on which bodies spread about as much as on any, the one along which those that follow each other in number are
 * nearest: what a subdomain needs then lies side by side in memory. */
static int choose_axis(const double deviation[3], const double direction[3])
{
    const double NEARLY = 0.9;
    int widest = 0;
    for (int k = 1; k < 3; k++)
        widest = deviation[k] > deviation[widest] ? k : widest;
    int axis = widest;
    for (int k = 0; k < 3; k++)
        axis =
            deviation[k] >= NEARLY * deviation[widest] && direction[k] < direction[axis] ? k : axis;
    return axis;
}

/* Bodies as in a box: an edge is √12 times the deviation. */
static spreading find_spreading(const ss_rows *c)
{
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
    int axis = choose_axis(deviation, direction);
    return (spreading){
        .axis = axis,
        .low = mean[axis] - 3 * deviation[axis],
        .high = mean[axis] + 3 * deviation[axis],
        .layer = n * cbrt(volume / n) / (sqrt(12) * deviation[axis]),
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

static int bin_of(double x, double low, double bins_per_metre)
{
    double place = (x - low) * bins_per_metre;
    return !(place > 0) ? 0 : place < BINS ? (int)place : BINS - 1;
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
    for (int i = 1; i < c->n_bodies; i++)
        bins[c->number[i] = bin_of(c->centre[i][s->axis], s->low, scale)]++;
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

/* ---- Groups ---- */

typedef int table[SS_SUBDOMAINS][SS_SUBDOMAINS]; /* by two subdomains, the lower one first */
enum { ASLEEP = UINT16_MAX };

/* The two subdomains of a contact: a place in a table. */
static uint16_t pair_of(const ss_rows *c, const ss_row_contact *t)
{
    int p = c->subdomain[t->a ? t->a : t->b], q = c->subdomain[t->b ? t->b : t->a];
    return t->asleep || t->form == SS_ROW_GENERAL
               ? ASLEEP
               : (uint16_t)(p < q ? SS_SUBDOMAINS * p + q : SS_SUBDOMAINS * q + p);
}

static void find_pairs(void *user, int from, int to)
{
    ss_rows *c = user;
    for (int i = from; i < to; i++)
        c->kind[i] = pair_of(c, &c->contacts[i]);
}

/* The first phase in which neither of two subdomains has a group. */
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

/* How many phases; the table's counts of contacts become phases, -1: no group; those within subdomains come first, even without contacts, then those
 * of neighbours of which the lower one is odd. */
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

static void add_group(ss_rows *c, int p, int q, int first, int contacts)
{
    c->batches[c->n_batches++] = (ss_batch){
        .first = first,
        .end = first + contacts,
        .subdomain = {p, q},
        .rank = {c->tickets[p].batches, c->tickets[q].batches},
    };
    c->tickets[p].batches++;
    c->tickets[q].batches += q != p;
    c->contact_start[p + 1] += contacts;
}

/* The other subdomains of each subdomain's batches, in the order of the phases; itself for the group within it. */
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

/* The lowest subdomain of which a group is next, with both of its subdomains. */
static int find_next(const ss_rows *c, const schedule *a)
{
    for (int p = 0;; p++) {
        int at = c->tickets[p].batches, q = at < a->n[p] ? a->other[p][at] : -1;
        if (q >= p && a->other[q][c->tickets[q].batches] == p)
            return p;
    }
}

/* Groups in an order that keeps to that of the phases in every subdomain, and goes from the first subdomain to the last: what was visited
 * last is needed next. The table's counts become places of their first contacts. */
static void list_groups(ss_rows *c, table count, int n_phases, table phase)
{
    schedule a;
    int contacts = 0;
    c->n_batches = 0;
    memset(c->contact_start, 0, sizeof c->contact_start);
    *c->progress = (ss_progress){0};
    for (int p = 0; p < c->n_subdomains; p++)
        c->tickets[p] = (ss_ticket){0};
    make_schedule(c, n_phases, phase, &a);
    while (c->n_batches < a.n_batches) {
        int p = find_next(c, &a), q = a.other[p][c->tickets[p].batches];
        add_group(c, p, q, contacts, count[p][q]);
        contacts += count[p][q];
        count[p][q] = contacts - count[p][q];
    }
    for (int p = 0; p <= c->n_subdomains; p++)
        c->contact_start[p + 1] += c->contact_start[p];
}

void ss_rows_group(ss_rows *c, int threads)
{
    table count, phase;
    int *at = count[0];
    memset(count, 0, sizeof count);
    for (int p = 0; p < c->n_subdomains; p++) /* for lanes that are empty (packs.c) */
        c->free[ss_rows_idle_body(c, p)] = (ss_row_body){.m_inv = 1, .J_inv = 1},
                                     memset(c->inertia[ss_rows_idle_body(c, p)], 0,
                                            sizeof *c->inertia);
    ss_parallel_for(c->context, threads, c->n_contacts, find_pairs, c);
    for (int i = 0; i < c->n_contacts; i++)
        if (c->kind[i] != ASLEEP)
            at[c->kind[i]]++;
    list_groups(c, count, find_phases(c, count, phase), phase);
    for (int i = 0; i < c->n_contacts; i++)
        if (c->kind[i] != ASLEEP)
            c->order[at[c->kind[i]]++] = i;
}
