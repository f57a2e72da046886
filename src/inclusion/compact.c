#include "inclusion/compact_vector.h"

#include "base/context.h"
#include "base/share.h"

#include <math.h>
#include <string.h>

/* ---- Memory ---- */

static ss_status grow(ss_compact *c, int *room, int need, int count, const size_t *sizes,
                      void **const *arrays)
{
    if (need <= *room)
        return SS_OK;
    int more = need + need / 4;
    for (int i = 0; i < count; i++)
        SS_TRY(ss_reallocate(c->context, (size_t)more, sizes[i], arrays[i]));
    *room = more;
    return SS_OK;
}

static ss_status grow_packs(ss_compact *c, int packs, int chunks)
{
    void **of_packs[] = {(void **)&c->packs, (void **)&c->ways};
    void **of_chunks[] = {(void **)&c->chunks};
    SS_TRY(grow(c, &c->room.packs, packs, 2, (size_t[]){sizeof *c->packs, sizeof *c->ways},
                of_packs));
    return grow(c, &c->room.chunks, chunks, 1, (size_t[]){sizeof *c->chunks}, of_chunks);
}

ss_status ss_compact_reserve(ss_compact *c, ss_context *context, int n_bodies, int n_touches)
{
    void **of_bodies[] = {(void **)&c->bodies,        (void **)&c->free,       (void **)&c->begin,
                          (void **)&c->bodies_before, (void **)&c->bodies_way, (void **)&c->used};
    void **of_touches[] = {(void **)&c->touches, (void **)&c->colour};
    const size_t body = sizeof *c->bodies;
    c->context = context;
    SS_TRY(grow(c, &c->room.bodies, n_bodies + 1, 6,
                (size_t[]){body, body, body, body, body, sizeof *c->used}, of_bodies));
    return grow(c, &c->room.touches, n_touches, 2,
                (size_t[]){sizeof *c->touches, sizeof *c->colour}, of_touches);
}

void ss_compact_release(ss_compact *c)
{
    void *arrays[] = {c->bodies, c->free,    c->begin,  c->bodies_before, c->bodies_way,
                      c->used,   c->touches, c->colour, c->packs,         c->ways,
                      c->chunks};
    for (size_t i = 0; c->context && i < sizeof arrays / sizeof *arrays; i++)
        ss_release(c->context, arrays[i]);
    *c = (ss_compact){0};
}

/* ---- Colours ---- */

/* The first colour that no touch of its two bodies has yet; body 0 may have all. */
static int choose_colour(ss_compact *c, const ss_round_touch *t)
{
    uint64_t taken = (t->a ? c->used[t->a] : 0) | (t->b ? c->used[t->b] : 0);
    if (~taken == 0)
        return SS_COLOURS;
    int colour = 0;
    while (taken >> colour & 1)
        colour++;
    uint64_t mark = (uint64_t)1 << colour;
    c->used[t->a] |= mark;
    c->used[t->b] |= mark;
    return colour;
}

/* Kinds of touches of one colour, in this order: with and without body 0, and of each first what presses or
 * comes together, then what is apart and may stay so. */
enum { KINDS = 4, WALL = 2 };

static int kind_of(const ss_round_touch *t)
{
    bool wall = t->a == 0 || t->b == 0;
    double P_N = 0, bias_N = 0;
    for (int i = 0; i < 3; i++) {
        P_N += t->P[i] * t->n[i];
        bias_N += t->bias[i] * t->n[i];
    }
    return (wall ? WALL : 0) + (P_N == 0 && bias_N > 0);
}

/* Body 0 is the first of a touch in the packs: the other way round n, P and bias have the other sign. */
static double sense(const ss_round_touch *t)
{
    return t->b == 0 ? -1 : 1;
}

