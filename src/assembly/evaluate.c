/* evaluate.c: the model's smooth part at a configuration (q, t): geometry, masses, forces, motion. */
#include "assembly/work.h"
#include "la/small.h"
#include "model/body.h"

#include <lapacke.h>
#include <string.h>

/* One system goes to q. */
static void configure_system(ss_work *work, int s, const double *q)
{
    const ss_system *system = &work->model->systems[s];
    if (q != work->q)
        memcpy(work->q + system->q_offset, q + system->q_offset, (size_t)system->nq * sizeof *q);
}

/* user: &q */
static ss_status system_geometry(ss_work *work, int s, void *user)
{
    const ss_system *system = &work->model->systems[s];
    configure_system(work, s, *(const double **)user);
    work->systems[s].t = work->t;
    if (system->ops->geometry)
        SS_TRY(system->ops->geometry(system->object.self, &work->systems[s]));
    if (system->has_F)
        SS_TRY(system->ops->F(system->object.self, &work->systems[s], work->F + system->F_offset));
    return SS_OK;
}

typedef struct each_call {
    ss_work *work;
    ss_system_fn fn;
    void *user;
    atomic_int worst; /* status */
} each_call;

static void some_systems(void *user, int from, int to)
{
    each_call *call = user;
    int worst = SS_OK;
    for (int s = from; s < to; s++) {
        int status = (int)call->fn(call->work, s, call->user);
        worst = status > worst ? status : worst;
    }
    int before = atomic_load(&call->worst);
    while (worst > before && !atomic_compare_exchange_weak(&call->worst, &before, worst)) {
    }
}

ss_status ss_work_each_system(ss_work *work, ss_system_fn fn, void *user)
{
    int n = work->model->n_systems.count;
    if (work->threads <= 1) {
        for (int s = 0; s < n; s++)
            SS_TRY(fn(work, s, user));
        return SS_OK;
    }
    each_call call = {work, fn, user, SS_OK};
    ss_work_parallel_for(work, n, some_systems, &call);
    return (ss_status)atomic_load(&call.worst);
}

ss_status ss_work_evaluate_geometry(ss_work *work, double t, const double *q)
{
    const ss_model *model = work->model;
    work->t = t;
    SS_TRY(ss_work_each_system(work, system_geometry, &q));
    for (int e = 0; e < work->table.n_elements; e++)
        work->elements[e].at.t = work->t;
    for (int f = 0; f < model->n_forces.count; f++) {
        const ss_force *force = &model->forces[f];
        work->forces[f].t = work->t;
        if (force->ops->geometry)
            SS_TRY(force->ops->geometry(force->object.self, &work->forces[f]));
    }
    return SS_OK;
}

/* ---- Masses: M⁻¹, system by system ---- */

/* From this size on LAPACK is faster than the loops below. */
enum { SS_LARGE_MASS = 16 };

/* M = L Lᵀ in place, lower triangle by rows; false when M is not positive definite. */
static bool cholesky(int n, double *M)
{
    if (n >= SS_LARGE_MASS)
        return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, M, n) == 0;
    for (int j = 0; j < n; j++) {
        double *row = M + j * n;
        for (int i = 0; i < j; i++) {
            const double *above = M + i * n;
            double sum = row[i];
            for (int k = 0; k < i; k++)
                sum -= row[k] * above[k];
            row[i] = sum / above[i];
        }
        double diagonal = row[j];
        for (int k = 0; k < j; k++)
            diagonal -= row[k] * row[k];
        if (!(diagonal > 0))
            return false;
        row[j] = sqrt(diagonal);
    }
    return true;
}

static void solve_cholesky(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* M = LᵀL along the paths of a tree, L lower triangular; false when M is not positive definite (Featherstone 2008, 8.3). */
static bool factor_tree(int n, const int *parents, double *M)
{
    for (int k = n - 1; k >= 0; k--) {
        double *row = M + k * n;
        if (!(row[k] > 0))
            return false;
        row[k] = sqrt(row[k]);
        for (int i = parents[k]; i >= 0; i = parents[i])
            row[i] /= row[k];
        for (int i = parents[k]; i >= 0; i = parents[i])
            for (int j = i; j >= 0; j = parents[j])
                M[i * n + j] -= row[i] * row[j];
    }
    return true;
}

static ss_status check_symmetric(ss_work *work, const ss_system *system, const double *M)
{
    int n = system->nu;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double a = M[i * n + j], b = M[j * n + i];
            if (!isfinite(a))
                return ss_fail_at(work->model->context, SS_NON_FINITE, system->object.where,
                                  "%s: its mass matrix is not finite at t = %g s",
                                  system->object.owner, work->t);
            if (fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)))
                return ss_fail_at(
                    work->model->context, SS_INPUT, system->object.where,
                    "%s: its mass matrix is not symmetric: M[%d,%d] = %g, M[%d,%d] = %g",
                    system->object.owner, i + 1, j + 1, a, j + 1, i + 1, b);
        }
    return SS_OK;
}

