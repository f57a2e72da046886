/* derivatives.c: ∂h/∂q F and ∂h/∂u of systems and forces at a place, cluster by cluster: as the
 * types give them, or by central differences. */
#include "assembly/work.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How much of ∂h/∂q and ∂h/∂u is added. */
typedef struct weights {
    double q, u;
} weights;

/* Errors of central differences are smallest near the cube root of the rounding unit. */
static double increment(double x)
{
    return cbrt(DBL_EPSILON) * fmax(fabs(x), 1.0);
}

/* Adds a block ∂h_k/∂q_l F_l and ∂h_k/∂u_l to the cluster that holds both systems. */
static ss_status add_block(ss_work *work, weights weight, int k, int l, const double *dhdq,
                           const double *dhdu)
{
    const ss_system *K = &work->model->systems[k], *L = &work->model->systems[l];
    ss_cluster *cluster = &work->clusters[work->cluster_of[k]];
    const double *F = L->has_F ? work->F + L->F_offset : L->ops->F ? work->F_scratch : NULL;
    if (F == work->F_scratch)
        SS_TRY(L->ops->F(L->object.self, &work->systems[l], work->F_scratch));
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

/* h of one system with its geometry brought up to date. */
static ss_status system_h(ss_work *work, int s, double *h)
{
    const ss_system *system = &work->model->systems[s];
    if (system->ops->geometry)
        SS_TRY(system->ops->geometry(system->object.self, &work->systems[s]));
    return system->ops->h(system->object.self, &work->systems[s], h);
}

/* One column of differences; x is the number that is varied. */
static ss_status system_column(ss_work *work, int s, double *x, double *column, int stride)
{
    int nu = work->model->systems[s].nu;
    double kept = *x, step = increment(kept);
    double *plus = work->h_plus, *minus = work->h_minus;
    *x = kept + step;
    SS_TRY(system_h(work, s, plus));
    *x = kept - step;
    SS_TRY(system_h(work, s, minus));
    *x = kept;
    for (int i = 0; i < nu; i++)
        column[i * stride] = (plus[i] - minus[i]) / (2 * step);
    return SS_OK;
}

static ss_status system_differences(ss_work *work, int s, double *dhdq, double *dhdu)
{
    const ss_system *system = &work->model->systems[s];
    for (int j = 0; j < system->nq; j++)
        SS_TRY(system_column(work, s, work->q + system->q_offset + j, dhdq + j, system->nq));
    for (int j = 0; j < system->nu; j++)
        SS_TRY(system_column(work, s, work->u + system->u_offset + j, dhdu + j, system->nu));
    if (system->ops->geometry)
        return system->ops->geometry(system->object.self, &work->systems[s]);
    return SS_OK;
}

static ss_status add_system(ss_work *work, int s, weights weight)
{
    const ss_system *system = &work->model->systems[s];
    double *dhdq = work->blocks_q, *dhdu = work->blocks_u;
    if (!system->ops->h)
        return SS_OK;
    if (system->ops->derivatives)
        SS_TRY(system->ops->derivatives(system->object.self, &work->systems[s], dhdq, dhdu));
    else
        SS_TRY(system_differences(work, s, dhdq, dhdu));
    return add_block(work, weight, s, s, dhdq, dhdu);
}

/* Pointers to the blocks of one force, which are cleared. */
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

static ss_status force_h(ss_work *work, int f, double *h)
{
    const ss_force *force = &work->model->forces[f];
    memset(h, 0, (size_t)work->model->n_u * sizeof *h);
    ss_work_aim_force(work, f, h);
    if (force->ops->geometry)
        SS_TRY(force->ops->geometry(force->object.self, &work->forces[f]));
    return force->ops->h(force->object.self, &work->forces[f], work->force_h[f]);
}

/* One column of all blocks below connected system l. */
static ss_status force_column(ss_work *work, int f, double *x, double *const *blocks, int l, int j,
                              int stride)
{
    const ss_connected *connected = &work->model->forces[f].connected;
    double kept = *x, step = increment(kept);
    *x = kept + step;
    SS_TRY(force_h(work, f, work->h_plus));
    *x = kept - step;
    SS_TRY(force_h(work, f, work->h_minus));
    *x = kept;
    for (int k = 0; k < connected->count; k++) {
        const ss_system *K = &work->model->systems[connected->systems[k]];
        for (int i = 0; i < K->nu; i++)
            blocks[k * connected->count + l][i * stride + j] =
                (work->h_plus[K->u_offset + i] - work->h_minus[K->u_offset + i]) / (2 * step);
    }
    return SS_OK;
}

static ss_status force_differences(ss_work *work, int f)
{
    const ss_force *force = &work->model->forces[f];
    for (int l = 0; l < force->connected.count; l++) {
        const ss_system *L = &work->model->systems[force->connected.systems[l]];
        for (int j = 0; j < L->nq; j++)
            SS_TRY(force_column(work, f, work->q + L->q_offset + j, work->force_q, l, j, L->nq));
        for (int j = 0; j < L->nu; j++)
            SS_TRY(force_column(work, f, work->u + L->u_offset + j, work->force_u, l, j, L->nu));
    }
    if (force->ops->geometry)
        return force->ops->geometry(force->object.self, &work->forces[f]);
    return SS_OK;
}

static ss_status add_force(ss_work *work, int f, weights weight)
{
    const ss_force *force = &work->model->forces[f];
    int n = force->connected.count;
    if (force->ops->constant)
        return SS_OK;
    lay_blocks(work, &force->connected);
    if (force->ops->derivatives)
        SS_TRY(force->ops->derivatives(force->object.self, &work->forces[f], work->force_q,
                                       work->force_u));
    else
        SS_TRY(force_differences(work, f));
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            SS_TRY(add_block(work, weight, force->connected.systems[k], force->connected.systems[l],
                             work->force_q[k * n + l], work->force_u[k * n + l]));
    return SS_OK;
}

/* Room for the largest set of blocks. */
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

/* Of one matrix: what is near enough to the diagonal to be ever written. */
static void clear(const ss_cluster *cluster, double *A)
{
    int n = cluster->n, band = cluster->band;
    for (int i = 0; i < n; i++) {
        int first = i > band ? i - band : 0, end = i < n - band ? i + band + 1 : n;
        memset(A + i * n + first, 0, (size_t)(end - first) * sizeof *A);
    }
}

ss_status ss_work_clear_derivatives(ss_work *work)
{
    SS_TRY(lay_out(work));
    for (int i = 0; i < work->n_clusters; i++) {
        clear(&work->clusters[i], work->clusters[i].KF);
        clear(&work->clusters[i], work->clusters[i].D);
    }
    return SS_OK;
}

ss_status ss_work_add_derivatives(ss_work *work, const double *u, double weight_q, double weight_u)
{
    const ss_model *model = work->model;
    weights weight = {weight_q, weight_u};
    memcpy(work->u, u, (size_t)model->n_u * sizeof *u);
    for (int s = 0; s < model->n_systems.count; s++)
        SS_TRY(add_system(work, s, weight));
    for (int f = 0; f < model->n_forces.count; f++)
        SS_TRY(add_force(work, f, weight));
    return SS_OK;
}

/* The velocities of an cluster, one behind the other. */
static const double *gather(const ss_cluster *cluster, const double *u)
{
    for (int k = 0; k < cluster->n_pieces; k++) {
        const ss_piece *piece = &cluster->pieces[k];
        memcpy(cluster->x + piece->offset, u + piece->u_offset, (size_t)piece->nu * sizeof *u);
    }
    return cluster->x;
}

/* y = A u with A, KF or D, of every cluster. */
static void times(const ss_work *work, bool damping, const double *u, double *y)
{
    for (int m = 0; m < work->n_clusters; m++) {
        const ss_cluster *cluster = &work->clusters[m];
        const double *A = damping ? cluster->D : cluster->KF, *x = gather(cluster, u);
        int n = cluster->n, band = cluster->band;
        for (int i = 0; i < n; i++) {
            int s = cluster->systems[cluster->owner[i]];
            int first = i > band ? i - band : 0, end = i < n - band ? i + band + 1 : n;
            double sum = 0;
            for (int j = first; j < end; j++)
                sum += A[i * n + j] * x[j];
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
