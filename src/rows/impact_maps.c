/* impact_maps.c: the maps of Leine & Baumann's impact laws. */
#include "la/small.h"
#include "rows/impact_check.h"

#include <stickslip/impact.h>

#include <float.h>
#include <lapacke.h>
#include <string.h>

enum { MOST = SS_IMPACT_MOST };
#define SYMMETRY 1e-10 /* of √(G_ii G_jj) */

ss_status ss_impact_check_vector(ss_context *context, int n, const double *x, const char *what)
{
    return ss_all_finite(n, x)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "%s of an impact map is not finite", what);
}

ss_status ss_impact_check_epsilon(ss_context *context, int n, const double *epsilon)
{
    for (int i = 0; i < n; i++)
        if (!(epsilon[i] >= 0.0 && epsilon[i] <= 1.0))
            return ss_fail(context, SS_INPUT,
                           "a restitution coefficient of an impact map is %g; it must be from 0 to "
                           "1",
                           epsilon[i]);
    return SS_OK;
}

ss_status ss_impact_check_G(ss_context *context, int n, const double *G)
{
    SS_TRY(ss_impact_check_vector(context, n * n, G, "G"));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = G[i * n + j], b = G[j * n + i];
            /* rounding of WᵀM⁻¹W may differ on both sides of the diagonal */
            if (fabs(a - b) > SYMMETRY * sqrt(fabs(G[i * n + i] * G[j * n + j])))
                return ss_fail(context, SS_INPUT,
                               "G of an impact map is not symmetric: %g in row %d, column %d, but "
                               "%g on the other side of the diagonal",
                               a, i + 1, j + 1, b);
        }
    return SS_OK;
}

static ss_status check(ss_context *context, int n, const double *G)
{
    if (n < 1 || n > MOST)
        return ss_fail(context, SS_INPUT, "an impact map wants 1 to %d contacts, not %d", (int)MOST,
                       n);
    SS_TRY(ss_impact_check_G(context, n, G));
    double L[MOST * MOST];
    memcpy(L, G, (size_t)n * (size_t)n * sizeof *L);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, L, n) != 0)
        return ss_fail(context, SS_SINGULAR,
                       "impact maps want a regular G; this one is not positive definite");
    return SS_OK;
}

/* x of G_aa x_a = -c_a over the contacts in `active`, zero elsewhere. */
static void solve_active(int n, const double *G, const double *c, const bool *active, double *x)
{
    double A[MOST * MOST], y[MOST];
    int index[MOST], m = 0;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        if (active[i])
            index[m++] = i;
    }
    for (int i = 0; i < m; i++) {
        y[i] = -c[index[i]];
        for (int j = 0; j < m; j++)
            A[j * m + i] = G[index[i] * n + index[j]];
    }
    if (m == 0)
        return;
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, A, m);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', m, 1, A, m, y, m);
    for (int i = 0; i < m; i++)
        x[index[i]] = y[i];
}

/* 0 <= x ⊥ G x + c >= 0 for a positive definite G, by Murty's least-index pivoting, which ends for
 * every such G. */
static void solve_lcp(int n, const double *G, const double *c, double *x)
{
    enum { MOST_PIVOTS = 100000 };
    bool active[MOST] = {false};
    double size = 0.0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(c[i]));
    for (int pivot = 0; pivot < MOST_PIVOTS; pivot++) {
        int wrong = -1;
        solve_active(n, G, c, active, x);
        for (int i = 0; i < n && wrong < 0; i++) {
            double w = c[i] + ss_dot(n, G + i * n, x);
            if (active[i] ? x[i] < 0.0 : w < -8.0 * n * DBL_EPSILON * size)
                wrong = i;
        }
        if (wrong < 0)
            return;
        active[wrong] = !active[wrong];
    }
}

static void multiply(int rows, int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        y[i] = ss_dot(n, A + i * n, x);
}

