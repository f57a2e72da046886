/* freedom_optimize.c: the best of the free impulses, by alternating directions: z, x = x_0 + N z,
 * minimizes the objective and stays near w, w lies in the sets and stays near x. */
#include "la/small.h"
#include "rows/freedom.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

/* Nearest point of { |T| <= mu N } (m components of T); N counts along `sign`. */
static void project_cone(int m, double mu, double sign, double *N, double *T)
{
    double n = sign * *N, t = ss_norm(m, T);
    if (t <= mu * n)
        return;
    if (mu * t <= -n) {
        *N = 0.0;
        memset(T, 0, (size_t)m * sizeof *T);
        return;
    }
    double along = (mu * t + n) / (1.0 + mu * mu);
    *N = sign * along;
    for (int k = 0; k < m; k++)
        T[k] *= mu * along / t;
}

/* Nearest x in the sets. */
static void project(const ss_freedom *f, const ss_inclusion *inclusion, const double *P, double *x)
{
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        double *xi = x + f->first[i];
        int partner = f->cone[i];
        if (f->first[i] < 0 || B->scale_from >= 0)
            continue;
        if (partner >= 0)
            project_cone(inclusion->blocks[partner].dim, inclusion->blocks[partner].scale,
                         B->set->kind == SS_SET_NEGATIVE_HALF_LINE ? -1.0 : 1.0, xi,
                         x + f->first[partner]);
        else
            ss_set_prox(B->set, B->scale, xi, xi);
    }
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        if (f->first[i] < 0 || B->scale_from < 0 || f->cone[B->scale_from] == i)
            continue;
        /* It sticks and shares no cone with its normal impulse: its radius is taken as that stands. */
        int normal = f->first[B->scale_from];
        double N = normal >= 0 ? x[normal] : P[inclusion->blocks[B->scale_from].offset];
        ss_set_prox(B->set, B->scale * fabs(N), x + f->first[i], x + f->first[i]);
    }
}

/* One optimization on its way. */
typedef struct search {
    ss_freedom *f;
    const ss_inclusion *inclusion;
    const double *P;
    const double *Q, *q;
    double rho;
    double size; /* of x_0 */
    double *z, *x, *w, *y, *w_before, *factor;
} search;

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int k = 0; k < n; k++)
        most = fmax(most, fabs(x[k]));
    return most;
}

static bool factor(search *s)
{
    int d = s->f->nullity;
    for (int i = 0; i < d * d; i++)
        s->factor[i] = s->Q ? s->Q[i] : 0.0;
    for (int i = 0; i < d; i++)
        s->factor[i * d + i] += s->rho;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', d, s->factor, d) == 0;
}

/* z = (Q + ρ)⁻¹ (ρ Nᵀ (w - y - x_0) - q), x = x_0 + N z */
static void move_x(search *s)
{
    const ss_freedom *f = s->f;
    int n = f->n, d = f->nullity;
    for (int i = 0; i < n; i++)
        s->x[i] = s->w[i] - s->y[i] - f->x[i];
    for (int j = 0; j < d; j++)
        s->z[j] = s->rho * ss_dot(n, f->N + (size_t)j * (size_t)n, s->x) - s->q[j];
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', d, 1, s->factor, d, s->z, d);
    memcpy(s->x, f->x, (size_t)n * sizeof *s->x);
    for (int j = 0; j < d; j++)
        ss_axpy(n, s->z[j], f->N + (size_t)j * (size_t)n, s->x);
}

static void move_w(search *s)
{
    const double relaxation = 1.6;
    int n = s->f->n;
    for (int i = 0; i < n; i++) {
        s->w_before[i] = s->w[i];
        s->y[i] += relaxation * s->x[i] + (1.0 - relaxation) * s->w[i];
        s->w[i] = s->y[i];
    }
    project(s->f, s->inclusion, s->P, s->w);
    for (int i = 0; i < n; i++)
        s->y[i] -= s->w[i];
}

/* How far x is from the sets, and how far w still moves along N. */
static void errors(const search *s, double *primal, double *dual)
{
    const ss_freedom *f = s->f;
    *primal = *dual = 0.0;
    for (int i = 0; i < f->n; i++)
        *primal = fmax(*primal, fabs(s->x[i] - s->w[i]));
    for (int j = 0; j < f->nullity; j++) {
        const double *N = f->N + (size_t)j * (size_t)f->n;
        *dual = fmax(*dual, fabs(ss_dot(f->n, N, s->w) - ss_dot(f->n, N, s->w_before)));
    }
}

