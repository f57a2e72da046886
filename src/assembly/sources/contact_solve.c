/* contact_solve.c: solves a step whose rows have several forms, in sweeps over all of them. */
#include "assembly/sources/contacts.h"
#include "model/body.h"

#include "solver/kernels/sweep.h"

#include <string.h>

/* ---- Bodies ---- */

typedef struct bodies_call {
    const ss_work *work;
    const double *u;
    ss_row_body *bodies;
} bodies_call;

static void set_bodies(void *user, int from, int to)
{
    const bodies_call *call = user;
    const ss_work *work = call->work;
    const struct ss_work_contacts *c = work->contacts;
    const double *u = call->u;
    for (int s = from; s < to; s++) {
        const ss_system *system = &work->model->systems[s];
        ss_row_body *body = &call->bodies[c->store.number[c->system_body[s]]];
        if (c->system_body[s] == 0)
            continue;
        body->m_inv = 1 / system->body->mass;
        body->J_inv = system->body->Jinv[0];
        memcpy(body->v, u + system->u_offset, sizeof body->v);
        if (c->V[s])
            ss_turn(c->frames[s].A, u + system->u_offset + 3, body->w);
        else
            memcpy(body->w, u + system->u_offset + 3, sizeof body->w);
    }
}

void ss_work_row_bodies(const ss_work *work, const double *u, ss_row_body *bodies)
{
    ss_work_parallel_for(work, work->model->n_systems.count, set_bodies,
                         &(bodies_call){work, u, bodies});
    bodies[0] = (ss_row_body){{0}};
}

