/* integrator.h: one step at a time of y' = f(t, y), or of F(t, y, y') = 0, with root finding, by
 * SUNDIALS. */
#ifndef SS_SIMULATION_EVENT_INTEGRATOR_H
#define SS_SIMULATION_EVENT_INTEGRATOR_H

#include <stickslip/base.h>

typedef struct ss_integrator ss_integrator;

typedef enum ss_integrator_method {
    SS_METHOD_RKF45, /* ARKODE, Runge, Kutta and Fehlberg's pair of orders 4 and 5 */
    SS_METHOD_ADAMS, /* CVODE, orders 1 … 12 */
    SS_METHOD_BDF,   /* CVODE, orders 1 … 5, for stiff systems */
    SS_METHOD_IDA,   /* IDA, orders 1 … 5, with algebraic unknowns */
} ss_integrator_method;

/* Both return 0, or a negative number that ends the step. */
typedef int (*ss_rates_fn)(double t, const double *y, double *rates, void *user);
typedef int (*ss_roots_fn)(double t, const double *y, double *values, void *user);
/* F(t, y, y') for IDA, n elements. */
typedef int (*ss_residual_fn)(double t, const double *y, const double *ydot, double *residual,
                              void *user);

/* Called before the columns of a Jacobian at (t, y). */
typedef int (*ss_linearize_fn)(double t, const double *y, void *user);
/* Column j of ∂f/∂y, with `base` = f(t, y) and ydot NULL; for IDA of ∂F/∂y, with `base` =
 * F(t, y, y'). Costs an evaluation. */
typedef int (*ss_column_fn)(double t, const double *y, const double *ydot, const double *base,
                            int j, double *column, void *user);
/* IDA only: adds what needs no evaluation, column j of c ∂F/∂y' and of ∂F/∂y for algebraic
 * unknowns. */
typedef void (*ss_known_column_fn)(double c, int j, double *column, void *user);

typedef struct ss_integrator_setup {
    ss_integrator_method method;
    int n;
    int n_algebraic; /* IDA only: how many at the end of y have no derivative in F */
    double relative;
    const double *absolute; /* n errors, beside the relative one */
    double part;            /* of both, that is asked for */
    double step_max;        /* s */
    ss_rates_fn rates;
    ss_roots_fn roots;
    ss_residual_fn residual; /* IDA only; its first y' comes from `rates`, algebraic ones from y */
    ss_linearize_fn linearize; /* BDF and IDA */
    ss_column_fn column;
    ss_known_column_fn known_column;
    void *user;
} ss_integrator_setup;

typedef struct ss_integrator_start {
    double t, stop; /* s; steps end at `stop` at the latest */
    const double *y;
    int n_used; /* elements of y that are integrated; the others are constant */
    const int *used;
    double step; /* s; 0: the first step is chosen */
    int n_roots;
    int *directions; /* -1: zeros are reached from above, 1: from below, 0: any */
} ss_integrator_start;

ss_status ss_integrator_create(ss_context *context, const ss_integrator_setup *setup,
                               ss_integrator **integrator);
void ss_integrator_destroy(ss_integrator *integrator);

ss_status ss_integrator_restart(ss_integrator *integrator, const ss_integrator_start *start);
/* No step from here on is larger, s. */
void ss_integrator_limit(ss_integrator *integrator, double step_max);
/* One step; y at its end, or at the first root in it. */
ss_status ss_integrator_step(ss_integrator *integrator, double *t, double *y, bool *root);
/* Which roots were found: nonzero. */
void ss_integrator_fired(ss_integrator *integrator, int *fired);
/* y within the last step. */
ss_status ss_integrator_interpolate(ss_integrator *integrator, double t, double *y);
/* Size of the last step, s. */
double ss_integrator_last_step(ss_integrator *integrator);

#endif
