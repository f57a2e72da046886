/* least_norm.c: the impulses of least norm that have the same effect and stay in their sets. */
#include "rows/least_norm.h"

#include "la/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Memory ---- */

void ss_least_norm_release(ss_least_norm *s)
{
    if (s->has_arena)
        ss_arena_release(&s->arena);
    *s = (ss_least_norm){0};
}

ss_status ss_least_norm_reserve(ss_least_norm *s, ss_context *context, int n, int r)
{
    if (s->has_arena && n <= s->capacity_n && r <= s->capacity_r)
        return SS_OK;
    size_t most = (size_t)(n > s->capacity_n ? n : s->capacity_n);
    size_t rows = (size_t)(r > s->capacity_r ? r : s->capacity_r);
    ss_least_norm_release(s);
    ss_arena_init(&s->arena, context);
    s->has_arena = true;
    double **const of_n[] = {&s->y, &s->z, &s->w};
    double **const of_r[] = {&s->d, &s->lambda, &s->trial, &s->step, &s->g};
    for (size_t k = 0; k < sizeof of_n / sizeof *of_n; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, most, of_n[k]));
    for (size_t k = 0; k < sizeof of_r / sizeof *of_r; k++)
        SS_TRY(SS_ARENA_NEW(&s->arena, rows, of_r[k]));
    SS_TRY(SS_ARENA_NEW(&s->arena, most, &s->parts));
    SS_TRY(SS_ARENA_NEW(&s->arena, most * rows, &s->C));
    SS_TRY(SS_ARENA_NEW(&s->arena, most * rows, &s->D));
    SS_TRY(SS_ARENA_NEW(&s->arena, rows * rows, &s->H));
    s->capacity_n = (int)most;
    s->capacity_r = (int)rows;
    return SS_OK;
}

/* ---- Cholesky's factors ---- */

int ss_independent_rows(int n, double *A, double singular, int *row, double *scratch)
{
    double *least = scratch;
    for (int k = 0; k < n; k++) {
        row[k] = k;
        least[k] = singular * A[k * n + k];
    }
    for (int r = 0; r < n; r++) { /* A becomes what is left of it, in the order of `row` */
        int best = -1;
        double most = 0.0;
        for (int k = r; k < n; k++) {
            double left = A[row[k] * n + row[k]];
            double part = left > least[row[k]] ? left / least[row[k]] : 0.0;
            if (part > most * (1.0 + 1e-9)) {
                most = part;
                best = k;
            }
        }
        if (best < 0)
            return r;
        int i = row[best];
        row[best] = row[r];
        row[r] = i;
        for (int k = r + 1; k < n; k++) {
            double factor = A[row[k] * n + i] / A[i * n + i];
            for (int l = r + 1; l <= k && factor != 0.0; l++) {
                double value = A[row[k] * n + row[l]] - factor * A[i * n + row[l]];
                A[row[k] * n + row[l]] = A[row[l] * n + row[k]] = value;
            }
        }
    }
    return n;
}

/* H = L Lᵀ in its lower triangle; false when it is not positive. */
static bool factor(int r, double *H)
{
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++) {
            double sum = H[i * r + j] - ss_dot(j, H + i * r, H + j * r);
            if (i != j)
                H[i * r + j] = sum / H[j * r + j];
            else if (!(sum > 0.0))
                return false;
            else
                H[i * r + i] = sqrt(sum);
        }
    return true;
}

static void solve(int r, const double *L, double *x)
{
    for (int i = 0; i < r; i++)
        x[i] = (x[i] - ss_dot(i, L + i * r, x)) / L[i * r + i];
    for (int i = r - 1; i >= 0; i--) {
        x[i] /= L[i * r + i];
        for (int j = 0; j < i; j++)
            x[j] -= L[i * r + j] * x[i];
    }
}

/* ---- The parts ---- */

/* A projection: for every friction whether it lies at the boundary, and its length before. */
typedef struct cone_point {
    double N;
    bool slips[SS_NORM_FRICTIONS];
    double length[SS_NORM_FRICTIONS];
    int count; /* that slip */
} cone_point;

