/* set.c: the functions of a set, whatever its kind. */
#include <stickslip/set.h>

void ss_set_prox(const ss_set *set, double scale, const double *x, double *y)
{
    set->ops->prox(set->self, set->dim, scale, x, y);
}

void ss_set_vdst(const ss_set *set, double scale, const double *x, double *v)
{
    double y[SS_SET_MAX_DIM];
    ss_set_prox(set, scale, x, y);
    for (int i = 0; i < set->dim; i++)
        v[i] = x[i] - y[i];
}

ss_status ss_set_prox_metric(ss_context *context, const ss_set *set, double scale, const double *R,
                             const double *x, double *y)
{
    if (!set->ops->prox_metric)
        return ss_fail(context, SS_UNSUPPORTED,
                       "set '%s' has no projection in a metric; project in the Euclidean one",
                       set->ops->type.name);
    set->ops->prox_metric(set->self, set->dim, scale, R, x, y);
    return SS_OK;
}

bool ss_set_contains(const ss_set *set, double scale, const double *x, double tolerance)
{
    return set->ops->contains(set->self, set->dim, scale, x, tolerance);
}

double ss_set_support(const ss_set *set, double scale, const double *v)
{
    return set->ops->support(set->self, set->dim, scale, v);
}
