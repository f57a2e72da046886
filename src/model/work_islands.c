/* work_islands.c: systems that forces couple, and M̂ = M - a ∂h/∂q F - b ∂h/∂u of each island of
 * them (S5.47, with the minus that follows from S5.41–S5.45).
 *
 * M̂⁻¹ x = A⁻¹ M⁻¹ x with A = I - M⁻¹ (a ∂h/∂q F + b ∂h/∂u), so that infinite masses (zero rows of
 * M⁻¹) stay what they are. An island without derivatives keeps M.
 */
#include "base/joined.h"
#include "model/work.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* Islands are numbered in the order of their first systems. */
static void couple(const ss_model *model, int *parent)
{
    for (int s = 0; s < model->n_systems.count; s++)
        parent[s] = s;
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_touched *touched = &model->forces[f].touched;
        for (int k = 1; k < touched->count && !model->forces[f].ops->constant; k++)
            ss_join(parent, touched->systems[0], touched->systems[k]);
    }
}

static ss_status allocate_island(ss_work *work, ss_island *island)
{
    int n = island->n;
    SS_TRY(SS_ARENA_NEW(&work->arena, n * n, &island->KF));
    SS_TRY(SS_ARENA_NEW(&work->arena, n * n, &island->D));
    SS_TRY(SS_ARENA_NEW(&work->arena, n * n, &island->A));
    SS_TRY(SS_ARENA_NEW(&work->arena, n * n, &island->check));
    SS_TRY(SS_ARENA_NEW(&work->arena, n, &island->x));
    return SS_ARENA_NEW(&work->arena, n, &island->pivots);
}

static ss_status collect_islands(ss_work *work, int *parent)
{
    const ss_model *model = work->model;
    int count = model->n_systems.count;
    SS_TRY(SS_ARENA_NEW(&work->arena, count, &work->islands));
    SS_TRY(SS_ARENA_NEW(&work->arena, count, &work->island_of));
    SS_TRY(SS_ARENA_NEW(&work->arena, count, &work->island_offset));
    for (int s = 0; s < count; s++) {
        int root = ss_joined(parent, s);
        work->island_of[s] = root == s ? work->n_islands++ : work->island_of[root];
        ss_island *island = &work->islands[work->island_of[s]];
        work->island_offset[s] = island->n;
        island->n += model->systems[s].nu;
        island->n_systems++;
    }
    for (int i = 0; i < work->n_islands; i++) {
        ss_island *island = &work->islands[i];
        SS_TRY(SS_ARENA_NEW(&work->arena, island->n_systems, &island->systems));
        SS_TRY(allocate_island(work, island));
        island->n_systems = 0;
    }
    for (int s = 0; s < count; s++) {
        ss_island *island = &work->islands[work->island_of[s]];
        island->systems[island->n_systems++] = s;
    }
    return SS_OK;
}

static bool touches_island(const ss_work *work, const ss_element *element, int island)
{
    for (int k = 0; k < element->touched.count; k++)
        if (work->island_of[element->touched.systems[k]] == island)
            return true;
    return false;
}

static int local_of(const ss_element *element, int system)
{
    for (int k = 0; k < element->touched.count; k++)
        if (element->touched.systems[k] == system)
            return k;
    return -1;
}

/* The systems that a push of an element moves through M̂⁻¹, with room for their part of M̂⁻¹W. */
static ss_status lay_out_span(ss_work *work, int e)
{
    const ss_model *model = work->model;
    const ss_element *element = &model->elements[e];
    ss_work_element *we = &work->elements[e];
    we->n_span = 0;
    for (int s = 0; s < model->n_systems.count; s++)
        we->n_span += touches_island(work, element, work->island_of[s]);
    SS_TRY(SS_ARENA_NEW(&work->arena, we->n_span, &we->span));
    we->n_span = 0;
    for (int s = 0; s < model->n_systems.count; s++) {
        if (!touches_island(work, element, work->island_of[s]))
            continue;
        ss_span *span = &we->span[we->n_span++];
        int k = local_of(element, s), size = model->systems[s].nu * element->rows;
        *span = (ss_span){.system = s, .touched = k >= 0};
        if (k >= 0) {
            span->W = we->W[k];
            span->MinvW = we->MinvW[k];
            continue;
        }
        SS_TRY(SS_ARENA_NEW(&work->arena, size, &span->W));
        SS_TRY(SS_ARENA_NEW(&work->arena, size, &span->MinvW));
    }
    return SS_OK;
}

ss_status ss_work_lay_out_islands(ss_work *work)
{
    const ss_model *model = work->model;
    int *parent, n_factors = 0;
    if (work->islands_ready)
        return SS_OK;
    work->n_islands = 0;
    SS_TRY(SS_ARENA_NEW(&work->arena, model->n_systems.count, &parent));
    couple(model, parent);
    SS_TRY(collect_islands(work, parent));
    for (int e = 0; e < model->n_elements.count; e++)
        SS_TRY(lay_out_span(work, e));
    for (int l = 0; l < model->n_laws.count; l++)
        n_factors += work->elements[model->laws[l].element].n_span;
    if (n_factors > work->n_factors) {
        work->n_factors = n_factors;
        SS_TRY(SS_ARENA_NEW(&work->arena, n_factors, &work->factors));
        work->inclusion.factors = work->factors;
    }
    work->islands_ready = true;
    return SS_OK;
}

/* x = M⁻¹ x for the systems of an island, one behind the other. */
static void solve_masses(const ss_work *work, const ss_island *island, double *x)
{
    for (int i = 0; i < island->n_systems; i++) {
        int s = island->systems[i];
        ss_work_solve_system(work, s, x + work->island_offset[s]);
    }
}