static ss_status factor_mass(ss_work *work, int s)
{
    const ss_system *system = &work->model->systems[s];
    if (system->plain)
        return SS_OK;
    double *M = work->mass + system->mass_offset;
    bool inverse = system->ops->inverse_mass != NULL;
    SS_TRY((inverse ? system->ops->inverse_mass : system->ops->mass)(system->object.self,
                                                                     &work->systems[s], M));
    SS_TRY(check_symmetric(work, system, M));
    const int *parents = system->mass_parents;
    if (inverse || (parents ? factor_tree(system->nu, parents, M) : cholesky(system->nu, M)))
        return SS_OK;
    return ss_fail_at(
        work->model->context, SS_SINGULAR, system->object.where,
        "%s: its mass matrix is not positive definite at t = %g s; every coordinate needs "
        "inertia",
        system->object.owner, work->t);
}

static void solve_tree(int n, const int *parents, const double *L, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        if (x[i] == 0)
            continue;
        x[i] /= L[i * n + i];
        for (int j = parents[i]; j >= 0; j = parents[j])
            x[j] -= L[i * n + j] * x[i];
    }
    for (int i = 0; i < n; i++) {
        for (int j = parents[i]; j >= 0; j = parents[j])
            x[i] -= L[i * n + j] * x[j];
        x[i] /= L[i * n + i];
    }
}

/* ‖L u‖²/2 with M = LᵀL. */
static double kinetic_of_tree(int n, const int *parents, const double *L, const double *u)
{
    double T = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = i; j >= 0; j = parents[j])
            sum += L[i * n + j] * u[j];
        T += sum * sum / 2;
    }
    return T;
}

void ss_work_solve_system(const ss_work *work, int s, double *x)
{
    const ss_system *system = &work->model->systems[s];
    const double *M = work->mass + system->mass_offset;
    const ss_body *body = system->body;
    int n = system->nu;
    if (system->plain) {
        for (int i = 0; i < SS_BODY_NU; i++)
            x[i] *= body->still ? 0 : i < 3 ? 1 / body->mass : body->Jinv[0];
    } else if (system->ops->inverse_mass) {
        double *scratch = work->u_scratch + system->u_offset;
        memcpy(scratch, x, (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int j = 0; j < n; j++)
                sum += M[i * n + j] * scratch[j];
            x[i] = sum;
        }
    } else if (system->mass_parents) {
        solve_tree(n, system->mass_parents, M, x);
    } else if (n >= SS_LARGE_MASS) {
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, M, n, x, n);
    } else {
        solve_cholesky(n, M, x);
    }
}

/* ‖Lᵀu‖²/2 with M = L Lᵀ. */
static double kinetic_of_factor(int n, const double *L, const double *u)
{
    double T = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = j; i < n; i++)
            sum += L[i * n + j] * u[i];
        T += sum * sum / 2;
    }
    return T;
}

