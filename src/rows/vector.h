/* vector.h: arithmetic on the four contacts of a pack at once.
 *
 * A vec is one number of each of the four. Compilers with vector types work on all four together; the
 * same expressions on single numbers would give the same bits. Functions take pointers: how vectors go
 * to functions by value depends on the machine.
 */
#ifndef SS_ROWS_VECTOR_H
#define SS_ROWS_VECTOR_H

#include "rows/rows.h"

#include <math.h>
#include <string.h>

/* Defines the function `name` from the inlined name##_body, compiled for three levels of processors; `c` among its
 * parameters knows the level (base/parallel.h). */
#if defined(__x86_64__) && defined(__GNUC__)
#define SS_DEFINE_KERNEL(name, parameters, arguments)                          \
    __attribute__((target("arch=x86-64-v4"))) static void name##_v4 parameters \
    {                                                                          \
        name##_body arguments;                                                 \
    }                                                                          \
    __attribute__((target("arch=x86-64-v3"))) static void name##_v3 parameters \
    {                                                                          \
        name##_body arguments;                                                 \
    }                                                                          \
    static void name##_v2 parameters                                           \
    {                                                                          \
        name##_body arguments;                                                 \
    }                                                                          \
    static void name parameters                                                \
    {                                                                          \
        if (c->level == SS_PROCESSOR_V4)                                       \
            name##_v4 arguments;                                               \
        else if (c->level == SS_PROCESSOR_V3)                                  \
            name##_v3 arguments;                                               \
        else                                                                   \
            name##_v2 arguments;                                               \
    }
#else
#define SS_DEFINE_KERNEL(name, parameters, arguments) \
    static void name parameters                       \
    {                                                 \
        name##_body arguments;                        \
    }
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

/* Four contacts of a form, and their bodies. Where functions are inlined, `form` and `wall` are constants, here and below.
 * With `wall` they are contacts with body 0: A is left out. */
typedef struct ss_vec_contact {
    ss_vec3 n;
    ss_vec r_a, r_b;      /* ROUND */
    ss_vec3 arm_a, arm_b; /* BODY */
    ss_vec_body A, B;
    ss_vec G_N, G_T;
} ss_vec_contact;

/* Does something with every pack i of a batch, of which it knows the form, and whether body 0 is one of its bodies. */
#define SS_EACH_PACK(g, ...)                                                                       \
    do {                                                                                           \
        SS_EACH_OF(SS_ROW_ROUND, false, (g)->packs[form].from, (g)->packs[form].wall, __VA_ARGS__) \
        SS_EACH_OF(SS_ROW_ROUND, true, (g)->packs[form].wall, (g)->packs[form].to, __VA_ARGS__)    \
        SS_EACH_OF(SS_ROW_BODY, false, (g)->packs[form].from, (g)->packs[form].wall, __VA_ARGS__)  \
        SS_EACH_OF(SS_ROW_BODY, true, (g)->packs[form].wall, (g)->packs[form].to, __VA_ARGS__)     \
    } while (0)
#define SS_EACH_OF(which, with_wall, first, end, ...)      \
    {                                                      \
        const ss_row_form form = which;                    \
        const bool wall = with_wall;                       \
        for (int i = (first), end_ = (end); i < end_; i++) \
            __VA_ARGS__;                                   \
    }

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

/* |x| */
SS_INLINE void ss_vec_absolute(ss_vec *x)
{
    ss_vec minus = -*x;
    ss_vec_larger(x, &minus);
}

/* |x| + |y| + |z| */
SS_INLINE void ss_vec_size3(const ss_vec3 *a, ss_vec *size)
{
    ss_vec x = a->x, y = a->y, z = a->z;
    ss_vec_absolute(&x);
    ss_vec_absolute(&y);
    ss_vec_absolute(&z);
    *size = x + y + z;
}

