/* anderson.c: Anderson's acceleration of an iteration. */
#include "solver/anderson.h"

#include <math.h>
#include <string.h>

/* Steps after which progress is asked for, and plain ones where there was none. */
enum { WINDOW = 512, PLAIN = 128 };

/* Four sums, so that additions do not wait for each other. */
static double dot(int n, const double *a, const double *b)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < n; k++)
        s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}

ss_status ss_anderson_create(ss_arena *arena, int n, int depth, ss_anderson *a)
{
    a->depth = depth;
    SS_TRY(SS_ARENA_NEW(arena, n, &a->f));
    SS_TRY(SS_ARENA_NEW(arena, n, &a->g));
    SS_TRY(SS_ARENA_NEW(arena, (size_t)n * (size_t)depth, &a->dF));
    return SS_ARENA_NEW(arena, (size_t)n * (size_t)depth, &a->dG);
}

static void forget(ss_anderson *a)
{
    a->count = 0;
    a->has_last = false;
    a->last_norm = INFINITY;
}

void ss_anderson_start(ss_anderson *a, int n, const double *weight)
{
    a->n = n;
    a->weight = weight;
    a->steps = a->plain = 0;
    a->shortest = a->shortest_before = INFINITY;
    forget(a);
}

/* Remembers the difference to the last step; x becomes f. */
static double remember(ss_anderson *a, const double *g, double *x)
{
    int n = a->n, slot = a->count % a->depth;
    double *dF = a->dF + (size_t)slot * (size_t)n, *dG = a->dG + (size_t)slot * (size_t)n;
    double norm2 = 0.0;
    for (int k = 0; k < n; k++) {
        x[k] = a->weight[k] * (g[k] - x[k]);
        norm2 += x[k] * x[k];
    }
    if (!a->has_last)
        return sqrt(norm2);
    for (int k = 0; k < n; k++) {
        dF[k] = x[k] - a->f[k];
        dG[k] = g[k] - a->g[k];
    }
    a->count++;
    int filled = a->count < a->depth ? a->count : a->depth;
    for (int i = 0; i < filled; i++)
        a->Q[i * a->depth + slot] = a->Q[slot * a->depth + i] =
            dot(n, a->dF + (size_t)i * (size_t)n, dF);
    return sqrt(norm2);
}

/* x: the last g less a combination of what it changed by. */
static void extrapolate(const ss_anderson *a, double *x)
{
    int n = a->n, m = a->count < a->depth ? a->count : a->depth;
    double b[SS_ANDERSON_MOST];
    memcpy(x, a->g, (size_t)n * sizeof *x);
    for (int i = 0; i < m; i++)
        b[i] = dot(n, a->dF + (size_t)i * (size_t)n, a->f);
    double L[SS_ANDERSON_MOST * SS_ANDERSON_MOST], trace = 0.0; /* (Q + tiny) y = b by Cholesky */
    for (int i = 0; i < m; i++)
        trace += a->Q[i * a->depth + i];
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a->Q[i * a->depth + j] + (i == j ? 1e-13 * trace : 0.0);
            for (int k = 0; k < j; k++)
                sum -= L[i * m + k] * L[j * m + k];
            if (i == j && !(sum > 0.0))
                return; /* Q is numerically zero */
            L[i * m + j] = i == j ? sqrt(sum) : sum / L[j * m + j];
        }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= L[i * m + k] * b[k];
        b[i] /= L[i * m + i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            b[i] -= L[k * m + i] * b[k];
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): L is filled where it is read */
        b[i] /= L[i * m + i];
    }
    for (int i = 0; i < m; i++) {
        const double *dG = a->dG + (size_t)i * (size_t)n;
        for (int k = 0; k < n; k++)
            x[k] -= b[i] * dG[k];
    }
}

void ss_anderson_next(ss_anderson *a, const double *g, double *x)
{
    size_t size = (size_t)a->n * sizeof *x;
    if (a->plain > 0) {
        a->plain--;
        memcpy(x, g, size);
        return;
    }
    double norm = remember(a, g, x);
    /* Accelerated steps may wander about without end where the laws change their states again and again:
     * after a window without progress there are some plain ones. */
    a->shortest = fmin(a->shortest, norm);
    if (++a->steps % WINDOW == 0) {
        if (a->shortest > a->shortest_before)
            a->plain = PLAIN;
        a->shortest_before = fmin(a->shortest_before, a->shortest);
        a->shortest = INFINITY;
    }
    bool grew = norm > 2.0 * a->last_norm || !isfinite(norm);
    if (grew || a->plain > 0) {
        memcpy(x, grew ? a->g : g, size);
        forget(a);
        return;
    }
    memcpy(a->f, x, size);
    memcpy(a->g, g, size);
    a->has_last = true;
    a->last_norm = norm;
    extrapolate(a, x);
}
