/* packs.c: the contacts of a batch in packs of four that share no body.
 *
 * Contacts of a batch are coloured: those of one colour share no body that moves. The packs of a colour lie side
 * by side, so that a pack seldom has to wait for the one before it.
 */
#include "base/parallel.h"
#include "rows/rows.h"

#include <math.h>
#include <string.h>

/* Kinds of contacts of one colour: their form, with and without body 0, and of each first what presses or comes
 * together, then what is apart and may stay so. */
enum { KINDS = 8, BODY = 4, WALL = 2 };

/* Contacts of a batch by colours and kinds; those for which no colour is left come last, one in a pack. */
typedef int histogram[SS_COLOURS + 1][KINDS];

static void along_normal(const ss_row_contact *t, double *P_N, double *bias_N)
{
    *P_N = *bias_N = 0;
    for (int i = 0; i < 3; i++) {
        *P_N += t->P[i] * t->n[i];
        *bias_N += t->bias[i] * t->n[i];
    }
}

static int kind_of(const ss_row_contact *t)
{
    double P_N, bias_N;
    along_normal(t, &P_N, &bias_N);
    return (t->form == SS_ROW_BODY ? BODY : 0) + (t->a == 0 || t->b == 0 ? WALL : 0) +
           (P_N == 0 && bias_N > 0);
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
    g->round = count_packs(count, 0);
    g->body = count_packs(count, BODY);
}

/* ---- BODY contacts ---- */