/* N of the nearest point: it is pressed up by frictions that are longer. */
static cone_point project_cone(const ss_norm_part *part, const double *z)
{
    cone_point at = {.N = z[part->first]};
    double sum = z[part->first];
    for (int k = 0; k < part->n_frictions; k++)
        at.length[k] = ss_norm(part->friction[k].dim, z + part->friction[k].first);
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < part->n_frictions; k++)
            if (!at.slips[k] && at.length[k] > at.N) {
                at.slips[k] = more = true;
                sum += at.length[k];
                at.count++;
            }
        at.N = sum / (1 + at.count);
    }
    if (at.N < 0.0)
        at.N = 0.0;
    return at;
}

/* y = proj_K(z) */
static void project(const ss_least_norm *s, const double *z, double *y)
{
    for (int i = 0; i < s->n_parts; i++) {
        const ss_norm_part *part = &s->parts[i];
        const double *from = part->kind == SS_NORM_FIXED ? s->y : z;
        memcpy(y + part->first, from + part->first, (size_t)part->dim * sizeof *y);
        if (part->kind == SS_NORM_BALL) {
            double length = ss_norm(part->dim, z + part->first);
            for (int a = 0; a < part->dim && length > part->radius; a++)
                y[part->first + a] *= part->radius / length;
        }
        if (part->kind != SS_NORM_CONE)
            continue;
        cone_point at = project_cone(part, z);
        y[part->first] = at.N;
        for (int k = 0; k < part->n_frictions; k++) {
            double factor = at.slips[k] ? at.N / at.length[k] : 1.0;
            for (int a = 0; a < part->friction[k].dim; a++)
                y[part->friction[k].first + a] = factor * z[part->friction[k].first + a];
        }
    }
}

/* out = J in of a ball, or of a friction, whose radius grows by dR. */
static void turn(int dim, const double *z, double length, double R, double dR, const double *in,
                 double *out)
{
    double along = ss_dot(dim, z, in) / length;
    for (int a = 0; a < dim; a++)
        out[a] = z[a] / length * dR + R / length * (in[a] - along * z[a] / length);
}

/* out = J in of one part, J a generalized derivative of its projection at z. */
static void derive(const ss_norm_part *part, const double *z, const double *in, double *out)
{
    int first = part->first;
    memset(out + first, 0, (size_t)part->dim * sizeof *out);
    if (part->kind == SS_NORM_FREE)
        memcpy(out + first, in + first, (size_t)part->dim * sizeof *out);
    if (part->kind == SS_NORM_BALL) {
        double length = ss_norm(part->dim, z + first);
        if (length > part->radius)
            turn(part->dim, z + first, length, part->radius, 0.0, in + first, out + first);
        else
            memcpy(out + first, in + first, (size_t)part->dim * sizeof *out);
    }
    if (part->kind != SS_NORM_CONE)
        return;
    cone_point at = project_cone(part, z);
    double dN = in[first];
    for (int k = 0; k < part->n_frictions; k++)
        if (at.slips[k])
            dN += ss_dot(part->friction[k].dim, z + part->friction[k].first,
                         in + part->friction[k].first) /
                  at.length[k];
    dN = at.N > 0.0 ? dN / (1 + at.count) : 0.0;
    out[first] = dN;
    for (int k = 0; k < part->n_frictions; k++) {
        int f = part->friction[k].first, dim = part->friction[k].dim;
        if (at.slips[k])
            turn(dim, z + f, at.length[k], at.N, dN, in + f, out + f);
        else
            memcpy(out + f, in + f, (size_t)dim * sizeof *out);
    }
}

/* ---- Newton's method ---- */

