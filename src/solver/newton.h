/* newton.h: semismooth Newton methods on equations F(x, v) = 0, v = A x + b, that say the same
 * as the inclusion. They differ in F alone. */
#ifndef SS_SOLVER_NEWTON_H
#define SS_SOLVER_NEWTON_H

#include "solver/methods.h"

/* F of one group, and a generalized derivative dF = A dx + B dv, dim × dim by rows each; A =
 * NULL: F alone. scale is that of the group's set when it is a single block. */
typedef void (*ss_newton_rows_fn)(const ss_gathered_group *group, double scale, const double *x,
                                  const double *v, double *F, double *A, double *B);

typedef struct ss_newton_form {
    ss_newton_rows_fn rows;
    bool cones; /* wants the scaling in which Coulomb's cone is the second-order cone */
} ss_newton_form;

typedef struct ss_newton {
    bool line_search;
    double regularization; /* compliance added to A, in parts of its diagonal */

    ss_newton_form form;
    double *x, *v, *F, *dx, *trial_x, *trial_v, *trial_F; /* n_rows each, in scratch memory */
    double *centre; /* of a proximal step: v = A x + b + alpha (x - centre) */
    double alpha;
} ss_newton;

extern const ss_newton_form ss_newton_alart_curnier, ss_newton_fischer_burmeister;

/* Memory and the matrix; x from run->P. */
ss_status ss_newton_prepare(ss_newton *s, const ss_newton_form *form, ss_run *run);
/* Takes x from run->P. */
void ss_newton_restart(ss_newton *s, const ss_run *run);

/* Up to `most` steps from x. Ends when run->solved, when ‖F‖ <= goal, or when no step makes ‖F‖
 * smaller: false then. */
bool ss_newton_iterate(ss_newton *s, ss_run *run, int most, double goal);
/* ‖F‖ at x. */
double ss_newton_merit(const ss_newton *s, const ss_run *run);

/* Proximal steps from the best P so far, where Newton's own steps have ended; about `most` Newton steps. */
void ss_newton_continue(ss_newton *s, ss_run *run, int most);

#endif