/* Keeps the two errors alike; y is the multiplier divided by ρ. */
static bool balance(search *s, double primal, double dual)
{
    double change = primal > 10.0 * dual ? 4.0 : dual > 10.0 * primal ? 0.25 : 1.0;
    if (change == 1.0)
        return true;
    s->rho *= change;
    for (int i = 0; i < s->f->n; i++)
        s->y[i] /= change;
    return factor(s);
}

static bool iterate(search *s)
{
    enum { MOST = 20000, LOOK = 40 };
    const double enough = 1e-13;
    if (!factor(s))
        return false;
    for (int i = 1; i <= MOST; i++) {
        double primal, dual;
        move_x(s);
        move_w(s);
        errors(s, &primal, &dual);
        if (primal <= enough * s->size && dual <= enough * s->size)
            return true;
        if (i % LOOK == 0 && i < MOST / 2 && !balance(s, primal, dual))
            return false;
    }
    return false;
}

/* The best without the sets, z = -Q⁻¹ q. Where that lies in the sets it is the best with them. */
static bool is_best_inside(search *s)
{
    const double enough = 1e-13;
    double primal, dual;
    s->rho = 0.0;
    if (!s->Q || !factor(s))
        return false;
    move_x(s);
    memcpy(s->w, s->x, (size_t)s->f->n * sizeof *s->w);
    memcpy(s->w_before, s->x, (size_t)s->f->n * sizeof *s->w);
    project(s->f, s->inclusion, s->P, s->w);
    errors(s, &primal, &dual);
    return primal <= enough * s->size;
}

static double first_rho(const search *s)
{
    int d = s->f->nullity;
    double trace = 0.0, slope = ss_norm(d, s->q) / s->size;
    for (int i = 0; i < d && s->Q; i++)
        trace += s->Q[i * d + i] / d;
    double rho = fmax(trace, slope);
    return rho > DBL_MIN ? rho : 1.0;
}

bool ss_freedom_optimize(ss_freedom *f, const ss_inclusion *inclusion, const double *P,
                         const double *Q, const double *q, double *x)
{
    size_t n = (size_t)f->n, d = (size_t)f->nullity;
    double *capacity = f->work;
    search s = {.f = f, .inclusion = inclusion, .P = P, .Q = Q, .q = q};
    double **const vectors[] = {&s.z, &s.x, &s.w, &s.y, &s.w_before};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = capacity;
        capacity += n;
    }
    s.factor = capacity;
    memset(s.y, 0, n * sizeof *s.y);
    memcpy(s.w, f->x, n * sizeof *s.w);
    s.size = largest(f->n, f->x);
    if (s.size == 0.0)
        s.size = 1.0;
    if (d == 0) {
        memcpy(x, f->x, n * sizeof *x);
        return true;
    }
    bool found = is_best_inside(&s);
    if (!found) {
        memcpy(s.w, f->x, n * sizeof *s.w);
        s.rho = first_rho(&s);
        found = iterate(&s);
    }
    memcpy(x, s.w, n * sizeof *x);
    return found;
}

bool ss_freedom_has_capacity(ss_freedom *f, const ss_inclusion *inclusion, const double *P)
{
    int n = f->n, d = f->nullity;
    size_t square = (size_t)d * (size_t)d;
    double *Q = f->work + 6 * (size_t)n + square, *q = Q + square, *x = q + n;
    double size = largest(n, f->x);
    if (size == 0.0)
        size = 1.0;
    memset(Q, 0, square * sizeof *Q);
    for (int j = 0; j < d; j++)
        Q[j * d + j] = 1.0;
    /* The point of the solutions that is nearest to one which lies in the direction ±N_j. */
    for (int j = 0; j < 2 * d; j++) {
        memset(q, 0, (size_t)d * sizeof *q);
        q[j / 2] = j % 2 ? size : -size;
        ss_freedom_optimize(f, inclusion, P, Q, q, x);
        for (int i = 0; i < n; i++)
            if (fabs(x[i] - f->x[i]) > 1e-6 * size)
                return true;
    }
    return false;
}
