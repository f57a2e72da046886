/* spectral.c: r = 2 / (μ_max + μ_min) of the whole G (S4.56). */
#include "la/eigen.h"
#include "solver/prox.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DENSE_ROWS = 192 };

/* G as an operator: the inclusion without u_free, b and c, and velocities. */
typedef struct operator_G {
    ss_inclusion inclusion;
    double *u; /* n_u */
} operator_G;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* For the operator n_u and as many zeros as it has rows or velocities, then two vectors, the matrix
 * and its work, or what the Lanczos steps need. */
size_t ss_spectral_memory(const ss_solver_size *size)
{
    int n = size->n_rows < DENSE_ROWS ? size->n_rows : DENSE_ROWS;
    size_t dense = (size_t)n * (size_t)n + 2 * (size_t)n + ss_eigen_dense_work(n);
    size_t lanczos = size->n_rows > DENSE_ROWS ? ss_eigen_lanczos_work(size->n_rows) : 0;
    size_t n_u = (size_t)size->n_u;
    return n_u + larger(n_u, (size_t)size->n_rows) + larger(dense, lanczos);
}

/* y = G x */
static void apply(void *user, const double *x, double *y)
{
    const operator_G *G = user;
    if (G->inclusion.factor_start)
        ss_inclusion_free_motion(&G->inclusion, x, G->u);
    for (int i = 0; i < G->inclusion.n_blocks; i++)
        ss_inclusion_velocity(&G->inclusion, x, G->u, i, y + G->inclusion.blocks[i].offset);
}

static bool dense(operator_G *G, double *memory, double *min, double *max)
{
    int n = G->inclusion.n_rows;
    double *x = memory, *y = x + n, *A = y + n, *work = A + (size_t)n * (size_t)n;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++) {
        x[k] = 1.0;
        apply(G, x, y);
        x[k] = 0.0;
        for (int h = 0; h < n; h++) { /* half into each triangle: the symmetric part of G */
            A[h * n + k] += 0.5 * y[h];
            A[k * n + h] += 0.5 * y[h];
        }
    }
    return ss_eigen_dense(n, A, work, min, max);
}

double ss_spectral_r(const ss_inclusion *inclusion, double default_value, double *memory)
{
    size_t n = (size_t)inclusion->n_rows,
           n_u = inclusion->factor_start ? (size_t)inclusion->n_u : 0;
    double *zeros = memory + n_u, *rest = zeros + larger(n_u, n);
    operator_G G = {*inclusion, memory};
    memset(zeros, 0, larger(n_u, n) * sizeof *zeros);
    G.inclusion.u_free = G.inclusion.b = zeros;
    G.inclusion.c = zeros;
    double min = 0.0, max = 0.0;
    bool found = inclusion->n_rows <= DENSE_ROWS
                     ? dense(&G, rest, &min, &max)
                     : ss_eigen_lanczos(inclusion->n_rows, apply, &G, rest, &min, &max);
    if (!found)
        return NAN;
    double sum = max + fmax(min, 0.0);
    return sum < DBL_MIN ? default_value : 2.0 / sum;
}
