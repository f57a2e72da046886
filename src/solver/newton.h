/* newton.h: two equations F(x, v) = 0, v = A x + b, that say the same as the inclusion, for
 * semismooth Newton methods. */
#ifndef SS_SOLVER_NEWTON_H
#define SS_SOLVER_NEWTON_H

#include "rows/gather.h"

/* F of one group, and a generalized derivative dF = A dx + B dv, dim × dim by rows each; A =
 * NULL: F alone. scale is that of the group's set when it is a single block. */
typedef void (*ss_newton_rows_fn)(const ss_gathered_group *group, double scale, const double *x,
                                  const double *v, double *F, double *A, double *B);

typedef struct ss_newton_form {
    ss_newton_rows_fn rows;
    bool cones; /* wants the scaling in which Coulomb's cone is the second-order cone */
} ss_newton_form;

extern const ss_newton_form ss_newton_alart_curnier, ss_newton_fischer_burmeister;

#endif
