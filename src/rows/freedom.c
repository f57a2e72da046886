/* freedom.c: what the impulses of a solved inclusion may still do while no law changes its mode: rank, null space,
 * uniqueness at a solution, and the best among many. */
#include "rows/freedom.h"
#include "base/context.h"

#include "la/eigen.h"
#include "la/small.h"
#include "rows/kind.h"

#include <stickslip/analysis.h>

#include <float.h>
#include <lapacke.h>
#include <string.h>

/* Singular values of the scaled A below this part of the largest count as zero. */
static const double singular = 1e-10;

void ss_freedom_release(ss_freedom *f)
{
    if (f->has_arena)
        ss_arena_release(&f->arena);
    *f = (ss_freedom){0};
}

ss_status ss_freedom_reserve(ss_freedom *f, ss_context *context, int n_blocks, int n_rows, int n_u,
                             int n)
{
    f->context = context;
    if (f->has_arena && n_blocks <= f->capacity_blocks && n_rows <= f->capacity_rows &&
        n_u <= f->capacity_u && n <= f->capacity_n)
        return SS_OK;
    int blocks = n_blocks > f->capacity_blocks ? n_blocks : f->capacity_blocks;
    int rows = n_rows > f->capacity_rows ? n_rows : f->capacity_rows;
    int u = n_u > f->capacity_u ? n_u : f->capacity_u, most = n > f->capacity_n ? n : f->capacity_n;
    ss_freedom_release(f);
    ss_arena_init(&f->arena, context);
    f->context = context;
    f->has_arena = true;
    size_t square = (size_t)most * (size_t)most;
    SS_TRY(SS_ARENA_NEW(&f->arena, most, &f->row));
    SS_TRY(SS_ARENA_NEW(&f->arena, blocks, &f->first));
    SS_TRY(SS_ARENA_NEW(&f->arena, blocks, &f->slides));
    SS_TRY(SS_ARENA_NEW(&f->arena, blocks, &f->cone));
    SS_TRY(SS_ARENA_NEW(&f->arena, blocks, &f->modes));
    SS_TRY(SS_ARENA_NEW(&f->arena, rows, &f->p));
    SS_TRY(SS_ARENA_NEW(&f->arena, rows, &f->P));
    SS_TRY(SS_ARENA_NEW(&f->arena, rows, &f->gamma));
    SS_TRY(SS_ARENA_NEW(&f->arena, u, &f->u));
    SS_TRY(SS_ARENA_NEW(&f->arena, most, &f->x));
    SS_TRY(SS_ARENA_NEW(&f->arena, most, &f->column));
    SS_TRY(SS_ARENA_NEW(&f->arena, most, &f->scale));
    SS_TRY(SS_ARENA_NEW(&f->arena, most, &f->sigma));
    SS_TRY(SS_ARENA_NEW(&f->arena, (size_t)most * (size_t)rows, &f->R));
    SS_TRY(SS_ARENA_NEW(&f->arena, square, &f->N));
    SS_TRY(SS_ARENA_NEW(&f->arena, square, &f->U));
    SS_TRY(SS_ARENA_NEW(&f->arena, square, &f->Vt));
    SS_TRY(SS_ARENA_NEW(&f->arena, 3 * square + 8 * (size_t)most + ss_svd_work(most), &f->work));
    f->capacity_blocks = blocks;
    f->capacity_rows = rows;
    f->capacity_u = u;
    f->capacity_n = most;
    return SS_OK;
}

void ss_slip_direction(const ss_block *B, const double *gamma, double *p)
{
    double size = ss_norm(B->dim, gamma), reach = B->scale / size;
    double before[SS_SET_MAX_DIM];
    memset(p, 0, (size_t)B->dim * sizeof *p);
    for (int i = 0; i < 200; i++) {
        memcpy(before, p, (size_t)B->dim * sizeof *p);
        for (int k = 0; k < B->dim; k++)
            p[k] -= 2.0 * reach * gamma[k];
        ss_set_prox(B->set, B->scale, p, p);
        double change = 0.0;
        for (int k = 0; k < B->dim; k++)
            change = fmax(change, fabs(p[k] - before[k]));
        if (change <= 4.0 * DBL_EPSILON * B->scale)
            return;
    }
}

/* Which rows are held, with their impulses, and which frictions follow. */
static void sort_blocks(ss_freedom *f, const ss_inclusion *inclusion, const double *P,
                        const double *u)
{
    f->n = 0;
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        f->slides[i] = f->modes[i] == SS_MODE_IMPRESSED && B->scale_from >= 0;
        f->first[i] = f->modes[i] == SS_MODE_CONSTRAINT ? f->n : -1;
        f->cone[i] = -1;
        for (int k = 0; k < B->dim && f->first[i] >= 0; k++, f->n++) {
            f->row[f->n] = B->offset + k;
            f->x[f->n] = P[B->offset + k];
        }
    }
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        double gamma[SS_SET_MAX_DIM];
        if (f->slides[i]) {
            ss_inclusion_velocity(inclusion, P, u, i, gamma);
            ss_slip_direction(B, gamma, f->p + B->offset);
        } else if (f->first[i] >= 0 && B->scale_from >= 0 && f->first[B->scale_from] >= 0 &&
                   f->cone[B->scale_from] < 0 && ss_set_is_round(B->set)) {
            f->cone[B->scale_from] = i;
        }
    }
}

