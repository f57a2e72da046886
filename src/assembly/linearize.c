/* linearize.c: M̂ = M - a ∂h/∂q F - b ∂h/∂u of each cluster (S5.47, with the minus that follows from S5.41–S5.45).
 *
 * M̂⁻¹ x = A⁻¹ M⁻¹ x with A = I - M⁻¹ (a ∂h/∂q F + b ∂h/∂u), so that infinite masses (zero rows of
 * M⁻¹) stay what they are. An cluster without derivatives keeps M.
 *
 * Factors of A and columns of M̂⁻¹W are kept as long as nothing in them has changed: in a chain of linear springs that is as
 * long as the step is.
 */
#include "assembly/work.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Rows, or columns, of a matrix with such a band that are not zero in column, or row, j. */
typedef struct range {
    int first, end;
} range;

static range around(int n, int band, int j)
{
    return (range){j > band ? j - band : 0, j < n - band ? j + band + 1 : n};
}

/* Room and work of a band matrix pay where it is narrow. LAPACK wants band rows below, and twice as many above. */
static int band_rows(const ss_cluster *cluster)
{
    return 3 * cluster->band + 1;
}

static bool is_narrow(const ss_cluster *cluster)
{
    return 2 * band_rows(cluster) <= cluster->n;
}

/* x = M⁻¹ x for the systems that own some of the rows. */
static void solve_masses(const ss_work *work, const ss_cluster *cluster, range rows, double *x)
{
    for (int i = cluster->owner[rows.first]; i <= cluster->owner[rows.end - 1]; i++) {
        int s = cluster->systems[i];
        ss_work_solve_system(work, s, x + work->cluster_offset[s]);
    }
}

static range all_rows(const ss_cluster *cluster)
{
    return (range){0, cluster->n};
}

/* One column of A in cluster->x. False: there is nothing to add to M. */
static bool modify_column(const ss_work *work, const ss_cluster *cluster, double a, double b, int j)
{
    int n = cluster->n;
    double *column = cluster->x;
    range rows = around(n, cluster->band, j);
    bool any = false;
    for (int i = rows.first; i < rows.end; i++) {
        column[i] = -(a * cluster->KF[i * n + j] + b * cluster->D[i * n + j]);
        any = any || column[i] != 0;
    }
    solve_masses(work, cluster, rows, column);
    column[j] += 1;
    return any;
}

/* A. False: there is nothing to add to M. *same: it is what it was. */
static bool modify(const ss_work *work, ss_cluster *cluster, double a, double b, bool *same)
{
    int n = cluster->n;
    bool any = false;
    *same = true;
    memset(cluster->x, 0, (size_t)n * sizeof *cluster->x);
    for (int j = 0; j < n; j++) {
        range rows = around(n, cluster->band, j);
        size_t bytes = (size_t)(rows.end - rows.first) * sizeof(double);
        double *kept = cluster->A + j * n + rows.first, *column = cluster->x + rows.first;
        any = modify_column(work, cluster, a, b, j) || any;
        *same = *same && memcmp(kept, column, bytes) == 0;
        memcpy(kept, column, bytes);
        memset(column, 0, bytes);
    }
    return any;
}

/* Band of A M⁻¹: M⁻¹ joins the velocities of a system. */
static int band_of_check(const ss_cluster *cluster)
{
    int band = 2 * cluster->band;
    return band < cluster->n ? band : cluster->n - 1;
}

/* The symmetric part of N = A M⁻¹ = M⁻¹ M̂ M⁻¹ is positive definite where that of M̂ is. */
static void fill_check(const ss_work *work, ss_cluster *cluster)
{
    int n = cluster->n;
    memset(cluster->check, 0, (size_t)(n * n) * sizeof *cluster->check);
    memset(cluster->x, 0, (size_t)n * sizeof *cluster->x);
    for (int j = 0; j < n; j++) {
        range own = around(n, cluster->band, j);
        cluster->x[j] = 1;
        solve_masses(work, cluster, (range){j, j + 1}, cluster->x);
        for (int k = own.first; k < own.end; k++) {
            range rows = around(n, cluster->band, k);
            for (int i = rows.first; i < rows.end && cluster->x[k] != 0; i++) {
                double half = cluster->A[k * n + i] * cluster->x[k] / 2;
                cluster->check[i * n + j] += half;
                cluster->check[j * n + i] += half;
            }
            cluster->x[k] = 0;
        }
    }
}

