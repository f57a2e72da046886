/* linearize.c: derivatives of h, and M̂ = M - a ∂h/∂q F - b ∂h/∂u of each cluster (S5.47, with the minus that follows from
 * S5.41–S5.45).
 *
 * ∂h/∂q F and ∂h/∂u of systems and forces come as the types give them, or by central differences.
 *
 * M̂⁻¹ x = A⁻¹ M⁻¹ x with A = I - M⁻¹ (a ∂h/∂q F + b ∂h/∂u), so that infinite masses (zero rows of
 * M⁻¹) stay what they are. A cluster without derivatives keeps M.
 *
 * Factors of A and columns of M̂⁻¹W are kept as long as nothing in them has changed: in a chain of linear springs that is as
 * long as the step is.
 */
#include "assembly/work.h"
#include "la/elementary.h"

#include <float.h>
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

/* cluster->x from the velocities of a cluster, one behind the other, and back. */
static void gather(const ss_cluster *cluster, const double *u)
{
    for (int k = 0; k < cluster->n_pieces; k++) {
        const ss_piece *piece = &cluster->pieces[k];
        memcpy(cluster->x + piece->offset, u + piece->u_offset, (size_t)piece->nu * sizeof *u);
    }
}

static void scatter(const ss_cluster *cluster, double *u)
{
    for (int k = 0; k < cluster->n_pieces; k++) {
        const ss_piece *piece = &cluster->pieces[k];
        memcpy(u + piece->u_offset, cluster->x + piece->offset, (size_t)piece->nu * sizeof *u);
    }
}

/* ---- Derivatives ---- */

/* How much of ∂h/∂q and ∂h/∂u is added. */
typedef struct weights {
    double q, u;
} weights;

/* Adds a block ∂h_k/∂q_l F_l and ∂h_k/∂u_l to the cluster that holds both systems. */
static ss_status add_block(ss_work *work, weights weight, int k, int l, const double *dhdq,
                           const double *dhdu)
{
    const ss_system *K = &work->model->systems[k], *L = &work->model->systems[l];
    ss_cluster *cluster = &work->clusters[work->cluster_of[k]];
    const double *F = L->has_F ? work->F + L->F_offset : NULL;
    if (!F && L->ops->F) {
        F = work->F_scratch;
        SS_TRY(L->ops->F(L->object.self, &work->systems[l], work->F_scratch));
    }
    for (int i = 0; i < K->nu; i++)
        for (int j = 0; j < L->nu; j++) {
            int at = (work->cluster_offset[k] + i) * cluster->n + work->cluster_offset[l] + j;
            double sum = F ? 0 : dhdq[i * L->nq + j];
            for (int p = 0; F && p < L->nq; p++)
                sum += dhdq[i * L->nq + p] * F[p * L->nu + j];
            cluster->KF[at] += weight.q * sum;
            cluster->D[at] += weight.u * dhdu[i * L->nu + j];
        }
    return SS_OK;
}

/* What adds to h: force f, or the system s itself (f < 0). */
typedef struct term {
    int s, f;
    const ss_connected *connected;
} term;

/* Pointers to the blocks of one term, which are cleared. */
static void lay_blocks(ss_work *work, const ss_connected *connected)
{
    const ss_system *systems = work->model->systems;
    double *q = work->blocks_q, *u = work->blocks_u;
    int n = connected->count;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            const ss_system *K = &systems[connected->systems[k]],
                            *L = &systems[connected->systems[l]];
            work->force_q[k * n + l] = q;
            work->force_u[k * n + l] = u;
            memset(q, 0, (size_t)(K->nu * L->nq) * sizeof *q);
            memset(u, 0, (size_t)(K->nu * L->nu) * sizeof *u);
            q += K->nu * L->nq;
            u += K->nu * L->nu;
        }
}

static ss_status update_geometry(ss_work *work, const term *m)
{
    const ss_model *model = work->model;
    if (m->f < 0 && model->systems[m->s].ops->geometry)
        return model->systems[m->s].ops->geometry(model->systems[m->s].object.self,
                                                  &work->systems[m->s]);
    if (m->f >= 0 && model->forces[m->f].ops->geometry)
        return model->forces[m->f].ops->geometry(model->forces[m->f].object.self,
                                                 &work->forces[m->f]);
    return SS_OK;
}

