/* mass.c: M⁻¹, system by system. */
#include "assembly/work.h"
#include "model/body.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

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

ss_status ss_work_factor_mass(ss_work *work, int s)
{
    const ss_system *system = &work->model->systems[s];
    if (ss_system_is_plain(system))
        return SS_OK;
    double *M = work->mass + system->mass_offset;
    bool inverse = system->ops->inverse_mass != NULL;
    SS_TRY((inverse ? system->ops->inverse_mass : system->ops->mass)(system->object.self,
                                                                     &work->systems[s], M));
    SS_TRY(check_symmetric(work, system, M));
    if (inverse || cholesky(system->nu, M))
        return SS_OK;
    return ss_fail_at(
        work->model->context, SS_SINGULAR, system->object.where,
        "%s: its mass matrix is not positive definite at t = %g s; every coordinate needs "
        "inertia",
        system->object.owner, work->t);
}

static void multiply(int n, const double *A, double *x, double *scratch)
{
    memcpy(scratch, x, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += A[i * n + j] * scratch[j];
        x[i] = sum;
    }
}

static void solve_plain(const ss_body *body, double *x)
{
    for (int i = 0; i < SS_BODY_NU; i++)
        x[i] *= body->still ? 0 : i < 3 ? 1 / body->mass : body->Jinv[0];
}

void ss_work_solve_system(const ss_work *work, int s, double *x)
{
    const ss_system *system = &work->model->systems[s];
    const double *M = work->mass + system->mass_offset;
    if (ss_system_is_plain(system))
        solve_plain(system->body, x);
    else if (system->ops->inverse_mass)
        multiply(system->nu, M, x, work->u_scratch + system->u_offset);
    else if (system->nu >= SS_LARGE_MASS)
        LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', system->nu, 1, M, system->nu, x, system->nu);
    else
        solve_cholesky(system->nu, M, x);
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

static double kinetic_plain(const ss_body *body, const double *u)
{
    double v2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    double w2 = u[3] * u[3] + u[4] * u[4] + u[5] * u[5];
    return body->still ? 0 : (body->mass * v2 + w2 / body->Jinv[0]) / 2;
}

double ss_work_kinetic(ss_work *work, int s, const double *u)
{
    const ss_system *system = &work->model->systems[s];
    const double *mass = work->mass + system->mass_offset;
    if (ss_system_is_plain(system))
        return kinetic_plain(system->body, u);
    if (!system->ops->inverse_mass)
        return kinetic_of_factor(system->nu, mass, u);
    return kinetic_of_inverse(system->nu, mass, u, work->mass_scratch, work->u_scratch);
}
