/* integrator.c: one step at a time of CVODE, ARKODE or IDA, with root finding. */
#include "simulation/event/integrator.h"

#include "base/context.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/* Before a jump, of a load or at the end of a face, a step becomes as small as it must. */
enum { MOST_FAILURES = 100, MOST_USES = 50 };

/* What the three packages have under the same names. */
typedef struct package {
    void (*free)(void **memory);
    int (*set_error_handler)(void *memory, CVErrHandlerFn handler, void *user);
    int (*set_tolerances)(void *memory, realtype relative, N_Vector absolute);
    int (*set_user_data)(void *memory, void *user);
    int (*set_max_steps)(void *memory, long steps);
    int (*set_max_step)(void *memory, realtype step);
    int (*set_max_failures)(void *memory, int failures);
    int (*set_root_direction)(void *memory, int *directions);
    int (*set_no_root_warning)(void *memory);
    int (*set_stop_time)(void *memory, realtype t);
    int (*set_first_step)(void *memory, realtype step);
    int (*get_roots)(void *memory, int *fired);
    int (*interpolate)(void *memory, realtype t, int derivative, N_Vector y);
    int (*get_last_step)(void *memory, realtype *step);
} package;

#define PACKAGE(P)                                                                               \
    {                                                                                            \
        P##Free, P##SetErrHandlerFn, P##SVtolerances, P##SetUserData, P##SetMaxNumSteps,         \
            P##SetMaxStep, P##SetMaxErrTestFails, P##SetRootDirection, P##SetNoInactiveRootWarn, \
            P##SetStopTime, P##SetInitStep, P##GetRootInfo, P##GetDky, P##GetLastStep            \
    }

/* Calls of SUNDIALS: the first flag that is not zero is returned. */
#define TRY_FLAG(call)      \
    do {                    \
        int flag_ = (call); \
        if (flag_ != 0)     \
            return flag_;   \
    } while (0)

static const package packages[] = {
    [SS_METHOD_RKF45] = PACKAGE(ERKStep),
    [SS_METHOD_ADAMS] = PACKAGE(CVode),
    [SS_METHOD_BDF] = PACKAGE(CVode),
    [SS_METHOD_IDA] = PACKAGE(IDA),
};

/* IDA's ∂F/∂y, kept while Newton's method converges with it: IDA asks for a Jacobian whenever its
 * step changes, but then only c of ∂F/∂y + c ∂F/∂y' is another. CVODE does the same by itself. */
typedef struct kept_jacobian {
    SUNMatrix matrix;
    int uses; /* 0: there is none */
    double c; /* of the last use */
    long failures;
} kept_jacobian;

struct ss_integrator {
    ss_context *context;
    ss_integrator_setup setup;
    const package *package;
    SUNContext sundials;
    double *full, *full_dot, *full_base, *full_out; /* setup.n: y, y' and results for the user */
    int *used;                                      /* indices of the integrated numbers in them */
    int n;                                          /* length of the vectors below */
    void *memory;                                   /* of the package */
    N_Vector y, absolute;
    N_Vector ydot, kinds; /* IDA: y', and 1 where y has a derivative */
    SUNMatrix matrix;
    kept_jacobian kept;
    SUNLinearSolver linear;
    double t, stop;
};

static double *spread(const ss_integrator *i, N_Vector x, double *full)
{
    const double *values = N_VGetArrayPointer(x);
    for (int k = 0; k < i->n; k++)
        full[i->used[k]] = values[k];
    return full;
}

static void gather(const ss_integrator *i, const double *full, double *values)
{
    for (int k = 0; k < i->n; k++)
        values[k] = full[i->used[k]];
}

static int rates(realtype t, N_Vector y, N_Vector ydot, void *user)
{
    const ss_integrator *i = user;
    int flag = i->setup.rates(t, spread(i, y, i->full), i->full_out, i->setup.user);
    gather(i, i->full_out, N_VGetArrayPointer(ydot));
    return flag;
}

static int roots(realtype t, N_Vector y, realtype *values, void *user)
{
    const ss_integrator *i = user;
    return i->setup.roots(t, spread(i, y, i->full), values, i->setup.user);
}

static int residual(realtype t, N_Vector y, N_Vector ydot, N_Vector r, void *user)
{
    const ss_integrator *i = user;
    int flag = i->setup.residual(t, spread(i, y, i->full), spread(i, ydot, i->full_dot),
                                 i->full_out, i->setup.user);
    gather(i, i->full_out, N_VGetArrayPointer(r));
    return flag;
}