/* J⁻¹ in space: A J⁻¹ Aᵀ. */
static void turn_inertia(const double A[9], const double Jinv[9], double J[8])
{
    double AJ[9], full[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            AJ[3 * i + j] =
                A[3 * i] * Jinv[j] + A[3 * i + 1] * Jinv[3 + j] + A[3 * i + 2] * Jinv[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            full[3 * i + j] =
                AJ[3 * i] * A[3 * j] + AJ[3 * i + 1] * A[3 * j + 1] + AJ[3 * i + 2] * A[3 * j + 2];
    J[0] = full[0], J[1] = full[4], J[2] = full[8], J[3] = 0;
    J[4] = full[1], J[5] = full[2], J[6] = full[5], J[7] = 0;
}

static void set_inertia(void *user, int from, int to)
{
    const ss_work *work = user;
    const struct ss_work_contacts *c = work->contacts;
    for (int s = from; s < to; s++)
        if (c->system_body[s])
            turn_inertia(c->frames[s].A, work->model->systems[s].body->Jinv,
                         c->store.inertia[c->store.number[c->system_body[s]]]);
}

static void find_inertia(ss_work *work)
{
    memset(work->contacts->store.inertia[0], 0, sizeof *work->contacts->store.inertia);
    ss_work_parallel_for(work, work->model->n_systems.count, set_inertia, work);
}

typedef struct velocities_call {
    const ss_work *work;
    double *u;
} velocities_call;

static void get_velocities(void *user, int from, int to)
{
    const velocities_call *call = user;
    const ss_work *work = call->work;
    const struct ss_work_contacts *c = work->contacts;
    bool blocks = c->store.general.inclusion.n_blocks > 0;
    const double *rest =
        blocks ? c->store.bodies[0].v + ss_rows_rest_offset(&c->store) : work->inclusion.u_free;
    for (int s = from; s < to; s++) {
        const ss_row_body *body = &c->store.bodies[c->store.number[c->system_body[s]]];
        const ss_system *system = &work->model->systems[s];
        double *us = call->u + system->u_offset;
        if (c->system_body[s] == 0) {
            memcpy(us, rest + system->u_offset, (size_t)system->nu * sizeof *us);
            continue;
        }
        memcpy(us, body->v, sizeof body->v);
        if (c->V[s])
            ss_turn_back(c->frames[s].A, body->w, us + 3);
        else
            memcpy(us + 3, body->w, sizeof body->w);
    }
}

static void fetch_velocities(const ss_work *work, double *u)
{
    ss_work_parallel_for(work, work->model->n_systems.count, get_velocities,
                         &(velocities_call){work, u});
}

/* ---- GENERAL blocks, on the velocities of the store ---- */

/* Three rows of a factor of a body, velocity by velocity as the store has them. */
static const double *take_part(const ss_factor *F, const double *W, int dim, int from,
                               const double *A, double **pool)
{
    double *part = *pool;
    for (int row = 0; row < dim; row++) {
        const double *w = W + row * F->nu + from;
        if (A)
            ss_turn(A, w, part + 3 * row);
        else
            memcpy(part + 3 * row, w, 3 * sizeof *w);
    }
    *pool += 3 * dim;
    return part;
}

/* One factor becomes one, or those of a body's translation and rotation. */
static int map_factor(const struct ss_work_contacts *c, const ss_factor *F, int dim, ss_factor *to,
                      double **pool)
{
    enum { STRIDE = sizeof(ss_row_body) / sizeof(double), TURNING = STRIDE / 2 };
    int s = c->system_at[F->u_offset];
    if (c->system_body[s] == 0) {
        *to = *F;
        to->u_offset += ss_rows_rest_offset(&c->store);
        return 1;
    }
    const double *A = c->V[s] ? c->frames[s].A : NULL;
    int at = STRIDE * c->store.number[c->system_body[s]];
    to[0] = (ss_factor){at, 3, take_part(F, F->W, dim, 0, NULL, pool),
                        take_part(F, F->MinvW, dim, 0, NULL, pool)};
    to[1] = (ss_factor){at + TURNING, 3, take_part(F, F->W, dim, 3, A, pool),
                        take_part(F, F->MinvW, dim, 3, A, pool)};
    return 2;
}

static ss_status reserve_map(ss_work *work)
{
    const ss_inclusion *from = &work->inclusion;
    struct ss_work_contacts *c = work->contacts;
    size_t factors = 0, numbers = 0;
    for (int i = 0; i < from->n_blocks; i++)
        for (int k = from->factor_start[i]; k < from->factor_start[i + 1]; k++) {
            factors += 2;
            numbers += (size_t)(12 * from->blocks[i].dim);
        }
    ss_mapped *m = &c->mapped;
    if (factors > m->n_factors) {
        m->n_factors = factors + factors / 2;
        SS_TRY(ss_reallocate(work->model->context, m->n_factors, sizeof *m->factors,
                             (void **)&m->factors));
    }
    if (numbers > m->n_numbers) {
        m->n_numbers = numbers + numbers / 2;
        SS_TRY(ss_reallocate(work->model->context, m->n_numbers, sizeof *m->numbers,
                             (void **)&m->numbers));
    }
    if ((size_t)from->n_blocks + 1 > m->n_starts) {
        m->n_starts = (size_t)from->n_blocks + (size_t)from->n_blocks / 2 + 1;
        SS_TRY(ss_reallocate(work->model->context, m->n_starts, sizeof *m->starts,
                             (void **)&m->starts));
    }
    return ss_rows_reserve_general(&c->store, from->n_blocks, from->n_rows);
}

/* The blocks of elements, and of contacts that no other form fits. */
static ss_status map_general(ss_work *work)
{
    const ss_inclusion *from = &work->inclusion;
    struct ss_work_contacts *c = work->contacts;
    ss_general_rows *g = &c->store.general;
    SS_TRY(reserve_map(work));
    double *pool = c->mapped.numbers;
    int n = 0;
    c->mapped.starts[0] = 0;
    for (int i = 0; i < from->n_blocks; i++) {
        for (int k = from->factor_start[i]; k < from->factor_start[i + 1]; k++)
            n +=
                map_factor(c, &from->factors[k], from->blocks[i].dim, &c->mapped.factors[n], &pool);
        c->mapped.starts[i + 1] = n;
    }
    g->P = work->P;
    g->inclusion = (ss_inclusion){
        .n_blocks = from->n_blocks,
        .n_rows = from->n_rows,
        .blocks = from->blocks,
        .n_u = ss_rows_rest_offset(&c->store) + g->n_rest,
        .factor_start = c->mapped.starts,
        .factors = c->mapped.factors,
        .u_free = c->store.free[0].v,
        .b = from->b,
    };
    if (from->n_blocks > 0)
        memcpy(c->store.free[0].v + ss_rows_rest_offset(&c->store), from->u_free,
               (size_t)from->n_u * sizeof *from->u_free);
    return SS_OK;
}

void ss_work_contacts_release_map(ss_work *work)
{
    ss_mapped *m = &work->contacts->mapped;
    ss_release(work->model->context, m->factors);
    ss_release(work->model->context, m->numbers);
    ss_release(work->model->context, m->starts);
}

/* ---- First guess ---- */

/* The first of the contacts that is not before another one. */
static int first_from(const ss_contact *contacts, int n, const ss_contact *wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const ss_contact *k = &contacts[middle];
        if (k->a < wanted->a || (k->a == wanted->a && k->b < wanted->b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Impulses of the last step. Driven bodies move as they do at the end of the step. */
typedef struct guess_call {
    const ss_work *work;
    const ss_state *B;
} guess_call;

static void guess(void *user, int begin, int end)
{
    const guess_call *call = user;
    const ss_work *work = call->work;
    const ss_state *B = call->B;
    struct ss_work_contacts *c = work->contacts;
    const ss_contact *before = B ? ss_state_contacts(B) : NULL;
    int n = B ? ss_state_contact_count(B) : 0;
    int from = begin < end ? first_from(before, n, &c->found[begin]) : 0;
    for (int i = begin; i < end; i++) {
        ss_row_contact *t = &c->store.contacts[i];
        if (t->form == SS_ROW_GENERAL)
            continue;
        const ss_contact *old = ss_contact_before(&c->found[i], before, n, &from);
        if (old)
            memcpy(t->P, old->P, sizeof old->P);
        ss_work_contact_drive(work, i, work->inclusion.u_free, t->bias);
    }
}

/* ---- Solving ---- */

typedef struct fetch_call {
    ss_rows *rows;
    const ss_residual *residual;
} fetch_call;

static void fetch(void *user)
{
    enum { ROUNDING = 4 };
    const fetch_call *call = user;
    ss_rows_fetch(call->rows, ROUNDING * call->residual->value, call->residual->reference);
}

void ss_work_contacts_fetch(ss_work *work, const ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    int threads = c->store.n_subdomains > 1 ? work->threads : 1;
    ss_parallel(work->model->context, threads, fetch, &(fetch_call){&c->store, &report->residual});
}

static ss_status solve_rows(ss_work *work, void *unused, double *u, ss_solve_report *report)
{
    (void)unused;
    SS_TRY(ss_solver_sweep_rows(work->solver, &work->contacts->store, report));
    fetch_velocities(work, u);
    return SS_OK;
}

ss_status ss_work_contacts_solve(ss_work *work, const ss_state *B, double *u_E,
                                 ss_solve_report *report)
{
    struct ss_work_contacts *c = work->contacts;
    ss_work_row_bodies(work, work->inclusion.u_free, c->store.free);
    if (c->any_body)
        find_inertia(work);
    SS_TRY(map_general(work));
    ss_work_parallel_for(work, c->n, guess, &(guess_call){work, B});
    if (c->sleep && B)
        SS_TRY(ss_sleep_mark(work, c->sleep, B));
    SS_TRY(ss_rows_arrange(&c->store, work->threads));
    SS_TRY(ss_work_solve_loaded(work, solve_rows, NULL, u_E, report));
    if (c->sleep && B)
        SS_TRY(ss_sleep_settle(work, c->sleep, B, report));
    ss_work_contacts_fetch(work, report);
    fetch_velocities(work, u_E);
    return SS_OK;
}
