/* impact_check.h: what impact maps refuse. */
#ifndef SS_ROWS_IMPACT_CHECK_H
#define SS_ROWS_IMPACT_CHECK_H

#include <stickslip/impact.h>

/* Fails on numbers that are not finite; `what` names them. */
ss_status ss_impact_check_vector(ss_context *context, int n, const double *x, const char *what);
/* Fails on coefficients outside of [0, 1]. */
ss_status ss_impact_check_epsilon(ss_context *context, int n, const double *epsilon);
/* Fails when G is not finite or not symmetric. */
ss_status ss_impact_check_G(ss_context *context, int n, const double *G);

#endif
