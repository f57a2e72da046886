/* reduced.c: the reduced system, G λ = -c for the forces of closed rows.
 *
 * Closed rows C obey W_Cᵀ u' + ζ̂_C = 0. A sliding law has the force s p, with p the point of its
 * unit set that resists and s its scale. Where s = μ λ_N the column of the normal force carries it,
 * H_N = M⁻¹(W_N + μ W_T p) (Wösle & Pfeiffer's H_R). So
 *
 *     u' = a_free + H_C λ_C,   (W_CᵀH_C) λ_C = -(W_Cᵀ a_free + ζ̂_C).
 *
 * Of dependent constraints the solution of least norm is taken; u' does not depend on the choice.
 *
 * Islands are solved one by one. G of constant masses and directions stays constant while phases
 * last: it is factored when it is used for the second time.
 */
#include "base/union_find.h"
#include "la/small.h"
#include "simulation/event/event.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

static const ss_connected *connected_by(const ss_event_driven *e, int law)
{
    return &e->table->elements[e->table->laws[law].element].connected;
}

/* ---- Islands --------------------------------------------------------------------------------- */

static void join_systems(ss_reduced_islands *islands, const ss_connected *a, const ss_connected *b)
{
    for (int k = 0; k < b->count; k++)
        ss_union_join(islands->parent, a->systems[0], b->systems[k]);
}

static void find_islands(ss_event_driven *e)
{
    ss_reduced_islands *islands = &e->reduced.islands;
    for (int s = 0; s < e->model->n_systems.count; s++)
        islands->parent[s] = s;
    for (int l = 0; l < e->size.n_laws; l++) {
        int from = e->table->laws[l].scale_from;
        if (e->laws[l].phase == SS_PHASE_CLOSED)
            join_systems(islands, connected_by(e, l), connected_by(e, l));
        else if (e->laws[l].phase == SS_PHASE_SLIDING && from >= 0)
            join_systems(islands, connected_by(e, from), connected_by(e, l));
    }
    for (int i = 0; i < e->reduced.n; i++)
        islands->of_row[i] =
            ss_union_root(islands->parent, connected_by(e, e->reduced.law[i])->systems[0]);
}

/* Rows that act, island after island. */
static void list_islands(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    ss_reduced_islands *islands = &r->islands;
    int n = 0;
    islands->count = 0;
    for (int s = 0; s < e->model->n_systems.count; s++) {
        int first = n;
        for (int i = 0; i < r->n; i++)
            if (islands->of_row[i] == s && r->scale[i] > 0)
                islands->rows[n++] = i;
        if (n > first)
            islands->start[islands->count++] = first;
    }
    islands->start[islands->count] = n;
}

/* ---- G, H and c ------------------------------------------------------------------------------ */

/* wᵀx with w the closed row i of W: only systems that its element connects are not zero. */
static double along_row(const ss_event_driven *e, int i, const double *x)
{
    const ss_connected *connected = connected_by(e, e->reduced.law[i]);
    const double *w = e->rows.W + e->reduced.row[i] * e->size.n_u;
    double sum = 0;
    for (int k = 0; k < connected->count; k++) {
        const ss_system *system = &e->model->systems[connected->systems[k]];
        for (int j = system->u_offset; j < system->u_offset + system->nu; j++)
            sum += w[j] * x[j];
    }
    return sum;
}

/* Whether G and H must be formed. Sliding friction is part of H and changes direction with γ. */
static bool take_stale(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    bool changed = r->stale, carried = false;
    for (int l = 0; l < e->size.n_laws; l++) {
        ss_phase phase = e->laws[l].phase;
        changed = changed || r->phases[l] != phase;
        r->phases[l] = phase;
        carried = carried || (phase == SS_PHASE_SLIDING && e->table->laws[l].scale_from >= 0);
    }
    r->stale = carried;
    return changed || carried;
}

