/* round_packs.c: the contacts of a group in packs of four that share no body.
 *
 * Contacts of a group are coloured: those of one colour share no body that moves. The packs of a colour lie side
 * by side, so that a pack seldom has to wait for the one before it.
 */
#include "rows/round.h"

#include <string.h>

/* Kinds of contacts of one colour: with and without body 0, and of each first what presses or comes
 * together, then what is apart and may stay so. */
enum { KINDS = 4, WALL = 2 };

/* Contacts of a group by colours and kinds; those for which no colour is left come last, one in a pack. */
typedef int histogram[SS_COLOURS + 1][KINDS];

static void along_normal(const ss_round_contact *t, double *P_N, double *bias_N)
{
    *P_N = *bias_N = 0;
    for (int i = 0; i < 3; i++) {
        *P_N += t->P[i] * t->n[i];
        *bias_N += t->bias[i] * t->n[i];
    }
}

static int kind_of(const ss_round_contact *t)
{
    double P_N, bias_N;
    along_normal(t, &P_N, &bias_N);
    return (t->a == 0 || t->b == 0 ? WALL : 0) + (P_N == 0 && bias_N > 0);
}

/* ---- Colours ---- */

/* Colours of the bodies of a contact; body 0 may have all. */
static void mark(ss_round_rows *c, const ss_round_contact *t, uint64_t colours, uint64_t keep)
{
    if (t->a)
        c->used[t->a] = (c->used[t->a] & keep) | colours;
    if (t->b)
        c->used[t->b] = (c->used[t->b] & keep) | colours;
}

/* A colour that no contact of its two bodies has yet: rather one with a pack that is not full. */
static int choose_colour(const ss_round_rows *c, const ss_round_contact *t, int wall,
                         histogram count)
{
    uint64_t taken = (t->a ? c->used[t->a] : 0) | (t->b ? c->used[t->b] : 0);
    for (uint64_t open = ~taken; open; open &= open - 1) {
        int k = __builtin_ctzll(open), n = count[k][wall] + count[k][wall + 1];
        if (n % SS_LANES)
            return k;
        if (n == 0)
            break;
    }
    return ~taken ? __builtin_ctzll(~taken) : SS_COLOURS;
}

static int packs_of(const int count[KINDS], int kind, bool ordered)
{
    int n = count[kind] + count[kind + 1];
    return ordered ? n : (n + SS_LANES - 1) / SS_LANES;
}

/* Colours of a group; `wall` and `to` become the packs that it needs. */
static void colour_group(ss_round_rows *c, ss_contact_group *g, const void *user)
{
    (void)user;
    histogram count = {{0}};
    for (int i = g->first; i < g->end; i++)
        mark(c, &c->contacts[c->order[i]], 0, 0);
    for (int i = g->first; i < g->end; i++) {
        const ss_round_contact *t = &c->contacts[c->order[i]];
        int kind = kind_of(t), colour = choose_colour(c, t, kind & WALL, count);
        if (colour < SS_COLOURS)
            mark(c, t, (uint64_t)1 << colour, ~(uint64_t)0);
        count[colour][kind]++;
        c->kind[c->order[i]] = (uint16_t)(colour * KINDS + kind);
    }
    g->wall = g->to = 0;
    for (int colour = 0; colour <= SS_COLOURS; colour++) {
        g->wall += packs_of(count[colour], 0, colour == SS_COLOURS);
        g->to += packs_of(count[colour], WALL, colour == SS_COLOURS);
    }
}

/* ---- Packs ---- */

