/* contradiction.c: which laws of an inclusion contradict each other.
 *
 * Impulses x that no set bounds and that move nothing, Gx = 0, prove it where cᵀx < 0: each law asks for γᵢxᵢ >= 0, but xᵀγ = cᵀx
 * whatever P is. x solves min ½ xᵀGx + ½ (cᵀx + 1)², scaled to a G of unit diagonal, over the half lines and free rows, by an
 * active-set method (Lawson & Hanson), shifted, the shift centered at the last x. A friction that an impulse scales is not part of x: then the proof holds with it.
 */
#include "base/context.h"
#include "la/small.h"
#include "rows/coupling.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 256 };

static const double shift = 1e-13; /* of G, which may be singular */

typedef struct search {
    const ss_inclusion *inclusion;
    int n;
    int *block, *row;   /* of each unknown: the block, and its row in it */
    double *sign;       /* of the impulse: 1, -1; 0: either */
    double *scale;      /* √G_kk, 1 where that is 0 */
    double *H, *L;      /* n × n: G + ε + c cᵀ, and its factor for the rows that take part */
    double *G, *c, *y;  /* scaled; c of length 1 */
    double *z, *center; /* the shift draws y towards the center */
    int *in;            /* the unknowns that are not zero, n_in of them */
    bool *takes_part;
    int n_in;
    ss_arena arena;
} search;

/* ---- What takes part ---- */

/* Sign of the impulses that a block never bounds; false: it bounds them all. */
static bool is_unbounded(const ss_block *B, double *sign)
{
    *sign = B->set->kind == SS_SET_HALF_LINE            ? 1
            : B->set->kind == SS_SET_NEGATIVE_HALF_LINE ? -1
                                                        : 0;
    return B->scale_from < 0 && (*sign != 0 || B->set->kind == SS_SET_FREE);
}

static double impulse_of(const ss_inclusion *A, const double *P, int i)
{
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM], most = 0;
    const ss_block *B = &A->blocks[i];
    const double *G = ss_inclusion_G(A, i, i, own);
    for (int k = 0; k < B->dim; k++)
        most = fmax(most, fabs(P[B->offset + k]) * sqrt(fmax(G[k * B->dim + k], 0)));
    return most;
}

/* The rows of blocks whose impulses are at least `least`; more than MOST_ROWS are counted, not listed. */
static int list_rows(search *s, const double *P, double least)
{
    const ss_inclusion *A = s->inclusion;
    int n = 0;
    for (int i = 0; i < A->n_blocks; i++) {
        double sign;
        if (!is_unbounded(&A->blocks[i], &sign) || impulse_of(A, P, i) < least)
            continue;
        for (int k = 0; k < A->blocks[i].dim; k++, n++) {
            if (n >= MOST_ROWS)
                continue;
            s->block[n] = i;
            s->row[n] = k;
            s->sign[n] = sign;
        }
    }
    return n;
}

/* All rows, or where they are too many those whose impulses are large: such impulses are nearly along x. */
static int choose_rows(search *s, const double *P)
{
    const double share = 1e-3;
    double most = 0, sign;
    int n = list_rows(s, P, 0);
    if (n <= MOST_ROWS)
        return n;
    for (int i = 0; i < s->inclusion->n_blocks; i++)
        if (is_unbounded(&s->inclusion->blocks[i], &sign))
            most = fmax(most, impulse_of(s->inclusion, P, i));
    n = list_rows(s, P, share * most);
    return n <= MOST_ROWS ? n : 0;
}

/* ---- Numbers ---- */

static void fill_c(search *s)
{
    const ss_inclusion *A = s->inclusion;
    double c[SS_SET_MAX_DIM], length;
    for (int k = 0; k < s->n; k++) {
        const ss_block *B = &A->blocks[s->block[k]];
        if (A->factor_start)
            ss_inclusion_velocity(A, NULL, A->u_free, s->block[k], c);
        else
            memcpy(c, A->c + B->offset, (size_t)B->dim * sizeof *c);
        s->c[k] = c[s->row[k]] / s->scale[k];
    }
    length = ss_norm(s->n, s->c);
    for (int k = 0; k < s->n && length > 0; k++)
        s->c[k] /= length;
}

/* False: numbers overflow, or there is no load. */
static bool fill(search *s)
{
    const ss_inclusion *A = s->inclusion;
    double own[SS_SET_MAX_DIM * SS_SET_MAX_DIM];
    int n = s->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *G = ss_inclusion_G(A, s->block[i], s->block[j], own);
            s->G[i * n + j] = G[s->row[i] * A->blocks[s->block[j]].dim + s->row[j]];
        }
    for (int k = 0; k < n; k++)
        s->scale[k] = s->G[k * n + k] > 0 ? sqrt(s->G[k * n + k]) : 1;
    fill_c(s);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            s->G[i * n + j] /= s->scale[i] * s->scale[j];
            s->H[i * n + j] = s->G[i * n + j] + s->c[i] * s->c[j] + (i == j ? shift : 0);
        }
    return ss_all_finite((long)n * n, s->H) && ss_norm(n, s->c) > 0;
}

/* ---- The minimum ---- */