static void fill_lane(const ss_compact *c, int touch, ss_touch_pack *p, int k)
{
    const ss_round_touch *t = &c->touches[touch];
    bool turned = t->b == 0;
    p->touch[k] = touch;
    p->a[k] = turned ? t->b : t->a;
    p->b[k] = turned ? t->a : t->b;
    p->r_a[k] = turned ? t->r_b : t->r_a;
    p->r_b[k] = turned ? t->r_a : t->r_b;
    const ss_round_body *A = &c->free[p->a[k]], *B = &c->free[p->b[k]];
    double G_N = A->m_inv + B->m_inv, sign = sense(t);
    double G_T = G_N + p->r_a[k] * p->r_a[k] * A->J_inv + p->r_b[k] * p->r_b[k] * B->J_inv;
    double P_N = 0, bias_N = 0;
    for (int i = 0; i < 3; i++) {
        P_N += t->P[i] * t->n[i];
        bias_N += t->bias[i] * t->n[i];
    }
    p->mu[k] = t->mu;
    p->G_N[k] = G_N;
    p->G_T[k] = G_T;
    p->r_N[k] = 1 / G_N;
    p->r_T[k] = 1 / G_T;
    p->P_N[k] = P_N;
    p->bias_N[k] = bias_N;
    for (int i = 0; i < 3; i++) {
        p->n[i][k] = sign * t->n[i];
        p->P_T[i][k] = sign * (t->P[i] - P_N * t->n[i]);
        p->bias_T[i][k] = sign * (t->bias[i] - bias_N * t->n[i]);
    }
}

/* A lane that does nothing, to a body of no mass. */
static void fill_empty(int body, ss_touch_pack *p, int k)
{
    p->a[k] = p->b[k] = body;
    p->touch[k] = -1;
    p->n[2][k] = p->G_N[k] = p->G_T[k] = p->r_N[k] = p->r_T[k] = 1;
    p->n[0][k] = p->n[1][k] = p->r_a[k] = p->r_b[k] = 0;
    p->mu[k] = p->P_N[k] = p->bias_N[k] = 0;
    for (int i = 0; i < 3; i++)
        p->P_T[i][k] = p->bias_T[i][k] = 0;
}

/* Packs from `from` on with so many touches, in chunks; those of the last colour share bodies and are one chunk. */
static void add_chunks(ss_compact *c, int touches, bool wall, bool ordered, int *packs)
{
    int end = *packs + (ordered ? touches : (touches + SS_LANES - 1) / SS_LANES);
    while (*packs < end) {
        int to = ordered || *packs + SS_CHUNK > end ? end : *packs + SS_CHUNK;
        c->chunks[c->n_chunks++] = (ss_touch_chunk){.from = *packs, .to = to, .wall = wall};
        *packs = to;
    }
}

/* Packs and chunks of every colour; `first` is the place of the first touch of each kind. */
static ss_status lay_out(ss_compact *c, int count[][KINDS], int first[][KINDS])
{
    int packs = 0, most = c->n_touches / SS_LANES + 2 * SS_COLOURS + 2 + count[SS_COLOURS][0];
    SS_TRY(grow_packs(c, most, most / SS_CHUNK + 2 * SS_COLOURS + 2));
    c->n_chunks = 0;
    for (int colour = 0; colour <= SS_COLOURS; colour++) {
        c->colour_start[colour] = c->n_chunks;
        for (int wall = 0; wall <= WALL; wall += WALL) {
            int *n = &count[colour][wall], *place = &first[colour][wall];
            place[0] = packs * SS_LANES;
            place[1] = place[0] + n[0];
            add_chunks(c, n[0] + n[1], wall, colour == SS_COLOURS, &packs);
        }
    }
    c->colour_start[SS_COLOURS + 1] = c->n_chunks;
    c->n_packs = packs;
    return SS_OK;
}

/* Lanes of the last pack of a kind, and all but the first lanes of the last colour. Two threads may be
 * at the last packs of a colour at one time: each has a body of no mass for itself. */