/* A by columns. False: there is nothing to add to M. */
static bool modify(const ss_work *work, ss_island *island, double a, double b)
{
    int n = island->n;
    bool any = false;
    for (int j = 0; j < n; j++) {
        double *column = island->A + j * n;
        for (int i = 0; i < n; i++) {
            column[i] = -(a * island->KF[i * n + j] + b * island->D[i * n + j]);
            any = any || column[i] != 0;
        }
        solve_masses(work, island, column);
        column[j] += 1;
    }
    return any;
}

/* The symmetric part of N = A M⁻¹ = M⁻¹ M̂ M⁻¹ is positive definite where that of M̂ is. */
static void fill_check(const ss_work *work, ss_island *island)
{
    int n = island->n;
    memset(island->check, 0, (size_t)(n * n) * sizeof *island->check);
    for (int j = 0; j < n; j++) {
        memset(island->x, 0, (size_t)n * sizeof *island->x);
        island->x[j] = 1;
        solve_masses(work, island, island->x);
        for (int k = 0; k < n; k++)
            for (int i = 0; i < n && island->x[k] != 0; i++) {
                double half = island->A[k * n + i] * island->x[k] / 2;
                island->check[i * n + j] += half;
                island->check[j * n + i] += half;
            }
    }
}

/* Cholesky, without the rows of infinite masses. */
static bool is_definite(int n, double *N)
{
    for (int k = 0; k < n; k++) {
        double pivot = N[k * n + k], row = 0;
        for (int j = 0; j < n; j++)
            row = fmax(row, fabs(N[k * n + j]));
        if (row == 0)
            continue;
        if (!(pivot > 0))
            return false;
        for (int i = k + 1; i < n; i++) {
            double factor = N[i * n + k] / pivot;
            for (int j = k; j < n; j++)
                N[i * n + j] -= factor * N[k * n + j];
        }
    }
    return true;
}

static ss_status refuse(const ss_work *work, const ss_island *island)
{
    const ss_system *first = &work->model->systems[island->systems[0]];
    return ss_fail_at(
        work->model->context, SS_SINGULAR, first->object.where,
        "%s%s: in the step at t = %g s the mass matrix with linearized forces, M - βαΔt² ∂h/∂q F - "
        "βΔt ∂h/∂u, is not positive definite; a smaller step helps",
        first->object.owner, island->n_systems > 1 ? " and those coupled to it" : "", work->t);
}

ss_status ss_work_modify_mass(ss_work *work, double a, double b)
{
    SS_TRY(ss_work_lay_out_islands(work));
    for (int i = 0; i < work->n_islands; i++) {
        ss_island *island = &work->islands[i];
        island->modified = modify(work, island, a, b);
        if (!island->modified)
            continue;
        fill_check(work, island);
        int n = island->n;
        if (!is_definite(n, island->check) ||
            LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, island->A, n, island->pivots) != 0)
            return refuse(work, island);
        work->modified = true;
    }
    return SS_OK;
}

/* x = A⁻¹ x */
static void solve_factored(const ss_island *island, double *x)
{
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', island->n, 1, island->A, island->n, island->pivots,
                        x, island->n);
}

void ss_work_solve_ratio(const ss_work *work, double *x)
{
    const ss_system *systems = work->model->systems;
    for (int i = 0; work->modified && i < work->n_islands; i++) {
        const ss_island *island = &work->islands[i];
        if (!island->modified)
            continue;
        for (int k = 0; k < island->n_systems; k++) {
            int s = island->systems[k];
            memcpy(island->x + work->island_offset[s], x + systems[s].u_offset,
                   (size_t)systems[s].nu * sizeof *x);
        }
        solve_factored(island, island->x);
        for (int k = 0; k < island->n_systems; k++) {
            int s = island->systems[k];
            memcpy(x + systems[s].u_offset, island->x + work->island_offset[s],
                   (size_t)systems[s].nu * sizeof *x);
        }
    }
}

void ss_work_solve_mass(const ss_work *work, double *x)
{
#pragma omp parallel for schedule(static) num_threads(work->threads) if (work->threads > 1)
    for (int s = 0; s < work->model->n_systems.count; s++)
        ss_work_solve_system(work, s, x + work->model->systems[s].u_offset);
    ss_work_solve_ratio(work, x);
}

/* One column of M̂⁻¹W in one modified island. */
static void solve_row(ss_work *work, ss_work_element *we, int row, int i)
{
    const ss_island *island = &work->islands[i];
    for (int k = 0; k < we->n_span; k++) {
        const ss_span *span = &we->span[k];
        int nu = work->model->systems[span->system].nu;
        if (work->island_of[span->system] == i)
            memcpy(island->x + work->island_offset[span->system], span->W + row * nu,
                   (size_t)nu * sizeof(double));
    }
    solve_masses(work, island, island->x);
    solve_factored(island, island->x);
    for (int k = 0; k < we->n_span; k++) {
        const ss_span *span = &we->span[k];
        int nu = work->model->systems[span->system].nu;
        if (work->island_of[span->system] == i)
            memcpy(span->MinvW + row * nu, island->x + work->island_offset[span->system],
                   (size_t)nu * sizeof(double));
    }
}

void ss_work_solve_modified(ss_work *work, const ss_law *law)
{
    ss_work_element *we = &work->elements[law->element];
    int last = -1;
    for (int k = 0; k < we->n_span; k++) {
        int i = work->island_of[we->span[k].system];
        if (!work->islands[i].modified || i <= last)
            continue;
        last = i;
        for (int row = law->row; row < law->row + law->dim; row++)
            solve_row(work, we, row, i);
    }
}
