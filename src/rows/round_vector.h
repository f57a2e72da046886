/* round_vector.h: arithmetic on the four contacts of a pack at once.
 *
 * A vec is one number of each of the four. Compilers with vector types work on all four together; the
 * same expressions on single numbers would give the same bits. Functions take pointers: how vectors go
 * to functions by value depends on the machine.
 */
#ifndef SS_ROWS_ROUND_VECTOR_H
#define SS_ROWS_ROUND_VECTOR_H

#include "rows/round.h"

#include <math.h>
#include <string.h>

/* A function with such code is compiled for machines with and without wide registers. Not under a sanitizer: the function that
 * chooses runs before the sanitizer is ready. gcc says by __SANITIZE_x__ that there is one, clang by __has_feature. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SS_SANITIZER
#endif
#endif
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute) && \
    !defined(SS_SANITIZER)
#if __has_attribute(target_clones)
#define SS_FOR_EVERY_MACHINE __attribute__((target_clones("avx2", "default")))
#endif
#endif
#ifndef SS_FOR_EVERY_MACHINE
#define SS_FOR_EVERY_MACHINE
#endif
#define SS_INLINE static inline __attribute__((always_inline))

typedef double ss_vec __attribute__((vector_size(32)));
typedef long long ss_vec_mask __attribute__((vector_size(32)));
typedef float ss_vec_single __attribute__((vector_size(16)));
typedef struct ss_vec3 {
    ss_vec x, y, z;
} ss_vec3;

/* Velocities of four bodies. */
typedef struct ss_vec_body {
    ss_vec3 v;
    ss_vec m_inv;
    ss_vec3 w;
    ss_vec J_inv;
} ss_vec_body;

/* Four contacts and their bodies. With `wall`, here and below, they are contacts with body 0: A is left out. */
typedef struct ss_vec_contact {
    ss_vec3 n;
    ss_vec r_a, r_b;
    ss_vec_body A, B;
    ss_vec G_N, G_T;
} ss_vec_contact;

/* A line of the cache that will be written soon. Compilers ask for it as if it were only read, unless the machine they compile for
 * is known to have this instruction, which all with 64 bits have: from another core it then comes twice. */
