/* free.c: the whole space, the set of a bilateral constraint's force. */
#include "set/set.h"

#include <string.h>

static void prox(const void *self, int dim, double scale, const double *x, double *y)
{
    (void)self, (void)scale;
    memmove(y, x, (size_t)dim * sizeof *y);
}

static void prox_metric(const void *self, int dim, double scale, const double *R, const double *x,
                        double *y)
{
    (void)R;
    prox(self, dim, scale, x, y);
}

static bool contains(const void *self, int dim, double scale, const double *x, double tolerance)
{
    (void)self, (void)dim, (void)scale, (void)x, (void)tolerance;
    return true;
}

static double support(const void *self, int dim, double scale, const double *v)
{
    (void)self, (void)scale;
    for (int i = 0; i < dim; i++)
        if (v[i] != 0)
            return INFINITY;
    return 0;
}

const ss_set_ops ss_set_type_free = {
    .type = {SS_ABI, sizeof(ss_set_ops), "free",
             "The whole space: any force, as a bilateral constraint needs."},
    .kind = SS_SET_FREE,
    .prox = prox,
    .prox_metric = prox_metric,
    .contains = contains,
    .support = support,
};

const ss_set *ss_set_free(int dim)
{
    static const ss_set sets[] = {
        {&ss_set_type_free, NULL, 1, SS_SET_FREE}, {&ss_set_type_free, NULL, 2, SS_SET_FREE},
        {&ss_set_type_free, NULL, 3, SS_SET_FREE}, {&ss_set_type_free, NULL, 4, SS_SET_FREE},
        {&ss_set_type_free, NULL, 5, SS_SET_FREE}, {&ss_set_type_free, NULL, 6, SS_SET_FREE},
    };
    return dim >= 1 && dim <= (int)(sizeof sets / sizeof *sets) ? &sets[dim - 1] : NULL;
}