/* Column by column: what the user has no formula for. */
static int differences(const ss_integrator *i, double t, const double *ydot, N_Vector base,
                       SUNMatrix J)
{
    int flag = 0;
    spread(i, base, i->full_base);
    for (int k = 0; k < i->n && flag == 0; k++) {
        flag =
            i->setup.column(t, i->full, ydot, i->full_base, i->used[k], i->full_out, i->setup.user);
        gather(i, i->full_out, SUNDenseMatrix_Column(J, k));
    }
    return flag;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *user, N_Vector a,
                    N_Vector b, N_Vector c)
{
    (void)a, (void)b, (void)c;
    const ss_integrator *i = user;
    int flag = i->setup.linearize(t, spread(i, y, i->full), i->setup.user);
    return flag == 0 ? differences(i, t, NULL, f, J) : flag;
}

/* Asked for again with the same c, or after a failure, the old one does not do. */
static bool may_keep(ss_integrator *i, double c)
{
    kept_jacobian *kept = &i->kept;
    long failures = 0;
    IDAGetNumNonlinSolvConvFails(i->memory, &failures);
    bool may =
        kept->uses > 0 && kept->uses < MOST_USES && c != kept->c && failures == kept->failures;
    kept->uses = may ? kept->uses + 1 : 1;
    kept->c = c;
    kept->failures = failures;
    return may;
}

static void add_known(const ss_integrator *i, double c, SUNMatrix J)
{
    for (int k = 0; k < i->n; k++) {
        double *column = SUNDenseMatrix_Column(J, k);
        memset(i->full_out, 0, (size_t)i->setup.n * sizeof *i->full_out);
        i->setup.known_column(c, i->used[k], i->full_out, i->setup.user);
        for (int m = 0; m < i->n; m++)
            column[m] += i->full_out[i->used[m]];
    }
}

static int jacobian_of_dae(realtype t, realtype c, N_Vector y, N_Vector ydot, N_Vector r,
                           SUNMatrix J, void *user, N_Vector x, N_Vector v, N_Vector w)
{
    (void)x, (void)v, (void)w;
    ss_integrator *i = user;
    int flag = i->setup.linearize(t, spread(i, y, i->full), i->setup.user);
    if (flag == 0 && !may_keep(i, c))
        flag = differences(i, t, spread(i, ydot, i->full_dot), r, i->kept.matrix);
    if (flag != 0) {
        i->kept.uses = 0;
        return flag;
    }
    SUNMatCopy(i->kept.matrix, J);
    add_known(i, c, J);
    return 0;
}

static int roots_of_dae(realtype t, N_Vector y, N_Vector ydot, realtype *values, void *user)
{
    (void)ydot;
    return roots(t, y, values, user);
}

