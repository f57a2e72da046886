/* vectors.h: vectors of a space of 1, 2 or 3 dimensions. */
#ifndef SS_TYPES_VECTORS_H
#define SS_TYPES_VECTORS_H

#include <math.h>

static inline double ss_vector_dot(int dim, const double *a, const double *b)
{
    double sum = a[0] * b[0];
    for (int i = 1; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline double ss_vector_length(int dim, const double *a)
{
    return dim == 1 ? fabs(a[0]) : sqrt(ss_vector_dot(dim, a, a));
}

/* y += s x */
static inline void ss_vector_add(int dim, double s, const double *x, double *y)
{
    for (int i = 0; i < dim; i++)
        y[i] += s * x[i];
}

#endif