ss_status ss_impact_prox(ss_context *context, int n, const double *G, const double *z, double *x)
{
    double c[MOST] = {0};
    SS_TRY(check(context, n, G));
    SS_TRY(ss_impact_check_vector(context, n, z, "z"));
    multiply(n, n, G, z, c);
    for (int i = 0; i < n; i++)
        c[i] = -c[i];
    solve_lcp(n, G, c, x);
    return SS_OK;
}

ss_status ss_impact_S(ss_context *context, int n, const double *G, const double *epsilon,
                      const double *gamma_before, double *gamma_after, double *Lambda)
{
    double c[MOST] = {0}, x[MOST], change[MOST];
    SS_TRY(check(context, n, G));
    SS_TRY(ss_impact_check_epsilon(context, n, epsilon));
    SS_TRY(ss_impact_check_vector(context, n, gamma_before, "γ⁻"));
    for (int i = 0; i < n; i++)
        c[i] = (1.0 + epsilon[i]) * gamma_before[i];
    solve_lcp(n, G, c, x);
    multiply(n, n, G, x, change);
    for (int i = 0; i < n; i++)
        gamma_after[i] = gamma_before[i] + change[i];
    if (Lambda)
        memcpy(Lambda, x, (size_t)n * sizeof *x);
    return SS_OK;
}

ss_status ss_impact_Z(ss_context *context, int n_u, const double *Minv, int n, const double *W,
                      const double *epsilon, const double *u_before, double *u_after)
{
    double G[MOST * MOST] = {0}, gamma[MOST] = {0}, after[MOST], Lambda[MOST];
    if (n < 1 || n > MOST || n_u < 1)
        return check(context, n, G);
    SS_TRY(ss_impact_check_vector(context, n_u, u_before, "u⁻"));
    for (int i = 0; i < n; i++)
        for (int a = 0; a < n_u; a++) {
            gamma[i] += W[a * n + i] * u_before[a];
            for (int b = 0; b < n_u; b++)
                for (int j = 0; j < n; j++)
                    G[i * n + j] += W[a * n + i] * Minv[a * n_u + b] * W[b * n + j];
        }
    SS_TRY(ss_impact_S(context, n, G, epsilon, gamma, after, Lambda));
    for (int a = 0; a < n_u; a++) {
        double change = 0.0;
        for (int b = 0; b < n_u; b++)
            change += Minv[a * n_u + b] * ss_dot(n, W + b * n, Lambda);
        u_after[a] = u_before[a] + change;
    }
    return SS_OK;
}

/* x = prox(-G⁻¹ γ̄) in the metric G: 0 <= x ⊥ G x + γ̄ >= 0. */
static ss_status compress(ss_context *context, int n, const double *G, double epsilon,
                          const double *gamma_mean, double *x)
{
    SS_TRY(check(context, n, G));
    if (!(epsilon >= 0.0 && epsilon < 1.0))
        return ss_fail(context, SS_INPUT,
                       "H and Φ want a restitution coefficient >= 0 and < 1, not %g; for 1 they "
                       "are set-valued",
                       epsilon);
    SS_TRY(ss_impact_check_vector(context, n, gamma_mean, "γ̄"));
    solve_lcp(n, G, gamma_mean, x);
    return SS_OK;
}

ss_status ss_impact_H(ss_context *context, int n, const double *G, double epsilon,
                      const double *gamma_mean, double *Lambda)
{
    SS_TRY(compress(context, n, G, epsilon, gamma_mean, Lambda));
    for (int i = 0; i < n; i++)
        Lambda[i] *= 2.0 * (1.0 + epsilon) / (1.0 - epsilon);
    return SS_OK;
}

ss_status ss_impact_Phi(ss_context *context, int n, const double *G, double epsilon,
                        const double *gamma_mean, double *Phi)
{
    double x[MOST], Gx[MOST];
    SS_TRY(compress(context, n, G, epsilon, gamma_mean, x));
    multiply(n, n, G, x, Gx);
    *Phi = (1.0 + epsilon) / (1.0 - epsilon) * ss_dot(n, x, Gx);
    return SS_OK;
}
