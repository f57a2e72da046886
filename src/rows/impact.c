/* impact.c: the maps of Leine & Baumann's impact laws, whether they are monotone, and by how much they are not. */
#include "base/context.h"
#include "la/eigen.h"
#include "la/small.h"

#include <stickslip/impact.h>

#include <float.h>
#include <lapacke.h>
#include <string.h>

enum { MOST = SS_IMPACT_MOST, MOST_EXPANSION = 12 };
#define SYMMETRY 1e-10 /* of √(G_ii G_jj) */

/* ---- What impact maps refuse ---- */

/* Numbers that are not finite; `what` names them. */
static ss_status check_vector(ss_context *context, int n, const double *x, const char *what)
{
    return ss_all_finite(n, x)
               ? SS_OK
               : ss_fail(context, SS_NON_FINITE, "%s of an impact map is not finite", what);
}

static ss_status check_epsilon(ss_context *context, int n, const double *epsilon)
{
    for (int i = 0; i < n; i++)
        if (!(epsilon[i] >= 0.0 && epsilon[i] <= 1.0))
            return ss_fail(context, SS_INPUT,
                           "a restitution coefficient of an impact map is %g; it must be from 0 to "
                           "1",
                           epsilon[i]);
    return SS_OK;
}

static ss_status check_G(ss_context *context, int n, const double *G)
{
    SS_TRY(check_vector(context, n * n, G, "G"));
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

/* G = L Lᵀ by columns. */
static ss_status factor(ss_context *context, int n, const double *G, double *L)
{
    memcpy(L, G, (size_t)n * (size_t)n * sizeof *L);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, L, n) != 0)
        return ss_fail(context, SS_SINGULAR,
                       "impact maps want a regular G; this one is not positive definite");
    return SS_OK;
}

static ss_status check(ss_context *context, int n, const double *G)
{
    double L[MOST * MOST];
    if (n < 1 || n > MOST)
        return ss_fail(context, SS_INPUT, "an impact map wants 1 to %d contacts, not %d", (int)MOST,
                       n);
    SS_TRY(check_G(context, n, G));
    return factor(context, n, G, L);
}

/* ---- Maps ---- */

/* G_aa x = y for the m contacts in `index`; y becomes x. */
static void solve_some(int n, const double *G, int m, const int *index, double *y)
{
    double A[MOST * MOST];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            A[j * m + i] = G[index[i] * n + index[j]];
    if (m == 0)
        return;
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, A, m);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', m, 1, A, m, y, m);
}

/* x of G_aa x_a = -c_a over the contacts in `active`, zero elsewhere. */
static void solve_active(int n, const double *G, const double *c, const bool *active, double *x)
{
    double y[MOST] = {0};
    int index[MOST] = {0}, m = 0;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        if (!active[i])
            continue;
        y[m] = -c[i];
        index[m++] = i;
    }
    solve_some(n, G, m, index, y);
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
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, G);
    SS_GIVEN(context, z);
    SS_GIVEN(context, x);
    double c[MOST] = {0};
    SS_TRY(check(context, n, G));
    SS_TRY(check_vector(context, n, z, "z"));
    multiply(n, n, G, z, c);
    for (int i = 0; i < n; i++)
        c[i] = -c[i];
    solve_lcp(n, G, c, x);
    return SS_OK;
}

ss_status ss_impact_S(ss_context *context, int n, const double *G, const double *epsilon,
                      const double *gamma_before, double *gamma_after, double *Lambda)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, G);
    SS_GIVEN(context, epsilon);
    SS_GIVEN(context, gamma_before);
    SS_GIVEN(context, gamma_after);
    double c[MOST] = {0}, x[MOST], change[MOST];
    SS_TRY(check(context, n, G));
    SS_TRY(check_epsilon(context, n, epsilon));
    SS_TRY(check_vector(context, n, gamma_before, "γ⁻"));
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
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, Minv);
    SS_GIVEN(context, W);
    SS_GIVEN(context, epsilon);
    SS_GIVEN(context, u_before);
    SS_GIVEN(context, u_after);
    double G[MOST * MOST] = {0}, gamma[MOST] = {0}, after[MOST], Lambda[MOST];
    if (n < 1 || n > MOST || n_u < 1)
        return check(context, n, G);
    SS_TRY(check_vector(context, n_u, u_before, "u⁻"));
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
    SS_TRY(check_vector(context, n, gamma_mean, "γ̄"));
    solve_lcp(n, G, gamma_mean, x);
    return SS_OK;
}