static void fill_gaps(ss_compact *c, int count[][KINDS], int first[][KINDS])
{
    for (int colour = 0; colour < SS_COLOURS; colour++)
        for (int wall = 0; wall <= WALL; wall += WALL) {
            int end = first[colour][wall + 1] + count[colour][wall + 1];
            for (int i = end; i % SS_LANES != 0; i++)
                fill_empty(wall ? c->n_bodies : 0, &c->packs[i / SS_LANES], i % SS_LANES);
        }
    int from = first[SS_COLOURS][0] / SS_LANES;
    for (int p = from; p < from + count[SS_COLOURS][0]; p++)
        for (int k = 1; k < SS_LANES; k++)
            fill_empty(0, &c->packs[p], k);
}

ss_status ss_compact_colour(ss_compact *c)
{
    int count[SS_COLOURS + 1][KINDS] = {{0}}, first[SS_COLOURS + 1][KINDS];
    c->free[c->n_bodies] = (ss_round_body){{0}};
    memset(c->used, 0, (size_t)c->n_bodies * sizeof *c->used);
    for (int i = 0; i < c->n_touches; i++) {
        c->colour[i] = -1;
        if (c->touches[i].asleep)
            continue;
        int colour = choose_colour(c, &c->touches[i]);
        int kind = colour < SS_COLOURS ? kind_of(&c->touches[i]) : 0;
        c->colour[i] = colour * KINDS + kind;
        count[colour][kind]++;
    }
    SS_TRY(lay_out(c, count, first));
    fill_gaps(c, count, first);
    for (int i = 0; i < c->n_touches; i++) {
        if (c->colour[i] < 0)
            continue;
        int *place = &first[c->colour[i] / KINDS][c->colour[i] % KINDS];
        fill_lane(c, i, &c->packs[*place / SS_LANES], *place % SS_LANES);
        *place += c->colour[i] / KINDS < SS_COLOURS ? 1 : SS_LANES;
    }
    for (int i = 0; i < c->n_packs; i++)
        c->packs[i].rest = 0;
    return SS_OK;
}

/* ---- Velocities ---- */

SS_FOR_EVERY_MACHINE
static void push(ss_compact *c, const ss_touch_chunk *chunk)
{
    for (int i = chunk->from; i < chunk->to; i++) {
        const ss_touch_pack *p = &c->packs[i];
        ss_vec_body A, B;
        ss_vec3 n, T;
        ss_vec r[2], N;
        ss_vec_load3(p->n[0], &n);
        ss_vec_load3(p->P_T[0], &T);
        ss_vec_load(p->r_a, &r[0]);
        ss_vec_load(p->r_b, &r[1]);
        ss_vec_load(p->P_N, &N);
        ss_vec_gather(c->bodies, p->b, &B);
        if (!chunk->wall)
            ss_vec_gather(c->bodies, p->a, &A);
        ss_vec_push(&n, r, &N, &T, chunk->wall ? NULL : &A, &B);
        ss_vec_scatter(&B, p->b, c->bodies);
        if (!chunk->wall)
            ss_vec_scatter(&A, p->a, c->bodies);
    }
}

void ss_compact_share(const ss_compact *c, int colour, int *from, int *to)
{
    int first = c->colour_start[colour];
    ss_thread_share(c->colour_start[colour + 1] - first, from, to);
    *from += first;
    *to += first;
}

bool ss_compact_wait(const ss_compact *c, int colour)
{
    int n = c->colour_start[colour + 1] - c->colour_start[colour];
    int next = colour < SS_COLOURS ? c->colour_start[colour + 2] - c->colour_start[colour + 1] : 0;
    return n > 0 && (n > 1 || next > 1);
}

void ss_compact_motion(ss_compact *c, int threads)
{
    memcpy(c->bodies, c->free, (size_t)(c->n_bodies + 1) * sizeof *c->bodies);
#pragma omp parallel num_threads(threads) if (threads > 1)
    for (int colour = 0; colour <= SS_COLOURS; colour++) {
        int from, to;
        ss_compact_share(c, colour, &from, &to);
        for (int i = from; i < to; i++)
            push(c, &c->chunks[i]);
        if (ss_compact_wait(c, colour)) {
#pragma omp barrier
        }
    }
}

