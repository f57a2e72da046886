#include "inclusion/compact.h"

#include "base/context.h"

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

static ss_status grow_packs(ss_compact *c, int need)
{
    void **arrays[] = {(void **)&c->packs, (void **)&c->before, (void **)&c->way,
                       (void **)&c->sums};
    const size_t sizes[] = {sizeof *c->packs, sizeof *c->before, sizeof *c->way, sizeof *c->sums};
    return grow(c, &c->room.packs, need, 4, sizes, arrays);
}

ss_status ss_compact_reserve(ss_compact *c, ss_context *context, int n_bodies, int n_touches)
{
    void **of_bodies[] = {(void **)&c->bodies, (void **)&c->free, (void **)&c->bodies_before,
                          (void **)&c->bodies_way, (void **)&c->used};
    void **of_touches[] = {(void **)&c->touches, (void **)&c->place, (void **)&c->colour};
    const size_t body = sizeof *c->bodies, sizes[] = {body, body, body, body, sizeof *c->used};
    c->context = context;
    SS_TRY(grow(c, &c->room.bodies, n_bodies, 5, sizes, of_bodies));
    return grow(c, &c->room.touches, n_touches, 3,
                (size_t[]){sizeof *c->touches, sizeof *c->place, sizeof *c->colour}, of_touches);
}