/* Closed rows, and M⁻¹W of all laws that are not open. */
static void list_closed(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    int n_u = e->size.n_u;
    r->n = 0;
    for (int l = 0; l < e->size.n_laws; l++) {
        int row = e->table->laws[l].offset, dim = e->table->laws[l].dim;
        if (e->laws[l].phase != SS_PHASE_OPEN)
            memcpy(r->H + row * n_u, e->rows.MinvW + row * n_u, (size_t)(n_u * dim) * sizeof *r->H);
        for (int i = 0; e->laws[l].phase == SS_PHASE_CLOSED && i < dim; i++) {
            r->law[r->n] = l;
            r->row[r->n++] = row + i;
        }
    }
}

/* Force of a sliding law: a constant one joins a_free, else the column of the normal force. */
static void carry_friction(ss_event_driven *e, int l)
{
    const ss_law *law = &e->table->laws[l];
    int n_u = e->size.n_u, from = law->scale_from;
    double *to = from < 0 ? e->reduced.a_free : e->reduced.H + e->table->laws[from].offset * n_u;
    double sign = from < 0 ? 1 : ss_event_normal_sign(e, from);
    ss_event_resist(e, l);
    for (int i = law->offset; i < law->offset + law->dim; i++)
        ss_axpy(n_u, sign * e->laws[l].set.scale * e->rows.boundary[i], e->rows.MinvW + i * n_u,
                to);
}

static void form_G(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    int n = r->n, n_u = e->size.n_u;
    find_islands(e);
    memset(r->G, 0, (size_t)(n * n) * sizeof *r->G);
    for (int i = 0; i < n; i++) {
        double diagonal = along_row(e, i, e->rows.MinvW + r->row[i] * n_u);
        r->scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 0;
        for (int j = 0; j < n && diagonal > 0; j++)
            if (r->islands.of_row[i] == r->islands.of_row[j])
                r->G[i * n + j] = along_row(e, i, r->H + r->row[j] * n_u);
    }
    list_islands(e);
    r->factors.used = r->factors.ready = false;
}

void ss_event_free_accelerations(const ss_event_driven *e, double *a)
{
    memcpy(a, e->point.h, (size_t)e->size.n_u * sizeof *a);
    ss_work_solve_mass(e->work, a);
    ss_axpy(e->size.n_u, 1, e->point.prescribed, a); /* their M⁻¹ is zero */
}

void ss_event_assemble(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    bool stale = take_stale(e);
    ss_event_free_accelerations(e, r->a_free);
    if (stale)
        list_closed(e);
    for (int l = 0; l < e->size.n_laws; l++)
        if (e->laws[l].phase == SS_PHASE_SLIDING)
            carry_friction(e, l);
    if (stale)
        form_G(e);
    for (int i = 0; i < r->n; i++)
        r->c[i] = along_row(e, i, r->a_free) + e->rows.zeta_hat[r->row[i]];
}

bool ss_event_row_acts(const ss_event_driven *e, int row)
{
    const double *MinvW = e->rows.MinvW + row * e->size.n_u;
    for (int j = 0; j < e->size.n_u; j++)
        if (MinvW[j] != 0)
            return true;
    return false;
}

/* ---- Forces ---------------------------------------------------------------------------------- */

static void fill_matrix(const ss_reduced *r, int n, const int *rows, double *A)
{
    const double *scale = r->scale;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[j * n + i] = scale[rows[i]] * r->G[rows[i] * r->n + rows[j]] * scale[rows[j]];
}

/* Cholesky's factor in place of a symmetric matrix with a diagonal of 1. False: it is not
 * symmetric, or nearly singular. */
static bool factor(int n, double *A)
{
    const double rounding = 1e-14, least = 0.1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(A[j * n + i] - A[i * n + j]) <= rounding))
                return false;
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n) != 0)
        return false;
    for (int i = 0; i < n; i++)
        if (!(A[i * n + i] > least))
            return false;
    return true;
}