/* Cholesky, without the rows of infinite masses. */
static bool is_definite(int n, int band, double *N)
{
    for (int k = 0; k < n; k++) {
        double pivot = N[k * n + k], row = 0;
        range near = around(n, band, k);
        for (int j = near.first; j < near.end; j++)
            row = fmax(row, fabs(N[k * n + j]));
        if (row == 0)
            continue;
        if (!(pivot > 0))
            return false;
        for (int i = k + 1; i < near.end; i++) {
            double factor = N[i * n + k] / pivot;
            for (int j = k; j < near.end; j++)
                N[i * n + j] -= factor * N[k * n + j];
        }
    }
    return true;
}

/* Column j of a band matrix begins `band` rows above those that are not zero: space for pivots. */
static bool factor_narrow(ss_cluster *cluster)
{
    int n = cluster->n, band = cluster->band, ld = band_rows(cluster);
    memset(cluster->factors, 0, (size_t)(ld * n) * sizeof *cluster->factors);
    for (int j = 0; j < n; j++) {
        range rows = around(n, band, j);
        memcpy(cluster->factors + j * ld + 2 * band + rows.first - j,
               cluster->A + j * n + rows.first,
               (size_t)(rows.end - rows.first) * sizeof *cluster->A);
    }
    return LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, band, band, cluster->factors, ld,
                               cluster->pivots) == 0;
}

static bool factor(ss_cluster *cluster)
{
    int n = cluster->n;
    cluster->factored++;
    if (is_narrow(cluster))
        return factor_narrow(cluster);
    memcpy(cluster->factors, cluster->A, (size_t)(n * n) * sizeof *cluster->A);
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, cluster->factors, n, cluster->pivots) == 0;
}

static ss_status refuse(const ss_work *work, const ss_cluster *cluster)
{
    const ss_system *first = &work->model->systems[cluster->systems[0]];
    return ss_fail_at(
        work->model->context, SS_SINGULAR, first->object.where,
        "%s%s: in the step at t = %g s the mass matrix with linearized forces, M - βαΔt² ∂h/∂q F - "
        "βΔt ∂h/∂u, is not positive definite; a smaller step helps",
        first->object.owner, cluster->n_systems > 1 ? " and those coupled to it" : "", work->t);
}

static ss_status modify_cluster(ss_work *work, ss_cluster *cluster, double a, double b)
{
    bool same;
    cluster->modified = modify(work, cluster, a, b, &same);
    if (!cluster->modified)
        return SS_OK;
    work->modified = true;
    if (same && cluster->sound && work->model->constant_mass)
        return SS_OK;
    fill_check(work, cluster);
    cluster->sound =
        is_definite(cluster->n, band_of_check(cluster), cluster->check) && factor(cluster);
    return cluster->sound ? SS_OK : refuse(work, cluster);
}

ss_status ss_work_modify_mass(ss_work *work, double a, double b)
{
    SS_TRY(ss_work_lay_out_clusters(work));
    for (int i = 0; i < work->n_clusters; i++)
        SS_TRY(modify_cluster(work, &work->clusters[i], a, b));
    return SS_OK;
}

/* x = A⁻¹ x */
static void solve_factored(const ss_cluster *cluster, double *x)
{
    int n = cluster->n, band = cluster->band;
    if (is_narrow(cluster))
        LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', n, band, band, 1, cluster->factors,
                            band_rows(cluster), cluster->pivots, x, n);
    else
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, cluster->factors, n, cluster->pivots, x,
                            n);
}