/* h of one term alone, with its geometry brought up to date. */
static ss_status term_h(ss_work *work, const term *m, double *h)
{
    const ss_model *model = work->model;
    for (int k = 0; k < m->connected->count; k++) {
        const ss_system *system = &model->systems[m->connected->systems[k]];
        memset(h + system->u_offset, 0, (size_t)system->nu * sizeof *h);
    }
    SS_TRY(update_geometry(work, m));
    if (m->f < 0)
        return model->systems[m->s].ops->h(model->systems[m->s].object.self, &work->systems[m->s],
                                           h + model->systems[m->s].u_offset);
    ss_work_aim_force(work, m->f, h);
    return model->forces[m->f].ops->h(model->forces[m->f].object.self, &work->forces[m->f],
                                      work->force_h[m->f]);
}

/* One column of all blocks below connected system l; x is the number that is varied. Errors of central differences are
 * smallest near the cube root of the rounding unit. */
static ss_status difference(ss_work *work, const term *m, double *x, double *const *blocks, int l,
                            int j, int stride)
{
    double kept = *x, step = SS_CENTRAL_STEP * fmax(fabs(kept), 1.0);
    *x = kept + step;
    SS_TRY(term_h(work, m, work->h_plus));
    *x = kept - step;
    SS_TRY(term_h(work, m, work->h_minus));
    *x = kept;
    for (int k = 0; k < m->connected->count; k++) {
        const ss_system *K = &work->model->systems[m->connected->systems[k]];
        for (int i = 0; i < K->nu; i++)
            blocks[k * m->connected->count + l][i * stride + j] =
                (work->h_plus[K->u_offset + i] - work->h_minus[K->u_offset + i]) / (2 * step);
    }
    return SS_OK;
}

static ss_status differences(ss_work *work, const term *m)
{
    for (int l = 0; l < m->connected->count; l++) {
        const ss_system *L = &work->model->systems[m->connected->systems[l]];
        for (int j = 0; j < L->nq; j++)
            SS_TRY(difference(work, m, work->q + L->q_offset + j, work->force_q, l, j, L->nq));
        for (int j = 0; j < L->nu; j++)
            SS_TRY(difference(work, m, work->u + L->u_offset + j, work->force_u, l, j, L->nu));
    }
    return update_geometry(work, m);
}

static ss_status add_term(ss_work *work, const term *m, weights weight)
{
    const ss_system *system = &work->model->systems[m->s];
    const ss_force *force = m->f < 0 ? NULL : &work->model->forces[m->f];
    int n = m->connected->count;
    lay_blocks(work, m->connected);
    if (force && force->ops->derivatives)
        SS_TRY(force->ops->derivatives(force->object.self, &work->forces[m->f], work->force_q,
                                       work->force_u));
    else if (!force && system->ops->derivatives)
        SS_TRY(system->ops->derivatives(system->object.self, &work->systems[m->s], work->blocks_q,
                                        work->blocks_u));
    else
        SS_TRY(differences(work, m));
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            SS_TRY(add_block(work, weight, m->connected->systems[k], m->connected->systems[l],
                             work->force_q[k * n + l], work->force_u[k * n + l]));
    return SS_OK;
}

/* Memory for the largest set of blocks. */
static ss_status lay_out(ss_work *work)
{
    const ss_model *model = work->model;
    int most_q = 0, most_u = 0, most = 1;
    SS_TRY(ss_work_lay_out_clusters(work));
    if (work->h_plus)
        return SS_OK;
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        most_q = system->nu * system->nq > most_q ? system->nu * system->nq : most_q;
        most_u = system->nu * system->nu > most_u ? system->nu * system->nu : most_u;
    }
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_connected *connected = &model->forces[f].connected;
        int nq = 0, nu = 0;
        for (int k = 0; k < connected->count && !model->forces[f].ops->constant; k++) {
            nq += model->systems[connected->systems[k]].nq;
            nu += model->systems[connected->systems[k]].nu;
            most = connected->count > most ? connected->count : most;
        }
        most_q = nu * nq > most_q ? nu * nq : most_q;
        most_u = nu * nu > most_u ? nu * nu : most_u;
    }
    SS_TRY(SS_ARENA_NEW(&work->arena, most_q, &work->blocks_q));
    SS_TRY(SS_ARENA_NEW(&work->arena, most_u, &work->blocks_u));
    SS_TRY(SS_ARENA_NEW(&work->arena, most * most, &work->force_q));
    SS_TRY(SS_ARENA_NEW(&work->arena, most * most, &work->force_u));
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_u, &work->h_minus));
    return SS_ARENA_NEW(&work->arena, model->n_u, &work->h_plus);
}

