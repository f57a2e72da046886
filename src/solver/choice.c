/* choice.c: the solution of least norm, or of least or most energy, among those that one solve
 * leaves open. The modes are those of the solve; the direction in which friction slides depends on
 * the choice, so the choice is repeated until both agree. */
#include "solver/choice.h"

#include "la/small.h"
#include "solver/keys.h"

#include <float.h>
#include <string.h>

/* A choice fills an int. */
_Static_assert(sizeof(ss_forces) == sizeof(int), "ss_forces is filled by a choice");

const ss_key ss_solver_common_keys[] = {
    SS_OPTION_CHOICE(
        ss_solver_common, forces, "any",
        "any|minimum_norm|weighted|energy_min|energy_max|regularized|cone_complementarity",
        "Which impulses, where there are many: any; of least norm; of least norm weighted "
        "by the laws' `rigidity`; with least or most energy after the step; those of springs "
        "(G + s D); or those of the friction cone, which is not Coulomb's law: what slides "
        "lifts off."),
    SS_OPTION_REAL(
        ss_solver_common, compliance, "1e-6", DBL_MIN, 1e300, "1/s²",
        "s of `forces: regularized`, D being 1/rigidity; 1/Δt² stands for springs in the laws' "
        "place that a step takes implicitly."),
    {.name = NULL},
};

const char *ss_forces_name(ss_forces forces)
{
    static const char *const names[] = {
        "any",         "minimum_norm",         "weighted", "energy_min", "energy_max",
        "regularized", "cone_complementarity",
    };
    return (size_t)forces < sizeof names / sizeof *names ? names[forces] : "unknown";
}

/* Q = Nᵀ D N, q = Nᵀ D x */
static void aim_at_norm(ss_choice *c)
{
    const ss_freedom *f = &c->freedom;
    size_t n = (size_t)f->n;
    double *D = c->x;
    for (int i = 0; i < c->inclusion->n_blocks; i++) {
        const ss_block *B = &c->inclusion->blocks[i];
        bool weigh = c->forces == SS_FORCES_WEIGHTED && B->rigidity > 0.0;
        for (int k = 0; k < B->dim && f->first[i] >= 0; k++)
            D[f->first[i] + k] = weigh ? 1.0 / B->rigidity : 1.0;
    }
    for (int j = 0; j < f->nullity; j++) {
        const double *Nj = f->N + (size_t)j * n;
        c->q[j] = 0.0;
        for (int i = 0; i < f->n; i++)
            c->q[j] += Nj[i] * D[i] * f->x[i];
        for (int k = 0; k < f->nullity; k++) {
            double sum = 0.0;
            for (int i = 0; i < f->n; i++)
                sum += Nj[i] * D[i] * f->N[(size_t)k * n + (size_t)i];
            c->Q[j * f->nullity + k] = sum;
        }
    }
}

/* Kinetic energy: its gradient in x is Kᵀ Wᵀu, without b (of an assembled inclusion with all of
 * c), its second derivative Kᵀ G K. */