SS_INLINE void ss_vec_prefetch(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

SS_INLINE void ss_vec_load(const double *from, ss_vec *to)
{
    memcpy(to, from, sizeof *to);
}

SS_INLINE void ss_vec_load_single(const float *from, ss_vec *to)
{
    ss_vec_single x;
    memcpy(&x, from, sizeof x);
    *to = __builtin_convertvector(x, ss_vec);
}

SS_INLINE void ss_vec_store_single(const ss_vec *from, float *to)
{
    ss_vec_single x = __builtin_convertvector(*from, ss_vec_single);
    memcpy(to, &x, sizeof x);
}

/* Three vectors, one after the other. */
SS_INLINE void ss_vec_load3(const double *from, ss_vec3 *to)
{
    ss_vec_load(from, &to->x);
    ss_vec_load(from + SS_LANES, &to->y);
    ss_vec_load(from + 2 * SS_LANES, &to->z);
}

SS_INLINE void ss_vec_store(const ss_vec *from, double *to)
{
    memcpy(to, from, sizeof *from);
}

SS_INLINE void ss_vec_store3(const ss_vec3 *from, double *to)
{
    ss_vec_store(&from->x, to);
    ss_vec_store(&from->y, to + SS_LANES);
    ss_vec_store(&from->z, to + 2 * SS_LANES);
}

/* Number by number: compilers copy structures in smaller pieces, by way of memory. */
SS_INLINE void ss_vec_copy3(const ss_vec3 *from, ss_vec3 *to)
{
    to->x = from->x;
    to->y = from->y;
    to->z = from->z;
}

SS_INLINE void ss_vec_minus3(const ss_vec3 *a, const ss_vec3 *b, ss_vec3 *c)
{
    c->x = a->x - b->x;
    c->y = a->y - b->y;
    c->z = a->z - b->z;
}

SS_INLINE void ss_vec_root(ss_vec *x)
{
    double numbers[SS_LANES];
    memcpy(numbers, x, sizeof numbers);
    for (int k = 0; k < SS_LANES; k++)
        numbers[k] = sqrt(numbers[k]);
    memcpy(x, numbers, sizeof numbers);
}

/* y where it is larger than x. */
SS_INLINE void ss_vec_larger(ss_vec *x, const ss_vec *y)
{
    ss_vec_mask m = *y > *x;
    *x = (ss_vec)(((ss_vec_mask)*y & m) | ((ss_vec_mask)*x & ~m));
}

/* The largest of the four, at least 0. */
SS_INLINE double ss_vec_largest(const ss_vec *x)
{
    double most = 0;
    for (int k = 0; k < SS_LANES; k++)
        most = (*x)[k] > most ? (*x)[k] : most;
    return most;
}

SS_INLINE void ss_vec_dot(const ss_vec3 *a, const ss_vec3 *b, ss_vec *sum)
{
    *sum = a->x * b->x + a->y * b->y + a->z * b->z;
}

SS_INLINE void ss_vec_cross(const ss_vec3 *a, const ss_vec3 *b, ss_vec3 *c)
{
    c->x = a->y * b->z - a->z * b->y;
    c->y = a->z * b->x - a->x * b->z;
    c->z = a->x * b->y - a->y * b->x;
}

/* f x. */
SS_INLINE void ss_vec_times3(const ss_vec *f, const ss_vec3 *x, ss_vec3 *y)
{
    y->x = *f * x->x;
    y->y = *f * x->y;
    y->z = *f * x->z;
}

/* x + f y, into x. */
SS_INLINE void ss_vec_add3(const ss_vec *f, const ss_vec3 *y, ss_vec3 *x)
{
    x->x += *f * y->x;
    x->y += *f * y->y;
    x->z += *f * y->z;
}

/* x + β (last - before), into x; it is the next last, and takes the place of `before`. */
SS_INLINE void ss_vec_extrapolate(double beta, const double *last, double *before, ss_vec *x)
{
    ss_vec from, to;
    ss_vec_load(before, &from);
    ss_vec_load(last, &to);
    *x += beta * (to - from);
    ss_vec_store(x, before);
}

/* Rows become columns. */
SS_INLINE void ss_vec_transpose(ss_vec *x, ss_vec *y, ss_vec *z, ss_vec *w)
{
    ss_vec a = __builtin_shufflevector(*x, *y, 0, 4, 2, 6);
    ss_vec b = __builtin_shufflevector(*x, *y, 1, 5, 3, 7);
    ss_vec c = __builtin_shufflevector(*z, *w, 0, 4, 2, 6);
    ss_vec d = __builtin_shufflevector(*z, *w, 1, 5, 3, 7);
    *x = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    *y = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    *z = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    *w = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

SS_INLINE void ss_vec_gather(const ss_round_body *bodies, const int *at, ss_vec_body *f)
{
    const ss_round_body *b[SS_LANES] = {&bodies[at[0]], &bodies[at[1]], &bodies[at[2]],
                                        &bodies[at[3]]};
    ss_vec_load(b[0]->v, &f->v.x);
    ss_vec_load(b[1]->v, &f->v.y);
    ss_vec_load(b[2]->v, &f->v.z);
    ss_vec_load(b[3]->v, &f->m_inv);
    ss_vec_load(b[0]->w, &f->w.x);
    ss_vec_load(b[1]->w, &f->w.y);
    ss_vec_load(b[2]->w, &f->w.z);
    ss_vec_load(b[3]->w, &f->J_inv);
    ss_vec_transpose(&f->v.x, &f->v.y, &f->v.z, &f->m_inv);
    ss_vec_transpose(&f->w.x, &f->w.y, &f->w.z, &f->J_inv);
}

SS_INLINE void ss_vec_scatter(ss_vec_body *f, const int *at, ss_round_body *bodies)
{
    ss_round_body *b[SS_LANES] = {&bodies[at[0]], &bodies[at[1]], &bodies[at[2]], &bodies[at[3]]};
    ss_vec_transpose(&f->v.x, &f->v.y, &f->v.z, &f->m_inv);
    ss_vec_transpose(&f->w.x, &f->w.y, &f->w.z, &f->J_inv);
    ss_vec_store(&f->v.x, b[0]->v);
    ss_vec_store(&f->v.y, b[1]->v);
    ss_vec_store(&f->v.z, b[2]->v);
    ss_vec_store(&f->m_inv, b[3]->v);
    ss_vec_store(&f->w.x, b[0]->w);
    ss_vec_store(&f->w.y, b[1]->w);
    ss_vec_store(&f->w.z, b[2]->w);
    ss_vec_store(&f->J_inv, b[3]->w);
}

SS_INLINE void ss_vec_open(const ss_round_body *bodies, const ss_contact_pack *p, bool wall,
                           ss_vec_contact *t)
{
    ss_vec_load3(p->n[0], &t->n);
    ss_vec_load(p->r_b, &t->r_b);
    ss_vec_gather(bodies, p->b, &t->B);
    t->G_N = t->B.m_inv;
    t->G_T = t->r_b * t->r_b * t->B.J_inv;
    if (!wall) {
        ss_vec_load(p->r_a, &t->r_a);
        ss_vec_gather(bodies, p->a, &t->A);
        t->G_N += t->A.m_inv;
        t->G_T += t->r_a * t->r_a * t->A.J_inv;
    }
    t->G_T += t->G_N;
}

/* The bodies get their velocities back. */
SS_INLINE void ss_vec_close(ss_vec_contact *t, const ss_contact_pack *p, bool wall,
                            ss_round_body *bodies)
{
    if (!wall)
        ss_vec_scatter(&t->A, p->a, bodies);
    ss_vec_scatter(&t->B, p->b, bodies);
}

/* γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n + bias, split into its parts along n and across. */
SS_INLINE void ss_vec_relative(const ss_vec_contact *t, const ss_contact_pack *p,
                               const ss_pack_drive *drive, bool wall, ss_vec *N, ss_vec3 *T)
{
    ss_vec bias_N, along, back;
    ss_vec3 s, turn;
    ss_vec_times3(&t->r_b, &t->B.w, &s);
    ss_vec_copy3(&t->B.v, T);
    if (!wall) {
        ss_vec_add3(&t->r_a, &t->A.w, &s);
        ss_vec_minus3(T, &t->A.v, T);
    }
    ss_vec_cross(&s, &t->n, &turn);
    ss_vec_minus3(T, &turn, T);
    ss_vec_dot(T, &t->n, &along);
    back = -along;
    ss_vec_add3(&back, &t->n, T);
    if (wall) {
        ss_vec one = {1, 1, 1, 1};
        ss_vec3 bias_T;
        ss_vec_load3(drive->bias_T[0], &bias_T);
        ss_vec_add3(&one, &bias_T, T);
    }
    ss_vec_load(p->bias_N, &bias_N);
    *N = along + bias_N;
}

/* P - ωr γ with r = 1/G, brought back into the half line. */
SS_INLINE void ss_vec_project_N(const ss_vec_contact *t, double relaxation, const ss_vec *N,
                                ss_vec *P_N)
{
    ss_vec zero = {0};
    *P_N -= relaxation * *N / t->G_N;
    ss_vec_larger(P_N, &zero);
}

/* P - ωr γ, brought back into the disk of radius μ P_N. */
SS_INLINE void ss_vec_project_T(const ss_vec_contact *t, const ss_contact_pack *p,
                                double relaxation, const ss_vec *P_N, const ss_vec3 *T,
                                ss_vec3 *P_T)
{
    ss_vec mu, r, length, one = {1, 1, 1, 1};
    ss_vec_load(p->mu, &mu);
    r = -relaxation / t->G_T;
    ss_vec_add3(&r, T, P_T);
    ss_vec_dot(P_T, P_T, &length);
    ss_vec_root(&length);
    ss_vec radius = mu * *P_N;
    ss_vec_mask outside = length > radius;
    ss_vec factor =
        (ss_vec)(((ss_vec_mask)(radius / length) & outside) | ((ss_vec_mask)one & ~outside));
    ss_vec_times3(&factor, P_T, P_T);
}

/* Impulses N n + T act on the bodies. */
SS_INLINE void ss_vec_apply(ss_vec_contact *t, bool wall, const ss_vec *N, const ss_vec3 *T)
{
    ss_vec3 turn, P;
    ss_vec f;
    ss_vec_copy3(T, &P);
    ss_vec_add3(N, &t->n, &P);
    ss_vec_cross(&t->n, T, &turn);
    ss_vec_add3(&t->B.m_inv, &P, &t->B.v);
    f = -t->B.J_inv * t->r_b;
    ss_vec_add3(&f, &turn, &t->B.w);
    if (wall)
        return;
    f = -t->A.m_inv;
    ss_vec_add3(&f, &P, &t->A.v);
    f = -t->A.J_inv * t->r_a;
    ss_vec_add3(&f, &turn, &t->A.w);
}

#endif
