/* local.c: one group alone, the others held fixed, solved exactly. */
#include "solver/local.h"

#include "la/small.h"
#include "set/set.h"

#include <float.h>
#include <string.h>

bool ss_small_inverse(int n, const double *G, double *work, double *inverse)
{
    int width = 2 * n;
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < width; j++)
            work[i * width + j] = j < n ? G[i * n + j] : (double)(j - n == i);
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(G[i]));
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(work[i * width + k]) > fabs(work[best * width + k]))
                best = i;
        double pivot = work[best * width + k];
        if (!(fabs(pivot) > 1e-13 * largest) || fabs(pivot) < DBL_MIN)
            return false;
        for (int j = 0; j < width; j++) {
            double swap = work[k * width + j];
            work[k * width + j] = work[best * width + j] / pivot;
            if (best != k)
                work[best * width + j] = swap;
        }
        for (int i = 0; i < n; i++)
            if (i != k)
                ss_axpy(width, -work[i * width + k], work + k * width, work + i * width);
    }
    for (int i = 0; i < n; i++)
        memcpy(inverse + i * n, work + i * width + n, (size_t)n * sizeof *inverse);
    return true;
}

static void prepare(int dim, ss_local_contact *k)
{
    const double *G = k->G;
    double work[8];
    k->prepared = true;
    if (dim == 2) {
        k->regular = ss_small_inverse(2, G, work, k->inverse);
        return;
    }
    double *H = k->inverse; /* from cofactors */
    H[0] = G[4] * G[8] - G[5] * G[7];
    H[1] = G[2] * G[7] - G[1] * G[8];
    H[2] = G[1] * G[5] - G[2] * G[4];
    H[3] = G[5] * G[6] - G[3] * G[8];
    H[4] = G[0] * G[8] - G[2] * G[6];
    H[5] = G[2] * G[3] - G[0] * G[5];
    H[6] = G[3] * G[7] - G[4] * G[6];
    H[7] = G[1] * G[6] - G[0] * G[7];
    H[8] = G[0] * G[4] - G[1] * G[3];
    double det = G[0] * H[0] + G[1] * H[3] + G[2] * H[6];
    k->regular = fabs(det) > 1e-13 * fabs(G[0] * G[4] * G[8]) && !(fabs(det) < DBL_MIN);
    double scale = k->regular ? 1.0 / det : 1.0;
    for (int i = 0; i < 9; i++)
        H[i] *= scale;
    double s = G[0] > DBL_MIN ? 1.0 / G[0] : 0.0;
    k->S[0] = G[4] - G[3] * G[1] * s;
    k->S[1] = G[5] - G[3] * G[2] * s;
    k->S[2] = G[7] - G[6] * G[1] * s;
    k->S[3] = G[8] - G[6] * G[2] * s;
}

bool ss_contact_solve2(ss_local_contact *k, const double *c, double *P)
{
    const double *G = k->G, *H = k->inverse;
    P[0] = P[1] = 0.0;
    if (c[0] >= 0.0)
        return true;
    if (!k->prepared)
        prepare(2, k);
    if (k->regular) {
        double N = -(H[0] * c[0] + H[1] * c[1]), T = -(H[2] * c[0] + H[3] * c[1]);
        if (N >= 0.0 && fabs(T) <= k->mu * N) {
            P[0] = N;
            P[1] = T;
            return true;
        }
    }
    for (int side = -1; side <= 1; side += 2) { /* P_T = ±μ P_N against the slip */
        double s = side * k->mu, g = G[0] + s * G[1];
        if (!(g > DBL_MIN))
            continue;
        double N = -c[0] / g, u_T = c[1] + (G[2] + s * G[3]) * N;
        if (side * u_T > 0.0)
            continue;
        P[0] = N;
        P[1] = s * N;
        return true;
    }
    return false;
}

/* P of a slipping contact whose u_T = -λ P_T, and what is wrong with it. */
typedef struct slip {
    double N, T[2], norm;
    double error;      /* μ P_N / ‖P_T‖ - 1: negative when λ is too small */
    double derivative; /* of the error, by λ */
} slip;

static inline slip slip_at(const ss_local_contact *k, const double *c, const double *a, double g,
                           double lambda)
{
    const double *G = k->G, *S = k->S;
    double s = S[0] + lambda, t = S[3] + lambda, inverse = 1.0 / (s * t - S[1] * S[2]);
    slip at;
    at.T[0] = -(t * a[0] - S[1] * a[1]) * inverse;
    at.T[1] = -(s * a[1] - S[2] * a[0]) * inverse;
    at.N = -(c[0] + G[1] * at.T[0] + G[2] * at.T[1]) * g;
    at.norm = sqrt(at.T[0] * at.T[0] + at.T[1] * at.T[1]);
    double d0 = -(t * at.T[0] - S[1] * at.T[1]) * inverse;
    double d1 = -(s * at.T[1] - S[2] * at.T[0]) * inverse;
    double N_d = -(G[1] * d0 + G[2] * d1) * g, scale = 1.0 / at.norm;
    double norm_d = (at.T[0] * d0 + at.T[1] * d1) * scale;
    at.error = k->mu * at.N * scale - 1.0;
    at.derivative = k->mu * (N_d - at.N * norm_d * scale) * scale;
    return at;
}

