/* spectral.c: r = 2 / (μ_max + μ_min) of the whole G (S4.56). */
#include "la/eigen.h"
#include "la/small.h"
#include "solver/prox.h"

#include <float.h>
#include <string.h>

enum { DENSE_ROWS = 192 };

/* G as an operator. */
typedef struct operator_G {
    const ss_inclusion *inclusion;
    double *v; /* n_u */
} operator_G;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* n_u for the operator, then two vectors, the matrix and its work, or what the Lanczos steps
 * need. */
size_t ss_spectral_memory(const ss_solver_size *size)
{
    int n = size->n_rows < DENSE_ROWS ? size->n_rows : DENSE_ROWS;
    size_t dense = (size_t)n * (size_t)n + 2 * (size_t)n + ss_eigen_dense_work(n);
    size_t lanczos = size->n_rows > DENSE_ROWS ? ss_eigen_lanczos_work(size->n_rows) : 0;
    return (size_t)size->n_u + larger(dense, lanczos);
}

static void apply_factored(const operator_G *G, const double *x, double *y)
{
    const ss_inclusion *inclusion = G->inclusion;
    memset(G->v, 0, (size_t)inclusion->n_u * sizeof *G->v);
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_inclusion_apply_impulse(inclusion, i, x + inclusion->blocks[i].offset, G->v);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        for (int f = inclusion->factor_start[i]; f < inclusion->factor_start[i + 1]; f++) {
            const ss_factor *F = &inclusion->factors[f];
            for (int k = 0; k < B->dim; k++)
                y[B->offset + k] += ss_dot(F->nu, F->W + k * F->nu, G->v + F->u_offset);
        }
    }
}

static void apply_assembled(const ss_inclusion *inclusion, const double *x, double *y)
{
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        for (int e = inclusion->entry_start[i]; e < inclusion->entry_start[i + 1]; e++) {
            const ss_entry *G = &inclusion->entries[e];
            const ss_block *J = &inclusion->blocks[G->column];
            for (int k = 0; k < B->dim; k++)
                y[B->offset + k] += ss_dot(J->dim, G->value + k * J->dim, x + J->offset);
        }
    }
}

/* y = G x */
static void apply(void *user, const double *x, double *y)
{
    const operator_G *G = user;
    memset(y, 0, (size_t)G->inclusion->n_rows * sizeof *y);
    if (G->inclusion->factor_start)
        apply_factored(G, x, y);
    else
        apply_assembled(G->inclusion, x, y);
}

static bool dense(operator_G *G, double *memory, double *min, double *max)
{
    int n = G->inclusion->n_rows;
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
    operator_G G = {inclusion, memory};
    double *rest = memory + (inclusion->factor_start ? inclusion->n_u : 0);
    double min = 0.0, max = 0.0;
    bool found = inclusion->n_rows <= DENSE_ROWS
                     ? dense(&G, rest, &min, &max)
                     : ss_eigen_lanczos(inclusion->n_rows, apply, &G, rest, &min, &max);
    if (!found)
        return NAN;
    double sum = max + fmax(min, 0.0);
    return sum < DBL_MIN ? default_value : 2.0 / sum;
}
