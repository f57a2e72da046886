/* variants.h: other problems of the same family, made of a given one. Each keeps what made the first
 * one physical: loads are changed by what impulses can do (q + W z), contacts are left out,
 * turned and numbered anew, friction is another one. */
#ifndef STICKSLIP_BENCH_VARIANTS_H
#define STICKSLIP_BENCH_VARIANTS_H

#include <stickslip/problem.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct variant_kind {
    const char *name;
    double mu;        /* factor of all μ */
    double mu_spread; /* μ of a contact times 1 ± this */
    double keep;      /* share of the contacts */
    double load;      /* ‖W z‖ / ‖q‖, z at random */
    double press;     /* the same with -z inside the cones: contacts are pressed together */
    double unit;      /* factor of W and q */
    bool turn;        /* tangents turned by any angle */
    bool shuffle;     /* contacts in any order */
} variant_kind;

static const variant_kind variant_kinds[] = {
    {.name = "mu x 0.7", .mu = 0.7, .keep = 1, .unit = 1},
    {.name = "70 % of the contacts", .mu = 1, .keep = 0.7, .unit = 1},
    {.name = "other load", .mu = 1, .keep = 1, .load = 0.3, .unit = 1},
    {.name = "mu x 1.5", .mu = 1.5, .keep = 1, .unit = 1},
    {.name = "turned, other order", .mu = 1, .keep = 1, .unit = 1, .turn = true, .shuffle = true},
    {.name = "pressed", .mu = 1, .keep = 1, .press = 1, .unit = 1},
    {.name = "mu x 0.3", .mu = 0.3, .keep = 1, .unit = 1},
    {.name = "mu of each contact", .mu = 1, .mu_spread = 0.5, .keep = 1, .unit = 1},
    {.name = "40 %, other load", .mu = 1, .keep = 0.4, .load = 0.3, .unit = 1},
    {.name = "mu x 3", .mu = 3, .keep = 1, .unit = 1},
    {.name = "mu = 0", .mu = 0, .keep = 1, .unit = 1},
    {.name = "other unit", .mu = 1, .keep = 1, .unit = 1e3, .shuffle = true},
    {.name = "85 %, mu x 1.2, load", .mu = 1.2, .keep = 0.85, .load = 0.1, .unit = 1},
};
enum { VARIANT_KINDS = sizeof variant_kinds / sizeof *variant_kinds };

/* A number between 0 and 1, the same on every machine. */
static inline double variant_random(unsigned long *state)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Contacts that are kept, in their new order. */
static inline int variant_choose(const variant_kind *kind, int nc, unsigned long *random,
                                 int *which)
{
    int count = 0;
    for (int k = 0; k < nc; k++)
        if (kind->keep >= 1.0 || variant_random(random) < kind->keep)
            which[count++] = k;
    if (count == 0 && nc > 0)
        which[count++] = 0;
    for (int k = count - 1; k > 0 && kind->shuffle; k--) {
        int other = (int)(variant_random(random) * (k + 1)), kept = which[k];
        which[k] = which[other];
        which[other] = kept;
    }
    return count;
}

/* W and q of the problem, dense, rows contact by contact, and μ. */
typedef struct variant_data {
    int d, nc;
    double *W, *q, *mu;
} variant_data;

static inline variant_data variant_take(const ss_problem *p)
{
    const ss_inclusion *A = ss_problem_inclusion(p);
    variant_data v = {ss_problem_dimension(p), ss_problem_contacts(p), NULL, NULL, NULL};
    size_t n = (size_t)(v.d * v.nc);
    v.W = calloc(n * n + 1, sizeof(double));
    v.q = calloc(n + 1, sizeof(double));
    v.mu = calloc((size_t)v.nc + 1, sizeof(double));
    memcpy(v.q, A->c, n * sizeof(double));
    for (int k = 0; k < v.nc; k++)
        v.mu[k] = A->blocks[2 * k + 1].scale;
    for (int i = 0; i < A->n_blocks; i++)
        for (int e = A->entry_start[i]; e < A->entry_start[i + 1]; e++) {
            const ss_block *row = &A->blocks[i], *column = &A->blocks[A->entries[e].column];
            for (int k = 0; k < row->dim * column->dim; k++)
                v.W[(size_t)(row->offset + k / column->dim) * n +
                    (size_t)(column->offset + k % column->dim)] = A->entries[e].value[k];
        }
    return v;
}

