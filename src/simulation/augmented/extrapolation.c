/* extrapolation.c: the tableau of extrapolation, row by row (S6.86). */
#include "simulation/augmented/extrapolation.h"

int ss_tableau_capacity(int size)
{
    return (SS_EXTRAPOLATION_MOST + 1) * size;
}

void ss_tableau_init(ss_tableau *tableau, int size, double *memory)
{
    *tableau = (ss_tableau){
        .size = size,
        .T = memory,
        .change = memory + SS_EXTRAPOLATION_MOST * size,
    };
}

void ss_tableau_clear(ss_tableau *tableau)
{
    tableau->rows = 0;
}

/* Replaces T_(k-1)j by T_kj for all j of one number (S6.86); k counts from 0 here. */
static void extend(ss_tableau *tableau, int i, double value)
{
    int k = tableau->rows, size = tableau->size;
    const int *n = tableau->substeps;
    double before = value;
    for (int j = 0; j < k; j++) {
        double *T = &tableau->T[j * size + i];
        before = *T;
        *T = value;
        value += (value - before) / ((double)n[k] / n[k - 1 - j] - 1);
    }
    tableau->T[k * size + i] = value;
    tableau->change[i] = value - before;
}

void ss_tableau_add(ss_tableau *tableau, int n, const double *y)
{
    tableau->substeps[tableau->rows] = n;
    for (int i = 0; i < tableau->size; i++)
        extend(tableau, i, y[i]);
    tableau->rows++;
}

const double *ss_tableau_best(const ss_tableau *tableau)
{
    return tableau->T + (tableau->rows - 1) * tableau->size;
}