/* z = Cᵀλ, w = proj(z), g = C w - d; returns sup_K - dᵀλ, which the dual problem minimizes. */
static double evaluate(ss_least_norm *s, const double *lambda)
{
    int n = s->n;
    memset(s->z, 0, (size_t)n * sizeof *s->z);
    for (int i = 0; i < s->r; i++)
        ss_axpy(n, lambda[i], s->C + i * n, s->z);
    project(s, s->z, s->w);
    for (int i = 0; i < s->r; i++)
        s->g[i] = ss_dot(n, s->C + i * n, s->w) - s->d[i];
    return ss_dot(n, s->z, s->w) - 0.5 * ss_dot(n, s->w, s->w) - ss_dot(s->r, s->d, lambda);
}

/* Whether w has the effect asked for, to rounding. */
static bool fits(const ss_least_norm *s)
{
    const double rounding = 1e-14;
    return ss_norm(s->r, s->g) <= rounding * (ss_norm(s->n, s->w) + ss_norm(s->r, s->d));
}

/* step = -(C J Cᵀ + ε)⁻¹ g */
static bool find_step(ss_least_norm *s)
{
    int n = s->n, r = s->r;
    for (int j = 0; j < r; j++)
        for (int k = 0; k < s->n_parts; k++) {
            const ss_norm_part *part = &s->parts[k];
            if (part->kind != SS_NORM_FIXED)
                derive(part, s->z, s->C + j * n, s->D + j * n);
            else
                memset(s->D + j * n + part->first, 0, (size_t)part->dim * sizeof *s->D);
        }
    for (int i = 0; i < r; i++)
        for (int j = 0; j <= i; j++)
            s->H[i * r + j] = ss_dot(n, s->C + i * n, s->D + j * n);
    for (int i = 0; i < r; i++) {
        s->H[i * r + i] += 1e-13;
        s->step[i] = -s->g[i];
    }
    if (!factor(r, s->H))
        return false;
    solve(r, s->H, s->step);
    return true;
}

static bool iterate(ss_least_norm *s)
{
    enum { MOST = 60, HALVINGS = 20 };
    double value = evaluate(s, s->lambda);
    for (int i = 0; i < MOST; i++) {
        if (fits(s))
            return true;
        if (!find_step(s))
            return false;
        double slope = ss_dot(s->r, s->g, s->step), length = 1.0, next = 0.0;
        const double slack = 1e-13 * (fabs(value) + 0.5 * ss_dot(s->n, s->w, s->w));
        int k = 0;
        for (; k < HALVINGS; k++, length *= 0.5) {
            for (int j = 0; j < s->r; j++)
                s->trial[j] = s->lambda[j] + length * s->step[j];
            next = evaluate(s, s->trial);
            if (next <= value + 1e-4 * length * slope + slack)
                break;
        }
        if (k == HALVINGS || !isfinite(next))
            return false;
        memcpy(s->lambda, s->trial, (size_t)s->r * sizeof *s->lambda);
        value = next;
    }
    return false;
}

/* The rows of C become orthonormal, which keeps what they ask for; those that depend on others are left out. */
static void orthonormalize(ss_least_norm *s)
{
    const double dependent = 1e-13;
    int n = s->n, r = 0;
    for (int i = 0; i < s->r; i++) {
        double *row = s->C + r * n, d = s->d[i], size = ss_norm(n, s->C + i * n);
        if (r < i)
            memcpy(row, s->C + i * n, (size_t)n * sizeof *row);
        for (int j = 0; j < 2 * r; j++) { /* twice, for the sake of rounding */
            double along = ss_dot(n, s->C + j % r * n, row);
            ss_axpy(n, -along, s->C + j % r * n, row);
            d -= along * s->d[j % r];
        }
        double left = ss_norm(n, row);
        if (!(left > dependent * size))
            continue;
        for (int k = 0; k < n; k++)
            row[k] /= left;
        s->d[r++] = d / left;
    }
    s->r = r;
}

bool ss_least_norm_find(ss_least_norm *s)
{
    orthonormalize(s);
    for (int i = 0; i < s->r; i++) /* from where it would be if all were free */
        s->lambda[i] = s->d[i] += ss_dot(s->n, s->C + i * s->n, s->y);
    if (!iterate(s))
        return false;
    memcpy(s->y, s->w, (size_t)s->n * sizeof *s->y);
    return true;
}