/* H z = shift center - c for what takes part, by Cholesky's factors. */
static void solve(search *s)
{
    int m = s->n_in, n = s->n;
    double *L = s->L, *z = s->z;
    for (int i = 0; i < m; i++) {
        const double *H = s->H + s->in[i] * n;
        for (int j = 0; j <= i; j++) {
            double left = H[s->in[j]] - ss_dot(j, L + i * n, L + j * n);
            L[i * n + j] = i > j ? left / L[j * n + j] : sqrt(fmax(left, DBL_MIN));
        }
    }
    for (int i = 0; i < m; i++)
        z[i] =
            (shift * s->center[s->in[i]] - s->c[s->in[i]] - ss_dot(i, L + i * n, z)) / L[i * n + i];
    for (int i = m - 1; i >= 0; i--) {
        for (int j = i + 1; j < m; j++)
            z[i] -= L[j * n + i] * z[j];
        z[i] /= L[i * n + i];
    }
}

static void list_in(search *s)
{
    s->n_in = 0;
    for (int k = 0; k < s->n; k++)
        if (s->takes_part[k])
            s->in[s->n_in++] = k;
}

/* From y towards z until an impulse would have the wrong sign; that row leaves. True: z is reached. */
static bool move(search *s)
{
    double part = 1;
    int leaves = -1;
    for (int i = 0; i < s->n_in; i++) {
        int k = s->in[i];
        if (s->sign[k] == 0 || s->sign[k] * s->z[i] > 0)
            continue;
        double reach = s->y[k] / (s->y[k] - s->z[i]);
        if (leaves < 0 || !(reach >= part)) {
            part = reach;
            leaves = k;
        }
    }
    for (int i = 0; i < s->n_in; i++)
        s->y[s->in[i]] += part * (s->z[i] - s->y[s->in[i]]);
    if (leaves < 0)
        return true;
    s->y[leaves] = 0;
    s->takes_part[leaves] = false;
    return false;
}

/* The row whose impulse lowers the sum most; -1: none. */
static int find_entering(search *s)
{
    const double rounding = 1e-12;
    double most = rounding;
    int enters = -1;
    for (int k = 0; k < s->n; k++) {
        double slope =
            -s->sign[k] * (ss_dot(s->n, s->H + k * s->n, s->y) + s->c[k] - shift * s->center[k]);
        if (s->takes_part[k] || slope <= most)
            continue;
        most = slope;
        enters = k;
    }
    return enters;
}

static void minimize(search *s)
{
    for (int tries = 0, enters = 0; tries <= 3 * s->n && enters >= 0; tries++) {
        bool there = false;
        while (!there) {
            list_in(s);
            solve(s);
            there = move(s);
        }
        enters = find_entering(s);
        if (enters >= 0)
            s->takes_part[enters] = true;
    }
}

/* ---- The answer ---- */

/* Gx = 0 to rounding: no impulses below 1e8 times what the load asks for solve the inclusion. */
static bool is_proof(search *s)
{
    const double least = 1e8;
    double power = -ss_dot(s->n, s->c, s->y), moved = 0;
    for (int i = 0; i < s->n; i++) {
        double sum = ss_dot(s->n, s->G + i * s->n, s->y);
        moved += sum * sum;
    }
    return power > 0 && power >= least * sqrt(moved);
}

/* The blocks of x, in ascending order. */
static int list_blocks(const search *s, int capacity, int *blocks)
{
    const double share = 1e-3;
    double most = 0;
    int n = 0;
    for (int k = 0; k < s->n; k++)
        most = fmax(most, fabs(s->y[k]));
    for (int k = 0; k < s->n; k++) {
        bool again = n > 0 && n <= capacity && blocks[n - 1] == s->block[k];
        if (fabs(s->y[k]) < share * most || again)
            continue;
        if (n < capacity)
            blocks[n] = s->block[k];
        n++;
    }
    return n;
}

static ss_status reserve(search *s)
{
    const int n = MOST_ROWS;
    double **const numbers[] = {&s->sign, &s->scale, &s->c, &s->y, &s->z, &s->center};
    int **const indices[] = {&s->block, &s->row, &s->in};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, n, numbers[k]));
    for (size_t k = 0; k < sizeof indices / sizeof *indices; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, n, indices[k]));
    return SS_ARENA_NEW(&s->arena, n, &s->takes_part);
}

static ss_status find(search *s, const double *P, int capacity, int *blocks, int *count)
{
    enum { MOST_CENTERS = 4 };
    SS_TRY(reserve(s));
    s->n = choose_rows(s, P);
    if (s->n == 0)
        return SS_OK;
    SS_TRY(SS_ARENA_NEW(&s->arena, s->n * s->n, &s->G));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->n * s->n, &s->H));
    SS_TRY(SS_ARENA_NEW(&s->arena, s->n * s->n, &s->L));
    if (!fill(s))
        return SS_OK;
    for (int k = 0; k < s->n; k++)
        s->takes_part[k] = s->sign[k] == 0;
    for (int k = 0; k < MOST_CENTERS && *count == 0; k++) {
        minimize(s);
        if (is_proof(s))
            *count = list_blocks(s, capacity, blocks);
        memcpy(s->center, s->y, (size_t)s->n * sizeof *s->y);
    }
    return SS_OK;
}

ss_status ss_inclusion_contradiction(ss_context *context, const ss_inclusion *inclusion,
                                     const double *P, int capacity, int *blocks, int *count)
{
    search s = {.inclusion = inclusion};
    *count = 0;
    if (inclusion->refresh) /* c depends on impulses */
        return SS_OK;
    ss_arena_init(&s.arena, context);
    ss_status status = find(&s, P, capacity, blocks, count);
    ss_arena_release(&s.arena);
    return status;
}
