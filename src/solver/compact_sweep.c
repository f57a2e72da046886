/* compact_sweep.c: one visit of every touch (S4.37), four at a time.
 *
 * A vec is one number of each of four touches. Compilers with vector types work on all four at
 * once; the same expressions on single numbers would give the same bits.
 */
#include "solver/compact.h"

#include <math.h>
#include <string.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if __has_attribute(target_clones)
#define FOR_EVERY_MACHINE __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef FOR_EVERY_MACHINE
#define FOR_EVERY_MACHINE
#endif

typedef double vec __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));
#define INLINE static inline __attribute__((always_inline))

/* Velocities of four bodies. */
typedef struct four {
    vec v[3], m, w[3], J;
} four;

INLINE void load(const double *from, vec *to)
{
    memcpy(to, from, sizeof *to);
}

INLINE void root(vec *x)
{
    double numbers[SS_LANES];
    memcpy(numbers, x, sizeof numbers);
    for (int k = 0; k < SS_LANES; k++)
        numbers[k] = sqrt(numbers[k]);
    memcpy(x, numbers, sizeof numbers);
}

/* Rows become columns. */
INLINE void transpose(vec x[4])
{
    vec a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    vec b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    vec c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    vec d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

INLINE void gather(const ss_round_body *bodies, const int *at, four *f)
{
    vec v[4], w[4];
    for (int k = 0; k < SS_LANES; k++) {
        load(bodies[at[k]].v, &v[k]);
        load(bodies[at[k]].w, &w[k]);
    }
    transpose(v);
    transpose(w);
    *f = (four){{v[0], v[1], v[2]}, v[3], {w[0], w[1], w[2]}, w[3]};
}

/* Body 0 never moves, and several threads may look at it. */
INLINE void scatter(const four *f, const int *at, ss_round_body *bodies)
{
    vec v[4] = {f->v[0], f->v[1], f->v[2], f->m}, w[4] = {f->w[0], f->w[1], f->w[2], f->J};
    transpose(v);
    transpose(w);
    for (int k = 0; k < SS_LANES; k++)
        if (at[k] != 0) {
            memcpy(bodies[at[k]].v, &v[k], sizeof v[k]);
            memcpy(bodies[at[k]].w, &w[k], sizeof w[k]);
        }
}

INLINE void cross(const vec a[3], const vec b[3], vec c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

INLINE void larger(vec *x, const vec *y)
{
    mask m = *y > *x;
    *x = (vec)(((mask)*y & m) | ((mask)*x & ~m));
}

/* γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n, split into its parts along n and across. */
INLINE void relative(const ss_touch_pack *p, const vec n[3], const vec r[2], const four *A,
                     const four *B, vec *N, vec T[3])
{
    vec s[3], turn[3], bias;
    for (int i = 0; i < 3; i++)
        s[i] = r[1] * B->w[i] + r[0] * A->w[i];
    cross(s, n, turn);
    for (int i = 0; i < 3; i++)
        T[i] = B->v[i] - A->v[i] - turn[i];
    *N = T[0] * n[0] + T[1] * n[1] + T[2] * n[2];
    for (int i = 0; i < 3; i++) {
        load(p->bias_T[i], &bias);
        T[i] += bias - *N * n[i];
    }
    load(p->bias_N, &bias);
    *N += bias;
}

/* New percussions; N and T become their changes. */
INLINE void project(ss_touch_pack *p, double omega, vec *N, vec T[3], vec change[2], vec *size)
{
    vec P_N, P_T[3], mu, r_N, r_T, zero = {0}, one = {1, 1, 1, 1}, factor;
    load(p->P[0], &P_N);
    load(p->mu, &mu);
    load(p->r_N, &r_N);
    load(p->r_T, &r_T);
    vec y = P_N - omega * r_N * *N;
    larger(&y, &zero);
    *N = y - P_N;
    memcpy(p->P[0], &y, sizeof y);
    for (int i = 0; i < 3; i++) {
        load(p->P[1 + i], &P_T[i]);
        T[i] = P_T[i] - omega * r_T * T[i];
    }
    vec radius = mu * y, length = T[0] * T[0] + T[1] * T[1] + T[2] * T[2];
    root(&length);
    mask outside = length > radius;
    factor = (vec)(((mask)(radius / length) & outside) | ((mask)one & ~outside));
    for (int i = 0; i < 3; i++) {
        vec x = factor * T[i];
        T[i] = x - P_T[i];
        memcpy(p->P[1 + i], &x, sizeof x);
    }
    load(p->G_N, &r_N);
    load(p->G_T, &r_T);
    change[0] = *N * *N * r_N;
    change[1] = (T[0] * T[0] + T[1] * T[1] + T[2] * T[2]) * r_T;
    *size = y * y * r_N;
}

INLINE void push(const vec n[3], const vec r[2], const vec *N, const vec T[3], four *A, four *B)
{
    vec turn[3];
    cross(n, T, turn);
    for (int i = 0; i < 3; i++) {
        vec dP = *N * n[i] + T[i];
        A->v[i] -= A->m * dP;
        B->v[i] += B->m * dP;
        A->w[i] -= A->J * r[0] * turn[i];
        B->w[i] -= B->J * r[1] * turn[i];
    }
}

FOR_EVERY_MACHINE
static ss_prox_change sweep(ss_compact *c, int from, int to, double relaxation)
{
    vec error2 = {0}, reference2 = {0};
    for (int i = from; i < to; i++) {
        ss_touch_pack *p = &c->packs[i];
        four A, B;
        vec n[3], r[2], N, T[3], change[2], size;
        gather(c->bodies, p->a, &A);
        gather(c->bodies, p->b, &B);
        for (int k = 0; k < 3; k++)
            load(p->n[k], &n[k]);
        load(p->r_a, &r[0]);
        load(p->r_b, &r[1]);
        relative(p, n, r, &A, &B, &N, T);
        project(p, relaxation, &N, T, change, &size);
        push(n, r, &N, T, &A, &B);
        scatter(&A, p->a, c->bodies);
        scatter(&B, p->b, c->bodies);
        larger(&error2, &change[0]);
        larger(&error2, &change[1]);
        larger(&reference2, &size);
    }
    ss_prox_change all = {0, 0};
    for (int k = 0; k < SS_LANES; k++) {
        all.error2 = error2[k] > all.error2 ? error2[k] : all.error2;
        all.reference2 = reference2[k] > all.reference2 ? reference2[k] : all.reference2;
    }
    return all;
}

ss_prox_change ss_compact_sweep(ss_compact *c, int from, int to, double relaxation)
{
    return sweep(c, from, to, relaxation);
}