void ss_compact_release(ss_compact *c)
{
    void *arrays[] = {c->bodies, c->free,   c->bodies_before, c->bodies_way, c->used, c->touches,
                      c->place,  c->colour, c->packs,         c->before,     c->way,  c->sums};
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

static void fill_lane(const ss_compact *c, const ss_round_touch *t, ss_touch_pack *p, int k)
{
    const ss_round_body *A = &c->bodies[t->a], *B = &c->bodies[t->b];
    double G_N = A->m_inv + B->m_inv;
    double G_T = G_N + t->r_a * t->r_a * A->J_inv + t->r_b * t->r_b * B->J_inv;
    double P_N = 0, bias_N = 0;
    for (int i = 0; i < 3; i++) {
        P_N += t->P[i] * t->n[i];
        bias_N += t->bias[i] * t->n[i];
    }
    p->a[k] = t->a;
    p->b[k] = t->b;
    p->r_a[k] = t->r_a;
    p->r_b[k] = t->r_b;
    p->mu[k] = t->mu;
    p->G_N[k] = G_N;
    p->G_T[k] = G_T;
    p->r_N[k] = 1 / G_N;
    p->r_T[k] = 1 / G_T;
    p->P[0][k] = P_N;
    p->bias_N[k] = bias_N;
    for (int i = 0; i < 3; i++) {
        p->n[i][k] = t->n[i];
        p->P[1 + i][k] = t->P[i] - P_N * t->n[i];
        p->bias_T[i][k] = t->bias[i] - bias_N * t->n[i];
    }
}

/* A lane that does nothing. */
static void fill_empty(ss_touch_pack *p, int k)
{
    p->a[k] = p->b[k] = 0;
    p->n[0][k] = p->n[1][k] = p->P[1][k] = p->P[2][k] = p->P[3][k] = 0;
    p->bias_T[0][k] = p->bias_T[1][k] = p->bias_T[2][k] = p->bias_N[k] = 0;
    p->n[2][k] = p->G_N[k] = p->G_T[k] = p->r_N[k] = p->r_T[k] = 1;
    p->r_a[k] = p->r_b[k] = p->mu[k] = p->P[0][k] = 0;
}

/* How many packs each colour has, and where it begins. */
static void lay_out(ss_compact *c, const int *count)
{
    int packs = 0;
    for (int colour = 0; colour <= SS_COLOURS; colour++) {
        int lanes = colour < SS_COLOURS ? SS_LANES : 1;
        c->colour_start[colour] = packs;
        packs += (count[colour] + lanes - 1) / lanes;
    }
    c->colour_start[SS_COLOURS + 1] = c->n_packs = packs;
}

ss_status ss_compact_colour(ss_compact *c)
{
    int count[SS_COLOURS + 1] = {0};
    memset(c->used, 0, (size_t)c->n_bodies * sizeof *c->used);
    for (int i = 0; i < c->n_touches; i++)
        count[c->colour[i] = choose_colour(c, &c->touches[i])]++;
    lay_out(c, count);
    SS_TRY(grow_packs(c, c->n_packs));
    memset(count, 0, sizeof count);
    for (int i = 0; i < c->n_touches; i++) {
        int colour = c->colour[i], k = count[colour]++, first = c->colour_start[colour];
        c->place[i] = colour < SS_COLOURS ? first * SS_LANES + k : (first + k) * SS_LANES;
        fill_lane(c, &c->touches[i], &c->packs[c->place[i] / SS_LANES], c->place[i] % SS_LANES);
    }
    for (int colour = 0; colour <= SS_COLOURS; colour++) {
        int end = c->colour_start[colour + 1], lanes = colour < SS_COLOURS ? count[colour] % 4 : 1;
        int from = colour < SS_COLOURS ? end - 1 : c->colour_start[colour];
        for (int p = from; lanes > 0 && p < end; p++)
            for (int k = lanes; k < SS_LANES; k++)
                fill_empty(&c->packs[p], k);
    }
    return SS_OK;
}

/* ---- Velocities ---- */

static void push(ss_compact *c, const ss_touch_pack *p, int k)
{
    ss_round_body *A = &c->bodies[p->a[k]], *B = &c->bodies[p->b[k]];
    double n[3] = {p->n[0][k], p->n[1][k], p->n[2][k]};
    double T[3] = {p->P[1][k], p->P[2][k], p->P[3][k]};
    double turn[3] = {n[1] * T[2] - n[2] * T[1], n[2] * T[0] - n[0] * T[2],
                      n[0] * T[1] - n[1] * T[0]};
    for (int i = 0; i < 3; i++) {
        double P = p->P[0][k] * n[i] + T[i];
        A->v[i] -= A->m_inv * P;
        B->v[i] += B->m_inv * P;
        A->w[i] -= A->J_inv * p->r_a[k] * turn[i];
        B->w[i] -= B->J_inv * p->r_b[k] * turn[i];
    }
}

void ss_compact_motion(ss_compact *c)
{
    memcpy(c->bodies, c->free, (size_t)c->n_bodies * sizeof *c->bodies);
    for (int p = 0; p < c->n_packs; p++)
        for (int k = 0; k < SS_LANES; k++)
            push(c, &c->packs[p], k);
}

/* Relative velocity of a lane in space. */
static void velocity(const ss_round_body *bodies, const ss_touch_pack *p, int k, double *gamma_N,
                     double gamma_T[3])
{
    const ss_round_body *A = &bodies[p->a[k]], *B = &bodies[p->b[k]];
    double n[3] = {p->n[0][k], p->n[1][k], p->n[2][k]}, s[3], along = 0;
    for (int i = 0; i < 3; i++)
        s[i] = p->r_b[k] * B->w[i] + p->r_a[k] * A->w[i];
    double turn[3] = {s[1] * n[2] - s[2] * n[1], s[2] * n[0] - s[0] * n[2],
                      s[0] * n[1] - s[1] * n[0]};
    for (int i = 0; i < 3; i++) {
        gamma_T[i] = B->v[i] - A->v[i] - turn[i];
        along += gamma_T[i] * n[i];
    }
    *gamma_N = along + p->bias_N[k];
    for (int i = 0; i < 3; i++)
        gamma_T[i] += p->bias_T[i][k] - along * n[i];
}

static double norm2(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

void ss_compact_load(ss_compact *c)
{
    double load2 = 0;
    for (int i = 0; i < c->n_packs; i++)
        for (int k = 0; k < SS_LANES; k++) {
            double N, T[3];
            velocity(c->free, &c->packs[i], k, &N, T);
            load2 = larger(load2, N * N * c->packs[i].r_N[k]);
            load2 = larger(load2, norm2(T) * c->packs[i].r_T[k]);
        }
    c->reference = sqrt(load2);
}

/* e² of a lane's two laws, and what they count against. */
static void residual_of(const ss_compact *c, const ss_touch_pack *p, int k, double *error2,
                        double *reference2)
{
    double N, T[3], x[3], P_N = p->P[0][k], P2 = 0, change2 = 0;
    velocity(c->bodies, p, k, &N, T);
    double e_N = P_N - larger(0, P_N - p->r_N[k] * N);
    for (int i = 0; i < 3; i++)
        x[i] = p->P[1 + i][k] - p->r_T[k] * T[i];
    double radius = p->mu[k] * P_N, length2 = norm2(x);
    double factor = length2 > radius * radius ? radius / sqrt(length2) : 1;
    for (int i = 0; i < 3; i++) {
        double change = p->P[1 + i][k] - factor * x[i];
        change2 += change * change;
        P2 += p->P[1 + i][k] * p->P[1 + i][k];
    }
    double e_N2 = e_N * e_N * p->G_N[k], e_T2 = change2 * p->G_T[k];
    *error2 = e_N2 > e_T2 ? e_N2 : e_T2; /* not a number when a velocity is not */
    *reference2 = larger(P_N * P_N * p->G_N[k], P2 * p->G_T[k]);
}

ss_residual ss_compact_residual(const ss_compact *c)
{
    double worst = 0, reference2 = c->reference * c->reference;
    int where = 0;
    for (int i = 0; i < c->n_packs * SS_LANES; i++) {
        double error2, size2;
        residual_of(c, &c->packs[i / SS_LANES], i % SS_LANES, &error2, &size2);
        if (!(error2 <= worst) && !isnan(worst)) {
            worst = error2;
            where = i;
        }
        reference2 = larger(reference2, size2);
    }
    ss_residual residual = {
        .absolute = sqrt(worst), .reference = sqrt(reference2), .worst_block = -1};
    for (int i = 0; i < c->n_touches && residual.worst_block < 0; i++)
        if (c->place[i] == where)
            residual.worst_block = i;
    residual.value = worst == 0 ? 0 : residual.absolute / residual.reference;
    if (!isfinite(residual.value))
        residual.value = INFINITY;
    return residual;
}

void ss_compact_clear(ss_compact *c)
{
    for (int i = 0; i < c->n_packs; i++)
        memset(c->packs[i].P, 0, sizeof c->packs[i].P);
}

void ss_compact_modes(const ss_compact *c, int touch, double tolerance, double reference,
                      ss_mode *normal, ss_mode *slip)
{
    const ss_touch_pack *p = &c->packs[c->place[touch] / SS_LANES];
    int k = c->place[touch] % SS_LANES;
    double N, T[3], x[3], r_N = p->r_N[k], r_T = p->r_T[k];
    velocity(c->bodies, p, k, &N, T);
    for (int i = 0; i < 3; i++)
        x[i] = p->P[1 + i][k] - r_T * T[i];
    double short_N = tolerance * reference * sqrt(r_N), short_T = tolerance * reference * sqrt(r_T);
    double beyond = sqrt(norm2(x)) - p->mu[k] * p->P[0][k];
    *normal = p->P[0][k] - r_N * N >= -short_N ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
    *slip = beyond <= short_T ? SS_MODE_CONSTRAINT : SS_MODE_IMPRESSED;
}

void ss_compact_fetch(ss_compact *c)
{
    for (int i = 0; i < c->n_touches; i++) {
        const ss_touch_pack *p = &c->packs[c->place[i] / SS_LANES];
        int k = c->place[i] % SS_LANES;
        for (int j = 0; j < 3; j++)
            c->touches[i].P[j] = p->P[0][k] * p->n[j][k] + p->P[1 + j][k];
    }
}
