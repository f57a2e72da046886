/* pair.c: two points and the ray between them. */
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

void ss_pair_generalized_force(const ss_pair *pair, const ss_at *at, const double *f, int offset,
                               double *const *w)
{
    double opposite[3] = {-f[0]};
    for (int i = 1; i < pair->dim; i++)
        opposite[i] = -f[i];
    ss_point_generalized_force(&pair->a, at, opposite, w[pair->a.local] + offset * pair->a.nu);
    if (pair->b.local >= 0)
        ss_point_generalized_force(&pair->b, at, f, w[pair->b.local] + offset * pair->b.nu);
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
                    out[i * l->nu + j] +=
                        sign * Jk[a * k->nu + i] * A[a * k->dim + b] * Jl[b * l->nu + j];
}

/* What the force of end k does to the generalized force at end i when end l moves. */
static void add_block(const ss_pair_force *force, const ss_at *at, bool second_k, const ss_point *k,
                      bool second_l, const ss_point *l, double *dhdq, double *dhdu)
{
    double sign = second_k == second_l ? 1.0 : -1.0, side = second_k ? 1.0 : -1.0;
    double Jk[18], Jl[18], dv[9] = {0}, dw[9] = {0}, D[36] = {0};
    int n = l->nu - l->dim;
    ss_point_jacobian(k, at, Jk);
    ss_point_jacobian(l, at, Jl);
    ss_point_turning(l, at, force->f, dv, dw);
    if (force->A)
        add_product(sign, k, Jk, force->A, l, Jl, D);
    if (force->B)
        add_product(sign, k, Jk, force->B, l, Jl, dhdu);
    for (int i = 0; force->B && i < k->nu; i++)
        for (int j = 0; j < n; j++)
            for (int a = 0; a < k->dim; a++)
                for (int b = 0; b < k->dim; b++)
                    D[i * l->nu + l->dim + j] +=
                        sign * Jk[a * k->nu + i] * force->B[a * k->dim + b] * dv[b * n + j];
    for (int i = 0; k == l && i < n * n; i++) /* the arm of the force turns with the body */
        D[(l->dim + i / n) * l->nu + l->dim + i % n] += side * dw[i];
    ss_point_to_q(l, at, k->nu, D, dhdq);
}

void ss_pair_derivatives(const ss_pair *pair, const ss_at *at, const ss_pair_force *force,
                         double *const *dhdq, double *const *dhdu)
{
    const ss_point *ends[2] = {&pair->a, &pair->b};
    int n = pair->b.local >= 0 && pair->b.local != pair->a.local ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        const ss_point *k = ends[i / 2], *l = ends[i % 2];
        int block = k->local * n + l->local;
        if (k->local >= 0 && l->local >= 0)
            add_block(force, at, i / 2 == 1, k, i % 2 == 1, l, dhdq[block], dhdu[block]);
    }
}
