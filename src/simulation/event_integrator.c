#include "simulation/event_integrator.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/* Before a jump, of a load or at the end of a face, a step becomes as small as it must. */
enum { MOST_FAILURES = 100 };

struct ss_integrator {
    ss_context *context;
    ss_integrator_setup setup;
    SUNContext sundials;
    void *cvode, *arkode, *ida; /* one of the three */
    N_Vector y, absolute;
    N_Vector ydot, kinds; /* IDA: y', and 1 where y has a derivative */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    double t, stop;
};

static int rates(realtype t, N_Vector y, N_Vector ydot, void *user)
{
    const ss_integrator *i = user;
    return i->setup.rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), i->setup.user);
}

static int roots(realtype t, N_Vector y, realtype *values, void *user)
{
    const ss_integrator *i = user;
    return i->setup.roots(t, N_VGetArrayPointer(y), values, i->setup.user);
}

static int residual(realtype t, N_Vector y, N_Vector ydot, N_Vector r, void *user)
{
    const ss_integrator *i = user;
    return i->setup.residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot),
                             N_VGetArrayPointer(r), i->setup.user);
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

static ss_status open_cvode(ss_integrator *i)
{
    const ss_integrator_setup *s = &i->setup;
    enum { NO_LIMIT = -1 };
    i->cvode = CVodeCreate(s->method == SS_METHOD_ADAMS ? CV_ADAMS : CV_BDF, i->sundials);
    if (!i->cvode)
        return failed(i, CV_MEM_FAIL, "start");
    CVodeSetErrHandlerFn(i->cvode, stay_silent, NULL);
    int flag = CVodeInit(i->cvode, rates, 0, i->y);
    if (flag == 0)
        flag = CVodeSVtolerances(i->cvode, s->relative, i->absolute);
    if (flag == 0)
        flag = CVodeSetUserData(i->cvode, i);
    if (flag == 0)
        flag = CVodeSetLinearSolver(i->cvode, i->linear, i->matrix);
    CVodeSetMaxNumSteps(i->cvode, NO_LIMIT);
    CVodeSetMaxStep(i->cvode, s->step_max);
    CVodeSetMaxErrTestFails(i->cvode, MOST_FAILURES);
    CVodeSetNoInactiveRootWarn(i->cvode);
    CVodeSetEtaMaxFirstStep(i->cvode, 10);
    return flag == 0 ? SS_OK : failed(i, flag, "start");
}

static ss_status open_ida(ss_integrator *i)
{
    const ss_integrator_setup *s = &i->setup;
    enum { NO_LIMIT = -1 };
    i->ydot = N_VClone(i->y);
    i->kinds = N_VClone(i->y);
    i->ida = IDACreate(i->sundials);
    if (!i->ida || !i->ydot || !i->kinds)
        return failed(i, CV_MEM_FAIL, "start");
    N_VConst(0, i->ydot);
    for (int k = 0; k < s->n; k++)
        N_VGetArrayPointer(i->kinds)[k] = k < s->n - s->n_algebraic;
    IDASetErrHandlerFn(i->ida, stay_silent, NULL);
    int flag = IDAInit(i->ida, residual, 0, i->y, i->ydot);
    if (flag == 0)
        flag = IDASVtolerances(i->ida, s->relative, i->absolute);
    if (flag == 0)
        flag = IDASetUserData(i->ida, i);
    if (flag == 0)
        flag = IDASetLinearSolver(i->ida, i->linear, i->matrix);
    if (flag == 0)
        flag = IDASetId(i->ida, i->kinds);
    IDASetSuppressAlg(i->ida, SUNTRUE);
    IDASetMaxNumSteps(i->ida, NO_LIMIT);
    IDASetMaxStep(i->ida, s->step_max);
    IDASetMaxErrTestFails(i->ida, MOST_FAILURES);
    IDASetNoInactiveRootWarn(i->ida);
    return flag == 0 ? SS_OK : failed(i, flag, "start");
}