/* The sign with which a normal impulse counts in the friction it scales. */
static double side(const ss_freedom *f, const ss_inclusion *inclusion, int block)
{
    ss_set_kind kind = inclusion->blocks[block].set->kind;
    if (kind == SS_SET_HALF_LINE || kind == SS_SET_NEGATIVE_HALF_LINE)
        return kind == SS_SET_HALF_LINE ? 1.0 : -1.0;
    return f->x[f->first[block]] < 0.0 ? -1.0 : 1.0;
}

void ss_freedom_spread(const ss_freedom *f, const ss_inclusion *inclusion, const double *x,
                       double *P)
{
    for (int j = 0; j < f->n; j++)
        P[f->row[j]] = x[j];
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        if (!f->slides[i] || f->first[B->scale_from] < 0)
            continue;
        double N = side(f, inclusion, B->scale_from) * x[f->first[B->scale_from]];
        for (int k = 0; k < B->dim; k++)
            P[B->offset + k] = f->p[B->offset + k] * N;
    }
}

void ss_freedom_relative_velocity(const ss_freedom *f, const ss_inclusion *inclusion,
                                  const double *v, double *y)
{
    for (int j = 0; j < f->n; j++)
        y[j] += v[f->row[j]];
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        if (!f->slides[i] || f->first[B->scale_from] < 0)
            continue;
        y[f->first[B->scale_from]] +=
            side(f, inclusion, B->scale_from) * ss_dot(B->dim, f->p + B->offset, v + B->offset);
    }
}

/* gamma = G P of all rows. */
static void respond(ss_freedom *f, const ss_inclusion *inclusion, const double *P, double *gamma)
{
    const double *constant = inclusion->factor_start ? inclusion->b : inclusion->c;
    if (inclusion->factor_start) {
        memset(f->u, 0, (size_t)inclusion->n_u * sizeof *f->u);
        for (int i = 0; i < inclusion->n_blocks; i++)
            ss_inclusion_apply_impulse(inclusion, i, P + inclusion->blocks[i].offset, f->u);
    }
    for (int i = 0; i < inclusion->n_blocks; i++)
        ss_inclusion_velocity(inclusion, P, f->u, i, gamma + inclusion->blocks[i].offset);
    for (int k = 0; k < inclusion->n_rows; k++)
        gamma[k] -= constant[k];
}

/* The scaled A = U Σ Vᵀ, rank and null vectors. Rows and columns are scaled by 1/√G_ii of their
 * blocks, so that units do not matter. */
static bool decompose(ss_freedom *f, const ss_inclusion *inclusion)
{
    int n = f->n;
    double *A = f->work, *capacity = f->work + (size_t)n * (size_t)n;
    for (int j = 0; j < n; j++) {
        double d = fabs(f->R[(size_t)j * (size_t)inclusion->n_rows + (size_t)f->row[j]]);
        f->scale[j] = d > DBL_MIN ? 1.0 / sqrt(d) : 1.0;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            A[(size_t)j * (size_t)n + (size_t)i] =
                f->scale[i] * f->scale[j] *
                f->R[(size_t)j * (size_t)inclusion->n_rows + (size_t)f->row[i]];
    if (!ss_svd(n, A, f->sigma, f->U, f->Vt, capacity))
        return false;
    f->rank = 0;
    while (f->rank < n && f->sigma[f->rank] > singular * f->sigma[0] && f->sigma[f->rank] > 0.0)
        f->rank++;
    f->nullity = n - f->rank;
    f->condition = f->rank > 0 ? f->sigma[0] / f->sigma[f->rank - 1] : 1.0;
    for (int j = 0; j < f->nullity; j++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)j * (size_t)n + (size_t)i;
            f->N[at] = f->scale[i] * f->Vt[(size_t)i * (size_t)n + (size_t)(f->rank + j)];
        }
    for (int j = 0; j < 2 * f->nullity; j++) { /* orthonormal; twice, for the sake of rounding */
        double *xj = f->N + (size_t)(j % f->nullity) * (size_t)n;
        for (int i = 0; i < j % f->nullity; i++) {
            const double *xi = f->N + (size_t)i * (size_t)n;
            ss_axpy(n, -ss_dot(n, xi, xj), xi, xj);
        }
        double size = ss_norm(n, xj);
        for (int k = 0; k < n; k++)
            xj[k] /= size;
    }
    return true;
}