/* Relative velocities of a pack in space. */
SS_INLINE void measure(const ss_round_body *bodies, const ss_touch_pack *p, bool wall, ss_vec *N,
                       ss_vec3 *T)
{
    ss_vec_body A, B;
    ss_vec3 n;
    ss_vec r[2];
    ss_vec_load3(p->n[0], &n);
    ss_vec_load(p->r_a, &r[0]);
    ss_vec_load(p->r_b, &r[1]);
    ss_vec_gather(bodies, p->b, &B);
    if (!wall)
        ss_vec_gather(bodies, p->a, &A);
    ss_vec_relative(p, &n, r, wall ? NULL : &A, &B, N, T);
}

SS_FOR_EVERY_MACHINE
static double load_of(const ss_compact *c, const ss_touch_chunk *chunk)
{
    ss_vec most = {0};
    for (int i = chunk->from; i < chunk->to; i++) {
        ss_vec N, T2, r;
        ss_vec3 T;
        measure(c->free, &c->packs[i], chunk->wall, &N, &T);
        ss_vec_dot(&T, &T, &T2);
        ss_vec_load(c->packs[i].r_N, &r);
        N *= N * r;
        ss_vec_load(c->packs[i].r_T, &r);
        T2 *= r;
        ss_vec_larger(&most, &N);
        ss_vec_larger(&most, &T2);
    }
    return ss_vec_largest(&most);
}

void ss_compact_load(ss_compact *c, int threads)
{
    double load2 = 0;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) \
    reduction(max : load2)
    for (int i = 0; i < c->n_chunks; i++) {
        double here = load_of(c, &c->chunks[i]);
        load2 = here > load2 ? here : load2;
    }
    c->reference = sqrt(load2);
}

/* e² of the laws of a pack, and what they count against. */
SS_INLINE void judge(const ss_compact *c, const ss_touch_pack *p, bool wall, ss_vec *error2,
                     ss_vec *size2)
{
    ss_vec N, P_N, x_N, G, e, P2;
    ss_vec3 T, P_T, x_T;
    measure(c->bodies, p, wall, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &P_T);
    x_N = P_N;
    ss_vec_copy3(&P_T, &x_T);
    ss_vec_project_N(p, 1, &N, &x_N);
    ss_vec_project_T(p, 1, &P_N, &T, &x_T);
    x_N -= P_N;
    ss_vec_minus3(&x_T, &P_T, &x_T);
    ss_vec_load(p->G_N, &G);
    *error2 = x_N * x_N * G;
    *size2 = P_N * P_N * G;
    ss_vec_load(p->G_T, &G);
    ss_vec_dot(&x_T, &x_T, &e);
    ss_vec_dot(&P_T, &P_T, &P2);
    e *= G;
    P2 *= G;
    ss_vec_larger(error2, &e);
    ss_vec_larger(size2, &P2);
}

/* The largest e² of a chunk, or no number when one of them is none. */
SS_FOR_EVERY_MACHINE
static double residual_of(const ss_compact *c, const ss_touch_chunk *chunk, double *size2)
{
    ss_vec worst = {0}, size = {0}, sum = {0};
    for (int i = chunk->from; i < chunk->to; i++) {
        ss_vec error2, here;
        judge(c, &c->packs[i], chunk->wall, &error2, &here);
        sum += error2;
        ss_vec_larger(&worst, &error2);
        ss_vec_larger(&size, &here);
    }
    *size2 = ss_vec_largest(&size);
    double all = sum[0] + sum[1] + sum[2] + sum[3];
    return isfinite(all) ? ss_vec_largest(&worst) : (double)NAN;
}

/* The touch of a chunk with that error. */
static int find_touch(const ss_compact *c, const ss_touch_chunk *chunk, double error2)
{
    for (int i = chunk->from; i < chunk->to; i++) {
        ss_vec here, size;
        judge(c, &c->packs[i], chunk->wall, &here, &size);
        for (int k = 0; k < SS_LANES; k++)
            if (!(here[k] < error2))
                return c->packs[i].touch[k];
    }
    return -1;
}

