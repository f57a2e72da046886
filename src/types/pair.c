#include "types/pair.h"

#include "types/refuse.h"
#include "types/vectors.h"

#include <string.h>

ss_status ss_pair_attach(ss_setup *setup, ss_pair *pair)
{
    SS_TRY(ss_point_attach(setup, &pair->system, "point", &pair->point, &pair->a));
    pair->dim = pair->a.dim;
    if (!pair->to.text && !pair->to_point.rows)
        return ss_refuse(setup, "the second point is missing: give 'to' (a system), or 'to_point' "
                                "(a point fixed in space)");
    if (!pair->to.text)
        return ss_point_fix(setup, pair->dim, "to_point", &pair->to_point, &pair->b);
    SS_TRY(ss_point_attach(setup, &pair->to, "to_point", &pair->to_point, &pair->b));
    if (pair->b.dim != pair->dim)
        return ss_refuse(setup, "system '%s' has %d dimension%s, system '%s' has %d",
                         pair->system.text, pair->dim, pair->dim == 1 ? "" : "s", pair->to.text,
                         pair->b.dim);
    return SS_OK;
}

/* d = b - a for one of the functions of a point. */
static void subtract(const ss_pair *pair, const ss_at *at,
                     void (*of)(const ss_point *, const ss_at *, double *), double *d)
{
    double a[3];
    of(&pair->a, at, a);
    of(&pair->b, at, d);
    ss_vector_add(pair->dim, -1.0, a, d);
}

void ss_pair_difference(const ss_pair *pair, const ss_at *at, double *d)
{
    subtract(pair, at, ss_point_position, d);
}

void ss_pair_velocity(const ss_pair *pair, const ss_at *at, double *v)
{
    subtract(pair, at, ss_point_velocity, v);
}

void ss_pair_bias(const ss_pair *pair, const ss_at *at, double *a)
{
    subtract(pair, at, ss_point_bias, a);
}

ss_ray ss_pair_ray(const ss_pair *pair, const ss_at *at)
{
    ss_ray ray = {.n = {1.0, 0.0, 0.0}};
    double d[3];
    ss_pair_difference(pair, at, d);
    ray.length = ss_vector_length(pair->dim, d);
    if (ray.length > 0)
        for (int i = 0; i < pair->dim; i++)
            ray.n[i] = d[i] / ray.length;
    return ray;
}

void ss_pair_pull_back(const ss_pair *pair, const ss_at *at, const double *f, int offset,
                       double *const *w)
{
    double opposite[3] = {-f[0]};
    for (int i = 1; i < pair->dim; i++)
        opposite[i] = -f[i];
    ss_point_pull_back(&pair->a, at, opposite, w[pair->a.local] + offset * pair->a.nu);
    if (pair->b.local >= 0)
        ss_point_pull_back(&pair->b, at, f, w[pair->b.local] + offset * pair->b.nu);
}

void ss_pair_clear(const ss_pair *pair, int rows, double *const *W)
{
    memset(W[pair->a.local], 0, (size_t)(rows * pair->a.nu) * sizeof(double));
    if (pair->b.local >= 0)
        memset(W[pair->b.local], 0, (size_t)(rows * pair->b.nu) * sizeof(double));
}