/* Body 0 is the first of a contact in the packs: the other way round n, P and bias have the other sign. */
static void fill_lane(ss_round_rows *c, int contact, int pack, int k)
{
    const ss_round_contact *t = &c->contacts[contact];
    ss_contact_pack *p = &c->packs[pack];
    bool turned = t->b == 0;
    double sign = ss_contact_sense(t), P_N, bias_N;
    along_normal(t, &P_N, &bias_N);
    c->content[pack][k] = contact;
    p->a[k] = turned ? t->b : t->a;
    p->b[k] = turned ? t->a : t->b;
    p->r_a[k] = turned ? t->r_b : t->r_a;
    p->r_b[k] = turned ? t->r_a : t->r_b;
    p->mu[k] = t->mu;
    p->P_N[k] = P_N;
    p->bias_N[k] = bias_N;
    for (int i = 0; i < 3; i++) {
        p->n[i][k] = sign * t->n[i];
        p->P_T[i][k] = sign * (t->P[i] - P_N * t->n[i]);
        if (p->a[k] == 0)
            c->drives[pack].bias_T[i][k] = sign * (t->bias[i] - bias_N * t->n[i]);
    }
}

/* A lane that does nothing, to the body at rest of the group's part. */
static void fill_empty(ss_round_rows *c, const ss_contact_group *g, int pack, int k)
{
    ss_contact_pack *p = &c->packs[pack];
    p->a[k] = p->b[k] = ss_round_idle_body(c, g->part[0]);
    c->content[pack][k] = -1;
    p->n[2][k] = 1;
    p->n[0][k] = p->n[1][k] = p->r_a[k] = p->r_b[k] = 0;
    p->mu[k] = p->P_N[k] = p->bias_N[k] = 0;
    for (int i = 0; i < 3; i++) {
        p->P_T[i][k] = 0;
        if (pack >= g->wall)
            c->drives[pack].bias_T[i][k] = 0;
    }
}

/* Counts become places, in lanes, of the first contact of each colour and kind; lanes that stay empty are filled. */
static void lay_out(ss_round_rows *c, const ss_contact_group *g, histogram count)
{
    int pack = g->from;
    for (int wall = 0; wall <= WALL; wall += WALL)
        for (int colour = 0; colour <= SS_COLOURS; colour++) {
            int *n = &count[colour][wall], in_one = colour < SS_COLOURS ? SS_LANES : 1;
            int end = pack + packs_of(count[colour], wall, in_one == 1), contacts = n[0] + n[1];
            for (int i = 0; i < (end - pack) * SS_LANES; i++)
                if (in_one == 1 ? i % SS_LANES > 0 : i >= contacts)
                    fill_empty(c, g, pack + i / SS_LANES, i % SS_LANES);
            n[1] = pack * SS_LANES + n[0] * SS_LANES / in_one;
            n[0] = pack * SS_LANES;
            pack = end;
        }
}

static void fill_group(ss_round_rows *c, ss_contact_group *g, const void *user)
{
    (void)user;
    histogram place = {{0}};
    for (int i = g->first; i < g->end; i++) {
        int kind = c->kind[c->order[i]];
        place[kind / KINDS][kind % KINDS]++;
    }
    lay_out(c, g, place);
    for (int i = g->first; i < g->end; i++) {
        int kind = c->kind[c->order[i]], colour = kind / KINDS;
        int *at = &place[colour][kind % KINDS];
        fill_lane(c, c->order[i], *at / SS_LANES, *at % SS_LANES);
        *at += colour < SS_COLOURS ? 1 : SS_LANES;
    }
    for (int i = g->from; i < g->to; i++)
        c->rest[i] = 0;
}

/* The groups get their packs, one behind the other. */
static ss_status number_packs(ss_round_rows *c)
{
    int packs = 0;
    for (int i = 0; i < c->n_groups; i++) {
        ss_contact_group *g = &c->groups[i];
        g->from = packs;
        g->wall += packs;
        g->to += g->wall;
        packs = g->to;
    }
    return ss_round_reserve_packs(c, packs);
}

ss_status ss_round_arrange(ss_round_rows *c, int threads)
{
    ss_round_group(c, threads);
    threads = c->n_parts > 1 ? threads : 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
    ss_round_visit(c, colour_group, NULL);
    SS_TRY(number_packs(c));
#pragma omp parallel num_threads(threads) if (threads > 1)
    ss_round_visit(c, fill_group, NULL);
    return SS_OK;
}
