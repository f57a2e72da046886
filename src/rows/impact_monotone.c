/* impact_monotone.c: whether an impact law is monotone, and by how much it is not. */
#include "la/eigen.h"
#include "la/small.h"
#include "la/svd.h"
#include "rows/impact_check.h"

#include <stickslip/impact.h>

#include <lapacke.h>
#include <string.h>

enum { MOST = SS_IMPACT_MOST, MOST_EXPANSION = 12 };

ss_status ss_impact_monotonicity(ss_context *context, int n, const double *G, const double *epsilon,
                                 double *least)
{
    double A[MOST * MOST], work[MOST * 40], most;
    if (n < 1 || n > MOST)
        return ss_fail(context, SS_INPUT, "an impact law wants 1 to %d contacts, not %d", (int)MOST,
                       n);
    SS_TRY(ss_impact_check_G(context, n, G));
    SS_TRY(ss_impact_check_epsilon(context, n, epsilon));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double di = (1.0 - epsilon[i]) / (1.0 + epsilon[i]);
            double dj = (1.0 - epsilon[j]) / (1.0 + epsilon[j]);
            A[i * n + j] = (di * G[i * n + j] + dj * G[j * n + i]) / 2;
        }
    if (!ss_eigen_dense(n, A, work, least, &most))
        return ss_fail(context, SS_NON_FINITE, "G or the coefficients are not finite");
    return SS_OK;
}

/* S with the contacts of a set active: γ⁺ = γ⁻ - G_:a G_aa⁻¹ (1 + E_a) γ⁻_a, in the coordinates
 * y = L⁻¹ γ, G = L Lᵀ, in which the metric is Euclid's. */
typedef struct piece {
    int n, m;
    int index[MOST_EXPANSION];
    double A[MOST_EXPANSION * MOST_EXPANSION]; /* by columns */
    double top[MOST_EXPANSION];                /* the direction that grows most */
    double norm;
} piece;

static void find_active(int n, unsigned set, piece *p)
{
    p->n = n;
    p->m = 0;
    for (int i = 0; i < n; i++)
        if (set >> i & 1u)
            p->index[p->m++] = i;
}

/* Λ_a = -G_aa⁻¹ (1 + E_a) γ_a */
static void impulses(const piece *p, const double *G, const double *epsilon, const double *gamma,
                     double *Lambda)
{
    double A[MOST_EXPANSION * MOST_EXPANSION];
    for (int i = 0; i < p->m; i++) {
        Lambda[i] = -(1.0 + epsilon[p->index[i]]) * gamma[p->index[i]];
        for (int j = 0; j < p->m; j++)
            A[j * p->m + i] = G[p->index[i] * p->n + p->index[j]];
    }
    if (p->m == 0)
        return;
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', p->m, A, p->m);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', p->m, 1, A, p->m, Lambda, p->m);
}

/* y → L⁻¹ S(L y), column by column, and its largest singular value. */
static bool measure(const double *G, const double *epsilon, const double *L, piece *p)
{
    enum { N = MOST_EXPANSION };
    int n = p->n;
    double sigma[N], U[N * N], Vt[N * N], A[N * N], work[N * 70 + 16];
    for (int k = 0; k < n; k++) {
        double gamma[N] = {0}, Lambda[N], *column = p->A + k * n;
        for (int i = k; i < n; i++)
            gamma[i] = L[k * n + i];
        impulses(p, G, epsilon, gamma, Lambda);
        for (int i = 0; i < n; i++) {
            column[i] = gamma[i];
            for (int j = 0; j < p->m; j++)
                column[i] += G[i * n + p->index[j]] * Lambda[j];
        }
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', n, 1, L, n, column, n);
    }
    memcpy(A, p->A, (size_t)(n * n) * sizeof *A);
    if (!ss_svd(n, A, sigma, U, Vt, work))
        return false;
    p->norm = sigma[0];
    for (int i = 0; i < n; i++)
        p->top[i] = Vt[i * n];
    return true;
}

/* How much a step along a direction changes Λ of the active contacts, and γ⁺ + E γ⁻ of the others:
 * both are 1 in the middle of the region. */
static double reach(const piece *p, const double *G, const double *epsilon, const double *along)
{
    double Lambda[MOST_EXPANSION], most = 0.0;
    impulses(p, G, epsilon, along, Lambda);
    for (int j = 0; j < p->m; j++)
        most = fmax(most, fabs(Lambda[j]));
    for (int i = 0; i < p->n; i++) {
        double xi = (1.0 + epsilon[i]) * along[i];
        for (int j = 0; j < p->m; j++)
            xi += G[i * p->n + p->index[j]] * Lambda[j];
        most = fmax(most, fabs(xi));
    }
    return most;
}

/* Two states inside the region of a piece, apart along its top direction. */
static void find_pair(const piece *p, const double *G, const double *epsilon, const double *L,
                      ss_expansion *e)
{
    int n = p->n;
    double middle[MOST_EXPANSION], along[MOST_EXPANSION] = {0};
    bool active[MOST_EXPANSION] = {false};
    for (int j = 0; j < p->m; j++)
        active[p->index[j]] = true;
    for (int i = 0; i < n; i++) {
        double apply_impulse = 0.0;
        for (int j = 0; j < p->m; j++)
            apply_impulse += G[i * n + p->index[j]];
        middle[i] = ((active[i] ? 0.0 : 1.0) - apply_impulse) / (1.0 + epsilon[i]);
        for (int k = 0; k <= i; k++)
            along[i] += L[k * n + i] * p->top[k];
    }
    double step = 0.5 / reach(p, G, epsilon, along);
    for (int i = 0; i < n; i++) {
        e->gamma_1[i] = middle[i] + step * along[i];
        e->gamma_2[i] = middle[i] - step * along[i];
    }
}

ss_status ss_impact_expansion(ss_context *context, int n, const double *G, const double *epsilon,
                              ss_expansion *expansion)
{
    double L[MOST_EXPANSION * MOST_EXPANSION];
    piece p;
    *expansion = (ss_expansion){0};
    if (n < 1 || n > MOST_EXPANSION)
        return ss_fail(context, SS_UNSUPPORTED,
                       "the expansion of an impact law is found for 1 to %d contacts, not %d",
                       (int)MOST_EXPANSION, n);
    SS_TRY(ss_impact_check_G(context, n, G));
    SS_TRY(ss_impact_check_epsilon(context, n, epsilon));
    memcpy(L, G, (size_t)(n * n) * sizeof *L);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, L, n) != 0)
        return ss_fail(context, SS_SINGULAR,
                       "impact maps want a regular G; this one is not positive definite");
    for (unsigned set = 0; set < 1u << n; set++) {
        find_active(n, set, &p);
        if (!measure(G, epsilon, L, &p))
            return ss_fail(context, SS_NON_FINITE, "the coefficients are not finite");
        if (p.norm > expansion->ratio * (1.0 + 1e-12)) {
            expansion->ratio = p.norm;
            find_pair(&p, G, epsilon, L, expansion);
        }
    }
    return SS_OK;
}
