/* rest.c: what rests stays at rest as long as impulses in equilibrium exist within the sets of its laws.
 *
 * Of dependent contacts the normal impulses are not unique, and with other ones friction is weaker: before the load reaches its limit
 * an inclusion may have solutions that rest and solutions that slide. Rest is taken, as by event-driven integration, so that
 * it does not end where an iteration happens to find one of the others.
 */
#include "assembly/work.h"
#include "rows/coupling.h"
#include "rows/kind.h"
#include "simulation/augmented/augmented.h"
#include "simulation/simulation.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 120 };

static const double accurate = 1e-11; /* of the residual's reference, as modes are */

ss_status ss_augmented_reserve_rest(ss_augmented *a)
{
    ss_rest *r = &a->rest;
    int n = a->size.n_rows < MOST_ROWS ? a->size.n_rows : MOST_ROWS;
    SS_RESERVE(a->simulation, double, n *n, &r->all, &r->G);
    SS_RESERVE(a->simulation, double, n, &r->c, &r->scale, &r->lambda, &r->P);
    SS_RESERVE(a->simulation, double, a->size.n_u, &r->u);
    SS_RESERVE(a->simulation, int, a->size.n_laws, &r->first);
    SS_RESERVE(a->simulation, bool, a->size.n_laws, &r->closed);
    SS_RESERVE(a->simulation, ss_mode, a->size.n_laws, &r->modes);
    return ss_equilibrium_reserve(a->simulation, n, a->size.n_laws, &r->equilibrium);
}

static bool is_kept(const ss_augmented *a, const ss_work *work, int block)
{
    return a->rest.closed[work->block_law[block]];
}

/* Whether a law that was closed is not so in the solution; or there is no solution. */
static bool any_leaves(ss_augmented *a, ss_work *work, const double *u,
                       const ss_solve_report *report)
{
    bool accepted = ss_outcome_accepted(report->outcome), kept = false;
    ss_inclusion_modes(&work->inclusion, work->P, u, accurate, a->rest.modes);
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        kept = kept || is_kept(a, work, i);
        if (is_kept(a, work, i) && a->rest.modes[i] != SS_MODE_CONSTRAINT)
            return true;
    }
    return kept && !accepted;
}

/* G and c of the rows of kept blocks, with the other impulses as they are. */
static int form(ss_augmented *a, ss_work *work)
{
    ss_rest *r = &a->rest;
    const ss_inclusion *inclusion = &work->inclusion;
    int n = 0, n_all = ss_inclusion_dense_G(inclusion, false, r->all);
    memcpy(r->P, work->P, (size_t)n_all * sizeof *r->P);
    for (int i = 0; i < inclusion->n_blocks; i++)
        if (is_kept(a, work, i))
            memset(r->P + work->blocks[i].offset, 0, (size_t)work->blocks[i].dim * sizeof *r->P);
    ss_inclusion_free_motion(inclusion, r->P, r->u);
    for (int i = 0; i < inclusion->n_blocks; i++) {
        double gamma[SS_SET_MAX_DIM];
        r->first[i] = is_kept(a, work, i) ? n : -1;
        ss_inclusion_velocity(inclusion, r->P, r->u, i, gamma);
        for (int k = 0; r->first[i] >= 0 && k < work->blocks[i].dim; k++)
            r->c[n++] = gamma[k];
    }
    for (int i = 0; i < inclusion->n_blocks; i++)
        for (int j = 0; j < inclusion->n_blocks; j++)
            for (int k = 0; r->first[i] >= 0 && r->first[j] >= 0 && k < work->blocks[i].dim; k++)
                memcpy(r->G + (r->first[i] + k) * n + r->first[j],
                       r->all + (work->blocks[i].offset + k) * n_all + work->blocks[j].offset,
                       (size_t)work->blocks[j].dim * sizeof *r->G);
    for (int i = 0; i < n; i++)
        r->scale[i] = r->G[i * n + i] > 0 ? 1 / sqrt(r->G[i * n + i]) : 0;
    return n;
}

/* False: a set of a kind that is not known. */
static bool boundary_of(const ss_augmented *a, const ss_work *work, int block, ss_boundary *b)
{
    const ss_block *B = &work->blocks[block];
    int row = a->rest.first[block], from = B->scale_from;
    ss_set_kind kind = B->set->kind;
    if (kind == SS_SET_HALF_LINE || kind == SS_SET_NEGATIVE_HALF_LINE) {
        *b = (ss_boundary){.radius = row, .factor = kind == SS_SET_HALF_LINE ? 1 : -1};
        return true;
    }
    *b = (ss_boundary){.row = row, .dim = B->dim, .radius = -1, .factor = B->scale};
    if (from >= 0 && a->rest.first[from] < 0) {
        b->factor = ss_inclusion_scale(&work->inclusion, work->P, block);
    } else if (from >= 0) {
        ss_set_kind normal = work->blocks[from].set->kind;
        b->radius = a->rest.first[from];
        b->factor = normal == SS_SET_NEGATIVE_HALF_LINE ? -B->scale : B->scale;
        if (normal == SS_SET_FREE)
            return false;
    }
    return kind == SS_SET_INTERVAL || kind == SS_SET_DISK;
}

static bool exists(ss_augmented *a, const ss_work *work, int n)
{
    ss_rest *r = &a->rest;
    ss_equilibrium *q = &r->equilibrium;
    int n_b = 0;
    if (!ss_equilibrium_decompose(q, n, r->G, r->scale) || q->k == 0)
        return false;
    for (int i = 0; i < work->inclusion.n_blocks; i++) {
        if (r->first[i] < 0 || work->blocks[i].set->kind == SS_SET_FREE)
            continue;
        if (!boundary_of(a, work, i, &q->boundaries[n_b++]))
            return false;
    }
    ss_equilibrium_solve(q, r->scale, r->c, r->lambda);
    return n_b > 0 && ss_equilibrium_exists(q, r->lambda, n_b, q->boundaries);
}

ss_status ss_augmented_prefer_rest(void *user, ss_work *work, double *u, ss_solve_report *report)
{
    ss_augmented *a = user;
    ss_rest *r = &a->rest;
    const ss_inclusion *inclusion = &work->inclusion;
    if (inclusion->n_blocks == 0 || inclusion->n_rows > MOST_ROWS || inclusion->refresh ||
        work->model->loaded || !any_leaves(a, work, u, report) || !exists(a, work, form(a, work)))
        return SS_OK;
    for (int i = 0; i < inclusion->n_blocks; i++)
        if (r->first[i] >= 0)
            memcpy(r->P + work->blocks[i].offset, r->equilibrium.x + r->first[i],
                   (size_t)work->blocks[i].dim * sizeof *r->P);
    ss_inclusion_free_motion(inclusion, r->P, r->u);
    ss_residual residual = ss_inclusion_residual(inclusion, r->P, r->u);
    if (!(residual.value <= accurate))
        return SS_OK;
    memcpy(work->P, r->P, (size_t)inclusion->n_rows * sizeof *r->P);
    memcpy(u, r->u, (size_t)inclusion->n_u * sizeof *u);
    report->residual = residual;
    report->outcome = SS_CONVERGED;
    return SS_OK;
}