void ss_work_solve_ratio(const ss_work *work, double *x)
{
    for (int i = 0; work->modified && i < work->n_clusters; i++) {
        const ss_cluster *cluster = &work->clusters[i];
        if (!cluster->modified)
            continue;
        for (int k = 0; k < cluster->n_pieces; k++) {
            const ss_piece *piece = &cluster->pieces[k];
            memcpy(cluster->x + piece->offset, x + piece->u_offset, (size_t)piece->nu * sizeof *x);
        }
        solve_factored(cluster, cluster->x);
        for (int k = 0; k < cluster->n_pieces; k++) {
            const ss_piece *piece = &cluster->pieces[k];
            memcpy(x + piece->u_offset, cluster->x + piece->offset, (size_t)piece->nu * sizeof *x);
        }
    }
}

typedef struct mass_call {
    const ss_work *work;
    double *x;
} mass_call;

static void solve_some(void *user, int from, int to)
{
    const mass_call *call = user;
    for (int s = from; s < to; s++)
        ss_work_solve_system(call->work, s, call->x + call->work->model->systems[s].u_offset);
}

void ss_work_solve_mass(const ss_work *work, double *x)
{
    ss_work_parallel_for(work, work->model->n_systems.count, solve_some, &(mass_call){work, x});
    ss_work_solve_ratio(work, x);
}

void ss_work_solve_cluster(const ss_work *work, const ss_cluster *cluster)
{
    solve_masses(work, cluster, all_rows(cluster), cluster->x);
    solve_factored(cluster, cluster->x);
}

/* W of the systems that are connected, in one row of a span. True: it is what it was. */
static bool take_directions(const ss_work *work, const ss_element *element,
                            const ss_work_element *we, int row, const ss_span *span)
{
    const ss_piece *piece = span->piece;
    bool same = true;
    for (int k = 0; k < element->connected.count; k++) {
        const ss_system *system = &work->model->systems[element->connected.systems[k]];
        int place = system->u_offset - piece->u_offset;
        if (place < 0 || place >= piece->nu)
            continue;
        const double *w = we->W[k] + row * system->nu;
        double *to = span->W + row * piece->nu + place;
        same = same && memcmp(to, w, (size_t)system->nu * sizeof *w) == 0;
        memcpy(to, w, (size_t)system->nu * sizeof *w);
    }
    return same;
}

/* One column of M̂⁻¹W in one modified cluster, whose spans follow each other. */
static void solve_row(const ss_work *work, const ss_element *element, const ss_work_element *we,
                      int row, ss_span *spans)
{
    const ss_cluster *cluster = &work->clusters[spans[0].cluster];
    bool same = true;
    for (int k = 0; k < cluster->n_pieces; k++) {
        same = take_directions(work, element, we, row, &spans[k]) && same;
        same = same && spans[k].solved[row] == cluster->factored;
    }
    if (same)
        return;
    for (int k = 0; k < cluster->n_pieces; k++) {
        const ss_piece *piece = spans[k].piece;
        memcpy(cluster->x + piece->offset, spans[k].W + row * piece->nu,
               (size_t)piece->nu * sizeof(double));
    }
    ss_work_solve_cluster(work, cluster);
    for (int k = 0; k < cluster->n_pieces; k++) {
        const ss_piece *piece = spans[k].piece;
        memcpy(spans[k].MinvW + row * piece->nu, cluster->x + piece->offset,
               (size_t)piece->nu * sizeof(double));
        spans[k].solved[row] = cluster->factored;
    }
}

void ss_work_solve_modified(ss_work *work, const ss_law *law)
{
    const ss_element *element = &work->table.elements[law->element];
    const ss_work_element *we = &work->elements[law->element];
    for (int k = 0; k < we->n_span; k += work->clusters[we->span[k].cluster].n_pieces) {
        if (!work->clusters[we->span[k].cluster].modified)
            continue;
        for (int row = law->row; row < law->row + law->dim; row++)
            solve_row(work, element, we, row, &we->span[k]);
    }
}