/* Zero where x is below the floor. */
SS_INLINE void ss_vec_drop_below(const ss_vec *floor, ss_vec *x)
{
    ss_vec_mask m = *x <= *floor;
    *x = (ss_vec)((ss_vec_mask)*x & ~m);
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

SS_INLINE void ss_vec_gather(const ss_row_body *bodies, const int *at, ss_vec_body *f)
{
    const ss_row_body *b[SS_LANES] = {&bodies[at[0]], &bodies[at[1]], &bodies[at[2]],
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

SS_INLINE void ss_vec_scatter(ss_vec_body *f, const int *at, ss_row_body *bodies)
{
    ss_row_body *b[SS_LANES] = {&bodies[at[0]], &bodies[at[1]], &bodies[at[2]], &bodies[at[3]]};
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

SS_INLINE void ss_vec_open(const ss_rows *c, const ss_row_body *bodies, int i, ss_row_form form,
                           bool wall, ss_vec_contact *t)
{
    const ss_pack *p = ss_rows_pack(c, form, i);
    ss_vec_load3(p->n[0], &t->n);
    ss_vec_gather(bodies, p->b, &t->B);
    if (!wall)
        ss_vec_gather(bodies, p->a, &t->A);
    if (form == SS_ROW_BODY) {
        const ss_body_pack *q = &c->body[i - c->n_round];
        ss_vec_load3(q->arm_b[0], &t->arm_b);
        if (!wall)
            ss_vec_load3(q->arm_a[0], &t->arm_a);
        ss_vec_load(q->G_N, &t->G_N);
        ss_vec_load(q->G_T, &t->G_T);
        return;
    }
    ss_vec_load(c->round[i].r_b, &t->r_b);
    t->G_N = t->B.m_inv;
    t->G_T = t->r_b * t->r_b * t->B.J_inv;
    if (!wall) {
        ss_vec_load(c->round[i].r_a, &t->r_a);
        t->G_N += t->A.m_inv;
        t->G_T += t->r_a * t->r_a * t->A.J_inv;
    }
    t->G_T += t->G_N;
}

/* The bodies get their velocities back. */
SS_INLINE void ss_vec_close(ss_vec_contact *t, const ss_pack *p, bool wall, ss_row_body *bodies)
{
    if (!wall)
        ss_vec_scatter(&t->A, p->a, bodies);
    ss_vec_scatter(&t->B, p->b, bodies);
}

/* Velocity of b against a: v_b - v_a - (r_b ω_b + r_a ω_a) × n, or v_b + ω_b × r_b - v_a - ω_a × r_a. */
SS_INLINE void ss_vec_difference(const ss_vec_contact *t, ss_row_form form, bool wall, ss_vec3 *v)
{
    ss_vec one = {1, 1, 1, 1};
    ss_vec3 s, turning;
    ss_vec_copy3(&t->B.v, v);
    if (form == SS_ROW_BODY) {
        ss_vec_cross(&t->B.w, &t->arm_b, &turning);
        ss_vec_add3(&one, &turning, v);
        if (!wall) {
            ss_vec_minus3(v, &t->A.v, v);
            ss_vec_cross(&t->A.w, &t->arm_a, &turning);
            ss_vec_minus3(v, &turning, v);
        }
        return;
    }
    ss_vec_times3(&t->r_b, &t->B.w, &s);
    if (!wall) {
        ss_vec_add3(&t->r_a, &t->A.w, &s);
        ss_vec_minus3(v, &t->A.v, v);
    }
    ss_vec_cross(&s, &t->n, &turning);
    ss_vec_minus3(v, &turning, v);
}

/* γ with its bias, split into its parts along n and across. */
SS_INLINE void ss_vec_relative(const ss_rows *c, int i, ss_row_form form, bool wall,
                               const ss_vec_contact *t, ss_vec *N, ss_vec3 *T)
{
    ss_vec bias_N, along, back, one = {1, 1, 1, 1};
    ss_vec_difference(t, form, wall, T);
    ss_vec_dot(T, &t->n, &along);
    back = -along;
    ss_vec_add3(&back, &t->n, T);
    if (wall || form == SS_ROW_BODY) {
        ss_vec3 bias_T;
        ss_vec_load3(form == SS_ROW_BODY ? c->body[i - c->n_round].bias_T[0]
                                         : c->drives[i].bias_T[0],
                     &bias_T);
        ss_vec_add3(&one, &bias_T, T);
    }
    ss_vec_load(ss_rows_pack(c, form, i)->bias_N, &bias_N);
    *N = along + bias_N;
}

/* |v| + |ω| |arm| of a body. */
SS_INLINE void ss_vec_body_size(const ss_vec_body *body, ss_row_form form, const ss_vec *r,
                                const ss_vec3 *arm, ss_vec *size)
{
    ss_vec v, turning, lever;
    ss_vec_size3(&body->v, &v);
    ss_vec_size3(&body->w, &turning);
    if (form == SS_ROW_BODY)
        ss_vec_size3(arm, &lever);
    else
        lever = *r;
    turning *= lever;
    ss_vec_absolute(&turning);
    *size = v + turning;
}

/* An estimate from above of what was added up to form γ. */
SS_INLINE void ss_vec_size(const ss_vec_contact *t, const ss_pack *p, ss_row_form form, bool wall,
                           ss_vec *size)
{
    ss_vec bias, other;
    ss_vec_body_size(&t->B, form, &t->r_b, &t->arm_b, size);
    ss_vec_load(p->bias_N, &bias);
    ss_vec_absolute(&bias);
    *size += bias;
    if (wall)
        return;
    ss_vec_body_size(&t->A, form, &t->r_a, &t->arm_a, &other);
    *size += other;
}

/* P - ωr γ with r = 1/G, brought back into the half line. */
SS_INLINE void ss_vec_project_N(const ss_vec *G_N, double relaxation, const ss_vec *N, ss_vec *P_N)
{
    ss_vec zero = {0};
    *P_N -= relaxation * *N / *G_N;
    ss_vec_larger(P_N, &zero);
}

/* P - ωr γ with r = 1/G_T, brought back into the disk of radius μ P_N. */
SS_INLINE void ss_vec_project_T(const ss_vec *G_T, const ss_vec *mu, double relaxation,
                                const ss_vec *P_N, const ss_vec3 *T, ss_vec3 *P_T)
{
    ss_vec r, length, one = {1, 1, 1, 1};
    r = -relaxation / *G_T;
    ss_vec_add3(&r, T, P_T);
    ss_vec_dot(P_T, P_T, &length);
    ss_vec_root(&length);
    ss_vec radius = *mu * *P_N;
    ss_vec_mask outside = length > radius;
    ss_vec factor =
        (ss_vec)(((ss_vec_mask)(radius / length) & outside) | ((ss_vec_mask)one & ~outside));
    ss_vec_times3(&factor, P_T, P_T);
}

/* ω += sign J⁻¹ (r × P) of four bodies. */
SS_INLINE void ss_vec_turn_body(double (*inertia)[8], const int *at, double sign,
                                const ss_vec3 *arm, const ss_vec3 *P, ss_vec3 *w)
{
    ss_vec xx, yy, zz, none, xy, xz, yz, nothing;
    ss_vec3 L;
    ss_vec_load(inertia[at[0]], &xx);
    ss_vec_load(inertia[at[1]], &yy);
    ss_vec_load(inertia[at[2]], &zz);
    ss_vec_load(inertia[at[3]], &none);
    ss_vec_load(inertia[at[0]] + 4, &xy);
    ss_vec_load(inertia[at[1]] + 4, &xz);
    ss_vec_load(inertia[at[2]] + 4, &yz);
    ss_vec_load(inertia[at[3]] + 4, &nothing);
    ss_vec_transpose(&xx, &yy, &zz, &none);
    ss_vec_transpose(&xy, &xz, &yz, &nothing);
    ss_vec_cross(arm, P, &L);
    w->x += sign * (xx * L.x + xy * L.y + xz * L.z);
    w->y += sign * (xy * L.x + yy * L.y + yz * L.z);
    w->z += sign * (xz * L.x + yz * L.y + zz * L.z);
}

/* Impulses N n + T act on the bodies. */
SS_INLINE void ss_vec_apply(const ss_rows *c, const ss_pack *p, ss_row_form form, bool wall,
                            const ss_vec *N, const ss_vec3 *T, ss_vec_contact *t)
{
    ss_vec3 turn, P;
    ss_vec f;
    ss_vec_copy3(T, &P);
    ss_vec_add3(N, &t->n, &P);
    ss_vec_add3(&t->B.m_inv, &P, &t->B.v);
    if (!wall) {
        f = -t->A.m_inv;
        ss_vec_add3(&f, &P, &t->A.v);
    }
    if (form == SS_ROW_BODY) {
        ss_vec_turn_body(c->inertia, p->b, 1, &t->arm_b, &P, &t->B.w);
        if (!wall)
            ss_vec_turn_body(c->inertia, p->a, -1, &t->arm_a, &P, &t->A.w);
        return;
    }
    ss_vec_cross(&t->n, T, &turn);
    f = -t->B.J_inv * t->r_b;
    ss_vec_add3(&f, &turn, &t->B.w);
    if (wall)
        return;
    f = -t->A.J_inv * t->r_a;
    ss_vec_add3(&f, &turn, &t->A.w);
}

/* What friction becomes: P_T - S γ_T where that sticks, which is its solution; else a step of r = ω/G_T, brought back. */
SS_INLINE void ss_vec_body_project_T(const ss_body_pack *p, double relaxation, const ss_vec *P_N,
                                     const ss_vec3 *T, ss_vec3 *P_T)
{
    ss_vec G_T, mu, length2, S[6];
    ss_vec3 stick;
    ss_vec_load(p->G_T, &G_T);
    ss_vec_load(p->pack.mu, &mu);
    for (int k = 0; k < 6; k++)
        ss_vec_load(p->S[k], &S[k]);
    stick.x = P_T->x - relaxation * (S[0] * T->x + S[3] * T->y + S[4] * T->z);
    stick.y = P_T->y - relaxation * (S[3] * T->x + S[1] * T->y + S[5] * T->z);
    stick.z = P_T->z - relaxation * (S[4] * T->x + S[5] * T->y + S[2] * T->z);
    ss_vec_dot(&stick, &stick, &length2);
    ss_vec radius = mu * *P_N;
    ss_vec_mask sticks = length2 <= radius * radius;
    ss_vec_project_T(&G_T, &mu, relaxation, P_N, T, P_T);
    P_T->x = (ss_vec)(((ss_vec_mask)stick.x & sticks) | ((ss_vec_mask)P_T->x & ~sticks));
    P_T->y = (ss_vec)(((ss_vec_mask)stick.y & sticks) | ((ss_vec_mask)P_T->y & ~sticks));
    P_T->z = (ss_vec)(((ss_vec_mask)stick.z & sticks) | ((ss_vec_mask)P_T->z & ~sticks));
}

#endif