ss_status ss_impact_H(ss_context *context, int n, const double *G, double epsilon,
                      const double *gamma_mean, double *Lambda)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, G);
    SS_GIVEN(context, gamma_mean);
    SS_GIVEN(context, Lambda);
    SS_TRY(compress(context, n, G, epsilon, gamma_mean, Lambda));
    for (int i = 0; i < n; i++)
        Lambda[i] *= 2.0 * (1.0 + epsilon) / (1.0 - epsilon);
    return SS_OK;
}

ss_status ss_impact_Phi(ss_context *context, int n, const double *G, double epsilon,
                        const double *gamma_mean, double *Phi)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, G);
    SS_GIVEN(context, gamma_mean);
    SS_GIVEN(context, Phi);
    double x[MOST], Gx[MOST];
    SS_TRY(compress(context, n, G, epsilon, gamma_mean, x));
    multiply(n, n, G, x, Gx);
    *Phi = (1.0 + epsilon) / (1.0 - epsilon) * ss_dot(n, x, Gx);
    return SS_OK;
}

/* ---- Monotone laws ---- */

ss_status ss_impact_monotonicity(ss_context *context, int n, const double *G, const double *epsilon,
                                 double *least)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, G);
    SS_GIVEN(context, epsilon);
    SS_GIVEN(context, least);
    double A[MOST * MOST], work[MOST * 40], most;
    if (n < 1 || n > MOST)
        return ss_fail(context, SS_INPUT, "an impact law wants 1 to %d contacts, not %d", (int)MOST,
                       n);
    SS_TRY(check_G(context, n, G));
    SS_TRY(check_epsilon(context, n, epsilon));
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

/* Λ_a = -G_aa⁻¹ (1 + E_a) γ_a */
static void impulses(const piece *p, const double *G, const double *epsilon, const double *gamma,
                     double *Lambda)
{
    for (int i = 0; i < p->m; i++)
        Lambda[i] = -(1.0 + epsilon[p->index[i]]) * gamma[p->index[i]];
    solve_some(p->n, G, p->m, p->index, Lambda);
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
        double sum = 0.0;
        for (int j = 0; j < p->m; j++)
            sum += G[i * n + p->index[j]];
        middle[i] = ((active[i] ? 0.0 : 1.0) - sum) / (1.0 + epsilon[i]);
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
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, G);
    SS_GIVEN(context, epsilon);
    SS_GIVEN(context, expansion);
    double L[MOST_EXPANSION * MOST_EXPANSION];
    piece p;
    *expansion = (ss_expansion){0};
    if (n < 1 || n > MOST_EXPANSION)
        return ss_fail(context, SS_UNSUPPORTED,
                       "the expansion of an impact law is found for 1 to %d contacts, not %d",
                       (int)MOST_EXPANSION, n);
    SS_TRY(check_G(context, n, G));
    SS_TRY(check_epsilon(context, n, epsilon));
    SS_TRY(factor(context, n, G, L));
    for (unsigned set = 0; set < 1u << n; set++) {
        p.n = n;
        p.m = 0;
        for (int i = 0; i < n; i++)
            if (set >> i & 1u)
                p.index[p.m++] = i;
        if (!measure(G, epsilon, L, &p))
            return ss_fail(context, SS_NON_FINITE, "the coefficients are not finite");
        if (p.norm > expansion->ratio * (1.0 + 1e-12)) {
            expansion->ratio = p.norm;
            find_pair(&p, G, epsilon, L, expansion);
        }
    }
    return SS_OK;
}