/* One island, with A for its matrix; returns its rank. */
static int solve_island(ss_reduced *r, int island, double *A, double *lambda)
{
    ss_reduced_factors *factors = &r->factors;
    const int *start = r->islands.start + island, *rows = r->islands.rows + start[0];
    int n = start[1] - start[0], rank = n;
    double *x = factors->x;
    for (int i = 0; i < n; i++)
        x[i] = -r->scale[rows[i]] * r->c[rows[i]];
    if (factors->used && !factors->ready) {
        fill_matrix(r, n, rows, A);
        factors->definite[island] = factor(n, A);
    }
    if (factors->used && factors->definite[island]) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, A, n, x, n);
    } else {
        fill_matrix(r, n, rows, A);
        memset(factors->pivots, 0, (size_t)n * sizeof *factors->pivots);
        LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, n, n, 1, A, n, x, n, factors->pivots, 1e-11, &rank,
                            factors->scratch, factors->scratch_size);
    }
    for (int i = 0; i < n; i++)
        lambda[rows[i]] = r->scale[rows[i]] * x[i];
    return rank;
}

int ss_event_solve(ss_event_driven *e, double *lambda)
{
    ss_reduced *r = &e->reduced;
    const int *start = r->islands.start;
    int rank = r->n - start[r->islands.count];
    double *A = r->factors.matrix;
    memset(lambda, 0, (size_t)r->n * sizeof *lambda);
    for (int island = 0; island < r->islands.count; island++) {
        int n = start[island + 1] - start[island];
        rank += solve_island(r, island, A, lambda);
        A += n * n;
    }
    r->factors.ready = r->factors.used;
    r->factors.used = true;
    return rank;
}

/* The force of the element's group that loads a joint's friction, N. */
static double normal_load_of(const ss_event_driven *e, const ss_law *law)
{
    const ss_element *element = &e->table->elements[law->element];
    double square = 0;
    for (int i = 0; i < element->n_laws; i++) {
        const ss_law *other = &e->table->laws[element->laws[i]];
        for (int k = other->offset;
             other->group == law->load_group && k < other->offset + other->dim; k++) {
            double force = e->rows.lambda[k] + e->rows.added[k];
            square += force * force;
        }
    }
    return sqrt(square);
}

double ss_event_update_loads(ss_event_driven *e)
{
    double change = 0, most = DBL_MIN;
    for (int l = 0; e->model->loaded && l < e->size.n_laws; l++) {
        ss_event_law *law = &e->laws[l];
        if (e->table->laws[l].load_group < 0)
            continue;
        double load = normal_load_of(e, &e->table->laws[l]);
        change = fmax(change, fabs(load - law->normal_load));
        most = fmax(most, load);
        law->normal_load = load;
        law->set.scale = law->unit_scale * load;
    }
    return change / most;
}

static void reduce_once(ss_event_driven *e)
{
    ss_reduced *r = &e->reduced;
    int n_u = e->size.n_u;
    ss_event_assemble(e);
    r->deficient = r->n > 0 && ss_event_solve(e, r->lambda) < r->n;
    memcpy(r->a, r->a_free, (size_t)n_u * sizeof *r->a);
    for (int i = 0; i < r->n; i++) {
        e->rows.lambda[r->row[i]] = r->lambda[i];
        if (r->lambda[i] != 0)
            ss_axpy(n_u, r->lambda[i], r->H + r->row[i] * n_u, r->a);
    }
    for (int l = 0; l < e->size.n_laws; l++) {
        const ss_law *law = &e->table->laws[l];
        if (e->laws[l].phase != SS_PHASE_SLIDING)
            continue;
        double scale = e->laws[l].set.scale; /* smooth even beyond the end of the phase */
        if (law->scale_from >= 0)
            scale = scale * ss_event_normal_sign(e, law->scale_from) *
                    e->rows.lambda[e->table->laws[law->scale_from].offset];
        for (int i = law->offset; i < law->offset + law->dim; i++)
            e->rows.lambda[i] = scale * e->rows.boundary[i];
    }
}

/* Joint friction depends on the force of the joint, and that on the friction. */
void ss_event_reduce(ss_event_driven *e)
{
    enum { MOST = 100 };
    reduce_once(e);
    for (int k = 0; k < MOST && ss_event_update_loads(e) > 1e-14; k++)
        reduce_once(e);
}