static inline void variant_release(variant_data *v)
{
    free(v->W);
    free(v->q);
    free(v->mu);
}

/* The tangents of a contact turned: T W Tᵀ and T q. In the plane the tangent is reversed. */
static inline void variant_turn(variant_data *v, int contact, double angle)
{
    size_t n = (size_t)(v->d * v->nc), row = (size_t)(v->d * contact) + 1;
    double c = cos(angle), s = sin(angle);
    for (size_t k = 0; k <= n; k++) { /* rows, and q in their stead at last */
        double *a = k < n ? v->W + row * n + k : v->q + row;
        double *b = k < n ? v->W + (row + 1) * n + k : v->q + row + 1;
        if (v->d == 2) {
            *a = -*a;
            continue;
        }
        double first = *a;
        *a = c * first - s * *b;
        *b = s * first + c * *b;
    }
    for (size_t k = 0; k < n; k++) {
        double *a = v->W + k * n + row, first = *a;
        if (v->d == 2) {
            *a = -first;
            continue;
        }
        a[0] = c * first - s * a[1];
        a[1] = s * first + c * a[1];
    }
}

/* q += W z with ‖W z‖ = share ‖q‖; z at random, or such that -z presses within the cones. */
static inline void variant_load(variant_data *v, double share, bool press, unsigned long *random)
{
    size_t n = (size_t)(v->d * v->nc);
    double *z = calloc(2 * n + 1, sizeof(double)), *Wz = z + n, length = 0, q = 0;
    for (size_t k = 0; k < n; k++) {
        double x = 2 * variant_random(random) - 1;
        bool normal = k % (size_t)v->d == 0;
        z[k] = !press ? x : normal ? -1 - 0.5 * x : 0.3 * v->mu[k / (size_t)v->d] * x;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            Wz[i] += v->W[i * n + j] * z[j];
        length += Wz[i] * Wz[i];
        q += v->q[i] * v->q[i];
    }
    for (size_t i = 0; i < n && length > 0; i++)
        v->q[i] += share * sqrt(q / length) * Wz[i];
    free(z);
}

static inline ss_status variant_pick(ss_context *context, const variant_kind *kind,
                                     const variant_data *v, unsigned long *random,
                                     ss_problem **made)
{
    int *which = calloc((size_t)v->nc + 1, sizeof *which), d = v->d;
    int nc = variant_choose(kind, v->nc, random, which), n = d * nc;
    size_t rows = (size_t)(d * v->nc);
    double *W = calloc((size_t)n * (size_t)n + 1, sizeof *W);
    double *q = calloc((size_t)n + 1, sizeof *q), *mu = calloc((size_t)nc + 1, sizeof *mu);
    for (int i = 0; i < n; i++) {
        size_t row = (size_t)(d * which[i / d] + i % d);
        q[i] = kind->unit * v->q[row];
        for (int j = 0; j < n; j++)
            W[(size_t)i * (size_t)n + (size_t)j] =
                kind->unit * v->W[row * rows + (size_t)(d * which[j / d] + j % d)];
    }
    for (int k = 0; k < nc; k++)
        mu[k] =
            kind->mu * v->mu[which[k]] * (1 + kind->mu_spread * (2 * variant_random(random) - 1));
    ss_status status = ss_problem_from_dense(context, d, nc, W, q, mu, made);
    free(W);
    free(q);
    free(mu);
    free(which);
    return status;
}

/* The same seed makes the same problem. */
static inline ss_status variant_make(ss_context *context, const ss_problem *p,
                                     const variant_kind *kind, unsigned long seed,
                                     ss_problem **made)
{
    unsigned long random = seed * 2654435761ul + 12345ul;
    variant_data v = variant_take(p);
    for (int k = 0; k < v.nc && kind->turn; k++)
        variant_turn(&v, k, 6.283185307179586 * variant_random(&random));
    if (kind->load > 0)
        variant_load(&v, kind->load, false, &random);
    if (kind->press > 0)
        variant_load(&v, kind->press, true, &random);
    ss_status status = variant_pick(context, kind, &v, &random, made);
    variant_release(&v);
    return status;
}

#endif
