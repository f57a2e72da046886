/* compact_vector.h: arithmetic on the four touches of a pack at once.
 *
 * A vec is one number of each of the four. Compilers with vector types work on all four together; the
 * same expressions on single numbers would give the same bits. Functions take pointers: how vectors go
 * to functions by value depends on the machine.
 */
#ifndef SS_INCLUSION_COMPACT_VECTOR_H
#define SS_INCLUSION_COMPACT_VECTOR_H

#include "inclusion/compact.h"

#include <math.h>
#include <string.h>

/* A function with such code is compiled for machines with and without wide registers. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__has_attribute) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
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

SS_INLINE void ss_vec_load(const double *from, ss_vec *to)
{
    memcpy(to, from, sizeof *to);
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

/* γ = v_b - v_a - (r_b ω_b + r_a ω_a) × n + bias, split into its parts along n and across; A is NULL for
 * touches with body 0. */
SS_INLINE void ss_vec_relative(const ss_touch_pack *p, const ss_vec3 *n, const ss_vec r[2],
                               const ss_vec_body *A, const ss_vec_body *B, ss_vec *N, ss_vec3 *T)
{
    ss_vec bias_N, along, back;
    ss_vec3 s, turn, bias_T;
    ss_vec_times3(&r[1], &B->w, &s);
    ss_vec_copy3(&B->v, T);
    if (A) {
        ss_vec_add3(&r[0], &A->w, &s);
        ss_vec_minus3(T, &A->v, T);
    }
    ss_vec_cross(&s, n, &turn);
    ss_vec_minus3(T, &turn, T);
    ss_vec_dot(T, n, &along);
    ss_vec_load(p->bias_N, &bias_N);
    ss_vec_load3(p->bias_T[0], &bias_T);
    back = -along;
    ss_vec_add3(&back, n, &bias_T);
    T->x += bias_T.x;
    T->y += bias_T.y;
    T->z += bias_T.z;
    *N = along + bias_N;
}

/* P - ωr γ, brought back into the half line. */
SS_INLINE void ss_vec_project_N(const ss_touch_pack *p, double relaxation, const ss_vec *N,
                                ss_vec *P_N)
{
    ss_vec r, zero = {0};
    ss_vec_load(p->r_N, &r);
    *P_N -= relaxation * r * *N;
    ss_vec_larger(P_N, &zero);
}

/* P - ωr γ, brought back into the disk of radius μ P_N. */
SS_INLINE void ss_vec_project_T(const ss_touch_pack *p, double relaxation, const ss_vec *P_N,
                                const ss_vec3 *T, ss_vec3 *P_T)
{
    ss_vec mu, r, length, one = {1, 1, 1, 1};
    ss_vec_load(p->mu, &mu);
    ss_vec_load(p->r_T, &r);
    r *= -relaxation;
    ss_vec_add3(&r, T, P_T);
    ss_vec_dot(P_T, P_T, &length);
    ss_vec_root(&length);
    ss_vec radius = mu * *P_N;
    ss_vec_mask outside = length > radius;
    ss_vec factor =
        (ss_vec)(((ss_vec_mask)(radius / length) & outside) | ((ss_vec_mask)one & ~outside));
    ss_vec_times3(&factor, P_T, P_T);
}

/* Percussions N n + T act on the bodies; A is NULL for body 0. */
SS_INLINE void ss_vec_push(const ss_vec3 *n, const ss_vec r[2], const ss_vec *N, const ss_vec3 *T,
                           ss_vec_body *A, ss_vec_body *B)
{
    ss_vec3 turn, P;
    ss_vec f;
    ss_vec_copy3(T, &P);
    ss_vec_add3(N, n, &P);
    ss_vec_cross(n, T, &turn);
    ss_vec_add3(&B->m_inv, &P, &B->v);
    f = -B->J_inv * r[1];
    ss_vec_add3(&f, &turn, &B->w);
    if (!A)
        return;
    f = -A->m_inv;
    ss_vec_add3(&f, &P, &A->v);
    f = -A->J_inv * r[0];
    ss_vec_add3(&f, &turn, &A->w);
}

#endif