ss_status ss_freedom_find(ss_freedom *f, ss_context *context, const ss_inclusion *inclusion,
                          const double *P, const double *u, double tolerance)
{
    int n_blocks = inclusion->n_blocks, n_rows = inclusion->n_rows, held = 0;
    int n_u = inclusion->factor_start ? inclusion->n_u : 0;
    SS_TRY(ss_freedom_reserve(f, context, n_blocks, n_rows, n_u, 0));
    ss_inclusion_modes(inclusion, P, u, tolerance, f->modes);
    for (int i = 0; i < n_blocks; i++)
        held += f->modes[i] == SS_MODE_CONSTRAINT ? inclusion->blocks[i].dim : 0;
    if (held > SS_FREEDOM_MOST)
        return ss_fail(
            context, SS_UNSUPPORTED,
            "%d rows are held by constraints; rank and null space are found for up to %d", held,
            (int)SS_FREEDOM_MOST);
    if (held > f->capacity_n) {
        SS_TRY(ss_freedom_reserve(f, context, n_blocks, n_rows, n_u, held));
        ss_inclusion_modes(inclusion, P, u, tolerance, f->modes);
    }
    sort_blocks(f, inclusion, P, u);
    double *unit = f->column; /* R = G K, column by column */
    memset(unit, 0, (size_t)f->n * sizeof *unit);
    memset(f->P, 0, (size_t)n_rows * sizeof *f->P);
    for (int j = 0; j < f->n; j++) {
        unit[j] = 1.0;
        ss_freedom_spread(f, inclusion, unit, f->P);
        respond(f, inclusion, f->P, f->R + (size_t)j * (size_t)n_rows);
        unit[j] = 0.0;
    }
    if (!decompose(f, inclusion))
        return ss_fail(context, SS_NON_FINITE,
                       "the singular values of the held rows could not be found");
    return SS_OK;
}

void ss_freedom_correct(ss_freedom *f, const ss_inclusion *inclusion, double *P)
{
    int n = f->n;
    double *y = f->column;
    ss_freedom_spread(f, inclusion, f->x, P);
    respond(f, inclusion, P, f->gamma);
    if (inclusion->factor_start)
        memcpy(f->u, inclusion->u_free, (size_t)inclusion->n_u * sizeof *f->u);
    memset(f->P, 0, (size_t)inclusion->n_rows * sizeof *f->P);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        const ss_block *B = &inclusion->blocks[i];
        double c[SS_SET_MAX_DIM];
        ss_inclusion_velocity(inclusion, f->P, f->u, i, c);
        for (int k = 0; k < B->dim; k++)
            f->gamma[B->offset + k] += c[k];
    }
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < f->rank; j++) {
        double along = 0.0;
        for (int i = 0; i < n; i++)
            along += f->U[(size_t)j * (size_t)n + (size_t)i] * f->scale[i] * f->gamma[f->row[i]];
        for (int i = 0; i < n; i++)
            y[i] += f->Vt[(size_t)i * (size_t)n + (size_t)j] * along / f->sigma[j];
    }
    for (int i = 0; i < n; i++)
        f->x[i] -= f->scale[i] * y[i];
    ss_freedom_spread(f, inclusion, f->x, P);
}

/* ---- The best of the free impulses, by alternating directions: z, x = x_0 + N z, minimizes the objective and stays near
 * w, w lies in the sets and stays near x ---- */

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
    double size;   /* of x_0 */
    double enough; /* error of x, in parts of it */
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

static bool iterate(search *s)
{
    enum { MOST = 20000, LOOK = 40 };
    const double relaxation = 1.6;
    if (!factor(s))
        return false;
    for (int i = 1; i <= MOST; i++) {
        double primal, dual;
        move_x(s);
        for (int k = 0; k < s->f->n; k++) {
            s->w_before[k] = s->w[k];
            s->y[k] += relaxation * s->x[k] + (1.0 - relaxation) * s->w[k];
            s->w[k] = s->y[k];
        }
        project(s->f, s->inclusion, s->P, s->w);
        for (int k = 0; k < s->f->n; k++)
            s->y[k] -= s->w[k];
        errors(s, &primal, &dual);
        if (primal <= s->enough * s->size && dual <= s->enough * s->size)
            return true;
        double change = primal > 10.0 * dual ? 4.0 : dual > 10.0 * primal ? 0.25 : 1.0;
        if (i % LOOK != 0 || i >= MOST / 2 || change == 1.0)
            continue;
        s->rho *= change; /* keeps the two errors alike; y is the multiplier divided by ρ */
        for (int k = 0; k < s->f->n; k++)
            s->y[k] /= change;
        if (!factor(s))
            return false;
    }
    return false;
}

