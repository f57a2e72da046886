/* equilibrium.c: whether G λ = -c has a solution within given sets.
 *
 * All solutions are λ + N z, with the columns of N in the null space of G. The margin τ is the least
 * distance from a boundary, R - |T| of friction with its radius R, λ of a contact. It is a concave
 * function of z; Newton's method with a logarithmic barrier finds its maximum, until that is known to be
 * positive or negative.
 */
#include "simulation/equilibrium.h"

#include "la/eigen.h"
#include "la/small.h"
#include "simulation/simulation.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

bool ss_equilibrium_decompose(ss_equilibrium *q, int n, const double *G, const double *scale)
{
    const double singular = 1e-11;
    int rank = 0;
    q->n = n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            q->A[j * n + i] = scale[i] * G[i * n + j] * scale[j];
    if (!ss_svd(n, q->A, q->sigma, q->U, q->Vt, q->scratch))
        return false;
    while (rank < n && q->sigma[rank] > singular * q->sigma[0])
        rank++;
    q->k = n - rank;
    for (int j = 0; j < q->k; j++)
        for (int i = 0; i < n; i++)
            q->N[i * n + j] = scale[i] * q->Vt[i * n + rank + j];
    return true;
}

void ss_equilibrium_solve(const ss_equilibrium *q, const double *scale, const double *c,
                          double *lambda)
{
    int n = q->n;
    memset(lambda, 0, (size_t)n * sizeof *lambda);
    for (int j = 0; j < n - q->k; j++) {
        double along = 0;
        for (int i = 0; i < n; i++)
            along -= q->U[j * n + i] * scale[i] * c[i];
        for (int i = 0; i < n; i++)
            lambda[i] += scale[i] * q->Vt[i * n + j] * along / q->sigma[j];
    }
}

/* a and D of a boundary at the forces q->x. */
static double distance_in(const ss_equilibrium *q, const ss_boundary *b, double tau, double *a)
{
    *a = (b->radius >= 0 ? b->factor * q->x[b->radius] : b->factor) - tau;
    double D = b->dim > 0 ? *a * *a : *a;
    for (int i = 0; i < b->dim; i++)
        D -= q->x[b->row + i] * q->x[b->row + i];
    return D;
}

/* Adds -log D of one boundary to gradient and Hessian. */
static void add_barrier(ss_equilibrium *q, const ss_boundary *b, double tau)
{
    int k = q->k, m = k + 1, n = q->n;
    double a, D = distance_in(q, b, tau, &a), *g_a = q->sigma, *g_D = q->scratch;
    for (int j = 0; j < k; j++)
        g_a[j] = b->radius >= 0 ? b->factor * q->N[b->radius * n + j] : 0;
    g_a[k] = -1;
    for (int j = 0; j < m; j++) {
        g_D[j] = b->dim > 0 ? 2 * a * g_a[j] : g_a[j];
        for (int i = 0; j < k && i < b->dim; i++)
            g_D[j] -= 2 * q->x[b->row + i] * q->N[(b->row + i) * n + j];
        q->gradient[j] -= g_D[j] / D;
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            double curvature = b->dim > 0 ? 2 * g_a[i] * g_a[j] : 0;
            for (int s = b->row; i < k && j < k && s < b->row + b->dim; s++)
                curvature -= 2 * q->N[s * n + i] * q->N[s * n + j];
            q->A[j * m + i] += g_D[i] * g_D[j] / (D * D) - curvature / D;
        }
}

static void move_forces(ss_equilibrium *q, const double *lambda)
{
    for (int i = 0; i < q->n; i++)
        q->x[i] = lambda[i] + ss_dot(q->k, q->N + i * q->n, q->z);
}

/* One step of Newton's method for max weight · τ + Σ log D; returns its decrement, NAN: none. */
static double newton(ss_equilibrium *q, const double *lambda, int n_b, const ss_boundary *b,
                     double weight)
{
    int m = q->k + 1;
    double trace = 0;
    memset(q->A, 0, (size_t)(m * m) * sizeof *q->A);
    memset(q->gradient, 0, (size_t)m * sizeof *q->gradient);
    q->gradient[q->k] = -weight;
    for (int i = 0; i < n_b; i++)
        add_barrier(q, &b[i], q->z[q->k]);
    for (int j = 0; j < m; j++)
        trace += q->A[j * m + j];
    for (int j = 0; j < m; j++) /* forces that no boundary sees stay */
        q->A[j * m + j] += 1e-15 * trace;
    memcpy(q->sigma, q->gradient, (size_t)m * sizeof *q->sigma);
    if (LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', m, 1, q->A, m, q->sigma, m) != 0)
        return NAN;
    double decrement = sqrt(fmax(0, ss_dot(m, q->gradient, q->sigma)));
    ss_axpy(m, -1 / (1 + (decrement > 0.25 ? decrement : 0)), q->sigma, q->z);
    move_forces(q, lambda);
    return decrement;
}

bool ss_equilibrium_exists(ss_equilibrium *q, const double *lambda, int n_b, const ss_boundary *b)
{
    enum { MOST = 400 };
    const double least = 1e-13, centred = 0.2, growth = 8;
    double size = DBL_MIN, start = INFINITY, a;
    for (int i = 0; i < q->n; i++)
        size = fmax(size, fabs(lambda[i]));
    memset(q->z, 0, (size_t)(q->k + 1) * sizeof *q->z);
    move_forces(q, lambda);
    for (int i = 0; i < n_b; i++) {
        distance_in(q, &b[i], 0, &a);
        start = fmin(start, a - (b[i].dim > 0 ? ss_norm(b[i].dim, q->x + b[i].row) : 0));
    }
    double *tau = &q->z[q->k], weight = 1 / size, parts = 2 * n_b;
    *tau = start - size;
    for (int i = 0; i < MOST && *tau <= 0; i++) {
        double decrement = newton(q, lambda, n_b, b, weight);
        if (!isfinite(decrement))
            break;
        if (decrement > centred)
            continue;
        double most = *tau + 2 * parts / weight; /* no margin is larger */
        if (most < 0 || parts / weight < least * size)
            break;
        weight *= growth;
    }
    return *tau > -10 * least * size;
}

ss_status ss_equilibrium_reserve(ss_simulation *simulation, int n, int n_boundaries,
                                 ss_equilibrium *q)
{
    int m = n + 1;
    SS_RESERVE(simulation, double, m *m, &q->A, &q->U, &q->Vt, &q->N);
    SS_RESERVE(simulation, double, m, &q->x, &q->z, &q->gradient, &q->sigma);
    SS_RESERVE(simulation, double, ss_svd_work(n) + (size_t)m, &q->scratch);
    SS_RESERVE(simulation, ss_boundary, n_boundaries, &q->boundaries);
    return SS_OK;
}