static ss_status open_arkode(ss_integrator *i)
{
    const ss_integrator_setup *s = &i->setup;
    enum { NO_LIMIT = -1 };
    i->arkode = ERKStepCreate(rates, i->t, i->y, i->sundials);
    if (!i->arkode)
        return failed(i, CV_MEM_FAIL, "start");
    ERKStepSetErrHandlerFn(i->arkode, stay_silent, NULL);
    int flag = ERKStepSVtolerances(i->arkode, s->relative, i->absolute);
    if (flag == 0)
        flag = ERKStepSetUserData(i->arkode, i);
    if (flag == 0)
        flag = ERKStepSetTableNum(i->arkode, ARKODE_FEHLBERG_6_4_5);
    ERKStepSetMaxNumSteps(i->arkode, NO_LIMIT);
    ERKStepSetMaxStep(i->arkode, s->step_max);
    ERKStepSetMaxErrTestFails(i->arkode, MOST_FAILURES);
    return flag == 0 ? SS_OK : failed(i, flag, "start");
}

static ss_status open(ss_integrator *i)
{
    sunindextype n = i->setup.n;
    if (SUNContext_Create(NULL, &i->sundials) != 0)
        return failed(i, CV_MEM_FAIL, "start");
    i->y = N_VNew_Serial(n, i->sundials);
    i->absolute = N_VNew_Serial(n, i->sundials);
    if (!i->y || !i->absolute)
        return failed(i, CV_MEM_FAIL, "start");
    N_VConst(0, i->y);
    memcpy(N_VGetArrayPointer(i->absolute), i->setup.absolute, (size_t)n * sizeof(double));
    if (i->setup.method == SS_METHOD_RKF45)
        return open_arkode(i);
    i->matrix = SUNDenseMatrix(n, n, i->sundials);
    i->linear = i->matrix ? SUNLinSol_Dense(i->y, i->matrix, i->sundials) : NULL;
    if (!i->linear)
        return failed(i, CV_MEM_FAIL, "start");
    return i->setup.method == SS_METHOD_IDA ? open_ida(i) : open_cvode(i);
}

ss_status ss_integrator_create(ss_context *context, const ss_integrator_setup *setup,
                               ss_integrator **integrator)
{
    void *memory;
    *integrator = NULL;
    SS_TRY(ss_allocate(context, 1, sizeof(ss_integrator), &memory));
    ss_integrator *i = memory;
    i->context = context;
    i->setup = *setup;
    ss_status status = open(i);
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
    CVodeFree(&i->cvode);
    ERKStepFree(&i->arkode);
    IDAFree(&i->ida);
    if (i->kinds)
        N_VDestroy(i->kinds);
    if (i->ydot)
        N_VDestroy(i->ydot);
    if (i->linear)
        SUNLinSolFree(i->linear);
    if (i->matrix)
        SUNMatDestroy(i->matrix);
    if (i->absolute)
        N_VDestroy(i->absolute);
    if (i->y)
        N_VDestroy(i->y);
    SUNContext_Free(&i->sundials);
    ss_release(i->context, i);
}

static int restart_cvode(ss_integrator *i, double step, int n_roots, int *directions)
{
    int flag = CVodeReInit(i->cvode, i->t, i->y);
    if (flag == 0)
        flag = CVodeRootInit(i->cvode, n_roots, n_roots ? roots : NULL);
    if (flag == 0 && n_roots)
        flag = CVodeSetRootDirection(i->cvode, directions);
    if (flag == 0)
        flag = CVodeSetStopTime(i->cvode, i->stop);
    return flag == 0 ? CVodeSetInitStep(i->cvode, step) : flag;
}

static int restart_ida(ss_integrator *i, double step, int n_roots, int *directions)
{
    N_VConst(0, i->ydot);
    int flag = rates(i->t, i->y, i->ydot, i);
    if (flag == 0)
        flag = IDAReInit(i->ida, i->t, i->y, i->ydot);
    if (flag == 0)
        flag = IDARootInit(i->ida, n_roots, n_roots ? roots_of_dae : NULL);
    if (flag == 0 && n_roots)
        flag = IDASetRootDirection(i->ida, directions);
    if (flag == 0)
        flag = IDASetStopTime(i->ida, i->stop);
    return flag == 0 ? IDASetInitStep(i->ida, step) : flag;
}