static void aim_at_energy(ss_choice *c)
{
    const ss_freedom *f = &c->freedom;
    const ss_inclusion *A = c->inclusion;
    size_t n = (size_t)f->n, rows = (size_t)A->n_rows;
    double sign = c->forces == SS_FORCES_ENERGY_MIN ? 1.0 : -1.0, *slope = c->x;
    for (int i = 0; i < A->n_blocks; i++)
        ss_inclusion_velocity(A, c->P, c->u, i, c->v + A->blocks[i].offset);
    for (int k = 0; k < A->n_rows && A->factor_start; k++)
        c->v[k] -= A->b[k];
    memset(slope, 0, n * sizeof *slope);
    ss_freedom_relative_velocity(f, A, c->v, slope);
    for (int j = 0; j < f->nullity; j++)
        c->q[j] = sign * ss_dot(f->n, f->N + (size_t)j * n, slope);
    memset(c->Q, 0, (size_t)f->nullity * (size_t)f->nullity * sizeof *c->Q);
    for (int j = 0; j < f->nullity && sign > 0.0; j++) {
        memset(c->v, 0, rows * sizeof *c->v);
        for (int i = 0; i < f->n; i++)
            ss_axpy(A->n_rows, f->N[(size_t)j * n + (size_t)i], f->R + (size_t)i * rows, c->v);
        memset(slope, 0, n * sizeof *slope);
        ss_freedom_relative_velocity(f, A, c->v, slope);
        for (int k = 0; k < f->nullity; k++)
            c->Q[j * f->nullity + k] = ss_dot(f->n, f->N + (size_t)k * n, slope);
    }
    for (int j = 0; j < f->nullity; j++)
        for (int k = 0; k < j; k++) {
            double *a = &c->Q[j * f->nullity + k], *b = &c->Q[k * f->nullity + j];
            *a = *b = (*a + *b) / 2;
        }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static ss_status reserve_capacity(ss_choice *m, ss_context *context, const ss_inclusion *inclusion)
{
    int rows = larger(inclusion->n_rows, m->capacity_rows);
    int d = larger(m->freedom.nullity, m->capacity_d);
    int n_u = larger(inclusion->factor_start ? inclusion->n_u : 0, m->capacity_u);
    if (m->Q && rows == m->capacity_rows && d == m->capacity_d && n_u == m->capacity_u)
        return SS_OK;
    m->Q = NULL;
    ss_arena_release(&m->arena);
    ss_arena_init(&m->arena, context);
    double **const vectors[] = {&m->x, &m->P, &m->v, &m->before};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        SS_TRY(SS_ARENA_NEW(&m->arena, rows, vectors[k]));
    SS_TRY(SS_ARENA_NEW(&m->arena, n_u, &m->u));
    SS_TRY(SS_ARENA_NEW(&m->arena, d, &m->q));
    SS_TRY(SS_ARENA_NEW(&m->arena, (size_t)d * (size_t)d, &m->Q));
    m->capacity_rows = rows;
    m->capacity_d = d;
    m->capacity_u = n_u;
    return SS_OK;
}

void ss_choice_release(ss_choice *choice)
{
    ss_freedom_release(&choice->freedom);
    ss_arena_release(&choice->arena);
}

static void find_motion(ss_choice *c)
{
    if (c->inclusion->factor_start)
        ss_inclusion_free_motion(c->inclusion, c->P, c->u);
}

/* One choice at the modes and slip directions of (P, u); whether it is the best one, not only on the way to it. */
static bool choose(ss_choice *c)
{
    ss_freedom_correct(&c->freedom, c->inclusion, c->P);
    find_motion(c);
    if (c->forces == SS_FORCES_ENERGY_MIN || c->forces == SS_FORCES_ENERGY_MAX)
        aim_at_energy(c);
    else
        aim_at_norm(c);
    bool found = ss_freedom_optimize(&c->freedom, c->inclusion, c->P, c->Q, c->q, c->x);
    ss_freedom_spread(&c->freedom, c->inclusion, c->x, c->P);
    find_motion(c);
    return found;
}

static double change_of(const ss_choice *c)
{
    double change = 0.0, size = DBL_MIN;
    for (int k = 0; k < c->inclusion->n_rows; k++) {
        change = fmax(change, fabs(c->P[k] - c->before[k]));
        size = fmax(size, fabs(c->P[k]));
    }
    return change / size;
}

static ss_status repeat(ss_choice *c, ss_context *context, double tolerance,
                        ss_solve_report *report)
{
    enum { MOST = 40 };
    const ss_inclusion *inclusion = c->inclusion;
    int nullity = c->freedom.nullity;
    double looseness = fmax(100.0 * tolerance, 1e-9);
    for (int i = 0; i < MOST; i++) {
        memcpy(c->before, c->P, (size_t)inclusion->n_rows * sizeof *c->before);
        bool found = choose(c);
        ss_residual residual = ss_inclusion_residual(inclusion, c->P, c->u);
        if (residual.value <= tolerance && change_of(c) <= fmax(tolerance, 1e-12)) {
            report->residual = residual;
            report->outcome = SS_CONVERGED;
            report->chosen = true;
            return SS_OK;
        }
        if (!found)
            return SS_OK; /* a point or less of free impulses is left: modes of another time */
        SS_TRY(ss_freedom_find(&c->freedom, context, inclusion, c->P, c->u, looseness));
        if (c->freedom.nullity != nullity)
            return SS_OK; /* the choice changes modes: that solution does not exist */
    }
    return SS_OK;
}

ss_status ss_choice_select(ss_choice *c, ss_context *context, const ss_solve_call *call,
                           ss_forces forces, double tolerance)
{
    const ss_inclusion *A = call->inclusion;
    ss_solve_report *report = call->report;
    double looseness = fmax(100.0 * report->residual.value, 1e-9);
    size_t rows = (size_t)A->n_rows * sizeof *c->P;
    size_t velocities = A->factor_start ? (size_t)A->n_u * sizeof *c->u : 0;
    SS_TRY(ss_freedom_find(&c->freedom, context, A, call->P, call->u, looseness));
    report->freedom = c->freedom.nullity;
    report->chosen = c->freedom.nullity == 0;
    if (report->chosen)
        return SS_OK;
    SS_TRY(reserve_capacity(c, context, A));
    c->inclusion = A;
    c->forces = forces;
    memcpy(c->P, call->P, rows);
    if (velocities)
        memcpy(c->u, call->u, velocities);
    SS_TRY(repeat(c, context, tolerance, report));
    if (!report->chosen)
        return SS_OK;
    memcpy(call->P, c->P, rows);
    if (velocities)
        memcpy(call->u, c->u, velocities);
    return SS_OK;
}
