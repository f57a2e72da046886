/* dynamics.c: what a model knows about its dynamics, for who asks: M, inverse dynamics, frames and their Jacobians. */
#include "assembly/work.h"

#include <lapacke.h>
#include <string.h>

static ss_status infinite(const ss_work *work, const ss_system *system)
{
    return ss_fail_at(work->model->context, SS_SINGULAR, system->object.where,
                      "%s: its mass matrix is not finite or not positive definite",
                      system->object.owner);
}

ss_status ss_work_mass_matrix(ss_work *work, int s, double *M)
{
    const ss_system *system = &work->model->systems[s];
    int n = system->nu;
    if (system->ops->mass)
        return system->ops->mass(system->object.self, &work->systems[s], M);
    SS_TRY(system->ops->inverse_mass(system->object.self, &work->systems[s], M));
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, M, n) != 0 ||
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', n, M, n) != 0)
        return infinite(work, system);
    for (int i = 0; i < n; i++) /* by columns the upper triangle is this one */
        for (int j = 0; j < i; j++)
            M[j * n + i] = M[i * n + j];
    return SS_OK;
}

ss_status ss_work_inverse_dynamics(ss_work *work, const double *u, const double *a, double *tau)
{
    const ss_model *model = work->model;
    SS_TRY(ss_work_forces(work, u, tau));
    for (int s = 0; s < model->n_systems.count; s++) {
        const ss_system *system = &model->systems[s];
        double *M = work->mass_scratch, *to = tau + system->u_offset;
        const double *as = a + system->u_offset;
        SS_TRY(ss_work_mass_matrix(work, s, M));
        for (int i = 0; i < system->nu; i++) {
            double sum = 0;
            for (int j = 0; j < system->nu; j++)
                sum += M[i * system->nu + j] * as[j];
            to[i] = sum - to[i];
        }
    }
    return SS_OK;
}

ss_status ss_work_frame(ss_work *work, int s, int frame, ss_pose *pose, double *V)
{
    const ss_system *system = &work->model->systems[s];
    if (!system->ops->pose || frame < 0 || frame >= ss_system_frames(system))
        return ss_fail(work->model->context, SS_INPUT, "%s has no frame number %d",
                       system->object.owner, frame);
    system->ops->pose(system->object.self, &work->systems[s], frame, pose);
    if (V && system->ops->twist)
        system->ops->twist(system->object.self, &work->systems[s], frame, V);
    for (int i = 0; V && !system->ops->twist && i < 36; i++)
        V[i] = i % 7 == 0;
    return SS_OK;
}