/* Where S is singular, λ stays away from 0, and what would stick there slips by a trace. */
static double least_lambda(const ss_local_contact *k)
{
    return k->regular ? 0.0 : 1e-13 * (k->G[4] + k->G[8]);
}

/* The secular equation ‖P_T(λ)‖ = μ P_N(λ), by Newton's method on μ P_N / ‖P_T‖, which is nearly
 * linear in λ, held in a bracket: at λ = 0 the contact would leave the cone, for λ → ∞ it does
 * not slip at all. The search begins at the λ of the last one. */
static slip find_slip(ss_local_contact *k, const double *c)
{
    double least = least_lambda(k);
    double g = 1.0 / k->G[0], low = least, high = INFINITY, lambda = fmax(k->lambda, least);
    double a[2] = {c[1] - k->G[3] * c[0] * g, c[2] - k->G[6] * c[0] * g}, goal = 1e-13;
    slip at = {0};
    for (int i = 0; i < 100; i++) {
        at = slip_at(k, c, a, g, lambda);
        if (fabs(at.error) <= goal || (lambda <= least && at.error > 0.0))
            break;
        if (i == 0 && k->lambda > 0.0)
            goal = fmax(goal, k->leave * fmin(1.0, fabs(at.error)));
        if (at.error < 0.0)
            low = lambda;
        else
            high = lambda;
        double next = lambda - at.error / at.derivative;
        if (!(next > low && next < high))
            next = high < INFINITY ? 0.5 * (low + high)
                                   : 2.0 * lambda + 0.1 * (fabs(k->S[0]) + fabs(k->S[3]));
        if (next == lambda)
            break;
        lambda = next;
    }
    k->lambda = isfinite(lambda) ? lambda : 0.0;
    return at;
}

bool ss_contact_solve3(ss_local_contact *k, const double *c, double *P)
{
    const double *H = k->inverse;
    P[0] = P[1] = P[2] = 0.0;
    if (c[0] >= 0.0)
        return true;
    if (k->G[0] <= DBL_MIN)
        return false;
    if (!k->prepared)
        prepare(3, k);
    if (k->regular) {
        double N = -(H[0] * c[0] + H[1] * c[1] + H[2] * c[2]);
        double T0 = -(H[3] * c[0] + H[4] * c[1] + H[5] * c[2]);
        double T1 = -(H[6] * c[0] + H[7] * c[1] + H[8] * c[2]);
        if (N >= 0.0 && T0 * T0 + T1 * T1 <= k->mu * k->mu * N * N) {
            P[0] = N;
            P[1] = T0;
            P[2] = T1;
            return true;
        }
    }
    if (k->mu == 0.0) {
        P[0] = -c[0] / k->G[0];
        return true;
    }
    slip at = find_slip(k, c);
    if (!isfinite(at.N) || !isfinite(at.norm) || at.N < 0.0)
        return false;
    /* At the least λ; no solution when that still slips. */
    bool sticks = at.error > 1e-13 && k->lambda <= least_lambda(k);
    if (sticks && k->lambda * at.norm > 1e-8 * (fabs(c[0]) + fabs(c[1]) + fabs(c[2])))
        return false;
    double factor = sticks ? 1.0 : at.norm > 0.0 ? k->mu * at.N / at.norm : 0.0;
    P[0] = at.N;
    P[1] = factor * at.T[0];
    P[2] = factor * at.T[1];
    return true;
}

/* P = prox(P - r (G P + c)) again and again, for sets without a prox in a metric. */
static void iterate(const ss_block *B, double scale, const double *G, double r, const double *c,
                    double *P)
{
    double x[SS_SET_MAX_DIM], row_sum = 0.0;
    for (int a = 0; a < B->dim; a++) {
        double sum = 0.0;
        for (int b = 0; b < B->dim; b++)
            sum += fabs(G[a * B->dim + b]);
        row_sum = fmax(row_sum, sum);
    }
    r = row_sum > DBL_MIN ? 1.0 / row_sum : r;
    for (int i = 0; i < 50; i++) {
        double change = 0.0, size = 0.0;
        for (int a = 0; a < B->dim; a++)
            x[a] = P[a] - r * (c[a] + ss_dot(B->dim, G + a * B->dim, P));
        if (!ss_all_finite(B->dim, x))
            return;
        B->set->ops->prox(B->set->self, B->dim, scale, x, x);
        for (int a = 0; a < B->dim; a++) {
            change = fmax(change, fabs(x[a] - P[a]));
            size = fmax(size, fabs(x[a]));
            P[a] = x[a];
        }
        if (change <= 1e-14 * size)
            return;
    }
}

void ss_single_solve(const ss_block *B, double scale, const double *G, const double *inverse,
                     double r, const double *c, double *P)
{
    double x[SS_SET_MAX_DIM];
    bool metric = B->dim == 1 || ss_set_has_metric(B->set);
    if (!inverse || !metric || !isfinite(scale)) {
        iterate(B, scale, G, r, c, P);
        return;
    }
    for (int a = 0; a < B->dim; a++)
        x[a] = -ss_dot(B->dim, inverse + a * B->dim, c);
    if (!ss_all_finite(B->dim, x))
        return;
    if (B->dim == 1)
        B->set->ops->prox(B->set->self, 1, scale, x, P);
    else
        B->set->ops->prox_metric(B->set->self, B->dim, scale, G, x, P);
}
