/* constrain.c: constraints taken out of a motion by linear algebra. */
#include "scheme/constrain.h"

#include "la/small.h"
#include "la/svd.h"

#include <string.h>

size_t ss_constrained_size(int n, int rows)
{
    size_t r = (size_t)rows;
    return (size_t)n * r + 3 * r + 2 * r * r + ss_svd_work(rows) + r * r;
}

double *ss_constrained_lay_out(int n, int rows, const double *W, double *memory,
                               ss_constrained *held)
{
    size_t r = (size_t)rows;
    *held = (ss_constrained){.n = n, .rows = rows, .W = W, .MinvW = memory};
    held->s = held->MinvW + (size_t)n * r;
    held->U = held->s + r;
    held->Vt = held->U + r * r;
    held->x = held->Vt + r * r;
    held->y = held->x + r;
    held->work = held->y + r;
    return memory + ss_constrained_size(n, rows);
}

bool ss_constrained_factor(ss_constrained *held)
{
    static const double SINGULAR = 1e-12;
    int rows = held->rows;
    double *G = held->work, *work = G + rows * rows;
    held->rank = 0;
    if (rows == 0)
        return true;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++)
            G[j * rows + i] = ss_dot(held->n, held->W + i * held->n, held->MinvW + j * held->n);
    if (rows == 1) { /* by far the most frequent */
        held->s[0] = fabs(G[0]);
        held->U[0] = G[0] < 0 ? -1 : 1;
        held->Vt[0] = 1;
        held->rank = held->s[0] > 0;
        return isfinite(G[0]);
    }
    if (!ss_svd(rows, G, held->s, held->U, held->Vt, work))
        return false;
    while (held->rank < rows && held->s[held->rank] > SINGULAR * held->s[0])
        held->rank++;
    return true;
}

void ss_constrained_copy(const ss_constrained *from, ss_constrained *to)
{
    size_t r = (size_t)from->rows;
    memcpy(to->s, from->s, (2 * r * r + r) * sizeof(double)); /* s, U and Vt follow each other */
    to->rank = from->rank;
}

void ss_constrained_apply(const ss_constrained *held, const double *target, double *y,
                          double *multipliers)
{
    int n = held->n, rows = held->rows;
    double *off = held->x, *lambda = held->y;
    for (int i = 0; i < rows; i++) {
        off[i] = ss_dot(n, held->W + i * n, y) - (target ? target[i] : 0);
        lambda[i] = 0;
    }
    for (int k = 0; k < held->rank; k++) {
        double part = ss_dot(rows, held->U + k * rows, off) / held->s[k];
        for (int i = 0; i < rows; i++)
            lambda[i] += part * held->Vt[i * rows + k];
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            y[j] -= held->MinvW[i * n + j] * lambda[i];
        if (multipliers)
            multipliers[i] -= lambda[i];
    }
}