ss_residual ss_compact_residual(ss_compact *c, int threads)
{
    double reference2 = c->reference * c->reference, worst = 0;
    int where = -1;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1) \
    reduction(max : reference2)
    for (int i = 0; i < c->n_chunks; i++) {
        double size2;
        c->chunks[i].error2 = residual_of(c, &c->chunks[i], &size2);
        reference2 = size2 > reference2 ? size2 : reference2;
    }
    for (int i = 0; i < c->n_chunks && !isnan(worst); i++)
        if (!(c->chunks[i].error2 <= worst)) {
            worst = c->chunks[i].error2;
            where = i;
        }
    ss_residual residual = {
        .absolute = sqrt(worst), .reference = sqrt(reference2), .worst_block = -1};
    if (where >= 0)
        residual.worst_block = find_touch(c, &c->chunks[where], worst);
    residual.value = worst == 0 ? 0 : residual.absolute / residual.reference;
    if (!isfinite(residual.value))
        residual.value = INFINITY;
    return residual;
}

void ss_compact_clear(ss_compact *c)
{
    for (int i = 0; i < c->n_packs; i++) {
        memset(c->packs[i].P_N, 0, sizeof c->packs[i].P_N);
        memset(c->packs[i].P_T, 0, sizeof c->packs[i].P_T);
    }
}

/* ---- Results ---- */

void ss_compact_relative(const ss_round_body *bodies, const ss_round_touch *touch, double gamma[3])
{
    const ss_round_body *A = &bodies[touch->a], *B = &bodies[touch->b];
    const double *n = touch->n;
    double s[3];
    for (int i = 0; i < 3; i++)
        s[i] = touch->r_b * B->w[i] + touch->r_a * A->w[i];
    gamma[0] = B->v[0] - A->v[0] - (s[1] * n[2] - s[2] * n[1]);
    gamma[1] = B->v[1] - A->v[1] - (s[2] * n[0] - s[0] * n[2]);
    gamma[2] = B->v[2] - A->v[2] - (s[0] * n[1] - s[1] * n[0]);
}

/* How far P_N - r γ_N is from opening, and P_T - r γ_T from slipping; counted in √J. */
SS_INLINE void distances(const ss_compact *c, const ss_touch_pack *p, bool wall, ss_vec *from_open,
                         ss_vec *from_slip)
{
    ss_vec N, P_N, mu, r, root;
    ss_vec3 T, x;
    measure(c->bodies, p, wall, &N, &T);
    ss_vec_load(p->P_N, &P_N);
    ss_vec_load3(p->P_T[0], &x);
    ss_vec_load(p->mu, &mu);
    ss_vec_load(p->r_N, &r);
    root = r;
    ss_vec_root(&root);
    *from_open = (P_N - r * N) / root;
    ss_vec_load(p->r_T, &r);
    root = r;
    ss_vec_root(&root);
    r = -r;
    ss_vec_add3(&r, &T, &x);
    ss_vec_dot(&x, &x, from_slip);
    ss_vec_root(from_slip);
    *from_slip = (mu * P_N - *from_slip) / root;
}

SS_FOR_EVERY_MACHINE
static void fetch(ss_compact *c, const ss_touch_chunk *chunk, double allowed)
{
    for (int i = chunk->from; i < chunk->to; i++) {
        const ss_touch_pack *p = &c->packs[i];
        ss_vec open, slip;
        distances(c, p, chunk->wall, &open, &slip);
        for (int k = 0; k < SS_LANES && p->touch[k] >= 0; k++) {
            ss_round_touch *t = &c->touches[p->touch[k]];
            double sign = sense(t);
            for (int j = 0; j < 3; j++)
                t->P[j] = sign * (p->P_N[k] * p->n[j][k] + p->P_T[j][k]);
            t->normal = open[k] >= -allowed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
            t->slip = slip[k] >= -allowed ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
        }
    }
}

void ss_compact_fetch(ss_compact *c, int threads, double tolerance, double reference)
{
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int i = 0; i < c->n_chunks; i++)
        fetch(c, &c->chunks[i], tolerance * reference);
}
