/* packs.c: the contacts of a batch in packs of four that share no body.
 *
 * Contacts of a batch are coloured: those of one colour share no body that moves. The packs of a colour lie side
 * by side, so that a pack seldom has to wait for the one before it.
 */
#include "base/parallel.h"
#include "rows/body_rows.h"

#include <math.h>
#include <string.h>

/* Kinds of contacts of one colour: their form, with and without body 0, and of each first what presses or comes
 * together, then what is apart and may stay so. */
enum { KINDS = 8, BODY = 4, WALL = 2 };

/* Contacts of a batch by colours and kinds; those for which no colour is left come last, one in a pack. */
typedef int histogram[SS_COLOURS + 1][KINDS];

static int kind_of(const ss_row_contact *t)
{
    return (t->form == SS_ROW_BODY ? BODY : 0) + (t->a == 0 || t->b == 0 ? WALL : 0) +
           (ss_dot3(t->P, t->n) == 0 && ss_dot3(t->bias, t->n) > 0);
}

/* ---- Colours ---- */

/* Colours of the bodies of a contact; body 0 may have all. */
static void mark(ss_rows *c, const ss_row_contact *t, uint64_t colours, uint64_t keep)
{
    if (t->a)
        c->used[t->a] = (c->used[t->a] & keep) | colours;
    if (t->b)
        c->used[t->b] = (c->used[t->b] & keep) | colours;
}