/* The best without the sets, z = -Q⁻¹ q. Where that lies in the sets it is the best with them. */
static bool is_best_inside(search *s)
{
    double primal, dual;
    s->rho = 0.0;
    if (!s->Q || !factor(s))
        return false;
    move_x(s);
    memcpy(s->w, s->x, (size_t)s->f->n * sizeof *s->w);
    memcpy(s->w_before, s->x, (size_t)s->f->n * sizeof *s->w);
    project(s->f, s->inclusion, s->P, s->w);
    errors(s, &primal, &dual);
    return primal <= s->enough * s->size;
}

/* The search, from x_0, with an error of `enough`; x: the result. */
static bool run_search(search s, double *x)
{
    ss_freedom *f = s.f;
    const double *Q = s.Q, *q = s.q;
    size_t n = (size_t)f->n, d = (size_t)f->nullity;
    double *capacity = f->work;
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
        double trace = 0.0, slope = ss_norm(f->nullity, q) / s.size;
        for (size_t i = 0; i < d && Q; i++)
            trace += Q[i * d + i] / (double)d;
        s.rho = fmax(trace, slope) > DBL_MIN ? fmax(trace, slope) : 1.0;
        found = iterate(&s);
    }
    memcpy(x, s.w, n * sizeof *x);
    return found;
}

bool ss_freedom_optimize(ss_freedom *f, const ss_inclusion *inclusion, const double *P,
                         const double *Q, const double *q, double *x)
{
    const search s = {.f = f, .inclusion = inclusion, .P = P, .Q = Q, .q = q, .enough = 1e-13};
    return run_search(s, x);
}

bool ss_freedom_has_capacity(ss_freedom *f, const ss_inclusion *inclusion, const double *P)
{
    int n = f->n, d = f->nullity;
    size_t square = (size_t)d * (size_t)d;
    double *Q = f->work + 6 * (size_t)n + square, *q = Q + square, *x = q + n;
    const double noticeable = 1e-6;
    const search s = {
        .f = f, .inclusion = inclusion, .P = P, .Q = Q, .q = q, .enough = noticeable / 100};
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
        run_search(s, x);
        for (int i = 0; i < n; i++)
            if (fabs(x[i] - f->x[i]) > noticeable * size)
                return true;
    }
    return false;
}

/* ---- Analysis ---- */

struct ss_analysis {
    ss_context *context;
    ss_freedom freedom;
    const ss_inclusion *inclusion;
};

ss_status ss_analysis_create(ss_context *context, ss_analysis **analysis)
{
    SS_GIVEN(NULL, context);
    SS_GIVEN(context, analysis);
    SS_TRY(SS_NEW(context, 1, analysis));
    (*analysis)->context = context;
    return SS_OK;
}

void ss_analysis_destroy(ss_analysis *analysis)
{
    if (!analysis)
        return;
    ss_freedom_release(&analysis->freedom);
    ss_release(analysis->context, analysis);
}

/* Whether a null direction moves anything: G K N_j beside what its parts do alone. */
static bool moves(const ss_freedom *f, const ss_inclusion *inclusion, int j)
{
    const double *N = f->N + (size_t)j * (size_t)f->n;
    for (int k = 0; k < inclusion->n_rows; k++) {
        double sum = 0.0, size = 0.0;
        for (int i = 0; i < f->n; i++) {
            double part = f->R[(size_t)i * (size_t)inclusion->n_rows + (size_t)k] * N[i];
            sum += part;
            size += fabs(part);
        }
        if (fabs(sum) > 1e-9 * size)
            return true;
    }
    return false;
}

ss_status ss_analysis_determine(ss_analysis *analysis, const ss_inclusion *inclusion,
                                const double *P, const double *u, double tolerance,
                                ss_determinacy *determinacy)
{
    ss_freedom *f = &analysis->freedom;
    SS_TRY(ss_freedom_find(f, analysis->context, inclusion, P, u, tolerance));
    analysis->inclusion = inclusion;
    *determinacy = (ss_determinacy){
        .held = f->n,
        .rank = f->rank,
        .nullity = f->nullity,
        .condition = f->condition,
        .forces_unique = f->nullity == 0 || !ss_freedom_has_capacity(f, inclusion, P),
        .motion_unique = true,
    };
    for (int j = 0; j < f->nullity && !determinacy->forces_unique; j++)
        if (moves(f, inclusion, j))
            determinacy->motion_unique = false;
    return SS_OK;
}

void ss_analysis_null_direction(const ss_analysis *analysis, int k, double *direction)
{
    const ss_freedom *f = &analysis->freedom;
    const ss_inclusion *inclusion = analysis->inclusion;
    memset(direction, 0, (size_t)inclusion->n_rows * sizeof *direction);
    ss_freedom_spread(f, inclusion, f->N + (size_t)k * (size_t)f->n, direction);
}