ss_status ss_work_clear_derivatives(ss_work *work)
{
    SS_TRY(lay_out(work));
    for (int i = 0; i < work->n_clusters; i++) {
        const ss_cluster *cluster = &work->clusters[i];
        for (int j = 0; j < cluster->n; j++) { /* what is near enough to the diagonal */
            range row = around(cluster->n, cluster->band, j);
            size_t bytes = (size_t)(row.end - row.first) * sizeof(double);
            memset(cluster->KF + j * cluster->n + row.first, 0, bytes);
            memset(cluster->D + j * cluster->n + row.first, 0, bytes);
        }
    }
    return SS_OK;
}

ss_status ss_work_add_derivatives(ss_work *work, const double *u, double weight_q, double weight_u)
{
    const ss_model *model = work->model;
    weights weight = {weight_q, weight_u};
    memcpy(work->u, u, (size_t)model->n_u * sizeof *u);
    for (int s = 0; s < model->n_systems.count; s++)
        if (model->systems[s].ops->h)
            SS_TRY(
                add_term(work, &(term){s, -1, &(ss_connected){.count = 1, .systems = &s}}, weight));
    for (int f = 0; f < model->n_forces.count; f++)
        if (!model->forces[f].ops->constant)
            SS_TRY(add_term(work, &(term){0, f, &model->forces[f].connected}, weight));
    return SS_OK;
}

/* Adds W k Wᵀ and W d Wᵀ of one row. */
static void add_row(ss_work *work, const ss_law *law, double k, double d)
{
    const ss_connected *connected = &work->table.elements[law->element].connected;
    const ss_work_element *we = &work->elements[law->element];
    for (int a = 0; a < connected->count; a++)
        for (int b = 0; b < connected->count; b++) {
            int A = connected->systems[a], B = connected->systems[b];
            int n_a = work->model->systems[A].nu, n_b = work->model->systems[B].nu;
            const double *w_a = we->W[a] + law->row * n_a, *w_b = we->W[b] + law->row * n_b;
            ss_cluster *cluster = &work->clusters[work->cluster_of[A]];
            for (int i = 0; i < n_a; i++)
                for (int j = 0; j < n_b; j++) {
                    int at = (work->cluster_offset[A] + i) * cluster->n + work->cluster_offset[B];
                    cluster->KF[at + j] += w_a[i] * k * w_b[j];
                    cluster->D[at + j] += w_a[i] * d * w_b[j];
                }
        }
}

/* Turning directions, λ ∂W/∂q, are left out: laws are evaluated where their directions are those of the whole step. */
ss_status ss_work_add_law_derivatives(ss_work *work, const double *u, double *h)
{
    for (int l = 0; l < work->table.n_laws; l++) {
        const ss_law *law = &work->table.laws[l];
        double dg, dgamma, force;
        ss_level level;
        if (!(law->flags & SS_LAW_DERIVATIVES))
            continue;
        SS_TRY(ss_work_element_gaps(work, law->element));
        SS_TRY(ss_work_element_directions(work, law->element));
        ss_work_element_velocity(work, law->element, u, work->elements[law->element].gamma_B);
        ss_law_at at = ss_work_law_at(work, law, 1, true); /* impulses of a second are forces */
        SS_TRY(ss_law_level(law, &at, &level));
        bool impressed = level == SS_LEVEL_IMPRESSED;
        if (!impressed && !(level == SS_LEVEL_ACTIVE && (law->flags & SS_LAW_ADDED)))
            continue;
        SS_TRY(law->ops->derivatives(law->object.self, &at, &dg, &dgamma));
        add_row(work, law, dg, dgamma);
        if (!h)
            continue;
        SS_TRY((impressed ? law->ops->impressed : law->ops->added)(law->object.self, &at, &force));
        ss_work_apply_law(work, law, &force, h);
    }
    return SS_OK;
}

