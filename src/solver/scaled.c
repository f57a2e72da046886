/* scaled.c: a gathered inclusion in scaled units. */
#include "solver/run.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static ss_status reserve_capacity(ss_run *run, ss_scaled *s)
{
    const ss_gathered *g = run->g;
    ss_arena *arena = ss_run_scratch(run);
    size_t numbers = (size_t)g->n_numbers;
    for (int k = 0; k < g->n_groups; k++)
        numbers += (size_t)(g->groups[k].dim * g->groups[k].dim);
    if (numbers > INT_MAX)
        return ss_fail(run->context, SS_UNSUPPORTED, "inclusion: G has more than %d elements",
                       INT_MAX);
    SS_TRY(SS_ARENA_NEW(arena, g->n_groups, &s->cone));
    SS_TRY(SS_ARENA_NEW(arena, g->n_rows + 1, &s->start));
    SS_TRY(SS_ARENA_NEW(arena, numbers, &s->column));
    SS_TRY(SS_ARENA_NEW(arena, g->n_rows, &s->diagonal));
    SS_TRY(SS_ARENA_NEW(arena, numbers, &s->A));
    SS_TRY(SS_ARENA_NEW(arena, numbers, &s->K));
    return ss_run_vectors(run, (double **[]){&s->b, &s->to_P, &s->to_u, NULL});
}

/* s D⁻¹ of every row in to_P, still without Q; to_u likewise. */
static void find_scales(ss_scaled *s, const ss_gathered *g, bool cones)
{
    s->n_cones = 0;
    for (int k = 0; k < g->n_groups; k++) {
        const ss_gathered_group *K = &g->groups[k];
        double mean = 0.0;
        for (int a = 0; a < K->dim; a++)
            mean += g->diagonal[K->diagonal + a * K->dim + a] / K->dim;
        double size = mean > DBL_MIN ? 1.0 / sqrt(mean) : sqrt(K->r_N);
        bool friction = K->tangential >= 0 && K->mu > 0.0;
        s->cone[k] = K->kind != SS_SET_HALF_LINE ? 0 : friction ? K->dim : 1;
        s->n_cones += s->cone[k] > 0;
        for (int a = 0; a < K->dim; a++) {
            double d = cones && friction && a == 0 ? K->mu : 1.0;
            s->to_P[K->row + a] = size / d;
            s->to_u[K->row + a] = d / size;
        }
    }
}

static int put_row(ss_scaled *s, int at, int row, const ss_gathered_group *H, const double *values)
{
    for (int b = 0; b < H->dim; b++, at++) {
        s->column[at] = H->row + b;
        s->A[at] = values[b] * s->to_P[row] * s->to_P[H->row + b];
    }
    return at;
}

static void fill_row(ss_scaled *s, const ss_gathered *g, int k, int a)
{
    const ss_gathered_group *K = &g->groups[k];
    int row = K->row + a, at = s->start[row], e = g->start[k], end = g->start[k + 1];
    for (; e < end && g->column[e] < k; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        at = put_row(s, at, row, H, g->value + g->place[e] + a * H->dim);
    }
    s->diagonal[row] = at;
    at = put_row(s, at, row, K, g->diagonal + K->diagonal + a * K->dim);
    for (; e < end; e++) {
        const ss_gathered_group *H = &g->groups[g->column[e]];
        at = put_row(s, at, row, H, g->value + g->place[e] + a * H->dim);
    }
    if (s->cone[k] == 1 && a > 0) { /* P_T = 0 */
        memset(s->A + s->start[row], 0, (size_t)(at - s->start[row]) * sizeof *s->A);
        s->A[s->diagonal[row] + a] = 1.0;
    }
    s->start[row + 1] = at;
}

ss_status ss_scaled_create(ss_run *run, bool cones)
{
    const ss_gathered *g = run->g;
    ss_scaled *s = run->scaled;
    double Q = 0.0;
    SS_TRY(reserve_capacity(run, s));
    s->n_rows = g->n_rows;
    find_scales(s, g, cones);
    for (int k = 0; k < g->n_rows; k++)
        Q = fmax(Q, fabs(g->c[k]) * s->to_P[k]);
    Q = Q > DBL_MIN ? Q : 1.0;
    for (int k = 0; k < g->n_groups; k++)
        for (int a = 0; a < g->groups[k].dim; a++) {
            int row = g->groups[k].row + a;
            fill_row(s, g, k, a);
            s->b[row] = s->cone[k] == 1 && a > 0 ? 0.0 : g->c[row] * s->to_P[row] / Q;
        }
    for (int k = 0; k < g->n_rows; k++) {
        s->to_P[k] *= Q;
        s->to_u[k] *= Q;
    }
    return SS_OK;
}

ss_status ss_scaled_order(ss_run *run)
{
    ss_scaled *s = run->scaled;
    return ss_lu_create(run->context, s->n_rows, s->start, s->column, &s->lu);
}

void ss_scaled_apply(const ss_scaled *s, const double *x, double *v)
{
    for (int i = 0; i < s->n_rows; i++) {
        double sum = s->b[i];
        for (int e = s->start[i]; e < s->start[i + 1]; e++)
            sum += s->A[e] * x[s->column[e]];
        v[i] = sum;
    }
}

void ss_scaled_copy_A(ss_scaled *s)
{
    memcpy(s->K, s->A, (size_t)s->start[s->n_rows] * sizeof *s->K);
}

void ss_scaled_add_diagonal(ss_run *run, double compliance)
{
    for (int k = 0; k < run->g->n_groups; k++)
        for (int a = 0; a < run->g->groups[k].dim; a++)
            run->scaled->K[run->scaled->diagonal[run->g->groups[k].row + a] + a] += compliance;
}

void ss_scaled_take(const ss_run *run, double *x)
{
    for (int k = 0; k < run->g->n_rows; k++)
        x[k] = run->P[k] / run->scaled->to_P[k];
}

void ss_scaled_judge(ss_run *run, const double *x, const double *v)
{
    for (int k = 0; k < run->g->n_rows; k++) {
        run->P[k] = run->scaled->to_P[k] * x[k];
        run->gamma[k] = run->scaled->to_u[k] * v[k];
    }
    ss_run_judge(run, run->P, run->gamma);
}