/* uᵀ x / 2 with M⁻¹ x = u, by elimination; rows without pivot belong to infinite masses and count nothing. */
static double kinetic_of_inverse(int n, const double *Minv, const double *u, double *A, double *x)
{
    double T = 0;
    memcpy(A, Minv, (size_t)n * (size_t)n * sizeof *A);
    memcpy(x, u, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++) {
        double pivot = A[k * n + k];
        if (!(pivot > 0))
            continue;
        T += x[k] * x[k] / pivot / 2;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / pivot;
            x[i] -= factor * x[k];
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return T;
}

double ss_work_kinetic(ss_work *work, int s, const double *u)
{
    const ss_system *system = &work->model->systems[s];
    const double *mass = work->mass + system->mass_offset;
    if (system->plain) {
        const ss_body *body = system->body;
        double v2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        double w2 = u[3] * u[3] + u[4] * u[4] + u[5] * u[5];
        return body->still ? 0 : (body->mass * v2 + w2 / body->Jinv[0]) / 2;
    }
    if (system->mass_parents)
        return kinetic_of_tree(system->nu, system->mass_parents, mass, u);
    return system->ops->inverse_mass
               ? kinetic_of_inverse(system->nu, mass, u, work->mass_scratch, work->u_scratch)
               : kinetic_of_factor(system->nu, mass, u);
}

ss_status ss_work_evaluate(ss_work *work, double t, const double *q)
{
    const ss_model *model = work->model;
    SS_TRY(ss_work_evaluate_geometry(work, t, q));
    work->modified = false;
    if (work->mass_ready && model->constant_mass)
        return SS_OK;
    for (int s = 0; s < model->n_systems.count; s++)
        if (!work->mass_ready || !model->systems[s].constant_mass)
            SS_TRY(factor_mass(work, s));
    work->mass_ready = true;
    return SS_OK;
}

/* ---- Forces ---- */

void ss_work_aim_force(ss_work *work, int f, double *h)
{
    const ss_force *force = &work->model->forces[f];
    for (int k = 0; work->force_aim[f] != h && k < force->connected.count; k++)
        work->force_h[f][k] = h + work->model->systems[force->connected.systems[k]].u_offset;
    work->force_aim[f] = h;
}

static ss_status add_force(ss_work *work, int f, double *h)
{
    const ss_force *force = &work->model->forces[f];
    ss_work_aim_force(work, f, h);
    return force->ops->h(force->object.self, &work->forces[f], work->force_h[f]);
}

/* A force without potential: to h, and to the loads. */
static ss_status add_load(ss_work *work, int f, double *h)
{
    const ss_connected *connected = &work->model->forces[f].connected;
    double *alone = work->force_alone;
    for (int k = 0; k < connected->count; k++) {
        const ss_system *system = &work->model->systems[connected->systems[k]];
        memset(alone + system->u_offset, 0, (size_t)system->nu * sizeof *alone);
    }
    SS_TRY(add_force(work, f, alone));
    for (int k = 0; k < connected->count; k++) {
        const ss_system *system = &work->model->systems[connected->systems[k]];
        for (int i = system->u_offset; i < system->u_offset + system->nu; i++) {
            h[i] += alone[i];
            work->load[i] += alone[i];
        }
    }
    return SS_OK;
}

ss_status ss_work_forces(ss_work *work, const double *u, double *h)
{
    return ss_work_forces_over(work, u, 0, h);
}

typedef struct force_call {
    const double *u;
    double dt, *h;
} force_call;

/* h of a system, and the part of it that counts as a load: its own word, else all of h unless there is a potential. */
static ss_status system_forces(ss_work *work, int s, void *user)
{
    const force_call *call = user;
    const ss_system *system = &work->model->systems[s];
    double *h = call->h + system->u_offset;
    size_t bytes = (size_t)system->nu * sizeof *h;
    memcpy(work->u + system->u_offset, call->u + system->u_offset, bytes);
    memset(h, 0, bytes);
    work->systems[s].dt = call->dt;
    if (system->ops->h)
        SS_TRY(system->ops->h(system->object.self, &work->systems[s], h));
    work->systems[s].dt = 0;
    double *load = work->load + system->u_offset;
    if (system->ops->load)
        return system->ops->load(system->object.self, &work->systems[s], load);
    if (system->ops->potential)
        memset(load, 0, bytes);
    else
        memcpy(load, h, bytes);
    return SS_OK;
}

ss_status ss_work_forces_over(ss_work *work, const double *u, double dt, double *h)
{
    const ss_model *model = work->model;
    SS_TRY(ss_work_each_system(work, system_forces, &(force_call){u, dt, h}));
    for (int f = 0; f < model->n_forces.count; f++)
        SS_TRY((model->forces[f].ops->potential ? add_force : add_load)(work, f, h));
    for (int s = 0; model->prescribed && s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s]; /* what holds a motion works against forces */
        for (int i = system->u_offset; system->prescribed && i < system->u_offset + system->nu; i++)
            work->load[i] -= h[i];
    }
    return SS_OK;
}

/* ---- Motion ---- */

ss_status ss_work_prescribe(ss_work *work, double t, double *u)
{
    const ss_model *model = work->model;
    for (int s = 0; model->prescribed && s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        ss_at at = {.t = t, .cache = work->systems[s].cache};
        if (system->prescribed)
            SS_TRY(system->ops->review_u(system->object.self, &at, work->q + system->q_offset,
                                         u + system->u_offset));
    }
    return SS_OK;
}