/* y = K d: the velocity of b against a at the contact that an impulse d makes. */
static void respond(const ss_rows *c, const ss_row_contact *t, const double arms[6],
                    const double d[3], double y[3])
{
    const int bodies[2] = {t->a, t->b};
    for (int i = 0; i < 3; i++)
        y[i] = (c->free[t->a].m_inv + c->free[t->b].m_inv) * d[i];
    for (int side = 0; side < 2; side++) {
        const double *r = arms + 3 * side, *J = c->inertia[bodies[side]];
        double L[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2],
                       r[0] * d[1] - r[1] * d[0]};
        double w[3] = {J[0] * L[0] + J[4] * L[1] + J[5] * L[2],
                       J[4] * L[0] + J[1] * L[1] + J[6] * L[2],
                       J[5] * L[0] + J[6] * L[1] + J[2] * L[2]};
        y[0] += w[1] * r[2] - w[2] * r[1];
        y[1] += w[2] * r[0] - w[0] * r[2];
        y[2] += w[0] * r[1] - w[1] * r[0];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Two unit vectors across n. */
static void tangents(const double n[3], double s[3], double t[3])
{
    int axis = fabs(n[0]) < fabs(n[1]) ? 0 : 1;
    axis = fabs(n[2]) < fabs(n[axis]) ? 2 : axis;
    double length = sqrt(1 - n[axis] * n[axis]);
    for (int i = 0; i < 3; i++)
        s[i] = ((i == axis ? 1 : 0) - n[axis] * n[i]) / length;
    t[0] = n[1] * s[2] - n[2] * s[1];
    t[1] = n[2] * s[0] - n[0] * s[2];
    t[2] = n[0] * s[1] - n[1] * s[0];
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
    G.G_N = dot(t->n, G.Kn);
    G.G_11 = dot(G.s1, K1);
    G.G_12 = dot(G.s1, K2);
    G.G_22 = dot(G.s2, K2);
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

/* Body 0 is the first of a contact in the packs: the other way round n, P and bias have the other sign. */
static void fill_body_lane(ss_rows *c, int contact, int pack, int k)
{
    const ss_row_contact *t = &c->contacts[contact];
    const double *arms = c->arms[contact];
    ss_body_pack *p = &c->body[pack];
    bool turned = t->b == 0;
    double sign = ss_contact_sense(t), P_N, bias_N;
    along_normal(t, &P_N, &bias_N);
    fill_G(c, contact, p, k);
    p->a[k] = turned ? t->b : t->a;
    p->b[k] = turned ? t->a : t->b;
    p->mu[k] = t->mu;
    p->P_N[k] = P_N;
    p->bias_N[k] = bias_N;
    for (int i = 0; i < 3; i++) {
        p->n[i][k] = sign * t->n[i];
        p->G_TN[i][k] *= sign;
        p->arm_a[i][k] = arms[turned ? 3 + i : i];
        p->arm_b[i][k] = arms[turned ? i : 3 + i];
        p->P_T[i][k] = sign * (t->P[i] - P_N * t->n[i]);
        p->bias_T[i][k] = sign * (t->bias[i] - bias_N * t->n[i]);
    }
}

/* A lane that does nothing, to the idle body of the batch's subdomain. */
static void fill_empty_body(ss_rows *c, const ss_batch *g, int pack, int k)
{
    ss_body_pack *p = &c->body[pack];
    p->a[k] = p->b[k] = ss_rows_idle_body(c, g->subdomain[0]);
    p->n[2][k] = p->G_N[k] = p->G_T[k] = 1;
    p->n[0][k] = p->n[1][k] = p->mu[k] = p->P_N[k] = p->bias_N[k] = 0;
    for (int i = 0; i < 3; i++)
        p->arm_a[i][k] = p->arm_b[i][k] = p->G_TN[i][k] = p->P_T[i][k] = p->bias_T[i][k] = 0;
    for (int i = 0; i < 6; i++)
        p->S[i][k] = i < 3;
}

/* ---- ROUND contacts ---- */

static void fill_round_lane(ss_rows *c, int contact, int pack, int k)
{
    const ss_row_contact *t = &c->contacts[contact];
    ss_round_pack *p = &c->round[pack];
    bool turned = t->b == 0;
    double sign = ss_contact_sense(t), P_N, bias_N;
    along_normal(t, &P_N, &bias_N);
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

static void fill_empty_round(ss_rows *c, const ss_batch *g, int pack, int k)
{
    ss_round_pack *p = &c->round[pack];
    p->a[k] = p->b[k] = ss_rows_idle_body(c, g->subdomain[0]);
    p->n[2][k] = 1;
    p->n[0][k] = p->n[1][k] = p->r_a[k] = p->r_b[k] = 0;
    p->mu[k] = p->P_N[k] = p->bias_N[k] = 0;
    for (int i = 0; i < 3; i++) {
        p->P_T[i][k] = 0;
        if (pack >= g->round.wall)
            c->drives[pack].bias_T[i][k] = 0;
    }
}

/* ---- Packs ---- */

static void fill_empty(ss_rows *c, const ss_batch *g, int form, int lane)
{
    int pack = lane / SS_LANES, k = lane % SS_LANES;
    c->content[form == BODY ? c->n_round + pack : pack][k] = -1;
    if (form == BODY)
        fill_empty_body(c, g, pack, k);
    else
        fill_empty_round(c, g, pack, k);
}

/* Counts become places, in lanes, of the first contact of each colour and kind; lanes that stay empty are filled. */
static void lay_out(ss_rows *c, const ss_batch *g, int form, histogram count)
{
    int pack = form == BODY ? g->body.from : g->round.from;
    for (int wall = form; wall <= form + WALL; wall += WALL)
        for (int colour = 0; colour <= SS_COLOURS; colour++) {
            int *n = &count[colour][wall], in_one = colour < SS_COLOURS ? SS_LANES : 1;
            int end = pack + packs_of(count[colour], wall, in_one == 1), contacts = n[0] + n[1];
            for (int i = 0; i < (end - pack) * SS_LANES; i++)
                if (in_one == 1 ? i % SS_LANES > 0 : i >= contacts)
                    fill_empty(c, g, form, pack * SS_LANES + i);
            n[1] = pack * SS_LANES + n[0] * SS_LANES / in_one;
            n[0] = pack * SS_LANES;
            pack = end;
        }
}

static void clear_rest(ss_rows *c, int from, int to)
{
    if (to > from)
        memset(c->rest + from, 0, (size_t)(to - from) * sizeof *c->rest);
}

static void fill_batch(ss_rows *c, ss_batch *g, const void *user)
{
    (void)user;
    histogram place = {{0}};
    for (int i = g->first; i < g->end; i++) {
        int kind = c->kind[c->order[i]];
        place[kind / KINDS][kind % KINDS]++;
    }
    if (g->round.to > g->round.from)
        lay_out(c, g, 0, place);
    if (g->body.to > g->body.from)
        lay_out(c, g, BODY, place);
    for (int i = g->first; i < g->end; i++) {
        int kind = c->kind[c->order[i]], colour = kind / KINDS;
        int *at = &place[colour][kind % KINDS], pack = *at / SS_LANES, k = *at % SS_LANES;
        bool body = kind % KINDS >= BODY;
        c->content[body ? c->n_round + pack : pack][k] = c->order[i];
        if (body)
            fill_body_lane(c, c->order[i], pack, k);
        else
            fill_round_lane(c, c->order[i], pack, k);
        *at += colour < SS_COLOURS ? 1 : SS_LANES;
    }
    clear_rest(c, g->round.from, g->round.to);
    clear_rest(c, c->n_round + g->body.from, c->n_round + g->body.to);
}

static void move_range(ss_pack_range *range, int *packs)
{
    range->from = *packs;
    range->wall += *packs;
    range->to += *packs;
    *packs = range->to;
}

/* The batches get their packs, one behind the other. */
static ss_status number_packs(ss_rows *c)
{
    int round = 0, body = 0;
    for (int i = 0; i < c->n_batches; i++) {
        move_range(&c->batches[i].round, &round);
        move_range(&c->batches[i].body, &body);
    }
    return ss_rows_reserve_packs(c, round, body);
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