/* y = A u with A, KF or D, of every cluster. */
static void times(const ss_work *work, bool damping, const double *u, double *y)
{
    for (int m = 0; m < work->n_clusters; m++) {
        const ss_cluster *cluster = &work->clusters[m];
        const double *A = damping ? cluster->D : cluster->KF;
        int n = cluster->n;
        gather(cluster, u);
        for (int i = 0; i < n; i++) {
            int s = cluster->systems[cluster->owner[i]];
            range row = around(n, cluster->band, i);
            double sum = 0;
            for (int j = row.first; j < row.end; j++)
                sum += A[i * n + j] * cluster->x[j];
            y[work->model->systems[s].u_offset + i - work->cluster_offset[s]] = sum;
        }
    }
}

void ss_work_stiffness_times(const ss_work *work, const double *u, double *y)
{
    times(work, false, u, y);
}

void ss_work_damping_times(const ss_work *work, const double *u, double *y)
{
    times(work, true, u, y);
}

/* ---- M̂ ---- */

/* Memory and work of a band matrix pay where it is narrow. LAPACK wants band rows below, and twice as many above. */
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

/* A. False: there is nothing to add to M. *same: it is what it was. */
static bool modify(const ss_work *work, ss_cluster *cluster, double a, double b, bool *same)
{
    int n = cluster->n;
    double *x = cluster->x;
    bool any = false;
    *same = true;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
        range rows = around(n, cluster->band, j);
        size_t bytes = (size_t)(rows.end - rows.first) * sizeof *x;
        double *kept = cluster->A + j * n + rows.first;
        for (int i = rows.first; i < rows.end; i++) {
            x[i] = -(a * cluster->KF[i * n + j] + b * cluster->D[i * n + j]);
            any = any || x[i] != 0;
        }
        solve_masses(work, cluster, rows, x);
        x[j] += 1;
        *same = *same && memcmp(kept, x + rows.first, bytes) == 0;
        memcpy(kept, x + rows.first, bytes);
        memset(x + rows.first, 0, bytes);
    }
    return any;
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
static bool factor(ss_cluster *cluster)
{
    int n = cluster->n, band = cluster->band, ld = band_rows(cluster);
    double *factors = cluster->factors;
    cluster->factored++;
    if (!is_narrow(cluster)) {
        memcpy(factors, cluster->A, (size_t)(n * n) * sizeof *factors);
        return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, factors, n, cluster->pivots) == 0;
    }
    memset(factors, 0, (size_t)(ld * n) * sizeof *factors);
    for (int j = 0; j < n; j++) {
        range rows = around(n, band, j);
        memcpy(factors + j * ld + 2 * band + rows.first - j, cluster->A + j * n + rows.first,
               (size_t)(rows.end - rows.first) * sizeof *factors);
    }
    return LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, band, band, factors, ld, cluster->pivots) ==
           0;
}

/* A M⁻¹ has twice the band of A: M⁻¹ joins the velocities of a system. */
static ss_status modify_cluster(ss_work *work, ss_cluster *cluster, double a, double b)
{
    const ss_system *first = &work->model->systems[cluster->systems[0]];
    int n = cluster->n, band = 2 * cluster->band;
    bool same;
    cluster->modified = modify(work, cluster, a, b, &same);
    if (!cluster->modified)
        return SS_OK;
    work->modified = true;
    if (same && cluster->sound && work->model->constant_mass)
        return SS_OK;
    fill_check(work, cluster);
    cluster->sound = is_definite(n, band < n ? band : n - 1, cluster->check) && factor(cluster);
    if (cluster->sound)
        return SS_OK;
    return ss_fail_at(
        work->model->context, SS_SINGULAR, first->object.where,
        "%s%s: in the step at t = %g s the mass matrix with linearized forces, M - βαΔt² ∂h/∂q F - "
        "βΔt ∂h/∂u, is not positive definite; a smaller step helps",
        first->object.owner, cluster->n_systems > 1 ? " and those coupled to it" : "", work->t);
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
        gather(cluster, x);
        solve_factored(cluster, cluster->x);
        scatter(cluster, x);
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
    solve_masses(work, cluster, (range){0, cluster->n}, cluster->x);
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