/* Made anew: ERKStepReInit would remember that a root was found, and refuse another one near it. */
static int restart_arkode(ss_integrator *i, double step, int n_roots, int *directions)
{
    ERKStepFree(&i->arkode);
    int flag = open_arkode(i) == SS_OK ? 0 : CV_MEM_FAIL;
    if (flag == 0)
        flag = ERKStepRootInit(i->arkode, n_roots, n_roots ? roots : NULL);
    if (flag == 0 && n_roots)
        flag = ERKStepSetRootDirection(i->arkode, directions);
    if (flag == 0 && n_roots)
        flag = ERKStepSetNoInactiveRootWarn(i->arkode);
    if (flag == 0)
        flag = ERKStepSetStopTime(i->arkode, i->stop);
    return flag == 0 ? ERKStepSetInitStep(i->arkode, step) : flag;
}

ss_status ss_integrator_restart(ss_integrator *i, double t, const double *y, double stop,
                                double step, int n_roots, int *directions)
{
    i->t = t;
    i->stop = stop;
    memcpy(N_VGetArrayPointer(i->y), y, (size_t)i->setup.n * sizeof *y);
    step = step < stop - t ? step : 0;
    int flag = i->cvode ? restart_cvode(i, step, n_roots, directions)
               : i->ida ? restart_ida(i, step, n_roots, directions)
                        : restart_arkode(i, step, n_roots, directions);
    return flag == 0 ? SS_OK : failed(i, flag, "restart");
}

void ss_integrator_limit(ss_integrator *i, double step_max)
{
    if (i->cvode)
        CVodeSetMaxStep(i->cvode, step_max);
    else if (i->ida)
        IDASetMaxStep(i->ida, step_max);
    else
        ERKStepSetMaxStep(i->arkode, step_max);
}

ss_status ss_integrator_step(ss_integrator *i, double *t, double *y, bool *root)
{
    int flag = i->cvode ? CVode(i->cvode, i->stop, i->y, &i->t, CV_ONE_STEP)
               : i->ida ? IDASolve(i->ida, i->stop, &i->t, i->y, i->ydot, IDA_ONE_STEP)
                        : ERKStepEvolve(i->arkode, i->stop, i->y, &i->t, ARK_ONE_STEP);
    if (flag < 0)
        return failed(i, flag, "step");
    *root = flag == CV_ROOT_RETURN;
    *t = i->t;
    memcpy(y, N_VGetArrayPointer(i->y), (size_t)i->setup.n * sizeof *y);
    return SS_OK;
}

void ss_integrator_fired(ss_integrator *i, int *fired)
{
    if (i->cvode)
        CVodeGetRootInfo(i->cvode, fired);
    else if (i->ida)
        IDAGetRootInfo(i->ida, fired);
    else
        ERKStepGetRootInfo(i->arkode, fired);
}

ss_status ss_integrator_look(ss_integrator *i, double t, double *y)
{
    int flag = i->cvode ? CVodeGetDky(i->cvode, t, 0, i->y)
               : i->ida ? IDAGetDky(i->ida, t, 0, i->y)
                        : ERKStepGetDky(i->arkode, t, 0, i->y);
    if (flag != 0)
        return failed(i, flag, "interpolate");
    memcpy(y, N_VGetArrayPointer(i->y), (size_t)i->setup.n * sizeof *y);
    return SS_OK;
}

double ss_integrator_last_step(ss_integrator *i)
{
    double step = 0;
    if (i->cvode)
        CVodeGetLastStep(i->cvode, &step);
    else if (i->ida)
        IDAGetLastStep(i->ida, &step);
    else
        ERKStepGetLastStep(i->arkode, &step);
    return step;
}
