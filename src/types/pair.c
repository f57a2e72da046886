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

/* out += sign J_kᵀ A J_l */
static void add_product(double sign, const ss_point *k, const double *Jk, const double *A,
                        const ss_point *l, const double *Jl, double *out)
{
    for (int i = 0; i < k->nu; i++)
        for (int j = 0; j < l->nu; j++)
            for (int a = 0; a < k->dim; a++)
                for (int b = 0; b < k->dim; b++)
                    out[i * l->nu + j] += sign * Jk[a * k->nu + i] * A[a * k->dim + b] * Jl[b * l->nu + j];
}

/* The velocity of a point of a planar body changes by -ω arm when the body turns. */
static void add_turn(double sign, const ss_point *k, const double *Jk, const double *B,
                     const ss_point *l, const ss_at *at, double *out)
{
    double arm[2], omega = at->u[l->local][2];
    ss_point_arm(l, at, arm);
    for (int i = 0; i < k->nu; i++)
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                out[i * l->nu + 2] -= sign * Jk[a * k->nu + i] * B[a * 2 + b] * omega * arm[b];
}

void ss_pair_derivatives(const ss_pair *pair, const ss_at *at, const ss_pair_force *force,
                         double *const *dhdq, double *const *dhdu)
{
    const ss_point *ends[2] = {&pair->a, &pair->b};
    bool two = pair->b.local >= 0 && pair->b.local != pair->a.local;
    int n = two ? 2 : 1;
    double J[2][9];
    for (int e = 0; e < 2; e++)
        if (ends[e]->local >= 0)
            ss_point_jacobian(ends[e], at, J[e]);
    for (int i = 0; i < 4; i++) {
        const ss_point *k = ends[i / 2], *l = ends[i % 2];
        double sign = i / 2 == i % 2 ? 1.0 : -1.0;
        if (k->local < 0 || l->local < 0)
            continue;
        int block = k->local * n + l->local;
        if (force->A)
            add_product(sign, k, J[i / 2], force->A, l, J[i % 2], dhdq[block]);
        if (force->B)
            add_product(sign, k, J[i / 2], force->B, l, J[i % 2], dhdu[block]);
        if (force->B && l->turns)
            add_turn(sign, k, J[i / 2], force->B, l, at, dhdq[block]);
        if (k == l && k->turns) { /* the arm of the force turns with the body */
            double arm[2], side = i == 0 ? -1.0 : 1.0;
            ss_point_arm(k, at, arm);
            dhdq[block][8] -= side * (arm[0] * force->f[0] + arm[1] * force->f[1]);
        }
    }
}
