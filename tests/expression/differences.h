/* differences.h: derivatives of a tree by central differences in long double, extrapolated to step
 * 0, with an estimate of their error (Ridders: the step shrinks, each column of the table removes
 * two orders, the error is what the best entry differs from its neighbours). */
#ifndef SS_TESTS_EXPRESSION_DIFFERENCES_H
#define SS_TESTS_EXPRESSION_DIFFERENCES_H

#include "tree.h"

typedef struct difference {
    long double value;
    double error;
    double size; /* of the function nearby */
} difference;

typedef long double (*difference_fn)(const tree *t, const double at[3], int i, int j,
                                     long double h);

static inline long double difference_at(const tree *t, const double at[3], int i, long double hi,
                                        int j, long double hj)
{
    long double moved[3] = {at[0], at[1], at[2]};
    moved[i] += hi;
    moved[j] += hj;
    return tree_value_long(t, moved);
}

static inline long double difference_once(const tree *t, const double at[3], int i, int j,
                                          long double h)
{
    (void)j;
    return (difference_at(t, at, i, h, 0, 0) - difference_at(t, at, i, -h, 0, 0)) / (2 * h);
}

static inline long double difference_twice(const tree *t, const double at[3], int i, int j,
                                           long double h)
{
    if (i == j)
        return (difference_at(t, at, i, h, 0, 0) - 2 * difference_at(t, at, i, 0, 0, 0) +
                difference_at(t, at, i, -h, 0, 0)) /
               (h * h);
    return (difference_at(t, at, i, h, j, h) - difference_at(t, at, i, h, j, -h) -
            difference_at(t, at, i, -h, j, h) + difference_at(t, at, i, -h, j, -h)) /
           (4 * h * h);
}

static inline difference difference_extrapolate(const tree *t, const double at[3], int i, int j,
                                                difference_fn difference_of)
{
    enum { ROWS = 14 };
    const long double shrink = 1.6L;
    long double a[ROWS][ROWS], h = 0.05L;
    difference best = {NAN, INFINITY, fabs(tree_value(t, at))};
    for (int row = 0; row < ROWS; row++, h /= shrink) {
        a[row][0] = difference_of(t, at, i, j, h);
        long double factor = shrink * shrink;
        for (int k = 1; k <= row; k++, factor *= shrink * shrink) {
            a[row][k] = (a[row][k - 1] * factor - a[row - 1][k - 1]) / (factor - 1);
            long double error =
                fmaxl(fabsl(a[row][k] - a[row][k - 1]), fabsl(a[row][k] - a[row - 1][k - 1]));
            if (error < best.error) {
                best.error = (double)error;
                best.value = a[row][k];
            }
        }
    }
    return best;
}

static inline difference difference_first(const tree *t, const double at[3], int i)
{
    return difference_extrapolate(t, at, i, i, difference_once);
}

static inline difference difference_second(const tree *t, const double at[3], int i, int j)
{
    return difference_extrapolate(t, at, i, j, difference_twice);
}

#endif
