/* freedom.c: what the impulses of a solved inclusion may still do while no law changes its mode: rank, null space and
 * uniqueness at a solution. */
#include "rows/freedom.h"

#include "la/eigen.h"
#include "la/small.h"
#include "rows/kind.h"

#include <stickslip/analysis.h>

#include <float.h>
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

/* R = G K, column by column. */
static void fill_response(ss_freedom *f, const ss_inclusion *inclusion)
{
    double *unit = f->column;
    memset(unit, 0, (size_t)f->n * sizeof *unit);
    memset(f->P, 0, (size_t)inclusion->n_rows * sizeof *f->P);
    for (int j = 0; j < f->n; j++) {
        unit[j] = 1.0;
        ss_freedom_spread(f, inclusion, unit, f->P);
        respond(f, inclusion, f->P, f->R + (size_t)j * (size_t)inclusion->n_rows);
        unit[j] = 0.0;
    }
}

/* Makes the columns of X (n × count) orthonormal; twice, for the sake of rounding. */
static void orthonormalize(int n, int count, double *X)
{
    for (int round = 0; round < 2; round++)
        for (int j = 0; j < count; j++) {
            double *xj = X + (size_t)j * (size_t)n;
            for (int i = 0; i < j; i++) {
                const double *xi = X + (size_t)i * (size_t)n;
                ss_axpy(n, -ss_dot(n, xi, xj), xi, xj);
            }
            double size = ss_norm(n, xj);
            for (int k = 0; k < n; k++)
                xj[k] /= size;
        }
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
    orthonormalize(n, f->nullity, f->N);
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
    fill_response(f, inclusion);
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

/* ---- Analysis ---- */

struct ss_analysis {
    ss_context *context;
    ss_freedom freedom;
    const ss_inclusion *inclusion;
};

ss_status ss_analysis_create(ss_context *context, ss_analysis **analysis)
{
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
