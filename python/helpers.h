/* helpers.h: loops that the extension module runs in C, and the Python functions that C may call. */
#include <time.h>

static double ss_python_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Steps until the time `until` or the end of the run is reached, or about `seconds` have passed: Python looks at signals
 * and reports progress in between. recorder may be NULL. Reading the clock may cost more than a short step: the longer
 * steps take, the more often it is read. */
static ss_status ss_python_run(ss_simulation *simulation, ss_recorder *recorder, double until,
                               double seconds)
{
    double begin = ss_python_clock(), seen = begin;
    int stride = 1, left = 1;
    ss_step step;
    while (!ss_simulation_done(simulation) &&
           ss_state_time(ss_simulation_state(simulation)) < until) {
        SS_TRY(ss_simulation_advance(simulation, &step));
        if (recorder)
            SS_TRY(ss_recorder_observe(recorder, simulation, &step));
        if (--left > 0)
            continue;
        double now = ss_python_clock();
        if (now - begin > seconds)
            break;
        stride = now - seen > 0.1 * seconds ? 1 : stride < 1024 ? 2 * stride : stride;
        left = stride;
        seen = now;
    }
    return SS_OK;
}

/* ss_set_prox of `count` points, one behind the other; scales has `count` elements. */
static void ss_python_prox(const ss_set *set, int count, const double *scales, const double *x,
                           double *y)
{
    for (int i = 0; i < count; i++, x += set->dim, y += set->dim)
        ss_set_prox(set, scales[i], x, y);
}

/* ss_set_support of `count` directions. */
static void ss_python_support(const ss_set *set, int count, const double *scales, const double *v,
                              double *h)
{
    for (int i = 0; i < count; i++, v += set->dim)
        h[i] = ss_set_support(set, scales[i], v);
}

/* ss_set_contains of `count` points. */
static void ss_python_contains(const ss_set *set, int count, const double *scales, const double *x,
                               double tolerance, bool *inside)
{
    for (int i = 0; i < count; i++, x += set->dim)
        inside[i] = ss_set_contains(set, scales[i], x, tolerance);
}

/* Makes a problem, solves it from the guess P, and lets it go. */
static ss_status ss_python_solve(ss_context *context, ss_solver *solver, int dimension,
                                 int n_contacts, const double *W, const double *q, const double *mu,
                                 double *P, ss_solve_report *report)
{
    ss_problem *problem;
    SS_TRY(ss_problem_from_dense(context, dimension, n_contacts, W, q, mu, &problem));
    ss_status status = ss_solver_solve(solver, ss_problem_inclusion(problem), P, NULL, report);
    ss_problem_destroy(problem);
    return status;
}

/* Fails with a message as it stands. */
static ss_status ss_python_fail(ss_context *context, ss_status status, const char *message)
{
    return ss_fail(context, status, "%s", message);
}

/* python: void ss_python_log(void *user, ss_log_level level, const char *message); */
/* python: void ss_python_trace(void *user, int iteration, const double *P); */
/* python: void ss_python_release(void *user); */
/* python: ss_status ss_python_init(void *self, ss_setup *setup); */
/* python: void ss_python_destroy(void *self); */
/* python: ss_status ss_python_force_h(const void *self, const ss_at *at, double *const *h); */
/* python: ss_status ss_python_force_potential(const void *self, const ss_at *at, double *V); */
/* python: ss_status ss_python_controller_sample(const void *self, const ss_sample *at); */
/* python: ss_status ss_python_law_level(const void *self, const ss_law_at *at, ss_level *level); */
/* python: ss_status ss_python_law_set(const void *self, const ss_law_at *at, ss_law_set *set); */
/* python: ss_status ss_python_law_impressed(const void *self, const ss_law_at *at, double *P); */
/* python: ss_status ss_python_law_added(const void *self, const ss_law_at *at, double *P); */
/* python: ss_status ss_python_law_correction(const void *self, const ss_law_at *at, double *c); */
/* python: ss_status ss_python_law_distance(const void *self, const ss_law_at *at, double *d); */
/* python: ss_status ss_python_law_potential(const void *self, int dim, const double *g, double *V); */
/* python: const ss_set *ss_python_law_set_kind(const void *self, int dim, int i); */