void ss_work_move_system(const ss_work *work, int s, const double *q_B, const double *u, double dt,
                         double *q_E)
{
    const ss_system *system = &work->model->systems[s];
    const double *F = system->has_F ? work->F + system->F_offset : NULL;
    const double *qs = q_B + system->q_offset, *us = u + system->u_offset;
    double *to = q_E + system->q_offset;
    if (system->ops->move) {
        system->ops->move(system->object.self, &work->systems[s], us, dt, qs, to);
        return;
    }
    for (int i = 0; i < system->nq; i++) {
        double rate = F ? 0 : us[i];
        for (int j = 0; F && j < system->nu; j++)
            rate += F[i * system->nu + j] * us[j];
        to[i] = qs[i] + rate * dt;
    }
}

typedef struct move_call {
    const ss_work *work;
    const double *q_B, *u;
    double dt, *q_E;
} move_call;

static void move_some(void *user, int from, int to)
{
    const move_call *call = user;
    for (int s = from; s < to; s++)
        ss_work_move_system(call->work, s, call->q_B, call->u, call->dt, call->q_E);
}

void ss_work_move(const ss_work *work, const double *q_B, const double *u, double dt, double *q_E)
{
    ss_work_parallel_for(work, work->model->n_systems.count, move_some,
                         &(move_call){work, q_B, u, dt, q_E});
}

static ss_status system_predict(ss_work *work, int s, void *user)
{
    const move_call *call = user;
    if (work->model->systems[s].has_F)
        SS_TRY(system_geometry(work, s, &(const double *){call->q_B}));
    else
        configure_system(work, s, call->q_B);
    ss_work_move_system(work, s, call->q_B, call->u, call->dt, call->q_E);
    return SS_OK;
}

ss_status ss_work_predict(ss_work *work, double t, const double *q_B, const double *u, double dt,
                          double *q)
{
    work->t = t;
    return ss_work_each_system(work, system_predict, &(move_call){work, q_B, u, dt, q});
}

typedef struct review_call {
    double t, *q, *u;
} review_call;

/* Says with SS_NON_FINITE, and no message, that numbers of a body are not finite. */
static ss_status system_review(ss_work *work, int s, void *user)
{
    const review_call *call = user;
    const ss_system *system = &work->model->systems[s];
    double *qs = call->q + system->q_offset, *us = call->u + system->u_offset;
    ss_at at = {.t = call->t, .cache = work->systems[s].cache};
    if (system->ops->review_q)
        SS_TRY(system->ops->review_q(system->object.self, &at, qs));
    if (system->ops->review_u)
        SS_TRY(system->ops->review_u(system->object.self, &at, qs, us));
    return ss_all_finite(system->nq, qs) && ss_all_finite(system->nu, us) ? SS_OK : SS_NON_FINITE;
}

/* The first system whose numbers are not finite. */
static ss_status fail_non_finite(const ss_work *work, const review_call *call)
{
    for (int s = 0; s < work->model->n_systems.count; s++) {
        const ss_system *system = &work->model->systems[s];
        bool q = ss_all_finite(system->nq, call->q + system->q_offset);
        if (q && ss_all_finite(system->nu, call->u + system->u_offset))
            continue;
        return ss_fail_at(work->model->context, SS_NON_FINITE, system->object.where,
                          "%s: its %s are not finite at t = %g s; a smaller step may help",
                          system->object.owner, q ? "velocities" : "positions", call->t);
    }
    return SS_NON_FINITE; /* a review function failed, and has said why */
}

ss_status ss_work_review(ss_work *work, double t, double *q, double *u)
{
    review_call call = {t, q, u};
    ss_status status = ss_work_each_system(work, system_review, &call);
    return status == SS_NON_FINITE ? fail_non_finite(work, &call) : status;
}

ss_status ss_work_prescribe_state(ss_work *work, double t, double *q, double *u)
{
    const ss_model *model = work->model;
    review_call call = {t, q, u};
    ss_status status = SS_OK;
    for (int s = 0; model->prescribed && status == SS_OK && s < model->n_systems.count; s++)
        if (model->systems[s].prescribed)
            status = system_review(work, s, &call);
    return status == SS_NON_FINITE ? fail_non_finite(work, &call) : status;
}

ss_status ss_work_prescribe_accelerations(const ss_work *work, double *a)
{
    const ss_model *model = work->model;
    for (int s = 0; model->prescribed && s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        ss_at at = {.t = work->t, .cache = work->systems[s].cache};
        if (system->prescribed && system->ops->acceleration)
            SS_TRY(system->ops->acceleration(system->object.self, &at, a + system->u_offset));
    }
    return SS_OK;
}