/* A colour that no contact of its two bodies has yet: rather one with a pack that is not full. */
static int choose_colour(const ss_rows *c, const ss_row_contact *t, int kind, histogram count)
{
    uint64_t taken = (t->a ? c->used[t->a] : 0) | (t->b ? c->used[t->b] : 0);
    for (uint64_t open = ~taken; open; open &= open - 1) {
        int k = __builtin_ctzll(open), n = count[k][kind] + count[k][kind + 1];
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

/* Packs of one form; from = 0, to be moved. */
static ss_pack_range count_packs(histogram count, int form)
{
    ss_pack_range range = {0, 0, 0};
    for (int colour = 0; colour <= SS_COLOURS; colour++) {
        range.wall += packs_of(count[colour], form, colour == SS_COLOURS);
        range.to += packs_of(count[colour], form + WALL, colour == SS_COLOURS);
    }
    range.to += range.wall;
    return range;
}

/* Colours of a batch, and how many packs it needs. */
static void colour_batch(ss_rows *c, ss_batch *g, const void *user)
{
    (void)user;
    histogram count = {{0}};
    for (int i = g->first; i < g->end; i++)
        mark(c, &c->contacts[c->order[i]], 0, 0);
    for (int i = g->first; i < g->end; i++) {
        const ss_row_contact *t = &c->contacts[c->order[i]];
        int kind = kind_of(t), colour = choose_colour(c, t, kind & (BODY | WALL), count);
        if (colour < SS_COLOURS)
            mark(c, t, (uint64_t)1 << colour, ~(uint64_t)0);
        count[colour][kind]++;
        c->kind[c->order[i]] = (uint16_t)(colour * KINDS + kind);
    }
    g->packs[SS_ROW_ROUND] = count_packs(count, 0);
    g->packs[SS_ROW_BODY] = count_packs(count, BODY);
}

/* ---- BODY contacts ---- */

/* y = K d: the velocity of b against a at the contact that an impulse d makes. */
static void respond(const ss_rows *c, const ss_row_contact *t, const double arms[6],
                    const double d[3], double y[3])
{
    const int bodies[2] = {t->a, t->b};
    ss_scale3(c->free[t->a].m_inv + c->free[t->b].m_inv, d, y);
    for (int side = 0; side < 2; side++) {
        double L[3], w[3];
        ss_cross3(arms + 3 * side, d, L);
        ss_body_turn(c->inertia[bodies[side]], L, w);
        ss_cross3(w, arms + 3 * side, w);
        ss_add3(y, w, y);
    }
}

/* Two unit vectors across n. */
static void tangents(const double n[3], double s[3], double t[3])
{
    int axis = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    axis = fabs(n[2]) < fabs(n[axis]) ? 2 : axis;
    double length = sqrt(1 - n[axis] * n[axis]);
    for (int i = 0; i < 3; i++)
        s[i] = ((i == axis ? 1 : 0) - n[axis] * n[i]) / length;
    ss_cross3(n, s, t);
}

/* G of a BODY contact: along n, from n to the tangents s1 and s2, and between these. */
typedef struct contact_G {
    double s1[3], s2[3], Kn[3]; /* Kn: the velocity that a normal impulse of 1 makes */
    double G_N, G_11, G_12, G_22;
    double G_T; /* the largest eigenvalue across n */
} contact_G;

static contact_G find_G(const ss_rows *c, int contact)
{
    const ss_row_contact *t = &c->contacts[contact];
    const double *arms = c->arms[contact];
    contact_G G;
    double K1[3], K2[3];
    tangents(t->n, G.s1, G.s2);
    respond(c, t, arms, t->n, G.Kn);
    respond(c, t, arms, G.s1, K1);
    respond(c, t, arms, G.s2, K2);
    G.G_N = ss_dot3(t->n, G.Kn);
    G.G_11 = ss_dot3(G.s1, K1);
    G.G_12 = ss_dot3(G.s1, K2);
    G.G_22 = ss_dot3(G.s2, K2);
    double half = (G.G_11 - G.G_22) / 2;
    G.G_T = (G.G_11 + G.G_22) / 2 + sqrt(half * half + G.G_12 * G.G_12);
    return G;
}

void ss_rows_contact_G(const ss_rows *c, int contact, double *G_N, double *G_T)
{
    const ss_row_contact *t = &c->contacts[contact];
    if (t->form == SS_ROW_BODY) {
        contact_G G = find_G(c, contact);
        *G_N = G.G_N;
        *G_T = G.G_T;
        return;
    }
    const ss_row_body *a = &c->free[t->a], *b = &c->free[t->b];
    *G_N = a->m_inv + b->m_inv;
    *G_T = *G_N + t->r_a * t->r_a * a->J_inv + t->r_b * t->r_b * b->J_inv;
}

static void fill_G(const ss_rows *c, int contact, ss_body_pack *p, int k)
{
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    contact_G G = find_G(c, contact);
    double det = G.G_11 * G.G_22 - G.G_12 * G.G_12;
    p->G_N[k] = G.G_N;
    p->G_T[k] = G.G_T;
    for (int i = 0; i < 3; i++)
        p->G_TN[i][k] = G.Kn[i] - G.G_N * c->contacts[contact].n[i];
    for (int m = 0; m < 6; m++) {
        int i = row[m], j = column[m];
        double mixed = G.s1[i] * G.s2[j] + G.s2[i] * G.s1[j];
        p->S[m][k] =
            (G.G_22 * G.s1[i] * G.s1[j] - G.G_12 * mixed + G.G_11 * G.s2[i] * G.s2[j]) / det;
    }
}

/* ---- Packs ---- */

/* Body 0 is the first of a contact in the packs: the other way round n, P and bias have the other sign. */
static void fill_lane(ss_rows *c, int contact, int pack, int k)
{
    const ss_row_contact *t = &c->contacts[contact];
    const double *arms = c->arms[contact];
    ss_pack *p = ss_rows_pack(c, t->form, pack);
    bool turned = t->b == 0;
    double sign = turned ? -1 : 1, P_N = ss_dot3(t->P, t->n), bias_N = ss_dot3(t->bias, t->n);
    double bias_T[3];
    c->content[pack][k] = contact;
    p->a[k] = turned ? t->b : t->a;
    p->b[k] = turned ? t->a : t->b;
    p->mu[k] = t->mu;
    p->P_N[k] = P_N;
    p->bias_N[k] = bias_N;
    for (int i = 0; i < 3; i++) {
        p->n[i][k] = sign * t->n[i];
        p->P_T[i][k] = sign * (t->P[i] - P_N * t->n[i]);
        bias_T[i] = sign * (t->bias[i] - bias_N * t->n[i]);
    }
    if (t->form == SS_ROW_ROUND) {
        c->round[pack].r_a[k] = turned ? t->r_b : t->r_a;
        c->round[pack].r_b[k] = turned ? t->r_a : t->r_b;
        for (int i = 0; p->a[k] == 0 && i < 3; i++)
            c->drives[pack].bias_T[i][k] = bias_T[i];
        return;
    }
    ss_body_pack *q = &c->body[pack - c->n_round];
    fill_G(c, contact, q, k);
    for (int i = 0; i < 3; i++) {
        q->G_TN[i][k] *= sign;
        q->arm_a[i][k] = arms[turned ? 3 + i : i];
        q->arm_b[i][k] = arms[turned ? i : 3 + i];
        q->bias_T[i][k] = bias_T[i];
    }
}

/* A lane that does nothing, to the idle body of the batch's subdomain. */
static void fill_empty(ss_rows *c, const ss_batch *g, ss_row_form form, int pack, int k)
{
    ss_pack *p = ss_rows_pack(c, form, pack);
    c->content[pack][k] = -1;
    p->a[k] = p->b[k] = ss_rows_idle_body(c, g->subdomain[0]);
    p->n[2][k] = 1;
    p->n[0][k] = p->n[1][k] = p->mu[k] = p->P_N[k] = p->bias_N[k] = 0;
    for (int i = 0; i < 3; i++) {
        p->P_T[i][k] = 0;
        if (form == SS_ROW_ROUND && pack >= g->packs[form].wall)
            c->drives[pack].bias_T[i][k] = 0;
    }
    if (form == SS_ROW_ROUND) {
        c->round[pack].r_a[k] = c->round[pack].r_b[k] = 0;
        return;
    }
    ss_body_pack *q = &c->body[pack - c->n_round];
    q->G_N[k] = q->G_T[k] = 1;
    for (int i = 0; i < 3; i++)
        q->arm_a[i][k] = q->arm_b[i][k] = q->G_TN[i][k] = q->bias_T[i][k] = 0;
    for (int i = 0; i < 6; i++)
        q->S[i][k] = i < 3;
}

/* Counts become places, in lanes, of the first contact of each colour and kind; lanes that stay empty are filled. */
static void lay_out(ss_rows *c, const ss_batch *g, ss_row_form form, histogram count)
{
    int pack = g->packs[form].from, first = form == SS_ROW_BODY ? BODY : 0;
    for (int wall = first; wall <= first + WALL; wall += WALL)
        for (int colour = 0; colour <= SS_COLOURS; colour++) {
            int *n = &count[colour][wall], in_one = colour < SS_COLOURS ? SS_LANES : 1;
            int end = pack + packs_of(count[colour], wall, in_one == 1), contacts = n[0] + n[1];
            for (int i = 0; i < (end - pack) * SS_LANES; i++)
                if (in_one == 1 ? i % SS_LANES > 0 : i >= contacts)
                    fill_empty(c, g, form, pack + i / SS_LANES, i % SS_LANES);
            n[1] = pack * SS_LANES + n[0] * SS_LANES / in_one;
            n[0] = pack * SS_LANES;
            pack = end;
        }
}

static void fill_batch(ss_rows *c, ss_batch *g, const void *user)
{
    (void)user;
    histogram place = {{0}};
    for (int i = g->first; i < g->end; i++) {
        int kind = c->kind[c->order[i]];
        place[kind / KINDS][kind % KINDS]++;
    }
    for (ss_row_form form = SS_ROW_ROUND; form <= SS_ROW_BODY; form++) {
        const ss_pack_range *range = &g->packs[form];
        if (range->to == range->from)
            continue;
        lay_out(c, g, form, place);
        memset(c->rest + range->from, 0, (size_t)(range->to - range->from) * sizeof *c->rest);
    }
    for (int i = g->first; i < g->end; i++) {
        int kind = c->kind[c->order[i]], colour = kind / KINDS, *at = &place[colour][kind % KINDS];
        fill_lane(c, c->order[i], *at / SS_LANES, *at % SS_LANES);
        *at += colour < SS_COLOURS ? 1 : SS_LANES;
    }
}

/* The batches get their packs, one behind the other: first all ROUND ones. */
static ss_status number_packs(ss_rows *c)
{
    int packs = 0, round = 0;
    for (ss_row_form form = SS_ROW_ROUND; form <= SS_ROW_BODY; form++) {
        round = packs;
        for (int i = 0; i < c->n_batches; i++) {
            ss_pack_range *range = &c->batches[i].packs[form];
            *range = (ss_pack_range){packs, packs + range->wall, packs + range->to};
            packs = range->to;
        }
    }
    return ss_rows_reserve_packs(c, round, packs - round);
}

static void colour(void *user)
{
    ss_rows_visit(user, colour_batch, NULL);
}

static void fill(void *user)
{
    ss_rows_visit(user, fill_batch, NULL);
}

ss_status ss_rows_arrange(ss_rows *c, int threads)
{
    ss_rows_group(c, threads);
    threads = c->n_subdomains > 1 ? threads : 1;
    ss_parallel(c->context, threads, colour, c);
    SS_TRY(number_packs(c));
    ss_parallel(c->context, threads, fill, c);
    return SS_OK;
}
