/* smooth.h: the smooth motion between two events, as an integrator sees it.
 *
 * y holds q, u, impulses, dissipated energy and work of loads; for IDA also the forces of all rows.
 */
#ifndef SS_SIMULATION_EVENT_SMOOTH_H
#define SS_SIMULATION_EVENT_SMOOTH_H

#include "simulation/event/integrator.h"

#include <stickslip/simulation.h>

typedef struct ss_event_driven ss_event_driven;

typedef struct ss_smooth {
    ss_integrator *chosen;           /* by the option `method` */
    ss_integrator *implicit;         /* for slow sliding; NULL: the chosen one does */
    ss_integrator *integrator;       /* the one in use */
    double *y, *y_between, *y_moved; /* at the end, within a step, and displaced for derivatives */
    int n_used, *used;               /* elements of y that change while the phases last */
    double move_q, move_u;           /* largest displacements for derivatives */
    bool deficient;                  /* closed rows were dependent where it began */
    ss_status status;                /* of the last evaluation within the integrator */
} ss_smooth;

typedef enum ss_ending {
    SS_ENDING_STOP,       /* nothing happened */
    SS_ENDING_ROOT,       /* an event */
    SS_ENDING_BREAK_AWAY, /* dependent constraints cannot stay closed */
} ss_ending;

/* Length of y, and of the part that all methods have. */
int ss_event_numbers(const ss_event_driven *e);
int ss_event_common_numbers(const ss_event_driven *e);
/* Integrates from A to the next event, at most to `stop`; e->found and *t are there. */
ss_status ss_event_integrate(ss_event_driven *e, const ss_state *A, double stop, double *t,
                             ss_ending *ending);

/* rates.c: functions for the integrator. */
int ss_event_rates(double t, const double *y, double *rates, void *user);
/* For IDA: the forces of closed rows are unknowns, with W_Cᵀ u' + ζ̂_C = 0 (index 1) as their
 * equations. Forces that are not unique, and those of other laws, come from the reduced system. */
int ss_event_residual(double t, const double *y, const double *ydot, double *residual, void *user);
int ss_event_linearize(double t, const double *y, void *user);
int ss_event_column(double t, const double *y, const double *ydot, const double *base, int j,
                    double *column, void *user);
void ss_event_known_column(double c, int j, double *column, void *user);

#endif