/* SUNDIALS would print; what failed is told by the status. */
static void stay_silent(int code, const char *module, const char *function, char *message,
                        void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

static ss_status failed(ss_integrator *i, int flag, const char *what)
{
    return ss_fail(i->context, flag == CV_MEM_FAIL ? SS_MEMORY : SS_NOT_CONVERGED,
                   "simulation: the integrator could not %s at t = %.9g s (SUNDIALS code %d); "
                   "looser tolerances or "
                   "another method may help",
                   what, i->t, flag);
}

static void *create(const ss_integrator *i)
{
    switch (i->setup.method) {
    case SS_METHOD_RKF45:
        return ERKStepCreate(rates, i->t, i->y, i->sundials);
    case SS_METHOD_IDA:
        return IDACreate(i->sundials);
    default:
        return CVodeCreate(i->setup.method == SS_METHOD_ADAMS ? CV_ADAMS : CV_BDF, i->sundials);
    }
}

static int init_cvode(ss_integrator *i)
{
    TRY_FLAG(CVodeInit(i->memory, rates, 0, i->y));
    TRY_FLAG(CVodeSetLinearSolver(i->memory, i->linear, i->matrix));
    TRY_FLAG(CVodeSetJacFn(i->memory, jacobian));
    return CVodeSetEtaMaxFirstStep(i->memory, 10);
}

static int init_ida(ss_integrator *i)
{
    i->ydot = N_VClone(i->y);
    i->kinds = N_VClone(i->y);
    i->kept = (kept_jacobian){.matrix = SUNDenseMatrix(i->n, i->n, i->sundials)};
    if (!i->ydot || !i->kinds || !i->kept.matrix)
        return CV_MEM_FAIL;
    N_VConst(0, i->ydot);
    TRY_FLAG(IDAInit(i->memory, residual, 0, i->y, i->ydot));
    TRY_FLAG(IDASetLinearSolver(i->memory, i->linear, i->matrix));
    TRY_FLAG(IDASetJacFn(i->memory, jacobian_of_dae));
    return IDASetSuppressAlg(i->memory, SUNTRUE);
}

/* The memory of the package, with all that does not depend on the start. */
static int create_memory(ss_integrator *i)
{
    enum { NO_LIMIT = -1 };
    const ss_integrator_setup *s = &i->setup;
    const package *p = i->package;
    i->memory = create(i);
    if (!i->memory)
        return CV_MEM_FAIL;
    TRY_FLAG(p->set_error_handler(i->memory, stay_silent, NULL));
    TRY_FLAG(s->method == SS_METHOD_RKF45 ? ERKStepSetTableNum(i->memory, ARKODE_FEHLBERG_6_4_5)
             : s->method == SS_METHOD_IDA ? init_ida(i)
                                          : init_cvode(i));
    TRY_FLAG(p->set_tolerances(i->memory, s->part * s->relative, i->absolute));
    TRY_FLAG(p->set_user_data(i->memory, i));
    TRY_FLAG(p->set_max_steps(i->memory, NO_LIMIT));
    TRY_FLAG(p->set_max_step(i->memory, s->step_max));
    return p->set_max_failures(i->memory, MOST_FAILURES);
}

/* Vectors and solvers for i->n numbers. */
static ss_status open(ss_integrator *i)
{
    i->y = N_VNew_Serial(i->n, i->sundials);
    i->absolute = N_VNew_Serial(i->n, i->sundials);
    if (!i->y || !i->absolute)
        return failed(i, CV_MEM_FAIL, "start");
    N_VConst(0, i->y);
    N_VConst(1, i->absolute);
    if (i->setup.method == SS_METHOD_RKF45)
        return SS_OK;
    i->matrix = SUNDenseMatrix(i->n, i->n, i->sundials);
    i->linear = i->matrix ? SUNLinSol_Dense(i->y, i->matrix, i->sundials) : NULL;
    if (!i->linear)
        return failed(i, CV_MEM_FAIL, "start");
    int flag = create_memory(i);
    return flag == 0 ? SS_OK : failed(i, flag, "start");
}

/* All of these accept NULL. */
static void close(ss_integrator *i)
{
    i->package->free(&i->memory);
    SUNLinSolFree(i->linear);
    SUNMatDestroy(i->matrix);
    SUNMatDestroy(i->kept.matrix);
    N_VDestroy(i->kinds);
    N_VDestroy(i->ydot);
    N_VDestroy(i->absolute);
    N_VDestroy(i->y);
    i->linear = NULL;
    i->matrix = NULL;
    i->kept = (kept_jacobian){0};
    i->kinds = i->ydot = i->absolute = i->y = NULL;
}

static ss_status reserve(ss_integrator *i)
{
    double **capacities[] = {&i->full, &i->full_dot, &i->full_base, &i->full_out};
    size_t n = (size_t)i->setup.n;
    for (size_t k = 0; k < sizeof capacities / sizeof *capacities; k++)
        SS_TRY(SS_NEW(i->context, n, capacities[k]));
    SS_TRY(SS_NEW(i->context, n, &i->used));
    return SUNContext_Create(NULL, &i->sundials) == 0 ? SS_OK : failed(i, CV_MEM_FAIL, "start");
}

ss_status ss_integrator_create(ss_context *context, const ss_integrator_setup *setup,
                               ss_integrator **integrator)
{
    ss_integrator *i;
    *integrator = NULL;
    SS_TRY(SS_NEW(context, 1, &i));
    i->context = context;
    i->setup = *setup;
    i->package = &packages[setup->method];
    ss_status status = reserve(i);
    if (status != SS_OK) {
        ss_integrator_destroy(i);
        return status;
    }
    *integrator = i;
    return SS_OK;
}

void ss_integrator_destroy(ss_integrator *i)
{
    if (!i)
        return;
    close(i);
    SUNContext_Free(&i->sundials);
    void *owned[] = {i->full, i->full_dot, i->full_base, i->full_out, i->used};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        ss_release(i->context, owned[k]);
    ss_release(i->context, i);
}

static int restart_ida(ss_integrator *i)
{
    i->kept.uses = 0;
    N_VConst(0, i->ydot);
    for (int k = 0; k < i->n; k++)
        N_VGetArrayPointer(i->kinds)[k] = i->used[k] < i->setup.n - i->setup.n_algebraic;
    memset(i->full_out, 0,
           (size_t)i->setup.n * sizeof *i->full_out); /* algebraic numbers have no rates */
    TRY_FLAG(rates(i->t, i->y, i->ydot, i));
    TRY_FLAG(IDASetId(i->memory, i->kinds));
    return IDAReInit(i->memory, i->t, i->y, i->ydot);
}

/* Made anew: ERKStepReInit would remember that a root was found, and refuse another near it. */
static int restart_arkode(ss_integrator *i)
{
    ERKStepFree(&i->memory);
    return create_memory(i);
}

static int init_roots(ss_integrator *i, int n)
{
    switch (i->setup.method) {
    case SS_METHOD_RKF45:
        return ERKStepRootInit(i->memory, n, n ? roots : NULL);
    case SS_METHOD_IDA:
        return IDARootInit(i->memory, n, n ? roots_of_dae : NULL);
    default:
        return CVodeRootInit(i->memory, n, n ? roots : NULL);
    }
}

static int restart(ss_integrator *i, double step, int n_roots, int *directions)
{
    const package *p = i->package;
    TRY_FLAG(i->setup.method == SS_METHOD_RKF45 ? restart_arkode(i)
             : i->setup.method == SS_METHOD_IDA ? restart_ida(i)
                                                : CVodeReInit(i->memory, i->t, i->y));
    TRY_FLAG(p->set_tolerances(i->memory, i->setup.part * i->setup.relative, i->absolute));
    TRY_FLAG(init_roots(i, n_roots));
    if (n_roots) {
        TRY_FLAG(p->set_root_direction(i->memory, directions));
        TRY_FLAG(p->set_no_root_warning(i->memory));
    }
    TRY_FLAG(p->set_stop_time(i->memory, i->stop));
    return p->set_first_step(i->memory, step);
}

/* Another number of unknowns needs other vectors. */
static ss_status resize(ss_integrator *i, int n)
{
    if (i->y && n == i->n)
        return SS_OK;
    close(i);
    i->n = n;
    return open(i);
}

ss_status ss_integrator_restart(ss_integrator *i, const ss_integrator_start *start)
{
    i->t = start->t;
    i->stop = start->stop;
    memcpy(i->used, start->used, (size_t)start->n_used * sizeof *i->used);
    SS_TRY(resize(i, start->n_used));
    memcpy(i->full, start->y, (size_t)i->setup.n * sizeof *i->full);
    gather(i, i->full, N_VGetArrayPointer(i->y));
    gather(i, i->setup.absolute, N_VGetArrayPointer(i->absolute));
    N_VScale(i->setup.part, i->absolute, i->absolute);
    double step = start->step < start->stop - start->t ? start->step : 0;
    int flag = restart(i, step, start->n_roots, start->directions);
    return flag == 0 ? SS_OK : failed(i, flag, "restart");
}

void ss_integrator_limit(ss_integrator *i, double step_max)
{
    i->package->set_max_step(i->memory, step_max);
}

static int step(ss_integrator *i)
{
    switch (i->setup.method) {
    case SS_METHOD_RKF45:
        return ERKStepEvolve(i->memory, i->stop, i->y, &i->t, ARK_ONE_STEP);
    case SS_METHOD_IDA:
        return IDASolve(i->memory, i->stop, &i->t, i->y, i->ydot, IDA_ONE_STEP);
    default:
        return CVode(i->memory, i->stop, i->y, &i->t, CV_ONE_STEP);
    }
}

ss_status ss_integrator_step(ss_integrator *i, double *t, double *y, bool *root)
{
    int flag = step(i);
    if (flag < 0)
        return failed(i, flag, "step");
    *root = flag == CV_ROOT_RETURN;
    *t = i->t;
    spread(i, i->y, y);
    return SS_OK;
}

void ss_integrator_fired(ss_integrator *i, int *fired)
{
    i->package->get_roots(i->memory, fired);
}

ss_status ss_integrator_interpolate(ss_integrator *i, double t, double *y)
{
    int flag = i->package->interpolate(i->memory, t, 0, i->y);
    if (flag != 0)
        return failed(i, flag, "interpolate");
    spread(i, i->y, y);
    return SS_OK;
}

double ss_integrator_last_step(ss_integrator *i)
{
    double step = 0;
    i->package->get_last_step(i->memory, &step);
    return step;
}
